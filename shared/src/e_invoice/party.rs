//! The seller and the buyer of a document in the terms of EN 16931.

use en16931::Identifier;
use en16931::invoice::{Code, Contact, Party, PostalAddress};
use serde::Deserialize;

use super::document::Vat;
use crate::messages::BillingAddress;
use crate::region::Country;
use crate::tax_id::{TaxId, VatId};
use crate::typed::given;

#[derive(Deserialize)]
pub(super) struct Seller {
    legal_name: String,
    line1: String,
    line2: Option<String>,
    city: String,
    postal_code: String,
    state: Option<String>,
    pub country: Country,
    #[serde(default)]
    tax_ids: Vec<Registration>,
    contact_name: Option<String>,
    phone: Option<String>,
    email: Option<String>,
    pub footer: Option<String>,
}

#[derive(Deserialize)]
struct Registration {
    name: String,
    value: TaxId,
}

#[derive(Deserialize)]
pub(super) struct Buyer {
    email: String,
    #[serde(flatten)]
    address: BillingAddress,
}

impl Seller {
    pub fn party(&self, vat: &Vat) -> Party {
        let is_vat_id =
            |id: &&Registration| vat.may_name_vat_ids() && vat_id(&id.value, self.country).is_some();
        let own = self.tax_ids.iter().find(is_vat_id);
        // One other number has a field of its own; more of them are words.
        let mut others = self.tax_ids.iter().filter(|id| own.is_none_or(|own| !std::ptr::eq(*id, own)));
        let registration = others.next().map(|id| id.value.to_string());
        let more: Vec<String> = others.map(|id| format!("{} {}", id.name, id.value)).collect();
        Party {
            name: Some(self.legal_name.clone()),
            vat_identifier: own.and_then(|id| vat_id(&id.value, self.country)),
            // A buyer's program knows a seller by the VAT identifier, else by this one (BR-CO-26).
            identifiers: registration.iter().filter(|_| own.is_none()).map(Identifier::new).collect(),
            tax_registration: registration,
            contact: Contact {
                name: self.contact_name.clone(),
                phone: self.phone.clone(),
                email: self.email.clone(),
            },
            electronic_address: self.email.as_ref().map(|email| Identifier::schemed(&**email, "EM")),
            additional_legal_information: (!more.is_empty()).then(|| more.join(", ")),
            address: PostalAddress {
                line1: Some(self.line1.clone()),
                line2: given(self.line2.clone()),
                city: Some(self.city.clone()),
                post_code: Some(self.postal_code.clone()),
                subdivision: given(self.state.clone()),
                country: Some(code(self.country)),
                ..PostalAddress::default()
            },
            ..Party::default()
        }
    }
}

impl Buyer {
    /// The buyer as a party. `confirmed` is the VAT ID that VIES has confirmed. `fallback` takes the place of the country, which the
    /// standard demands.
    pub fn party(&self, confirmed: Option<&str>, fallback: Country, vat: &Vat) -> Party {
        let Self { email, address: buyer } = self;
        let (company, name) = (buyer.company.clone(), buyer.name.clone());
        let contact = company.is_some().then(|| name.clone()).flatten();
        let country = buyer.country.unwrap_or(fallback);
        let tax_id = buyer.tax_id.as_ref().filter(|id| !id.is_blank());
        let vat_id = confirmed.map(str::to_owned).or_else(|| tax_id.and_then(|id| vat_id(id, country)));
        let vat_id = vat_id.filter(|_| vat.may_name_vat_ids());
        Party {
            name: Some(company.or(name).unwrap_or_else(|| email.clone())),
            identifiers: tax_id
                .filter(|_| vat_id.is_none())
                .map(|id| Identifier::new(id.as_str()))
                .into_iter()
                .collect(),
            vat_identifier: vat_id,
            electronic_address: Some(Identifier::schemed(&**email, "EM")),
            address: PostalAddress {
                line1: buyer.line1.clone(),
                line2: buyer.line2.clone(),
                city: buyer.city.clone(),
                post_code: buyer.postal_code.clone(),
                subdivision: buyer.state.clone(),
                country: Some(code(country)),
                ..PostalAddress::default()
            },
            contact: Contact { name: contact, phone: None, email: Some(email.clone()) },
            ..Party::default()
        }
    }
}

/// The code of a country in the lists of EN 16931, which name Kosovo in their own way.
pub(super) fn code(country: Country) -> Code {
    match country.to_string() {
        kosovo if kosovo == "XK" => Code::new("1A"),
        other => Code::new(other),
    }
}

fn vat_id(number: &TaxId, country: Country) -> Option<String> {
    number.vat_id(country).as_ref().map(VatId::to_string)
}
