//! Connecting clients: the network address, in place of which only trusted proxies may name another, and the id of the
//! visitor's cookie. Repeats how the API reads addresses on purpose, so that the shop can be copied.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderName};
use axum::middleware::Next;
use axum::response::Response;
use ipnet::IpNet;
use uuid::Uuid;

use crate::visitor::{cookies, set};
use crate::{App, country};

/// The sender of a request.
#[derive(Clone, Debug)]
pub struct Peer {
    pub address: IpAddr,
    /// Tells the visitors apart behind one address. The API hands a guest's payment only to the visitor who has begun it.
    pub id: Uuid,
    /// The country that a trusted proxy names.
    pub country: Option<String>,
}

/// Notes the sender, and gives a new visitor an id.
pub async fn note(
    State(shop): State<App>,
    ConnectInfo(connected): ConnectInfo<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    let (settings, headers) = (&shop.settings, request.headers());
    let known = cookies(headers).get("visitor").and_then(|id| id.parse().ok());
    let id = known.unwrap_or_else(Uuid::new_v4);
    let is_proxied = is_trusted(connected.ip(), &settings.trusted_proxies);
    let country =
        settings.country_header.as_ref().filter(|_| is_proxied).and_then(|name| named(headers, name));
    let address = address(connected.ip(), headers, &settings.trusted_proxies);
    request.extensions_mut().insert(Peer { address, id, country });
    let mut response = next.run(request).await;
    if known.is_none() {
        set(&shop, &mut response, "visitor", &id.to_string());
    }
    response
}

/// The country in a header that is sent once: of several values, any may be the visitor's own.
fn named(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let mut values = headers.get_all(name).iter();
    let value = values.next().filter(|_| values.next().is_none())?;
    country::known(value.to_str().ok()?)
}

/// The visitor's address: the last one that no trusted proxy has.
fn address(connected: IpAddr, headers: &HeaderMap, proxies: &[IpNet]) -> IpAddr {
    let lines = headers.get_all("x-forwarded-for").iter().filter_map(|line| line.to_str().ok());
    let entries: Vec<&str> = lines.flat_map(|line| line.split(',')).map(str::trim).collect();
    let mut address = connected.to_canonical();
    for entry in entries.into_iter().rev() {
        let Some(before) = parsed(entry).filter(|_| is_trusted(address, proxies)) else { break };
        address = before;
    }
    address
}

/// An address, which some proxies write with a port or in brackets.
fn parsed(entry: &str) -> Option<IpAddr> {
    let bare = entry.trim_start_matches('[').trim_end_matches(']');
    let address = bare.parse().ok().or_else(|| entry.parse().ok().map(|entry: SocketAddr| entry.ip()));
    address.map(|address: IpAddr| address.to_canonical())
}

fn is_trusted(address: IpAddr, proxies: &[IpNet]) -> bool {
    proxies.iter().any(|proxy| proxy.contains(&address.to_canonical()))
}

/// The address that one counts as: a host may choose any IPv6 address of its network of 64 bits.
pub fn counted_as(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
    }
}

/// A network, or one address.
///
/// # Errors
/// The text is neither.
pub fn network(text: &str) -> Result<IpNet, String> {
    let network = text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
    network.map_err(|_| format!("{text:?} is neither an IP address nor a network such as 10.0.0.0/8"))
}
