//! The labels of metrics that other modules choose.

use strum::{IntoStaticStr, VariantArray};

/// Kinds of cached values.
#[derive(Clone, Copy, Debug, VariantArray)]
pub enum Cached {
    /// Rendered answers of the catalog, in this process.
    Bodies,
    /// Payloads from which the bodies are rendered, in Redis.
    Payloads,
    /// Single entries of the catalog, in Redis.
    Items,
    /// The owners of credentials, in this process.
    Identities,
    /// The owners of credentials, in Redis.
    SharedIdentities,
}

impl Cached {
    /// The labels `level` and `what`.
    pub(super) fn labels(self) -> (&'static str, &'static str) {
        match self {
            Self::Bodies => ("process", "bodies"),
            Self::Payloads => ("redis", "payloads"),
            Self::Items => ("redis", "items"),
            Self::Identities => ("process", "identities"),
            Self::SharedIdentities => ("redis", "identities"),
        }
    }
}

/// Kinds of credentials and signatures that a request can carry, as logs and metrics name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum CredentialKind {
    ClientSecret,
    OrganisationKey,
    Session,
    /// An opaque access token, or an Authorization header of another kind.
    Token,
    Jwt,
    /// The token of a payment link.
    PageToken,
    /// The token of a mailed registration link.
    RegistrationLink,
    /// The token in the path to which the course platform posts registrations.
    HintToken,
    /// The signature of a payment provider's notification.
    NotificationSignature,
}

/// The step for which a client has taken too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Slowness {
    /// It has not sent the head of a request to its end.
    Head,
    /// It has sent no further request.
    Idle,
    /// It has not read an answer.
    Answer,
}

/// The directives of our policies, those of Content Security Policy 3 that stand for them in reports, and what stands for all others.
pub const DIRECTIVES: [&str; 16] = [
    "base-uri",
    "connect-src",
    "default-src",
    "font-src",
    "form-action",
    "frame-ancestors",
    "frame-src",
    "img-src",
    "script-src",
    "script-src-attr",
    "script-src-elem",
    "style-src",
    "style-src-attr",
    "style-src-elem",
    "worker-src",
    "other",
];
