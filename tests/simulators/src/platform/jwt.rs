//! The platform's JWTs: claims, signature, verification, and the two cookies. Tokens are signed with the shared
//! secret (HS256) or with the platform's own key (RS512), whose public half is in `deploy/demo-platform-keys.json`;
//! cookies always with the latter.

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, errors::Result, jwk::JwkSet};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    SimulatorsConfig,
    state::{Client, User, now},
};

pub const LIFETIME_SECONDS: i64 = 3600;
pub const HEADER_PAYLOAD: &str = "edx-jwt-cookie-header-payload";
pub const SIGNATURE: &str = "edx-jwt-cookie-signature";
/// A fixed key, not a secret: it signs the tokens of simulated learners.
const SIGNING_KEY: &[u8] = include_bytes!("signing_key.pem");
const PUBLIC_KEYS: &str = include_str!("../../../../deploy/demo-platform-keys.json");
/// Claims of the scope `profile`.
const PROFILE_CLAIMS: [&str; 5] = ["name", "family_name", "given_name", "administrator", "superuser"];
/// The newest major version of claims that the platform accepts.
const CLAIMS_VERSION: u32 = 1;

/// The header token that a client sends for this learner, and the browser's two cookies.
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
    let cookies = cookies(&sign(config, &claims, Algorithm::RS512)?);
    Ok((sign(config, &claims, Algorithm::HS256)?, cookies))
}

/// The token endpoint's answer to a client, for the client's account or for a learner who signed in.
pub fn issued(
    config: &SimulatorsConfig,
    client: &Client,
    user: &User,
    scope: &str,
    algorithm: Algorithm,
) -> Result<String> {
    let mut claims = claims(config, user);
    let own = client.secret.is_some();
    let scopes: Vec<&str> = scope.split(' ').collect();
    // The filters of the application's access, and the learner alone unless the client acts for itself: `DOTAdapter` in
    // openedx-platform, oauth_dispatch/adapters/dot.py.
    let own_filter = (!own).then_some("user:me");
    let filters: Vec<&str> = client.filters.iter().map(String::as_str).chain(own_filter).collect();
    claims.extend(object(json!({
        "grant_type": if own { "client-credentials" } else { "password" },
        "filters": filters,
        "is_restricted": client.restricted,
        "name": if own { "" } else { user.name.as_str() },
    })));
    if scopes.contains(&"user_id") {
        claims.insert("user_id".into(), json!(user.id));
    }
    // Each of these scopes brings its claims: `_claim_handlers` in oauth_dispatch/jwt.py.
    let by_scope = [("email", &["email"][..]), ("profile", &PROFILE_CLAIMS)];
    for (_, missing) in by_scope.iter().filter(|(scope, _)| !scopes.contains(scope)) {
        claims.retain(|name, _| !missing.contains(&name.as_str()));
    }
    claims.insert("scopes".into(), json!(scopes));
    sign(config, &claims, algorithm)
}

/// The claims that every token of this user has.
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

fn sign(config: &SimulatorsConfig, claims: &Map<String, Value>, algorithm: Algorithm) -> Result<String> {
    let key = match algorithm {
        Algorithm::RS512 => EncodingKey::from_rsa_pem(SIGNING_KEY)?,
        _ => EncodingKey::from_secret(config.jwt_secret.as_bytes())?,
    };
    jsonwebtoken::encode(&Header::new(algorithm), claims, &key)
}

/// The claims that the platform uses.
#[derive(Deserialize)]
pub struct Claims {
    pub preferred_username: String,
    #[serde(default)]
    pub is_restricted: bool,
    exp: i64,
    iat: i64,
    version: Option<String>,
}

/// Strict: no leeway for `exp` and `iat`, and both are required.
pub fn verify(config: &SimulatorsConfig, token: &str) -> Option<Claims> {
    let algorithm = jsonwebtoken::decode_header(token).ok()?.alg;
    let key = match algorithm {
        Algorithm::HS256 => DecodingKey::from_secret(config.jwt_secret.as_bytes()).ok()?,
        Algorithm::RS512 => public_key()?,
        _ => return None,
    };
    let mut validation = Validation::new(algorithm);
    validation.set_audience(&[&config.audience]);
    validation.set_issuer(&[&config.issuer]);
    // Checked below, to the second.
    validation.validate_exp = false;
    let claims = jsonwebtoken::decode::<Claims>(token, &key, &validation).ok()?.claims;
    let major = claims.version.as_deref().map_or(Some(CLAIMS_VERSION), major);
    let now = now().timestamp();
    let sound = claims.exp > now && claims.iat <= now && major.is_some_and(|major| major <= CLAIMS_VERSION);
    sound.then_some(claims)
}

fn major(version: &str) -> Option<u32> {
    version.split('.').next()?.parse().ok()
}

/// The one RSA key of the published set.
fn public_key() -> Option<DecodingKey> {
    let keys: JwkSet = serde_json::from_str(PUBLIC_KEYS).ok()?;
    let rsa = keys
        .keys
        .iter()
        .find(|key| matches!(key.algorithm, jsonwebtoken::jwk::AlgorithmParameters::RSA(_)))?;
    DecodingKey::from_jwk(rsa).ok()
}

/// Splits the token over two cookies, so that scripts can read the claims but never the signature.
fn cookies(token: &str) -> Value {
    let (header_payload, signature) = token.rsplit_once('.').unwrap_or((token, ""));
    json!({HEADER_PAYLOAD: header_payload, SIGNATURE: signature})
}
