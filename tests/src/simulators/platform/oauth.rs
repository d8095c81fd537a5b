//! `POST /oauth2/access_token`: client credentials for the one service account.

use std::{collections::HashMap, sync::Arc};

use axum::{
    Form, Json,
    extract::{State, rejection::FormRejection},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use serde_json::json;

use super::{jwt, refusal};
use crate::simulators::state::{Simulation, random};

const SCOPE: &str = "read write email profile";

pub async fn access_token(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    form: Result<Form<HashMap<String, String>>, FormRejection>,
) -> Response {
    let Ok(Form(form)) = form else { return error(StatusCode::BAD_REQUEST, "invalid_request") };
    let field = |name: &str| form.get(name).map(String::as_str);
    if field("grant_type") != Some("client_credentials") {
        return error(StatusCode::BAD_REQUEST, "unsupported_grant_type");
    }
    let config = &simulation.config;
    let known = field("client_id") == Some(&config.client_id)
        && field("client_secret") == Some(&config.client_secret);
    if !known {
        return error(StatusCode::UNAUTHORIZED, "invalid_client");
    }
    // The header counts only where the form names no type.
    let header_type = headers.get("x-token-type").and_then(|value| value.to_str().ok());
    let wants_jwt = field("token_type").or(header_type).is_some_and(|kind| kind.eq_ignore_ascii_case("jwt"));
    issue(&simulation, wants_jwt).unwrap_or_else(|| refusal(StatusCode::INTERNAL_SERVER_ERROR))
}

fn issue(simulation: &Simulation, wants_jwt: bool) -> Option<Response> {
    let mut state = simulation.state();
    let account = state.service_account()?.clone();
    let (token, token_type) = if wants_jwt {
        (jwt::service(&simulation.config, &account).ok()?, "JWT")
    } else {
        let token = random(30);
        state.bearers.insert(token.clone(), account.id);
        (token, "Bearer")
    };
    let body = json!({"access_token": token, "expires_in": jwt::LIFETIME_SECONDS, "token_type": token_type,
        "scope": SCOPE});
    Some(Json(body).into_response())
}

fn error(status: StatusCode, code: &str) -> Response {
    (status, Json(json!({"error": code}))).into_response()
}
