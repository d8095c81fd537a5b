//! The list of calls as data: what is asked, by whom, and what must come back.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::Result;

const CALLS: &str = include_str!("../../platform_calls/calls.jsonl");

/// All calls, in the order in which they are made.
pub fn all() -> Result<Vec<Call>> {
    let lines = CALLS.lines().filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_str(line).map_err(|error| format!("{error}: {line}").into())).collect()
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    pub name: String,
    /// What a reader of the documentation should know.
    pub note: Option<String>,
    pub before: Option<Before>,
    pub method: String,
    /// Below the platform's base URL. `{id:ADDRESS}` stands for the id of the account with this address.
    pub path: String,
    pub body: Option<Body>,
    #[serde(rename = "as")]
    pub caller: Caller,
    /// The `Accept` header; an empty one is not sent.
    #[serde(default = "json")]
    pub accept: String,
    /// Made again and again until this status comes, as for throttles.
    #[serde(default)]
    pub repeated: bool,
    pub status: u16,
    /// Patterns; other headers do not count.
    #[serde(default)]
    pub headers: BTreeMap<String, Value>,
    /// A pattern; without one the answer must be empty.
    #[serde(default)]
    pub answer: Value,
    /// The enrollments that must be there, or not, after the call.
    #[serde(default)]
    pub after: Vec<After>,
}

fn json() -> String {
    "application/json".to_owned()
}

/// What must happen to the platform before the call.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Before {
    /// Calls of the simulator's control interface: path and body.
    #[serde(default)]
    pub simulator: Vec<(String, Value)>,
    pub lms: Lms,
}

/// How the same is done to an LMS.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lms {
    /// Nothing to do: the LMS is so already.
    Nothing,
    Sql(String),
    /// Cannot be done from outside, for this reason.
    Impossible(String),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    Json(Value),
    Form(BTreeMap<String, String>),
    /// Sent as JSON, whatever it is.
    Text(String),
}

/// Who calls, and by which proof.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caller {
    Anonymous,
    /// A token by client credentials.
    Client(ClientToken),
    /// A token by a learner's password.
    Password(PasswordToken),
    /// A learner's session, as given or spoilt.
    Session(Session),
    /// This value of `sessionid`.
    Cookie(String),
    /// The same beside a good token of the service account.
    CookieAndToken(String),
    JwtCookies(JwtCookies),
    /// An HS256 token with the platform's own signature; what is wrong with its claims.
    Claims(Claims),
    /// This `Authorization` header; characters up to U+00FF are sent as one byte.
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
    /// The scheme in the header, where it is not the token's own.
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
    /// Joined, as `Authorization: JWT`.
    #[serde(default)]
    pub as_header: bool,
}

/// Seconds from now, and values in place of the right ones.
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
