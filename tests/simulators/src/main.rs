//! The command lines of the simulators and of the catalog generator.

use std::io::BufWriter;
use std::net::SocketAddr;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use storefront_simulators::{SimulatorsConfig, generator};

/// Simulate the course platform, the payment providers and an SMTP server, until Ctrl-C
#[derive(Parser)]
#[command(name = "storefront-simulators", version)]
struct Cli {
    #[arg(long, env = "SIM_HTTP", default_value = "127.0.0.1:8090")]
    http: SocketAddr,
    #[arg(long, env = "SIM_SMTP", default_value = "127.0.0.1:8025")]
    smtp: SocketAddr,
    /// URL to which the platform posts a registration, as its webhook plugin does
    #[arg(long, env = "SIM_HINT_URL")]
    hint_url: Option<String>,
    /// Base URL for the payment providers' webhooks, which go to /{gateway}/{organisation}/ below it
    #[arg(long, env = "SIM_NOTIFICATION_URL")]
    notification_url: Option<String>,
    /// URL with the password for reports of mails that came back
    #[arg(long, env = "SIM_MAIL_REPORT_URL")]
    mail_report_url: Option<String>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Write a catalog of any size as JSON Lines to standard output; the same seed gives the same catalog
    Catalog {
        #[arg(long)]
        courses: u32,
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

#[tokio::main]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        None => {
            run(SimulatorsConfig {
                http: cli.http,
                smtp: cli.smtp,
                hint_url: cli.hint_url,
                notification_url: cli.notification_url,
                mail_report_url: cli.mail_report_url,
                ..SimulatorsConfig::default()
            })
            .await
        }
        Some(Command::Catalog { courses, seed }) => {
            generator::write_catalog(&mut BufWriter::new(std::io::stdout().lock()), courses, seed)
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(config: SimulatorsConfig) -> std::io::Result<()> {
    let simulators = storefront_simulators::start(config).await?;
    println!("simulators: http://{}/_sim/ and smtp://{}", simulators.http, simulators.smtp);
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        _ = terminate.recv() => {}
        result = tokio::signal::ctrl_c() => result?,
    }
    simulators.shutdown().await;
    Ok(())
}
