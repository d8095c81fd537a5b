//! `members`: lists and changes an organisation's members. An enrollment with the organisation also makes a learner one, and a
//! purchase does for good.

use clap::{Args, Subcommand};
use shared::command_line::say;
use shared::db::Db;
use shared::email::Email;
use shared::ids::LearnerId;
use shared::settings::RedisSettings;
use shared::tls::TlsSettings;
use store::access::members;
use store::people::learners;
use store::plumbing::audit::Cause;

use super::operator::Operator;
use super::{DatabaseArgs, Failure, organisation, table};
use crate::config::PlatformSettings;
use crate::enrollment::account_lookup;

#[derive(Subcommand)]
pub enum MembersCommand {
    /// Make a learner a member of an organisation; an email address not on record is looked up at the course platform
    Add(Box<AddArgs>),
    /// End a learner's membership; the next enrollment with the organisation restores it, and a buyer stays a member
    Remove {
        #[command(flatten)]
        who: Who,
        #[command(flatten)]
        operator: Operator,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// List the members of an organisation
    List {
        /// The organisation's short name
        organisation: String,
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        database: DatabaseArgs,
    },
}

#[derive(Args)]
pub struct Who {
    /// The organisation's short name
    pub(super) organisation: String,
    /// The learner's email address
    #[arg(value_parser = |text: &str| Email::parse(text).map_err(|error| error.to_string()))]
    pub(super) email: Email,
}

#[derive(Args)]
pub struct AddArgs {
    #[command(flatten)]
    who: Who,
    #[command(flatten)]
    operator: Operator,
    #[command(flatten)]
    database: DatabaseArgs,
    #[command(flatten)]
    redis: RedisSettings,
    #[command(flatten)]
    platform: PlatformSettings,
}

pub async fn run(command: MembersCommand) -> Result<(), Failure> {
    match command {
        MembersCommand::Add(args) => add(*args).await,
        MembersCommand::Remove { who, operator, database } => remove(&who, operator.cause(), &database).await,
        MembersCommand::List { organisation, json, database } => list(&organisation, json, &database).await,
    }
}

async fn add(args: AddArgs) -> Result<(), Failure> {
    let AddArgs { who, operator, database, redis, platform } = args;
    let cause = operator.cause();
    let db = open(&database)?;
    let organisation = organisation(&db, &who.organisation).await?;
    let learner = learner(&db, &who.email, cause, &redis, &database.tls, &platform).await?;
    let mut tx = db.begin().await?;
    let is_new = members::add(&mut tx, organisation, learner, cause).await?;
    tx.commit().await?;
    say(if is_new { "added" } else { "is a member already" });
    Ok(())
}

/// The learner with an address: on record, or found at the course platform by its settings and then stored.
pub(super) async fn learner(
    db: &Db,
    email: &Email,
    cause: Cause,
    redis: &RedisSettings,
    tls: &TlsSettings,
    settings: &PlatformSettings,
) -> Result<LearnerId, Failure> {
    if let Some(learner) = learners::find(db, email).await? {
        return Ok(learner.id);
    }
    let platform = super::platform(settings, redis, tls)?;
    let account = platform.account(email).await?.filter(|account| platform.accepts(account.is_active));
    let account = account.ok_or(
        "the address has no active account on the course platform; nothing was added: add it once its owner has \
         registered and confirmed it",
    )?;
    let mut tx = db.begin().await?;
    let learner =
        learners::remember(&mut tx, account_lookup::new_learner(&account), email, cause.now).await?;
    tx.commit().await?;
    Ok(learner)
}

async fn remove(who: &Who, cause: Cause, database: &DatabaseArgs) -> Result<(), Failure> {
    let db = open(database)?;
    let organisation = organisation(&db, &who.organisation).await?;
    let mut tx = db.begin().await?;
    let (was_member, is_buyer) = match learners::find(&db, &who.email).await?.map(|learner| learner.id) {
        Some(learner) => (
            members::remove(&mut tx, organisation, learner, cause).await?,
            members::has_bought(&db, organisation, learner).await?,
        ),
        None => (false, false),
    };
    tx.commit().await?;
    say(match (is_buyer, was_member) {
        (true, _) => "stays a member, by a purchase",
        (false, true) => "removed",
        (false, false) => "is not a member",
    });
    Ok(())
}

async fn list(short_name: &str, json: bool, database: &DatabaseArgs) -> Result<(), Failure> {
    let db = open(database)?;
    let members = members::list(&db, organisation(&db, short_name).await?).await?;
    if json {
        say(serde_json::to_string_pretty(&members)?);
        return Ok(());
    }
    let rows = members.into_iter().map(|member| {
        [member.email.unwrap_or_default(), member.username, member.name, member.user_id.to_string()]
    });
    table::print("Members", ["email", "username", "name", "user"], rows.collect());
    Ok(())
}

fn open(database: &DatabaseArgs) -> Result<Db, Failure> {
    Ok(database.pool("members")?)
}
