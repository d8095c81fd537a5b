//! `catalog sync`: runs by hand the sync that the worker runs every CATALOG_SYNC_EVERY.

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use shared::clock::Clock;
use shared::command_line::say;
use shared::operator::OperatorName;
use shared::settings::RedisSettings;
use store::plumbing::audit::{self, Change, Entity};
use uuid::Uuid;

use super::operator::Operator;
use super::{DatabaseArgs, Failure, table};
use crate::catalog_sync::{CatalogSync, Options, Remark, Report};
use crate::config::{CatalogSyncSettings, PlatformSettings};

/// Rows shown per table; `--json` shows all.
const SHOWN: usize = 100;

/// Characters shown per value.
const WIDTH: usize = 60;

#[derive(Args)]
pub struct SyncArgs {
    /// Print what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Your name, for the audit log
    #[arg(long, env = "OPERATOR", required_unless_present = "dry_run")]
    by: Option<OperatorName>,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
    /// Unpublish courses that have vanished from the platform even if they are more than half of the catalog's courses
    #[arg(long)]
    unpublish_any: bool,
    /// Give each mode without a sku the storefront's own at the platform, as CATALOG_SYNC_SKUS=true does
    #[arg(long)]
    skus: bool,
    #[command(flatten)]
    database: DatabaseArgs,
    #[command(flatten)]
    redis: RedisSettings,
    #[command(flatten)]
    platform: PlatformSettings,
    #[command(flatten)]
    settings: CatalogSyncSettings,
}

pub async fn run(args: SyncArgs) -> Result<(), Failure> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let db = args.database.pool("catalog sync")?;
    let tls = &args.database.tls;
    let sync =
        CatalogSync::new(db.clone(), &args.redis, &args.platform, &args.settings, tls, Clock::default())?;
    let progress = ProgressBar::no_length();
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} courses {elapsed} {msg}") {
        progress.set_style(style);
    }
    let options = Options { dry_run: args.dry_run, unpublish_any: args.unpublish_any, skus: args.skus };
    if let (Some(by), false) = (args.by, args.dry_run) {
        // Before the sync, because the batches of one that fails stay written.
        let detail = json!({ "unpublish_any": args.unpublish_any, "skus": args.skus });
        let entry =
            Change { entity: Entity::Catalog, id: Uuid::nil(), from: None, to: "sync_started", detail };
        audit::record(&mut *db.acquire().await?, Operator { by }.cause(), entry).await?;
    }
    let report = sync.run(options, &progress).await?;
    progress.finish_and_clear();
    match args.json {
        true => say(serde_json::to_string_pretty(&report)?),
        false => print(&report),
    }
    if report.is_complete() { Ok(()) } else { Err(incomplete(&report).into()) }
}

fn incomplete(report: &Report) -> String {
    let failed = report.failed.len();
    report.stopped.clone().unwrap_or_else(|| format!("courses that could not be synchronised: {failed}"))
}

fn print(report: &Report) {
    say(report);
    let fields = report.changed.iter().flat_map(|change| {
        let row = |field: &crate::catalog_sync::Difference| {
            let long = field.from.is_null() && field.to.is_null();
            let shown = |value| if long { "(long)".to_owned() } else { short(value) };
            [change.course.clone(), field.field.clone(), shown(&field.from), shown(&field.to)]
        };
        change.fields.iter().map(row).collect::<Vec<_>>()
    });
    rows("Changed", ["course", "field", "catalog", "platform"], fields.collect());
    rows("Created", ["course"], report.created.iter().map(|course| [course.clone()]).collect());
    rows("Unpublished", ["course"], report.unpublished.iter().map(|course| [course.clone()]).collect());
    let again = report.published_again.iter().map(|course| [course.clone()]);
    rows("Published again", ["course"], again.collect());
    let skus = report.skus.iter().map(|new| [new.course.clone(), new.mode.to_string(), new.sku.clone()]);
    rows("Skus", ["course", "mode", "sku"], skus.collect());
    remarks("Notes", &report.notes);
    remarks("Skipped", &report.skipped);
    remarks("Failed", &report.failed);
}

fn remarks(title: &str, remarks: &[Remark]) {
    let row = |remark: &Remark| [remark.course.clone(), remark.reason.clone()];
    rows(title, ["course", "reason"], remarks.iter().map(row).collect());
}

fn rows<const N: usize>(title: &str, heading: [&str; N], mut rows: Vec<[String; N]>) {
    let more = rows.len().saturating_sub(SHOWN);
    rows.truncate(SHOWN);
    if !rows.is_empty() {
        table::print(title, heading, rows);
    }
    if more > 0 {
        say(format_args!("and {more} more; --json shows all"));
    }
}

fn short(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Array(modes) => modes.iter().map(mode).collect::<Vec<_>>().join("; "),
        Value::String(text) => text.chars().take(WIDTH).collect(),
        other => other.to_string().chars().take(WIDTH).collect(),
    }
}

/// One mode in one line. Modes are the only lists that a sync changes.
fn mode(mode: &Value) -> String {
    let text = |name: &str| mode.get(name).and_then(Value::as_str).unwrap_or_default();
    let price = mode.get("minPrice").map(Value::to_string).unwrap_or_default();
    let mut shown = format!("{} {price} {}", text("modeSlug"), text("currency"));
    if mode.get("expirationDatetime").is_some_and(Value::is_string) {
        shown = format!("{shown} until {}", text("expirationDatetime"));
    }
    if mode.get("visible") == Some(&Value::Bool(false)) {
        shown.push_str(" (not visible)");
    }
    shown
}
