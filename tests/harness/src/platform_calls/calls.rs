//! The list of calls as data: each request, its caller, and the expected answer.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::Result;

const CALLS: &str = include_str!("calls.jsonl");

/// All calls, in the order in which the suite makes them.
///
/// # Errors
/// The list of calls cannot be read.
pub fn all() -> Result<Vec<Call>> {
    let lines = CALLS.lines().filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_str(line).map_err(|error| format!("{error}: {line}").into())).collect()
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    pub name: String,
    /// The first release of Open edX that answers so.
    #[serde(default)]
    pub release: Release,
    /// A note for readers of the documentation.
    pub note: Option<String>,
    pub before: Option<Before>,
    pub method: String,
    /// Path below the platform's base URL. `{id:ADDRESS}` stands for the id of the account with this address.
    pub path: String,
    pub body: Option<Body>,
    #[serde(rename = "as")]
    pub caller: Caller,
    /// The `Accept` header; if empty, the suite sends none.
    #[serde(default = "json")]
    pub accept: String,
    /// Repeat the call until this status comes, for calls that test a throttle.
    #[serde(default)]
    pub repeated: bool,
    pub status: u16,
    /// Patterns by header name; headers that are not listed may have any value.
    #[serde(default)]
    pub headers: BTreeMap<String, Value>,
    /// A pattern; without one the body must be empty.
    #[serde(default)]
    pub answer: Value,
    /// Enrollments that must or must not exist after the call.
    #[serde(default)]
    pub after: Vec<After>,
}

/// A release of Open edX against whose code calls were verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum Release {
    /// June 2025; has v1 of the enrollment API alone.
    #[default]
    Teak,
    /// December 2026; has v2 beside v1.
    Willow,
}

fn json() -> String {
    "application/json".to_owned()
}

/// Changes that the suite makes to the platform before the call.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Before {
    /// Calls of the simulator's control interface: path and body.
    #[serde(default)]
    pub simulator: Vec<(String, Value)>,
    pub lms: Lms,
}

/// Means of the suite to make the same change in an LMS.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lms {
    /// No change needed: a seeded LMS is already in this state.
    Nothing,
    Sql(String),
    /// The change cannot be made from outside, for this reason.
    Impossible(String),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    Json(Value),
    /// Sent as a merge patch.
    Merge(Value),
    Form(BTreeMap<String, String>),
    /// Sent as JSON, whatever its type.
    Text(String),
    /// Sent as plain text.
    Plain(String),
}

/// The caller and its kind of credential.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caller {
    Anonymous,
    /// A token for client credentials.
    Client(ClientToken),
    /// A token for a learner's password.
    Password(PasswordToken),
    /// A learner's session cookie, valid or altered.
    Session(Session),
    /// The value of `sessionid`.
    Cookie(String),
    /// The same session beside a valid token of the service account.
    CookieAndToken(String),
    JwtCookies(JwtCookies),
    /// An HS256 token with the platform's own signature and with faulty claims.
    Claims(Claims),
    /// The value of the `Authorization` header; characters up to U+00FF are sent as one byte each.
    Header(String),
}

#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Hash)]
#[serde(deny_unknown_fields)]
pub struct ClientToken {
    pub name: String,
    #[serde(default)]
    pub opaque: bool,
    #[serde(default)]
    pub asymmetric: bool,
    /// The scheme in the header, where it differs from the token's own.
    pub scheme: Option<String>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Hash)]
#[serde(deny_unknown_fields)]
pub struct PasswordToken {
    pub name: String,
    #[serde(default)]
    pub opaque: bool,
    pub scheme: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    pub of: String,
    #[serde(default)]
    pub change: Spoilt,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spoilt {
    #[default]
    Not,
    Quoted,
    Signature,
    Version,
    Key,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JwtCookies {
    pub of: String,
    /// Both cookies joined into one token, sent as `Authorization: JWT`.
    #[serde(default)]
    pub as_header: bool,
}

/// Lifetime in seconds from now, and values that replace the valid claims.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Claims {
    pub of: Option<String>,
    pub exp_in: Option<i64>,
    pub iat_in: Option<i64>,
    pub without_iat: bool,
    pub aud: Option<String>,
    pub iss: Option<String>,
    pub version: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct After {
    pub user: String,
    pub course: String,
    pub mode: Option<String>,
    #[serde(default)]
    pub is_active: bool,
}
