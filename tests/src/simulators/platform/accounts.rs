//! The user API: who am I, one account, and staff look-ups by email.

use std::{collections::HashMap, sync::Arc};

use axum::{
    Json,
    body::Bytes,
    extract::{Path, Query, State},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::caller::Caller;
use crate::simulators::state::{Simulation, User, micros, seconds};

pub async fn me(Caller(user): Caller) -> Json<Value> {
    Json(json!({"username": user.username}))
}

pub async fn by_username(
    State(simulation): State<Arc<Simulation>>,
    caller: Caller,
    Path(username): Path<String>,
) -> Response {
    match simulation.state().user_named(&username) {
        Some(user) => Json(account(user, &caller)).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// `?email=`: a list of one, or 404 with an empty body.
pub async fn by_email(
    State(simulation): State<Arc<Simulation>>,
    caller: Caller,
    Query(params): Query<HashMap<String, String>>,
) -> Response {
    let state = simulation.state();
    let user = params.get("email").and_then(|email| state.user_with_email(email));
    match user.filter(|_| caller.0.staff) {
        Some(user) => Json(json!([account(user, &caller)])).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Unknown addresses are left out; known ones come back as the account spells them.
pub async fn search_emails(
    State(simulation): State<Arc<Simulation>>,
    caller: Caller,
    body: Bytes,
) -> Response {
    if !caller.0.staff {
        let body = json!({"developer_message": "not_found", "user_message": "Not Found"});
        return (StatusCode::NOT_FOUND, Json(body)).into_response();
    }
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let Some(emails) = body.get("emails").and_then(Value::as_array) else {
        let message = "'emails' field is required";
        let body = json!({"developer_message": message, "user_message": message});
        return (StatusCode::BAD_REQUEST, Json(body)).into_response();
    };
    let wanted: Vec<String> = emails.iter().filter_map(Value::as_str).map(str::to_lowercase).collect();
    let state = simulation.state();
    let found = state.users.iter().filter(|user| wanted.contains(&user.email.to_lowercase()));
    let rows = found.map(|user| json!({"email": user.email, "id": user.id, "username": user.username}));
    Json(Value::from_iter(rows)).into_response()
}

/// Others see that the account exists, and no more.
fn account(user: &User, caller: &Caller) -> Value {
    let image = "http://lms.test/static/images/profiles/default_";
    let profile_image = json!({
        "has_image": false,
        "image_url_full": format!("{image}500.png"),
        "image_url_large": format!("{image}120.png"),
        "image_url_medium": format!("{image}50.png"),
        "image_url_small": format!("{image}30.png"),
    });
    if !caller.is_self_or_staff(&user.username) {
        return json!({"username": user.username, "profile_image": profile_image, "account_privacy": "private"});
    }
    json!({
        "username": user.username,
        "id": user.id,
        "email": user.email,
        "name": user.name,
        "is_active": user.is_active,
        "date_joined": seconds(user.joined),
        "last_login": micros(user.joined),
        "bio": null,
        "country": null,
        "state": null,
        "profile_image": profile_image,
        "language_proficiencies": [],
        "gender": null,
        "goals": null,
        "year_of_birth": null,
        "level_of_education": null,
        "mailing_address": null,
        "requires_parental_consent": false,
        "account_privacy": "private",
        "social_links": [],
        "extended_profile": [],
        "phone_number": null,
        "pending_name_change": null,
        "verified_name": null,
    })
}
