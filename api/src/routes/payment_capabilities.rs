//! The route for the capabilities of an organisation's gateway.

use axum::response::Response;
use serde::Serialize;
use shared::gateway::Gateway;
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
        }
    }
}

/// Tell what the organisation's gateway can do
///
/// Also says in which currency the organisation sells, and whether its prices contain the tax.
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
