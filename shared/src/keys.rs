//! The names of everything kept in Redis.

/// Keys under one prefix, so that several installations share a server.
#[derive(Clone, Debug)]
pub struct Keys {
    prefix: String,
}

impl Keys {
    pub fn new(prefix: &str) -> Self {
        Self { prefix: prefix.to_owned() }
    }

    /// The number of the last catalog change.
    pub fn generation(&self) -> String {
        format!("{}:catalog:generation", self.prefix)
    }

    /// A page before regional prices, as of one generation.
    pub fn base(&self, generation: i64, route: &str, query: &str) -> String {
        format!("{}:base:{generation}:{route}:{query}", self.prefix)
    }

    /// Whose credential this is the SHA-256 of.
    pub fn identity(&self, credential: &[u8; 32]) -> String {
        let hash: String = credential.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{}:identity:{hash}", self.prefix)
    }

    /// When the next call of the course platform may be made.
    pub fn platform_throttle(&self) -> String {
        format!("{}:platform:throttle", self.prefix)
    }

    /// When the next call of a catalog sync may be made.
    pub fn catalog_throttle(&self) -> String {
        format!("{}:catalog:throttle", self.prefix)
    }

    /// Matches every key of this installation.
    pub fn pattern(&self) -> String {
        format!("{}:*", self.prefix)
    }
}

/// Raises a number in Redis, never lowers it: two importers may finish in any order.
/// Its one key is the generation's, its one argument the new number.
pub const RAISE_GENERATION: &str = r"
local current = tonumber(redis.call('GET', KEYS[1]) or '0')
if tonumber(ARGV[1]) > current then redis.call('SET', KEYS[1], ARGV[1]) end
return redis.call('GET', KEYS[1])";
