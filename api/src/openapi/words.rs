//! OpenAPI schemas for fields with a fixed set of values. In Rust these fields are strings, or types of `shared`, which
//! does not depend on OpenAPI.

use shared::course_mode::CourseMode;
use shared::event::TYPES;
use shared::gateway::Gateway;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// One of a few words.
pub fn one_of(description: &str, words: impl Iterator<Item = &'static str>) -> RefOr<Schema> {
    let words = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words.collect::<Vec<_>>()));
    words.description(Some(description)).into()
}

pub struct Mode;

impl PartialSchema for Mode {
    fn schema() -> RefOr<Schema> {
        one_of("An enrollment mode of the course platform.", CourseMode::slugs())
    }
}

impl ToSchema for Mode {}

pub struct GatewayName;

impl PartialSchema for GatewayName {
    fn schema() -> RefOr<Schema> {
        one_of("A payment gateway.", Gateway::ALL.iter().map(|gateway| gateway.name()))
    }
}

impl ToSchema for GatewayName {
    fn name() -> std::borrow::Cow<'static, str> {
        "Gateway".into()
    }
}

/// Type of a checkout item.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes shared::messages::ItemKind")]
pub enum ItemType {
    Course,
    Program,
}

/// Progress of a learner's own cart: `pending_payment` once its payment was started.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes what a learner's cart can be found as")]
pub enum LearnerCartStatus {
    Open,
    PendingPayment,
}

/// Progress of a cart. `held`: free, and waiting for its address to register. `paid`: the provider has the money,
/// and access follows at once. `fulfilled`: access was given.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes the states that the database allows")]
pub enum CartStatus {
    Open,
    PendingPayment,
    Held,
    Paid,
    Fulfilled,
    Cancelled,
    Expired,
    Refunded,
}

/// Progress of an order: as of a cart, without carts whose checkout has not begun.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes the states that the database allows")]
pub enum OrderStatus {
    PendingPayment,
    Held,
    Paid,
    Fulfilled,
    Cancelled,
    Expired,
    Refunded,
}

/// Progress of a refund. `asked`: the provider has not answered. `accepted`: the money is on its way.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes the states that the database allows")]
pub enum RefundStatus {
    Asked,
    Accepted,
    Succeeded,
    Failed,
}

#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes the kinds that the database allows")]
pub enum DocumentKind {
    Invoice,
    CreditNote,
}

/// Cause of a movement of money. Refunds and chargebacks are negative; a refund that failed and a chargeback that was
/// reversed are positive again.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes the kinds that the database allows")]
pub enum MovementKind {
    Captured,
    Refunded,
    RefundFailed,
    Chargeback,
    ChargebackReversed,
}

/// Status of a bought item's enrollment. `refused`: the course platform has refused it for good.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes what `StatusItem` finds")]
pub enum ItemEnrollment {
    Enrolled,
    PendingRegistration,
    Removed,
    Refused,
}

/// The status of a granted enrollment. `pending_registration`: the address has no active account, or the course platform has not
/// said yet whether it has one.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes shared::messages::EnrollmentState after a grant")]
pub enum GrantState {
    Enrolled,
    PendingRegistration,
}

/// Result of a removal. `cancelled`: a grant that waited for its registration. `none`: there was nothing to remove.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes shared::messages::EnrollmentState after a removal")]
pub enum RemovalState {
    Removed,
    Cancelled,
    None,
}

/// Type of an event.
pub struct EventType;

impl PartialSchema for EventType {
    fn schema() -> RefOr<Schema> {
        one_of("What an event tells.", TYPES.into_iter())
    }
}

impl ToSchema for EventType {}

/// Status of an enrollment after a change. `cancelled`: it was removed while it waited for a registration.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes what the triggers of the schema write")]
pub enum ChangedEnrollment {
    Enrolled,
    PendingRegistration,
    Removed,
    Cancelled,
}

/// Agreement of the course platform with the record. `queued`: it has not been told yet. `refused`: it refused for good.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes the states that the database allows")]
pub enum PlatformState {
    Queued,
    Synced,
    Refused,
}

/// Action that a row of a batch asks for.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes shared::messages::BatchAction")]
pub enum BatchAction {
    Enroll,
    Unenroll,
}

/// Progress of a batch: whether rows are still waiting.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes what `BatchBody` finds")]
pub enum BatchStatus {
    Running,
    Done,
}

/// Outcome of a row.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes the states that the database allows")]
pub enum BatchRowStatus {
    Waiting,
    Done,
    Failed,
}

/// Result of a row: a grant as for one address, or a removal.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes shared::messages::EnrollmentState")]
pub enum RowResult {
    Enrolled,
    PendingRegistration,
    Removed,
    Cancelled,
    None,
}

/// Deduction of a voucher: a percentage of each item, an amount of the basket, or, of the kind `seat`, the whole price
/// of one item.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes shared::messages::VoucherValue")]
pub enum VoucherKind {
    Percent,
    Amount,
    Seat,
}

/// Status of a seat. `pending`: its address has not registered. `ended`: its access has ended, and the seat stays spent.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes what `queries::seats` says")]
pub enum SeatStatus {
    Pending,
    Enrolled,
    Ended,
}

/// Status of a voucher's use. `held`: its order waits for the payment. `released`: the order has ended unpaid, and the use
/// is free again. `late`: the order was paid after that; the discount is honoured, and the use is not counted.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes the states that the database allows")]
pub enum VoucherUseStatus {
    Held,
    Used,
    Released,
    Late,
}

/// Reason why a voucher does not apply to a basket. `exhausted`: no uses are left, or this learner has none left.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes shared::voucher::Inapplicable")]
pub enum VoucherRefusal {
    Unknown,
    NotStarted,
    Expired,
    Exhausted,
    NotForTheseItems,
    Currency,
}

/// The unit of a program's duration.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes the units that the database allows")]
pub enum DurationMetric {
    Hours,
    Days,
    Weeks,
    Months,
    Years,
}

/// Learners who may see a course's outline on the course platform.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes what the import allows")]
pub enum CourseVisibility {
    Private,
    PublicOutline,
    Public,
}

/// Reason why an item cannot be shown.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes the one code there is")]
pub enum PartialErrorCode {
    UnreadableItem,
}

/// An object whose properties are not fixed.
pub fn any_object(description: &str) -> RefOr<Schema> {
    let free = AdditionalProperties::FreeForm(true);
    let object = ObjectBuilder::new().schema_type(Type::Object).additional_properties(Some(free));
    object.description(Some(description)).into()
}

/// The same, as the body of a request or an answer.
pub struct AnyObject;

impl PartialSchema for AnyObject {
    fn schema() -> RefOr<Schema> {
        any_object("An object whose properties are not fixed.")
    }
}

impl ToSchema for AnyObject {}

/// A text to search for, or names to filter by.
pub struct SearchText;

impl PartialSchema for SearchText {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new().schema_type(Type::String).max_length(Some(1_000));
        text.pattern(Some("^[^\\x00]*$")).into()
    }
}

impl ToSchema for SearchText {}

/// A query parameter that takes one of a few words.
pub fn choice<T: Into<serde_json::Value>>(
    words: impl IntoIterator<Item = T>,
    default: &str,
) -> RefOr<Schema> {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(words.into_iter().map(Into::into).collect::<Vec<_>>()))
        .default(Some(default.into()))
        .into()
}
