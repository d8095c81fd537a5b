//! A buyer's payment attempts: started, resumed, replaced. The job stores each request before it sends it to the
//! provider, and settles the provider's answer before it replies to its caller. The worker may crash between any two
//! steps.
//!
//! Why: `docs/decisions/slow-payments.md`

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::Serialize;
use shared::about;
use shared::ids::CartId;
use shared::messages::{CartItem, PaymentStart, Refusal, ReverseCharge};
use sqlx::PgConnection;
use store::alert::Alert;
use store::error::{JobError, JobResult};
use store::money::transactions::{self, State, Transaction};
use store::money::{attention, creation, gateways, over, received};
use store::plumbing::audit::Cause;
use store::sales::{cart_rows, carts};

use super::on_account;
use super::settlement::{self, Report, Settled};
use crate::alert;
use crate::gateways::{Closure, Created, GatewayError, PaymentSnapshot, Status};
use crate::provider_calls::{self, Account, ProviderCalls};
use crate::runtime::command::CommandContext;
use crate::runtime::context::Context;
use crate::sale::fulfilment;

/// Pause between two checks while another job creates the same payment.
const WAIT: Duration = Duration::from_millis(50);

/// Rounds of one checkout. If they do not suffice, other checkouts of the same buyer keep interfering.
const ROUNDS: usize = 4;

/// Status of a payment: what its buyer can do with it.
pub enum AttemptStatus {
    Payable(PaymentStart),
    /// As far as is known: the provider does not answer.
    Unread(PaymentStart),
    /// The provider works on the payment, which must not be cancelled.
    Pending(PaymentStart),
    Paid,
    /// The buyer can no longer pay it.
    Closed,
}

/// The next step of a checkout.
pub enum Step<A> {
    Answer(A),
    /// The cart has changed since it was quoted: quote it again.
    Again,
    /// End the buyer's other attempts first. Holds their cart ids.
    Replace(Vec<CartId>),
    /// A cart waits for a payment that another job may have started.
    Pay(CartId),
    /// A cart waits for a payment that this job has just stored.
    Begin(Box<Begun>),
}

/// A payment that a job has just stored, with what its buyer is shown.
pub struct Begun {
    pub transaction: Transaction,
    pub account: Arc<Account>,
    pub items: Vec<CartItem>,
    pub reverse_charge: Option<ReverseCharge>,
}

/// The result of a checkout. Ids are those of carts.
pub enum Outcome<A> {
    Answer(A),
    Payable(CartId, PaymentStart),
    /// Its provider has created the payment that this job has begun; [`Attempts::finish`] stores that with the answer.
    Created(Box<Begun>, Created),
    Paid(CartId),
}

/// The payment attempts of one job.
pub struct Attempts<'a> {
    pub ctx: &'a Context,
    pub cause: Cause,
    pub calls: ProviderCalls<'a>,
}

impl Attempts<'_> {
    /// Repeats `begin` until the checkout has a result: ending or fulfilling another attempt can change the quote.
    /// `own` is the cart that an earlier delivery of this command created or joined. With `fulfil_paid`, a paid cart is
    /// fulfilled and the basket quoted again.
    ///
    /// # Errors
    /// `GatewayError` if this command's own payment can no longer be paid; `Retry` after [`ROUNDS`].
    pub async fn run_steps<'b, A>(
        &self,
        own: Option<CartId>,
        fulfil_paid: bool,
        begin: impl Fn() -> BoxFuture<'b, JobResult<Step<A>>>,
    ) -> JobResult<Outcome<A>> {
        for round in 0..ROUNDS {
            let step = match own {
                Some(cart_id) if round == 0 => Step::Pay(cart_id),
                _ => begin().await?,
            };
            let (cart_id, status) = match step {
                Step::Answer(answer) => return Ok(Outcome::Answer(answer)),
                Step::Again => continue,
                Step::Replace(carts) => {
                    for cart_id in carts {
                        // The checkout is about its own cart.
                        about::scope(Vec::new(), self.replace(cart_id)).await.0?;
                    }
                    continue;
                }
                Step::Pay(cart_id) => (cart_id, self.advance(cart_id).await?),
                Step::Begin(begun) => {
                    let account = Arc::clone(&begun.account);
                    let created = self.create(&begun.transaction, Some(account)).await?;
                    if matches!(created.snapshot.status, Status::Open | Status::Pending | Status::Failed) {
                        return Ok(Outcome::Created(begun, created));
                    }
                    (begun.transaction.cart_id, self.store(&begun.transaction, created).await?)
                }
            };
            match status {
                AttemptStatus::Payable(start)
                | AttemptStatus::Unread(start)
                | AttemptStatus::Pending(start) => return Ok(Outcome::Payable(cart_id, start)),
                // What the learner now holds costs nothing in the next quote, unless it has an end: then that would buy it again.
                AttemptStatus::Paid
                    if fulfil_paid
                        && self.fulfil(cart_id).await?
                        && !store::sales::cart_items::has_period(&self.ctx.db, cart_id).await? => {}
                AttemptStatus::Paid => return Ok(Outcome::Paid(cart_id)),
                // This command created the cart, and has no other one to offer.
                AttemptStatus::Closed if cart_id.0 == self.cause.command_id => {
                    let detail = "the payment provider refused the payment".to_owned();
                    return Err(Refusal::GatewayError { detail }.into());
                }
                AttemptStatus::Closed => {}
            }
        }
        Err(JobError::Retry("the buyer's attempts keep changing".into()))
    }

    /// Brings a cart's payment to a state in which its buyer can pay, or finds that it is paid or can no longer be
    /// paid.
    ///
    /// # Errors
    /// `GatewayError` if the provider refuses, does not answer, or contradicts the payment.
    pub async fn advance(&self, cart_id: CartId) -> JobResult<AttemptStatus> {
        loop {
            let transaction = transactions::of_cart(&self.ctx.db, cart_id).await?;
            let transaction =
                transaction.ok_or_else(|| JobError::dead(format!("cart {cart_id} has no payment")))?;
            return match (transaction.state, transaction.start(self.ctx.clock.now())) {
                (State::Created, _) => {
                    if !self.lease_creation(&transaction).await? {
                        continue;
                    }
                    let created = self.create(&transaction, None).await?;
                    self.store(&transaction, created).await
                }
                (State::Succeeded | State::Refunded, _) => Ok(AttemptStatus::Paid),
                _ if transaction.is_closed || transaction.state == State::Superseded => {
                    Ok(AttemptStatus::Closed)
                }
                (_, Some(start)) => self.look(&transaction, &start).await,
                // A notification arrived before the provider's answer was stored.
                (_, None) => {
                    let created = self.create(&transaction, None).await?;
                    self.store(&transaction, created).await
                }
            };
        }
    }

    /// Takes the lease on the call that creates the payment. False after a pause if another job holds it.
    async fn lease_creation(&self, transaction: &Transaction) -> JobResult<bool> {
        if creation::lease(&self.ctx.db, transaction.id, self.ctx.clock.now()).await? {
            return Ok(true);
        }
        if self.calls.out_of_time() {
            // The cart exists: the caller can query its status.
            return Err(JobError::Unknown("another job is creating the payment at the provider".into()));
        }
        tokio::time::sleep(WAIT).await;
        Ok(false)
    }

    /// Stores that the provider has created a payment, with the answer of the command that has begun it.
    ///
    /// # Errors
    /// Those of [`CommandContext::answer`]; `GatewayError` if the provider contradicts the payment.
    pub async fn finish(
        &self,
        command_ctx: &CommandContext,
        transaction: &Transaction,
        created: Created,
        answer: &impl Serialize,
    ) -> JobResult<()> {
        let (db, now) = (&self.ctx.db, self.ctx.clock.now());
        let Created { snapshot, start, customer } = &created;
        let needs_more = customer.is_some() || matches!(start, PaymentStart::Transfer { .. });
        if !needs_more && settlement::only_opens(transaction, &self.report(transaction, snapshot)) {
            let stored = match command_ctx.answer(answer, now) {
                Ok(answer) => {
                    let (id, reference) = (transaction.id, &snapshot.reference);
                    creation::set_created(db, id, reference, start, &answer, self.cause).await?
                }
                Err(_) => false,
            };
            if stored {
                return Ok(());
            }
        }
        self.store(transaction, created).await?;
        command_ctx.finish(db, answer, now).await
    }

    /// Has the provider create a payment.
    async fn create(
        &self,
        transaction: &Transaction,
        prepared_by: Option<Arc<Account>>,
    ) -> JobResult<Created> {
        match self.calls.create(transaction, prepared_by).await? {
            Ok(created) => Ok(created),
            Err(GatewayError::Refused { status, code }) => {
                self.refused(transaction, code.contains("customer")).await?;
                Err(provider_calls::refusal(&GatewayError::Refused { status, code }))
            }
            Err(error) => {
                // No call is under way, so the next job need not wait for the lease. If a call did create the payment,
                // that job finds it.
                creation::release_lease(&self.ctx.db, transaction.id).await?;
                Err(provider_calls::refusal(&error))
            }
        }
    }

    /// Stores that the provider has created a payment, and settles what it says.
    async fn store(&self, transaction: &Transaction, created: Created) -> JobResult<AttemptStatus> {
        let Created { snapshot, start, customer } = created;
        let is_transfer = matches!(start, PaymentStart::Transfer { .. });
        let mut tx = self.ctx.transaction().await?;
        let (contradiction, alerts) = self.apply(&mut tx, transaction, &snapshot).await?;
        if let Some(reason) = contradiction {
            tx.alert(alerts);
            tx.commit().await?;
            return Err(contradicted(reason));
        }
        // Another job may have begun it: the lease on the call can run out.
        let begins = is_transfer && transactions::lock(&mut tx, transaction.id).await?.due_on.is_none();
        creation::set_start(&mut tx, transaction.id, &start).await?;
        if begins {
            on_account::begin(&mut tx, transaction.id, self.cause).await?;
        }
        if let Some(customer) = customer {
            gateways::set_customer(&mut tx, transaction.cart_id, transaction.gateway, Some(&customer))
                .await?;
        }
        tx.alert(alerts);
        tx.commit().await?;
        Ok(status_of(&snapshot, start))
    }

    /// The provider refused to create the payment. Nothing can be charged, so the buyer may buy the basket another way.
    async fn refused(&self, transaction: &Transaction, for_the_customer: bool) -> JobResult<()> {
        let mut tx = self.ctx.transaction().await?;
        let now_stands = transactions::lock(&mut tx, transaction.id).await?;
        if now_stands.state == State::Created {
            transactions::move_to(&mut tx, transaction.id, State::Created, State::Failed, self.cause).await?;
            transactions::set_closed(&mut tx, transaction.id, self.cause.now).await?;
            let (pending, cancelled) = (carts::State::PendingPayment, carts::State::Cancelled);
            carts::move_to(&mut tx, transaction.cart_id, pending, cancelled, self.cause).await?;
            cart_rows::reopen(&mut tx, transaction.cart_id, self.cause).await?;
            if for_the_customer {
                // The customer was deleted at the provider: the next attempt creates a new one.
                gateways::set_customer(&mut tx, transaction.cart_id, transaction.gateway, None).await?;
            }
        }
        tx.commit().await?;
        Ok(())
    }

    /// Reads an open payment from the provider. If the provider is unavailable, the payment stays payable.
    async fn look(&self, transaction: &Transaction, start: &PaymentStart) -> JobResult<AttemptStatus> {
        match self.calls.read(transaction).await {
            Ok(Some(snapshot)) => {
                self.settle(transaction, &snapshot).await?;
                Ok(status_of(&snapshot, start.clone()))
            }
            Ok(None) => {
                self.abandon_unknown(transaction, Closure::Cancelled).await.map(|()| AttemptStatus::Closed)
            }
            Err(JobError::Reject { refusal: Refusal::GatewayError { detail }, .. }) => {
                tracing::warn!(detail, "payment not read from its provider; returned as last known");
                Ok(AttemptStatus::Unread(start.clone()))
            }
            Err(error) => Err(error),
        }
    }

    /// Ends an attempt that another basket replaces. A paid attempt is fulfilled, and its courses count in the next
    /// quote. An attempt that the provider cannot end, or works on, is superseded, and its payment is still checked.
    async fn replace(&self, cart_id: CartId) -> JobResult<()> {
        let status = self.advance(cart_id).await;
        let transaction = transactions::of_cart(&self.ctx.db, cart_id).await?;
        let Some(transaction) = transaction else { return Ok(()) };
        match status {
            Ok(AttemptStatus::Payable(_)) => {}
            Ok(AttemptStatus::Pending(_)) => return self.supersede(&transaction, Closure::Cancelled).await,
            // The provider may be working on it.
            Ok(AttemptStatus::Unread(_)) => {
                let reason = "the state of the attempt to replace is unknown".to_owned();
                return Err(provider_calls::refusal(&GatewayError::Unanswered(reason)));
            }
            Ok(AttemptStatus::Paid) => return self.fulfil(cart_id).await.map(drop),
            Ok(AttemptStatus::Closed) => return Ok(()),
            // The provider refused to create it: there is nothing to end.
            Err(_) if transaction.is_closed => return Ok(()),
            Err(error) => return Err(error),
        }
        let Some(snapshot) = self.calls.cancel(&transaction).await? else {
            return self.abandon_unknown(&transaction, Closure::Cancelled).await;
        };
        self.settle(&transaction, &snapshot).await?;
        match snapshot.status {
            Status::Paid => self.fulfil(cart_id).await.map(drop),
            Status::Closed(_) => Ok(()),
            Status::Open | Status::Pending | Status::Failed => {
                self.supersede(&transaction, Closure::Cancelled).await
            }
        }
    }

    /// Raises an alert for a payment that the provider does not know, and supersedes it: for example, it was created
    /// with an account that is no longer configured. The buyer can start another one. If it is paid after all, its
    /// notification is settled. `closure` is how its cart ends.
    ///
    /// # Errors
    /// The database is unavailable, or the payment was settled meanwhile and cannot be fulfilled yet.
    pub async fn abandon_unknown(&self, transaction: &Transaction, closure: Closure) -> JobResult<()> {
        let mut db = self.ctx.db.acquire().await?;
        alert::raise(attention::alert(&mut db, transaction.id, settlement::UNKNOWN, self.cause.now).await?);
        drop(db);
        self.supersede(transaction, closure).await
    }

    async fn supersede(&self, transaction: &Transaction, closure: Closure) -> JobResult<()> {
        let mut tx = self.ctx.transaction().await?;
        let stands = transactions::lock(&mut tx, transaction.id).await?;
        // A failed payment keeps its state: it can still be paid, and is checked in that state too.
        if stands.state == State::Processing {
            let to = State::Superseded;
            transactions::move_to(&mut tx, transaction.id, State::Processing, to, self.cause).await?;
        }
        let cart = carts::lock(&mut tx, transaction.cart_id).await?;
        settlement::end_cart(&mut tx, &cart, closure, self.cause).await?;
        let has_provider = stands.gateway.has_provider();
        if !has_provider && !stands.was_charged() && received::sum(&mut *tx, stands.id).await? > 0 {
            let reason =
                "a part of its total has arrived, and another attempt replaces it; pay the part back";
            let alert = attention::alert(&mut tx, stands.id, reason, self.cause.now).await?;
            tx.alert(alert);
        }
        tx.commit().await?;
        // A notification may have settled the payment meanwhile.
        if cart.state == carts::State::Paid { self.fulfil(cart.id).await.map(drop) } else { Ok(()) }
    }

    /// Settles what the provider says of a payment, and commits.
    ///
    /// # Errors
    /// `GatewayError` if it contradicts the payment.
    pub async fn settle(&self, transaction: &Transaction, snapshot: &PaymentSnapshot) -> JobResult<()> {
        let mut tx = self.ctx.transaction().await?;
        let (contradiction, alerts) = self.apply(&mut tx, transaction, snapshot).await?;
        tx.alert(alerts);
        tx.commit().await?;
        match contradiction {
            None => Ok(()),
            Some(reason) => Err(contradicted(reason)),
        }
    }

    /// Settles what the provider says. Returns the reason if that contradicts the payment, and the alerts to raise after
    /// the commit.
    async fn apply(
        &self,
        db: &mut PgConnection,
        transaction: &Transaction,
        snapshot: &PaymentSnapshot,
    ) -> JobResult<(Option<String>, Vec<Alert>)> {
        let id = transaction.id;
        match settlement::settle(db, id, &self.report(transaction, snapshot), self.cause).await? {
            Settled::Agreed(alerts) => Ok((None, alerts)),
            Settled::Contradiction(reason) => {
                let reason = over::disagrees(&reason);
                let alert = attention::alert(db, id, &reason, self.cause.now).await?;
                Ok((Some(reason), alert.into_iter().collect()))
            }
        }
    }

    fn report<'s>(&self, transaction: &Transaction, snapshot: &'s PaymentSnapshot) -> Report<'s> {
        let Transaction { gateway, organisation_id, .. } = *transaction;
        let cart_lifetime = self.ctx.cart_lifetime;
        Report { gateway, organisation_id, snapshot, is_confirmed: false, cart_lifetime, recipient: None }
    }

    /// Directly, not through the queue: the next quote depends on what the buyer holds. False if the cart waits for an
    /// operator.
    async fn fulfil(&self, cart_id: CartId) -> JobResult<bool> {
        fulfilment::fulfil(self.ctx, cart_id, self.cause.command_id).await
    }
}

fn status_of(snapshot: &PaymentSnapshot, start: PaymentStart) -> AttemptStatus {
    match snapshot.status {
        Status::Open | Status::Failed => AttemptStatus::Payable(start),
        Status::Pending => AttemptStatus::Pending(start),
        Status::Paid => AttemptStatus::Paid,
        Status::Closed(_) => AttemptStatus::Closed,
    }
}

/// The provider's answer contradicts the stored payment: the buyer must not pay it.
fn contradicted(reason: String) -> JobError {
    let detail = "the payment provider's answer does not fit the payment".to_owned();
    JobError::Reject { refusal: Refusal::GatewayError { detail }, reason }
}
