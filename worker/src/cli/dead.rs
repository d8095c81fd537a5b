//! `dead`: lists, shows, replays and drops dead letters.

use clap::{Args, Subcommand};
use shared::queue::{DeadLetter, Fate, visit_dead};
use shared::settings::QueueSettings;

use super::Failure;
use super::table::{self, optional};

/// Dead letters that one command reads, oldest first.
const LOOKED_AT: usize = 10_000;

#[derive(Subcommand)]
pub enum DeadCommand {
    /// List each dead letter with its queue and the reason
    List {
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        queue: QueueSettings,
    },
    /// Print one dead letter with its body, as JSON
    Show {
        /// Message id
        id: String,
        #[command(flatten)]
        queue: QueueSettings,
    },
    /// Send dead letters back to the queue where they failed, as new messages
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
    queue: QueueSettings,
}

pub async fn run(command: DeadCommand) -> Result<(), Failure> {
    match command {
        DeadCommand::List { json, queue } => list(&queue, json).await,
        DeadCommand::Show { id, queue } => {
            let letters = visit_dead(&queue, LOOKED_AT, |_| Fate::Keep).await?;
            let letter = letters.iter().map(|(letter, _)| letter).find(|letter| letter.id == id);
            let letter = letter.ok_or_else(|| format!("no dead letter {id}"))?;
            println!("{}", serde_json::to_string_pretty(letter)?);
            Ok(())
        }
        DeadCommand::Replay(chosen) => decide(&chosen, Fate::Replay, "replayed").await,
        DeadCommand::Drop(chosen) => decide(&chosen, Fate::Drop, "dropped").await,
    }
}

async fn list(queue: &QueueSettings, json: bool) -> Result<(), Failure> {
    let letters = visit_dead(queue, LOOKED_AT, |_| Fate::Keep).await?;
    let letters: Vec<DeadLetter> = letters.into_iter().map(|(letter, _)| letter).collect();
    if json {
        println!("{}", serde_json::to_string_pretty(&letters)?);
        return Ok(());
    }
    let rows = letters.into_iter().map(|l| [l.id, l.kind, l.queue, optional(l.sent_at), l.reason]);
    table::print("Dead letters", ["id", "type", "queue", "sent", "reason"], rows.collect());
    Ok(())
}

async fn decide(chosen: &Chosen, fate: Fate, done: &str) -> Result<(), Failure> {
    let is_chosen = |letter: &DeadLetter| chosen.all || chosen.ids.contains(&letter.id);
    let visited = visit_dead(&chosen.queue, LOOKED_AT, |letter| match is_chosen(letter) {
        true => fate,
        false => Fate::Keep,
    })
    .await?;
    let decided: Vec<&str> = visited
        .iter()
        .filter(|(_, decided)| *decided == fate)
        .map(|(letter, _)| letter.id.as_str())
        .collect();
    println!("{} {done}", decided.len());
    let missed: Vec<&String> = chosen.ids.iter().filter(|id| !decided.contains(&id.as_str())).collect();
    if missed.is_empty() { Ok(()) } else { Err(format!("no such dead letter: {missed:?}").into()) }
}
