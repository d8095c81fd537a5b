//! `staff`: lists and changes who works at an organisation's support desk, and in which roles.

use clap::{Args, Subcommand};
use shared::command_line::say;
use shared::db::Db;
use shared::settings::RedisSettings;
use shared::staff::Role;
use store::people::staff::{self, Added};
use store::plumbing::audit::Cause;

use super::members::{self, Who};
use super::operator::Operator;
use super::table::{self, moment};
use super::{DatabaseArgs, Failure, organisation};
use crate::config::PlatformSettings;

#[derive(Subcommand)]
pub enum StaffCommand {
    /// Add a person to the staff of an organisation, or replace their roles; an email address not on record is looked up at
    /// the course platform
    Add(Box<AddArgs>),
    /// Remove a person from the staff; their next request is refused
    Remove {
        #[command(flatten)]
        who: Who,
        #[command(flatten)]
        operator: Operator,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// List the staff of an organisation
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

#[derive(Args)]
pub struct AddArgs {
    #[command(flatten)]
    who: Who,
    /// Roles, comma-separated: support (mails, addresses, enrollments, alerts), finance (refunds, reports), manager (vouchers,
    /// staff). Each may search and look
    #[arg(long, required = true, value_delimiter = ',', value_parser = parse_role)]
    role: Vec<Role>,
    #[command(flatten)]
    operator: Operator,
    #[command(flatten)]
    database: DatabaseArgs,
    #[command(flatten)]
    redis: RedisSettings,
    #[command(flatten)]
    platform: PlatformSettings,
}

fn parse_role(text: &str) -> Result<Role, String> {
    let names: Vec<&str> = Role::ALL.iter().map(|role| role.name()).collect();
    text.trim().parse().map_err(|_| format!("is none of {}", names.join(", ")))
}

pub async fn run(command: StaffCommand) -> Result<(), Failure> {
    match command {
        StaffCommand::Add(args) => add(*args).await,
        StaffCommand::Remove { who, operator, database } => remove(&who, operator.cause(), &database).await,
        StaffCommand::List { organisation, json, database } => list(&organisation, json, &database).await,
    }
}

async fn add(args: AddArgs) -> Result<(), Failure> {
    let AddArgs { who, role, operator, database, redis, platform } = args;
    let cause = operator.cause();
    let db = open(&database)?;
    let organisation = organisation(&db, &who.organisation).await?;
    let learner = members::learner(&db, &who.email, cause, &redis, &database.tls, &platform).await?;
    let mut tx = db.begin().await?;
    let added = staff::set(&mut tx, organisation, learner, &who.email, &role, cause).await?;
    tx.commit().await?;
    say(match added {
        Added::New => "added",
        Added::Changed => "the roles were replaced",
        Added::Same => "has these roles already",
    });
    Ok(())
}

async fn remove(who: &Who, cause: Cause, database: &DatabaseArgs) -> Result<(), Failure> {
    let db = open(database)?;
    let organisation = organisation(&db, &who.organisation).await?;
    let mut tx = db.begin().await?;
    let was_staff = match staff::member(&mut tx, organisation, &who.email).await? {
        Some((learner, _)) => staff::remove(&mut tx, organisation, learner, cause).await?,
        None => false,
    };
    tx.commit().await?;
    say(if was_staff { "removed" } else { "is not on the staff" });
    Ok(())
}

async fn list(short_name: &str, json: bool, database: &DatabaseArgs) -> Result<(), Failure> {
    let db = open(database)?;
    let staff = staff::list(&db, organisation(&db, short_name).await?).await?;
    if json {
        say(serde_json::to_string_pretty(&staff)?);
        return Ok(());
    }
    let rows = staff.into_iter().map(|person| {
        let (roles, added) = (person.roles.join(","), moment(person.added_at));
        [person.email, person.name, roles, person.user_id.to_string(), added]
    });
    table::print("Staff", ["email", "name", "roles", "user", "added"], rows.collect());
    Ok(())
}

fn open(database: &DatabaseArgs) -> Result<Db, Failure> {
    Ok(database.pool("staff")?)
}
