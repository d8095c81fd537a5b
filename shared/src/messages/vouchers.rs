//! Vouchers: the commands that create and change them, and the quote of a basket, which says whether one applies.

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde::{Deserialize, Deserializer, Serialize};
use uuid::Uuid;

use super::{
    BasketItem, BillingAddress, CallerKey, CallerStaff, CartItem, DeskCaller, Idempotency, ItemKind, KeyOf,
    LearnerAccount, PayBy, ReverseCharge, StaffMember,
};
use crate::access_period::AccessPeriod;
use crate::email::Email;
use crate::ids::{OrganisationId, VoucherId};
use crate::money::Money;
use crate::organisation_key::KeyId;
use crate::region::Country;
use crate::staff::Role;
use crate::voucher::{Code, Inapplicable};
use crate::withdrawal::Consent;

/// Prices a basket as a checkout would, and writes nothing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct QuoteBasket {
    /// The signed-in buyer, for whom an upgrade costs the difference; None for a guest.
    pub buyer: Option<QuotedBuyer>,
    pub organisation_id: OrganisationId,
    pub items: Vec<BasketItem>,
    pub voucher: Option<String>,
    /// Its country and state decide the tax.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub billing_address: Option<BillingAddress>,
    /// The visitor's country, which decides the regional prices; None if it is unknown.
    pub country: Option<Country>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_gift: bool,
}

/// The learner for whom a basket is quoted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct QuotedBuyer {
    pub email: Email,
    pub learner: LearnerAccount,
}

/// The prices of a basket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotedBasket {
    pub items: Vec<CartItem>,
    pub total: Money,
    /// The first instant, as far as is known, at which a price is another or a sale is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds_until: Option<DateTime<Utc>>,
    /// None if it does not come into question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverse_charge: Option<ReverseCharge>,
    /// None if the request names no voucher.
    pub voucher: Option<QuotedVoucher>,
    /// The fields of the billing address that the checkout needs as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Other ways to pay that the organisation offers to the buyer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pay_by: Vec<PayBy>,
    /// The consents that the checkout needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub consents_required: Vec<Consent>,
    /// The terms of sale, if the buyer must agree to them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terms_url: Option<String>,
}

/// Verdict on a voucher for the quoted basket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotedVoucher {
    /// As the voucher spells it, or as the request does if there is none.
    pub code: String,
    /// Reason why it does not apply; None if it does.
    pub inapplicable: Option<Inapplicable>,
}

/// Keeper of an organisation's vouchers; the api has verified it. A key is written as it was before there were staff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum VoucherKeeper {
    /// The organisation's backend, by its key.
    Key { key: KeyId },
    /// A manager.
    Staff { staff: StaffMember },
}

/// Creates vouchers of an organisation, all or none.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CreateVouchers {
    pub organisation_id: OrganisationId,
    #[serde(flatten)]
    pub keeper: VoucherKeeper,
    /// None: the worker generates `count` codes.
    pub code: Option<Code>,
    pub count: u32,
    /// The pool's buyer, of the kind `seat` alone. Not among the terms, which the audit log keeps for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<Email>,
    pub terms: VoucherTerms,
    pub idempotency: Option<Idempotency>,
}

/// Terms of a voucher. Amounts are in major units of the organisation's currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VoucherTerms {
    pub value: VoucherValue,
    pub max_uses: Option<i32>,
    pub max_uses_per_buyer: Option<i32>,
    pub budget: Option<Decimal>,
    /// None: from now on.
    pub valid_from: Option<DateTime<Utc>>,
    pub valid_until: Option<DateTime<Utc>>,
    /// Courses that it is for; without courses and programs, all that the organisation sells.
    pub course_ids: Vec<Uuid>,
    pub program_ids: Vec<Uuid>,
    pub campaign: Option<String>,
    pub note: Option<String>,
    /// How long a seat gives access; without it, as the mode says.
    #[serde(flatten)]
    pub access: AccessPeriod,
}

impl VoucherTerms {
    /// A pool of seats in an item, from now on and without end.
    pub fn seats(item: BasketItem, seats: i32) -> Self {
        let ids = |kind| (item.kind == kind).then_some(item.id).into_iter().collect();
        Self {
            value: VoucherValue::Seat(item),
            max_uses: Some(seats),
            max_uses_per_buyer: Some(1),
            budget: None,
            valid_from: None,
            valid_until: None,
            course_ids: ids(ItemKind::Course),
            program_ids: ids(ItemKind::Program),
            campaign: None,
            note: None,
            access: AccessPeriod::default(),
        }
    }
}

/// Deduction of a voucher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum VoucherValue {
    /// Of each line that it is for.
    Percent(Decimal),
    /// Of all lines that it is for together.
    Amount(Decimal),
    /// The whole price of one place in this item: the seats are paid for. `max_uses` is their number.
    Seat(BasketItem),
}

/// The vouchers that were created, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreatedVouchers {
    pub ids: Vec<VoucherId>,
}

/// Changes a voucher's limits, end or note. The organisation has the voucher.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ChangeVoucher {
    pub voucher_id: VoucherId,
    #[serde(flatten)]
    pub keeper: VoucherKeeper,
    pub changes: VoucherChanges,
    pub idempotency: Option<Idempotency>,
}

/// Changes to a voucher. Fields that are left out stay; null removes an end or a note.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ChangedVoucher))]
pub struct VoucherChanges {
    /// Not below the uses. A limit can be neither added nor removed.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<i32>, minimum = 0))]
    pub max_uses: Option<Option<i32>>,
    /// Not below what is spent. A budget can be neither added nor removed.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>, minimum = 0, example = 500))]
    pub budget: Option<Option<Decimal>>,
    /// A time that has passed ends the voucher.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<DateTime<Utc>>))]
    pub valid_until: Option<Option<DateTime<Utc>>>,
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, max_length = 200, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$"))]
    pub note: Option<Option<String>>,
}

/// Tells a field that is null from one that is absent.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(value: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(value).map(Some)
}

impl VoucherKeeper {
    fn key(self, of: KeyOf) -> Option<CallerKey> {
        match self {
            Self::Key { key } => Some(CallerKey { id: key, of }),
            Self::Staff { .. } => None,
        }
    }

    fn staff(self, of: KeyOf) -> Option<CallerStaff> {
        match self {
            Self::Key { .. } => None,
            Self::Staff { staff } => Some(CallerStaff { member: staff, role: Role::Manager, of }),
        }
    }
}

impl From<DeskCaller> for VoucherKeeper {
    fn from(caller: DeskCaller) -> Self {
        match caller {
            DeskCaller::Key { id, .. } => Self::Key { key: id },
            DeskCaller::Staff(staff) => Self::Staff { staff },
        }
    }
}

impl CreateVouchers {
    pub(super) fn key_to_check(&self) -> Option<CallerKey> {
        self.keeper.key(KeyOf::Organisation(self.organisation_id))
    }

    pub(super) fn staff_to_check(&self) -> Option<CallerStaff> {
        self.keeper.staff(KeyOf::Organisation(self.organisation_id))
    }
}

impl ChangeVoucher {
    pub(super) fn key_to_check(&self) -> Option<CallerKey> {
        self.keeper.key(KeyOf::Voucher(self.voucher_id))
    }

    pub(super) fn staff_to_check(&self) -> Option<CallerStaff> {
        self.keeper.staff(KeyOf::Voucher(self.voucher_id))
    }
}
