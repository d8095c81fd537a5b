//! `move-in`: takes over what another shop has sold.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value, json};
use shared::command_line::say;
use shared::db::Db;
use shared::gateway::Gateway;
use shared::ids::OrganisationId;
use store::money::gateways;
use store::move_in::{Run, SECTIONS, Section, Session};

use super::operator::Operator;
use super::{DatabaseArgs, Failure, organisation};
use crate::move_in::{self, ExportError, Rows, csv_files};

/// Rows of a section that the report shows; `--json` has all of them.
const SHOWN: usize = 100;

#[derive(Subcommand)]
pub enum MoveInCommand {
    /// Print the statements that the client of a database is given, `mysql` or `mariadb`; they change nothing
    Statements {
        /// The database that is read
        #[arg(value_enum)]
        of: Source,
    },
    /// Take over the orders, people and codes of a site of edX's ecommerce. Without --apply it writes nothing, and reports what it would do
    Ecommerce(Box<EcommerceArgs>),
    /// Take over the orders and codes of any other shop from CSV files, as `ecommerce` does
    Csv(Box<CsvArgs>),
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Source {
    /// Ecommerce's own
    Shop,
    /// The course platform's: who has which account and enrollment
    Platform,
}

#[derive(Args)]
pub struct EcommerceArgs {
    /// What the clients printed, in any order; `-` is the standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    how: MoveInArgs,
}

#[derive(Args)]
pub struct CsvArgs {
    /// What the client of the course platform's database printed; `-` is the standard input
    platform: Vec<PathBuf>,
    /// The file of the orders
    #[arg(long)]
    orders: PathBuf,
    /// The file of the codes that still have uses
    #[arg(long)]
    codes_file: Option<PathBuf>,
    #[command(flatten)]
    how: MoveInArgs,
}

#[derive(Args)]
struct MoveInArgs {
    /// The domain of the site
    #[arg(long)]
    site: String,
    /// The short name of the organisation that continues it
    #[arg(long)]
    organisation: String,
    /// Write the orders and their people
    #[arg(long)]
    apply: bool,
    /// A gateway whose account here is the one with which the old shop has charged: what it has charged can be refunded here. Repeatable
    #[arg(long = "same-account", value_name = "GATEWAY")]
    same_accounts: Vec<Gateway>,
    /// Write the codes that still have uses, too: from this moment on they are used here
    #[arg(long, requires = "apply")]
    codes: bool,
    /// Write the other orders although some cannot be moved in
    #[arg(long, requires = "apply")]
    leave_out: bool,
    /// A new file for the courses that the catalog lacks and for the prices of programs, in the format of `catalog import`
    #[arg(long)]
    catalog: Option<PathBuf>,
    /// Print the report as JSON, one row a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    operator: Operator,
    #[command(flatten)]
    database: DatabaseArgs,
}

pub async fn run(command: MoveInCommand) -> Result<(), Failure> {
    match command {
        MoveInCommand::Statements { of: Source::Shop } => say(move_in::SHOP.trim_end()),
        MoveInCommand::Statements { of: Source::Platform } => say(move_in::PLATFORM.trim_end()),
        MoveInCommand::Ecommerce(args) => {
            let EcommerceArgs { files, how } = *args;
            return take_over(how, move |rows| move_in::read(&files, false, rows)).await;
        }
        MoveInCommand::Csv(args) => {
            let CsvArgs { platform, orders, codes_file, how } = *args;
            let site = how.site.clone();
            let read = move |rows: &mut Rows<'_>| {
                csv_files::read(&site, &orders, codes_file.as_deref(), rows)?;
                move_in::read(&platform, true, rows)
            };
            return take_over(how, read).await;
        }
    }
    Ok(())
}

/// Takes over the rows of a reader.
async fn take_over(
    args: MoveInArgs,
    read: impl FnOnce(&mut Rows<'_>) -> Result<(), ExportError> + Send + 'static,
) -> Result<(), Failure> {
    let db = args.database.pool("move-in")?;
    let organisation_id = organisation(&db, &args.organisation).await?;
    let cause = args.operator.cause();
    let actor = cause.actor.to_string();
    let same_accounts = args.same_accounts.as_slice();
    check_accounts(&db, organisation_id, same_accounts).await?;
    let run = Run { organisation_id, site: &args.site, actor: &actor, same_accounts, now: cause.now };
    let mut session = Session::open(&db).await?;
    stage(&mut session, read).await?;
    session.decide(&run).await?;
    if let Some(file) = &args.catalog {
        write_catalog(&mut session, file).await?;
    }
    for section in SECTIONS {
        print(&mut session, section, args.json).await?;
    }
    let orders = session.to_do().await?;
    if !args.apply {
        eprintln!("nothing was written; {orders} orders are new or have news");
        return Ok(());
    }
    check(&mut session, args.leave_out).await?;
    let mut conn = db.acquire().await?;
    for gateway in same_accounts {
        let detail = json!({ "gateway": gateway, "site": args.site });
        gateways::record(&mut conn, organisation_id, "same_account", detail, cause).await?;
    }
    drop(conn);
    apply(&mut session, orders, args.codes).await
}

/// Checks that the organisation has the accounts that refunds need.
async fn check_accounts(db: &Db, organisation: OrganisationId, accounts: &[Gateway]) -> Result<(), Failure> {
    for gateway in accounts {
        if gateways::credentials(db, organisation, *gateway).await?.is_none() {
            return Err(format!(
                "nothing was written: the organisation has no account at {gateway}, which --same-account names"
            )
            .into());
        }
    }
    Ok(())
}

/// Checks that what is written would be whole.
async fn check(session: &mut Session, leave_out: bool) -> Result<(), Failure> {
    if !session.has_platform().await? {
        return Err("nothing was written: the files say nothing of the course platform's accounts, without which nobody knows who is \
                    retired; add what `move-in statements platform` prints there"
            .into());
    }
    let left_out = session.left_out().await?;
    if left_out > 0 && !leave_out {
        return Err(format!(
            "nothing was written: {left_out} orders cannot be moved in, as the report says; remove the reasons, or give --leave-out"
        )
        .into());
    }
    Ok(())
}

async fn apply(session: &mut Session, orders: i64, with_codes: bool) -> Result<(), Failure> {
    let progress = ProgressBar::new(orders.unsigned_abs());
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} orders {elapsed}") {
        progress.set_style(style);
    }
    session.write(|done| progress.set_position(done.unsigned_abs())).await?;
    progress.finish_and_clear();
    session.compare().await?;
    eprintln!("{orders} orders were written; their totals by year and currency agree with the former shop's");
    if with_codes {
        let codes = session.write_codes().await?;
        eprintln!("{codes} codes were written");
    }
    Ok(())
}

/// Reads rows and copies them at the same time.
async fn stage(
    session: &mut Session,
    read: impl FnOnce(&mut Rows<'_>) -> Result<(), ExportError> + Send + 'static,
) -> Result<(), Failure> {
    let (sender, mut receiver) = tokio::sync::mpsc::channel(8);
    let tables = session.tables().await?;
    let reader = tokio::task::spawn_blocking(move || {
        let mut rows = Rows::new(&sender, tables);
        read(&mut rows)?;
        rows.finish()
    });
    let staged = session.stage(async || receiver.recv().await).await;
    drop(receiver);
    // A fault of the database ends the reader, too; of both, the former is the reason.
    let read = reader.await?;
    if !matches!(read, Err(ExportError::Stopped)) {
        read?;
    }
    Ok(staged?)
}

async fn write_catalog(session: &mut Session, path: &Path) -> Result<(), Failure> {
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    let mut file = file.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => format!("{} exists already", path.display()),
        _ => format!("{}: {error}", path.display()),
    })?;
    let records = session.catalog().await?;
    for record in &records {
        writeln!(file, "{record}")?;
    }
    eprintln!("{} courses and programs are in {}", records.len(), path.display());
    Ok(())
}

async fn print(session: &mut Session, section: &'static Section, as_json: bool) -> Result<(), Failure> {
    if as_json {
        let print = |row: Vec<String>| {
            let mut object = Map::from_iter([("section".to_owned(), json!(section.name))]);
            let cells = section.heading.iter().zip(row);
            object.extend(cells.map(|(name, cell)| ((*name).to_owned(), Value::from(cell))));
            say(Value::Object(object));
        };
        return Ok(session.report(section, print).await?);
    }
    let (mut shown, mut more) = (Vec::new(), 0);
    let keep = |row| match shown.len() < SHOWN {
        true => shown.push(row),
        false => more += 1,
    };
    session.report(section, keep).await?;
    super::table::print_rows(section.name, section.heading, shown);
    if more > 0 {
        say(format_args!("and {more} more; --json prints all"));
    }
    Ok(())
}
