//! The callers' credentials: tokens and cookies, obtained from the target with the calls that a real client makes.

use std::collections::HashMap;

use jsonwebtoken::{EncodingKey, Header};
use reqwest::{
    Client, RequestBuilder,
    header::{HeaderMap, HeaderValue},
};
use serde_json::{Map, Value, json};

use super::{
    Result,
    calls::{Caller, Claims, ClientToken, PasswordToken, Session, Spoilt},
};

const HEADER_PAYLOAD: &str = "edx-jwt-cookie-header-payload";
const SIGNATURE: &str = "edx-jwt-cookie-signature";

/// A learner's cookies, by name.
pub type Cookies = HashMap<String, String>;

/// The credentials that the platform and its clients share; the same for both targets.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Secrets {
    pub jwt_secret: String,
    pub issuer: String,
    pub audience: String,
    /// The password of every learner.
    pub password: String,
    /// A public client that accepts learners' passwords.
    pub password_client: String,
}

/// Obtains credentials and caches them, since the platform throttles the token endpoint.
pub struct Callers {
    pub secrets: Secrets,
    pub cookies: HashMap<String, Cookies>,
    tokens: HashMap<String, String>,
}

impl Callers {
    pub fn new(secrets: Secrets) -> Self {
        Self { secrets, cookies: HashMap::new(), tokens: HashMap::new() }
    }

    pub async fn prove(
        &mut self,
        http: &Client,
        base: &str,
        caller: &Caller,
        request: RequestBuilder,
    ) -> Result<RequestBuilder> {
        let header = match caller {
            Caller::Anonymous => return Ok(request),
            Caller::Client(token) => self.client(http, base, token).await?,
            Caller::Password(token) => self.password(http, base, token).await?,
            Caller::Session(session) => {
                return Ok(request.header("cookie", self.session(http, base, session).await?));
            }
            Caller::Cookie(value) => return Ok(request.header("cookie", format!("sessionid={value}"))),
            Caller::CookieAndToken(value) => {
                let service =
                    ClientToken { name: "storefront".into(), opaque: false, asymmetric: false, scheme: None };
                let token = self.client(http, base, &service).await?;
                return Ok(request
                    .header("cookie", format!("sessionid={value}"))
                    .header("authorization", token));
            }
            Caller::JwtCookies(wanted) => {
                let cookies = self.cookies_of(http, base, &wanted.of).await?;
                let (head, tail) = (part(&cookies, HEADER_PAYLOAD)?, part(&cookies, SIGNATURE)?);
                if !wanted.as_header {
                    let both = format!("{HEADER_PAYLOAD}={head}; {SIGNATURE}={tail}");
                    return Ok(request.header("cookie", both));
                }
                format!("JWT {head}.{tail}")
            }
            Caller::Claims(claims) => format!("JWT {}", self.sign(claims)?),
            Caller::Header(value) => {
                let bytes: Vec<u8> = value.chars().filter_map(|c| u8::try_from(u32::from(c)).ok()).collect();
                return Ok(request.header("authorization", HeaderValue::from_bytes(&bytes)?));
            }
        };
        Ok(request.header("authorization", header))
    }

    async fn client(&mut self, http: &Client, base: &str, wanted: &ClientToken) -> Result<String> {
        let mut form = vec![
            ("grant_type", "client_credentials".to_owned()),
            ("client_id", format!("{}-client", wanted.name)),
            ("client_secret", format!("{}-secret", wanted.name)),
        ];
        if wanted.asymmetric {
            form.push(("asymmetric_jwt", "true".to_owned()));
        }
        self.token(http, base, form, wanted.opaque, wanted.scheme.as_deref()).await
    }

    async fn password(&mut self, http: &Client, base: &str, wanted: &PasswordToken) -> Result<String> {
        let form = vec![
            ("grant_type", "password".to_owned()),
            ("client_id", self.secrets.password_client.clone()),
            ("username", wanted.name.clone()),
            ("password", self.secrets.password.clone()),
        ];
        self.token(http, base, form, wanted.opaque, wanted.scheme.as_deref()).await
    }

    async fn token(
        &mut self,
        http: &Client,
        base: &str,
        mut form: Vec<(&str, String)>,
        opaque: bool,
        scheme: Option<&str>,
    ) -> Result<String> {
        if !opaque {
            form.push(("token_type", "jwt".to_owned()));
        }
        let key = format!("{form:?}");
        if !self.tokens.contains_key(&key) {
            let answer = http.post(format!("{base}/oauth2/access_token")).form(&form).send().await?;
            let body: Value = answer.error_for_status()?.json().await?;
            let token = body.get("access_token").and_then(Value::as_str).ok_or("no token came")?;
            self.tokens.insert(key.clone(), token.to_owned());
        }
        let token = self.tokens.get(&key).map(String::as_str).unwrap_or_default();
        let scheme = scheme.unwrap_or(if opaque { "Bearer" } else { "JWT" });
        Ok(format!("{scheme} {token}"))
    }

    async fn session(&mut self, http: &Client, base: &str, session: &Session) -> Result<String> {
        let cookies = self.cookies_of(http, base, &session.of).await?;
        let value = part(&cookies, "sessionid")?.trim_matches('"').to_owned();
        let mut fields = value.split('|').map(str::to_owned);
        let mut next = || fields.next().ok_or("the session cookie has fewer than four fields");
        let (version, key, salt, signature) = (next()?, next()?, next()?, next()?);
        let spoilt = match session.change {
            Spoilt::Not => value,
            Spoilt::Quoted => format!("\"{value}\""),
            Spoilt::Signature => {
                format!("{version}|{key}|{salt}|AAAA{}", signature.get(4..).unwrap_or_default())
            }
            Spoilt::Version => format!("2|{key}|{salt}|{signature}"),
            Spoilt::Key => format!("{version}|{}|{salt}|{signature}", "y".repeat(32)),
        };
        Ok(format!("sessionid={spoilt}"))
    }

    /// Signs the learner in through the login page, unless cookies are cached or the simulator returned them with the
    /// account.
    async fn cookies_of(&mut self, http: &Client, base: &str, learner: &str) -> Result<Cookies> {
        if !self.cookies.contains_key(learner) {
            let answer = http.get(format!("{base}/csrf/api/v1/token")).send().await?.error_for_status()?;
            let jar = set_cookies(answer.headers());
            let body: Value = answer.json().await?;
            let token = body.get("csrfToken").and_then(Value::as_str).ok_or("no CSRF token came")?;
            let form = [("email_or_username", learner), ("password", &self.secrets.password)];
            let jar: Vec<String> = jar.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let request = http.post(format!("{base}/api/user/v2/account/login_session/")).form(&form);
            let request = request.header("x-csrftoken", token).header("referer", format!("{base}/login"));
            let answer = request.header("cookie", jar.join("; ")).send().await?.error_for_status()?;
            self.cookies.insert(learner.to_owned(), set_cookies(answer.headers()));
        }
        self.cookies.get(learner).cloned().ok_or_else(|| "no cookies came".into())
    }

    fn sign(&self, claims: &Claims) -> Result<String> {
        let now = chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now()).timestamp();
        let or = |given: &Option<String>, usual: &str| given.clone().unwrap_or_else(|| usual.to_owned());
        let mut body = Map::from_iter([
            ("aud".to_owned(), json!(or(&claims.aud, &self.secrets.audience))),
            ("iss".to_owned(), json!(or(&claims.iss, &self.secrets.issuer))),
            ("exp".to_owned(), json!(now + claims.exp_in.unwrap_or(300))),
            ("iat".to_owned(), json!(now + claims.iat_in.unwrap_or(-1))),
            ("preferred_username".to_owned(), json!(or(&claims.of, "ada"))),
            ("version".to_owned(), json!(or(&claims.version, "1.2.0"))),
        ]);
        if claims.without_iat {
            body.remove("iat");
        }
        let key = EncodingKey::from_secret(self.secrets.jwt_secret.as_bytes())?;
        Ok(jsonwebtoken::encode(&Header::default(), &body, &key)?)
    }
}

fn part<'a>(cookies: &'a Cookies, name: &str) -> Result<&'a str> {
    cookies.get(name).map(String::as_str).ok_or_else(|| format!("signing in gave no {name}").into())
}

fn set_cookies(headers: &HeaderMap) -> Cookies {
    let lines = headers.get_all("set-cookie").iter().filter_map(|line| line.to_str().ok());
    let pairs = lines.filter_map(|line| line.split(';').next()?.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}
