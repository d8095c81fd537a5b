//! The visitor's country, from a trusted source: the trusted backend, else the operator's proxy. The api ignores what
//! other callers claim, because they could choose their own price.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use shared::region::Country;

use super::ClientSecret;
use crate::config::RegionSettings;
use crate::error::{ApiError, ApiResult};
use crate::state::AppState;

const HEADER: &str = "X-Visitor-Country";

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
        Ok(Self(named_by_proxy(&app.config.region, &parts.headers, peer)))
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

/// The country that the operator's proxy names; None if the peer is not a trusted proxy.
fn named_by_proxy(settings: &RegionSettings, headers: &HeaderMap, peer: Option<IpAddr>) -> Option<Country> {
    let peer = peer?.to_canonical();
    let name = settings.country_header.0.as_ref()?;
    let trusted = settings.trusted_proxies.iter().any(|network| network.contains(&peer));
    headers.get(name).filter(|_| trusted)?.to_str().ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::CountryHeader;

    #[test]
    fn only_a_trusted_proxy_names_the_country_of_a_caller_without_the_secret() {
        let settings = RegionSettings {
            country_header: CountryHeader("CF-IPCountry".parse().ok()),
            trusted_proxies: vec!["10.0.0.0/8".parse().unwrap(), "127.0.0.1/32".parse().unwrap()],
        };
        let headers = HeaderMap::from_iter([("cf-ipcountry".parse().unwrap(), "in".parse().unwrap())]);
        let seen = |peer: &str| named_by_proxy(&settings, &headers, Some(peer.parse().unwrap()));
        for proxy in ["10.1.2.3", "127.0.0.1", "::ffff:10.1.2.3"] {
            assert_eq!(seen(proxy), "IN".parse().ok(), "{proxy}");
        }
        for stranger in ["11.0.0.1", "127.0.0.2", "::1"] {
            assert_eq!(seen(stranger), None, "{stranger}");
        }
        assert_eq!(named_by_proxy(&settings, &headers, None), None);
        assert_eq!(named_by_proxy(&RegionSettings::default(), &headers, "10.1.2.3".parse().ok()), None);
    }
}
