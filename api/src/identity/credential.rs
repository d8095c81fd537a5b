//! What a request carries to say who the learner is. Read here, judged elsewhere.

use axum::http::{HeaderMap, header};
use cookie::Cookie;
use sha2::{Digest, Sha256};

use crate::error::{ApiError, ApiResult};

/// The platform's own cookie, and the two halves of its JWT: scripts can read the first and never the second.
const SESSION: &str = "sessionid";
const JWT_HEADER_PAYLOAD: &str = "edx-jwt-cookie-header-payload";
const JWT_SIGNATURE: &str = "edx-jwt-cookie-signature";

/// The platform gives out shorter ones, and what stands before it refuses longer ones.
const LONGEST: usize = 4096;

/// A learner's credential. It has no `Debug`: it must appear in no log.
#[derive(Clone, PartialEq, Eq)]
pub enum Credential {
    /// The platform's session cookie, which only the platform can read, and the JWT of the cookies beside it.
    Session {
        session: String,
        token: Option<String>,
    },
    /// An opaque access token of the platform.
    Bearer(String),
    Jwt(String),
}

/// A credential, and how it came.
pub struct Presented {
    pub credential: Credential,
    /// A browser adds cookies to whatever a page makes it send.
    pub by_cookie: bool,
}

impl Credential {
    /// What the process knows it by: all of it.
    pub fn digest(&self) -> [u8; 32] {
        match self {
            Self::Session { token: Some(token), .. } => {
                let asked = self.asked_digest();
                Sha256::new().chain_update(asked).chain_update(token).finalize().into()
            }
            _ => self.asked_digest(),
        }
    }

    /// What the platform's answer is known by: the part that the platform is asked with.
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
    /// The header counts before the cookies. Of the cookies the session says who is signed in, so that a logout counts
    /// at once; the JWT cookies count alone only without one. None if the request carries no credential.
    ///
    /// # Errors
    /// `Unauthenticated` for an Authorization header of another kind, and for values that the platform never gives out.
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
    // Some clients put a cookie's value in quotes; the platform takes both forms.
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

/// Whether a session has the form `1|key|salt|signature`. The platform answers 500 to other forms, as if it were broken.
fn is_session(value: &str) -> bool {
    let fields: Vec<&str> = value.split('|').collect();
    matches!(fields.as_slice(), ["1", rest @ ..] if rest.len() == 3 && rest.iter().all(|field| !field.is_empty()))
}

/// The first cookie of a name: clients send the most specific one first.
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
