//! A line of a document in the terms of EN 16931.

use en16931::invoice::{Code, PriceDetails};
use en16931::{Identifier, InvoiceLine, Quantity, UnitPriceAmount};
use rust_decimal::Decimal;
use serde::Deserialize;

use super::NoEInvoice;
use super::document::{Vat, amount};
use crate::money::deserialize_decimal;
use crate::service_code::ServiceCode;

/// One: the unit of lines, in the code list of UN/ECE recommendation 20.
const UNIT: &str = "C62";

/// The most decimals of a price for one seat. What needs more is a price for all seats together.
const PRICE_DECIMALS: u32 = 4;

#[derive(Deserialize)]
pub(super) struct Line {
    position: u32,
    description: String,
    quantity: u32,
    #[serde(deserialize_with = "deserialize_decimal")]
    net: Decimal,
    service_code: Option<ServiceCode>,
}

impl Line {
    pub fn written(&self, vat: &Vat) -> Result<InvoiceLine, NoEInvoice> {
        let quantity = Decimal::from(self.quantity);
        let each = self.net.checked_div(quantity).map(|each| each.normalize()).unwrap_or(self.net);
        let price = if each.scale() <= PRICE_DECIMALS {
            PriceDetails { net_price: UnitPriceAmount::new(each), ..PriceDetails::default() }
        } else {
            PriceDetails {
                net_price: UnitPriceAmount::new(self.net),
                base_quantity: Some(Quantity::new(quantity)),
                base_quantity_code: Some(Code::new(UNIT)),
                ..PriceDetails::default()
            }
        };
        let mut line = InvoiceLine::new(
            (self.position + 1).to_string(),
            &*self.description,
            Quantity::new(quantity),
            UNIT,
            amount(self.net)?,
            vat.category.code(),
            vat.rate,
        );
        let classified = |code: &ServiceCode| Identifier::schemed(&*code.code, code.scheme.untdid());
        line.item.classification_identifiers = self.service_code.iter().map(classified).collect();
        Ok(line.with_price(price))
    }
}
