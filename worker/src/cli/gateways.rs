//! `gateways`: manages organisations' accounts with payment providers. Reads secrets from standard input, and never
//! prints them.

use std::io::Read as _;

use clap::{Args, Subcommand};
use secrecy::{ExposeSecret, SecretSlice, SecretString};
use serde::Deserialize;
use serde_json::json;
use shared::command_line::say;
use shared::gateway::Gateway;
use shared::seal::{self, SealKey, Sealed};
use store::catalog::organisations;
use store::events::endpoints::{self, EndpointSecret};
use store::money::gateways::{self, StoredSecret};
use store::plumbing::audit::Cause;

use super::operator::Operator;
use super::table::{self, moment, optional};
use super::{DatabaseArgs, Failure};
use crate::gateways::Credentials;

#[derive(Subcommand)]
pub enum GatewaysCommand {
    /// Store an organisation's account, read from standard input as JSON: secret_key, public_key (if the gateway has one),
    /// notification_secret, for payouts books_key (of Mollie, or another key of Stripe), and during a rotation
    /// previous_notification_secret
    Set {
        /// The organisation's short name
        organisation: String,
        /// The payment provider
        gateway: Gateway,
        #[command(flatten)]
        operator: Operator,
        #[command(flatten)]
        settings: GatewaySettings,
    },
    /// List the stored accounts, without their secrets, and which ones their provider refuses
    Show {
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        settings: GatewaySettings,
    },
    /// Unseal every stored secret with the configured keys, and print which ones fail
    Check(GatewaySettings),
    /// Seal every stored secret with the current keys, the first ones of their settings, also those that sign events. Then
    /// the other keys can go
    Reseal {
        #[command(flatten)]
        operator: Operator,
        #[command(flatten)]
        settings: GatewaySettings,
    },
}

#[derive(Args)]
pub struct GatewaySettings {
    #[command(flatten)]
    database: DatabaseArgs,
    /// Keys that seal the credentials: 64 hexadecimal digits each, comma-separated, the current one first. The api must
    /// not have them
    #[arg(long, env, hide_env_values = true, default_value = "")]
    gateway_keys: SecretString,
    /// Keys that seal the notification secrets, in the same form. The api and `run` have the same ones
    #[arg(long, env, hide_env_values = true, default_value = "")]
    notification_keys: SecretString,
}

/// The keys of credentials and of notification secrets, each list with the current one first.
struct Keys {
    credentials: Vec<SealKey>,
    notifications: Vec<SealKey>,
}

#[derive(Deserialize)]
struct GatewayAccount {
    notification_secret: Option<SecretString>,
    previous_notification_secret: Option<SecretString>,
    #[serde(flatten)]
    credentials: serde_json::Map<String, serde_json::Value>,
}

pub async fn run(command: GatewaysCommand) -> Result<(), Failure> {
    match command {
        GatewaysCommand::Set { organisation, gateway, operator, settings } => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text)?;
            set(&organisation, gateway, &settings, &text, operator.cause()).await
        }
        GatewaysCommand::Show { json, settings } => {
            let db = settings.db()?;
            show(gateways::kept(&db).await?, json)
        }
        GatewaysCommand::Check(settings) => check(&settings).await,
        GatewaysCommand::Reseal { operator, settings } => reseal(&settings, operator.cause()).await,
    }
}

impl GatewaySettings {
    fn db(&self) -> Result<shared::db::Db, Failure> {
        Ok(self.database.pool("gateways")?)
    }

    fn keys(&self) -> Result<Keys, Failure> {
        let read = |name: &str, keys| -> Result<Vec<SealKey>, Failure> {
            let keys = seal::parse_keys(keys).map_err(|error| format!("{name}: {error}"))?;
            if keys.is_empty() { Err(format!("{name}: is empty").into()) } else { Ok(keys) }
        };
        Ok(Keys {
            credentials: read("GATEWAY_KEYS", &self.gateway_keys)?,
            notifications: read("NOTIFICATION_KEYS", &self.notification_keys)?,
        })
    }
}

/// The key that seals new secrets.
fn current(keys: &[SealKey]) -> Result<&SealKey, Failure> {
    keys.first().ok_or_else(|| "no key".into())
}

async fn set(
    organisation: &str,
    gateway: Gateway,
    settings: &GatewaySettings,
    text: &str,
    cause: Cause,
) -> Result<(), Failure> {
    // serde's error could quote a part of the secret.
    let account: GatewayAccount =
        serde_json::from_str(text).map_err(|_| "standard input is not a JSON object")?;
    let credentials = serde_json::to_string(&account.credentials)?;
    Credentials::parse(gateway, &credentials).map_err(|error| format!("the credentials {error}"))?;
    let db = settings.db()?;
    let id = organisations::id(&db, organisation).await?;
    let id = id.ok_or_else(|| format!("no organisation {organisation}"))?;
    let keys = settings.keys()?;
    let (own, notifications) = (current(&keys.credentials)?, current(&keys.notifications)?);
    let now = cause.now;
    let mut tx = db.begin().await?;
    let sealed = own.seal(&seal::credentials_place(id, gateway), credentials.as_bytes())?;
    gateways::set_credentials(&mut tx, id, gateway, &sealed, now).await?;
    for (slot, secret) in
        [("current", &account.notification_secret), ("previous", &account.previous_notification_secret)]
    {
        let place = seal::notification_place(id, gateway, slot);
        let secret = secret.as_ref().filter(|secret| !secret.expose_secret().is_empty());
        let sealed =
            secret.map(|secret| notifications.seal(&place, secret.expose_secret().as_bytes())).transpose()?;
        gateways::set_notification_secret(&mut tx, id, gateway, slot, sealed.as_ref(), now).await?;
    }
    let detail = json!({ "gateway": gateway, "key": sealed.key_id });
    gateways::record(&mut tx, id, "set", detail, cause).await?;
    tx.commit().await?;
    say(format_args!("{gateway} is set for {organisation}"));
    Ok(())
}

fn show(kept: Vec<StoredSecret>, json: bool) -> Result<(), Failure> {
    if json {
        say(serde_json::to_string_pretty(&kept)?);
        return Ok(());
    }
    let rows = kept.into_iter().map(|kept| {
        let in_use = if kept.in_use { "yes" } else { "no" }.to_owned();
        let (since, refused) = (moment(kept.updated_at), optional(kept.refused_at));
        [kept.organisation, kept.gateway, in_use, kept.what, kept.key_id, since, refused]
    });
    let heading = ["organisation", "gateway", "in use", "what", "key", "since", "refused"];
    table::print("Gateways", heading, rows.collect());
    Ok(())
}

async fn check(settings: &GatewaySettings) -> Result<(), Failure> {
    let db = settings.db()?;
    let keys = settings.keys()?;
    let mut faults = Vec::new();
    for kept in gateways::kept(&db).await? {
        if let Err(reason) = check_one(&kept, &keys) {
            faults.push(fault(&kept, &reason));
        }
    }
    for kept in endpoints::secrets(&db).await? {
        if let Err(reason) = open_endpoint(&kept, &keys) {
            faults.push(endpoint_fault(&kept, &reason));
        }
    }
    if faults.is_empty() {
        say("everything can be opened");
        return Ok(());
    }
    Err(faults.join("\n").into())
}

fn fault(kept: &StoredSecret, reason: &Failure) -> String {
    format!("{} {} {}: {reason}", kept.organisation, kept.gateway, kept.what)
}

fn check_one(kept: &StoredSecret, keys: &Keys) -> Result<(), Failure> {
    let opened = open(kept, keys)?;
    if kept.slot().is_none() {
        let text = std::str::from_utf8(opened.expose_secret()).map_err(|_| "is not UTF-8")?;
        Credentials::parse(kept.gateway.parse()?, text)?;
    }
    Ok(())
}

/// Each secret in a transaction of its own: an interrupted run keeps what it has done, and a repeated one does the rest.
async fn reseal(settings: &GatewaySettings, cause: Cause) -> Result<(), Failure> {
    let db = settings.db()?;
    let keys = settings.keys()?;
    let (mut moved, mut faults) = (0, Vec::new());
    for kept in gateways::kept(&db).await? {
        match reseal_one(&db, &kept, &keys, cause).await {
            Ok(true) => moved += 1,
            Ok(false) => {}
            Err(reason) => faults.push(fault(&kept, &reason)),
        }
    }
    for kept in endpoints::secrets(&db).await? {
        match reseal_endpoint(&db, &kept, &keys, cause).await {
            Ok(is_moved) => moved += i32::from(is_moved),
            Err(reason) => faults.push(endpoint_fault(&kept, &reason)),
        }
    }
    say(format_args!("{moved} moved to the current keys"));
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n").into()) }
}

/// False if the secret is under the current key already, or was set anew meanwhile, which also used the current key.
async fn reseal_one(
    db: &shared::db::Db,
    kept: &StoredSecret,
    keys: &Keys,
    cause: Cause,
) -> Result<bool, Failure> {
    let opened = open(kept, keys)?;
    let (place, keys) = place(kept, keys)?;
    let resealed = current(keys)?.seal(&place, opened.expose_secret())?;
    if resealed.key_id == kept.key_id {
        return Ok(false);
    }
    let mut tx = db.begin().await?;
    let moved = gateways::reseal(&mut tx, kept, &resealed, cause).await?;
    tx.commit().await?;
    Ok(moved)
}

/// Returns where a secret is stored, and the keys that may have sealed it.
fn place<'a>(kept: &StoredSecret, keys: &'a Keys) -> Result<(String, &'a [SealKey]), Failure> {
    let gateway: Gateway = kept.gateway.parse()?;
    Ok(match kept.slot() {
        Some(slot) => (seal::notification_place(kept.organisation_id, gateway, slot), &keys.notifications),
        None => (seal::credentials_place(kept.organisation_id, gateway), &keys.credentials),
    })
}

fn open(kept: &StoredSecret, keys: &Keys) -> Result<SecretSlice<u8>, Failure> {
    let (place, keys) = place(kept, keys)?;
    let sealed = Sealed { key_id: kept.key_id.clone(), bytes: kept.sealed.clone() };
    Ok(seal::open(keys, &place, &sealed)?)
}

fn open_endpoint(kept: &EndpointSecret, keys: &Keys) -> Result<SecretSlice<u8>, Failure> {
    Ok(seal::open(&keys.credentials, &seal::endpoint_place(kept.endpoint_id), &kept.sealed)?)
}

/// As [`reseal_one`], of a secret that signs events.
async fn reseal_endpoint(
    db: &shared::db::Db,
    kept: &EndpointSecret,
    keys: &Keys,
    cause: Cause,
) -> Result<bool, Failure> {
    let opened = open_endpoint(kept, keys)?;
    let place = seal::endpoint_place(kept.endpoint_id);
    let resealed = current(&keys.credentials)?.seal(&place, opened.expose_secret())?;
    if resealed.key_id == kept.sealed.key_id {
        return Ok(false);
    }
    let mut tx = db.begin().await?;
    let moved = endpoints::reseal(&mut tx, kept, &resealed, cause).await?;
    tx.commit().await?;
    Ok(moved)
}

fn endpoint_fault(kept: &EndpointSecret, reason: &Failure) -> String {
    format!("endpoint {} {}: {reason}", kept.endpoint_id, kept.slot)
}
