//! `vat-exchange-rates`: the rates at which an organisation states its VAT in the currency of its state.

use chrono::{NaiveDate, TimeDelta};
use clap::{Args, Subcommand};
use rust_decimal::Decimal;
use shared::command_line::say;
use shared::db::Db;
use shared::money::Currency;
use store::money::document_chain;
use store::money::vat_exchange_rates::{self, NewRate};
use store::plumbing::audit::Cause;

use super::operator::Operator;
use super::table::{self, moment};
use super::{DatabaseArgs, Failure, organisation};

#[derive(Subcommand)]
pub enum VatExchangeRatesCommand {
    /// Set the rate of a day, and issue the invoices that wait for one. Documents that were issued keep theirs
    Set {
        #[command(flatten)]
        rate: RateArgs,
        #[command(flatten)]
        operator: Operator,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// List the newest rates of an organisation
    List {
        /// The organisation's short name
        organisation: String,
        /// Most rates to list
        #[arg(long, default_value_t = 100)]
        limit: u32,
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        database: DatabaseArgs,
    },
}

#[derive(Args)]
pub struct RateArgs {
    /// The organisation's short name
    organisation: String,
    /// The day of the rate, such as 2026-11-27
    day: NaiveDate,
    /// The currency of the prices
    base: Currency,
    /// The currency of the seller's state
    quote: Currency,
    /// Units of the second currency for one of the first
    #[arg(value_parser = parse_rate)]
    rate: Decimal,
    /// Publisher of the rate, such as ECB; documents print it
    #[arg(long, value_parser = parse_source)]
    source: String,
}

/// The longest name of a publisher.
const LONGEST_SOURCE: usize = 100;

fn parse_rate(text: &str) -> Result<Decimal, String> {
    let rate: Decimal = text.parse().map_err(|_| "is not a decimal number".to_owned())?;
    let fits = rate > Decimal::ZERO && rate < Decimal::from(10_i64.pow(10)) && rate.normalize().scale() <= 10;
    if fits { Ok(rate) } else { Err("is not positive with ten digits either side".to_owned()) }
}

fn parse_source(text: &str) -> Result<String, String> {
    let text = text.trim();
    let fits = (1..=LONGEST_SOURCE).contains(&text.chars().count()) && !text.contains(char::is_control);
    if fits { Ok(text.to_owned()) } else { Err(format!("is not 1 to {LONGEST_SOURCE} visible characters")) }
}

pub async fn run(command: VatExchangeRatesCommand) -> Result<(), Failure> {
    match command {
        VatExchangeRatesCommand::Set { rate, operator, database } => {
            set(&database.pool("vat-exchange-rates")?, &rate, operator.cause()).await
        }
        VatExchangeRatesCommand::List { organisation, limit, json, database } => {
            list(&database.pool("vat-exchange-rates")?, &organisation, limit, json).await
        }
    }
}

async fn set(db: &Db, args: &RateArgs, cause: Cause) -> Result<(), Failure> {
    let RateArgs { day, base, quote, rate, source, .. } = args;
    for currency in [base, quote] {
        currency.check().map_err(|error| format!("{currency} {error}"))?;
    }
    if base == quote {
        return Err(format!("{base} needs no rate to itself").into());
    }
    if *day > (cause.now + TimeDelta::days(1)).date_naive() {
        return Err(format!("{day} is in the future").into());
    }
    let organisation = organisation(db, &args.organisation).await?;
    let stated = document_chain::seller(db, organisation).await?.and_then(|seller| seller.vat_currency);
    if stated != Some(*quote) {
        let stated = stated.map_or("no other currency".to_owned(), |stated| stated.to_string());
        return Err(format!("{} states its VAT in {stated}, not in {quote}", args.organisation).into());
    }
    let new = NewRate { base: *base, quote: *quote, day: *day, rate: *rate, source };
    let mut tx = db.begin().await?;
    vat_exchange_rates::set(&mut tx, organisation, &new, cause).await?;
    tx.commit().await?;
    say(format_args!("1 {base} is {rate} {quote} on {day}, by {source}"));
    Ok(())
}

async fn list(db: &Db, short_name: &str, limit: u32, json: bool) -> Result<(), Failure> {
    let rates = vat_exchange_rates::list(db, organisation(db, short_name).await?, limit.into()).await?;
    if json {
        say(serde_json::to_string_pretty(&rates)?);
        return Ok(());
    }
    let rows = rates.into_iter().map(|one| {
        let pair = format!("{}/{}", one.base, one.quote);
        [
            one.day.to_string(),
            pair,
            one.rate.normalize().to_string(),
            one.source,
            moment(one.set_at),
            one.set_by,
        ]
    });
    table::print("Exchange rates", ["day", "pair", "rate", "source", "set", "by"], rows.collect());
    Ok(())
}
