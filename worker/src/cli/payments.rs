//! `payments`: lists the payments and events that need an operator, and closes those that one has handled.

use clap::Subcommand;
use shared::clock::Clock;
use shared::settings::DatabaseSettings;
use uuid::Uuid;

use super::Failure;
use super::table::{self, moment};
use crate::store::audit::{Actor, Cause};
use crate::store::{attention, upgrades};

#[derive(Subcommand)]
pub enum PaymentsCommand {
    /// List payments bought twice, disputed or refused by the platform, and events that contradict their transaction
    List {
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        database: DatabaseSettings,
    },
    /// Close alerts that you have handled. Changes no payment
    Close {
        /// Ids from `list`
        #[arg(required = true)]
        ids: Vec<String>,
        #[command(flatten)]
        database: DatabaseSettings,
    },
    /// Grant a paid cart that waits, because what it was an upgrade of has ended
    Restore {
        /// The cart's id from `list`
        cart: Uuid,
        #[command(flatten)]
        database: DatabaseSettings,
    },
}

pub async fn run(command: PaymentsCommand) -> Result<(), Failure> {
    match command {
        PaymentsCommand::List { json, database } => list(&database, json).await,
        PaymentsCommand::Close { ids, database } => close(&database, &ids).await,
        PaymentsCommand::Restore { cart, database } => restore(&database, cart).await,
    }
}

async fn list(database: &DatabaseSettings, json: bool) -> Result<(), Failure> {
    let db = shared::db::pool(database, "storefront-worker payments")?;
    let cases = attention::list(&db).await?;
    if json {
        println!("{}", serde_json::to_string_pretty(&cases)?);
        return Ok(());
    }
    let rows = cases.into_iter().map(|case| {
        let cart = case.cart_id.map(|cart| cart.to_string()).unwrap_or_default();
        let seller = format!("{} {}", case.organisation, case.gateway);
        [
            case.id,
            seller,
            case.reference.unwrap_or_default(),
            cart,
            case.state,
            case.reason,
            moment(case.since),
        ]
    });
    let heading = ["id", "seller", "reference", "cart", "state", "reason", "since"];
    table::print("Payments that need an operator", heading, rows.collect());
    Ok(())
}

async fn close(database: &DatabaseSettings, ids: &[String]) -> Result<(), Failure> {
    let db = shared::db::pool(database, "storefront-worker payments")?;
    let mut tx = db.begin().await?;
    let now = Clock::default().now();
    let cause = Cause { actor: Actor::Operator, command_id: Uuid::now_v7(), now };
    for id in ids {
        let closed = match id.strip_prefix("event-") {
            Some(event) => attention::close_event(&mut tx, event.parse()?, now).await?,
            None => attention::close_alarm(&mut tx, id.parse()?, cause).await?,
        };
        if !closed {
            return Err(format!("{id} has no open alert; nothing was closed").into());
        }
    }
    tx.commit().await?;
    println!("{} closed", ids.len());
    Ok(())
}

async fn restore(database: &DatabaseSettings, cart: Uuid) -> Result<(), Failure> {
    let db = shared::db::pool(database, "storefront-worker payments")?;
    let mut tx = db.begin().await?;
    let now = Clock::default().now();
    let cause = Cause { actor: Actor::Operator, command_id: Uuid::now_v7(), now };
    if !upgrades::restore(&mut tx, cart, cause).await? {
        return Err(format!("cart {cart} does not wait to be granted; nothing was changed").into());
    }
    tx.commit().await?;
    println!("the worker grants cart {cart} now; close its alert once you have seen the access");
    Ok(())
}
