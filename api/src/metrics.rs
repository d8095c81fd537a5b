//! The metrics of the api: the name, unit and meaning of each, and how it is recorded. No other module names a metric.

mod labels;

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Duration;

use axum::http::{Method, StatusCode};
use metrics::{
    Counter, Histogram, Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram,
};
use shared::gateway::Gateway;
use shared::metrics::BrokerConnection;
use strum::VariantArray;

pub use labels::{Cached, CredentialKind, DIRECTIVES, Slowness};

const REQUEST_SECONDS: &str = "storefront_request_seconds";
const REQUESTS_TOTAL: &str = "storefront_requests_total";
const CONNECTIONS: &str = "storefront_connections";
const CONNECTIONS_CUT_TOTAL: &str = "storefront_connections_cut_total";
const ALERTS_TOTAL: &str = "storefront_alerts_total";
const FAILED_AUTHENTICATIONS_TOTAL: &str = "storefront_failed_authentications_total";
const REFUSED_IDENTITIES_TOTAL: &str = "storefront_refused_identities_total";
const WEBHOOKS_RECEIVED_TOTAL: &str = "storefront_webhooks_received_total";
const POLICY_VIOLATIONS_TOTAL: &str = "storefront_policy_violations_total";
const CACHE_READS_TOTAL: &str = "storefront_cache_reads_total";
const REDIS_DISCONNECTIONS_TOTAL: &str = "storefront_redis_disconnections_total";

/// The outcomes of a request or webhook: below 400, from 400, from 500.
const OUTCOMES: [&str; 3] = ["answered", "refused", "failed"];

/// Requests that match no route.
const NO_ROUTE: &str = "unknown";

/// The alerts of the api.
const ALERTS: [&str; 3] = [PLATFORM_CONFIGURATION, JWT_KEYS, PAYMENT_PAGE];
const PLATFORM_CONFIGURATION: &str = "platform_configuration";
const JWT_KEYS: &str = "jwt_keys";
const PAYMENT_PAGE: &str = "payment_page";

/// Describes every metric to the recorder, so that `/metrics` says what each one is, and makes the counters begin at 0.
/// Call it once the recorder is installed.
pub fn describe() {
    shared::metrics::describe("api", &[BrokerConnection::Publisher]);
    describe_counter!(REQUESTS_TOTAL, Unit::Count, "Answered HTTP requests, by route and outcome");
    describe_counter!(WEBHOOKS_RECEIVED_TOTAL, Unit::Count, "Received webhooks, by gateway and outcome");
    describe_counter!(
        POLICY_VIOLATIONS_TOTAL,
        Unit::Count,
        "What the policy of a payment page has kept out, as browsers report it"
    );
    describe_counter!(CACHE_READS_TOTAL, Unit::Count, "Reads of the caches, by level, content and outcome");
    describe_counter!(
        REDIS_DISCONNECTIONS_TOTAL,
        Unit::Count,
        "Connections to Redis that were lost; the api reconnects by itself"
    );
    describe_histogram!(REQUEST_SECONDS, Unit::Seconds, "Duration of HTTP requests");
    describe_gauge!(CONNECTIONS, Unit::Count, "Open connections of the public listener");
    describe_counter!(
        CONNECTIONS_CUT_TOTAL,
        Unit::Count,
        "Public connections that the api closed because a step took the client too long"
    );
    describe_counter!(ALERTS_TOTAL, Unit::Count, "Alerts: situations that an operator has to look at");
    describe_counter!(
        FAILED_AUTHENTICATIONS_TOTAL,
        Unit::Count,
        "Credentials and signatures that were not accepted"
    );
    describe_counter!(
        REFUSED_IDENTITIES_TOTAL,
        Unit::Count,
        "Identities in Redis that no key of this installation has sealed for their credential"
    );
    begin_at_zero();
}

fn begin_at_zero() {
    for alert in ALERTS {
        counter!(ALERTS_TOTAL, "what" => alert).increment(0);
    }
    for kind in CredentialKind::VARIANTS {
        counter!(FAILED_AUTHENTICATIONS_TOTAL, "kind" => <&str>::from(kind)).increment(0);
    }
    for step in Slowness::VARIANTS {
        counter!(CONNECTIONS_CUT_TOTAL, "step" => <&str>::from(step)).increment(0);
    }
    for gateway in Gateway::PROVIDERS {
        for outcome in OUTCOMES {
            counter!(WEBHOOKS_RECEIVED_TOTAL, "gateway" => gateway.name(), "outcome" => outcome).increment(0);
        }
    }
    for cached in Cached::VARIANTS {
        reads(*cached, true, 0);
        reads(*cached, false, 0);
    }
    for directive in DIRECTIVES {
        violations(directive, true, 0);
        violations(directive, false, 0);
    }
    gauge!(CONNECTIONS).increment(0.0);
    counter!(REFUSED_IDENTITIES_TOTAL).increment(0);
    counter!(REDIS_DISCONNECTIONS_TOTAL).increment(0);
}

/// Makes the counters of these route patterns begin at 0.
pub fn routes<'a>(patterns: impl Iterator<Item = &'a str>) {
    for route in patterns.chain([NO_ROUTE]) {
        for outcome in OUTCOMES {
            counter!(REQUESTS_TOTAL, "route" => route.to_owned(), "outcome" => outcome).increment(0);
        }
    }
}

/// The series of the requests with one route, method and status.
struct Requests {
    seconds: Histogram,
    total: Counter,
}

impl Requests {
    fn of(route: &str, method: &'static str, status: StatusCode) -> Self {
        let labels = [
            ("route", route.to_owned()),
            ("method", method.to_owned()),
            ("status", status.as_u16().to_string()),
        ];
        Self {
            seconds: histogram!(REQUEST_SECONDS, &labels),
            total: counter!(REQUESTS_TOTAL, "route" => route.to_owned(), "outcome" => outcome(status)),
        }
    }
}

type ByRoute = HashMap<String, Requests>;

thread_local! {
    /// The series that this thread has recorded, by method and status, and then by route: to look one up by its labels takes
    /// longer than a cached read otherwise does.
    static REQUESTS: RefCell<HashMap<(&'static str, StatusCode), ByRoute>> = RefCell::default();
}

/// Records an answered request under its route pattern.
pub fn request(route: &str, method: &Method, status: StatusCode, duration: Duration) {
    let method = label(method);
    REQUESTS.with_borrow_mut(|requests| {
        let routes = requests.entry((method, status)).or_default();
        if !routes.contains_key(route) {
            routes.insert(route.to_owned(), Requests::of(route, method, status));
        }
        if let Some(requests) = routes.get(route) {
            requests.seconds.record(duration.as_secs_f64());
            requests.total.increment(1);
        }
    });
}

fn outcome(status: StatusCode) -> &'static str {
    let [answered, refused, failed] = OUTCOMES;
    match status.as_u16() {
        500.. => failed,
        400.. => refused,
        _ => answered,
    }
}

/// Counts a received webhook of a known gateway, by the status of its answer.
pub fn webhook(gateway: Gateway, status: StatusCode) {
    let outcome = outcome(status);
    counter!(WEBHOOKS_RECEIVED_TOTAL, "gateway" => gateway.name(), "outcome" => outcome).increment(1);
}

/// Counts a read of a cache that found what it looked for, or did not.
pub fn cached(cached: Cached, found: bool) {
    reads(cached, found, 1);
}

/// Counts the entries that one read of [`Cached::Items`] found and did not find.
pub fn items_cached(found: usize, missing: usize) {
    reads(Cached::Items, true, found as u64);
    reads(Cached::Items, false, missing as u64);
}

thread_local! {
    /// The counters of [`reads`], by cache and outcome, for the same reason as the series of the requests.
    static READS: Vec<[Counter; 2]> = Cached::VARIANTS.iter().map(read_counters).collect();
}

fn read_counters(cached: &Cached) -> [Counter; 2] {
    let (level, what) = cached.labels();
    ["miss", "hit"]
        .map(|outcome| counter!(CACHE_READS_TOTAL, "level" => level, "what" => what, "outcome" => outcome))
}

fn reads(cached: Cached, found: bool, count: u64) {
    READS.with(|reads| {
        let counter = reads.get(cached as usize).and_then(|outcomes| outcomes.get(usize::from(found)));
        if let Some(counter) = counter {
            counter.increment(count);
        }
    });
}

/// Counts a lost connection to Redis.
pub fn redis_disconnection() {
    counter!(REDIS_DISCONNECTIONS_TOTAL).increment(1);
}

/// Counts a public connection that was opened (1) or closed (-1).
pub fn connections(change: f64) {
    gauge!(CONNECTIONS).increment(change);
}

/// Counts a connection that was closed because this step took its client too long.
pub fn connection_cut(step: Slowness) {
    counter!(CONNECTIONS_CUT_TOTAL, "step" => <&str>::from(step)).increment(1);
}

/// Counts an alert about the settings of the course platform.
pub fn platform_alert() {
    counter!(ALERTS_TOTAL, "what" => PLATFORM_CONFIGURATION).increment(1);
}

/// Counts an alert about the keys that verify JWTs.
pub fn jwt_keys_alert() {
    counter!(ALERTS_TOTAL, "what" => JWT_KEYS).increment(1);
}

/// Counts an alert about something that the policy of a payment page has kept out.
pub fn payment_page_alert() {
    counter!(ALERTS_TOTAL, "what" => PAYMENT_PAGE).increment(1);
}

/// Counts a reported violation of the policy of a payment page, caused by the page or by the visitor's browser.
pub fn violation(directive: &'static str, is_browser: bool) {
    violations(directive, is_browser, 1);
}

fn violations(directive: &'static str, is_browser: bool, count: u64) {
    let by = if is_browser { "browser" } else { "page" };
    counter!(POLICY_VIOLATIONS_TOTAL, "directive" => directive, "by" => by).increment(count);
}

/// Counts a credential or signature of this kind that was not accepted.
pub fn failed_authentication(kind: CredentialKind) {
    counter!(FAILED_AUTHENTICATIONS_TOTAL, "kind" => <&str>::from(kind)).increment(1);
}

/// Counts an identity in Redis that cannot be trusted.
pub fn refused_identity() {
    counter!(REFUSED_IDENTITIES_TOTAL).increment(1);
}

/// The method as a label. Unknown methods share one label, because each label creates a permanent time series.
pub fn label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        Method::PATCH => "PATCH",
        _ => "other",
    }
}
