//! Reads a learner's credential from a request. Does not verify it.

use axum::http::{HeaderMap, header};
use cookie::Cookie;
use sha2::{Digest, Sha256};

use crate::metrics::CredentialKind;

/// The platform's session cookie, and the two halves of its JWT: scripts can read the first half but not the second.
const SESSION: &str = "sessionid";
const JWT_HEADER_PAYLOAD: &str = "edx-jwt-cookie-header-payload";
const JWT_SIGNATURE: &str = "edx-jwt-cookie-signature";

/// The longest accepted credential, in bytes. The platform issues shorter ones, and its proxies refuse longer ones.
const LONGEST: usize = 4096;

/// The length of an opaque token whose value cannot be guessed: RFC 6749 (10.10) asks for 128 bits, and one of RFC 6750's
/// 68 characters holds 6.1. django-oauth-toolkit makes tokens of 30 characters, and an operator can set a generator.
const SHORTEST_TOKEN: usize = 22;

/// A learner's credential. It has no `Debug`, so that it cannot appear in logs.
#[derive(Clone, PartialEq, Eq)]
pub enum Credential {
    /// The platform's session cookie, which only the platform can resolve, and the JWT from the cookies sent with it.
    Session { session: String, token: Option<String> },
    /// An opaque access token of the platform.
    Bearer(String),
    /// A JWT of the platform, from the header or from its two cookies.
    Jwt(String),
}

/// A credential, and how the request carried it.
pub struct Presented {
    pub credential: Credential,
    /// Indicates whether it came in cookies, which a browser also adds to requests that other sites' pages make.
    pub by_cookie: bool,
}

impl Credential {
    /// SHA-256 of the whole credential, by which the process caches the identity.
    pub fn digest(&self) -> [u8; 32] {
        match self {
            Self::Session { token: Some(token), .. } => {
                let asked = self.asked_digest();
                Sha256::new().chain_update(asked).chain_update(token).finalize().into()
            }
            _ => self.asked_digest(),
        }
    }

    /// SHA-256 of the part that is sent to the platform, by which Redis caches the platform's answer.
    pub fn asked_digest(&self) -> [u8; 32] {
        let kind = match self {
            Self::Session { .. } => "session ",
            Self::Bearer(_) => "bearer ",
            Self::Jwt(_) => "jwt ",
        };
        Sha256::new().chain_update(kind).chain_update(self.value()).finalize().into()
    }

    pub fn kind(&self) -> CredentialKind {
        match self {
            Self::Session { .. } => CredentialKind::Session,
            Self::Bearer(_) => CredentialKind::Token,
            Self::Jwt(_) => CredentialKind::Jwt,
        }
    }

    fn value(&self) -> &str {
        match self {
            Self::Session { session: value, .. } | Self::Bearer(value) | Self::Jwt(value) => value,
        }
    }
}

impl Presented {
    /// Reads the credential; None if the request has none. The Authorization header takes precedence over cookies.
    /// Among cookies the session decides who is signed in, so that a logout takes effect at once; the JWT cookies
    /// identify the learner only if there is no session.
    ///
    /// # Errors
    /// The kind of a credential that the platform never issues in this form, or of an Authorization header of another
    /// scheme.
    pub fn read(headers: &HeaderMap) -> Result<Option<Self>, CredentialKind> {
        let presented = Self::find(headers)?;
        match presented {
            Some(presented) if presented.credential.value().len() > LONGEST => {
                Err(presented.credential.kind())
            }
            presented => Ok(presented),
        }
    }

    fn find(headers: &HeaderMap) -> Result<Option<Self>, CredentialKind> {
        let mut values = headers.get_all(header::AUTHORIZATION).iter();
        match (values.next(), values.next()) {
            (None, _) => cookies(headers),
            (Some(value), None) => {
                let credential = value.to_str().ok().and_then(authorization);
                let credential = credential.ok_or(CredentialKind::Token)?;
                Ok(Some(Self { credential, by_cookie: false }))
            }
            (Some(_), Some(_)) => Err(CredentialKind::Token),
        }
    }
}

fn authorization(value: &str) -> Option<Credential> {
    let (scheme, token) = value.trim().split_once(' ')?;
    let token = token.trim();
    let is_jwt = is_jwt(token);
    match scheme.to_ascii_lowercase().as_str() {
        "jwt" | "bearer" if is_jwt => Some(Credential::Jwt(token.to_owned())),
        "bearer" if is_opaque(token) => Some(Credential::Bearer(token.to_owned())),
        _ => None,
    }
}

/// Returns whether a token has the form of a signed JWT: three parts in URL-safe Base64 (RFC 7515, 3.1).
fn is_jwt(token: &str) -> bool {
    token.split('.').count() == 3 && token.split('.').all(is_base64)
}

/// Returns whether a token has the form of an opaque one: `b64token` of RFC 6750 (2.1).
fn is_opaque(token: &str) -> bool {
    let stem = token.trim_end_matches('=');
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte);
    token.len() >= SHORTEST_TOKEN && !stem.is_empty() && stem.bytes().all(is_allowed)
}

/// Returns whether a text holds only letters of the URL-safe Base64 alphabet without padding.
fn is_base64(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

fn cookies(headers: &HeaderMap) -> Result<Option<Presented>, CredentialKind> {
    let named = |name| cookie(headers, name).filter(|value| !value.is_empty());
    let halves = named(JWT_HEADER_PAYLOAD).zip(named(JWT_SIGNATURE));
    let token = halves.map(|(head, signature)| format!("{head}.{signature}"));
    // Some clients put a cookie's value in quotes; the platform accepts both forms.
    let session = cookie(headers, SESSION).map(|value| unquoted(&value).to_owned());
    let credential = match session.filter(|value| !value.is_empty()) {
        Some(session) if !is_session(&session) => return Err(CredentialKind::Session),
        Some(session) => Credential::Session { session, token: token.filter(|token| token.len() <= LONGEST) },
        None => match token {
            Some(token) => Credential::Jwt(token),
            None => return Ok(None),
        },
    };
    Ok(Some(Presented { credential, by_cookie: true }))
}

fn unquoted(value: &str) -> &str {
    value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value)
}

/// Returns whether a session has the form that the platform gives it: `1|key|salt|signature`, as `SafeCookieData` of
/// openedx-platform (safe_sessions/middleware.py) and Django make it. The key is Django's session key (at least 8
/// characters), the salt `get_random_string(12)`, and the signature `signing.dumps` of a SHA-256 in hexadecimal:
/// `payload:time:signature`, where the payload is 66 bytes of JSON in Base64, the time is in base 62, and the signature is
/// the Base64 of an HMAC-SHA256, or of an HMAC-SHA1 before Django 3.1. The platform answers 500 to some other forms.
fn is_session(value: &str) -> bool {
    let alphanumeric = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let fields: Vec<&str> = value.split('|').collect();
    let ["1", key, salt, signature] = fields.as_slice() else { return false };
    let signed: Vec<&str> = signature.split(':').collect();
    let [payload, time, signature] = signed.as_slice() else { return false };
    key.len() >= 8
        && alphanumeric(key)
        && salt.len() == 12
        && alphanumeric(salt)
        && payload.len() == 88
        && is_base64(payload)
        && (1..=11).contains(&time.len())
        && alphanumeric(time)
        && [27, 43].contains(&signature.len())
        && is_base64(signature)
}

/// The first cookie with a name: clients send the most specific one first.
pub fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    // Browsers send what other scripts have set in any encoding; it must not hide the cookies beside it.
    let lines = headers.get_all(header::COOKIE).iter().map(|line| String::from_utf8_lossy(line.as_bytes()));
    lines
        .flat_map(Cookie::split_parse)
        .filter_map(Result::ok)
        .find(|cookie| cookie.name() == name)
        .map(|cookie| cookie.value().to_owned())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    type Read = Result<Option<Presented>, CredentialKind>;

    fn read(lines: &[(&'static str, &str)]) -> Read {
        let line = |(name, value): &(&'static str, &str)| {
            (name.parse().unwrap(), HeaderValue::from_bytes(value.as_bytes()).unwrap())
        };
        Presented::read(&lines.iter().map(line).collect())
    }

    fn is(read: Read, credential: Credential, by_cookie: bool) -> bool {
        read.is_ok_and(|presented| {
            presented.is_some_and(|it| it.credential == credential && it.by_cookie == by_cookie)
        })
    }

    /// A session of the platform's form, with a signature of this length.
    fn session(signature: usize) -> String {
        let [key, salt, payload] = [32, 12, 88].map(|length| "x".repeat(length));
        format!("1|{key}|{salt}|{payload}:1vLmZa:{}", "-".repeat(signature))
    }

    const OPAQUE: &str = "aB3-._~+/aB3-._~+/aB3=";

    #[test]
    fn the_header_counts_before_the_cookies_and_the_session_before_the_jwt() {
        let halves = "edx-jwt-cookie-header-payload=a.b; edx-jwt-cookie-signature=c";
        let signed_in = session(43);
        let both = format!("{halves}; sessionid={signed_in}");
        assert!(is(read(&[("cookie", halves)]), Credential::Jwt("a.b.c".into()), true));
        let with = |token: Option<&str>| Credential::Session {
            session: signed_in.clone(),
            token: token.map(str::to_owned),
        };
        assert!(is(read(&[("cookie", &both)]), with(Some("a.b.c")), true));
        for alone in [
            format!("sessionid={signed_in}"),
            format!("sessionid=\"{signed_in}\"; edx-jwt-cookie-signature=c"),
        ] {
            assert!(is(read(&[("cookie", &alone)]), with(None), true), "{alone}");
        }
        let asked = with(None).digest();
        assert_eq!(with(Some("a.b.c")).asked_digest(), asked);
        assert!(with(Some("a.b.c")).digest() != asked && with(Some("a.b.d")).digest() != asked);
        assert_ne!(with(Some("a.b.c")).digest(), with(Some("a.b.d")).digest());
        let header = format!("bearer {OPAQUE}");
        let sent = [("cookie", both.as_str()), ("authorization", &header)];
        assert!(is(read(&sent), Credential::Bearer(OPAQUE.into()), false));
        for jwt in ["JWT a.b.c", "Bearer a.b.c", "jwt  a.b.c"] {
            assert!(is(read(&[("authorization", jwt)]), Credential::Jwt("a.b.c".into()), false), "{jwt}");
        }
    }

    #[test]
    fn half_a_cookie_is_no_credential_and_a_strange_header_is_a_wrong_one() {
        for cookie in
            ["edx-jwt-cookie-header-payload=a.b", "sessionid=", "sessionid=\"\"", "sessionid", "other=1", ""]
        {
            assert!(read(&[("cookie", cookie)]).is_ok_and(|presented| presented.is_none()), "{cookie}");
        }
        let good = format!("sessionid={}", session(43));
        let beside = format!("city=M\u{fc}nchen; {good}");
        assert!(
            read(&[("cookie", &beside)]).is_ok_and(|presented| presented.is_some()),
            "a cookie of another script"
        );
        for header in ["", "Basic dTpw", "Bearer", "Bearer ", "JWT a b", "token x", "JWT opaque"] {
            assert!(read(&[("authorization", header), ("cookie", &good)]).is_err(), "{header}");
        }
    }

    #[test]
    fn a_token_that_no_server_issues_is_a_wrong_credential() {
        let long = "x".repeat(LONGEST + 1);
        let short = &OPAQUE[1..];
        for token in [short, "x x", &long, &"=".repeat(30), &format!("{OPAQUE}=x"), "a!b!c.d.e"] {
            let header = format!("Bearer {token}");
            assert_eq!(read(&[("authorization", &header)]).err(), Some(CredentialKind::Token), "{token}");
        }
    }

    #[test]
    fn a_session_of_another_form_is_a_wrong_credential_also_beside_a_jwt() {
        let good = session(27);
        assert!(is_session(&good) && is_session(&session(43)));
        let changed = |from: &str, to: &str| good.replacen(from, to, 1);
        for session in [
            "x".to_owned(),
            "1|a|b|c".to_owned(),
            "|||".to_owned(),
            "\"".to_owned(),
            format!("\"{good}"),
            format!("{good}|d"),
            session(26),
            session(28),
            session(42),
            changed("1|", "01|"),
            changed("1|", "2|"),
            changed("xx", "x%"),
            changed(&"x".repeat(32), "xxxxxxx"),
            changed(&"x".repeat(32), ""),
            changed(&format!("|{}|", "x".repeat(12)), "|xxxxxxxxxxx|"),
            changed(":1vLmZa:", ":"),
            changed(":1vLmZa:", "::"),
            changed(":1vLmZa:", ":1v-mZa:"),
        ] {
            let halves = "edx-jwt-cookie-header-payload=a.b; edx-jwt-cookie-signature=c";
            let cookie = format!("{halves}; sessionid={session}");
            assert_eq!(read(&[("cookie", &cookie)]).err(), Some(CredentialKind::Session), "{session}");
        }
    }
}
