//! `POST /oauth2/access_token`: client credentials of registered clients, and learners' passwords for public clients.

use std::{collections::HashMap, sync::Arc};

use axum::{
    Form, Json,
    extract::{State, rejection::FormRejection},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use jsonwebtoken::Algorithm;
use serde_json::json;

use super::{jwt, refusal};
use crate::state::{self, Bearer, Client, Simulation, User, now, random};

const SCOPE: &str = "read write email profile";
const OPAQUE_LIFETIME_SECONDS: i64 = 36_000;

type Fields = HashMap<String, String>;

pub async fn access_token(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    form: Result<Form<Fields>, FormRejection>,
) -> Response {
    // A body that is not a form counts as an empty one.
    let form = form.map(|Form(form)| form).unwrap_or_default();
    let mut state = simulation.state();
    if state.throttles.token_call(now()) {
        let page = axum::response::Html("<title>Too Many Requests</title>");
        return (StatusCode::TOO_MANY_REQUESTS, page).into_response();
    }
    let (client, user) = match grantee(&state, &form) {
        Ok(grantee) => grantee,
        Err(problem) => return problem.into_response(),
    };
    // The header counts only if the form has no token type.
    let header_type = headers.get("x-token-type").and_then(|value| value.to_str().ok());
    let kind = form.get("token_type").map(String::as_str).or(header_type).unwrap_or_default();
    let wants_jwt = kind.eq_ignore_ascii_case("jwt");
    let asymmetric = client.restricted || form.get("asymmetric_jwt").is_some_and(|value| value == "true");
    let algorithm = if asymmetric { Algorithm::RS512 } else { Algorithm::HS256 };
    let token = if wants_jwt {
        signed(&simulation, &client, &user, algorithm, form.get("scope"))
    } else {
        opaque(&mut state, &client, &user)
    };
    token.unwrap_or_else(|| refusal(StatusCode::INTERNAL_SERVER_ERROR))
}

/// The requesting client, and the account that its token belongs to.
fn grantee(state: &state::State, form: &Fields) -> Result<(Client, User), Problem> {
    let field = |name: &str| form.get(name).map(String::as_str);
    let client = field("client_id").and_then(|id| state.client(id)).cloned();
    let grant = field("grant_type").unwrap_or_default();
    if !["client_credentials", "password"].contains(&grant) {
        return Err(Problem(StatusCode::BAD_REQUEST, "unsupported_grant_type", None));
    }
    if grant == "password" && field("username").is_none() {
        let missing = "Request is missing username parameter.";
        return Err(Problem(StatusCode::BAD_REQUEST, "invalid_request", Some(missing)));
    }
    let proven = client.filter(|client| client.secret.as_deref() == field("client_secret"));
    let Some(client) = proven else { return Err(Problem(StatusCode::UNAUTHORIZED, "invalid_client", None)) };
    if field("scope").is_some_and(|scope| !scope.split(' ').all(|one| scope_of(&client).contains(one))) {
        return Err(Problem(StatusCode::BAD_REQUEST, "invalid_scope", None));
    }
    let user = if grant == "password" {
        let user = field("username").and_then(|name| state.user_named(name));
        user.filter(|user| user.password.is_some() && user.password.as_deref() == field("password"))
    } else {
        state.user(client.user_id)
    };
    match user {
        Some(user) => Ok((client, user.clone())),
        None => Err(Problem(StatusCode::BAD_REQUEST, "invalid_grant", Some("Invalid credentials given."))),
    }
}

fn scope_of(client: &Client) -> String {
    if client.user_id_scope { format!("{SCOPE} user_id") } else { SCOPE.to_owned() }
}

/// A token with the requested scopes, or with all that the client may have.
fn signed(
    simulation: &Simulation,
    client: &Client,
    user: &User,
    algorithm: Algorithm,
    requested: Option<&String>,
) -> Option<Response> {
    let public = client.secret.is_none();
    let scope = requested.cloned().unwrap_or_else(|| scope_of(client));
    // A sign-in with a password proves the identity, so the token contains the id without a requested scope.
    let lacks_id = public && !scope.split(' ').any(|one| one == "user_id");
    let scope = if lacks_id { format!("{scope} user_id") } else { scope };
    let token = jwt::issued(&simulation.config, client, user, &scope, algorithm).ok()?;
    Some(answer(&token, jwt::LIFETIME_SECONDS, "JWT", &scope, public))
}

fn opaque(state: &mut state::State, client: &Client, user: &User) -> Option<Response> {
    let token = random(30);
    state.bearers.insert(token.clone(), Bearer { user_id: user.id, expired: client.restricted });
    let lifetime = if client.restricted { 0 } else { OPAQUE_LIFETIME_SECONDS };
    Some(answer(&token, lifetime, "Bearer", &scope_of(client), client.secret.is_none()))
}

fn answer(token: &str, expires_in: i64, token_type: &str, scope: &str, refreshable: bool) -> Response {
    let mut body =
        json!({"access_token": token, "expires_in": expires_in, "token_type": token_type, "scope": scope});
    if let Some(body) = body.as_object_mut().filter(|_| refreshable) {
        body.insert("refresh_token".into(), json!(random(30)));
    }
    Json(body).into_response()
}

/// An error: status, code, and the platform's description if it gives one.
struct Problem(StatusCode, &'static str, Option<&'static str>);

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Self(status, code, description) = self;
        let mut body = json!({"error": code});
        if let (Some(body), Some(description)) = (body.as_object_mut(), description) {
            body.insert("error_description".into(), json!(description));
        }
        let mut answer = (status, Json(body)).into_response();
        if status == StatusCode::UNAUTHORIZED {
            let problem = HeaderValue::from_static("Bearer error=\"invalid_client\"");
            answer.headers_mut().insert(header::WWW_AUTHENTICATE, problem);
        }
        answer
    }
}
