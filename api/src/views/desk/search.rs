//! JSON of what a search at the support desk has found.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use shared::ids::CartId;
use shared::money::Amount;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::queries::desk::search::{FoundCourse, FoundOrder, FoundVoucher, MOST};
use crate::views::standing::Standing;

/// What a text means at an organisation.
#[derive(Debug, Serialize, ToSchema)]
pub struct SupportSearch {
    /// Newest first, at most 20; those of courses and programs with the text in their names come last.
    orders: Vec<FoundOrderBody>,
    /// Indicates whether there are more orders than these.
    has_more: bool,
    vouchers: Vec<FoundVoucherBody>,
    /// By name, at most 20.
    courses: Vec<FoundCourseBody>,
}

/// An order that was found.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FoundOrder)]
pub struct FoundOrderBody {
    cart_id: Uuid,
    status: String,
    /// Null if the order cannot be shown.
    standing: Option<Standing>,
    placed_at: DateTime<Utc>,
    #[schema(example = "ada@example.com")]
    email: String,
    /// The company and the name on its invoice, or null.
    name: Option<String>,
    #[schema(value_type = f64, minimum = 0, example = 199)]
    total_price: Amount,
    #[schema(value_type = String, pattern = "^[A-Z]{3}$", example = "USD")]
    currency: &'static str,
    /// What of it the text is: `order`, `payment`, `refund`, `dispute`, `document`, `reference`, `transfer`, `address`, `name`, `company`,
    /// `tax_id` or `course`.
    #[schema(example = "address")]
    found_by: String,
}

/// A voucher that was found.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FoundVoucher)]
pub struct FoundVoucherBody {
    voucher_id: Uuid,
    #[schema(example = "SPRING-26")]
    code: String,
    kind: String,
}

/// A course that was found.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FoundCourse)]
pub struct FoundCourseBody {
    course_id: Uuid,
    openedx_course_id: String,
    name: String,
}

impl SupportSearch {
    pub fn new(
        mut orders: Vec<FoundOrder>,
        standings: &HashMap<CartId, Standing>,
        voucher: Option<FoundVoucher>,
        courses: Vec<FoundCourse>,
    ) -> Self {
        let most = usize::try_from(MOST).unwrap_or_default();
        let has_more = orders.len() > most;
        orders.truncate(most);
        let vouchers = voucher.into_iter().map(|found| FoundVoucherBody {
            voucher_id: found.id.into(),
            code: found.code,
            kind: found.kind,
        });
        let courses = courses.into_iter().map(|found| FoundCourseBody {
            course_id: found.id,
            openedx_course_id: found.openedx_course_id,
            name: found.name,
        });
        Self {
            orders: orders.into_iter().map(|order| FoundOrderBody::new(order, standings)).collect(),
            has_more,
            vouchers: vouchers.collect(),
            courses: courses.collect(),
        }
    }

    /// The order, if the text means one and nothing else.
    pub fn only_order(&self) -> Option<Uuid> {
        match (self.orders.as_slice(), self.vouchers.is_empty() && self.courses.is_empty()) {
            ([only], true) => Some(only.cart_id),
            _ => None,
        }
    }
}

impl FoundOrderBody {
    fn new(order: FoundOrder, standings: &HashMap<CartId, Standing>) -> Self {
        Self {
            standing: standings.get(&order.id).copied(),
            cart_id: order.id.into(),
            status: order.state,
            placed_at: order.placed_at,
            email: order.email,
            name: order.name,
            total_price: Amount(order.total),
            currency: order.total.currency().code(),
            found_by: order.found_by,
        }
    }
}
