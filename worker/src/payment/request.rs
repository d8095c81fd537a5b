//! Preparation of a payment: a gateway that can charge the cart, and the exact request to send. No
//! calls.
//!
//! Why: `docs/decisions/billing-address.md`

use std::sync::Arc;

use rust_decimal::Decimal;
use shared::gateway::Gateway;
use shared::ids::{CartId, OrganisationId, TransactionId};
use shared::messages::{BillingAddress, FieldError, Labels, PayBy, Refusal};
use shared::money::Money;
use sqlx::PgConnection;
use store::error::{JobError, JobResult};
use store::model::line::NewLine;
use store::model::seller::{Grant, Organisation};
use store::money::creation::{self, NewTransaction};
use store::money::gateways;
use store::money::transactions::Transaction;
use store::plumbing::audit::Cause;
use store::sales::carts::{self, State};
use url::Url;

use crate::gateways::{Customer, NewPayment, profile};
use crate::provider_calls::{self, Account, ProviderCalls};
use crate::runtime::context::Context;
use crate::sale::basket::Quoted;
use crate::sale::buyer::Buyer;
use crate::sale::quote::Quote;

/// A complete payment request, ready to be stored and sent.
pub struct PaymentRequest {
    transaction: NewTransaction,
    account: Arc<Account>,
}

impl PaymentRequest {
    /// Builds the request. Sends nothing. None if there is nothing to pay.
    ///
    /// # Errors
    /// `NotConfigured` without a usable gateway; `InvalidItems` for a total that the gateway
    /// cannot charge; `InvalidRequest` if it requires a billing address and that is missing or incomplete, and if `pay_by` is not
    /// offered to the buyer.
    pub async fn prepare(
        ctx: &Context,
        calls: &ProviderCalls<'_>,
        cart_id: CartId,
        buyer: Buyer<'_>,
        quoted: &Quoted<'_>,
        labels: &Labels,
        pay_by: Option<PayBy>,
    ) -> JobResult<Option<Self>> {
        let Quoted { quote, organisation: seller, .. } = quoted;
        if quote.total.minor() == 0 {
            return Ok(None);
        }
        let (gateway, account, on_account) = match pay_by {
            Some(PayBy::Invoice) => {
                let (grant, due_days) = on_account(seller, buyer.billing_address)?;
                let account = provider_calls::on_account(ctx, buyer.organisation_id, due_days).await?;
                (Gateway::External, account, Some(grant))
            }
            None => {
                let (gateway, account) = account(calls, buyer.organisation_id, seller).await?;
                (gateway, account, None)
            }
        };
        let subunits = subunits(gateway, quote.total)?;
        check_address(gateway, account.requires_billing_address, buyer.billing_address)?;
        let transaction_id = TransactionId::generate();
        let customer = match buyer.learner {
            Some(learner) => Some(Customer {
                name: learner.name.clone(),
                reference: gateways::customer(&ctx.db, buyer.organisation_id, gateway, &buyer.name()).await?,
            }),
            None => None,
        };
        let payment = NewPayment {
            transaction_id,
            cart_id,
            subunits,
            currency: quote.total.currency().code(),
            email: buyer.email,
            customer,
            description: description(seller, quote),
            billing_address: buyer.billing_address,
            labels,
            return_url: return_url(seller, cart_id)?,
        };
        let request = account.calls.request(&payment);
        let sum = |of: fn(&NewLine) -> i64| quote.lines.iter().map(of).sum();
        let original = sum(|line| line.price.original.minor());
        let transaction = NewTransaction {
            id: transaction_id,
            cart_id,
            organisation_id: buyer.organisation_id,
            gateway,
            total: quote.total,
            region: buyer.country,
            // All lines have the same organisation and country, so the same discount.
            discount_pct: quote.lines.first().map_or(Decimal::ZERO, |line| line.price.discount_pct),
            original: Money::from_minor(original, quote.total.currency())
                .map_err(|error| JobError::dead(format!("the original price {error}")))?,
            tax: sum(|line| line.tax.map_or(0, |tax| tax.amount.minor())),
            tax_on_top: sum(NewLine::tax_on_top),
            on_account,
            request,
        };
        Ok(Some(Self { transaction, account: Arc::new(account) }))
    }

    /// Returns whether the buyer pays by invoice.
    pub fn is_on_account(&self) -> bool {
        self.transaction.on_account.is_some()
    }

    /// Moves the cart from open to pending payment, and inserts the transaction.
    pub async fn begin(&self, db: &mut PgConnection, cause: Cause) -> JobResult<()> {
        carts::move_to(db, self.transaction.cart_id, State::Open, State::PendingPayment, cause).await?;
        self.insert(db, cause).await
    }

    /// Returns the transaction as [`Self::insert`] has stored it.
    pub fn inserted(&self, cause: Cause) -> Transaction {
        self.transaction.stored(cause.now)
    }

    /// Returns the account that the request is for.
    pub fn account(&self) -> Arc<Account> {
        Arc::clone(&self.account)
    }

    /// Inserts the transaction of a cart in pending payment.
    pub async fn insert(&self, db: &mut PgConnection, cause: Cause) -> JobResult<()> {
        creation::insert(db, &self.transaction, cause).await
    }
}

/// A total in the gateway's subunits.
///
/// # Errors
/// `InvalidItems` if the gateway cannot charge it.
pub fn subunits(gateway: Gateway, total: Money) -> Result<i64, Refusal> {
    profile(gateway).amounts.subunits(total).map_err(|error| Refusal::InvalidItems {
        errors: vec![FieldError::new("items", format!("their total {error}"))],
    })
}

async fn account(
    calls: &ProviderCalls<'_>,
    organisation: OrganisationId,
    seller: &Organisation,
) -> JobResult<(Gateway, Account)> {
    let missing = || Refusal::NotConfigured {
        detail: "the organisation's payment gateway is not configured".to_owned(),
    };
    let gateway = seller.gateway.as_deref().and_then(|name| name.parse().ok()).ok_or_else(missing)?;
    let account = calls.account(organisation, gateway).await?;
    Ok((gateway, account))
}

/// The terms on which an organisation sells to a company on account: when access begins, and the days until the invoice is due.
///
/// # Errors
/// `InvalidRequest` if it does not sell to the company so, or no company is named.
fn on_account(seller: &Organisation, address: Option<&BillingAddress>) -> Result<(Grant, u16), Refusal> {
    let fault =
        |field, message: &str| Refusal::InvalidRequest { errors: vec![FieldError::new(field, message)] };
    let Some(offered) = &seller.on_account else {
        return Err(fault("pay_by", "is not offered: the organisation sells nothing on account"));
    };
    let Some(address) = address.filter(|address| address.company.is_some()) else {
        return Err(fault("billing_address.company", "is required to pay by invoice"));
    };
    let terms = offered.terms(address.tax_id.as_ref());
    terms.ok_or_else(|| fault("pay_by", "is not offered to this company"))
}

/// Checks that the address is what the account takes.
///
/// # Errors
/// `InvalidRequest` with each field that is missing.
fn check_address(
    gateway: Gateway,
    is_required: bool,
    address: Option<&BillingAddress>,
) -> Result<(), Refusal> {
    let missing = missing_fields(gateway, is_required, address);
    if missing.is_empty() {
        return Ok(());
    }
    let names = match address {
        Some(_) => missing.iter().map(|name| format!("billing_address.{name}")).collect(),
        None => vec!["billing_address".to_owned()],
    };
    let fault = |name| FieldError::new(name, "is required by the organisation's payment gateway");
    Err(Refusal::InvalidRequest { errors: names.into_iter().map(fault).collect() })
}

/// The fields that a billing address lacks: an organisation's account can require one, and some gateways refuse an incomplete
/// one.
pub fn missing_fields(
    gateway: Gateway,
    is_required: bool,
    address: Option<&BillingAddress>,
) -> Vec<&'static str> {
    let must_be_whole = address.is_some() && profile(gateway).needs_whole_address;
    if !is_required && !must_be_whole {
        return Vec::new();
    }
    let given =
        |text: fn(&BillingAddress) -> &Option<String>| address.is_some_and(|address| text(address).is_some());
    let fields = [
        ("name", given(|address| &address.name)),
        ("line1", given(|address| &address.line1)),
        ("city", given(|address| &address.city)),
        ("country", address.is_some_and(|address| address.country.is_some())),
    ];
    fields.into_iter().filter(|(_, is_given)| !is_given).map(|(name, _)| name).collect()
}

/// The text that the buyer sees on a statement or on the provider's page; at most 255 characters.
fn description(seller: &Organisation, quote: &Quote) -> String {
    let names: Vec<&str> = quote.lines.iter().map(|line| line.name.as_str()).collect();
    format!("{}: {}", seller.name, names.join(", ")).chars().take(255).collect()
}

/// The organisation's return page, with the cart's id in its query.
pub fn return_url(seller: &Organisation, cart_id: CartId) -> JobResult<String> {
    let mut url = Url::parse(&seller.return_url)
        .map_err(|error| JobError::dead(format!("stored return_url of {}: {error}", seller.name)))?;
    url.query_pairs_mut().append_pair("cart_id", &cart_id.to_string());
    Ok(url.into())
}
