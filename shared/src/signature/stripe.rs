//! Stripe's signatures: `t=…,v1=…[,v1=…][,v0=…]`, the HMAC of the time, a dot and the body, keyed with the whole
//! `whsec_…` text.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Scheme, Signature, decode};

pub const SCHEME: Scheme = Scheme {
    header: "stripe-signature",
    parse,
    #[cfg(test)]
    vectors: include_str!("stripe.json"),
};

/// Signatures that are older are refused, as by Stripe's own libraries. Like them, this accepts times in the future:
/// the signature proves the sender, and clocks differ.
const TOLERANCE: TimeDelta = TimeDelta::seconds(300);

/// One matching v1 is enough, because secrets rotate; v0 is a test scheme and is ignored.
fn parse(signature: &str, received_at: DateTime<Utc>) -> Option<Signature<'_>> {
    let fields = || signature.split(',').filter_map(|field| field.trim().split_once('='));
    let (_, time) = fields().find(|(name, _)| *name == "t")?;
    let signed_at = DateTime::from_timestamp(time.parse().ok()?, 0)?;
    let macs: Vec<_> =
        fields().filter(|(name, _)| *name == "v1").filter_map(|(_, mac)| decode(mac)).collect();
    let is_recent = received_at - signed_at <= TOLERANCE;
    (is_recent && !macs.is_empty()).then_some(Signature { time: Some(time), macs })
}
