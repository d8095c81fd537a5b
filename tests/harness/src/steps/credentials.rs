//! Credentials of a user of the platform simulator.

use serde_json::Value;

/// A text field of a simulated user.
pub fn text(user: &Value, field: &str) -> String {
    user[field].as_str().unwrap().to_owned()
}

/// The cookie of a user's session.
pub fn session(user: &Value) -> String {
    format!("sessionid={}", text(user, "sessionid"))
}
