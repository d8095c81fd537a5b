//! `reconcile`: runs by hand the reconciler that the worker runs on a timer.

use clap::Args;
use shared::clock::Clock;
use shared::command_line::say;
use store::plumbing::backlog::Waiting;

use super::Failure;
use super::table::{self, optional};
use crate::config::Config;
use crate::enrollment::registration::Search;
use crate::housekeeping::{reconcile, rounds};
use crate::runtime::context::Context;

#[derive(Args)]
pub struct ReconcileArgs {
    /// Run one round instead of rounds until Ctrl-C
    #[arg(long)]
    once: bool,
    /// Print what is waiting, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: Config,
}

pub async fn run(args: ReconcileArgs) -> Result<(), Failure> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let ctx = Context::new(&args.config, Clock::default())?;
    let mut search = Search::default();
    loop {
        if args.dry_run {
            show_backlog(reconcile::backlog(&ctx).await?, args.json)?;
        } else {
            show_round(rounds::once(&ctx, &mut search).await?, args.json)?;
        }
        if args.once {
            return Ok(());
        }
        tokio::select! {
            () = tokio::time::sleep(args.config.reconcile_every) => {}
            result = tokio::signal::ctrl_c() => return Ok(result?),
        }
    }
}

fn show_backlog(waiting: Vec<Waiting>, json: bool) -> Result<(), Failure> {
    if json {
        say(serde_json::to_string_pretty(&waiting)?);
        return Ok(());
    }
    let rows = waiting.into_iter().map(|w| [w.what, w.count.to_string(), optional(w.oldest)]);
    table::print("Waiting", ["what", "count", "oldest"], rows.collect());
    Ok(())
}

fn show_round(round: Option<reconcile::Round>, json: bool) -> Result<(), Failure> {
    let Some(round) = round else { return Err("another worker is reconciling; nothing was done".into()) };
    let (mut done, mut failed) = (Vec::new(), Vec::new());
    for (step, outcome) in round {
        match outcome {
            Ok(count) => done.push((step, count)),
            Err(error) => failed.push(format!("{step}: {error}")),
        }
    }
    if json {
        let done: std::collections::BTreeMap<&str, u64> = done.into_iter().collect();
        say(serde_json::to_string_pretty(&done)?);
    } else {
        let rows = done.into_iter().map(|(step, count)| [step.to_owned(), count.to_string()]);
        table::print("Done", ["what", "count"], rows.collect());
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("failed:\n{}", failed.join("\n")).into()) }
}
