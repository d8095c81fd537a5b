//! Failed authentication: counts each wrong credential and logs it with the caller's address, never with its value.

use std::net::IpAddr;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::peer::Peer;
use crate::metrics::{self, CredentialKind};
use crate::state::{App, AppState};

/// Records that the request's credential of this kind was not accepted.
pub(super) async fn failed(parts: &mut Parts, app: &AppState, kind: CredentialKind) {
    let Ok(Peer(peer)) = Peer::from_request_parts(parts, app).await;
    failed_from(app, peer, kind);
}

/// As [`failed`], for handlers that check a signature or a token themselves.
pub fn failed_from(app: &App, peer: IpAddr, kind: CredentialKind) {
    metrics::failed_authentication(kind);
    let kind: &'static str = kind.into();
    // A flood must not fill the log; the metric counts every failure.
    if app.identities.limits.may_log_failure() {
        tracing::warn!(%peer, kind, "authentication failed");
    }
}
