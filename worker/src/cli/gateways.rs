//! `gateways`: manages organisations' accounts with payment providers. Reads secrets from standard input, and never
//! prints them.

use std::io::Read as _;

use clap::{Args, Subcommand};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use shared::clock::Clock;
use shared::gateway::Gateway;
use shared::seal::{self, SealKey, Sealed};
use shared::settings::DatabaseSettings;

use super::Failure;
use super::table::{self, moment, optional};
use crate::gateways::Credentials;
use crate::store::gateways::{self, StoredEvent};
use crate::store::organisations;

#[derive(Subcommand)]
pub enum GatewaysCommand {
    /// Store an organisation's account, read from standard input as JSON: secret_key, public_key (if the gateway has one),
    /// notification_secret, and during a rotation previous_notification_secret
    Set {
        /// The organisation's short name
        organisation: String,
        /// The payment provider
        gateway: Gateway,
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
}

#[derive(Args)]
pub struct GatewaySettings {
    #[command(flatten)]
    database: DatabaseSettings,
    /// Keys that seal the credentials: 64 hexadecimal digits each, comma-separated, the current one first. The api must
    /// not have them
    #[arg(long, env, hide_env_values = true, default_value = "")]
    gateway_keys: SecretString,
    /// Keys that seal the notification secrets, in the same form. The api has the same ones
    #[arg(long, env, hide_env_values = true, default_value = "")]
    notification_keys: SecretString,
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
        GatewaysCommand::Set { organisation, gateway, settings } => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text)?;
            set(&organisation, gateway, &settings, &text).await
        }
        GatewaysCommand::Show { json, settings } => {
            let db = settings.db()?;
            show(gateways::kept(&db).await?, json)
        }
        GatewaysCommand::Check(settings) => check(&settings).await,
    }
}

impl GatewaySettings {
    fn db(&self) -> Result<sqlx::PgPool, Failure> {
        Ok(shared::db::pool(&self.database, "storefront-worker gateways")?)
    }

    fn keys(&self, notifications: bool) -> Result<Vec<SealKey>, Failure> {
        let (name, keys) = match notifications {
            true => ("NOTIFICATION_KEYS", &self.notification_keys),
            false => ("GATEWAY_KEYS", &self.gateway_keys),
        };
        let keys = seal::parse_keys(keys).map_err(|error| format!("{name}: {error}"))?;
        if keys.is_empty() { Err(format!("{name}: is empty").into()) } else { Ok(keys) }
    }

    /// The key that seals new secrets.
    fn current_key(&self, notifications: bool) -> Result<SealKey, Failure> {
        self.keys(notifications)?.into_iter().next().ok_or_else(|| "no key".into())
    }
}

async fn set(
    organisation: &str,
    gateway: Gateway,
    settings: &GatewaySettings,
    text: &str,
) -> Result<(), Failure> {
    // serde's error could quote a part of the secret.
    let account: GatewayAccount =
        serde_json::from_str(text).map_err(|_| "standard input is not a JSON object")?;
    let credentials = serde_json::to_string(&account.credentials)?;
    Credentials::parse(gateway, &credentials).map_err(|error| format!("the credentials {error}"))?;
    let db = settings.db()?;
    let id = organisations::id(&db, organisation).await?;
    let id = id.ok_or_else(|| format!("no organisation {organisation}"))?;
    let (own, notifications) = (settings.current_key(false)?, settings.current_key(true)?);
    let now = Clock::default().now();
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
    tx.commit().await?;
    println!("{gateway} is set for {organisation}");
    Ok(())
}

fn show(kept: Vec<StoredEvent>, json: bool) -> Result<(), Failure> {
    if json {
        println!("{}", serde_json::to_string_pretty(&kept)?);
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
    let (own, notifications) = (settings.keys(false)?, settings.keys(true)?);
    let mut faults = Vec::new();
    for kept in gateways::kept(&db).await? {
        if let Err(reason) = check_one(&kept, &own, &notifications) {
            faults.push(format!("{} {} {}: {reason}", kept.organisation, kept.gateway, kept.what));
        }
    }
    if faults.is_empty() {
        println!("everything can be opened");
        return Ok(());
    }
    Err(faults.join("\n").into())
}

fn check_one(kept: &StoredEvent, own: &[SealKey], notifications: &[SealKey]) -> Result<(), Failure> {
    let gateway: Gateway = kept.gateway.parse()?;
    let sealed = Sealed { key_id: kept.key_id.clone(), bytes: kept.sealed.clone() };
    match kept.what.strip_prefix("notifications, ") {
        Some(slot) => {
            let place = seal::notification_place(kept.organisation_id, gateway, slot);
            seal::open(notifications, &place, &sealed)?;
        }
        None => {
            let place = seal::credentials_place(kept.organisation_id, gateway);
            let opened = seal::open(own, &place, &sealed)?;
            let text = std::str::from_utf8(opened.expose_secret()).map_err(|_| "is not UTF-8")?;
            Credentials::parse(gateway, text)?;
        }
    }
    Ok(())
}
