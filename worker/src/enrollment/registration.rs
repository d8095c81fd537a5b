//! Looks one address up at the platform, and grants the enrollments and carts that wait for it.

use chrono::{DateTime, Utc};
use shared::email::Email;
use shared::messages::ResolveRegistration;
use shared::queue::Envelope;
use store::access::registrations::WaitingAddress;
use store::access::{invitations, registrations};
use store::error::{JobError, JobResult};
use store::people::learners;
use store::plumbing::audit::{Actor, Cause};
use store::plumbing::locks::{self, Lock};
use store::plumbing::outbox;
use store::sales::carts::{self, State};
use uuid::Uuid;

use super::{account_lookup, looks};
use crate::runtime::context::Context;

/// Retries of a message that names an address. After them, the reconciler's next round asks.
const RETRIES: u32 = 5;

/// The account of an address at the platform.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Found {
    None,
    /// It receives no courses before its owner has activated it.
    Inactive,
    Accepted,
}

/// Addresses looked up in one round; the next round continues after them.
const LOOKUPS: usize = 200;

/// Addresses that one round asks the platform for, in searches of [`SEARCH`]; the next round continues after them. All
/// of 10,000 took 11 s, for which the other work waits.
const SEARCHED: usize = 5_000;

/// Addresses of one search.
const SEARCH: usize = 500;

/// Resolves the address that a message names; nothing is asked or stored about one for which nothing waits. What fails for
/// good ends here and not as a dead letter, which would keep the address: the reconciler asks about every address for which
/// something waits. `is_hint` is true if the message says that the address has registered, perhaps before the account is active.
///
/// # Errors
/// `Retry` or `Conflict`, a few times.
pub async fn resolve_named(
    ctx: &Context,
    email: &Email,
    envelope: &Envelope,
    is_hint: bool,
) -> JobResult<()> {
    let resolved = async {
        if !registrations::is_awaited(&ctx.db, email).await? {
            return Ok(());
        }
        match resolve(ctx, email, envelope.id).await? {
            Found::Inactive if is_hint => Err(JobError::Retry("the account is not active yet".to_owned())),
            _ => Ok(()),
        }
    };
    match resolved.await {
        Ok(()) => Ok(()),
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

/// Resolves one address. `cause_id` names the message in the audit log.
///
/// # Errors
/// `Retry` while the platform or the database is unavailable.
pub async fn resolve(ctx: &Context, email: &Email, cause_id: Uuid) -> JobResult<Found> {
    let account = ctx.platform.account(email).await?;
    let found = match &account {
        None => Found::None,
        Some(account) if ctx.platform.accepts(account.is_active) => Found::Accepted,
        Some(_) => Found::Inactive,
    };
    let account = account.filter(|_| found == Found::Accepted);

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
    /// When the search began; None if the round before has ended it.
    begun: Option<DateTime<Utc>>,
    /// The last address that the round before has searched.
    last: String,
}

/// Asks the platform which of the waiting addresses that are due have an account by now, and grants what waits for them. A search counts
/// once it has come to its end: after an outage of the platform, the next one includes what was due meanwhile.
pub async fn resolve_waiting(ctx: &Context, search: &mut Search) -> JobResult<u64> {
    if !ctx.platform.is_configured() {
        return Ok(0);
    }
    let Some(searches) = registrations::searches(&ctx.db).await? else { return Ok(0) };
    // Another worker may have come further than the search that this one has begun.
    search.begun = search.begun.filter(|begun| *begun > searches.searched_to);
    let begun = search.begun.unwrap_or_else(|| {
        search.last.clear();
        ctx.clock.now()
    });
    search.begun = Some(begun);
    let before = searches.searched_to.clamp(begun - looks::LONGEST, begun);
    let (after, until): (Vec<_>, Vec<_>) = looks::due(before, begun, searches.oldest)
        .into_iter()
        .map(|since| (since.after, since.until))
        .unzip();
    let limit = SEARCHED as i64;
    let due = registrations::waiting_addresses(&ctx.db, &after, &until, &search.last, limit).await?;
    let (mut looked_up, mut resolved) = (0, 0);
    for waiting in due.chunks(SEARCH) {
        resolved += resolve_some(ctx, waiting, search, &mut looked_up).await?;
        if looked_up == LOOKUPS {
            return Ok(resolved);
        }
    }
    if due.len() < SEARCHED {
        registrations::searched(&ctx.db, begun).await?;
        *search = Search::default();
    }
    Ok(resolved)
}

/// Resolves those of these addresses that have an account, and invites those whose first look-up failed. Ends after [`LOOKUPS`].
async fn resolve_some(
    ctx: &Context,
    waiting: &[WaitingAddress],
    search: &mut Search,
    looked_up: &mut usize,
) -> JobResult<u64> {
    let parsed = waiting.iter().filter_map(|waiting| Some((waiting, Email::parse(&waiting.email).ok()?)));
    let (all, unresolved): (Vec<Email>, Vec<Option<Email>>) =
        parsed.map(|(waiting, email)| (email.clone(), waiting.unresolved.then_some(email))).unzip();
    let mut emails = ctx.platform.search_emails(&all).await?;
    emails.extend(unresolved.into_iter().flatten());
    emails.sort_unstable();
    emails.dedup();
    let mut resolved = 0;
    for email in emails {
        if *looked_up == LOOKUPS {
            return Ok(resolved);
        }
        *looked_up += 1;
        email.as_str().clone_into(&mut search.last);
        // Directly: a message each time would pile up for an address whose account is not active yet.
        match resolve(ctx, &email, Uuid::now_v7()).await {
            Ok(found) => resolved += u64::from(found == Found::Accepted),
            // One address must not hold up those after it, and its next look may be a day away.
            Err(error) => {
                tracing::warn!(%error, "registration not resolved; a message tries again");
                let mut db = ctx.db.acquire().await?;
                outbox::push(&mut db, ResolveRegistration { email }, ctx.clock.now()).await?;
            }
        }
    }
    if let Some(last) = waiting.last() {
        last.email.clone_into(&mut search.last);
    }
    Ok(resolved)
}
