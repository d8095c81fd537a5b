//! `books`: closes the months of an organisation's ledger, so that what is booked late counts to an open month.

use chrono::NaiveDate;
use clap::Subcommand;
use shared::command_line::say;
use shared::db::Db;
use store::money::books::{self, Closing};
use store::plumbing::audit::Cause;

use super::operator::Operator;
use super::table::{self, moment};
use super::{DatabaseArgs, Failure, organisation};

#[derive(Subcommand)]
pub enum BooksCommand {
    /// Close a month that is over, with all months before. It stays closed: reports by the day of receipt count later bookings to
    /// the month after
    Close {
        /// The organisation's short name
        organisation: String,
        /// The month, such as 2026-11, in the seller's time zone
        #[arg(value_parser = parse_month)]
        month: NaiveDate,
        #[command(flatten)]
        operator: Operator,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// List the closed months of an organisation
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

fn parse_month(text: &str) -> Result<NaiveDate, String> {
    format!("{text}-01").parse().map_err(|_| "is no month, such as 2026-11".to_owned())
}

pub async fn run(command: BooksCommand) -> Result<(), Failure> {
    match command {
        BooksCommand::Close { organisation, month, operator, database } => {
            close(&database.pool("books")?, &organisation, month, operator.cause()).await
        }
        BooksCommand::List { organisation, json, database } => {
            list(&database.pool("books")?, &organisation, json).await
        }
    }
}

async fn close(db: &Db, short_name: &str, month: NaiveDate, cause: Cause) -> Result<(), Failure> {
    let organisation = organisation(db, short_name).await?;
    let mut tx = db.begin().await?;
    let closing = books::close(&mut tx, organisation, month, cause).await?;
    tx.commit().await?;
    match closing {
        Closing::Closed => say(format_args!("{} is closed", named(month))),
        Closing::Before(last) => say(format_args!(
            "{} is closed since {}, by {}",
            named(last.month),
            moment(last.closed_at),
            last.closed_by
        )),
        Closing::NotOver(end) => {
            return Err(format!("{} ends at {}; close it then", named(month), moment(end)).into());
        }
    }
    Ok(())
}

async fn list(db: &Db, short_name: &str, json: bool) -> Result<(), Failure> {
    let months = books::list(db, organisation(db, short_name).await?).await?;
    if json {
        say(serde_json::to_string_pretty(&months)?);
        return Ok(());
    }
    let rows = months.into_iter().map(|one| [named(one.month), moment(one.closed_at), one.closed_by]);
    table::print("Closed months", ["month", "closed", "by"], rows.collect());
    Ok(())
}

fn named(month: NaiveDate) -> String {
    month.format("%Y-%m").to_string()
}
