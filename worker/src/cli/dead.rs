//! `dead`: lists, shows, replays and drops dead letters.

use clap::{Args, Subcommand};
use serde_json::json;
use shared::command_line::say;
use shared::queue::{DeadLetter, Fate, check_url, visit_dead};
use shared::settings::QueueSettings;
use shared::tls::TlsSettings;
use store::plumbing::audit::{self, Change, Entity};
use store::plumbing::dead_letters;
use uuid::Uuid;

use super::operator::Operator;
use super::table::{self, optional};
use super::{DatabaseArgs, Failure, QueueArgs};

/// Dead letters that one command reads, oldest first.
const LOOKED_AT: usize = 10_000;

#[derive(Subcommand)]
pub enum DeadCommand {
    /// List each dead letter with its queue and the reason
    List {
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
        /// Print the bodies too, which may hold personal data
        #[arg(long)]
        bodies: bool,
        #[command(flatten)]
        queue: QueueArgs,
    },
    /// Print one dead letter with its body, as JSON
    Show {
        /// Message id
        id: String,
        #[command(flatten)]
        queue: QueueArgs,
    },
    /// Send dead letters back to the queue where they failed, as new messages; commands stay, since their callers no longer
    /// wait
    Replay(Chosen),
    /// Delete dead letters for good
    Drop(Chosen),
}

#[derive(Args)]
pub struct Chosen {
    /// Message ids
    #[arg(required_unless_present = "all")]
    ids: Vec<String>,
    /// All dead letters
    #[arg(long, conflicts_with = "ids")]
    all: bool,
    #[command(flatten)]
    operator: Operator,
    #[command(flatten)]
    database: DatabaseArgs,
    #[command(flatten)]
    queue: QueueSettings,
}

pub async fn run(command: DeadCommand) -> Result<(), Failure> {
    match command {
        DeadCommand::List { json, bodies, queue } => list(&queue, json, bodies).await,
        DeadCommand::Show { id, queue } => {
            let letters = visit(&queue.settings, &queue.tls, |_| Fate::Keep).await?;
            let letter = letters.iter().map(|(letter, _)| letter).find(|letter| letter.id == id);
            let letter = letter.ok_or_else(|| format!("no dead letter {id}"))?;
            say(serde_json::to_string_pretty(letter)?);
            Ok(())
        }
        DeadCommand::Replay(chosen) => decide(&chosen, Fate::Replay, "replayed").await,
        DeadCommand::Drop(chosen) => decide(&chosen, Fate::Drop, "dropped").await,
    }
}

async fn visit(
    queue: &QueueSettings,
    tls: &TlsSettings,
    decide: impl FnMut(&DeadLetter) -> Fate,
) -> Result<Vec<(DeadLetter, Fate)>, Failure> {
    check_url(queue, tls)?;
    Ok(visit_dead(queue, tls, LOOKED_AT, decide).await?)
}

async fn list(queue: &QueueArgs, json: bool, bodies: bool) -> Result<(), Failure> {
    let letters = visit(&queue.settings, &queue.tls, |_| Fate::Keep).await?;
    let shown = |letter: DeadLetter| DeadLetter { body: letter.body.filter(|_| bodies), ..letter };
    let letters: Vec<DeadLetter> = letters.into_iter().map(|(letter, _)| shown(letter)).collect();
    if json {
        say(serde_json::to_string_pretty(&letters)?);
        return Ok(());
    }
    let letters = letters.into_iter();
    let row = |l: DeadLetter| ([l.id, l.kind, l.queue, optional(l.sent_at), l.reason], l.body);
    let (title, heading) = ("Dead letters", ["id", "type", "queue", "sent", "reason"]);
    if bodies {
        let row = |letter| {
            let ([id, kind, queue, sent, reason], body) = row(letter);
            [id, kind, queue, sent, reason, body.map_or_else(String::new, |body| body.to_string())]
        };
        let [id, kind, queue, sent, reason] = heading;
        table::print(title, [id, kind, queue, sent, reason, "body"], letters.map(row).collect());
    } else {
        table::print(title, heading, letters.map(|letter| row(letter).0).collect());
    }
    Ok(())
}

async fn decide(chosen: &Chosen, fate: Fate, done: &'static str) -> Result<(), Failure> {
    let db = chosen.database.pool("dead")?;
    // Before the queue changes: what cannot be put on record is not done, and what a failure interrupts is on record too.
    let cause = chosen.operator.cause();
    let messages = if chosen.all { json!("all") } else { json!(chosen.ids) };
    let detail = json!({ "asked": done, "messages": messages });
    let id = Uuid::nil();
    let asked = Change { entity: Entity::Message, id, from: None, to: "asked", detail };
    audit::record(&mut *db.acquire().await?, cause, asked).await?;
    let is_chosen = |letter: &DeadLetter| chosen.all || chosen.ids.contains(&letter.id);
    let is_left = |letter: &DeadLetter| fate == Fate::Replay && letter.is_command;
    let visited = visit(&chosen.queue, &chosen.database.tls, |letter| {
        if is_chosen(letter) && !is_left(letter) { fate } else { Fate::Keep }
    })
    .await?;
    let decided: Vec<&DeadLetter> =
        visited.iter().filter(|(_, decided)| *decided == fate).map(|(letter, _)| letter).collect();
    let mut tx = db.begin().await?;
    for letter in &decided {
        // The body can hold data on people, and so can the reason.
        let detail = json!({ "message": letter.id, "kind": letter.kind, "queue": letter.queue });
        let id = letter.id.parse().unwrap_or_default();
        let entry = Change { entity: Entity::Message, id, from: Some("dead"), to: done, detail };
        audit::record(&mut tx, cause, entry).await?;
    }
    let ids: Vec<Uuid> = decided.iter().filter_map(|letter| letter.id.parse().ok()).collect();
    dead_letters::remove(&mut tx, &ids).await?;
    tx.commit().await?;
    say(format_args!("{} {done}", decided.len()));
    let left: Vec<&String> = visited
        .iter()
        .map(|(letter, _)| letter)
        .filter(|letter| is_chosen(letter) && is_left(letter))
        .map(|letter| &letter.id)
        .collect();
    if !left.is_empty() {
        eprintln!("not replayed, because the caller of a command no longer waits: {left:?}");
    }
    let missed: Vec<&String> = chosen
        .ids
        .iter()
        .filter(|id| !left.contains(id) && !decided.iter().any(|letter| letter.id == **id))
        .collect();
    if missed.is_empty() { Ok(()) } else { Err(format!("no such dead letter: {missed:?}").into()) }
}
