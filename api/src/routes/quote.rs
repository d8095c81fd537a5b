//! The route that prices a basket.

use axum::response::Response;
use chrono::{DateTime, Utc};
use serde::Serialize;
use shared::ids::OrganisationId;
use shared::messages::{PayBy, QuoteBasket, QuotedBasket, QuotedBuyer, ReverseCharge};
use shared::money::Amount;
use utoipa::ToSchema;

use crate::error::ApiResult;
use crate::extract::{Body, Commander, LearnerOrBackend, Visitor};
use crate::openapi::parameters::{VisitorCountry, VisitorName};
use crate::read::basket::{CheckoutRequest, basket};
use crate::response::private;
use crate::views::carts::{ItemDetail, total_tax};
use shared::voucher::Inapplicable;
use shared::withdrawal::Consent;

/// Price of a basket.
#[derive(Debug, Serialize, ToSchema)]
pub struct Quote {
    items_detail: Vec<ItemDetail>,
    #[schema(value_type = f64, minimum = 0, example = 199)]
    total_price: Amount,
    /// The instant until which the prices hold: then a dated price begins or ends, the voucher ends, or the sale is over. Null if no
    /// such instant is known. A checkout with `expected_total` charges no other total.
    holds_until: Option<DateTime<Utc>>,
    /// The part of `total_price` that is tax. Left out if the organisation charges none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, nullable = false, minimum = 0, example = 31.77)]
    tax: Option<Amount>,
    #[schema(value_type = String, pattern = "^[A-Z]{3}$", example = "USD")]
    currency: &'static str,
    /// Whether the buyer declares the tax, as companies of other EU member states do, and if not, why. Left out if it does not come
    /// into question.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    reverse_charge: Option<ReverseCharge>,
    /// Null unless the request names one.
    voucher: Option<QuotedVoucher>,
    /// The fields of `billing_address` that the checkout of this basket would refuse to go without. Left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, example = json!(["name", "line1", "city"]))]
    billing_address_missing: Vec<String>,
    /// Other ways to pay than through the gateway, for `pay_by` of the checkout: `invoice` if the organisation sells on account to a
    /// company with this `billing_address.tax_id`. Left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pay_by: Vec<PayBy>,
    /// The fields of `consents` that the checkout of this basket would refuse to go without. Left out if there are none, as for
    /// seats and companies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    consents_required: Vec<Consent>,
    /// The terms of sale to which `consents.terms` agrees. Left out unless it is required.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = "uri")]
    terms_url: Option<String>,
}

/// Verdict on a voucher for the basket.
#[derive(Debug, Serialize, ToSchema)]
pub struct QuotedVoucher {
    #[schema(example = "SPRING-26")]
    code: String,
    accepted: bool,
    /// Null if it is accepted.
    reason: Option<Inapplicable>,
}

impl From<QuotedBasket> for Quote {
    fn from(quoted: QuotedBasket) -> Self {
        let voucher = quoted.voucher.map(|voucher| QuotedVoucher {
            code: voucher.code,
            accepted: voucher.inapplicable.is_none(),
            reason: voucher.inapplicable,
        });
        let tax = total_tax(quoted.items.iter());
        Self {
            items_detail: quoted.items.into_iter().map(ItemDetail::from).collect(),
            total_price: Amount(quoted.total),
            holds_until: quoted.holds_until,
            tax,
            currency: quoted.total.currency().code(),
            reverse_charge: quoted.reverse_charge,
            voucher,
            billing_address_missing: quoted.missing,
            pay_by: quoted.pay_by,
            consents_required: quoted.consents_required,
            terms_url: quoted.terms_url,
        }
    }
}

/// Price a basket
///
/// As a checkout would charge it: for a learner, an upgrade costs the difference. A voucher that does not apply leaves the
/// prices as they are, and says why. The answer reserves nothing: a voucher can be used up before the checkout. An address of
/// which only the country and state are known is enough for the tax; `billing_address_missing` says what the checkout needs.
#[utoipa::path(
    post,
    path = "/storeapi/discovery/quote/",
    tag = "extensions",
    security(("reader" = []), ("client_for_learner" = [])),
    request_body = CheckoutRequest,
    params(VisitorCountry, VisitorName),
    operation_id = "quote",
    extensions(("x-problems" = json!(["called", "body", "command", "organisation_not_found", "invalid_items", "forbidden", "not_configured"]))),
    responses((status = 200, body = Quote, description = "The prices."))
)]
pub async fn quote(
    commander: Commander<LearnerOrBackend>,
    Visitor(country): Visitor,
    Body(request): Body<CheckoutRequest>,
) -> ApiResult<Response> {
    let LearnerOrBackend(learner) = &commander.caller;
    let buyer = learner
        .as_ref()
        .map(|learner| QuotedBuyer { email: learner.0.email.clone(), learner: learner.account() });
    let command = QuoteBasket {
        buyer,
        organisation_id: OrganisationId(request.organisation_id),
        items: basket(&request.items, 1)?,
        voucher: request.voucher,
        billing_address: request.billing_address,
        country,
        is_gift: request.gift.is_some(),
    };
    let is_refused =
        |quoted: &QuotedBasket| quoted.voucher.as_ref().is_some_and(|voucher| voucher.inapplicable.is_some());
    let has_code = command.voucher.is_some();
    Ok(private(Quote::from(commander.send_with_code(command, has_code, None, is_refused).await?)))
}
