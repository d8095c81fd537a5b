//! A buyer's attempts at paying: begun, taken up again, replaced. What the provider is asked is stored before it is asked,
//! and what it says is settled before anybody is answered; between two steps the job may be lost at any time.

use std::time::Duration;

use futures_util::future::BoxFuture;
use shared::gateway::Gateway;
use shared::messages::{PaymentStart, Refusal};
use sqlx::PgConnection;
use uuid::Uuid;

use super::fulfil_cart;
use crate::context::Context;
use crate::error::{JobError, JobResult};
use crate::gateways::{Created, Credentials, Facts, GatewayError, Patience, PaymentGateway, Status};
use crate::settle::{self, Report, Settled};
use crate::store::audit::Cause;
use crate::store::transactions::{self, State, Transaction};
use crate::store::{cart_items, carts, gateways};

/// Another job is creating the same payment: it is waited for.
const WAIT: Duration = Duration::from_millis(50);

/// A checkout that is quoted anew so often has met others each time.
const ROUNDS: usize = 4;

/// How a payment stands for its buyer.
pub enum Standing {
    Payable(PaymentStart),
    Paid,
    /// It can no longer be paid.
    Dead,
}

/// What a checkout does next.
pub enum Step<A> {
    Answer(A),
    /// What it was quoted by has changed meanwhile.
    Again,
    /// The buyer's other attempts must be ended first.
    Replace(Vec<Uuid>),
    /// A cart waits for its payment. `first`: it was begun by this very job.
    Pay {
        cart_id: Uuid,
        first: bool,
    },
}

/// What came of a checkout.
pub enum Outcome<A> {
    Answer(A),
    Payable(Uuid, PaymentStart),
    Paid(Uuid),
}

/// The attempts of one job. All calls to the provider share its patience.
pub struct Attempts<'a> {
    pub ctx: &'a Context,
    pub cause: Cause,
    pub patience: Patience,
}

impl Attempts<'_> {
    /// Goes on until there is something to answer: what has to be ended or paid on the way may change the quote. `own` is
    /// the cart that an earlier delivery of this command has begun or joined.
    pub async fn drive<'b, A>(
        &self,
        own: Option<Uuid>,
        fulfil_paid: bool,
        begin: impl Fn() -> BoxFuture<'b, JobResult<Step<A>>>,
    ) -> JobResult<Outcome<A>> {
        for round in 0..ROUNDS {
            let step = match own {
                Some(cart_id) if round == 0 => Step::Pay { cart_id, first: false },
                _ => begin().await?,
            };
            match step {
                Step::Answer(answer) => return Ok(Outcome::Answer(answer)),
                Step::Again => {}
                Step::Replace(carts) => {
                    for cart_id in carts {
                        self.replace(cart_id).await?;
                    }
                }
                Step::Pay { cart_id, first } => match self.advance(cart_id, first).await? {
                    Standing::Payable(start) => return Ok(Outcome::Payable(cart_id, start)),
                    // What a learner holds costs nothing the next time, but for programs, whose price knows nothing of it.
                    Standing::Paid if fulfil_paid => {
                        self.fulfil(cart_id).await?;
                        let mut db = self.ctx.db.acquire().await?;
                        if cart_items::holds_program(&mut db, cart_id).await? {
                            return Ok(Outcome::Paid(cart_id));
                        }
                    }
                    Standing::Paid => return Ok(Outcome::Paid(cart_id)),
                    // Begun by this very command, which has no other cart to offer.
                    Standing::Dead if cart_id == self.cause.command_id => {
                        let detail = "the payment provider refused the payment".to_owned();
                        return Err(Refusal::GatewayError { detail }.into());
                    }
                    Standing::Dead => {}
                },
            }
        }
        Err(JobError::Retry("the buyer's attempts keep changing".into()))
    }

    /// Brings a cart's payment to where its buyer can pay, or finds out that nobody can any more.
    pub async fn advance(&self, cart_id: Uuid, first: bool) -> JobResult<Standing> {
        loop {
            let transaction = transactions::of_cart(&self.ctx.db, cart_id).await?;
            let transaction =
                transaction.ok_or_else(|| JobError::dead(format!("cart {cart_id} has no payment")))?;
            return match (transaction.state, transaction.start(self.ctx.clock.now())) {
                (State::Created, _) => {
                    if !first && !self.take_call(&transaction).await? {
                        continue;
                    }
                    self.create(&transaction, first).await
                }
                (State::Succeeded | State::Refunded, _) => Ok(Standing::Paid),
                _ if transaction.is_dead || transaction.state == State::Superseded => Ok(Standing::Dead),
                (_, Some(start)) => self.look(&transaction, &start).await,
                // A notification was faster than our answer.
                (_, None) => self.create(&transaction, false).await,
            };
        }
    }

    /// False after a while in which another job is at it.
    async fn take_call(&self, transaction: &Transaction) -> JobResult<bool> {
        if transactions::take_call(&self.ctx.db, transaction.id, self.ctx.clock.now()).await? {
            return Ok(true);
        }
        if self.patience.is_over() {
            // Its cart is there: the caller can ask how it stands.
            return Err(JobError::Unknown("another job is asking the provider".into()));
        }
        tokio::time::sleep(WAIT).await;
        Ok(false)
    }

    async fn create(&self, transaction: &Transaction, first: bool) -> JobResult<Standing> {
        let gateway = self.open(transaction).await?;
        match gateway.create(transaction.id, &transaction.request, first).await {
            Ok(created) => self.created(transaction, created).await,
            Err(GatewayError::Refused { status, code }) => {
                self.refused(transaction, code.contains("customer")).await?;
                Err(refusal(&GatewayError::Refused { status, code }))
            }
            Err(error) => {
                // Our calls are over. What they may have made is found by the next one, which need not wait.
                transactions::give_up_call(&self.ctx.db, transaction.id).await?;
                Err(refusal(&error))
            }
        }
    }

    async fn created(&self, transaction: &Transaction, created: Created) -> JobResult<Standing> {
        let Created { facts, start, customer } = created;
        let mut tx = self.ctx.db.begin().await?;
        if let Some(reason) = self.disagreement(&mut tx, transaction, &facts).await? {
            tx.commit().await?;
            return Err(misfit(reason));
        }
        transactions::set_start(&mut tx, transaction.id, &start).await?;
        if let Some(customer) = customer {
            gateways::set_customer(&mut tx, transaction.cart_id, transaction.gateway, Some(&customer))
                .await?;
        }
        tx.commit().await?;
        self.ctx.outbox.notify_one();
        Ok(standing(&facts, start))
    }

    /// The provider will not make it: nothing can be charged, and the basket is free to be bought otherwise.
    async fn refused(&self, transaction: &Transaction, for_the_customer: bool) -> JobResult<()> {
        let mut tx = self.ctx.db.begin().await?;
        let now_stands = transactions::lock(&mut tx, transaction.id).await?;
        if now_stands.state == State::Created {
            transactions::move_to(&mut tx, transaction.id, State::Created, State::Failed, self.cause).await?;
            transactions::set_dead(&mut tx, transaction.id, self.cause.now).await?;
            let (pending, cancelled) = (carts::State::PendingPayment, carts::State::Cancelled);
            carts::move_to(&mut tx, transaction.cart_id, pending, cancelled, self.cause).await?;
            carts::reopen(&mut tx, transaction.cart_id, self.cause).await?;
            if for_the_customer {
                // Somebody has deleted them there: the next attempt makes another one.
                gateways::set_customer(&mut tx, transaction.cart_id, transaction.gateway, None).await?;
            }
        }
        tx.commit().await?;
        Ok(())
    }

    /// Asks how an open payment stands. While the provider is away, it stands as it stood.
    async fn look(&self, transaction: &Transaction, start: &PaymentStart) -> JobResult<Standing> {
        match self.read(transaction).await {
            Ok(Some(facts)) => {
                self.settle(transaction, &facts).await?;
                Ok(standing(&facts, start.clone()))
            }
            Ok(None) => self.disown(transaction).await.map(|()| Standing::Dead),
            Err(JobError::Reject { refusal: Refusal::GatewayError { detail }, .. }) => {
                tracing::warn!(detail, "an open payment is returned as it was");
                Ok(Standing::Payable(start.clone()))
            }
            Err(error) => Err(error),
        }
    }

    /// What the provider says of a payment; None if it refuses to tell, or does not know it.
    pub async fn read(&self, transaction: &Transaction) -> JobResult<Option<Facts>> {
        let gateway = self.open(transaction).await?;
        told(gateway.read(reference(transaction)?).await)
    }

    /// Ends an attempt that another basket replaces. One that was paid is paid, and its courses count in the next quote;
    /// one that cannot be ended is left, and watched.
    async fn replace(&self, cart_id: Uuid) -> JobResult<()> {
        let standing = self.advance(cart_id, false).await;
        let transaction = transactions::of_cart(&self.ctx.db, cart_id).await?;
        let Some(transaction) = transaction else { return Ok(()) };
        match standing {
            Ok(Standing::Payable(_)) => {}
            Ok(Standing::Paid) => return self.fulfil(cart_id).await,
            Ok(Standing::Dead) => return Ok(()),
            // Refused when it was to be made at last: there is nothing left to end.
            Err(_) if transaction.is_dead => return Ok(()),
            Err(error) => return Err(error),
        }
        let Some(facts) = self.ended(&transaction).await? else { return self.disown(&transaction).await };
        self.settle(&transaction, &facts).await?;
        match facts.status {
            Status::Paid => self.fulfil(cart_id).await,
            Status::Dead(_) => Ok(()),
            Status::Open | Status::Failed => self.supersede(&transaction).await,
        }
    }

    /// How a payment stands after it was to be ended at its provider.
    pub async fn ended(&self, transaction: &Transaction) -> JobResult<Option<Facts>> {
        let gateway = self.open(transaction).await?;
        told(gateway.cancel(reference(transaction)?).await)
    }

    /// The account that made it is not the one that is configured now, say. Its buyer cannot pay it from here, and is not held
    /// up by it; should it be paid all the same, its notification is settled.
    async fn disown(&self, transaction: &Transaction) -> JobResult<()> {
        let mut db = self.ctx.db.acquire().await?;
        let reason = "the provider does not know it any more, or refuses the account";
        transactions::alarm(&mut db, transaction.id, reason, self.cause.now).await?;
        drop(db);
        self.supersede(transaction).await
    }

    async fn supersede(&self, transaction: &Transaction) -> JobResult<()> {
        let mut tx = self.ctx.db.begin().await?;
        let stands = transactions::lock(&mut tx, transaction.id).await?;
        // One whose last attempt has failed keeps that state: it can still be paid, and is watched all the same.
        if stands.state == State::Processing {
            let to = State::Superseded;
            transactions::move_to(&mut tx, transaction.id, State::Processing, to, self.cause).await?;
        }
        let cart = carts::lock(&mut tx, transaction.cart_id).await?;
        if cart.state == carts::State::PendingPayment {
            carts::move_to(&mut tx, cart.id, cart.state, carts::State::Cancelled, self.cause).await?;
        }
        tx.commit().await?;
        // A notification may have been faster.
        if cart.state == carts::State::Paid { self.fulfil(cart.id).await } else { Ok(()) }
    }

    pub async fn settle(&self, transaction: &Transaction, facts: &Facts) -> JobResult<()> {
        let mut tx = self.ctx.db.begin().await?;
        let disagreement = self.disagreement(&mut tx, transaction, facts).await?;
        tx.commit().await?;
        self.ctx.outbox.notify_one();
        match disagreement {
            None => Ok(()),
            Some(reason) => Err(misfit(reason)),
        }
    }

    /// Settles what the provider says. If that cannot be about this payment, an operator is told, and the reason is returned.
    async fn disagreement(
        &self,
        db: &mut PgConnection,
        transaction: &Transaction,
        facts: &Facts,
    ) -> JobResult<Option<String>> {
        let Transaction { id, gateway, organisation_id, .. } = *transaction;
        let report = Report { gateway, organisation_id, facts };
        match settle::settle(db, id, &report, self.cause).await? {
            Settled::Agreed => Ok(None),
            Settled::Contradiction(reason) => {
                let reason = format!("the provider disagrees: {reason}");
                transactions::alarm(db, id, &reason, self.cause.now).await?;
                Ok(Some(reason))
            }
        }
    }

    /// At once and not by the queue: the next quote depends on what is held.
    async fn fulfil(&self, cart_id: Uuid) -> JobResult<()> {
        let message = shared::messages::FulfilCart { cart_id };
        fulfil_cart::run(self.ctx, &message, self.cause.command_id).await
    }

    async fn open(&self, transaction: &Transaction) -> JobResult<Box<dyn PaymentGateway>> {
        let Transaction { gateway, organisation_id, .. } = *transaction;
        let credentials = credentials(self.ctx, organisation_id, gateway).await?;
        Ok(self.ctx.gateways.open(gateway, credentials, self.patience.clone()))
    }
}

/// # Errors
/// `NotConfigured` without credentials that can be opened.
pub async fn credentials(ctx: &Context, organisation: Uuid, gateway: Gateway) -> JobResult<Credentials> {
    let not_configured = |detail: &str| Refusal::NotConfigured { detail: detail.to_owned() };
    let sealed = gateways::credentials(&ctx.db, organisation, gateway).await?;
    let sealed =
        sealed.ok_or_else(|| not_configured("the organisation's payment gateway is not configured"))?;
    ctx.gateways.unseal(organisation, gateway, &sealed).map_err(|reason| {
        tracing::error!(%organisation, %gateway, reason, "an organisation's credentials cannot be opened");
        not_configured("the organisation's payment gateway cannot be used").into()
    })
}

/// What was told; None for a plain no.
fn told(facts: Result<Facts, GatewayError>) -> JobResult<Option<Facts>> {
    match facts {
        Ok(facts) => Ok(Some(facts)),
        Err(error @ GatewayError::Refused { .. }) => {
            tracing::warn!(%error, "a payment cannot be asked for");
            Ok(None)
        }
        Err(error) => Err(refusal(&error)),
    }
}

fn reference(transaction: &Transaction) -> JobResult<&str> {
    transaction
        .reference
        .as_deref()
        .ok_or_else(|| JobError::Retry("the provider has not named it yet".into()))
}

fn standing(facts: &Facts, start: PaymentStart) -> Standing {
    match facts.status {
        Status::Open | Status::Failed => Standing::Payable(start),
        Status::Paid => Standing::Paid,
        Status::Dead(_) => Standing::Dead,
    }
}

/// The provider's answer does not fit what it was asked; nobody shall pay for that.
fn misfit(reason: String) -> JobError {
    let detail = "the payment provider's answer does not fit the payment".to_owned();
    JobError::Reject { refusal: Refusal::GatewayError { detail }, reason }
}

fn refusal(error: &GatewayError) -> JobError {
    let detail = match error {
        GatewayError::Refused { .. } => "the payment provider refused the payment",
        GatewayError::Unanswered(_) | GatewayError::Replayed => "the payment provider has not answered",
    };
    let refusal = Refusal::GatewayError { detail: detail.to_owned() };
    JobError::Reject { refusal, reason: error.to_string() }
}
