//! Looks one address up at the platform, and grants the enrollments and carts that wait for it.

use chrono::{DateTime, TimeDelta, Utc};
use shared::email::Email;
use shared::queue::Envelope;
use store::access::{invitations, registrations};
use store::error::{JobError, JobResult};
use store::people::learners;
use store::plumbing::audit::{Actor, Cause};
use store::plumbing::locks::{self, Lock};
use store::sales::carts::{self, State};
use uuid::Uuid;

use super::account_lookup;
use crate::runtime::context::Context;

/// Retries of a message that names an address. After them, the reconciler's next round asks.
const RETRIES: u32 = 5;

/// Addresses looked up in one round; the next round continues after them.
const LOOKUPS: usize = 200;

/// Addresses that one round asks the platform for, in searches of [`SEARCH`]; the next round continues after them. All
/// of 10,000 took 11 s, for which the other work waits.
const SEARCHED: usize = 5_000;

/// Addresses of one search.
const SEARCH: i64 = 500;

/// Most people register within days. An address for which nothing has changed for this long is looked for less often: with the
/// default `RECONCILE_EVERY`, each ten minutes. A hint of the platform, or of the invitation's link, still counts at once.
const OLD: TimeDelta = TimeDelta::days(30);
const OLD_IN: u32 = 20;

/// Resolves the address that a message names; nothing is asked or stored about one for which nothing waits. What fails for
/// good ends here and not as a dead letter, which would keep the address: the reconciler asks about every address for which
/// something waits.
///
/// # Errors
/// `Retry` or `Conflict`, a few times.
pub async fn resolve_named(ctx: &Context, email: &Email, envelope: &Envelope) -> JobResult<()> {
    let resolved = match registrations::is_awaited(&ctx.db, email).await {
        Ok(true) => resolve(ctx, email, envelope.id).await,
        other => other,
    };
    match resolved {
        Ok(_) => Ok(()),
        Err(error @ (JobError::Retry(_) | JobError::Conflict(_) | JobError::Unknown(_)))
            if envelope.attempt < RETRIES =>
        {
            Err(error)
        }
        Err(error) => {
            tracing::warn!(%error, "registration not resolved; left to the reconciler");
            Ok(())
        }
    }
}

/// Resolves one address. `cause_id` names the message in the audit log. Returns whether the address has an account that may
/// receive its courses.
///
/// # Errors
/// `Retry` while the platform or the database is unavailable.
pub async fn resolve(ctx: &Context, email: &Email, cause_id: Uuid) -> JobResult<bool> {
    let account = ctx.platform.account(email).await?;
    let account = account.filter(|account| ctx.platform.accepts(account.is_active));
    let found = account.is_some();

    let mut tx = ctx.transaction().await?;
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
            locks::take(&mut tx, &[Lock::Invitations(email)]).await?;
            if registrations::invite_unresolved(&mut tx, email, now).await? {
                invitations::send(&mut tx, email, now).await?;
            }
        }
    }
    tx.commit().await?;
    Ok(found)
}

/// A search among the waiting addresses, which continues from round to round.
#[derive(Default)]
pub struct Search {
    /// The last address that the round before has searched; empty if it has searched them all.
    after: String,
    /// Searches of all addresses so far.
    done: u32,
}

impl Search {
    /// The time since which something has changed for the addresses that this search is about. What has waited for longer may wait
    /// for good: it is part of one search in [`OLD_IN`], the first one among them.
    fn since(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        if self.done.is_multiple_of(OLD_IN) { DateTime::UNIX_EPOCH } else { now - OLD }
    }

    fn end(&mut self) {
        self.after.clear();
        self.done = self.done.wrapping_add(1);
    }
}

/// Asks the platform which of the waiting addresses have an account by now, and grants what waits for them.
pub async fn resolve_waiting(ctx: &Context, search: &mut Search) -> JobResult<u64> {
    if !ctx.platform.is_configured() {
        return Ok(0);
    }
    let (mut searched, mut looked_up, mut resolved) = (0, 0, 0);
    while searched < SEARCHED {
        let since = search.since(ctx.clock.now());
        let waiting = registrations::waiting_addresses(&ctx.db, &search.after, since, SEARCH).await?;
        let Some(last) = waiting.last().map(|last| last.email.clone()) else {
            search.end();
            return Ok(resolved);
        };
        searched += waiting.len();
        let emails: Vec<Email> =
            waiting.iter().filter_map(|waiting| Email::parse(&waiting.email).ok()).collect();
        let known = ctx.platform.search_emails(&emails).await?;
        // Addresses whose first look-up failed are looked up one by one: they may still need an invitation.
        let unresolved = waiting.iter().filter(|waiting| waiting.unresolved);
        let unresolved = unresolved.filter_map(|waiting| Email::parse(&waiting.email).ok());
        let mut emails: Vec<Email> = known.into_iter().chain(unresolved).collect();
        emails.sort_unstable();
        emails.dedup();
        for email in emails {
            if looked_up == LOOKUPS {
                return Ok(resolved);
            }
            looked_up += 1;
            email.as_str().clone_into(&mut search.after);
            // Directly: a message per round would pile up for an address whose account is not active yet.
            match resolve(ctx, &email, Uuid::now_v7()).await {
                Ok(found) => resolved += u64::from(found),
                // One address must not hold up those after it; the next round looks it up again.
                Err(error) => tracing::warn!(%error, "registration not resolved; the next round tries again"),
            }
        }
        search.after = last;
    }
    Ok(resolved)
}
