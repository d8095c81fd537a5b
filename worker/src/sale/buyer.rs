//! Buyer, seller and place of a sale: what decides the prices and the tax of a basket, and whose carts they are.
//!
//! Why: `docs/decisions/account-not-address.md`

use chrono::NaiveDate;
use shared::email::Email;
use shared::ids::{CartId, LearnerId, OrganisationId};
use shared::messages::{BillingAddress, LearnerAccount};
use shared::region::Country;
use store::model::line::NewContents;
use store::model::seller::Seller;
use store::model::tax::{self, Evidence, Place, TaxRate, TaxTerms};
use store::plumbing::audit::Actor;
use store::plumbing::locks::Lock;
use store::sales::carts::{self, Kind, NewCart};
use store::sales::holdings::Owner;
use texts::Language;

use crate::enrollment::account_lookup::Address;

/// Buyer, and the organisation that sells.
#[derive(Clone, Copy)]
pub struct Buyer<'a> {
    pub email: &'a Email,
    /// None for a guest.
    pub learner: Option<&'a LearnerAccount>,
    pub organisation_id: OrganisationId,
    /// The country whose regional prices apply.
    pub country: Option<Country>,
    /// Decides the tax.
    pub billing_address: Option<&'a BillingAddress>,
    /// As the buyer has chosen it.
    pub language: Option<&'a Language>,
}

/// Inputs that decide the prices of a basket, apart from what the buyer holds.
#[derive(Clone, Copy)]
pub struct Sale<'a> {
    pub organisation_id: OrganisationId,
    /// The country whose regional prices apply.
    pub country: Option<Country>,
    /// Decides the tax.
    pub billing_address: Option<&'a BillingAddress>,
}

impl<'a> Sale<'a> {
    /// The buyer's country: of the billing address, else of the visitor.
    pub fn buyer_country(&self) -> Option<Country> {
        self.billing_address.and_then(|address| address.country).or(self.country)
    }

    /// Returns the place at which the buyer is taxed. None if the buyer's country is unknown.
    pub fn place(&self) -> Option<Place<'a>> {
        let address = self.billing_address.filter(|address| address.country.is_some());
        let part = |field: fn(&BillingAddress) -> &Option<String>| {
            address.and_then(|address| field(address).as_deref())
        };
        let (state, postal_code) = (part(|address| &address.state), part(|address| &address.postal_code));
        Some(Place::of(self.buyer_country()?, state, postal_code))
    }

    /// Returns the place whose rate applies: where the buyer is taxed, or where the seller is if that is unknown.
    pub fn taxed_at<'b>(&self, seller: &'b Seller) -> Place<'b>
    where
        'a: 'b,
    {
        self.place().unwrap_or_else(|| seller.place())
    }

    pub fn tax_terms(&self, seller: &Seller, rates: Vec<TaxRate>, today: NaiveDate) -> TaxTerms {
        let place = self.taxed_at(seller);
        let rate = tax::rate_at(rates, place, seller.place(), today);
        let (of_rate, components, note) =
            rate.map(|rate| (rate.state, rate.components, rate.note)).unwrap_or_default();
        // All orders of a taxed state name it as its rate does, however their buyers write it.
        let state = of_rate.or(place.state.map(str::to_owned));
        let evidence = Evidence {
            billing: self.billing_address.and_then(|address| address.country),
            visitor: self.country,
        };
        let is_included = seller.prices_include_tax;
        TaxTerms {
            is_included,
            country: place.country,
            state,
            components,
            note,
            evidence,
            vat_check: None,
            refunded: None,
        }
    }
}

impl Buyer<'_> {
    pub fn name(&self) -> String {
        carts::buyer(self.email, self.learner)
    }

    pub fn actor(&self) -> Actor {
        self.learner.map_or(Actor::Guest, |learner| Actor::Learner(learner.user_id))
    }
}

impl<'a> Buyer<'a> {
    /// Returns the locks that a checkout takes first: the buyer's attempts (a guest's at a basket with this hash, all
    /// of a learner's), and the learner with the address, whom no other transaction may erase meanwhile.
    pub fn locks(&self, basket_hash: Option<&'a [u8]>) -> [Lock<'a>; 2] {
        let (buyer, organisation_id) = (self.name(), self.organisation_id);
        [Lock::Attempts { buyer, organisation_id, basket: basket_hash }, Lock::Learner(self.email)]
    }

    /// Returns the inputs that decide the prices of the buyer's basket.
    pub fn sale(&self) -> Sale<'a> {
        let Self { organisation_id, country, billing_address, .. } = *self;
        Sale { organisation_id, country, billing_address }
    }

    /// Returns the owner of the holdings that reduce the price; None for a guest. `address` is what is known of a
    /// learner's address.
    pub fn owner(&self, address: Option<&Address>) -> Option<Owner<'a>> {
        self.learner.map(|learner| Owner {
            platform_user_id: learner.user_id,
            proved_email: self.proved_email(address),
        })
    }

    /// The learner's address, if `address` proves that it is this account's.
    pub fn proved_email(&self, address: Option<&Address>) -> Option<&'a Email> {
        match (self.learner, address) {
            (Some(learner), Some(Address::Registered(account))) if account.id == learner.user_id => {
                Some(self.email)
            }
            _ => None,
        }
    }

    /// Returns the buyer's cart with these contents.
    pub fn cart(
        &self,
        id: CartId,
        kind: Kind,
        learner_id: Option<LearnerId>,
        contents: NewContents<'a>,
    ) -> NewCart<'a> {
        let Self { email, organisation_id, country, billing_address, language, .. } = *self;
        let buyer = self.name();
        NewCart {
            id,
            kind,
            buyer,
            email,
            learner_id,
            organisation_id,
            country,
            billing_address,
            language,
            contents,
        }
    }
}
