//! The user API: the caller's username, one account, and staff look-ups by email or id.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use axum::{
    Json,
    body::Bytes,
    extract::{Path, Query, State},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::caller::Caller;
use crate::state::{Simulation, User, collated, micros, seconds};

/// The fields that the platform returns for an account without a profile.
const WITHOUT_PROFILE: [&str; 5] = ["username", "date_joined", "email", "id", "is_active"];

pub async fn me(Caller(user): Caller) -> Json<Value> {
    Json(json!({"username": user.username}))
}

pub async fn by_username(
    State(simulation): State<Arc<Simulation>>,
    caller: Caller,
    Path(username): Path<String>,
) -> Response {
    match simulation.state().user_named(&username) {
        Some(user) => shown(user, &caller, false),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// `?email=` or `?lms_user_id=`, for staff only: a list with one account, or 404. Without either, the caller's own
/// account.
pub async fn find(
    State(simulation): State<Arc<Simulation>>,
    caller: Caller,
    Query(params): Query<HashMap<String, String>>,
) -> Response {
    let given = |name: &str| params.get(name).filter(|value| !value.is_empty());
    let state = simulation.state();
    let user = match (given("email"), given("lms_user_id")) {
        (None, None) => Some(&caller.0),
        _ if !caller.0.staff => return super::forbidden(),
        (Some(email), _) => match state.retired(email) {
            Some(user) => return retired(user.retired_for_good),
            None => state.user_with_email(email),
        },
        (None, Some(id)) => match id.parse() {
            Ok(id) => state.user(id),
            Err(_) => return StatusCode::BAD_REQUEST.into_response(),
        },
    };
    match user {
        Some(user) => shown(user, &caller, true),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// The platform stores the address of a retired account as a hash.
fn retired(for_good: bool) -> Response {
    let message = "This email is associated to a retired account.";
    let id = (!for_good).then_some(1);
    let body = json!({"error_msg": message, "can_cancel_retirement": !for_good, "retirement_id": id});
    (StatusCode::NOT_FOUND, Json(body)).into_response()
}

/// Leaves unknown addresses out; returns known ones in the account's spelling.
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
    let wanted: HashSet<String> = emails.iter().filter_map(Value::as_str).map(collated).collect();
    let state = simulation.state();
    let found = state.users.iter().filter(|user| wanted.contains(&collated(&user.email)));
    let rows = found.map(|user| json!({"email": user.email, "id": user.id, "username": user.username}));
    Json(Value::from_iter(rows)).into_response()
}

fn shown(user: &User, caller: &Caller, as_list: bool) -> Response {
    let account = account(user, caller);
    Json(if as_list { json!([account]) } else { account }).into_response()
}

/// Other callers learn only that the account exists.
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
    let mut account = json!({
        "account_privacy": "private",
        "profile_image": profile_image,
        "username": user.username,
        "bio": null,
        "course_certificates": null,
        "country": null,
        "date_joined": seconds(user.joined),
        "language_proficiencies": user.language.iter().map(|code| json!({"code": code})).collect::<Vec<_>>(),
        "level_of_education": null,
        "social_links": [],
        "time_zone": null,
        "name": user.name,
        "email": user.email,
        "id": user.id,
        "verified_name": null,
        "extended_profile": [],
        "gender": null,
        "state": null,
        "goals": null,
        "is_active": user.is_active,
        "last_login": micros(user.joined),
        "mailing_address": null,
        "requires_parental_consent": true,
        "secondary_email": null,
        "secondary_email_enabled": null,
        "year_of_birth": null,
        "phone_number": null,
        "activation_key": null,
        "pending_name_change": null,
    });
    if let Some(fields) = account.as_object_mut().filter(|_| !user.profile) {
        for (_, value) in fields.iter_mut().filter(|(name, _)| !WITHOUT_PROFILE.contains(&name.as_str())) {
            *value = Value::Null;
        }
        fields.insert("account_privacy".into(), json!("all_users"));
    }
    account
}
