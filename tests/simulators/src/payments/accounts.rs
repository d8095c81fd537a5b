//! `/_sim/accounts`: the organisations' accounts with the payment providers.

use std::sync::Arc;

use axum::{Json, Router, body::Bytes, extract::State, http::StatusCode, routing::get};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Account, Provider};
use crate::{
    control::{ControlResult, bad, parse},
    state::Simulation,
};

pub fn routes() -> Router<Arc<Simulation>> {
    Router::new().route("/_sim/accounts", get(list).post(open))
}

async fn list(State(simulation): State<Arc<Simulation>>) -> Json<Value> {
    let state = simulation.state();
    let shown = |account: &Account| json!({"gateway": account.provider.name(), "organisation": account.organisation, "key": account.key});
    Json(state.accounts.iter().map(shown).collect())
}

/// The secrets have the names that `storefront-worker gateways set` reads.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewAccount {
    gateway: Provider,
    organisation: String,
    secret_key: String,
    #[serde(default)]
    public_key: String,
    notification_secret: String,
}

/// Opens an account, or replaces the organisation's account with this provider.
async fn open(State(simulation): State<Arc<Simulation>>, body: Bytes) -> ControlResult<StatusCode> {
    let new: NewAccount = parse(&body)?;
    let provider = new.gateway;
    let (key, key_secret) = match provider.profile().has_key_id {
        true => (new.public_key, new.secret_key),
        false => (new.secret_key, String::new()),
    };
    let (organisation, notification_secret) = (new.organisation, new.notification_secret);
    let account = Account { provider, organisation, key, key_secret, notification_secret };
    let accounts = &mut simulation.state().accounts;
    let is_other = |one: &Account| (one.provider, &one.organisation) != (provider, &account.organisation);
    if accounts.iter().any(|one| one.provider == provider && one.key == account.key && is_other(one)) {
        return Err(bad("another organisation has an account with this key"));
    }
    accounts.retain(is_other);
    accounts.push(account);
    Ok(StatusCode::NO_CONTENT)
}
