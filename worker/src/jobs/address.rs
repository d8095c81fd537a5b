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
use crate::store::learners::{self, Learner};

/// A caller waits: the platform may not take longer to say who owns an address.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(2);

/// What is known of an address before a transaction begins.
pub enum Address {
    /// A learner on record.
    Known(Uuid),
    /// An account that is new to the record, or differs from it.
    Registered(Account),
    /// The platform knows no account with this address that may receive a course.
    Unknown,
    /// The platform did not answer, and there is no record.
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

/// Asks the platform also for an address on record, which may have moved to another account; the record is the fallback
/// while the platform does not answer.
///
/// # Errors
/// As [`require_platform`]; a platform that does not answer is no error.
pub async fn look_up(ctx: &Context, email: &Email) -> JobResult<Address> {
    require_platform(ctx)?;
    let (answer, known) = tokio::join!(ask_platform(ctx, email), learners::find(&ctx.db, email));
    let known = known?;
    if let Err(error) = &answer {
        error.alert();
    }
    Ok(match (answer, known) {
        (Ok(Some(account)), known) => judge(ctx, account, known),
        (Ok(None), _) => Address::Unknown,
        (Err(error), Some(learner)) => {
            tracing::warn!(%error, "account look-up failed; the learner on record is used");
            Address::Known(learner.id)
        }
        (Err(error), None) => {
            tracing::warn!(%error, "account look-up failed; the grant waits for the next look-up");
            Address::Unresolved
        }
    })
}

fn judge(ctx: &Context, account: Account, known: Option<Learner>) -> Address {
    match known.filter(|learner| learner.platform_user_id == account.id) {
        Some(learner) if learner.username == account.username => Address::Known(learner.id),
        // A learner on record has been active under this address before.
        Some(_) => Address::Registered(account),
        None if ctx.platform.accepts(account.is_active) => Address::Registered(account),
        None => Address::Unknown,
    }
}

async fn ask_platform(ctx: &Context, email: &Email) -> Result<Option<Account>, PlatformError> {
    tokio::time::timeout(LOOKUP_TIMEOUT, ctx.platform.account(email))
        .await
        .unwrap_or_else(|_| Err(PlatformError::Unavailable("no answer within two seconds".into())))
}

/// The address of a signed-in learner. The credential proves the account; it proves the address only if the account is
/// active, and unless the address has moved to another account since the token was issued.
///
/// # Errors
/// As [`require_platform`].
pub async fn proved(ctx: &Context, learner: &messages::Account, email: &Email) -> JobResult<Address> {
    require_platform(ctx)?;
    let holder = learners::find(&ctx.db, email).await?;
    let moved = holder.is_some_and(|holder| holder.platform_user_id != learner.user_id);
    if moved || !ctx.platform.accepts(learner.is_active) {
        return look_up(ctx, email).await;
    }
    Ok(Address::Registered(Account {
        id: learner.user_id,
        username: learner.username.clone(),
        email: email.as_str().to_owned(),
        name: Some(learner.name.clone()),
        is_active: true,
    }))
}

impl Address {
    /// Records what the platform said, in the transaction that uses it.
    ///
    /// # Errors
    /// The database is away.
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
                learners::forget_address(db, email, now).await?;
                Holder::Unknown
            }
            Address::Unresolved => Holder::Unresolved,
        })
    }
}
