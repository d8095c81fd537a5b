//! The platform's JWTs: claims, signature, check, and the two cookies. In a header they are signed with the shared secret
//! (HS256), in cookies with the platform's own key (RS512), whose public half is in `deploy/demo-platform-keys.json`.

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, errors::Result};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::simulators::{
    SimulatorsConfig,
    state::{User, now},
};

pub const LIFETIME_SECONDS: i64 = 3600;
/// Fixed, and no secret: it signs the tokens of simulated learners.
const SIGNING_KEY: &[u8] = include_bytes!("signing_key.pem");
const LEEWAY_SECONDS: u64 = 1;

/// What a client of this learner would send in a header, and the two cookies of its browser.
pub fn learner(config: &SimulatorsConfig, user: &User) -> Result<(String, Value)> {
    let mut claims = claims(config, user);
    claims.extend(object(json!({
        "grant_type": "password",
        "scopes": ["user_id", "email", "profile"],
        "filters": ["user:me"],
        "user_id": user.id,
        "name": user.name,
    })));
    if let Some(organisations) = &user.organisations {
        claims.insert("organisations".into(), json!(organisations));
    }
    let key = EncodingKey::from_rsa_pem(SIGNING_KEY)?;
    let cookies = cookies(&jsonwebtoken::encode(&Header::new(Algorithm::RS512), &claims, &key)?);
    Ok((sign(config, &claims)?, cookies))
}

/// What the service account gets for its client credentials.
pub fn service(config: &SimulatorsConfig, user: &User) -> Result<String> {
    let mut claims = claims(config, user);
    claims.extend(object(json!({
        "grant_type": "client_credentials",
        "scopes": ["read", "write", "email", "profile"],
        "filters": [],
        "name": null,
    })));
    sign(config, &claims)
}

/// The claims of every token of this user.
fn claims(config: &SimulatorsConfig, user: &User) -> Map<String, Value> {
    let issued = now().timestamp();
    object(json!({
        "aud": config.audience,
        "exp": issued + LIFETIME_SECONDS,
        "iat": issued,
        "iss": config.issuer,
        "preferred_username": user.username,
        "version": "1.2.0",
        "sub": user.sub,
        "is_restricted": false,
        "email_verified": user.is_active,
        "email": user.email,
        "family_name": "",
        "given_name": "",
        "administrator": user.staff,
        "superuser": false,
    }))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn sign(config: &SimulatorsConfig, claims: &Map<String, Value>) -> Result<String> {
    let key = EncodingKey::from_secret(config.jwt_secret.as_bytes());
    jsonwebtoken::encode(&Header::new(Algorithm::HS256), claims, &key)
}

#[derive(Deserialize)]
struct Identity {
    preferred_username: String,
}

/// The username of a valid token.
pub fn verify(config: &SimulatorsConfig, token: &str) -> Option<String> {
    let mut validation = Validation::new(Algorithm::HS256);
    validation.leeway = LEEWAY_SECONDS;
    validation.set_audience(&[&config.audience]);
    validation.set_issuer(&[&config.issuer]);
    let key = DecodingKey::from_secret(config.jwt_secret.as_bytes());
    let data = jsonwebtoken::decode::<Identity>(token, &key, &validation).ok()?;
    Some(data.claims.preferred_username)
}

/// The token split over two cookies, so that scripts can read the claims but never the signature.
fn cookies(token: &str) -> Value {
    let (header_payload, signature) = token.rsplit_once('.').unwrap_or((token, ""));
    json!({
        "edx-jwt-cookie-header-payload": header_payload,
        "edx-jwt-cookie-signature": signature,
    })
}
