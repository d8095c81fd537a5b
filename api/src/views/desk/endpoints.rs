//! JSON of the endpoints for an organisation's events, and of what they have answered.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::queries::desk::endpoints::{Delivery, Endpoint};
use crate::words::DeliveryStatus;

/// The endpoints at which an organisation receives its events.
#[derive(Debug, Serialize, ToSchema)]
pub struct EndpointList {
    /// The oldest first.
    endpoints: Vec<EndpointBody>,
}

/// An endpoint with its latest deliveries.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Endpoint)]
pub struct EndpointBody {
    endpoint_id: Uuid,
    #[schema(example = "https://erp.example/storefront")]
    url: String,
    /// The types of events that it gets.
    types: Vec<String>,
    /// Time since when no delivery has succeeded; null after a success.
    failing_since: Option<DateTime<Utc>>,
    /// Null while it receives events.
    disabled_at: Option<DateTime<Utc>>,
    disabled_reason: Option<String>,
    /// Events that are still to be delivered.
    #[schema(minimum = 0)]
    waiting: i64,
    /// Events whose last attempt has failed: those that are tried again, and those that were given up.
    #[schema(minimum = 0)]
    failed: i64,
    /// The newest event first, at most 20.
    #[schema(max_items = 20)]
    deliveries: Vec<DeliveryBody>,
}

/// The delivery of an event.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Delivery)]
pub struct DeliveryBody {
    event_id: Uuid,
    #[schema(example = "order.paid")]
    r#type: String,
    /// The order that the event is about; null for an enrollment that no order has given.
    cart_id: Option<Uuid>,
    /// Time of the event.
    at: DateTime<Utc>,
    status: DeliveryStatus,
    #[schema(minimum = 0)]
    attempts: i32,
    /// Null unless it is still to be delivered.
    next_attempt_at: Option<DateTime<Utc>>,
    delivered_at: Option<DateTime<Utc>>,
    /// The HTTP status of the last answer; null before the first one, and without one.
    last_status: Option<i32>,
    /// The beginning of the last answer, or the reason why there was none.
    last_answer: Option<String>,
}

impl EndpointList {
    pub fn new(endpoints: Vec<Endpoint>, deliveries: Vec<Delivery>) -> Self {
        let mut endpoints: Vec<EndpointBody> = endpoints.into_iter().map(EndpointBody::from).collect();
        for delivery in deliveries {
            let endpoint = endpoints.iter_mut().find(|endpoint| endpoint.endpoint_id == delivery.endpoint_id);
            endpoint.into_iter().for_each(|endpoint| endpoint.deliveries.push((&delivery).into()));
        }
        Self { endpoints }
    }
}

impl From<Endpoint> for EndpointBody {
    fn from(endpoint: Endpoint) -> Self {
        Self {
            endpoint_id: endpoint.id,
            url: endpoint.url,
            types: endpoint.types,
            failing_since: endpoint.failing_since,
            disabled_at: endpoint.disabled_at,
            disabled_reason: endpoint.disabled_reason,
            waiting: endpoint.waiting,
            failed: endpoint.failed,
            deliveries: Vec::new(),
        }
    }
}

impl From<&Delivery> for DeliveryBody {
    fn from(delivery: &Delivery) -> Self {
        let status = match (delivery.delivered_at, delivery.next_attempt_at) {
            (Some(_), _) => DeliveryStatus::Delivered,
            (None, Some(_)) => DeliveryStatus::Waiting,
            (None, None) => DeliveryStatus::GivenUp,
        };
        Self {
            event_id: delivery.event_id,
            cart_id: delivery.cart_id.as_deref().and_then(|id| Uuid::try_parse(id).ok()),
            r#type: delivery.kind.clone(),
            at: delivery.at,
            status,
            attempts: delivery.attempts,
            next_attempt_at: delivery.next_attempt_at,
            delivered_at: delivery.delivered_at,
            last_status: delivery.last_status,
            last_answer: delivery.last_answer.clone(),
        }
    }
}
