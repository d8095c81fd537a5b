//! The metrics of the api: the name, unit and meaning of each, and how it is recorded. No other module names a metric.

use std::time::Duration;

use axum::http::{Method, StatusCode};
use metrics::{Unit, counter, describe_counter, describe_histogram, histogram};

const REQUEST_SECONDS: &str = "storefront_request_seconds";
const ALARMS_TOTAL: &str = "storefront_alarms_total";

/// Describes every metric to the recorder, so that `/metrics` says what each one is. Call it once the recorder is installed.
pub fn describe() {
    describe_histogram!(REQUEST_SECONDS, Unit::Seconds, "Duration of HTTP requests");
    describe_counter!(ALARMS_TOTAL, Unit::Count, "Alerts: situations that an operator has to look at");
}

/// Records an answered request under its route pattern.
pub fn request(route: &str, method: &Method, status: StatusCode, duration: Duration) {
    let labels = [
        ("route", route.to_owned()),
        ("method", label(method).to_owned()),
        ("status", status.as_u16().to_string()),
    ];
    histogram!(REQUEST_SECONDS, &labels).record(duration.as_secs_f64());
}

/// Counts an alert about the settings of the course platform.
pub fn platform_alert() {
    counter!(ALARMS_TOTAL, "what" => "platform_configuration").increment(1);
}

/// The method as a label. Unknown methods share one label, because each label creates a permanent time series.
fn label(method: &Method) -> &str {
    const KNOWN: [Method; 7] = [
        Method::GET,
        Method::HEAD,
        Method::POST,
        Method::PUT,
        Method::DELETE,
        Method::OPTIONS,
        Method::PATCH,
    ];
    if KNOWN.contains(method) { method.as_str() } else { "other" }
}
