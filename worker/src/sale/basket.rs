//! Prices a basket for its buyer, from the current offers, the courses that the buyer already holds, and a voucher.

use chrono::{DateTime, Utc};
use shared::email::Email;
use shared::messages::{BasketItem, BillingAddress, FieldError, ItemKind, LearnerAccount, Refusal};
use shared::region::Country;
use shared::voucher::{Code, Inapplicable};
use sqlx::PgConnection;
use store::error::{JobError, JobResult};
use store::model::seller::Seller;
use store::model::tax::{self, Evidence, TaxRate, TaxTerms};
use store::model::voucher::Voucher;
use store::money::transactions;
use store::plumbing::audit::Actor;
use store::plumbing::locks::Lock;
use store::sales::carts::{self, NewCart, State};
use store::sales::holdings::{self, Holdings, Owner};
use store::sales::offers::{self, Offers};
use store::sales::vouchers::{self, User};
use uuid::Uuid;

use super::offer::Terms;
use super::quote::Quote;
use crate::enrollment::account_lookup::Address;
use crate::runtime::context::Context;

/// Buyer, and the organisation that sells.
#[derive(Clone, Copy)]
pub struct Buyer<'a> {
    pub email: &'a Email,
    /// None for a guest.
    pub learner: Option<&'a LearnerAccount>,
    pub organisation_id: Uuid,
    /// The country whose regional prices apply.
    pub country: Option<Country>,
    /// Decides the tax.
    pub billing_address: Option<&'a BillingAddress>,
}

/// Inputs that decide the prices of a basket, apart from what the buyer holds.
#[derive(Clone, Copy)]
pub struct Sale<'a> {
    pub organisation_id: Uuid,
    /// The country whose regional prices apply.
    pub country: Option<Country>,
    /// Decides the tax.
    pub billing_address: Option<&'a BillingAddress>,
}

/// Place where a buyer is taxed. Without a country, where the seller is.
#[derive(Clone, Copy, Default)]
pub struct Place<'a> {
    pub country: Option<Country>,
    pub state: Option<&'a str>,
}

impl<'a> Sale<'a> {
    /// Returns the place at which the buyer is taxed: at the billing address, else in the visitor's country.
    pub fn place(&self) -> Place<'a> {
        match self.billing_address.filter(|address| address.country.is_some()) {
            Some(address) => Place { country: address.country, state: address.state.as_deref() },
            None => Place { country: self.country, state: None },
        }
    }

    /// The country and state whose rate applies: where the buyer is taxed, or where the seller is if that is unknown.
    pub fn taxed_at(&self, seller: &Seller) -> (Country, Option<String>) {
        match self.place() {
            Place { country: Some(country), state } => (country, state.map(str::to_owned)),
            Place { country: None, .. } => (seller.country, seller.state.clone()),
        }
    }

    fn tax_terms(&self, seller: &Seller, rates: Vec<TaxRate>, now: DateTime<Utc>) -> TaxTerms {
        let (country, state) = self.taxed_at(seller);
        let rate = tax::rate_at(rates, state.as_deref(), seller.day(now));
        let (components, note) = rate.map(|rate| (rate.components, rate.note)).unwrap_or_default();
        let evidence = Evidence {
            billing: self.billing_address.and_then(|address| address.country),
            visitor: self.country,
        };
        TaxTerms { is_included: seller.prices_include_tax, country, state, components, note, evidence }
    }
}

impl Buyer<'_> {
    pub fn name(&self) -> String {
        carts::buyer(self.email, self.learner)
    }

    pub fn actor(&self) -> Actor {
        self.learner.map_or(Actor::Guest, |learner| Actor::Learner(learner.user_id))
    }
}

impl<'a> Buyer<'a> {
    /// Returns the locks that a checkout takes first: the buyer's attempts (a guest's at a basket with this hash, all
    /// of a learner's), and the learner with the address, whom no other transaction may erase meanwhile.
    pub fn locks(&self, basket_hash: Option<&'a [u8]>) -> [Lock<'a>; 2] {
        let (buyer, organisation_id) = (self.name(), self.organisation_id);
        [Lock::Attempts { buyer, organisation_id, basket: basket_hash }, Lock::Learner(self.email)]
    }

    /// Returns the inputs that decide the prices of the buyer's basket.
    pub fn sale(&self) -> Sale<'a> {
        let Self { organisation_id, country, billing_address, .. } = *self;
        Sale { organisation_id, country, billing_address }
    }

    /// Returns the owner of the holdings that reduce the price; None for a guest. `address` is what is known of a
    /// learner's address.
    pub fn owner(&self, address: Option<&Address>) -> Option<Owner<'a>> {
        self.learner.map(|learner| Owner {
            platform_user_id: learner.user_id,
            proved_email: self.proved_email(address),
        })
    }

    /// The learner's address, if `address` proves that it is this account's.
    pub fn proved_email(&self, address: Option<&Address>) -> Option<&'a Email> {
        match (self.learner, address) {
            (Some(learner), Some(Address::Registered(account))) if account.id == learner.user_id => {
                Some(self.email)
            }
            _ => None,
        }
    }
}

/// A quote, and what it depends on of what the buyer holds.
pub struct Quoted<'a> {
    pub quote: Quote,
    owner: Option<Owner<'a>>,
    courses: Vec<Uuid>,
    programs: Vec<Uuid>,
    held: Holdings,
}

impl Quoted<'_> {
    /// Checks, in the transaction that uses the quote, that the buyer still holds the same.
    ///
    /// # Errors
    /// `Retry` if that has changed, and with it the price.
    pub async fn still_holds(&self, db: &mut PgConnection) -> JobResult<()> {
        let Some(owner) = self.owner else { return Ok(()) };
        match self.held == holdings::read(db, owner, &self.courses, &self.programs).await? {
            true => Ok(()),
            false => Err(JobError::Retry("what the buyer holds has changed since the quote".into())),
        }
    }
}

/// Prices a buyer's basket with a voucher. `address` is what is known of a learner's address.
///
/// # Errors
/// Those of [`prices`]; `InvalidRequest` if the voucher does not apply.
pub async fn quote<'a>(
    ctx: &Context,
    buyer: Buyer<'a>,
    address: Option<&Address>,
    items: &[BasketItem],
    voucher: Option<&str>,
) -> JobResult<Quoted<'a>> {
    let owner = buyer.owner(address);
    let Some(code) = voucher else { return prices(ctx, buyer.sale(), owner, items, false).await };
    let voucher = find_voucher(ctx, buyer.organisation_id, code, None).await?;
    let is_prepaid = voucher.as_ref().is_ok_and(|voucher| voucher.is_seat_for(items));
    let mut quoted = prices(ctx, buyer.sale(), owner, items, is_prepaid).await?;
    // Whether uses are left is asked once the checkout knows that it joins no attempt, which may have the last one.
    voucher.and_then(|voucher| quoted.quote.apply(&voucher, ctx.clock.now())).map_err(refused)?;
    Ok(quoted)
}

/// The voucher with a code, for a user if one is known.
///
/// # Errors
/// The inner one says that there is none.
pub async fn find_voucher(
    ctx: &Context,
    organisation_id: Uuid,
    code: &str,
    user: Option<User<'_>>,
) -> JobResult<Result<Voucher, Inapplicable>> {
    let Ok(code) = Code::parse(code) else { return Ok(Err(Inapplicable::Unknown)) };
    let voucher = vouchers::find(&mut *ctx.db.acquire().await?, organisation_id, code.as_str(), user).await?;
    Ok(voucher.ok_or(Inapplicable::Unknown))
}

/// Checks that a use of the quote's voucher, if it has one, is left for a learner, before the learner's other attempts are ended
/// for it.
///
/// # Errors
/// `InvalidRequest` if none is left.
pub async fn check_voucher_left(
    db: &mut PgConnection,
    quote: Option<&Quote>,
    buyer: Buyer<'_>,
) -> JobResult<()> {
    let Some(applied) = quote.and_then(|quote| quote.voucher.as_ref()) else { return Ok(()) };
    let key = buyer.name();
    let user = User { email: buyer.email, learner: Some(&key) };
    match vouchers::find(db, buyer.organisation_id, &applied.code, Some(user)).await? {
        Some(voucher) if voucher.has_uses_for(applied.cart.discount) => Ok(()),
        Some(_) | None => Err(refused(Inapplicable::Exhausted).into()),
    }
}

/// Takes a use of the cart's voucher, if it has one. The last step before the answer is stored: others who want a use wait
/// until the transaction ends.
///
/// # Errors
/// `InvalidRequest` if no use is left: the caller's transaction must not commit.
pub async fn take_voucher(
    db: &mut PgConnection,
    cart: &NewCart<'_>,
    state: State,
    now: DateTime<Utc>,
) -> JobResult<()> {
    let Some(voucher) = cart.contents.voucher else { return Ok(()) };
    match vouchers::take(db, cart, voucher, state, now).await? {
        true => Ok(()),
        false => Err(refused(Inapplicable::Exhausted).into()),
    }
}

/// Takes a use again for a cart that a checkout joins, if the cart has given its use back because it was not paid in time.
///
/// # Errors
/// `InvalidRequest` if no use is left: the caller's transaction must not commit.
pub async fn take_voucher_again(db: &mut PgConnection, cart_id: Uuid, now: DateTime<Utc>) -> JobResult<()> {
    if !vouchers::is_released(db, cart_id).await? {
        return Ok(());
    }
    transactions::lock_cart(db, cart_id).await?;
    // A payment that has come meanwhile has taken the use itself, or is late.
    if carts::lock(db, cart_id).await?.state != State::PendingPayment {
        return Ok(());
    }
    match vouchers::take_again(db, cart_id, now).await? {
        true => Ok(()),
        false => Err(refused(Inapplicable::Exhausted).into()),
    }
}

/// The refusal of a voucher that does not apply.
pub fn refused(reason: Inapplicable) -> Refusal {
    Refusal::InvalidRequest { errors: vec![FieldError::new("voucher", reason.message())] }
}

/// Checks that the country of a billing address is one. The api has checked it, but a cart or a message can be of an earlier
/// release.
///
/// # Errors
/// `InvalidRequest` if it is not.
pub fn check_country(address: Option<&BillingAddress>) -> Result<(), Refusal> {
    let country = address.and_then(|address| address.country);
    country.map_or(Ok(()), Country::check).map_err(|error| {
        let errors = vec![FieldError::new("billing_address.country", error.to_string())];
        Refusal::InvalidRequest { errors }
    })
}

/// Prices a basket without a voucher. What the owner holds reduces the price, unless a seat pays for it (`is_prepaid`).
///
/// # Errors
/// `OrganisationNotFound`, `InvalidItems` with each item that cannot be bought, or that of [`check_country`].
pub async fn prices<'a>(
    ctx: &Context,
    sale: Sale<'_>,
    owner: Option<Owner<'a>>,
    items: &[BasketItem],
    is_prepaid: bool,
) -> JobResult<Quoted<'a>> {
    check_country(sale.billing_address)?;
    let owner = owner.filter(|_| !is_prepaid);
    let program_ids = ids(items, ItemKind::Program);
    let (organisation_id, now) = (sale.organisation_id, ctx.clock.now());
    let subjects = (&*ids(items, ItemKind::Course), &*program_ids);
    let offers = offers::read(&ctx.db, organisation_id, subjects, sale.place().country).await?;
    let Offers { policy, courses, programs, seller, tax_rates } =
        offers.ok_or(Refusal::OrganisationNotFound)?;
    let course_ids: Vec<Uuid> = courses.keys().copied().collect();
    let held = match owner {
        Some(owner) => {
            holdings::read(&mut *ctx.db.acquire().await?, owner, &course_ids, &program_ids).await?
        }
        None => Holdings::default(),
    };
    let terms = Terms {
        organisation_id,
        policy: &policy,
        country: sale.country,
        tax: seller.map(|seller| sale.tax_terms(&seller, tax_rates, now)),
        courses: &courses,
        programs: &programs,
        held: &held,
        is_prepaid,
        now,
    };
    let quote = Quote::new(items, terms).map_err(|errors| Refusal::InvalidItems { errors })?;
    Ok(Quoted { quote, owner, courses: course_ids, programs: program_ids, held })
}

fn ids(items: &[BasketItem], kind: ItemKind) -> Vec<Uuid> {
    items.iter().filter(|item| item.kind == kind).map(|item| item.id).collect()
}
