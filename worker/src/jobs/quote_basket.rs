//! Prices a basket as a checkout would, with a voucher if the caller names one. Writes and reserves nothing.

use shared::ids::OrganisationId;
use shared::messages::{BillingAddress, PayBy, QuoteBasket, QuotedBasket, QuotedVoucher, Refusal};
use shared::money::Money;
use shared::voucher::Code;
use shared::withdrawal::Terms;
use store::error::{JobError, JobResult};
use store::model::seller::Organisation;
use store::model::voucher::Voucher;
use store::sales::voucher_uses::User;
use tracing::instrument;

use crate::enrollment::account_lookup;
use crate::payment::request;
use crate::provider_calls::ProviderCalls;
use crate::runtime::command::CommandContext;
use crate::runtime::context::Context;
use crate::sale::buyer::{Buyer, Sale};
use crate::sale::{basket, consent, places, voucher_use};

#[instrument(name = "job.quote_basket", skip_all)]
pub async fn run(ctx: &Context, command: &QuoteBasket, _: &CommandContext) -> JobResult<QuotedBasket> {
    let (organisation_id, country) = (command.organisation_id, command.country);
    let billing_address = command.billing_address.as_ref();
    let buyer = command.buyer.as_ref().map(|buyer| Buyer {
        email: &buyer.email,
        learner: Some(&buyer.learner),
        organisation_id,
        country,
        billing_address,
        // A price has none.
        language: None,
    });
    let address = match &command.buyer {
        None => None,
        Some(buyer) => {
            account_lookup::require_platform(ctx)?;
            Some(account_lookup::proved(ctx, &buyer.learner, &buyer.email).await?)
        }
    };
    let sale = Sale { organisation_id, country, billing_address };
    let owner = buyer.and_then(|buyer| buyer.owner(address.as_ref()));
    let key = buyer.map(|buyer| buyer.name());
    let user = buyer.map(|buyer| User { email: buyer.email, learner: key.as_deref() });
    let voucher = match &command.voucher {
        None => None,
        Some(code) => Some((code, voucher_use::find(ctx, organisation_id, code, user).await?)),
    };
    let now = ctx.clock.now();
    // A seat that cannot be taken leaves the prices, and what is on sale, as they are without it.
    let pays = |voucher: &Voucher| {
        voucher.is_seat_for(&command.items) && voucher.check_valid(now).is_ok() && voucher.has_uses
    };
    let is_prepaid = voucher.as_ref().is_some_and(|(_, voucher)| voucher.as_ref().is_ok_and(pays));
    let mut quoted = basket::prices(ctx, sale, owner, &command.items, is_prepaid).await?;
    let voucher = voucher.map(|(code, voucher)| {
        let applied = voucher.and_then(|voucher| quoted.quote.apply_if_left(&voucher, now));
        QuotedVoucher { code: Code::folded(code), inapplicable: applied.err() }
    });
    let mut db = ctx.db.acquire().await?;
    let contents = quoted.quote.contents(None, None);
    places::check(&mut db, &contents, ctx.held_since(now), key.as_deref()).await?;
    drop(db);
    let seller = &quoted.organisation;
    let missing = missing(ctx, organisation_id, seller, quoted.quote.total, billing_address).await?;
    let tax_id = billing_address.and_then(|address| address.tax_id.as_ref());
    let is_on_account = seller.on_account.as_ref().is_some_and(|offered| offered.terms(tax_id).is_some());
    let (quote, terms) = (&quoted.quote, consent::terms(&quoted, sale, command.is_gift));
    let is_invoiced = is_on_account && quote.total.minor() > 0;
    Ok(QuotedBasket {
        total: quote.total,
        items: quote.items(),
        holds_until: quote.holds_until,
        reverse_charge: quote.reverse_charge(),
        voucher,
        missing,
        pay_by: is_invoiced.then_some(PayBy::Invoice).into_iter().collect(),
        consents_required: terms.map(Terms::required).unwrap_or_default(),
        terms_url: terms.and_then(|terms| terms.terms_url.clone()),
    })
}

/// Checks that the organisation's gateway can charge a total, if it has chosen one. Returns the fields of the billing address that
/// the checkout needs and that are not given.
///
/// # Errors
/// `InvalidItems`, as a checkout answers.
async fn missing(
    ctx: &Context,
    organisation_id: OrganisationId,
    seller: &Organisation,
    total: Money,
    address: Option<&BillingAddress>,
) -> JobResult<Vec<String>> {
    let gateway = seller.gateway.as_deref().and_then(|name| name.parse().ok());
    let Some(gateway) = gateway.filter(|_| total.minor() > 0) else { return Ok(Vec::new()) };
    request::subunits(gateway, total)?;
    let account = ProviderCalls::for_caller(ctx).account(organisation_id, gateway).await;
    let is_required = match account {
        Ok(account) => account.requires_billing_address,
        // The checkout says so.
        Err(JobError::Reject { refusal: Refusal::NotConfigured { .. }, .. }) => false,
        Err(error) => return Err(error),
    };
    let missing = request::missing_fields(gateway, is_required, address);
    Ok(missing.into_iter().map(str::to_owned).collect())
}
