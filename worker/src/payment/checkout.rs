//! The steps that checkouts share, in their order: quote the basket, prepare its payment, lock, check again, and end the buyer's
//! other attempts.
//!
//! Why: `docs/decisions/guest-attempts.md`

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde_json::json;
use sha2::{Digest, Sha256};
use shared::ids::CartId;
use shared::messages::{BasketItem, Gift, Labels, PayBy};
use shared::withdrawal::Agreed;
use sqlx::PgConnection;
use store::access::enrollments::Holder;
use store::error::{JobError, JobResult};
use store::model::line::NewContents;
use store::plumbing::audit::Cause;
use store::plumbing::locks;
use store::sales::attempts;

use super::attempts::Begun;
use super::request::PaymentRequest;
use crate::enrollment::account_lookup::{self, Address};
use crate::provider_calls::ProviderCalls;
use crate::runtime::context::Context;
use crate::sale::basket::{self, Quoted};
use crate::sale::buyer::Buyer;
use crate::sale::consent::{self, Given};
use crate::sale::{gifts, places, voucher_use};

/// Items that a buyer checks out, with a voucher's code.
pub struct Basket<'a> {
    pub items: &'a [BasketItem],
    pub voucher: Option<&'a str>,
    /// The guest's browser, as its shop names it.
    pub visitor: Option<&'a str>,
    pub consents: Given<'a>,
    /// Makes its one item, of one seat, a gift.
    pub gift: Option<&'a Gift>,
    pub labels: &'a Labels,
    pub pay_by: Option<PayBy>,
    /// The total that the buyer has seen, in major units.
    pub expected_total: Option<Decimal>,
}

/// A checkout that is quoted, and not stored yet.
pub struct Checkout<'a> {
    pub buyer: Buyer<'a>,
    pub quoted: Quoted<'a>,
    /// None if there is nothing to pay.
    pub payment: Option<PaymentRequest>,
    /// None: a guest's address, which is looked up after the payment.
    address: Option<Address>,
    /// None if the buyer has no right of withdrawal.
    agreed: Option<Agreed>,
    visitor: Option<&'a str>,
    gift: Option<&'a Gift>,
    labels: &'a Labels,
    /// The time since which unpaid carts hold their places.
    held_since: DateTime<Utc>,
}

impl<'a> Checkout<'a> {
    /// Quotes a basket for the cart with this id, and prepares its payment.
    ///
    /// # Errors
    /// Those of [`basket::quote`], [`gifts::check`], [`consent::agreed`] and [`PaymentRequest::prepare`]; `InvalidRequest` if the basket costs another
    /// total than the buyer has seen; a platform that does not say who has the address.
    pub async fn prepare(
        ctx: &Context,
        calls: &ProviderCalls<'_>,
        cart_id: CartId,
        buyer: Buyer<'a>,
        basket: Basket<'a>,
    ) -> JobResult<Self> {
        let proved = match buyer.learner {
            Some(learner) => Some(account_lookup::proved(ctx, learner, buyer.email).await?),
            None => None,
        };
        let quoted = basket::quote(ctx, buyer, proved.as_ref(), basket.items, basket.voucher).await?;
        if let Some(gift) = basket.gift {
            gifts::check(ctx, buyer.organisation_id, gift, &quoted.quote.lines).await?;
        }
        let total = quoted.quote.total;
        if basket.expected_total.is_some_and(|expected| expected != total.major()) {
            let message = format!("is not what the basket costs now: {} {}", total.major(), total.currency());
            return Err(JobError::invalid("expected_total", message));
        }
        let agreed = consent::agreed(&quoted, buyer.sale(), basket.gift.is_some(), basket.consents)?;
        let Basket { visitor, gift, labels, pay_by, .. } = basket;
        let payment = PaymentRequest::prepare(ctx, calls, cart_id, buyer, &quoted, labels, pay_by).await?;
        let address = match (proved, &payment) {
            (None, None) => Some(account_lookup::look_up(ctx, buyer.email).await?),
            (proved, _) => proved,
        };
        let held_since = ctx.held_since(ctx.clock.now());
        Ok(Self { buyer, quoted, payment, address, agreed, visitor, gift, labels, held_since })
    }

    /// Returns what the cart stores.
    pub fn contents(&self) -> NewContents<'_> {
        let mut contents = self.quoted.quote.contents(self.buyer.country, self.buyer.billing_address);
        contents.consents = self.agreed.as_ref();
        contents.labels = Some(self.labels);
        contents.gift = self.gift;
        // A guest proves no address, so without the visitor any caller who types the address and chooses the same items would join
        // the attempt, and get what opens its payment.
        if let (Some(visitor), Some(_)) = (self.visitor, &self.payment) {
            contents.basket_hash = beside(&contents.basket_hash, " visitor ", visitor);
        }
        // The same course for another friend, or on another day, is another order.
        if let Some(gift) = self.gift {
            contents.basket_hash = beside(&contents.basket_hash, " gift ", &json!(gift).to_string());
        }
        // Another order than one that is paid through the gateway.
        if self.payment.as_ref().is_some_and(PaymentRequest::is_on_account) {
            contents.basket_hash = beside(&contents.basket_hash, " pay_by ", "invoice");
        }
        contents
    }

    /// Returns the begun payment, once it is stored.
    pub fn begun(&self, payment: &PaymentRequest, cause: Cause) -> Begun {
        let quote = &self.quoted.quote;
        Begun {
            transaction: payment.inserted(cause),
            account: payment.account(),
            items: quote.items(),
            reverse_charge: quote.reverse_charge(),
        }
    }

    /// Takes the locks of a checkout: a learner's attempts, or a guest's at this basket.
    pub async fn lock(&self, db: &mut PgConnection) -> JobResult<()> {
        let basket = self.buyer.learner.is_none().then(|| self.contents().basket_hash);
        locks::take(db, &self.buyer.locks(basket.as_deref())).await
    }

    /// Checks that the buyer still holds what the quote counted, and returns who gets the courses.
    ///
    /// # Errors
    /// `Retry` if that has changed.
    pub async fn holder(&self, db: &mut PgConnection, now: DateTime<Utc>) -> JobResult<Holder> {
        self.quoted.still_holds(db).await?;
        match &self.address {
            Some(address) => address.holder(db, self.buyer.email, now).await,
            None => Ok(Holder::Unresolved),
        }
    }

    /// Checks that the courses have places left, once the buyer's other attempts have ended. No other checkout takes one of
    /// them until the transaction ends.
    ///
    /// # Errors
    /// `InvalidItems`, which names each item that is sold out.
    pub async fn check_places(&self, db: &mut PgConnection) -> JobResult<()> {
        let learner = self.buyer.learner.map(|_| self.buyer.name());
        places::check(db, &self.contents(), self.held_since, learner.as_deref()).await
    }

    /// The learner's other attempts, by their carts, which must end before this one is stored; none for guests.
    ///
    /// # Errors
    /// `InvalidRequest` if there are some, and no use of the voucher is left for this one: then nothing is ended for it.
    pub async fn others(&self, db: &mut PgConnection) -> JobResult<Vec<CartId>> {
        let Self { buyer, quoted, address, .. } = self;
        if buyer.learner.is_none() {
            return Ok(Vec::new());
        }
        let proved = buyer.proved_email(address.as_ref());
        let others = attempts::pending(db, &buyer.name(), buyer.organisation_id, proved).await?;
        if !others.is_empty() {
            voucher_use::check_left(db, Some(&quoted.quote), *buyer).await?;
        }
        Ok(others)
    }
}

/// The hash of a basket with something else that tells attempts apart.
fn beside(basket_hash: &[u8], name: &str, value: &str) -> Vec<u8> {
    Sha256::new().chain_update(basket_hash).chain_update(name).chain_update(value).finalize().to_vec()
}
