//! No signature header and no body make the verification of a notification panic, and none passes without the secret.
#![no_main]

use axum::http::HeaderValue;
use libfuzzer_sys::fuzz_target;
use shared::gateway::Gateway;
use shared::signature;

/// Unix seconds.
const NOW: i64 = 1_795_000_000;

fuzz_target!(|input: (&[u8], &[u8])| {
    let (value, body) = input;
    // As the api reads it: a header whose value is text.
    let Ok(value) = HeaderValue::from_bytes(value) else { return };
    let Ok(value) = value.to_str() else { return };
    let received_at = chrono::DateTime::from_timestamp(NOW, 0).expect("a time");
    for gateway in Gateway::ALL {
        let genuine = signature::is_genuine(*gateway, value, body, &[b"whsec_of_the_organisation"], received_at);
        assert!(!genuine, "a notification without the secret is genuine");
    }
});
