//! Lookup of an email address's account: asks the course platform, and falls back to the learners on record.

use std::time::Duration;

use chrono::{DateTime, Utc};
use shared::email::Email;
use shared::ids::LearnerId;
use shared::messages::{self, Refusal};
use sqlx::PgConnection;
use store::access::enrollments::Holder;
use store::error::JobResult;
use store::people::learners::{self, Learner, NewLearner};

use crate::platform::{PlatformAccount, PlatformError};
use crate::runtime::context::Context;

/// Timeout of an account look-up. A caller waits for it.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(2);

/// Facts known about an address before a transaction begins.
pub enum Address {
    /// A learner on record.
    Known(LearnerId),
    /// An account of the platform that is not on record, or differs from the record.
    Registered(PlatformAccount),
    /// The platform has no account with this address that may receive a course.
    Unknown {
        /// Indicates whether a learner on record has the address.
        recorded: bool,
    },
    /// The platform did not answer, and there is no record.
    Unresolved,
}

/// Checks that the worker can enroll and unenroll learners.
///
/// # Errors
/// `NotConfigured` without a service account at the course platform.
pub fn require_platform(ctx: &Context) -> Result<(), Refusal> {
    if ctx.platform.is_configured() {
        return Ok(());
    }
    Err(Refusal::NotConfigured {
        detail: "the course platform's service account is not configured".to_owned(),
    })
}

/// Looks an address up at the platform, even one on record: it may have moved to another account. The record is the
/// fallback while the platform does not answer.
///
/// # Errors
/// As [`require_platform`]; a platform that does not answer is no error.
pub async fn look_up(ctx: &Context, email: &Email) -> JobResult<Address> {
    require_platform(ctx)?;
    let (answer, known) = tokio::join!(ask_platform(ctx, email), learners::find(&ctx.db, email));
    Ok(address(ctx, answer, known?))
}

/// As [`look_up`], for an address whose learner on record the caller has read.
///
/// # Errors
/// As [`require_platform`].
pub async fn look_up_beside(
    ctx: &Context,
    email: &Email,
    on_record: Option<Learner>,
) -> Result<Address, Refusal> {
    require_platform(ctx)?;
    Ok(address(ctx, ask_platform(ctx, email).await, on_record))
}

fn address(
    ctx: &Context,
    answer: Result<Option<PlatformAccount>, PlatformError>,
    known: Option<Learner>,
) -> Address {
    if let Err(error) = &answer {
        error.alert();
    }
    match (answer, known) {
        (Ok(Some(account)), known) => judge(ctx, account, known),
        (Ok(None), known) => Address::Unknown { recorded: known.is_some() },
        (Err(error), Some(learner)) => {
            tracing::warn!(%error, "account look-up failed; using the learner on record");
            Address::Known(learner.id)
        }
        (Err(error), None) => {
            tracing::warn!(%error, "account look-up failed; the grant waits for the next look-up");
            Address::Unresolved
        }
    }
}

fn judge(ctx: &Context, account: PlatformAccount, known: Option<Learner>) -> Address {
    let recorded = known.is_some();
    match known.filter(|learner| learner.platform_user_id == account.id) {
        Some(learner)
            if learner.username == account.username
                && (account.language.is_none() || learner.language == account.language) =>
        {
            Address::Known(learner.id)
        }
        // The account of a learner on record was active under this address before, so it counts as active.
        Some(_) => Address::Registered(account),
        None if ctx.platform.accepts(account.is_active) => Address::Registered(account),
        None => Address::Unknown { recorded },
    }
}

async fn ask_platform(ctx: &Context, email: &Email) -> Result<Option<PlatformAccount>, PlatformError> {
    tokio::time::timeout(LOOKUP_TIMEOUT, ctx.platform.account(email))
        .await
        .unwrap_or_else(|_| Err(PlatformError::Unavailable("no answer within two seconds".into())))
}

/// The address of a signed-in learner. The credential proves the account; it proves the address only if the account is
/// active, and unless the address has moved to another account since the token was issued.
///
/// # Errors
/// As [`require_platform`].
pub async fn proved(ctx: &Context, learner: &messages::LearnerAccount, email: &Email) -> JobResult<Address> {
    require_platform(ctx)?;
    let holder = learners::find(&ctx.db, email).await?;
    let moved = holder.is_some_and(|holder| holder.platform_user_id != learner.user_id);
    if moved || !ctx.platform.accepts(learner.is_active) {
        return look_up(ctx, email).await;
    }
    Ok(Address::Registered(PlatformAccount {
        id: learner.user_id,
        username: learner.username.clone(),
        email: email.as_str().to_owned(),
        name: Some(learner.name.clone()),
        is_active: true,
        language: None,
    }))
}

impl Address {
    /// Records what the platform said, in the transaction that uses it.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn holder(
        &self,
        db: &mut PgConnection,
        email: &Email,
        now: DateTime<Utc>,
    ) -> JobResult<Holder> {
        Ok(match self {
            Address::Known(learner) => Holder::Learner(*learner),
            Address::Registered(account) => {
                Holder::Learner(learners::remember(db, new_learner(account), email, now).await?)
            }
            Address::Unknown { recorded } => {
                if *recorded {
                    learners::forget_address(db, email, now).await?;
                }
                Holder::Unknown
            }
            Address::Unresolved => Holder::Unresolved,
        })
    }
}

/// Returns the account's username, if it differs from this one; None if it is the same or the account no longer exists.
///
/// # Errors
/// The platform's, as of any look-up.
pub async fn renamed(
    ctx: &Context,
    platform_user_id: i64,
    username: &str,
) -> Result<Option<String>, PlatformError> {
    let account = ctx.platform.account_by_id(platform_user_id).await?;
    Ok(account.map(|account| account.username).filter(|current| current != username))
}

/// An account as the record stores it.
pub fn new_learner(account: &PlatformAccount) -> NewLearner<'_> {
    NewLearner {
        platform_user_id: account.id,
        username: &account.username,
        name: account.name.as_deref().unwrap_or_default(),
        language: account.language.as_ref(),
    }
}
