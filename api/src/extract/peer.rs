//! The address of the caller. Behind proxies, X-Forwarded-For names it; a caller can write that header too, so only what
//! the operator's proxies have added to it counts.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use ipnet::IpNet;

use crate::state::AppState;

const HEADER: &str = "x-forwarded-for";

/// The address of the caller, as far as the operator's proxies vouch for it.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

impl FromRequestParts<AppState> for Peer {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, Infallible> {
        Ok(Self(caller(connected(parts), &parts.headers, &app.config.region.trusted_proxies)))
    }
}

/// The address at the other end of the connection.
pub(super) fn connected(parts: &Parts) -> IpAddr {
    let connection = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    connection.map_or(Ipv4Addr::UNSPECIFIED.into(), |connection| connection.0.ip().to_canonical())
}

/// Returns whether an address is one of the operator's proxies.
pub(super) fn is_trusted(proxies: &[IpNet], address: IpAddr) -> bool {
    proxies.iter().any(|network| network.contains(&address))
}

/// Walks X-Forwarded-For from its end, where the nearest proxy has added the address that it saw, and stops at the first
/// address that is no trusted proxy. Several headers count as one list (RFC 9110, 5.3).
fn caller(connected: IpAddr, headers: &HeaderMap, proxies: &[IpNet]) -> IpAddr {
    let lines = headers.get_all(HEADER).iter().map(|line| String::from_utf8_lossy(line.as_bytes()));
    let lines: Vec<_> = lines.collect();
    let named: Vec<&str> = lines.iter().flat_map(|line| line.split(',')).collect();
    let mut caller = connected;
    for entry in named.into_iter().rev() {
        if !is_trusted(proxies, caller) {
            break;
        }
        // Behind an entry that is no address, nothing is certain: the proxy itself counts as the caller.
        let Some(address) = address(entry.trim()) else { break };
        caller = address;
    }
    caller
}

/// An address, which some proxies write with a port or in brackets.
pub(super) fn address(entry: &str) -> Option<IpAddr> {
    let bare = entry.strip_prefix('[').and_then(|entry| entry.strip_suffix(']')).unwrap_or(entry);
    let address = bare.parse().ok().or_else(|| entry.parse().ok().map(|entry: SocketAddr| entry.ip()));
    address.map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn seen(connected: &str, lines: &[&str]) -> String {
        let lines = lines
            .iter()
            .map(|line| (HEADER.parse().unwrap(), HeaderValue::from_bytes(line.as_bytes()).unwrap()));
        let proxies = ["10.0.0.0/8".parse().unwrap(), "2001:db8::/32".parse().unwrap()];
        caller(connected.parse().unwrap(), &lines.collect(), &proxies).to_string()
    }

    #[test]
    fn only_what_trusted_proxies_added_names_the_caller() {
        assert_eq!(seen("192.0.2.1", &["192.0.2.9"]), "192.0.2.1", "no proxy");
        assert_eq!(seen("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(seen("10.0.0.1", &["192.0.2.9"]), "192.0.2.9");
        assert_eq!(seen("10.0.0.1", &["8.8.8.8, 192.0.2.9"]), "192.0.2.9", "the caller wrote the first one");
        assert_eq!(seen("10.0.0.1", &["192.0.2.9, 10.0.0.2"]), "192.0.2.9", "two proxies");
        assert_eq!(seen("10.0.0.1", &["8.8.8.8", "192.0.2.9", " 10.0.0.2 "]), "192.0.2.9", "several headers");
        assert_eq!(seen("10.0.0.1", &["10.0.0.3, 10.0.0.2"]), "10.0.0.3", "proxies alone");
        assert_eq!(seen("2001:db8::1", &["[2001:db8::2]:443, ::ffff:192.0.2.9"]), "192.0.2.9");
    }

    #[test]
    fn entries_with_a_port_or_brackets_are_addresses_and_other_text_ends_the_walk() {
        assert_eq!(seen("10.0.0.1", &["192.0.2.9:1234"]), "192.0.2.9");
        assert_eq!(seen("10.0.0.1", &["[2001:db9::2]"]), "2001:db9::2");
        assert_eq!(
            seen("10.0.0.1", &["\u{e9}, 192.0.2.9"]),
            "192.0.2.9",
            "what the caller wrote hides nothing"
        );
        for malformed in ["", "unknown", "192.0.2.9, ", "192.0.2.9;", "1.2.3", "192.0.2.9 192.0.2.8"] {
            assert_eq!(seen("10.0.0.1", &[malformed]), "10.0.0.1", "{malformed}");
        }
    }
}
