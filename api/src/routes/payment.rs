//! Payment by learners of one organisation.

use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;

use super::learners::private;
use crate::error::LearnerProblems;
use crate::extract::Member;
use crate::queries::organisations::Tenant;

#[derive(Debug, Serialize, ToSchema)]
pub struct Capabilities {
    /// `stripe`, `mollie`, `razorpay` or `curlec`; null if the organisation has chosen none.
    #[schema(example = "stripe")]
    gateway: Option<String>,
    /// Whether the organisation's credentials exist.
    configured: bool,
    /// What the gateway can do, configured or not.
    supports_subscriptions: bool,
    supports_billing_portal: bool,
    /// What the organisation sells in.
    #[schema(example = "USD")]
    currency: String,
}

impl From<Tenant> for Capabilities {
    fn from(organisation: Tenant) -> Self {
        Self {
            configured: organisation.configured && organisation.gateway.is_some(),
            supports_subscriptions: organisation.gateway.is_some(),
            // Stripe alone hosts a page where buyers manage their payments.
            supports_billing_portal: organisation.gateway.as_deref() == Some("stripe"),
            gateway: organisation.gateway,
            currency: organisation.currency,
        }
    }
}

/// What the organisation's gateway can do
#[utoipa::path(
    get,
    path = "/storeapi/payment/capabilities/",
    tag = "checkout",
    security(("learner" = [])),
    params(("orgName" = Option<String>, Header, description = "The organisation's short name; browsers send it as a cookie of this name")),
    responses((status = 200, body = Capabilities), LearnerProblems)
)]
pub async fn capabilities(Member(organisation): Member) -> Response {
    private(Capabilities::from(organisation))
}
