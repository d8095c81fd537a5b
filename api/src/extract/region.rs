//! The visitor's country, from a trusted source: the trusted backend, else the operator's proxy. The api ignores what
//! other callers claim, because they could choose their own price.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};
use clap::Args;
use ipnet::IpNet;
use shared::region::Country;

use super::ClientSecret;
use crate::error::{ApiError, ApiResult};
use crate::state::AppState;

const HEADER: &str = "X-Visitor-Country";

#[derive(Clone, Debug, Default, Args)]
pub struct RegionSettings {
    /// Header in which the operator's proxy names the visitor's country, for example CF-IPCountry; empty: none
    #[arg(long, env, value_parser = parse_header, default_value = "")]
    pub country_header: CountryHeader,
    /// Addresses or networks of the proxies from which the api trusts that header, comma-separated
    #[arg(long, env, value_delimiter = ',', value_parser = parse_network)]
    pub trusted_proxies: Vec<IpNet>,
}

/// The configured header; None if the operator configured none.
#[derive(Clone, Debug, Default)]
pub struct CountryHeader(pub Option<HeaderName>);

fn parse_header(text: &str) -> Result<CountryHeader, String> {
    if text.is_empty() {
        return Ok(CountryHeader(None));
    }
    text.parse().map(|name| CountryHeader(Some(name))).map_err(|_| "is not the name of a header".into())
}

fn parse_network(text: &str) -> Result<IpNet, String> {
    let address = text.parse::<IpAddr>().map(IpNet::from);
    address.or_else(|_| text.parse()).map_err(|_| "is neither an address nor a network".into())
}

/// The visitor's country, which prices depend on. It must follow the credentials in a handler's arguments, because it
/// depends on them.
#[derive(Clone, Copy, Debug)]
pub struct Visitor(pub Option<Country>);

impl FromRequestParts<AppState> for Visitor {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        if parts.extensions.get::<ClientSecret>().is_some() {
            return from_backend(&parts.headers).map(Self);
        }
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0.ip());
        Ok(Self(app.config.region.named_by_proxy(&parts.headers, peer)))
    }
}

fn from_backend(headers: &HeaderMap) -> ApiResult<Option<Country>> {
    let Some(value) = headers.get(HEADER) else { return Ok(None) };
    let text = value.to_str().unwrap_or("?").trim();
    match text.parse() {
        Ok(country) => Ok(Some(country)),
        // Content delivery networks send T1 for Tor, and an empty value if they do not know the country.
        Err(_) if text.is_empty() || (text.len() == 2 && text.chars().all(|c| c.is_ascii_alphanumeric())) => {
            Ok(None)
        }
        Err(error) => Err(ApiError::invalid(HEADER, error.to_string())),
    }
}

impl RegionSettings {
    /// The country that the operator's proxy names; None if the peer is not a trusted proxy.
    fn named_by_proxy(&self, headers: &HeaderMap, peer: Option<IpAddr>) -> Option<Country> {
        let peer = peer?.to_canonical();
        let name = self.country_header.0.as_ref()?;
        let trusted = self.trusted_proxies.iter().any(|network| network.contains(&peer));
        headers.get(name).filter(|_| trusted)?.to_str().ok()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_trusted_proxy_names_the_country_of_a_caller_without_the_secret() {
        let settings = RegionSettings {
            country_header: parse_header("CF-IPCountry").unwrap(),
            trusted_proxies: vec![parse_network("10.0.0.0/8").unwrap(), parse_network("127.0.0.1").unwrap()],
        };
        let headers = HeaderMap::from_iter([("cf-ipcountry".parse().unwrap(), "in".parse().unwrap())]);
        let seen = |peer: &str| settings.named_by_proxy(&headers, Some(peer.parse().unwrap()));
        for proxy in ["10.1.2.3", "127.0.0.1", "::ffff:10.1.2.3"] {
            assert_eq!(seen(proxy), "IN".parse().ok(), "{proxy}");
        }
        for stranger in ["11.0.0.1", "127.0.0.2", "::1"] {
            assert_eq!(seen(stranger), None, "{stranger}");
        }
        assert_eq!(settings.named_by_proxy(&headers, None), None);
        assert_eq!(RegionSettings::default().named_by_proxy(&headers, "10.1.2.3".parse().ok()), None);
        assert!(parse_header("two words").is_err() && parse_network("10.0.0.0/33").is_err());
    }
}
