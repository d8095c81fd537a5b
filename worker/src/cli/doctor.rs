//! `doctor`: checks every server of the worker with harmless reads, and prints what an operator has to change.

use std::collections::HashMap;
use std::time::Duration;

use chrono::TimeDelta;
use clap::Args;
use reqwest::header;
use reqwest::redirect::Policy;
use shared::causes;
use shared::clock::Clock;
use shared::doctor::{self, Checks, Program, Status};
use shared::seal::Sealed;
use shared::tls::TlsSettings;
use store::catalog::organisations;
use store::catalog::sync_state::{sold_modes, upgradable};
use store::money::document_reports::{self, Requested};
use store::money::gateways::{StoredSecret, kept};
use store::money::payouts::{self, Refused};
use store::plumbing::outbox;
use tokio::time::timeout;

use super::Failure;
use super::mail_records::{self, MailRecordArgs};
use crate::config::Config;
use crate::gateways::{CallBudget, Credentials, GatewayError};
use crate::http_client;
use crate::platform::{PlatformError, Version};
use crate::runtime::context::Context;

#[derive(Args)]
pub struct DoctorArgs {
    #[command(flatten)]
    config: Config,
    #[command(flatten)]
    mail_records: MailRecordArgs,
    /// Print JSON instead of lines
    #[arg(long)]
    json: bool,
}

/// Neither exists, so the platform answers as for any learner without a record.
const USERNAME: &str = "storefront-doctor";
const COURSE: &str = "course-v1:storefront+doctor+2026";

/// Time that a page of the api or of the LMS may take.
const TIMEOUT: Duration = Duration::from_secs(5);

/// No provider has a payment of this name.
const PAYMENT: &str = "storefrontdoctor";

/// A document that another system has not issued after this time is worth a question to the partner.
const LATE_DOCUMENT: TimeDelta = TimeDelta::days(1);

/// Runs the checks and prints one line for each.
///
/// # Errors
/// At least one check failed.
pub async fn run(args: DoctorArgs) -> Result<(), Failure> {
    let config = args.config;
    shared::queue::check_url(&config.queue, &config.tls)?;
    let mut ctx = Context::new(&config, Clock::default())?;
    // Settings that are only being tried must not keep the workers from an account.
    ctx.platform = ctx.platform.unshared();
    let mut checks = Checks::default();
    doctor::database(&mut checks, "DATABASE_URL", &ctx.db, Program::Worker).await;
    let writes = outbox::try_write(&ctx.db).await;
    checks.outcome("database writes", "are taken", writes.map_err(|error| format!("DATABASE_URL: {error}")));
    doctor::broker(&mut checks, &config.queue, &config.tls, Program::Worker).await;
    doctor::redis(&mut checks, &config.redis, &config.tls, Program::Worker).await;
    let place = causes::place("PLATFORM_URL", &config.platform.platform_url);
    check_platform(&mut checks, &ctx, &place, config.platform.platform_enrollment_api).await;
    checks.outcome("mail server", "answers, and accepts the account", ctx.mailer.check().await);
    mail_records::check(&mut checks, &args.mail_records, &ctx.mailer).await;
    check_time_zones(&mut checks, &ctx).await;
    check_accounts(&mut checks, &ctx).await;
    check_documents(&mut checks, &ctx).await;
    check_vies(&mut checks, &ctx, &causes::place("VIES_URL", &config.vat.vies_url)).await;
    check_buttons(&mut checks, &ctx, &config.tls).await;
    Ok(checks.print(args.json)?)
}

/// `place` is the setting with the address, which the platform's refusals of this service account need not repeat; `set` the
/// version of the enrollment API by the settings.
async fn check_platform(checks: &mut Checks, ctx: &Context, place: &str, set: Option<Version>) {
    let failed = |error: PlatformError| match error {
        PlatformError::Misconfigured(reason) | PlatformError::Rejected(reason) => reason,
        error => format!("{place}: {error}"),
    };
    if !ctx.platform.is_configured() {
        let what = "PLATFORM_CLIENT_ID is empty: the enrollment routes answer not_configured";
        return checks.add("platform token", Status::Warning, what);
    }
    match ctx.platform.enrollment_api().await.map_err(failed) {
        Ok(found) => {
            let (status, detail) = enrollment_api(set, found);
            checks.add("platform enrollment API", status, detail);
        }
        Err(reason) => checks.add("platform enrollment API", Status::Failed, reason),
    }
    if let Some(client) = ctx.platform.lookup_client_id() {
        let what = format!("{client} makes look-ups and the catalog's sync, and no enrollments");
        checks.add("platform account for look-ups", Status::Ok, what);
    }
    let (platforms, mut users) = (ctx.platform.each_account().collect::<Vec<_>>(), HashMap::new());
    let mut answering = None;
    for platform in &platforms {
        let client = platform.client_id();
        let named = |check: &str| match platforms.len() {
            1 => format!("platform {check}"),
            _ => format!("platform {check}, {client}"),
        };
        let token = platform.check_token().await.map_err(failed);
        if !checks.outcome(named("token"), "the service account gets a token", token) {
            continue;
        }
        answering = Some(platform);
        let account = platform.account_by_id(i64::from(i32::MAX)).await.map(drop).map_err(failed);
        checks.outcome(named("accounts"), "accounts are found by id", account);
        let found = platform.search_emails(&[]).await.map(drop).map_err(failed);
        checks.outcome(named("email search"), "accounts are found by address", found);
        let enrollment = platform.turn_at_once().enrollment(USERNAME, COURSE).await.map(drop).map_err(failed);
        checks.outcome(named("enrollments"), "enrollments of other users are shown", enrollment);
        let certificate = platform.certificate(USERNAME, COURSE).await.map(drop).map_err(failed);
        checks.outcome(named("certificates"), "certificates of other users are shown", certificate);
        if let Ok(user) = platform.service_username().await
            && let Some(other) = users.insert(user.clone(), client)
        {
            let fix = "the LMS limits a user's calls together: give each client a user of its own";
            checks.add(named("user"), Status::Warning, format!("{user}, as of {other}: {fix}"));
        }
    }
    let Some(platform) = answering else { return };
    match platform.server_time().await {
        Ok(Some(time)) => {
            doctor::clock(checks, "the course platform's", time, Duration::ZERO);
        }
        Ok(None) => {}
        Err(error) => checks.add("clock", Status::Failed, failed(error)),
    }
}

/// Names the version of the enrollment API that the worker uses, and warns of one that goes.
fn enrollment_api(set: Option<Version>, found: Version) -> (Status, String) {
    match (set, found) {
        (None | Some(Version::V2), Version::V2) => (Status::Ok, "v2".to_owned()),
        (None | Some(Version::V1), Version::V1) => {
            let end =
                "the oldest that the storefront supports: the platform may lose it with Xylon (June 2027)";
            (Status::Warning, format!("v1, {end}; the worker finds v2 by itself (docs/openedx.md, 10)"))
        }
        (Some(set), found) => {
            let fix = "unset it, and the worker asks the platform";
            (
                Status::Warning,
                format!("{set} by PLATFORM_ENROLLMENT_API, but the platform has {found}: {fix}"),
            )
        }
    }
}

/// Checks that the database knows the time zone of each seller. The sets of zones of two servers can differ.
async fn check_time_zones(checks: &mut Checks, ctx: &Context) {
    let (name, unknown) = ("time zones", organisations::unknown_time_zones(&ctx.db).await);
    let unknown = match unknown {
        Ok(unknown) => unknown,
        Err(error) => return checks.add(name, Status::Failed, error.to_string()),
    };
    if unknown.is_empty() {
        return checks.add(name, Status::Ok, "the database knows those of all sellers");
    }
    let zones: Vec<String> =
        unknown.iter().map(|row| format!("{} of {}", row.time_zone, row.organisation)).collect();
    let fix = "days are counted in UTC there until you update the database's tzdata, or import the zone's present name";
    checks.add(name, Status::Failed, format!("the database does not know {}: {fix}", zones.join(", ")));
}

/// Asks each organisation's account for a payment that it does not have.
async fn check_accounts(checks: &mut Checks, ctx: &Context) {
    let accounts = match kept(&ctx.db).await {
        Ok(accounts) => accounts,
        Err(error) => return checks.add("payment accounts", Status::Failed, error.to_string()),
    };
    for account in accounts.into_iter().filter(|account| account.in_use) {
        let (name, outcome) = match account.slot() {
            Some(slot) => {
                (format!("webhook secret of {}, {slot}", account.organisation), open_secret(ctx, &account))
            }
            None => (
                format!("account of {} at {}", account.organisation, account.gateway),
                ask_account(ctx, &account).await,
            ),
        };
        checks.outcome(name, "accepted", outcome);
    }
    match payouts::refused(&ctx.db).await {
        Ok(refused) => {
            for Refused { organisation, gateway, since } in refused {
                let effect =
                    format!("{gateway} has not shown payouts to its key since {since}: payouts are not read");
                checks.add(format!("payouts of {organisation}"), Status::Warning, effect);
            }
        }
        Err(error) => checks.add("payouts", Status::Failed, error.to_string()),
    }
}

/// Says which documents wait for another system, and since when.
async fn check_documents(checks: &mut Checks, ctx: &Context) {
    match document_reports::requested(&ctx.db).await {
        Ok(requested) => {
            for Requested { organisation, count, refused, oldest } in requested {
                let refused =
                    if refused > 0 { format!(", {refused} of them refused") } else { String::new() };
                let what = format!("{count} wait for another system{refused}, the oldest since {oldest}");
                let is_late = oldest < ctx.clock.now() - LATE_DOCUMENT;
                let status = if is_late || !refused.is_empty() { Status::Warning } else { Status::Ok };
                checks.add(format!("documents of {organisation}"), status, what);
            }
        }
        Err(error) => checks.add("documents", Status::Failed, error.to_string()),
    }
}

/// Asks whether VIES is available, if an organisation can sell under reverse charge. Without VIES it charges the tax.
async fn check_vies(checks: &mut Checks, ctx: &Context, place: &str) {
    match organisations::sellers(&ctx.db).await {
        Err(error) => checks.add("VIES", Status::Failed, error.to_string()),
        Ok(sellers) if sellers.iter().all(|seller| seller.vat_id().is_none()) => {}
        Ok(_) => match ctx.vies.check_status().await {
            Ok(()) => checks.add("VIES", Status::Ok, "answers"),
            Err(reason) => {
                let effect = "companies of other EU member states are charged the tax";
                checks.add("VIES", Status::Warning, format!("{place}: {reason}: {effect}"));
            }
        },
    }
}

/// Checks what the platform's upgrade buttons need, once a mode has a sku.
async fn check_buttons(checks: &mut Checks, ctx: &Context, tls: &TlsSettings) {
    let modes = match sold_modes(&ctx.db, ctx.clock.now()).await {
        Ok(modes) => modes,
        Err(error) => return checks.add("skus", Status::Failed, error.to_string()),
    };
    if modes.with_sku == 0 {
        return;
    }
    match modes.without_sku {
        0 => checks.add("skus", Status::Ok, format!("all {} paid modes have one", modes.with_sku)),
        without => {
            let fix = "run `storefront-worker catalog sync --skus`, or set CATALOG_SYNC_SKUS=true";
            checks.add("skus", Status::Warning, format!("{without} paid modes have none: {fix}"));
        }
    }
    let late = |_| (Status::Warning, "not checked: the LMS takes too long".to_owned());
    let (status, detail) = timeout(TIMEOUT, follow_button(ctx)).await.unwrap_or_else(late);
    checks.add("upgrade button", status, detail);
    if let Some((status, detail)) =
        timeout(TIMEOUT, follow_history(ctx)).await.unwrap_or_else(|late_by| Some(late(late_by)))
    {
        checks.add("order history", status, detail);
    }
    let place = format!("PUBLIC_BASE_URL ({})", ctx.links.public_base_url);
    let pages = "the pages of the platform's buttons and orders answer";
    checks.outcome(
        "public pages",
        pages,
        open_pages(ctx, tls).await.map_err(|reason| format!("{place}: {reason}")),
    );
}

/// Checks where the upgrade button of a learner leads. The LMS does not expose its settings, but shows staff a learner's home page.
async fn follow_button(ctx: &Context) -> (Status, String) {
    let learners = match upgradable(&ctx.db, ctx.clock.now()).await {
        Ok(learners) => learners,
        Err(error) => return (Status::Failed, error.to_string()),
    };
    if learners.is_empty() {
        return (Status::Ok, "not checked: no learner on record can upgrade a course yet".to_owned());
    }
    let page = format!("{}/storeapi/payment/buy/", ctx.links.public_base_url);
    for learner in learners {
        let link = match ctx.platform.upgrade_button(&learner.username, &learner.course_key).await {
            Ok(Some(link)) => link,
            Ok(None) => continue,
            Err(error) => return (Status::Warning, format!("not checked: {error}")),
        };
        let target = link.split_once('?').map_or(link.as_str(), |(target, _)| target);
        if target == page {
            return (Status::Ok, format!("leads to {page}"));
        }
        let fix = format!("set basket_checkout_page of its Commerce configuration to {page}");
        return (Status::Warning, format!("the LMS leads to {target}: {fix} (docs/openedx.md, 9)"));
    }
    let fix = "set checkout_on_ecommerce_service of its Commerce configuration";
    (Status::Warning, format!("the LMS shows none to learners who could upgrade: {fix} (docs/openedx.md, 9)"))
}

/// Compares the link to the order history. None if the LMS does not show the configuration of its pages.
async fn follow_history(ctx: &Context) -> Option<(Status, String)> {
    let page = format!("{}/storeapi/payment/history/", ctx.links.public_base_url);
    Some(match ctx.platform.order_history().await {
        Ok(None) => return None,
        Ok(Some(link)) if link == page => (Status::Ok, format!("leads to {page}")),
        Ok(Some(link)) => {
            let fix = format!("set MFE_CONFIG['ORDER_HISTORY_URL'] to {page}");
            (Status::Warning, format!("the LMS leads to {link}: {fix} (docs/openedx.md, 9)"))
        }
        Err(error) => (Status::Warning, format!("not checked: {error}")),
    })
}

/// Opens the pages to which the platform's links lead, as a visitor without a session does.
async fn open_pages(ctx: &Context, tls: &TlsSettings) -> Result<(), String> {
    let client = http_client::builder(tls)
        .and_then(|client| client.redirect(Policy::none()).timeout(TIMEOUT).build())
        .map_err(|error| causes::causes(&error))?;
    for (page, expected) in [("/storeapi/payment/buy/", 401), ("/dashboard/orders/", 302)] {
        let url = format!("{}{page}", ctx.links.public_base_url);
        let answer = client.get(url).header(header::ACCEPT, "application/json").send().await;
        let status = answer.map_err(|error| causes::causes(&error))?.status().as_u16();
        if status != expected {
            return Err(format!(
                "{page} answered {status}: let the proxy pass it to the api (docs/openedx.md, 9)"
            ));
        }
    }
    Ok(())
}

fn open_secret(ctx: &Context, secret: &StoredSecret) -> Result<(), String> {
    let (gateway, slot) = (gateway(secret)?, secret.slot().unwrap_or_default());
    let opened = ctx.gateways.unseal_notification(secret.organisation_id, gateway, slot, &sealed(secret));
    opened.map(drop).map_err(|error| format!("NOTIFICATION_KEYS: {error}"))
}

async fn ask_account(ctx: &Context, account: &StoredSecret) -> Result<(), String> {
    let gateway = gateway(account)?;
    let organisation = account.organisation_id;
    let credentials: Credentials = ctx.gateways.unseal(organisation, gateway, &sealed(account))?;
    let opened = ctx.gateways.open(organisation, gateway, credentials, CallBudget::asked());
    let (Some(opened), Some(place)) = (opened, ctx.gateways.place(gateway)) else { return Ok(()) };
    match opened.read(PAYMENT).await {
        // The provider knows the account, and does not know the payment.
        Err(error @ GatewayError::Refused { .. }) if !error.refuses_key() => Ok(()),
        Err(error) if error.refuses_key() => {
            Err(format!("{error}: store a valid key with `storefront-worker gateways set`"))
        }
        Err(error) => Err(format!("{place}: {error}")),
        Ok(_) => Ok(()),
    }
}

fn gateway(secret: &StoredSecret) -> Result<shared::gateway::Gateway, String> {
    secret.gateway.parse().map_err(|_| format!("unknown gateway {}", secret.gateway))
}

fn sealed(secret: &StoredSecret) -> Sealed {
    Sealed { key_id: secret.key_id.clone(), bytes: secret.sealed.clone() }
}
