//! The command line of the calls of the course platform; `tests/platform` calls it.

use std::process::ExitCode;

use clap::Parser;
use storefront_harness::platform_calls::{self, Commands, Result, Target};

/// Make the calls of calls.jsonl against the simulator and, with --lms, against a real LMS
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
    let calls = platform_calls::all()?;
    if cli.markdown {
        print!("{}", platform_calls::markdown(&calls));
        return Ok(true);
    }
    let simulator = platform_calls::run(&mut Target::simulator().await?).await?;
    let lms = match cli.lms {
        Some(url) => {
            let commands = Commands { sql: cli.lms_sql, reset: cli.lms_reset };
            Some(platform_calls::run(&mut Target::lms(&url, commands)?).await?)
        }
        None => None,
    };
    let (table, good) = platform_calls::table(&calls, &simulator, lms.as_deref());
    print!("{table}");
    Ok(good)
}
