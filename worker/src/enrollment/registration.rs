//! Looks one address up at the platform, and grants the enrollments and carts that wait for it.

use std::collections::BTreeMap;

use shared::email::Email;
use shared::messages::{Mail, SendEmail};
use uuid::Uuid;

use super::account_lookup;
use crate::context::Context;
use crate::error::JobResult;
use crate::store::audit::{Actor, Cause};
use crate::store::carts::{self, State};
use crate::store::{learners, outbox, registrations};

/// Resolves one address. `cause_id` names the message in the audit log. Returns whether the address has an account that may
/// receive its courses.
///
/// # Errors
/// `Retry` while the platform or the database is unavailable.
pub async fn resolve(ctx: &Context, email: &Email, cause_id: Uuid) -> JobResult<bool> {
    let account = ctx.platform.account(email).await?;
    let account = account.filter(|account| ctx.platform.accepts(account.is_active));
    let found = account.is_some();

    let mut tx = ctx.db.begin().await?;
    let now = ctx.clock.now();
    let cause = Cause { actor: Actor::System, command_id: cause_id, now };
    match account {
        Some(account) => {
            let learner =
                learners::remember(&mut tx, account_lookup::new_learner(&account), email, now).await?;
            // Lock order: carts before enrollments, as in a removal.
            let held = carts::held(&mut tx, email).await?;
            let resolved = registrations::resolve(&mut tx, email, learner, cause).await?;
            for cart in held {
                carts::move_to(&mut tx, cart, State::Held, State::Fulfilled, cause).await?;
            }
            tracing::info!(resolved, "address registered; waiting enrollments granted");
        }
        None => {
            let mut by_organisation: BTreeMap<_, Vec<String>> = BTreeMap::new();
            for due in registrations::invite_unresolved(&mut tx, email, now).await? {
                by_organisation.entry(due.organisation_id).or_default().push(due.course);
            }
            for (organisation_id, courses) in by_organisation {
                let mail = Mail::RegistrationInvitation { organisation_id, courses };
                outbox::push(&mut tx, SendEmail { to: email.clone(), mail }, now).await?;
            }
        }
    }
    tx.commit().await?;
    ctx.outbox.notify_one();
    Ok(found)
}
