//! `enrollments show`: prints the whole enrollment history of one email address.

use clap::{Args, Subcommand};
use shared::command_line::say;
use shared::email::Email;
use shared::ids::EnrollmentId;
use store::access::history::{self, History};

use super::table::{self, moment, optional};
use super::{DatabaseArgs, Failure};

#[derive(Subcommand)]
pub enum EnrollmentsCommand {
    /// Show each enrollment of an email address, its grants, and who changed what
    Show(ShowArgs),
}

#[derive(Args)]
pub struct ShowArgs {
    /// The learner's email address
    #[arg(value_parser = |text: &str| Email::parse(text).map_err(|error| error.to_string()))]
    email: Email,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    database: DatabaseArgs,
}

pub async fn run(command: EnrollmentsCommand) -> Result<(), Failure> {
    let EnrollmentsCommand::Show(args) = command;
    let db = args.database.pool("enrollments")?;
    let history = history::of_address(&db, &args.email).await?;
    if args.json {
        say(serde_json::to_string_pretty(&history)?);
    } else {
        print(history);
    }
    Ok(())
}

fn print(history: History) {
    let course_of = |id| {
        let found = history.enrollments.iter().find(|enrollment| enrollment.id == id);
        found.map(|enrollment| enrollment.course.clone()).unwrap_or_default()
    };
    let enrollments = history.enrollments.iter().map(|e| {
        let account = e.username.clone().unwrap_or_default();
        let reason = e.platform_reason.clone().unwrap_or_default();
        let (state, mode, platform) = (e.state.clone(), e.mode.clone(), e.platform_state.clone());
        [e.course.clone(), state, mode, account, platform, reason, moment(e.updated_at)]
    });
    let heading = ["course", "state", "mode", "account", "platform", "reason", "since"];
    table::print("Enrollments", heading, enrollments.collect());
    let grants = history.grants.iter().map(|g| {
        let source = g.cart_id.map_or_else(|| g.source.clone(), |cart| format!("{} {cart}", g.source));
        let ended = g.ended_reason.clone().unwrap_or_default();
        [
            course_of(g.enrollment_id),
            source,
            g.mode.clone(),
            moment(g.granted_at),
            optional(g.ended_at),
            ended,
        ]
    });
    table::print("Grants", ["course", "source", "mode", "granted", "ended", "why"], grants.collect());
    let changes = history.changes.iter().map(|c| {
        let from = c.from_state.clone().unwrap_or_default();
        let (actor, to, command) = (c.actor.clone(), c.to_state.clone(), c.command_id.to_string());
        [
            moment(c.at),
            course_of(EnrollmentId(c.enrollment_id)),
            actor,
            from,
            to,
            c.detail.to_string(),
            command,
        ]
    });
    let heading = ["at", "course", "by", "from", "to", "detail", "command"];
    table::print("Changes", heading, changes.collect());
}
