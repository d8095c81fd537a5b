//! Keys of an organisation, and reads with one.

use secrecy::ExposeSecret;
use shared::organisation_key::{OrganisationKey, Scope};

use crate::{Reply, World};

/// A new key of the organisation. No log may show its secret.
pub async fn key(world: &World, organisation: &str, scopes: &[Scope]) -> String {
    let key = OrganisationKey::generate().unwrap();
    let scopes: Vec<&str> = scopes.iter().map(|scope| scope.name()).collect();
    sqlx::query(
        "INSERT INTO organisation_keys (id, organisation_id, name, secret_hash, scopes, created_at)
         SELECT $1, id, 'test', $2, $3, now() FROM organisations WHERE short_name = $4",
    )
    .bind(key.id.to_string())
    .bind(key.digest().as_slice())
    .bind(scopes)
    .bind(organisation)
    .execute(&world.db)
    .await
    .unwrap();
    let text = key.expose().expose_secret().to_owned();
    keep_secret(world, &text);
    text
}

/// Revokes a key.
pub async fn revoke(world: &World, key: &str) {
    let revoked = sqlx::query("UPDATE organisation_keys SET revoked_at = now() WHERE id = $1").bind(id(key));
    assert_eq!(revoked.execute(&world.db).await.unwrap().rows_affected(), 1);
}

/// GETs a path with a key alone.
pub async fn get(world: &World, path: &str, key: &str) -> Reply {
    Reply::read(world.http.get(world.url(path)).header("organisationapikey", key)).await
}

/// The public part of a key.
pub fn id(key: &str) -> &str {
    &key[3..15]
}

/// The harness then fails the test if a log or a metric contains the secret part.
pub fn keep_secret(world: &World, key: &str) {
    world.secrets.lock().unwrap().push(key[16..].to_owned());
}
