//! Who is calling the platform: a JWT, an opaque bearer token or a session cookie, judged in the platform's order.

use std::sync::Arc;

use axum::{
    Json,
    extract::{FromRequestParts, OriginalUri, Request, State},
    http::{HeaderMap, StatusCode, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::jwt;
use crate::simulators::state::{self, Simulation, User};

/// An authenticated user. Inactive ones count: the platform lets them in, too.
pub struct Caller(pub User);

impl Caller {
    pub fn is_self_or_staff(&self, username: &str) -> bool {
        self.0.staff || self.0.username == username
    }
}

impl FromRequestParts<Arc<Simulation>> for Caller {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, simulation: &Arc<Simulation>) -> Result<Self, Response> {
        let authorization = parts.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let (scheme, credential) = authorization.unwrap_or_default().split_once(' ').unwrap_or_default();
        let state = simulation.state();
        let user = match scheme.to_ascii_lowercase().as_str() {
            "jwt" => {
                let username = jwt::verify(&simulation.config, credential);
                let user = username.and_then(|username| state.user_named(&username));
                user.ok_or_else(|| unauthorized(json!({"detail": "Invalid token."})))?
            }
            "bearer" => by_bearer(&state, credential).map_err(unauthorized)?,
            _ => match session(&state, &parts.headers) {
                Session::Of(user) => user,
                Session::Anonymous | Session::Refused => return Err(anonymous()),
            },
        };
        Ok(Self(user.clone()))
    }
}

/// A JWT sent as a bearer token is taken for an opaque one, and is unknown as such.
fn by_bearer<'a>(state: &'a state::State, token: &str) -> Result<&'a User, Value> {
    if token.contains(' ') {
        return Err(json!({"error_code": "token_malformed",
            "developer_message": "Invalid token header. Token string should not contain spaces."}));
    }
    let user = state.bearers.get(token).and_then(|id| state.user(*id));
    user.ok_or_else(|| {
        json!({"error_code": "token_nonexistent",
            "developer_message": "The provided access token does not match any valid tokens."})
    })
}

fn anonymous() -> Response {
    unauthorized(json!({"detail": "Authentication credentials were not provided."}))
}

fn unauthorized(body: Value) -> Response {
    (StatusCode::UNAUTHORIZED, Json(body)).into_response()
}

enum Session<'a> {
    /// No cookie, or a well-formed one of a session that has ended.
    Anonymous,
    Of(&'a User),
    /// Malformed, or not bound to the session that it names.
    Refused,
}

fn session<'a>(state: &'a state::State, headers: &HeaderMap) -> Session<'a> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|line| line.split(';')).map(str::trim);
    let value = pairs.find_map(|pair| pair.strip_prefix("sessionid=")).map(|value| value.trim_matches('"'));
    let Some(value) = value.filter(|value| !value.is_empty()) else { return Session::Anonymous };
    let Some(key) = session_key(value) else { return Session::Refused };
    match state.users.iter().find(|user| session_key(&user.sessionid) == Some(key)) {
        Some(user) if user.sessionid == value => Session::Of(user),
        Some(_) => Session::Refused,
        None => Session::Anonymous,
    }
}

/// The key inside `1|key|salt|signature`.
fn session_key(cookie: &str) -> Option<&str> {
    let mut fields = cookie.split('|');
    let (version, key, salt, signature) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let whole = fields.next().is_none() && ![key, salt, signature].contains(&"");
    (version == "1" && whole).then_some(key)
}

/// In front of every platform path, whatever other credential there is: a refused cookie gets an empty 401, or is
/// sent to the login page where the caller accepts HTML.
pub async fn check_session_cookie(
    State(simulation): State<Arc<Simulation>>,
    OriginalUri(uri): OriginalUri,
    request: Request,
    next: Next,
) -> Response {
    let refused = matches!(session(&simulation.state(), request.headers()), Session::Refused);
    if !refused {
        return next.run(request).await;
    }
    let accept =
        request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if accept.contains("text/html") {
        let login = format!("/platform/login?next={}", uri.path());
        return (StatusCode::FOUND, [(header::LOCATION, login)]).into_response();
    }
    StatusCode::UNAUTHORIZED.into_response()
}
