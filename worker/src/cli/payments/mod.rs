//! `payments`: shows payments, lists those and the notifications that need an operator, and does what an operator decides.

mod act;
mod compare;
mod show;

use clap::Subcommand;
use shared::command_line::say;
use store::money::attention;
use store::plumbing::audit::Cause;

use super::operator::Operator;
use super::table::{self, moment};
use super::{DatabaseArgs, Failure};

#[derive(Subcommand)]
pub enum PaymentsCommand {
    /// List payments bought twice, disputed or refused by the platform, and notifications that contradict their transaction
    List {
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Show the status and the whole history of carts: attempts, notifications, ledger, refunds, access and mails
    Show(show::ShowArgs),
    /// Query the provider for a payment's status
    Check(Box<act::CheckArgs>),
    /// Show why a notification was parked, and with --yes --reason '…' apply it
    Apply(Box<act::ApplyArgs>),
    /// Refund a paid cart; some of its lines (--line); less than all of them (--line and --amount); or an amount that ends no
    /// access (--keep-access and --amount)
    Refund(Box<act::RefundArgs>),
    /// Restore the access of a paid cart: after a refund that failed, or where an upgrade lost what it upgraded
    Restore(Box<act::RestoreArgs>),
    /// Compare the payment page at PUBLIC_BASE_URL with what the api sends: headers and scripts, for the newest unpaid order of each
    /// gateway. Changes nothing, and fails if something between the two has changed the page
    ComparePage(Box<compare::ComparePageArgs>),
    /// Close alerts that you have handled. Changes no payment
    Close {
        /// Ids from `list`
        #[arg(required = true)]
        ids: Vec<String>,
        /// Reason, such as what you did about them
        #[arg(long)]
        reason: String,
        #[command(flatten)]
        operator: Operator,
        #[command(flatten)]
        database: DatabaseArgs,
    },
}

pub async fn run(command: PaymentsCommand) -> Result<(), Failure> {
    match command {
        PaymentsCommand::List { json, database } => list(&database, json).await,
        PaymentsCommand::Show(args) => show::run(&args).await,
        PaymentsCommand::Check(args) => act::check(&args).await,
        PaymentsCommand::Apply(args) => act::apply(&args).await,
        PaymentsCommand::Refund(args) => act::refund(&args).await,
        PaymentsCommand::Restore(args) => act::restore(&args).await,
        PaymentsCommand::ComparePage(args) => compare::run(&args).await,
        PaymentsCommand::Close { ids, reason, operator, database } => {
            close(&database, &ids, &reason, operator.cause()).await
        }
    }
}

/// Cases that are listed, the oldest.
const MOST: i64 = 1_000;

async fn list(database: &DatabaseArgs, json: bool) -> Result<(), Failure> {
    let db = database.pool("payments")?;
    let mut cases = attention::list(&db, MOST + 1).await?;
    if cases.len() > usize::try_from(MOST).unwrap_or(usize::MAX) {
        cases.pop();
        eprintln!(
            "there are more than {MOST}, and the oldest {MOST} are listed; `payments close` those that you have handled"
        );
    }
    if json {
        say(serde_json::to_string_pretty(&cases)?);
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

async fn close(database: &DatabaseArgs, ids: &[String], reason: &str, cause: Cause) -> Result<(), Failure> {
    let db = database.pool("payments")?;
    let mut tx = db.begin().await?;
    for id in ids {
        let unreadable = || format!("{id:?} is not an id from `payments list`; nothing was closed");
        let closed = match id.strip_prefix("event-") {
            Some(number) => {
                let id = number.parse().map_err(|_| unreadable())?;
                attention::close_notification(&mut tx, id, reason, cause).await?
            }
            None => {
                let transaction = id.parse().map_err(|_| unreadable())?;
                attention::close_alert(&mut tx, transaction, reason, cause).await?
            }
        };
        if !closed {
            return Err(format!("{id} has no open alert; nothing was closed").into());
        }
    }
    tx.commit().await?;
    say(format_args!("{} closed", ids.len()));
    Ok(())
}
