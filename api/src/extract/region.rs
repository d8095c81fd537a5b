//! The visitor's country, from a trusted source: the trusted backend, else the operator's proxy. The api ignores what
//! other callers claim, because they could choose their own price.

use std::net::IpAddr;

use axum::extract::FromRequestParts;
use axum::http::header::AsHeaderName;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue};
use shared::region::Country;

use super::client_secret::by_backend;
use super::peer::{connected, is_trusted};
use crate::config::RegionSettings;
use crate::error::{ApiError, ApiResult};
use crate::state::AppState;

const HEADER: &str = "X-Visitor-Country";

/// The visitor's country, which prices depend on.
#[derive(Clone, Copy, Debug)]
pub struct Visitor(pub Option<Country>);

impl FromRequestParts<AppState> for Visitor {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        if by_backend(&parts.headers, app) {
            return from_backend(&parts.headers).map(Self);
        }
        Ok(Self(named_by_proxy(&app.config.region, &parts.headers, connected(parts))))
    }
}

fn from_backend(headers: &HeaderMap) -> ApiResult<Option<Country>> {
    let Some(value) = only(headers, HEADER) else { return Ok(None) };
    let text = value.to_str().unwrap_or("?").trim();
    match text.parse() {
        Ok(country) => Ok(Some(country)),
        // Content delivery networks send T1 for Tor, and XX or an empty value if they do not know the country.
        Err(_) if text.is_empty() || (text.len() == 2 && text.chars().all(|c| c.is_ascii_alphanumeric())) => {
            Ok(None)
        }
        Err(error) => Err(ApiError::invalid(HEADER, error.to_string())),
    }
}

/// The value of a header that is sent once. Of several values, any may be one that the caller's client has chosen.
fn only(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

/// The country that the operator's proxy names; None if no trusted proxy is connected.
fn named_by_proxy(settings: &RegionSettings, headers: &HeaderMap, connected: IpAddr) -> Option<Country> {
    let name = settings.country_header.0.as_ref()?;
    let trusted = is_trusted(&settings.trusted_proxies, connected);
    only(headers, name).filter(|_| trusted)?.to_str().ok()?.parse().ok()
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
        let seen = |peer: &str| named_by_proxy(&settings, &headers, peer.parse().unwrap());
        for proxy in ["10.1.2.3", "127.0.0.1"] {
            assert_eq!(seen(proxy), "IN".parse().ok(), "{proxy}");
        }
        for stranger in ["11.0.0.1", "127.0.0.2", "::1"] {
            assert_eq!(seen(stranger), None, "{stranger}");
        }
        let nowhere = HeaderMap::from_iter([("cf-ipcountry".parse().unwrap(), "XX".parse().unwrap())]);
        assert_eq!(named_by_proxy(&settings, &nowhere, "127.0.0.1".parse().unwrap()), None);
        let mut two = headers.clone();
        two.append("cf-ipcountry", "se".parse().unwrap());
        assert_eq!(named_by_proxy(&settings, &two, "127.0.0.1".parse().unwrap()), None);
        assert_eq!(named_by_proxy(&RegionSettings::default(), &headers, "10.1.2.3".parse().unwrap()), None);
    }
}
