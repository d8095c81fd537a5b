//! `payments check`, `apply`, `refund` and `restore`: what an operator does with a payment.

use clap::Args;
use rust_decimal::Decimal;
use sha2::{Digest, Sha256};
use shared::clock::Clock;
use shared::command_line::say;
use shared::ids::{CartId, RefundId};
use shared::messages::{CheckPayment, Idempotency, Refusal};
use store::error::JobError;
use store::money::{inbox, timeline, transactions};
use uuid::Uuid;

use super::show;
use crate::cli::operator::Operator;
use crate::cli::{DatabaseArgs, Failure};
use crate::config::Config;
use crate::gateways;
use crate::jobs::{check_payment, refund_order};
use crate::payment::notifications;
use crate::provider_calls::ProviderCalls;
use crate::refund::request::{Request, Requester};
use crate::refund::restore;
use crate::runtime::context::Context;

#[derive(Args)]
pub struct CheckArgs {
    /// The cart's id
    cart: CartId,
    #[command(flatten)]
    config: Config,
}

#[derive(Args)]
pub struct ApplyArgs {
    /// The id of a parked notification from `list`
    #[arg(value_parser = notification_id)]
    notification: i64,
    /// Apply it. Without this, print the contradiction and change nothing
    #[arg(long, requires = "reason")]
    yes: bool,
    /// Reason why it is applied in spite of the contradiction
    #[arg(long)]
    reason: Option<String>,
    #[command(flatten)]
    operator: Operator,
    #[command(flatten)]
    config: Config,
}

#[derive(Args)]
pub struct RefundArgs {
    /// The cart's id
    cart: CartId,
    /// The position of a line to refund, from 0; repeat it for more. Without it, all lines
    #[arg(long = "line", group = "what")]
    lines: Vec<u32>,
    /// Refund this much, in major units, instead of all that is left; needs --line or --keep-access
    #[arg(long, requires = "what")]
    amount: Option<Decimal>,
    /// End no access: the amount is goodwill, allocated to all lines; needs --amount
    #[arg(long, requires = "amount", group = "what")]
    keep_access: bool,
    /// Refund although a dispute of the payment is open: the bank may give the buyer the same money back
    #[arg(long)]
    despite_dispute: bool,
    /// Reason for it
    #[arg(long, value_parser = refund_reason)]
    reason: String,
    /// A repeat with the same key finds the same refund. By default each call is another refund
    #[arg(long)]
    key: Option<String>,
    #[command(flatten)]
    operator: Operator,
    #[command(flatten)]
    config: Config,
}

#[derive(Args)]
pub struct RestoreArgs {
    /// The cart's id
    cart: CartId,
    /// Reason for it
    #[arg(long)]
    reason: String,
    #[command(flatten)]
    operator: Operator,
    #[command(flatten)]
    database: DatabaseArgs,
}

fn notification_id(text: &str) -> Result<i64, String> {
    let number = text.strip_prefix("event-").and_then(|number| number.parse().ok());
    number.ok_or_else(|| "is not a notification's id, such as event-12".to_owned())
}

/// As long as the refund's record allows.
fn refund_reason(text: &str) -> Result<String, String> {
    let is_short = text.chars().count() <= 200;
    if is_short { Ok(text.to_owned()) } else { Err("is longer than 200 characters".to_owned()) }
}

fn context(config: &Config) -> Result<Context, Failure> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Ok(Context::new(config, Clock::default())?)
}

pub async fn check(args: &CheckArgs) -> Result<(), Failure> {
    let ctx = context(&args.config)?;
    let found = transactions::of_cart(&ctx.db, args.cart).await?;
    let transaction = found.ok_or_else(|| format!("cart {} does not exist, or has no payment", args.cart))?;
    // The check passes over a refusal, which can be the next checkout's matter. An operator has asked for the answer.
    if transaction.reference.is_some() {
        ProviderCalls::in_background(&ctx).ask(&transaction).await.map_err(reason)??;
    }
    let transaction_id = transaction.id;
    check_payment::check(&ctx, &CheckPayment { transaction_id }, Uuid::now_v7()).await.map_err(reason)?;
    show::print_summary(&timeline::summary(&ctx.db, args.cart).await?);
    Ok(())
}

pub async fn apply(args: &ApplyArgs) -> Result<(), Failure> {
    let ctx = context(&args.config)?;
    let (notification, contradiction) = inbox::parked(&ctx.db, args.notification)
        .await?
        .ok_or_else(|| format!("event-{} is not parked, or is closed", args.notification))?;
    let (id, gateway, kind) = (args.notification, notification.gateway, &notification.kind);
    say(format_args!("event-{id} ({gateway}, {kind}) was parked: {contradiction}"));
    let Some(why) = args.reason.as_deref().filter(|_| args.yes) else {
        say("Nothing was changed. To apply it in spite of that: --yes --reason '…'");
        return Ok(());
    };
    let subject = gateways::interpret(gateway, kind, &notification.body);
    let (meaning, cause) = (subject.interpretation, args.operator.cause());
    let done = notifications::apply_parked(&ctx, id, &notification, meaning, why, cause).await;
    say(format_args!("applied to transaction {}", done.map_err(reason)?));
    Ok(())
}

pub async fn refund(args: &RefundArgs) -> Result<(), Failure> {
    let ctx = context(&args.config)?;
    let items = match (args.keep_access, args.lines.is_empty()) {
        (true, _) => Some(Vec::new()),
        (false, true) => None,
        (false, false) => Some(args.lines.clone()),
    };
    let request = format!("{} {items:?} {:?} {}", args.cart, args.amount, args.reason);
    let idempotency = Idempotency {
        scope: "operator".into(),
        key: args.key.clone().unwrap_or_else(|| Uuid::now_v7().to_string()),
        request_hash: Sha256::digest(request).to_vec(),
    };
    let request = Request {
        cart_id: args.cart,
        requester: Requester::Operator(args.operator.by),
        items: items.as_deref(),
        amount: args.amount,
        reason: Some(&args.reason),
        despite_dispute: args.despite_dispute,
        idempotency: &idempotency,
    };
    let answer = refund_order::refund(&ctx, &request, RefundId::generate()).await.map_err(reason)?;
    for line in answer.items.iter().filter(|_| !args.keep_access) {
        let access = if line.access_ended { "has ended" } else { "has not ended" };
        say(format_args!("line {}: {}; its access {access}", line.position, line.amount));
    }
    let status: &str = answer.status.into();
    say(format_args!(
        "refund {} of {}: {status}; {} can still be refunded",
        answer.refund_id, answer.amount, answer.remaining
    ));
    Ok(())
}

pub async fn restore(args: &RestoreArgs) -> Result<(), Failure> {
    let db = args.database.pool("payments")?;
    let mut tx = db.begin().await?;
    let restored = restore::restore(&mut tx, args.cart, &args.reason, args.operator.cause()).await;
    restored.map_err(reason)?;
    tx.commit().await?;
    say(format_args!("the access of cart {} is restored; the worker tells the course platform", args.cart));
    Ok(())
}

/// A job's failure with the fields that it names.
fn reason(error: JobError) -> Failure {
    match error {
        JobError::Reject { refusal: Refusal::InvalidRequest { errors }, .. } => {
            let faults = errors.iter().map(|fault| format!("{} {}", fault.field, fault.message));
            faults.collect::<Vec<_>>().join("; ").into()
        }
        JobError::Reject { refusal: Refusal::InProgress, .. } => {
            "the provider has not answered another refund of this payment yet".into()
        }
        error => error.to_string().into(),
    }
}
