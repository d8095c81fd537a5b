//! `payments compare-page`: compares the payment page as buyers get it with what the api sends (PCI DSS 4.0.1, 11.6.1).

use std::time::Duration;

use chrono::TimeDelta;
use clap::Args;
use reqwest::header::ACCEPT;
use reqwest::redirect::Policy;
use shared::clock::Clock;
use shared::command_line::say;
use shared::link::{self, Purpose};
use shared::settings::{LinkSettings, parse_http_url, under};
use store::sales::links;
use url::Url;

use crate::cli::{DatabaseArgs, Failure};
use crate::http_client;

/// Headers that protect the page.
const HEADERS: [&str; 5] = [
    "content-security-policy",
    "reporting-endpoints",
    "referrer-policy",
    "x-content-type-options",
    "cache-control",
];
/// Age at which an unpaid order is no longer looked at.
const RECENT: TimeDelta = TimeDelta::days(3);
/// Time that the links to the pages are valid.
const LINK_LIFETIME: TimeDelta = TimeDelta::minutes(5);
const PATIENCE: Duration = Duration::from_secs(30);
/// Attributes of the one script that no browser runs: it has values of this view of the page.
const DATA: &str = " id=\"data\" type=\"application/json\" nonce=\"…\"";

#[derive(Args)]
pub struct ComparePageArgs {
    /// Address of the api itself, behind all that stands between it and PUBLIC_BASE_URL
    #[arg(long, value_parser = parse_http_url)]
    api: Url,
    #[command(flatten)]
    links: LinkSettings,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Compares the page of the newest unpaid order of each gateway.
pub async fn run(args: &ComparePageArgs) -> Result<(), Failure> {
    let (tls, clock) = (&args.database.tls, Clock::default());
    tls.check_http("--api", &args.api)?;
    let http = http_client::builder(tls)?.redirect(Policy::none()).timeout(PATIENCE).build()?;
    let db = args.database.pool("payments")?;
    let unpaid = links::newest_unpaid(&db, clock.now() - RECENT).await?;
    if unpaid.is_empty() {
        say("no order of the last three days waits for its payment: there is no page to compare");
    }
    let mut differs = false;
    for order in unpaid {
        let subject = links::subject(&db, order.cart_id).await?;
        let token =
            link::sign(&args.links.link_secret, Purpose::Payment, subject, clock.now() + LINK_LIFETIME);
        let path = format!("/storeapi/payment/pay/{}/?token={token}", order.cart_id);
        let sent = Page::get(&http, under(&args.api, &path)).await?;
        let seen = Page::get(&http, format!("{}{path}", args.links.public_base_url)).await?;
        let faults = seen.differences(&sent);
        differs |= !faults.is_empty();
        for fault in &faults {
            say(format_args!("{}: {fault}", order.gateway));
        }
        if faults.is_empty() {
            say(format_args!("{}: as the api sends it, with {} scripts", order.gateway, sent.scripts.len()));
        }
    }
    if differs { Err("buyers get another payment page than the api sends".into()) } else { Ok(()) }
}

/// What of a page is the same in each answer.
#[derive(Debug, PartialEq, Eq)]
struct Page {
    status: u16,
    headers: Vec<(&'static str, String)>,
    /// The scripts that a browser runs, from their attributes on.
    scripts: Vec<String>,
    /// All else.
    rest: String,
}

impl Page {
    async fn get(http: &reqwest::Client, url: String) -> Result<Self, Failure> {
        // An error must not show the link.
        let hidden = reqwest::Error::without_url;
        let answer = http.get(url).header(ACCEPT, "text/html").send().await.map_err(hidden)?;
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let html = answer.text().await.map_err(hidden)?;
        let nonce =
            html.split_once(" nonce=\"").and_then(|(_, rest)| rest.split_once('"')).map(|(nonce, _)| nonce);
        let without_nonce =
            |text: &str| nonce.map_or_else(|| text.to_owned(), |nonce| text.replace(nonce, "…"));
        let values = |name: &'static str| {
            let values = headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
            (name, without_nonce(&values.collect::<Vec<_>>().join(", ")))
        };
        let headers = HEADERS.map(values).into();
        let (scripts, rest) = parts(&without_nonce(&html));
        Ok(Self { status, headers, scripts, rest })
    }

    /// What differs from the page that the api sends, in words.
    fn differences(&self, sent: &Self) -> Vec<String> {
        if self.status != sent.status {
            return vec![format!("status {} instead of {}", self.status, sent.status)];
        }
        let headers = self.headers.iter().zip(&sent.headers).filter(|(seen, sent)| seen != sent);
        let headers =
            headers.map(|((name, seen), (_, sent))| format!("{name} is {seen:?} instead of {sent:?}"));
        let missing = sent.scripts.iter().filter(|script| !self.scripts.contains(script));
        let foreign = self.scripts.iter().filter(|script| !sent.scripts.contains(script));
        let mut found: Vec<_> = headers.collect();
        found.extend(missing.map(|script| format!("lacks the script {}", beginning(script))));
        found.extend(
            foreign.map(|script| format!("has a script that the api does not send: {}", beginning(script))),
        );
        if self.rest != sent.rest {
            found.push("differs outside of its scripts".to_owned());
        }
        found
    }
}

/// The scripts of a page, and all else of it.
fn parts(html: &str) -> (Vec<String>, String) {
    let mut pieces = html.split("<script");
    let mut rest = pieces.next().unwrap_or_default().to_owned();
    let mut scripts = Vec::new();
    for piece in pieces {
        let (script, after) = piece.split_once("</script>").unwrap_or((piece, ""));
        if script.split_once('>').is_none_or(|(attributes, _)| attributes != DATA) {
            scripts.push(script.trim().to_owned());
        }
        rest.push_str(after);
    }
    (scripts, rest)
}

/// Characters by which an operator recognises a script.
fn beginning(script: &str) -> String {
    format!("{:?}", script.chars().take(120).collect::<String>())
}
