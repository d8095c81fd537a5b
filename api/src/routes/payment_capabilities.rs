//! The route for the capabilities of an organisation's gateway.

use axum::response::Response;
use serde::Serialize;
use shared::gateway::Gateway;
use shared::messages::PayBy;
use shared::region::Country;
use shared::withdrawal::{Consent, Kind, Terms};
use utoipa::ToSchema;

use crate::extract::Member;
use crate::gateways;
use crate::openapi::parameters::OrganisationName;
use crate::queries::organisations::SelectedOrganisation;
use crate::response::private;

#[derive(Debug, Serialize, ToSchema)]
pub struct Capabilities {
    /// The organisation's gateway; null if it has chosen none.
    #[schema(value_type = Option<Gateway>)]
    gateway: Option<String>,
    /// Indicates whether the organisation's credentials for its gateway exist.
    configured: bool,
    /// Indicates whether the gateway offers subscriptions, configured or not.
    supports_subscriptions: bool,
    /// Indicates whether the gateway hosts a page where buyers manage their payments, configured or not.
    supports_billing_portal: bool,
    /// The currency that the organisation sells in.
    #[schema(pattern = "^[A-Z]{3}$", example = "USD")]
    currency: String,
    /// Indicates whether prices contain the tax; if not, it is charged on top of them. Left out if the organisation
    /// charges no tax.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    prices_include_tax: Option<bool>,
    /// Other ways to pay than through the gateway, for `pay_by`: `invoice` if some companies can buy on account. Left out if there are
    /// none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pay_by: Vec<PayBy>,
    /// The right of withdrawal that it offers to consumers. Left out if it offers none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    withdrawal: Option<OfferedWithdrawal>,
}

/// A right of withdrawal.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Withdrawal)]
struct OfferedWithdrawal {
    /// The period in days, after the day of the purchase.
    #[schema(minimum = 1, example = 14)]
    days: i32,
    kind: Kind,
    /// ISO 3166-1 alpha-2. Left out if buyers in all countries have the right.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<String>>, nullable = false)]
    countries: Option<Vec<Country>>,
    /// Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = "uri")]
    terms_url: Option<String>,
    /// Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "2026-06")]
    terms_version: Option<String>,
    /// The fields of `consents` that a consumer's checkout needs.
    consents_required: Vec<Consent>,
}

impl From<Terms> for OfferedWithdrawal {
    fn from(terms: Terms) -> Self {
        let consents_required = terms.required();
        let Terms { days, kind, countries, terms_url, terms_version } = terms;
        Self { days, kind, countries, terms_url, terms_version, consents_required }
    }
}

impl From<SelectedOrganisation> for Capabilities {
    fn from(organisation: SelectedOrganisation) -> Self {
        let gateway: Option<Gateway> = organisation.gateway.as_deref().and_then(|name| name.parse().ok());
        let profile = gateway.map(gateways::profile);
        Self {
            configured: organisation.configured && organisation.gateway.is_some(),
            supports_subscriptions: profile.is_some_and(|profile| profile.has_subscriptions),
            supports_billing_portal: profile.is_some_and(|profile| profile.has_billing_portal),
            gateway: organisation.gateway,
            currency: organisation.currency,
            prices_include_tax: organisation.prices_include_tax,
            pay_by: organisation.on_account.then_some(PayBy::Invoice).into_iter().collect(),
            withdrawal: organisation.withdrawal.map(|terms| terms.0.into()),
        }
    }
}

/// Tell what the organisation's gateway can do
///
/// Also says in which currency the organisation sells, whether its prices contain the tax, whether companies can buy on account, and
/// which right of withdrawal it offers.
#[utoipa::path(
    get,
    path = "/storeapi/payment/capabilities/",
    tag = "checkout",
    security(("learner" = [])),
    params(OrganisationName),
    operation_id = "get_payment_capabilities",
    extensions(("x-problems" = json!(["called", "invalid_request", "organisation_not_found", "forbidden"]))),
    responses((status = 200, body = Capabilities, description = "The gateway and its capabilities."))
)]
pub async fn capabilities(Member { organisation, .. }: Member) -> Response {
    private(Capabilities::from(organisation))
}
