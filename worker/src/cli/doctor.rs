//! `doctor`: sends a harmless read to each endpoint of the course platform that the worker uses, and prints what an
//! operator has to change. Writes nothing.

use clap::Args;
use serde::Serialize;
use shared::settings::RedisSettings;

use super::Failure;
use super::table;
use crate::config::PlatformSettings;
use crate::platform::{Platform, PlatformError};

#[derive(Args)]
pub struct DoctorArgs {
    #[command(flatten)]
    platform: PlatformSettings,
    #[command(flatten)]
    redis: RedisSettings,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// Neither exists, so the platform answers as for any learner without a record.
const USERNAME: &str = "storefront-doctor";
const COURSE: &str = "course-v1:storefront+doctor+2026";

#[derive(Serialize)]
struct Check {
    name: &'static str,
    /// `ok` or `failed`.
    status: &'static str,
    /// The finding, and what to change.
    detail: String,
}

/// Runs the checks and prints one line for each.
///
/// # Errors
/// At least one check failed.
pub async fn run(args: DoctorArgs) -> Result<(), Failure> {
    let checks = check_platform(&super::platform(&args.platform, &args.redis)?).await;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&checks)?);
    } else {
        let rows = checks.iter().map(|check| [check.name.into(), check.status.into(), check.detail.clone()]);
        table::print("Doctor", ["check", "status", "detail"], rows.collect());
    }
    match checks.iter().filter(|check| check.status == "failed").count() {
        0 => Ok(()),
        failed => Err(format!("{failed} of {} checks failed", checks.len()).into()),
    }
}

async fn check_platform(platform: &Platform) -> Vec<Check> {
    let token = check("platform token", "the service account gets a token", platform.check_token().await);
    if token.status == "failed" {
        return vec![token];
    }
    let enrollment = platform.enrollment(USERNAME, COURSE).await.map(drop);
    let certificate = platform.certificate(USERNAME, COURSE).await.map(drop);
    vec![
        token,
        check(
            "platform accounts",
            "accounts are found by id",
            platform.account_by_id(i64::from(i32::MAX)).await.map(drop),
        ),
        check(
            "platform email search",
            "accounts are found by address",
            platform.search_emails(&[]).await.map(drop),
        ),
        check("platform enrollments", "enrollments of other users are shown", enrollment),
        check("platform certificates", "certificates of other users are shown", certificate),
    ]
}

fn check(name: &'static str, good: &str, outcome: Result<(), PlatformError>) -> Check {
    match outcome {
        Ok(()) => Check { name, status: "ok", detail: good.to_owned() },
        Err(error) => Check { name, status: "failed", detail: error.to_string() },
    }
}
