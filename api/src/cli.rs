//! The api's command line: its settings, and a run until SIGTERM.

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use shared::clock::Clock;
use shared::command_line;
use shared::settings::LogSettings;
use shared::telemetry::{self, LogsTo};
use shared::traces::Traces;
use tokio::signal::unix::{SignalKind, signal};

use crate::config::Config;
use crate::{doctor, server};

#[derive(Parser)]
#[command(name = "storefront-api", version = command_line::version(), about = "Serves the storefront's HTTP API")]
struct Cli {
    #[command(flatten)]
    logs: LogSettings,
    #[command(flatten)]
    config: Config,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Check every server of the api with harmless reads, and print what to change
    Doctor {
        /// Print JSON instead of lines
        #[arg(long)]
        json: bool,
    },
}

/// The definition of the command line, from which `docs/configuration.md` is made.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Parses the command line and serves. Returns a failure code after it has printed the error.
#[tokio::main]
pub async fn main() -> ExitCode {
    let cli: Cli = command_line::parse();
    command_line::exit_code(start(cli).await)
}

/// Only the running api makes traces.
async fn start(cli: Cli) -> Result<(), Box<dyn std::error::Error>> {
    let (logs_to, traces) = match cli.command {
        None => (LogsTo::Output, Traces::start(&cli.config.traces, &cli.config.tls, "storefront-api").await?),
        Some(_) => (LogsTo::Error, None),
    };
    telemetry::start_logs(&cli.logs, logs_to, traces.as_ref())
        .map_err(|error| format!("LOG_FILTER: {error}"))?;
    let done = match cli.command {
        None => run(cli.config).await,
        Some(Command::Doctor { json }) => diagnose(cli.config, json).await,
    };
    if let Some(traces) = traces {
        traces.end().await;
    }
    done
}

async fn diagnose(config: Config, json: bool) -> Result<(), Box<dyn std::error::Error>> {
    Ok(doctor::run(config).await?.print(json)?)
}

async fn run(config: Config) -> Result<(), Box<dyn std::error::Error>> {
    let running = server::start(config, Clock::default(), telemetry::start_metrics()?).await?;
    tracing::info!(public = %running.public, internal = %running.internal, "api started");
    let (mut terminate, mut hangup) = (signal(SignalKind::terminate())?, signal(SignalKind::hangup())?);
    loop {
        tokio::select! {
            _ = hangup.recv() => running.reload(),
            _ = terminate.recv() => break,
            result = tokio::signal::ctrl_c() => break result?,
        }
    }
    tracing::info!("api stopping; waiting for open requests");
    running.shutdown().await;
    Ok(())
}
