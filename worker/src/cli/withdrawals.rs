//! `withdrawals`: lists declarations of withdrawal that wait for a person, and refuses one. Those of unknown orders belong to no
//! organisation, so that only an operator can close them.

use clap::{Args, Subcommand};
use shared::command_line::say;
use store::money::withdrawals;
use uuid::Uuid;

use super::operator::Operator;
use super::table::{self, moment};
use super::{DatabaseArgs, Failure};
use crate::withdrawal::refusal;

/// The longest reason, in characters.
const REASON: usize = 200;

#[derive(Subcommand)]
pub enum WithdrawalsCommand {
    /// List withdrawals that wait for a person, with names and addresses
    List {
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Refuse a withdrawal. The buyer of its order gets a mail with the reason; for an unmatched one no mail goes out
    Refuse(RefuseArgs),
}

#[derive(Args)]
pub struct RefuseArgs {
    /// Id from `list`
    id: Uuid,
    /// Reason, at most 200 characters, which the buyer sees
    #[arg(long, value_parser = parse_reason)]
    reason: String,
    #[command(flatten)]
    operator: Operator,
    #[command(flatten)]
    database: DatabaseArgs,
}

fn parse_reason(text: &str) -> Result<String, String> {
    let text = text.trim();
    match text.chars().count() {
        1..=REASON if !text.contains(char::is_control) => Ok(text.to_owned()),
        _ => Err(format!("must have 1 to {REASON} characters on one line")),
    }
}

pub async fn run(command: WithdrawalsCommand) -> Result<(), Failure> {
    match command {
        WithdrawalsCommand::List { json, database } => list(&database, json).await,
        WithdrawalsCommand::Refuse(args) => refuse(&args).await,
    }
}

async fn list(database: &DatabaseArgs, json: bool) -> Result<(), Failure> {
    let waiting = withdrawals::waiting(&database.pool("withdrawals")?).await?;
    if json {
        say(serde_json::to_string_pretty(&waiting)?);
        return Ok(());
    }
    let rows = waiting.into_iter().map(|one| {
        let organisation = one.organisation.unwrap_or_default();
        [one.id.to_string(), organisation, one.order, one.email, moment(one.declared_at), one.reason]
    });
    let heading = ["id", "organisation", "order", "email", "declared", "reason"];
    table::print("Withdrawals that wait for a person", heading, rows.collect());
    Ok(())
}

async fn refuse(args: &RefuseArgs) -> Result<(), Failure> {
    let db = args.database.pool("withdrawals")?;
    let found = withdrawals::find(&db, args.id).await?;
    let withdrawal = found.ok_or_else(|| format!("no withdrawal {}", args.id))?;
    if !withdrawal.state.is_open() {
        return Err(format!("the withdrawal is {} already", withdrawal.state).into());
    }
    let mut tx = db.begin().await?;
    refusal::refuse(&mut tx, &withdrawal, &args.reason, args.operator.cause()).await?;
    tx.commit().await?;
    say("refused");
    Ok(())
}
