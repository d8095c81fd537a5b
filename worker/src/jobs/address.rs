//! Whether an email address has an account: our learners first, then the course platform.

use std::time::Duration;

use chrono::{DateTime, Utc};
use shared::email::Email;
use shared::messages::{self, Refusal};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::context::Context;
use crate::error::JobResult;
use crate::platform::{Account, PlatformError};
use crate::store::enrollments::Holder;
use crate::store::learners;

/// Somebody waits for the answer: no platform may take longer to say who owns an address.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(2);

/// What is known of an address before a transaction begins.
pub enum Address {
    Known(Uuid),
    Registered(Account),
    Unknown,
    Unresolved,
}

/// # Errors
/// `NotConfigured` without a service account: then nobody could ever be enrolled, or unenrolled.
pub fn require_platform(ctx: &Context) -> Result<(), Refusal> {
    if ctx.platform.is_configured() {
        return Ok(());
    }
    Err(Refusal::NotConfigured {
        detail: "the course platform's service account is not configured".to_owned(),
    })
}

/// # Errors
/// As [`require_platform`]; a platform that does not answer is no error.
pub async fn look_up(ctx: &Context, email: &Email) -> JobResult<Address> {
    require_platform(ctx)?;
    if let Some(learner) = learners::find(&ctx.db, email).await? {
        return Ok(Address::Known(learner));
    }
    Ok(ask_platform(ctx, email).await)
}

async fn ask_platform(ctx: &Context, email: &Email) -> Address {
    match tokio::time::timeout(LOOKUP_TIMEOUT, ctx.platform.account(email)).await {
        Ok(Ok(Some(account))) => Address::Registered(account),
        Ok(Ok(None)) => Address::Unknown,
        Ok(Err(error)) => unresolved(&error),
        Err(_) => unresolved(&PlatformError::Unavailable("no answer within two seconds".into())),
    }
}

/// The address of a signed-in learner. The credential proves the account, and the address only as far as the platform
/// holds the account for active; a token can also be older than the address's move to somebody else.
///
/// # Errors
/// As [`require_platform`].
pub async fn proved(ctx: &Context, learner: &messages::Account, email: &Email) -> JobResult<Address> {
    require_platform(ctx)?;
    let holder = learners::holder(&ctx.db, email).await?;
    if !ctx.platform.accepts(learner.is_active) || holder.is_some_and(|holder| holder != learner.user_id) {
        return Ok(ask_platform(ctx, email).await);
    }
    Ok(Address::Registered(Account {
        id: learner.user_id,
        username: learner.username.clone(),
        email: email.as_str().to_owned(),
        name: Some(learner.name.clone()),
        is_active: true,
    }))
}

fn unresolved(error: &PlatformError) -> Address {
    tracing::warn!(%error, "cannot tell whether the address is known, its registration is looked up later");
    Address::Unresolved
}

impl Address {
    /// Writes down a newly met account, in the transaction that uses it.
    pub async fn holder(
        &self,
        db: &mut PgConnection,
        email: &Email,
        now: DateTime<Utc>,
    ) -> JobResult<Holder> {
        Ok(match self {
            Address::Known(learner) => Holder::Learner(*learner),
            Address::Registered(account) => {
                Holder::Learner(learners::remember(db, account, email, now).await?)
            }
            Address::Unknown => {
                learners::release_address(db, email).await?;
                Holder::Unknown
            }
            Address::Unresolved => Holder::Unresolved,
        })
    }
}
