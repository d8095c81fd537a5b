//! The command line of the platform conformance suite; `tests/platform` calls it.

use std::process::ExitCode;

use clap::Parser;
use storefront_harness::conformance::{self, Commands, Result, Target};

/// Make the calls of tests/platform_calls against the simulator and, with --lms, against a real LMS
#[derive(Parser)]
#[command(name = "storefront-platform-calls")]
struct Cli {
    /// Base URL of a seeded Open edX LMS, see docs/openedx.md
    #[arg(long)]
    lms: Option<String>,
    /// Command that runs the SQL on its standard input in the LMS's database; without it, some calls are skipped
    #[arg(long)]
    lms_sql: Option<String>,
    /// Command that resets the LMS to its seed, before the calls of another release; without it, they are skipped
    #[arg(long)]
    lms_reset: Option<String>,
    /// Print the table of docs/openedx-answers.md without making any call
    #[arg(long)]
    markdown: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Cli::parse()).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(cli: Cli) -> Result<bool> {
    let calls = conformance::all()?;
    if cli.markdown {
        print!("{}", conformance::markdown(&calls));
        return Ok(true);
    }
    let simulator = conformance::run(&mut Target::simulator().await?).await?;
    let lms = match cli.lms {
        Some(url) => {
            let commands = Commands { sql: cli.lms_sql, reset: cli.lms_reset };
            Some(conformance::run(&mut Target::lms(&url, commands)?).await?)
        }
        None => None,
    };
    let (table, good) = conformance::table(&calls, &simulator, lms.as_deref());
    print!("{table}");
    Ok(good)
}
