//! The api's command line.

use std::process::ExitCode;

use clap::Parser;
use shared::clock::Clock;
use shared::settings::LogSettings;
use shared::telemetry;
use storefront_api::config::Config;
use tokio::signal::unix::{SignalKind, signal};

#[derive(Parser)]
#[command(name = "storefront-api", version, about = "Serves the storefront's HTTP API")]
struct Cli {
    #[command(flatten)]
    logs: LogSettings,
    #[command(flatten)]
    config: Config,
}

#[tokio::main]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    if let Err(error) = telemetry::start_logs(&cli.logs) {
        eprintln!("error: LOG_FILTER: {error}");
        return ExitCode::FAILURE;
    }
    match run(cli.config).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(config: Config) -> Result<(), Box<dyn std::error::Error>> {
    let running = storefront_api::start(config, Clock::default()).await?;
    tracing::info!(public = %running.public, internal = %running.internal, "api started");
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        _ = terminate.recv() => {}
        result = tokio::signal::ctrl_c() => result?,
    }
    tracing::info!("api stopping; waiting for open requests");
    running.shutdown().await;
    Ok(())
}
