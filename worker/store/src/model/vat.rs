//! The sales for which VIES is asked about a VAT ID: those whose tax the buyer may have to declare. Pure: callers ask VIES.
//!
//! The rule: a business is taxed on services in its own member state, and declares that tax itself if the seller is established in
//! another one (articles 44 and 196 of Directive 2006/112/EC).

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shared::messages::{BillingAddress, ReverseCharge, ReverseChargeStatus};
use shared::tax_id::VatId;

use super::seller::Seller;

/// Seller and buyer of a sale whose tax the buyer may have to declare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VatIds {
    pub seller: VatId,
    pub buyer: VatId,
}

/// Answer of VIES about the VAT ID of a buyer, and its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VatCheck {
    pub status: ReverseChargeStatus,
    /// As VIES was asked.
    pub vat_id: String,
    /// Proves that VIES said it; there is one whenever `status` is `applied`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consultation_number: Option<String>,
    pub checked_at: DateTime<Utc>,
}

impl VatIds {
    /// The VAT IDs if seller and buyer are businesses of two member states.
    pub fn of(seller: &Seller, buyer: &BillingAddress) -> Option<Self> {
        let country = buyer.country.filter(|country| country.of_vat() != seller.country.of_vat())?;
        buyer.company.as_ref()?;
        let buyer = buyer.tax_id.as_ref()?.vat_id(country).filter(VatId::is_of_eu)?;
        Some(Self { seller: seller.vat_id()?, buyer })
    }
}

impl From<&VatCheck> for ReverseCharge {
    fn from(check: &VatCheck) -> Self {
        Self { status: check.status, consultation_number: check.consultation_number.clone() }
    }
}
