//! Settings of the identification of learners.

use clap::Args;
use secrecy::SecretString;
use shared::settings::parse_http_url;
use url::{Origin, Url};

use super::JwtSettings;

#[derive(Clone, Debug, Args)]
pub struct IdentitySettings {
    /// Base URL of the course platform, at which the api resolves sessions and opaque tokens
    #[arg(long, env, value_parser = parse_http_url)]
    pub platform_url: Url,
    #[command(flatten)]
    pub jwt: JwtSettings,
    /// Origins whose pages may send writes that rely on a cookie, for example https://store.example; comma-separated
    #[arg(long, env, value_delimiter = ',', value_parser = parse_origin)]
    pub allowed_origins: Vec<Origin>,
    /// Requests per minute that one replica accepts from one learner, for one buyer's address, for one visitor whom a
    /// backend names, or with the links of one cart's payment page; 0: no limit
    #[arg(long, env, default_value_t = 120)]
    pub rate_limit_per_minute: u32,
    /// Sessions, opaque tokens, organisations' keys and signatures of notifications that are not accepted, per minute and caller's
    /// address (or IPv6 network of 64 bits), after which one replica refuses further unknown ones from there with 429; 0: no
    /// limit. Sessions and tokens beside the client secret are exempt
    #[arg(long, env, default_value_t = 60)]
    pub failed_credentials_per_minute: u32,
    /// Keys under which the replicas share identities through Redis: 64 hexadecimal digits each, comma-separated, the
    /// first one seals; empty: each replica asks the course platform itself
    #[arg(long, env, hide_env_values = true, default_value = "")]
    pub identity_keys: SecretString,
}

fn parse_origin(text: &str) -> Result<Origin, String> {
    match Url::parse(text) {
        Ok(url) if url.origin().is_tuple() && url.path() == "/" && url.query().is_none() => Ok(url.origin()),
        _ => Err("is not an origin like https://store.example".into()),
    }
}
