//! Errors in words: with all that led to them, and with the server that they are about. HTTP libraries say `error sending
//! request`, and only a cause further down says that the connection was refused.

use std::error::Error;

use url::{Host, Url};

/// The text of an error and of its causes, without repeating those that it quotes itself.
pub fn causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let reason = error.to_string();
        if !text.ends_with(&reason) {
            text = format!("{text}: {reason}");
        }
        cause = error.source();
    }
    text
}

/// A setting and the server that its URL names, without user and password: `SMTP_URL (mail.example:465)`.
pub fn place(setting: &str, url: &Url) -> String {
    format!("{setting} ({})", address(url))
}

/// Host and port of a URL; the port only if it is known.
pub fn address(url: &Url) -> String {
    let host = host(url);
    url.port_or_known_default().map_or(host.clone(), |port| format!("{host}:{port}"))
}

/// The host of a URL, without the brackets of an IPv6 address.
pub fn host(url: &Url) -> String {
    match url.host() {
        Some(Host::Ipv6(address)) => address.to_string(),
        host => host.map(|host| host.to_string()).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Layer {
        text: &'static str,
        source: Option<Box<Layer>>,
    }

    fn error(texts: &[&'static str]) -> Layer {
        let (text, rest) = texts.split_first().unwrap();
        Layer { text, source: (!rest.is_empty()).then(|| Box::new(error(rest))) }
    }

    #[test]
    fn each_cause_is_said_once() {
        assert_eq!(causes(&error(&["sending", "connect: refused", "refused"])), "sending: connect: refused");
        assert_eq!(causes(&error(&["alone"])), "alone");
    }

    #[test]
    fn a_place_has_no_password() {
        let url = "https://user:secret@lms.example/path".parse().unwrap();
        assert_eq!(place("PLATFORM_URL", &url), "PLATFORM_URL (lms.example:443)");
        assert_eq!(address(&"smtp://[::1]:8025".parse().unwrap()), "::1:8025");
    }
}
