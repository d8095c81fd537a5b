//! `webhooks`: manages the endpoints at which organisations receive events.

use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use shared::clock::Clock;
use shared::command_line::say;
use shared::db::Db;
use shared::event::{self, EventBody};
use shared::tls::TlsSettings;
use store::events::endpoints::{self, Set, State};
use store::events::feed;
use store::plumbing::audit::Cause;
use uuid::Uuid;

use super::operator::Operator;
use super::table::{self, moment, optional};
use super::{DatabaseArgs, Failure, organisation, organisation_if_given};
use crate::config::WebhookSettings;
use crate::webhooks::Webhooks;

#[derive(Subcommand)]
pub enum WebhooksCommand {
    /// Send events of an organisation to a URL, and print the secret that signs them; for a URL that is set already, change
    /// the types. Nothing can show the secret again
    Set {
        /// The organisation's short name
        organisation: String,
        /// An https:// URL with a public address
        url: String,
        /// Types of events, comma-separated; all if it is left out
        #[arg(long, value_delimiter = ',', value_parser = parse_type)]
        types: Vec<String>,
        #[command(flatten)]
        operator: Operator,
        #[command(flatten)]
        settings: EndpointSettings,
    },
    /// List the endpoints of all organisations or of one, and the status of their deliveries
    List {
        /// The organisation's short name
        organisation: Option<String>,
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Replace an endpoint's secret and print the new one; for 24 hours both sign
    Rotate {
        /// Id from `list`
        id: Uuid,
        #[command(flatten)]
        operator: Operator,
        #[command(flatten)]
        settings: EndpointSettings,
    },
    /// Send an event of the type webhooks.test to an endpoint now, and print the answer
    Test {
        /// Id from `list`
        id: Uuid,
        #[command(flatten)]
        settings: EndpointSettings,
    },
    /// Send the events since a time again, also those that were delivered
    Replay {
        /// Id from `list`
        id: Uuid,
        /// The first event's time, such as 2026-11-22T08:00:00Z; events are kept for 30 days
        #[arg(long)]
        since: DateTime<Utc>,
        #[command(flatten)]
        operator: Operator,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Send events to a disabled endpoint again, also those that it has missed since it began to fail
    Enable {
        /// Id from `list`
        id: Uuid,
        #[command(flatten)]
        operator: Operator,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Delete an endpoint and its secret
    Remove {
        /// Id from `list`
        id: Uuid,
        #[command(flatten)]
        operator: Operator,
        #[command(flatten)]
        database: DatabaseArgs,
    },
}

#[derive(Args)]
pub struct EndpointSettings {
    #[command(flatten)]
    database: DatabaseArgs,
    #[command(flatten)]
    webhooks: WebhookSettings,
    /// Keys that seal the secrets of endpoints, as `run` has them
    #[arg(long, env, hide_env_values = true, default_value = "")]
    gateway_keys: SecretString,
}

fn parse_type(text: &str) -> Result<String, String> {
    let known = event::TYPES.contains(&text);
    known.then(|| text.to_owned()).ok_or_else(|| format!("is none of {}", event::TYPES.join(", ")))
}

pub async fn run(command: WebhooksCommand) -> Result<(), Failure> {
    match command {
        WebhooksCommand::Set { organisation, url, types, operator, settings } => {
            set(&organisation, &url, &types, &settings, operator.cause()).await
        }
        WebhooksCommand::List { organisation, json, database } => {
            list(&open(&database)?, organisation.as_deref(), json).await
        }
        WebhooksCommand::Rotate { id, operator, settings } => rotate(id, &settings, operator.cause()).await,
        WebhooksCommand::Test { id, settings } => test(id, &settings).await,
        WebhooksCommand::Replay { id, since, operator, database } => {
            replay(&open(&database)?, id, since, operator.cause()).await
        }
        WebhooksCommand::Enable { id, operator, database } => {
            enable(&open(&database)?, id, operator.cause()).await
        }
        WebhooksCommand::Remove { id, operator, database } => {
            let mut tx = open(&database)?.begin().await?;
            if !endpoints::remove(&mut tx, id, operator.cause()).await? {
                return Err(unknown(id).into());
            }
            tx.commit().await?;
            say("removed");
            Ok(())
        }
    }
}

async fn set(
    short_name: &str,
    url: &str,
    types: &[String],
    settings: &EndpointSettings,
    cause: Cause,
) -> Result<(), Failure> {
    let url = settings.webhooks.parse_url(url).map_err(|fault| format!("the URL {fault}"))?;
    let db = open(&settings.database)?;
    let organisation = organisation(&db, short_name).await?;
    let mut tx = db.begin().await?;
    let Set { id, is_new, state } = endpoints::set(&mut tx, organisation, url.as_str(), types, cause).await?;
    if !is_new {
        tx.commit().await?;
        eprintln!("endpoint {id} gets these types from now on; its secret stays{}", if_disabled(state));
        return Ok(());
    }
    let secret = set_secret(&mut tx, id, settings, cause.now).await?;
    tx.commit().await?;
    show(id, &secret);
    Ok(())
}

/// Stores a new secret of an endpoint.
async fn set_secret(
    db: &mut sqlx::PgConnection,
    id: Uuid,
    settings: &EndpointSettings,
    now: DateTime<Utc>,
) -> Result<SecretString, Failure> {
    let tls: &TlsSettings = &settings.database.tls;
    let _ = rustls::crypto::ring::default_provider().install_default();
    let webhooks = Webhooks::new(&settings.webhooks, &settings.gateway_keys, tls)?;
    let (secret, sealed) = webhooks.new_secret(id)?;
    endpoints::set_secret(db, id, &sealed, now).await?;
    Ok(secret)
}

/// Prints the secret alone on standard output, so that a script can read it.
fn show(id: Uuid, secret: &SecretString) {
    eprintln!("endpoint {id}; store its secret now, because nothing can show it again:");
    say(secret.expose_secret());
}

async fn list(db: &Db, short_name: Option<&str>, json: bool) -> Result<(), Failure> {
    let organisation = organisation_if_given(db, short_name).await?;
    let listed = endpoints::list(db, organisation).await?;
    if json {
        say(serde_json::to_string_pretty(&listed)?);
        return Ok(());
    }
    let rows = listed.into_iter().map(|endpoint| {
        let state = match (endpoint.disabled_at, endpoint.failing_since) {
            (Some(at), _) => {
                format!("disabled {}: {}", moment(at), endpoint.disabled_reason.unwrap_or_default())
            }
            (None, Some(_)) => format!("failing since {}", optional(endpoint.failing_since)),
            (None, None) => "enabled".to_owned(),
        };
        let (waiting, given_up) = (endpoint.waiting.to_string(), endpoint.given_up.to_string());
        let failure: String = endpoint.last_failure.unwrap_or_default().chars().take(100).collect();
        let types = endpoint.types.join(",");
        [
            endpoint.id.to_string(),
            endpoint.organisation,
            endpoint.url,
            types,
            state,
            waiting,
            given_up,
            failure,
        ]
    });
    let heading = ["id", "organisation", "url", "types", "state", "waiting", "given up", "last failure"];
    table::print("Endpoints", heading, rows.collect());
    Ok(())
}

async fn rotate(id: Uuid, settings: &EndpointSettings, cause: Cause) -> Result<(), Failure> {
    let db = open(&settings.database)?;
    let mut tx = db.begin().await?;
    let noted = endpoints::note(&mut tx, id, json!({ "secret": "rotated" }), cause).await?;
    noted.ok_or_else(|| unknown(id))?;
    let secret = set_secret(&mut tx, id, settings, cause.now).await?;
    tx.commit().await?;
    show(id, &secret);
    Ok(())
}

async fn test(id: Uuid, settings: &EndpointSettings) -> Result<(), Failure> {
    let tls: &TlsSettings = &settings.database.tls;
    let _ = rustls::crypto::ring::default_provider().install_default();
    let webhooks = Webhooks::new(&settings.webhooks, &settings.gateway_keys, tls)?;
    let db = open(&settings.database)?;
    let (url, organisation) = endpoints::find(&db, id).await?.ok_or_else(|| unknown(id))?;
    let now = Clock::default().now();
    let stored = endpoints::signing_secrets(&db, id, now).await?;
    let secrets: Result<Vec<_>, _> = stored.iter().map(|kept| webhooks.unseal(id, &kept.sealed)).collect();
    let body = EventBody::new("webhooks.test".to_owned(), now, organisation, None, json!({}))?;
    let answer = webhooks.send(&url, &secrets?, Uuid::now_v7(), serde_json::to_vec(&body)?, now).await?;
    say(format_args!("{} {}", answer.status, answer.text));
    if answer.status.is_success() { Ok(()) } else { Err("the endpoint did not take the event".into()) }
}

async fn replay(db: &Db, id: Uuid, since: DateTime<Utc>, cause: Cause) -> Result<(), Failure> {
    let mut tx = db.begin().await?;
    let noted = endpoints::note(&mut tx, id, json!({ "replayed_since": since }), cause).await?;
    let state = noted.ok_or_else(|| unknown(id))?;
    let again = feed::replay(&mut tx, id, since, true, cause.now).await?;
    tx.commit().await?;
    say(format_args!("{again} events are sent again{}", if_disabled(state)));
    Ok(())
}

async fn enable(db: &Db, id: Uuid, cause: Cause) -> Result<(), Failure> {
    let mut tx = db.begin().await?;
    let missed = endpoints::enable(&mut tx, id, None, cause).await?;
    let missed = missed.ok_or_else(|| format!("there is no disabled endpoint {id}"))?;
    tx.commit().await?;
    say(format_args!("enabled; {missed} events that it has missed are sent"));
    Ok(())
}

fn if_disabled(state: State) -> &'static str {
    if state == State::Disabled { "; it is disabled, and gets them once it is enabled" } else { "" }
}

fn unknown(id: Uuid) -> String {
    format!("there is no endpoint {id}")
}

fn open(database: &DatabaseArgs) -> Result<Db, Failure> {
    Ok(database.pool("webhooks")?)
}
