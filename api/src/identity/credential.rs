//! Reads a learner's credential from a request. Does not verify it.

use axum::http::{HeaderMap, header};
use cookie::Cookie;
use sha2::{Digest, Sha256};

use crate::error::{ApiError, ApiResult};

/// The platform's session cookie, and the two halves of its JWT: scripts can read the first half but not the second.
const SESSION: &str = "sessionid";
const JWT_HEADER_PAYLOAD: &str = "edx-jwt-cookie-header-payload";
const JWT_SIGNATURE: &str = "edx-jwt-cookie-signature";

/// The longest accepted credential, in bytes. The platform issues shorter ones, and its proxies refuse longer ones.
const LONGEST: usize = 4096;

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
    /// Whether it came in cookies, which a browser also adds to requests that other sites' pages make.
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
    /// `Unauthenticated` for an Authorization header of another kind, and for values that the platform never issues.
    pub fn read(headers: &HeaderMap) -> ApiResult<Option<Self>> {
        let presented = Self::find(headers)?;
        let fits = presented.as_ref().is_none_or(|presented| presented.credential.value().len() <= LONGEST);
        if fits { Ok(presented) } else { Err(ApiError::Unauthenticated) }
    }

    fn find(headers: &HeaderMap) -> ApiResult<Option<Self>> {
        let mut values = headers.get_all(header::AUTHORIZATION).iter();
        match (values.next(), values.next()) {
            (None, _) => cookies(headers),
            (Some(value), None) => {
                let credential = value.to_str().ok().and_then(authorization);
                let credential = credential.ok_or(ApiError::Unauthenticated)?;
                Ok(Some(Self { credential, by_cookie: false }))
            }
            (Some(_), Some(_)) => Err(ApiError::Unauthenticated),
        }
    }
}

fn authorization(value: &str) -> Option<Credential> {
    let (scheme, token) = value.trim().split_once(' ')?;
    let token = token.trim();
    if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return None;
    }
    let is_jwt = token.split('.').count() == 3;
    match scheme.to_ascii_lowercase().as_str() {
        "jwt" => Some(Credential::Jwt(token.to_owned())),
        "bearer" if is_jwt => Some(Credential::Jwt(token.to_owned())),
        "bearer" => Some(Credential::Bearer(token.to_owned())),
        _ => None,
    }
}

fn cookies(headers: &HeaderMap) -> ApiResult<Option<Presented>> {
    let named = |name| cookie(headers, name).filter(|value| !value.is_empty());
    let halves = named(JWT_HEADER_PAYLOAD).zip(named(JWT_SIGNATURE));
    let token = halves.map(|(head, signature)| format!("{head}.{signature}"));
    // Some clients put a cookie's value in quotes; the platform accepts both forms.
    let session = cookie(headers, SESSION).map(|value| unquoted(&value).to_owned());
    let credential = match session.filter(|value| !value.is_empty()) {
        Some(session) if !is_session(&session) => return Err(ApiError::Unauthenticated),
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

/// Whether a session has the form `1|key|salt|signature`. The platform answers 500 to other forms, which would count as
/// a failure of the platform.
fn is_session(value: &str) -> bool {
    let fields: Vec<&str> = value.split('|').collect();
    matches!(fields.as_slice(), ["1", rest @ ..] if rest.len() == 3 && rest.iter().all(|field| !field.is_empty()))
}

/// The first cookie with a name: clients send the most specific one first.
pub fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    lines
        .flat_map(Cookie::split_parse)
        .filter_map(Result::ok)
        .find(|cookie| cookie.name() == name)
        .map(|cookie| cookie.value().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[(&'static str, &str)]) -> ApiResult<Option<Presented>> {
        let line = |(name, value): &(&'static str, &str)| (name.parse().unwrap(), value.parse().unwrap());
        Presented::read(&lines.iter().map(line).collect())
    }

    fn is(read: ApiResult<Option<Presented>>, credential: Credential, by_cookie: bool) -> bool {
        read.is_ok_and(|presented| {
            presented.is_some_and(|it| it.credential == credential && it.by_cookie == by_cookie)
        })
    }

    #[test]
    fn the_header_counts_before_the_cookies_and_the_session_before_the_jwt() {
        let halves = "edx-jwt-cookie-header-payload=a.b; edx-jwt-cookie-signature=c";
        let session = format!("{halves}; sessionid=1|x|y|z");
        assert!(is(read(&[("cookie", halves)]), Credential::Jwt("a.b.c".into()), true));
        let with = |token: Option<&str>| Credential::Session {
            session: "1|x|y|z".into(),
            token: token.map(str::to_owned),
        };
        assert!(is(read(&[("cookie", &session)]), with(Some("a.b.c")), true));
        for alone in ["sessionid=1|x|y|z", "sessionid=\"1|x|y|z\"; edx-jwt-cookie-signature=c"] {
            assert!(is(read(&[("cookie", alone)]), with(None), true), "{alone}");
        }
        let asked = with(None).digest();
        assert_eq!(with(Some("a.b.c")).asked_digest(), asked);
        assert!(with(Some("a.b.c")).digest() != asked && with(Some("a.b.d")).digest() != asked);
        assert_ne!(with(Some("a.b.c")).digest(), with(Some("a.b.d")).digest());
        let header = ("authorization", "bearer opaque");
        assert!(is(read(&[("cookie", &session), header]), Credential::Bearer("opaque".into()), false));
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
        for header in ["", "Basic dTpw", "Bearer", "Bearer ", "JWT a b", "token x"] {
            assert!(read(&[("authorization", header), ("cookie", "sessionid=1|x|y|z")]).is_err(), "{header}");
        }
    }

    #[test]
    fn a_session_of_another_form_is_a_wrong_credential_also_beside_a_jwt() {
        for session in
            ["x", "1|a|b", "1|a|b|c|d", "01|a|b|c", "2|a|b|c", "|||", "1|a|b|", "1||b|c", "\"", "\"1|a|b|c"]
        {
            let halves = "edx-jwt-cookie-header-payload=a.b; edx-jwt-cookie-signature=c";
            let cookie = format!("{halves}; sessionid={session}");
            assert!(read(&[("cookie", &cookie)]).is_err(), "{session}");
        }
    }
}
