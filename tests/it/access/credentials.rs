//! Every credential that a request can carry: what each one proves, and what it must not prove.

use harness::steps::credentials::{session, text};
use harness::steps::{organisation_keys, staff};
use harness::{SECRET, World, unknown_session};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};
use shared::organisation_key::Scope;
use shared::staff::Role;
use simulators::SimulatorsConfig;

/// Proof that a request gives of a learner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Proof {
    Nothing,
    /// A credential that identifies no user.
    Wrong,
    Learner,
    /// A learner whose token claims other organisations only.
    Elsewhere,
    /// A member of northwind's staff in one role, who is a learner too.
    Staff(Role),
}

/// Content of the header `organisationapikey`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SentKey {
    /// A valid key with this scope alone.
    Valid(Scope),
    Wrong,
}

pub struct Credential {
    pub name: String,
    /// `None`: no client secret is sent; otherwise whether it is the right one.
    pub secret: Option<bool>,
    pub proof: Proof,
    /// The organisation's key that is sent.
    pub key: Option<SentKey>,
    pub headers: Vec<(&'static str, String)>,
}

pub fn bearer(user: &Value) -> String {
    format!("Bearer {}", text(user, "bearer"))
}

pub fn jwt_cookies(user: &Value) -> String {
    let cookies = user["jwt_cookies"].as_object().unwrap().iter();
    cookies.map(|(name, value)| format!("{name}={}; ", value.as_str().unwrap())).collect()
}

/// A token made by the test: the claims of a simulated learner with changes, signed with any algorithm and key.
pub fn forged(user: &Value, change: Value, algorithm: Algorithm, key: &EncodingKey) -> String {
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let config = SimulatorsConfig::default();
    let mut claims = json!({
        "aud": config.audience, "iss": config.issuer, "exp": now + 600, "iat": now, "version": "1.2.0",
        "preferred_username": user["username"], "user_id": user["user_id"], "email": user["email"], "name": "Ada",
        "administrator": false,
    });
    claims.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    claims.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    jsonwebtoken::encode(&Header::new(algorithm), &claims, key).unwrap()
}

pub fn platform_key() -> EncodingKey {
    EncodingKey::from_secret(SimulatorsConfig::default().jwt_secret.as_bytes()).unwrap()
}

pub fn base64(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    bytes.chunks(3).fold(String::new(), |mut text, chunk| {
        let bits =
            chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..=chunk.len() {
            let digit = digits[(bits >> (18 - 6 * place) & 63) as usize];
            write!(text, "{}", char::from(digit)).unwrap();
        }
        text
    })
}

fn unbase64(text: &str) -> Vec<u8> {
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits: Vec<usize> = text.chars().filter_map(|c| digits.find(c)).collect();
    bits.chunks(4)
        .flat_map(|chunk| {
            let word = chunk.iter().fold(0, |word, digit| word << 6 | digit) << (6 * (4 - chunk.len()));
            (0..chunk.len() - 1).map(move |place| u8::try_from(word >> (16 - 8 * place) & 255).unwrap())
        })
        .collect()
}

/// Tokens that the api must reject, each with its fault.
fn bad_tokens(user: &Value) -> Vec<(&'static str, String)> {
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let (key, hs256) = (platform_key(), Algorithm::HS256);
    let good = text(user, "jwt");
    let (head, signature) = good.rsplit_once('.').unwrap();
    let payload = head.split('.').nth(1).unwrap();
    let staff = base64(
        json!({ "preferred_username": user["username"], "administrator": true }).to_string().as_bytes(),
    );
    let none = base64(br#"{"alg":"none","typ":"JWT"}"#);
    // The public key used as an HMAC secret, in each form in which it is published.
    let public = include_str!("public_key.pem");
    let secret = |bytes: &[u8]| EncodingKey::from_secret(bytes).unwrap();
    let der = unbase64(&public.lines().filter(|line| !line.starts_with('-')).collect::<String>());
    vec![
        ("expired", forged(user, json!({ "exp": now - 5 }), hs256, &key)),
        ("issued tomorrow", forged(user, json!({ "iat": now + 86_400 }), hs256, &key)),
        ("without an end", forged(user, json!({ "exp": null }), hs256, &key)),
        ("without a beginning", forged(user, json!({ "iat": null }), hs256, &key)),
        ("wrong issuer", forged(user, json!({ "iss": "http://elsewhere.test" }), hs256, &key)),
        ("no issuer", forged(user, json!({ "iss": null }), hs256, &key)),
        ("wrong audience", forged(user, json!({ "aud": "another" }), hs256, &key)),
        ("no audience", forged(user, json!({ "aud": null }), hs256, &key)),
        ("a later version", forged(user, json!({ "version": "2.0.0" }), hs256, &key)),
        ("an empty username", forged(user, json!({ "preferred_username": "" }), hs256, &key)),
        ("wrong algorithm", forged(user, json!({}), Algorithm::HS512, &key)),
        ("wrong key", forged(user, json!({}), hs256, &EncodingKey::from_secret(b"guessed").unwrap())),
        ("public key as secret, PEM", forged(user, json!({}), hs256, &secret(public.as_bytes()))),
        ("public key as secret, trimmed", forged(user, json!({}), hs256, &secret(public.trim().as_bytes()))),
        ("public key as secret, DER", forged(user, json!({}), hs256, &secret(&der))),
        (
            "RSA-PSS instead of PKCS #1 v1.5 padding",
            forged(user, json!({}), Algorithm::PS256, &signing_key()),
        ),
        ("alg none", format!("{none}.{payload}.")),
        ("alg none, signed", format!("{none}.{payload}.{signature}")),
        ("tampered", format!("{}.{staff}.{signature}", head.split('.').next().unwrap())),
        ("cut", good[..good.len() - 4].to_owned()),
        ("no token", "a.b.c".to_owned()),
    ]
}

/// A credential's name, what it proves, and its headers.
type Named = (String, Proof, Vec<(&'static str, String)>);

/// The key with which the simulated platform signs its JWT cookies.
pub fn signing_key() -> EncodingKey {
    let pem = include_bytes!("../../simulators/src/platform/signing_key.pem");
    EncodingKey::from_rsa_pem(pem).unwrap()
}

fn good(ada: &Value, staff: &Value, elsewhere: &Value) -> Vec<Named> {
    let jwt = |user: &Value| ("authorization", format!("JWT {}", text(user, "jwt")));
    let halves = ["edx-jwt-cookie-header-payload", "edx-jwt-cookie-signature"];
    let rs512 = halves.map(|half| ada["jwt_cookies"][half].as_str().unwrap()).join(".");
    let scant = json!({ "user_id": null, "email": null });
    let scant = forged(ada, scant, Algorithm::HS256, &platform_key());
    let learner = |name: &str, header| (name.to_owned(), Proof::Learner, vec![header]);
    vec![
        learner("session", ("cookie", session(ada))),
        learner("opaque bearer", ("authorization", bearer(ada))),
        learner("JWT in the header, HS256", jwt(ada)),
        learner("JWT as a bearer, HS256", ("authorization", format!("Bearer {}", text(ada, "jwt")))),
        learner("JWT in the header, RS512", ("authorization", format!("JWT {rs512}"))),
        learner(
            "JWT, RS256",
            ("authorization", format!("JWT {}", forged(ada, json!({}), Algorithm::RS256, &signing_key()))),
        ),
        learner("JWT cookies, RS512", ("cookie", jwt_cookies(ada))),
        learner("JWT without an id", ("authorization", format!("JWT {scant}"))),
        learner("staff by JWT", jwt(staff)),
        ("learner of another organisation".to_owned(), Proof::Elsewhere, vec![jwt(elsewhere)]),
    ]
}

fn bad(ada: &Value) -> Vec<Named> {
    let named = |name: &str, proof, headers| (name.to_owned(), proof, headers);
    let own = || ("authorization", bearer(ada));
    let basic = vec![("authorization", "Basic YTpi".to_owned()), ("cookie", session(ada))];
    let half = vec![("cookie", "edx-jwt-cookie-header-payload=a.b".to_owned())];
    let mut all = vec![
        named("nothing", Proof::Nothing, vec![]),
        named("half a JWT cookie", Proof::Nothing, half),
        named("unknown session", Proof::Wrong, vec![("cookie", unknown_session())]),
        named("malformed session", Proof::Wrong, vec![("cookie", "sessionid=1|a|b|c".to_owned())]),
        named("unknown bearer", Proof::Wrong, vec![("authorization", format!("Bearer {}", "x".repeat(30)))]),
        named("malformed bearer", Proof::Wrong, vec![("authorization", "Bearer opaque".to_owned())]),
        named("strange scheme", Proof::Wrong, basic),
        named("two authorizations", Proof::Wrong, vec![own(), own()]),
    ];
    all.extend(bad_tokens(ada).into_iter().map(|(name, token)| {
        (format!("JWT: {name}"), Proof::Wrong, vec![("authorization", format!("JWT {token}"))])
    }));
    all
}

/// Every credential without the client secret, with the right one, and with a wrong one.
pub async fn all(world: &World) -> Vec<Credential> {
    let ada = world.platform_user("ada@example.com").await;
    let administrator = json!({ "email": "staff@example.com", "staff": true, "hint": false });
    let administrator = world.new_platform_user(administrator).await;
    let elsewhere = json!({ "email": "eve@example.com", "organisations": ["kinabalu"], "hint": false });
    let elsewhere = world.new_platform_user(elsewhere).await;
    let mut people = Vec::new();
    for role in Role::ALL {
        let cookie = staff::staff(world, "northwind", &format!("{role}@example.com"), &[role.name()]).await;
        people.push((format!("staff in the role {role}"), Proof::Staff(*role), vec![("cookie", cookie)]));
    }
    let mut credentials = Vec::new();
    for (name, proof, headers) in [good(&ada, &administrator, &elsewhere), bad(&ada), people].concat() {
        for (secret, sent) in [(None, None), (Some(true), Some(SECRET)), (Some(false), Some("wrong"))] {
            let sent = sent.map(|secret| ("clientapisecret", secret.to_owned()));
            let headers = headers.iter().cloned().chain(sent).collect();
            credentials.push(Credential {
                name: format!("{name}, secret {secret:?}"),
                secret,
                proof,
                key: None,
                headers,
            });
        }
    }
    credentials.extend(with_keys(world, &ada).await);
    credentials
}

/// Keys of each scope, of another organisation and wrong ones; alone, beside the client secret, and beside a learner.
async fn with_keys(world: &World, ada: &Value) -> Vec<Credential> {
    let mut keys = Vec::new();
    for scope in Scope::ALL {
        let key = organisation_keys::key(world, "northwind", &[*scope]).await;
        keys.push((format!("key for {scope}"), SentKey::Valid(*scope), key));
    }
    for scope in [Scope::Orders, Scope::Reports] {
        let key = organisation_keys::key(world, "kinabalu", &[scope]).await;
        keys.push((format!("another organisation's key for {scope}"), SentKey::Valid(scope), key));
    }
    let revoked = organisation_keys::key(world, "northwind", Scope::ALL).await;
    organisation_keys::revoke(world, &revoked).await;
    let unknown = format!("sk_000000000000_{}", &revoked[16..]);
    for (name, key) in [("revoked", revoked), ("unknown", unknown), ("malformed", "sk_x_y".to_owned())] {
        keys.push((format!("{name} key"), SentKey::Wrong, key));
    }
    let (learner, good, wrong) = (session(ada), SECRET.to_owned(), "wrong".to_owned());
    let beside = [
        ("alone", None, Proof::Nothing, vec![]),
        ("with the secret", Some(true), Proof::Nothing, vec![("clientapisecret", good)]),
        ("with a wrong secret", Some(false), Proof::Nothing, vec![("clientapisecret", wrong)]),
        ("with a session", None, Proof::Learner, vec![("cookie", learner)]),
    ];
    let each = keys.iter().flat_map(|(name, key, text)| {
        beside.iter().map(move |(how, secret, proof, headers)| Credential {
            name: format!("{name}, {how}"),
            secret: *secret,
            proof: *proof,
            key: Some(*key),
            headers: headers.iter().cloned().chain([("organisationapikey", text.clone())]).collect(),
        })
    });
    each.collect()
}
