//! Short forms of calls and answers, for the tables.

use serde_json::Value;

use super::calls::{After, Body, Call, Caller, Spoilt};

impl After {
    pub fn expected(&self) -> String {
        state(self.mode.as_deref().map(|mode| (mode, self.is_active)))
    }
}

/// Short form of an enrollment.
pub fn state(record: Option<(&str, bool)>) -> String {
    match record {
        None => "none".to_owned(),
        Some((mode, true)) => format!("{mode} active"),
        Some((mode, false)) => format!("{mode} inactive"),
    }
}

impl Call {
    /// Short form of status and side effect.
    pub fn expected(&self) -> String {
        let states: Vec<String> = self.after.iter().map(After::expected).collect();
        self.seen(self.status, &states)
    }

    pub fn seen(&self, status: u16, states: &[String]) -> String {
        if states.is_empty() { status.to_string() } else { format!("{status}; {}", states.join(", ")) }
    }

    /// The request for a human reader: method, path, and the relevant part of the body.
    pub fn shown(&self) -> String {
        let path = self.path.replace("course%2Dv1%3A", "course-v1:").replace("%2B", "+").replace('|', "\\|");
        let details = match &self.body {
            Some(Body::Json(body) | Body::Merge(body)) => fields(body),
            Some(Body::Form(form)) => {
                let told = form.iter().filter(|(name, value)| {
                    !["client_secret", "password"].contains(&name.as_str())
                        && !["storefront-client", "client_credentials"].contains(&value.as_str())
                });
                told.map(|(name, value)| format!(" {name}={value}")).collect()
            }
            Some(Body::Text(text) | Body::Plain(text)) => format!(" {text}"),
            None => String::new(),
        };
        format!("`{} {path}{details}` {}", self.method, self.caller.shown()).trim_end().to_owned()
    }

    /// The answer for a human reader: status, kind of body, and side effect.
    pub fn answered(&self) -> String {
        let body = match &self.answer {
            Value::Null => " empty".to_owned(),
            Value::String(_) => " HTML".to_owned(),
            Value::Array(all) if all.is_empty() => " `[]`".to_owned(),
            Value::Object(fields) => {
                let kind = |name: &str| fields.get(name)?.as_str()?.rsplit('/').next();
                let code = ["error_code", "error", "type"].into_iter().find_map(kind);
                let named =
                    ["detail", "message", "error_msg"].iter().find(|name| fields.contains_key(**name));
                match (code, named) {
                    (Some(code), _) => format!(" `{code}`"),
                    (None, Some(name)) => format!(" `{{\"{name}\"}}`"),
                    (None, None) => String::new(),
                }
            }
            _ => String::new(),
        };
        let states: Vec<String> = self.after.iter().map(After::expected).collect();
        let states = if states.is_empty() { String::new() } else { format!("; {}", states.join(", ")) };
        format!("{}{body}{states}", self.status)
    }
}

/// Lists the fields that an enrollment call changes, or the addresses that a look-up names.
fn fields(body: &Value) -> String {
    let text = |name: &str| body.get(name).and_then(Value::as_str);
    let mut told: Vec<String> =
        [text("user"), text("mode")].into_iter().flatten().map(str::to_owned).collect();
    told.extend(body.get("is_active").map(|active| match active {
        Value::Bool(true) => "active".to_owned(),
        Value::Bool(false) => "inactive".to_owned(),
        other => format!("is_active={other}"),
    }));
    told.extend((body.get("force_enrollment") == Some(&Value::Bool(true))).then(|| "forced".to_owned()));
    told.extend(
        body.pointer("/course_details/course_id").and_then(Value::as_str).map(|id| format!("in {id}")),
    );
    told.extend(body.get("emails").and_then(Value::as_array).map(|emails| match emails.as_slice() {
        [one] => one.as_str().unwrap_or_default().to_owned(),
        all => format!("{} addresses", all.len()),
    }));
    told.iter().map(|one| format!(" {one}")).collect()
}

impl Caller {
    fn shown(&self) -> String {
        match self {
            Self::Anonymous => "without credentials".to_owned(),
            Self::Client(token) if token.name == "storefront" && !token.opaque && token.scheme.is_none() => {
                if token.asymmetric {
                    "RS512".to_owned()
                } else {
                    String::new()
                }
            }
            Self::Client(token) => {
                let kind = if token.opaque { "opaque token" } else { "JWT" };
                let scheme = token.scheme.as_ref().map(|scheme| format!(" as {scheme}")).unwrap_or_default();
                format!("{kind} of {}{scheme}", token.name)
            }
            Self::Password(token) => {
                let kind = if token.opaque { "opaque token" } else { "JWT" };
                let scheme = token.scheme.as_ref().map(|scheme| format!(" as {scheme}")).unwrap_or_default();
                format!("{kind} of learner {}{scheme}", token.name)
            }
            Self::Session(session) => {
                let change = match session.change {
                    Spoilt::Not => "",
                    Spoilt::Quoted => ", in quotes",
                    Spoilt::Signature => ", wrong signature",
                    Spoilt::Version => ", version 2",
                    Spoilt::Key => ", unknown key",
                };
                format!("session of {}{change}", session.of)
            }
            Self::Cookie(value) => format!("sessionid={}", short(value)),
            Self::CookieAndToken(value) => format!("sessionid={} and a good JWT", short(value)),
            Self::JwtCookies(cookies) if cookies.as_header => "JWT joined from the two cookies".to_owned(),
            Self::JwtCookies(_) => "the two JWT cookies".to_owned(),
            Self::Claims(_) => "own HS256 JWT".to_owned(),
            Self::Header(value) => short(value),
        }
    }
}

/// Shortens and escapes a text for a table cell.
fn short(value: &str) -> String {
    let cut: String = value.chars().take(24).collect();
    format!("`{}`", cut.replace('|', "\\|"))
}
