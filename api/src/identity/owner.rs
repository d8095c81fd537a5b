//! The owner of a credential, from the claims of a token or the answer of the course platform, and until when that is trusted.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use shared::email::Email;
use texts::Language;

use super::jwt::Claims;
use super::platform::PlatformAccount;

/// Time that an outcome is trusted.
const BELIEVED: TimeDelta = TimeDelta::seconds(60);

/// After this time the api again verifies a JWT that came with a session and was not valid, or not the session owner's.
const LOOKED_AT_AGAIN: TimeDelta = TimeDelta::seconds(5);

/// A learner or a member of staff, as the course platform identifies them.
#[derive(Clone, Serialize, Deserialize)]
pub struct Identity {
    pub user_id: i64,
    pub username: String,
    pub email: Email,
    pub name: String,
    /// Short names of the organisations that the token claims; None if it has no such claim.
    pub organisations: Option<Vec<String>>,
    /// Indicates whether the user is staff, with access to every organisation.
    pub administrator: bool,
    /// Indicates whether the learner has confirmed the account's email address.
    pub is_active: bool,
    /// Indicates whether the token belongs to an application that may read for the learner and not write.
    pub is_limited: bool,
    /// The first language of the learner's profile; None if the profile has none, or the platform was not asked.
    pub language: Option<Language>,
    believed_until: DateTime<Utc>,
}

impl Identity {
    /// No end is later than [`BELIEVED`] from now: one that is was noted before a clock went back, or by another clock.
    pub(super) fn is_believed(&self, now: DateTime<Utc>) -> bool {
        now < self.believed_until && self.believed_until <= now + BELIEVED
    }

    /// The owner of a session, with the claims of the JWT that came with it. A JWT of another user or of a limited
    /// application, or one that is not valid, adds nothing; the api verifies it again after a few seconds, because it may
    /// not be valid yet.
    pub(super) fn with(self, claims: Option<Claims>, now: DateTime<Utc>) -> Self {
        let own = claims.filter(|claims| match claims.user_id {
            _ if claims.is_limited() => false,
            Some(user_id) => user_id == self.user_id,
            None => claims.preferred_username == self.username,
        });
        match own {
            Some(claims) => Self {
                believed_until: self.believed_until.min(believed_until(Some(&claims), now)),
                administrator: claims.administrator,
                organisations: claims.organisations,
                ..self
            },
            None => Self { believed_until: self.believed_until.min(now + LOOKED_AT_AGAIN), ..self },
        }
    }
}

/// The identity that a token claims; None if claims are missing, which depends on its scopes. The platform is then
/// asked.
pub(super) fn from_claims(claims: &Claims, now: DateTime<Utc>) -> Option<Identity> {
    Some(Identity {
        user_id: claims.user_id?,
        username: claims.preferred_username.clone(),
        email: Email::parse(claims.email.as_deref()?).ok()?,
        name: claims.name.clone()?,
        organisations: claims.organisations.clone(),
        administrator: claims.administrator,
        is_active: claims.email_verified,
        is_limited: claims.is_limited(),
        language: None,
        believed_until: believed_until(Some(claims), now),
    })
}

impl PlatformAccount {
    /// The identity of an account, with what the token claims in which the account was named.
    pub(super) fn identity(self, claimed: Option<&Claims>, now: DateTime<Utc>) -> Identity {
        Identity {
            user_id: self.id,
            username: self.username,
            email: self.email,
            name: self.name.unwrap_or_default(),
            organisations: claimed.and_then(|claims| claims.organisations.clone()),
            administrator: claimed.is_some_and(|claims| claims.administrator),
            is_active: self.is_active,
            is_limited: claimed.is_some_and(Claims::is_limited),
            language: self.language,
            believed_until: believed_until(claimed, now),
        }
    }
}

fn believed_until(claims: Option<&Claims>, now: DateTime<Utc>) -> DateTime<Utc> {
    let end = claims.and_then(|claims| claims.end());
    end.map_or(now + BELIEVED, |end| end.min(now + BELIEVED))
}
