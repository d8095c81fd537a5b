//! Control routes for accounts of the course platform: `POST /_sim/users`, and the registration hint that follows.
//! The simulator sends the hint once, in the background; its outcome has no effect here.

use std::{sync::Arc, time::Duration};

use axum::{
    Form, Json, Router,
    body::Bytes,
    extract::{Query, State},
    http::{StatusCode, header},
    response::{Html, IntoResponse, Redirect, Response},
    routing::{get, post},
};
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    control::{ControlError, ControlResult, bad, parse},
    page,
    platform::jwt,
    state::{self, Bearer, Simulation, User, now, random},
};

const HINT_BUDGET: Duration = Duration::from_secs(5);

pub(super) fn routes() -> Router<Arc<Simulation>> {
    Router::new()
        .route("/_sim/users", post(create))
        .route("/_sim/users/activate", post(activate))
        .route("/_sim/users/change", post(change))
        .route("/_sim/login", get(sign_in_page).post(sign_in))
        .route("/_sim/logout", get(sign_out))
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct NewUser {
    email: String,
    username: Option<String>,
    name: Option<String>,
    active: Option<bool>,
    staff: Option<bool>,
    disabled: Option<bool>,
    retired: Option<bool>,
    profile: Option<bool>,
    password: Option<String>,
    organisations: Option<Vec<String>>,
    hint: Option<bool>,
    /// The code of the first language in the profile.
    language: Option<String>,
}

async fn create(State(simulation): State<Arc<Simulation>>, body: Bytes) -> ControlResult<Json<Value>> {
    let new: NewUser = parse(&body)?;
    let hint = new.hint.unwrap_or(true);
    let bearer = random(30);
    let user = register(&mut simulation.state(), new, &bearer)?;

    let (jwt, jwt_cookies) = jwt::learner(&simulation.config, &user)
        .map_err(|error| ControlError(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    if let Some(url) = simulation.hint_url().filter(|_| hint) {
        tokio::spawn(send_hint(url, registration_event(&user)));
    }
    Ok(Json(json!({
        "user_id": user.id,
        "username": user.username,
        "email": user.email,
        "name": user.name,
        "sessionid": user.sessionid,
        "bearer": bearer,
        "jwt": jwt,
        "jwt_cookies": jwt_cookies,
    })))
}

#[derive(Deserialize)]
struct SignIn {
    #[serde(default)]
    email: String,
    #[serde(default)]
    next: String,
}

/// Stands in for the page on which learners sign in.
async fn sign_in_page(Query(SignIn { next, .. }): Query<SignIn>) -> Html<String> {
    let next: String = next.chars().filter(|c| !"\"<>&".contains(*c)).collect();
    page::card(
        "Sign in",
        &format!(
            "<h1>Sign in to the course platform</h1><p class=\"soft\">Any address will do: one without an account gets one.</p>\
             <form method=\"post\"><input type=\"hidden\" name=\"next\" value=\"{next}\">\
             <label>Email address <input type=\"email\" name=\"email\" required autocomplete=\"email\"></label> <button>Sign in</button></form>"
        ),
    )
}

/// Signs a learner in, as the platform does: with a session cookie for its domain. Leads on to `next`.
async fn sign_in(
    State(simulation): State<Arc<Simulation>>,
    Form(SignIn { email, next }): Form<SignIn>,
) -> ControlResult<Response> {
    let known = simulation.state().user_with_email(&email).cloned();
    let user = match known {
        Some(user) => user,
        None => {
            let new = NewUser { email, ..NewUser::default() };
            let user = register(&mut simulation.state(), new, &random(30))?;
            if let Some(url) = simulation.hint_url() {
                tokio::spawn(send_hint(url, registration_event(&user)));
            }
            user
        }
    };
    let cookie = format!("sessionid={}; Path=/; HttpOnly; SameSite=Lax", user.sessionid);
    Ok(([(header::SET_COOKIE, cookie)], Redirect::to(&next)).into_response())
}

/// Signs the learner out in this browser. Leads on to `next`.
async fn sign_out(Query(SignIn { next, .. }): Query<SignIn>) -> Response {
    ([(header::SET_COOKIE, "sessionid=; Path=/; Max-Age=0")], Redirect::to(&next)).into_response()
}

fn register(state: &mut state::State, new: NewUser, bearer: &str) -> ControlResult<User> {
    let email = new.email.trim();
    if email.contains(char::is_whitespace)
        || !email.split_once('@').is_some_and(|(a, b)| !a.is_empty() && !b.is_empty())
    {
        return Err(bad("email is not an address"));
    }
    if state.user_with_email(email).is_some() {
        return Err(taken("email"));
    }
    let username = match new.username {
        Some(name) if name.is_empty() || !name.chars().all(in_username) => {
            return Err(bad("username may hold letters, digits and . _ @ + - only"));
        }
        Some(name) if state.user_named(&name).is_some() => return Err(taken("username")),
        Some(name) => name,
        None => free_username(state, email),
    };
    let mut user = User {
        email: email.into(),
        name: new.name.unwrap_or_else(|| username.clone()),
        is_active: new.active.unwrap_or(true),
        staff: new.staff.unwrap_or(false),
        disabled: new.disabled.unwrap_or(false),
        profile: new.profile.unwrap_or(true),
        password: new.password,
        organisations: new.organisations,
        language: new.language,
        ..state.blank_user(&username)
    };
    if new.retired.unwrap_or(false) {
        retire(&mut user);
    }
    state.bearers.insert(bearer.into(), Bearer { user_id: user.id, expired: false });
    state.users.push(user.clone());
    Ok(user)
}

/// The platform replaces the address by one that receives no mail, and stores the old one.
fn retire(user: &mut User) {
    let email = format!("retired__user_{}@retired.invalid", random(40));
    user.retired_email = Some(std::mem::replace(&mut user.email, email));
    user.password = None;
}

fn in_username(c: char) -> bool {
    c.is_alphanumeric() || "._@+-".contains(c)
}

fn taken(what: &str) -> ControlError {
    ControlError(StatusCode::CONFLICT, format!("an account with this {what} exists"))
}

fn free_username(state: &state::State, email: &str) -> String {
    let local = email.split('@').next().unwrap_or_default();
    let base: String = local.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    let mut candidate = base.clone();
    while state.user_named(&candidate).is_some() {
        candidate = format!("{base}_{}", random(6));
    }
    candidate
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Activation {
    email: String,
}

/// The learner follows the link of the platform's confirmation mail. This sends no hint: the platform announces
/// registrations only.
async fn activate(State(simulation): State<Arc<Simulation>>, body: Bytes) -> ControlResult<Json<Value>> {
    let Activation { email } = parse(&body)?;
    let mut state = simulation.state();
    let id =
        state.user_with_email(&email).map(|user| user.id).ok_or_else(|| bad("no account has this email"))?;
    for user in state.users.iter_mut().filter(|user| user.id == id) {
        user.is_active = true;
    }
    Ok(Json(json!({"user_id": id, "is_active": true})))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    email: String,
    username: Option<String>,
    name: Option<String>,
    new_email: Option<String>,
    active: Option<bool>,
    staff: Option<bool>,
    disabled: Option<bool>,
    #[serde(default)]
    retired: bool,
    /// For an account that is retired already, by the address that it got.
    #[serde(default)]
    retired_for_good: bool,
    profile: Option<bool>,
}

/// Changes an account on the platform; its sessions and tokens stay valid.
async fn change(State(simulation): State<Arc<Simulation>>, body: Bytes) -> ControlResult<Json<Value>> {
    let new: Change = parse(&body)?;
    let mut state = simulation.state();
    let user = state.user_with_email(&new.email).ok_or_else(|| bad("no account has this email"))?;
    let id = user.id;
    let other = |user: &User| user.id != id;
    if new.username.as_deref().and_then(|name| state.user_named(name)).is_some_and(other) {
        return Err(taken("username"));
    }
    if new.new_email.as_deref().and_then(|email| state.user_with_email(email)).is_some_and(other) {
        return Err(taken("email"));
    }
    let user = state
        .users
        .iter_mut()
        .find(|user| user.id == id)
        .ok_or_else(|| bad("the account no longer exists"))?;
    user.username = new.username.unwrap_or_else(|| user.username.clone());
    user.name = new.name.unwrap_or_else(|| user.name.clone());
    user.email = new.new_email.unwrap_or_else(|| user.email.clone());
    user.is_active = new.active.unwrap_or(user.is_active);
    user.staff = new.staff.unwrap_or(user.staff);
    user.disabled = new.disabled.unwrap_or(user.disabled);
    user.profile = new.profile.unwrap_or(user.profile);
    if new.retired {
        retire(user);
    }
    user.retired_for_good |= new.retired_for_good;
    Ok(Json(json!({"user_id": id, "username": user.username, "email": user.email})))
}

/// The body that the platform's webhook plugin posts.
fn registration_event(user: &User) -> Value {
    json!({
        "openedx_events.learning.data.UserData": {
            "id": user.id,
            "is_active": user.is_active,
            "pii": {"username": user.username, "email": user.email, "name": user.name},
        },
        "event_metadata": {
            "event_type": "org.openedx.learning.student.registration.completed.v1",
            "id": Uuid::now_v7(),
            "minorversion": 0,
            "source": "openedx/lms/web",
            "sourcehost": "lms-0",
            "time": now().format("%Y-%m-%d %H:%M:%S%.6f+00:00").to_string(),
            "sourcelib": [10, 5, 0],
        },
    })
}

async fn send_hint(url: String, event: Value) {
    // reqwest needs a TLS provider even for plain HTTP; this fails if one is installed already, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().timeout(HINT_BUDGET).build();
    let sent = match client {
        Ok(client) => client.post(url).header("accept", "text/plain").json(&event).send().await,
        Err(error) => Err(error),
    };
    match sent {
        Ok(answer) => tracing::debug!(status = answer.status().as_u16(), "registration hint sent"),
        Err(error) => tracing::warn!(error = %error.without_url(), "registration hint not delivered"),
    }
}
