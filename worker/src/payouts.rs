//! Reads the payouts of an account, and the movements in each. Calls of its own time and circuit breaker, one after the other and with
//! pauses, so that no checkout waits for them. A reading continues where the last one ended.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use shared::messages::ReadPayouts;
use store::alert::Alert;
use store::error::{JobError, JobResult};
use store::money::payouts::{self, Account, Due, Reading};
use store::plumbing::outbox;

use crate::alert;
use crate::gateways::{Books, GatewayError, PayoutPlace};
use crate::provider_calls::ProviderCalls;
use crate::runtime::context::Context;
use crate::runtime::lease;

/// Time for which a payout's state may still change: a bank can send one back days later.
const CHANGES_WITHIN: TimeDelta = TimeDelta::days(45);

/// Pause between two calls. Stripe takes 100 reads a second of an account, whose checkouts need some of them.
const PAUSE: Duration = Duration::from_millis(50);

/// A provider that does not answer is asked again after this time.
const AGAIN_AFTER: TimeDelta = TimeDelta::minutes(5);

/// Reason why a reading ended early.
enum Stopped {
    Job(JobError),
    Provider(GatewayError),
    /// The rest is for the next job.
    OutOfTime,
}

impl From<JobError> for Stopped {
    fn from(error: JobError) -> Self {
        Self::Job(error)
    }
}

/// Reads what is new of an account's payouts, unless another worker does so.
pub async fn read(ctx: &Context, account: Account) -> JobResult<()> {
    let Account { organisation_id, gateway } = account;
    let name = format!("payouts of {organisation_id} at {gateway}");
    let read = lease::hold(&ctx.db, &name, read_alone(ctx, account)).await?;
    read.unwrap_or(Ok(()))
}

async fn read_alone(ctx: &Context, account: Account) -> JobResult<()> {
    let Some(reading) = payouts::reading(&ctx.db, account).await? else { return Ok(()) };
    let calls = ProviderCalls::of_books(ctx);
    let Some(books) = calls.books(account.organisation_id, account.gateway).await? else { return Ok(()) };
    let reader = Reader { ctx, account, calls, books };
    let read = async {
        reader.payouts(&reading).await?;
        reader.movements().await
    };
    match read.await {
        Ok(()) => Ok(()),
        Err(Stopped::Job(error)) => Err(error),
        Err(Stopped::OutOfTime) => reader.leave_rest().await,
        Err(Stopped::Provider(error)) => reader.failed(&reading, &error).await,
    }
}

struct Reader<'a> {
    ctx: &'a Context,
    account: Account,
    calls: ProviderCalls<'a>,
    books: Box<dyn Books>,
}

impl Reader<'_> {
    /// Reads the list of payouts, newest first, back to those that cannot change any more.
    async fn payouts(&self, reading: &Reading) -> Result<(), Stopped> {
        let since = reading.read_to.map(|read_to| read_to - CHANGES_WITHIN);
        let begun_at = reading.begun_at.unwrap_or_else(|| self.ctx.clock.now());
        let mut page = reading.page.clone();
        loop {
            self.check_time()?;
            let found = self.books.payouts(since, page.as_deref()).await.map_err(Stopped::Provider)?;
            let is_old = |made_at: DateTime<Utc>| since.is_some_and(|since| made_at < since);
            let is_over = found.items.last().is_some_and(|oldest| is_old(oldest.made_at));
            let mut tx = self.ctx.transaction().await?;
            for payout in found.items.iter().filter(|payout| !is_old(payout.made_at)) {
                let failed = payouts::store(&mut tx, self.account, payout, self.ctx.clock.now()).await?;
                tx.alert(failed);
            }
            page = found.next.filter(|_| !is_over);
            payouts::set_place(&mut tx, self.account, page.as_deref(), begun_at).await?;
            tx.commit().await?;
            if page.is_none() {
                return Ok(());
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Reads the movements of each payout that lacks them.
    async fn movements(&self) -> Result<(), Stopped> {
        while let Some(payout) = payouts::next_due(&self.ctx.db, self.account, self.ctx.clock.now()).await? {
            self.movements_of(payout).await?;
        }
        Ok(())
    }

    async fn movements_of(&self, mut due: Due) -> Result<(), Stopped> {
        let place = PayoutPlace { reference: due.reference.clone(), made_at: due.made_at };
        loop {
            self.check_time()?;
            let found = self.books.movements(&place, due.page.as_deref()).await.map_err(Stopped::Provider)?;
            let mut tx = self.ctx.transaction().await?;
            due.page = found.next;
            payouts::add(&mut tx, self.account, due.id, &found.items, due.page.as_deref()).await?;
            if due.page.is_none() {
                let differs = payouts::conclude(&mut tx, self.account, &due, self.ctx.clock.now()).await?;
                tx.alert(differs);
            }
            tx.commit().await?;
            tokio::time::sleep(PAUSE).await;
            if due.page.is_none() {
                return Ok(());
            }
        }
    }

    fn check_time(&self) -> Result<(), Stopped> {
        if self.calls.out_of_time() { Err(Stopped::OutOfTime) } else { Ok(()) }
    }

    /// Leaves the rest to a job of its own, so that others get their turn.
    async fn leave_rest(&self) -> JobResult<()> {
        let Account { organisation_id, gateway } = self.account;
        let mut tx = self.ctx.transaction().await?;
        outbox::push(&mut tx, ReadPayouts { organisation_id, gateway }, self.ctx.clock.now()).await?;
        tx.commit().await
    }

    /// Raises one alert if the provider does not show payouts to this key. No payment depends on that.
    async fn failed(&self, reading: &Reading, error: &GatewayError) -> JobResult<()> {
        let Account { organisation_id: organisation, gateway } = self.account;
        let now = self.ctx.clock.now();
        if !matches!(error, GatewayError::Refused { .. }) {
            tracing::warn!(%organisation, %gateway, %error, "payouts not read; read again later");
            return payouts::due_by(&self.ctx.db, self.account, now + AGAIN_AFTER).await;
        }
        if !reading.is_refused && payouts::set_refused(&self.ctx.db, self.account, now).await? {
            let reason = format!("payouts are not read: {error}");
            alert::raise([Alert::Payout { organisation, gateway, reason }]);
        }
        Ok(())
    }
}
