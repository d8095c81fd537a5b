//! The compressions of a rendered body.

/// Compression of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    Identity,
    Gzip,
    /// Smaller than gzip by a fifth.
    Brotli,
}

impl Encoding {
    /// The value of `Content-Encoding`; None if the body is not compressed.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Identity => None,
            Self::Gzip => Some("gzip"),
            Self::Brotli => Some("br"),
        }
    }
}
