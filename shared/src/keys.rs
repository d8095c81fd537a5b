//! The names of all Redis keys. No I/O here.

use sha2::{Digest, Sha256};

/// Builds keys under one prefix, so that several installations can share a Redis server.
#[derive(Clone, Debug)]
pub struct Keys {
    prefix: String,
}

impl Keys {
    /// The keys of the installation with this prefix.
    pub fn new(prefix: &str) -> Self {
        Self { prefix: prefix.to_owned() }
    }

    /// Holds the catalog generation: the number of the last catalog change.
    pub fn generation(&self) -> String {
        format!("{}:catalog:generation", self.prefix)
    }

    /// Holds a catalog payload without regional prices, as of one generation.
    pub fn base(&self, generation: i64, route: &str, query: &str) -> String {
        format!("{}:base:{generation}:{route}:{query}", self.prefix)
    }

    /// Holds the sealed identity that a credential resolved to; `credential` is the SHA-256 of that credential.
    pub fn identity(&self, credential: &[u8; 32]) -> String {
        format!("{}:identity:{}", self.prefix, hex::encode(credential))
    }

    /// Holds the times of the next calls of each service account at the course platform.
    pub fn platform_turns(&self) -> String {
        format!("{}:platform:turns", self.prefix)
    }

    /// Holds the time of the next course platform call that a catalog sync makes.
    pub fn catalog_turns(&self) -> String {
        format!("{}:catalog:turns", self.prefix)
    }

    /// Holds the answer of VIES about a buyer's VAT ID to a seller.
    pub fn vat_check(&self, seller: &str, buyer: &str) -> String {
        // Some VAT IDs name a person.
        format!("{}:vat:{}", self.prefix, hex::encode(Sha256::digest(format!("{seller}:{buyer}"))))
    }

    /// Written by the check of the server alone.
    pub fn doctor(&self) -> String {
        format!("{}:doctor", self.prefix)
    }

    /// Matches every key of this installation.
    pub fn pattern(&self) -> String {
        format!("{}:*", self.prefix)
    }
}

/// A Lua script that raises the generation in Redis and never lowers it, because two importers may finish in any order.
/// It takes the generation's key and the new number, and returns the stored number.
pub const RAISE_GENERATION: &str = r"
local current = tonumber(redis.call('GET', KEYS[1]) or '0')
if tonumber(ARGV[1]) > current then redis.call('SET', KEYS[1], ARGV[1]) end
return redis.call('GET', KEYS[1])";
