//! JSON of vouchers and their uses.

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde::{Serialize, Serializer};
use shared::money::{Amount, serialize_decimal};
use utoipa::ToSchema;
use uuid::Uuid;

use super::envelope::Envelope;
use crate::queries::vouchers::{Voucher, VoucherUse, VoucherValue};
use crate::words::{VoucherKind, VoucherUseStatus};
use shared::course_mode::CourseMode;

/// A code that takes something off a basket, or pays for an item.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Voucher)]
pub struct VoucherBody {
    voucher_id: Uuid,
    #[schema(example = "SPRING-26")]
    code: String,
    kind: VoucherKind,
    /// A percentage, or an amount in major units; null of the kind `seat`, which pays for the whole item.
    #[schema(value_type = Option<f64>, exclusive_minimum = 0, example = 12.5)]
    value: Value,
    /// Of the kind `seat` alone: the enrollment mode of the item.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<CourseMode>, nullable = false)]
    mode: Option<&'static str>,
    /// Of the kind `seat` alone: who got the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "ada@example.com")]
    email: Option<String>,
    /// Of an amount, `budget` and `spent`.
    #[schema(value_type = String, pattern = "^[A-Z]{3}$", example = "USD")]
    currency: &'static str,
    /// Null: no limit.
    #[schema(minimum = 0)]
    max_uses: Option<i32>,
    /// Null: no limit.
    #[schema(minimum = 1)]
    max_uses_per_buyer: Option<i32>,
    /// Most that all uses together may take off; null: no limit.
    #[schema(value_type = Option<f64>, minimum = 0, example = 500)]
    budget: Option<Amount>,
    valid_from: DateTime<Utc>,
    /// Null: no end.
    valid_until: Option<DateTime<Utc>>,
    /// Courses that it is for. Without courses and programs: all that the organisation sells.
    course_ids: Vec<Uuid>,
    program_ids: Vec<Uuid>,
    campaign: Option<String>,
    note: Option<String>,
    created_at: DateTime<Utc>,
    /// Uses that are held or used.
    #[schema(minimum = 0)]
    uses: i64,
    /// Amount that these uses took off.
    #[schema(value_type = f64, minimum = 0, example = 37.5)]
    spent: Amount,
}

#[derive(Debug)]
enum Value {
    Percent(Decimal),
    Amount(Amount),
    Seat,
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Percent(percent) => serialize_decimal(*percent, serializer),
            Self::Amount(amount) => amount.serialize(serializer),
            Self::Seat => serializer.serialize_none(),
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct VoucherList {
    vouchers: Vec<VoucherBody>,
    #[serde(flatten)]
    envelope: Envelope,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct CreatedVouchers {
    vouchers: Vec<VoucherBody>,
}

/// A voucher with a page of its uses.
#[derive(Debug, Serialize, ToSchema)]
pub struct VoucherDetail {
    #[serde(flatten)]
    voucher: VoucherBody,
    /// Newest first.
    voucher_uses: Vec<VoucherUseBody>,
    #[serde(flatten)]
    envelope: Envelope,
}

/// One use of a voucher.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = VoucherUse)]
pub struct VoucherUseBody {
    cart_id: Uuid,
    #[schema(example = "ada@example.com")]
    email: String,
    /// Amount that it took off; 0 of a seat.
    #[schema(value_type = f64, minimum = 0, example = 12.5)]
    discount: Amount,
    status: VoucherUseStatus,
    at: DateTime<Utc>,
}

impl From<Voucher> for VoucherBody {
    fn from(voucher: Voucher) -> Self {
        let (kind, value, mode) = match voucher.value {
            VoucherValue::Percent(percent) => {
                (VoucherKind::Percent, Value::Percent(percent.normalize()), None)
            }
            VoucherValue::Amount(amount) => (VoucherKind::Amount, Value::Amount(Amount(amount)), None),
            VoucherValue::Seat(mode) => (VoucherKind::Seat, Value::Seat, Some(mode.slug())),
        };
        Self {
            voucher_id: voucher.id.into(),
            code: voucher.code,
            kind,
            value,
            mode,
            email: voucher.email,
            currency: voucher.currency.code(),
            max_uses: voucher.max_uses,
            max_uses_per_buyer: voucher.max_uses_per_buyer,
            budget: voucher.budget.map(Amount),
            valid_from: voucher.valid_from,
            valid_until: voucher.valid_until,
            course_ids: voucher.course_ids,
            program_ids: voucher.program_ids,
            campaign: voucher.campaign,
            note: voucher.note,
            created_at: voucher.created_at,
            uses: voucher.uses,
            spent: Amount(voucher.spent),
        }
    }
}

impl VoucherList {
    pub fn new(vouchers: Vec<Voucher>, envelope: Envelope) -> Self {
        Self { vouchers: vouchers.into_iter().map(VoucherBody::from).collect(), envelope }
    }
}

impl CreatedVouchers {
    pub fn new(vouchers: Vec<Voucher>) -> Self {
        Self { vouchers: vouchers.into_iter().map(VoucherBody::from).collect() }
    }
}

impl VoucherDetail {
    pub fn new(voucher: Voucher, uses: Vec<VoucherUse>, envelope: Envelope) -> Self {
        let voucher_uses = uses.into_iter().map(|of| VoucherUseBody {
            cart_id: of.cart_id.into(),
            email: of.email,
            discount: Amount(of.discount),
            status: of.state,
            at: of.at,
        });
        Self { voucher: voucher.into(), voucher_uses: voucher_uses.collect(), envelope }
    }
}
