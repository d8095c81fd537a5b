//! Authentication on the platform: a JWT, an opaque bearer token or a session cookie, checked in the platform's
//! order.

use std::sync::Arc;

use axum::{
    Json,
    extract::{FromRequestParts, OriginalUri, Request, State},
    http::{HeaderMap, StatusCode, header, request::Parts},
    middleware::Next,
    response::{Html, IntoResponse, Response},
};
use serde_json::{Value, json};

use super::{forbidden, jwt, refusal};
use crate::state::{self, Simulation, User};

/// An authenticated user. Inactive users count: the platform admits them too.
pub struct Caller(pub User);

impl Caller {
    pub fn is_self_or_staff(&self, username: &str) -> bool {
        self.0.staff || self.0.username == username
    }
}

/// Reason why the platform refuses a credential.
enum Denied {
    Unauthorized(Value),
    /// The OAuth2 application is restricted.
    Restricted,
}

impl IntoResponse for Denied {
    fn into_response(self) -> Response {
        match self {
            Self::Unauthorized(body) => (StatusCode::UNAUTHORIZED, Json(body)).into_response(),
            Self::Restricted => forbidden(),
        }
    }
}

impl FromRequestParts<Arc<Simulation>> for Caller {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, simulation: &Arc<Simulation>) -> Result<Self, Response> {
        let authorization = parts.headers.get(header::AUTHORIZATION).map(|value| value.to_str());
        // The platform fails to decode such a header, and answers 500.
        let Ok(authorization) = authorization.transpose() else {
            return Err(refusal(StatusCode::INTERNAL_SERVER_ERROR));
        };
        let authorization = authorization.unwrap_or_default().trim();
        let (scheme, credential) = authorization.split_once(' ').unwrap_or((authorization, ""));
        let mut state = simulation.state();
        let user = match scheme.to_ascii_lowercase().as_str() {
            "jwt" => by_jwt(simulation, &mut state, credential),
            "bearer" => by_bearer(&state, credential).map_err(Denied::Unauthorized),
            _ => by_cookies(simulation, &mut state, &parts.headers),
        };
        user.map(Self).map_err(Denied::into_response)
    }
}

fn by_jwt(simulation: &Simulation, state: &mut state::State, token: &str) -> Result<User, Denied> {
    let claims = jwt::verify(&simulation.config, token);
    let claims = claims.ok_or_else(|| Denied::Unauthorized(json!({"detail": "Invalid token."})))?;
    let user = known_or_new(state, &claims.preferred_username);
    let own_client = state.own_client().filter(|client| client.user_id == user.id);
    // The platform trusts the claim, so a token stays valid after its application is restricted. The simulator
    // applies a test's restriction at once.
    if claims.is_restricted || own_client.is_some_and(|client| client.restricted) {
        return Err(Denied::Restricted);
    }
    Ok(user)
}

/// A signed token with an unknown username creates an account of that name, without a profile and without an address.
fn known_or_new(state: &mut state::State, username: &str) -> User {
    if let Some(user) = state.user_named(username) {
        return user.clone();
    }
    let user = User { email: String::new(), profile: false, ..state.blank_user(username) };
    state.users.push(user.clone());
    user
}

/// The platform treats a JWT sent as a bearer token as an opaque one, which it does not know.
fn by_bearer(state: &state::State, token: &str) -> Result<User, Value> {
    let problem = |code: &str, message: &str| json!({"error_code": code, "developer_message": message});
    if token.is_empty() {
        return Err(problem("token_not_provided", "Invalid token header. No credentials provided."));
    }
    if token.contains(' ') {
        let message = "Invalid token header. Token string should not contain spaces.";
        return Err(problem("token_malformed", message));
    }
    let known = state.bearers.get(token).and_then(|bearer| Some((bearer, state.user(bearer.user_id)?)));
    match known {
        Some((bearer, _)) if bearer.expired => {
            let message = "The provided access token has expired and is no longer valid.";
            Err(problem("token_expired", message))
        }
        Some((_, user)) => Ok(user.clone()),
        None => {
            let message = "The provided access token does not match any valid tokens.";
            Err(problem("token_nonexistent", message))
        }
    }
}

/// The two JWT cookies, or the session if they are not valid.
fn by_cookies(
    simulation: &Simulation,
    state: &mut state::State,
    headers: &HeaderMap,
) -> Result<User, Denied> {
    let halves = (cookie(headers, jwt::HEADER_PAYLOAD), cookie(headers, jwt::SIGNATURE));
    if let (Some(header_payload), Some(signature)) = halves
        && let Some(claims) = jwt::verify(&simulation.config, &format!("{header_payload}.{signature}"))
    {
        return Ok(known_or_new(state, &claims.preferred_username));
    }
    match session(state, headers) {
        Session::Of(user) => Ok(user.clone()),
        _ => Err(Denied::Unauthorized(json!({"detail": "Authentication credentials were not provided."}))),
    }
}

enum Session<'a> {
    /// No cookie, or a well-formed cookie of a session that has ended.
    Anonymous,
    Of(&'a User),
    /// The signature does not belong to the session.
    Refused,
    /// A cookie that the platform cannot parse.
    Malformed,
}

fn session<'a>(state: &'a state::State, headers: &HeaderMap) -> Session<'a> {
    let Some(value) = cookie(headers, "sessionid").filter(|value| !value.is_empty()) else {
        return Session::Anonymous;
    };
    let Some(key) = session_key(value) else { return Session::Malformed };
    match state.users.iter().find(|user| session_key(&user.sessionid) == Some(key)) {
        Some(user) if user.sessionid == value => Session::Of(user),
        Some(_) => Session::Refused,
        None => Session::Anonymous,
    }
}

/// The cookie's value without surrounding quotes.
fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let value = pairs.find_map(|(one, value)| (one == name).then_some(value))?;
    let quoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    Some(quoted.unwrap_or(value))
}

/// The session key in `1|key|salt|signature`; any of the three fields may be empty.
fn session_key(cookie: &str) -> Option<&str> {
    let mut fields = cookie.split('|');
    let (version, key) = (fields.next()?, fields.next()?);
    (version == "1" && fields.count() == 2).then_some(key)
}

/// Runs before every platform path, whatever other credential the request carries.
pub async fn check_session_cookie(
    State(simulation): State<Arc<Simulation>>,
    OriginalUri(uri): OriginalUri,
    request: Request,
    next: Next,
) -> Response {
    let headers = request.headers();
    let answer = match session(&simulation.state(), headers) {
        Session::Malformed => Some(refusal(StatusCode::INTERNAL_SERVER_ERROR)),
        Session::Refused => Some(not_bound(headers, uri.path())),
        Session::Of(user) if user.disabled => {
            Some((StatusCode::FORBIDDEN, Html("Your account has been disabled.")).into_response())
        }
        Session::Of(_) | Session::Anonymous => None,
    };
    match answer {
        Some(answer) => answer,
        None => next.run(request).await,
    }
}

/// An empty 401, or a redirect to the login page if the caller accepts HTML.
fn not_bound(headers: &HeaderMap, path: &str) -> Response {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if accept.contains("text/html") {
        let login = format!("/platform/login?next={path}");
        return (StatusCode::FOUND, [(header::LOCATION, login)]).into_response();
    }
    (StatusCode::UNAUTHORIZED, Html("")).into_response()
}
