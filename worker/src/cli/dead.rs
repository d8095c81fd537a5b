//! `dead`: the messages that nobody could do.

use clap::{Args, Subcommand};
use shared::queue::{DeadLetter, Fate, visit_dead};
use shared::settings::QueueSettings;

use super::Failure;
use super::table::{self, optional};

/// Letters that one command looks at, oldest first.
const LOOKED_AT: usize = 10_000;

#[derive(Subcommand)]
pub enum DeadCommand {
    /// Each message with where and why it failed
    List {
        /// For a program
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        queue: QueueSettings,
    },
    /// One message with its body
    Show {
        id: String,
        #[command(flatten)]
        queue: QueueSettings,
    },
    /// Send messages back to where they failed, as if they were new
    Replay(Chosen),
    /// Forget messages for good
    Drop(Chosen),
}

#[derive(Args)]
pub struct Chosen {
    /// Message ids
    #[arg(required_unless_present = "all")]
    ids: Vec<String>,
    /// Every one
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
            let letter = letter.ok_or_else(|| format!("no dead message {id}"))?;
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
    table::print("Dead messages", ["id", "type", "queue", "sent", "reason"], rows.collect());
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
    if missed.is_empty() { Ok(()) } else { Err(format!("no such dead message: {missed:?}").into()) }
}
