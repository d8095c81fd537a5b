//! `keys`: creates, lists and revokes the keys with which backends of one organisation call the api.

use clap::Subcommand;
use secrecy::ExposeSecret;
use shared::command_line::say;
use shared::db::Db;
use shared::organisation_key::{KeyId, OrganisationKey, Scope};
use store::plumbing::audit::Cause;
use store::plumbing::organisation_keys::{self, Revoked};

use super::operator::Operator;
use super::table::{self, moment, optional};
use super::{DatabaseArgs, Failure, organisation, organisation_if_given};

#[derive(Subcommand)]
pub enum KeysCommand {
    /// Create a key of an organisation and print it. Nothing can show it again
    Create {
        /// The organisation's short name
        organisation: String,
        /// Purpose of the key, at most 100 characters
        #[arg(long, value_parser = parse_name)]
        name: String,
        /// Scopes of the key, comma-separated: orders, refunds, payments, vouchers, seats, events, reports, support
        #[arg(long, alias = "may", required = true, value_delimiter = ',', value_parser = parse_scope)]
        scopes: Vec<Scope>,
        #[command(flatten)]
        operator: Operator,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// List the keys of all organisations or of one, without their secrets
    List {
        /// The organisation's short name
        organisation: Option<String>,
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Revoke a key: the api refuses the next request with it
    Revoke {
        /// Id from `list`: the 12 digits after `sk_`
        #[arg(value_parser = |text: &str| text.parse::<KeyId>().map_err(|error| error.to_string()))]
        id: KeyId,
        #[command(flatten)]
        operator: Operator,
        #[command(flatten)]
        database: DatabaseArgs,
    },
}

fn parse_name(text: &str) -> Result<String, String> {
    let name = text.trim();
    let fits = (1..=100).contains(&name.chars().count()) && !name.chars().any(char::is_control);
    fits.then(|| name.to_owned()).ok_or("is not 1 to 100 characters without control characters".into())
}

fn parse_scope(text: &str) -> Result<Scope, String> {
    let names: Vec<&str> = Scope::ALL.iter().map(|scope| scope.name()).collect();
    text.trim().parse().map_err(|_| format!("is none of {}", names.join(", ")))
}

pub async fn run(command: KeysCommand) -> Result<(), Failure> {
    match command {
        KeysCommand::Create { organisation, name, scopes, operator, database } => {
            create(&open(&database)?, &organisation, &name, scopes, operator.cause()).await
        }
        KeysCommand::List { organisation, json, database } => {
            list(&open(&database)?, organisation.as_deref(), json).await
        }
        KeysCommand::Revoke { id, operator, database } => {
            revoke(&open(&database)?, id, operator.cause()).await
        }
    }
}

async fn create(
    db: &Db,
    short_name: &str,
    name: &str,
    mut scopes: Vec<Scope>,
    cause: Cause,
) -> Result<(), Failure> {
    let organisation = organisation(db, short_name).await?;
    scopes.sort_unstable();
    scopes.dedup();
    let key = OrganisationKey::generate()?;
    let mut tx = db.begin().await?;
    organisation_keys::insert(&mut tx, organisation, &key, name, &scopes, cause).await?;
    tx.commit().await?;
    // The key alone on standard output, so that a script can read it.
    eprintln!("key {}; store it now, because nothing can show it again:", key.id);
    say(key.expose().expose_secret());
    Ok(())
}

async fn list(db: &Db, short_name: Option<&str>, json: bool) -> Result<(), Failure> {
    let organisation = organisation_if_given(db, short_name).await?;
    let keys = organisation_keys::list(db, organisation).await?;
    if json {
        say(serde_json::to_string_pretty(&keys)?);
        return Ok(());
    }
    let rows = keys.into_iter().map(|key| {
        let scopes = key.scopes.join(",");
        [key.id, key.organisation, key.name, scopes, moment(key.created_at), optional(key.revoked_at)]
    });
    table::print("Keys", ["id", "organisation", "name", "scopes", "created", "revoked"], rows.collect());
    Ok(())
}

async fn revoke(db: &Db, id: KeyId, cause: Cause) -> Result<(), Failure> {
    let mut tx = db.begin().await?;
    let revoked = organisation_keys::revoke(&mut tx, id, cause).await?;
    tx.commit().await?;
    match revoked {
        Revoked::Now => say("revoked"),
        Revoked::Before => say("was revoked before"),
        Revoked::Unknown => return Err(format!("there is no key {id}").into()),
    }
    Ok(())
}

fn open(database: &DatabaseArgs) -> Result<Db, Failure> {
    Ok(database.pool("keys")?)
}
