//! What the policy of a payment page has kept out, as browsers report it. Of a report a directive and a host are kept: the rest holds
//! tokens of URLs and texts of the page.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use serde_json::Value;
use url::Url;

use crate::metrics::{self, DIRECTIVES};

/// The name under which a policy knows the route for reports (Reporting API).
const ENDPOINT: &str = "violations=\"/storeapi/payment/violations/\"";
/// The end of a policy whose violations are reported; `report-uri` is for browsers without the Reporting API.
pub const REPORTED: &str = "report-uri /storeapi/payment/violations/; report-to violations";
/// A policy of its own, since Chromium and Firefox report attempts to frame a page only if it has no `report-to`.
const UNFRAMED: &str = "frame-ancestors 'none'; report-uri /storeapi/payment/violations/";

/// Reports of one body that are read; browsers keep no more.
const MOST_REPORTS: usize = 100;
/// Pairs of a directive and a host that raise an alert, in the life of a process: a caller can invent hosts, and each alert costs a line of
/// the log. Further ones are counted alone.
const MOST_KINDS: usize = 100;

/// Another directive, host or scheme than those that are known.
const OTHER: &str = "other";
/// What extensions and the browser itself add to a page, which says nothing about the page.
const BROWSER: &str = "browser";

/// The kinds of violations that this replica was told of.
#[derive(Default)]
pub struct Violations(Mutex<HashSet<Violation>>);

/// What a policy has kept out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Violation {
    directive: &'static str,
    /// The host of a URL, or a word such as `inline`.
    blocked: String,
}

impl Violations {
    /// Counts the violations of a report's body. What is none is dropped.
    pub fn note_all(&self, body: &[u8]) {
        Violation::read_all(body).into_iter().for_each(|violation| self.note(violation));
    }

    /// Counts a violation, and raises an alert for the first one of its kind.
    fn note(&self, violation: Violation) {
        let Violation { directive, blocked } = &violation;
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (is_known, is_full) = (known.contains(&violation), known.len() >= MOST_KINDS);
        metrics::violation(directive, blocked == BROWSER);
        if is_known || is_full {
            return;
        }
        if blocked != BROWSER {
            tracing::warn!(directive, blocked, "the policy of a payment page has kept something out");
            metrics::payment_page_alert();
        }
        known.insert(violation);
    }
}

/// Adds to a page with a policy that ends in [`REPORTED`] what its reports need.
pub fn ask_for_reports(page: &mut HeaderMap) {
    page.insert(HeaderName::from_static("reporting-endpoints"), HeaderValue::from_static(ENDPOINT));
    page.append(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(UNFRAMED));
}

impl Violation {
    /// The violations of a body, which is a report or a list of them. Media types say nothing: WebKit sends one form under the other's.
    fn read_all(body: &[u8]) -> Vec<Self> {
        let reports = match serde_json::from_slice(body) {
            Ok(Value::Array(reports)) => reports,
            Ok(report) => vec![report],
            Err(_) => return Vec::new(),
        };
        reports.iter().take(MOST_REPORTS).filter_map(Self::read).collect()
    }

    /// A report of `report-uri` has names with hyphens, one of `report-to` in camel case.
    fn read(report: &Value) -> Option<Self> {
        let body = report.get("csp-report").or_else(|| report.get("body"))?.as_object()?;
        let text =
            |names: [&str; 2]| names.iter().find_map(|name| body.get(*name)?.as_str()).unwrap_or_default();
        let directive = match text(["effective-directive", "effectiveDirective"]) {
            // Of old browsers: the directive with its values.
            "" => text(["violated-directive", "violatedDirective"]).split(' ').next().unwrap_or_default(),
            directive => directive,
        };
        let directive = DIRECTIVES.into_iter().find(|known| *known == directive).unwrap_or(OTHER);
        let is_browser = is_of_browser(text(["source-file", "sourceFile"]));
        let blocked =
            if is_browser { BROWSER.to_owned() } else { blocked(text(["blocked-uri", "blockedURL"])) };
        Some(Self { directive, blocked })
    }
}

/// True of a script that no page has loaded: of an extension, or of the browser's own parts.
fn is_of_browser(source: &str) -> bool {
    let scheme = source.split(':').next().unwrap_or_default();
    scheme.ends_with("-extension") || ["resource", "about", "chrome"].contains(&scheme)
}

/// The host of what was blocked, or the word for it.
fn blocked(uri: &str) -> String {
    const WORDS: [&str; 7] = ["inline", "eval", "wasm-eval", "self", "data", "blob", "trusted-types-sink"];
    match Url::parse(uri) {
        _ if WORDS.contains(&uri) => uri.to_owned(),
        Ok(url) => match url.host_str() {
            // No browser has asked for it: no name in the DNS is longer (RFC 1035).
            Some(host) if host.len() > 253 => OTHER.to_owned(),
            Some(_) if is_of_browser(url.scheme()) => BROWSER.to_owned(),
            Some(host) => host.to_owned(),
            None => WORDS.into_iter().find(|word| *word == url.scheme()).unwrap_or(OTHER).to_owned(),
        },
        Err(_) => OTHER.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// As Chromium 156, Firefox ESR 153 and WebKitGTK 2.50 send them, cut to what is read, and others.
    #[test]
    fn a_report_is_read_by_its_form_and_keeps_no_token() {
        let page = "https://shop.example/storeapi/payment/pay/1/?token=secret";
        for (report, expected) in [
            (
                json!({"csp-report": {"document-uri": page, "effective-directive": "script-src-elem", "blocked-uri": "https://evil.example/x.js?token=secret"}}),
                Some(("script-src-elem", "evil.example")),
            ),
            (
                json!([{"type": "csp-violation", "url": page, "body": {"documentURL": page, "effectiveDirective": "connect-src", "blockedURL": "wss://evil.example:8443/"}}]),
                Some(("connect-src", "evil.example")),
            ),
            (
                json!({"type": "csp-violation", "url": page, "body": {"effectiveDirective": "script-src-elem", "blockedURL": "inline"}}),
                Some(("script-src-elem", "inline")),
            ),
            (
                json!({"csp-report": {"violated-directive": "frame-ancestors 'none'", "blocked-uri": ""}}),
                Some(("frame-ancestors", "other")),
            ),
            (
                json!({"csp-report": {"effective-directive": "script-src-elem", "blocked-uri": "inline", "source-file": "moz-extension"}}),
                Some(("script-src-elem", "browser")),
            ),
            (
                json!([{"body": {"effectiveDirective": "script-src-attr", "blockedURL": "inline", "sourceFile": "chrome-extension://abc/x.js"}}]),
                Some(("script-src-attr", "browser")),
            ),
            (
                json!({"csp-report": {"effective-directive": "img-src", "blocked-uri": "data:image/png;base64,AAAA"}}),
                Some(("img-src", "data")),
            ),
            (
                json!({"csp-report": {"effective-directive": "<b>", "blocked-uri": 7}}),
                Some(("other", "other")),
            ),
            (
                json!({"csp-report": {"effective-directive": "img-src", "blocked-uri": format!("https://{}/", "a".repeat(254))}}),
                Some(("img-src", "other")),
            ),
            (json!({"csp-report": "text"}), None),
            (json!({"type": "deprecation"}), None),
            (json!([[]]), None),
            (json!(null), None),
        ] {
            let read = Violation::read_all(report.to_string().as_bytes());
            let read: Vec<_> = read.iter().map(|one| (one.directive, one.blocked.as_str())).collect();
            assert_eq!(read, Vec::from_iter(expected), "{report}");
        }
        assert_eq!(Violation::read_all(b"no JSON"), []);
        let many = json!(vec![json!({"body": {}}); 150]).to_string();
        assert_eq!(Violation::read_all(many.as_bytes()).len(), MOST_REPORTS);
    }
}
