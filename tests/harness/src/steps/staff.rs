//! Staff of organisations, and their requests at the support desk.

use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::steps::credentials::session;
use crate::{Reply, World};

/// Makes a new platform user a member of an organisation's staff, without the command. Returns the cookie of their session.
pub async fn staff(world: &World, organisation: &str, email: &str, roles: &[&str]) -> String {
    let user = world.new_platform_user(json!({ "email": email, "name": "Noor Haddad", "hint": false })).await;
    add(world, organisation, &user, roles).await;
    session(&user)
}

/// Adds a platform user to an organisation's staff.
pub async fn add(world: &World, organisation: &str, user: &Value, roles: &[&str]) {
    sqlx::query(
        "WITH known AS (
             INSERT INTO learners (id, platform_user_id, username, email, name, created_at, updated_at)
             VALUES ($1, $2, $3, $4, $5, now(), now())
             ON CONFLICT (platform_user_id) DO UPDATE SET updated_at = now() RETURNING id)
         INSERT INTO staff (organisation_id, learner_id, email, name, roles, added_at)
         SELECT o.id, k.id, $4, $5, $6, now() FROM organisations o, known k WHERE o.short_name = $7",
    )
    .bind(Uuid::now_v7())
    .bind(user["user_id"].as_i64().unwrap())
    .bind(user["username"].as_str().unwrap())
    .bind(user["email"].as_str().unwrap())
    .bind(user["name"].as_str().unwrap())
    .bind(roles)
    .bind(organisation)
    .execute(&world.db)
    .await
    .unwrap();
}

/// GETs a path as a member of the staff.
pub async fn look(world: &World, cookie: &str, path: &str) -> Reply {
    Reply::read(world.http.get(world.url(path)).header("cookie", cookie)).await
}

/// POSTs to a path of the support desk as a member of the staff, under a new idempotency key.
pub async fn act(world: &World, cookie: &str, path: &str, body: &Value) -> Reply {
    let request = world.http.request(Method::POST, world.url(path)).header("cookie", cookie);
    let request =
        request.header("origin", "http://store.test").header("idempotency-key", Uuid::now_v7().to_string());
    Reply::read(if body.is_null() { request } else { request.json(body) }).await
}
