//! The records of a catalog file, one per line, as deploy/demo-catalog/README.md describes them.

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use shared::access_period::AccessPeriod;
use shared::course_mode::CourseMode;
use shared::dated_price::DatedPrice;
use shared::gateway::Gateway;
use shared::ids::CourseKey;
use shared::money::{Currency, Money};
use shared::service_code::ServiceCode;
use shared::subdivision;
use shared::withdrawal;
use store::model::decimal;
use store::model::offer::ModeOffer;
use store::model::seller::{BankTransfer, Seller};
use texts::Language;
use uuid::Uuid;

use super::outline::{Node, Outline};
use super::prices::{ExchangeRate, PricingPolicy, TaxRate};

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Record {
    Organisation(Box<Organisation>),
    PlatformOrganisation(PlatformOrganisation),
    PricingPolicy(PricingPolicy),
    TaxRate(TaxRate),
    ExchangeRate(ExchangeRate),
    Tag(Tag),
    Course(Box<Course>),
    Program(Box<Program>),
    Banner(Banner),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Organisation {
    pub id: Uuid,
    pub short_name: String,
    pub name: String,
    pub logo_url: Option<String>,
    pub favicon_url: Option<String>,
    pub trademark_url: Option<String>,
    pub registration_url: String,
    pub return_url: String,
    #[serde(default = "yes")]
    pub open: bool,
    #[serde(default)]
    pub marketing_page_metadata: Map<String, Value>,
    pub gateway: Option<Gateway>,
    pub currency: Currency,
    /// Days in which learners may refund what they bought; None: never. Not written if it is None, so that the digests of
    /// records without it stay as they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refund_days: Option<i32>,
    /// Days in which learners may move what they bought to another course or person; None: never. Not written if None.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_days: Option<i32>,
    /// Number of times that they may move a line; None: once. Not written if None.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves_allowed: Option<i32>,
    /// None: the organisation charges no tax and issues no documents. Not written either if it is None.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seller: Option<Seller>,
    /// The page on which buyers of seats manage them; mails link it with a `voucher_id` and a `token`. Not written if None.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seats_url: Option<String>,
    /// The page of the organisation's shop to which the platform's upgrade buttons lead. Not written if None, as all below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buy_url: Option<String>,
    /// The page of the organisation's shop that lists a learner's orders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orders_url: Option<String>,
    /// None: the organisation offers no right of withdrawal. Not written if None.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawal: Option<withdrawal::Terms>,
    /// In which its buyers read who choose none, the most important first. Not written if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<Language>,
    /// Of buttons in mails, as `#rrggbb`. Not written if None.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colour: Option<String>,
    /// Account to which buyers pay if the gateway is `external`. Not written if None.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bank_transfer: Option<BankTransfer>,
    pub created_at: DateTime<Utc>,
}

/// Maps an organisation of the course platform to a storefront organisation, for `catalog sync`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlatformOrganisation {
    /// As the platform's course keys spell it.
    pub org: String,
    /// The short name of our organisation; None: `catalog sync` skips the courses.
    pub organisation: Option<String>,
    #[serde(default)]
    pub prices: Prices,
}

/// Source of a synchronised course's prices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Prices {
    #[default]
    Platform,
    /// The operator sets them.
    Own,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tag {
    pub name: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Course {
    pub id: Uuid,
    pub organisation: String,
    pub openedx_course_id: CourseKey,
    pub display_name: String,
    pub short_description: String,
    pub overview: String,
    pub display_image: Option<String>,
    pub course_video_url: Option<String>,
    pub number: String,
    pub language: Option<String>,
    pub self_paced: bool,
    pub effort: Option<String>,
    #[serde(default = "yes")]
    pub is_published: bool,
    #[serde(default)]
    pub hidden: bool,
    #[serde(default)]
    pub is_invite_only: bool,
    #[serde(default)]
    pub is_new: bool,
    pub start: Option<DateTime<Utc>>,
    pub end: Option<DateTime<Utc>>,
    pub start_display: Option<String>,
    pub enrollment_start: Option<DateTime<Utc>>,
    pub enrollment_end: Option<DateTime<Utc>>,
    pub certificate_available_date: Option<DateTime<Utc>>,
    #[serde(default)]
    pub has_any_active_web_certificate: bool,
    pub link_to_course: Option<String>,
    pub created_at: DateTime<Utc>,
    #[serde(default)]
    pub tags: Vec<String>,
    #[serde(default)]
    pub modes: Vec<Mode>,
    #[serde(default)]
    pub reviews: Vec<Review>,
    pub outline: Option<Outline>,
    pub course_structure: Option<Node>,
    /// Learners whom the course takes; None: as many as come. Not written if None.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<i32>,
    /// What invoices call it; None: the seller's. Not written if None.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_code: Option<ServiceCode>,
    /// Computed content duration, if it differs from the sum over the structure's leaves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_minutes: Option<u32>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Mode {
    pub mode_slug: CourseMode,
    pub mode_display_name: String,
    #[serde(with = "decimal")]
    pub min_price: Decimal,
    pub currency: Currency,
    pub expiration_datetime: Option<DateTime<Utc>>,
    #[serde(default = "yes")]
    pub visible: bool,
    pub description: Option<String>,
    #[serde(default)]
    pub upsellable_course_modes: Vec<CourseMode>,
    /// The name of the mode in the platform's links. Not written if None, as the next one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sku: Option<String>,
    /// The name of seats in the mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bulk_sku: Option<String>,
    /// Prices that hold for a time instead of `min_price`. Not written if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dated_prices: Vec<DatedPrice>,
    /// Days of access that it gives; None: they do not count. Not written if None, as the next one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_days: Option<i32>,
    /// The latest end of access to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_until: Option<DateTime<Utc>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Review {
    pub id: Uuid,
    pub rating: i16,
    pub title: String,
    pub comment: String,
    pub author_name: String,
    pub created_at: DateTime<Utc>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    pub id: Uuid,
    pub organisation: String,
    pub name: String,
    pub description: String,
    pub about: String,
    pub achievements: String,
    pub duration: Option<i32>,
    pub duration_metric: Option<DurationMetric>,
    pub image: Option<String>,
    #[serde(default, with = "decimal::optional")]
    pub price: Option<Decimal>,
    pub currency: Option<Currency>,
    #[serde(default)]
    pub invite_only: bool,
    #[serde(default = "yes")]
    pub published: bool,
    pub created_at: DateTime<Utc>,
    #[serde(default)]
    pub tags: Vec<String>,
    pub courses: Vec<CourseKey>,
    #[serde(default)]
    pub reviews: Vec<Review>,
    /// What invoices call it; None: the seller's. Not written if None.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_code: Option<ServiceCode>,
    /// Prices that hold for a time instead of `price`. Not written if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dated_prices: Vec<DatedPrice>,
    /// Days of access that it gives; None: they do not count. Not written if None, as the next one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_days: Option<i32>,
    /// The latest end of access to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_until: Option<DateTime<Utc>>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DurationMetric {
    Hours,
    Days,
    Weeks,
    Months,
    Years,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Banner {
    pub id: Uuid,
    pub organisation: String,
    pub title: String,
    pub image_url: String,
    pub link_url: Option<String>,
    pub position: i32,
    pub starts_at: Option<DateTime<Utc>>,
    pub ends_at: Option<DateTime<Utc>>,
}

fn yes() -> bool {
    true
}

impl Record {
    /// Parses and checks one line.
    ///
    /// # Errors
    /// Why the line is no record, or the first invalid value.
    pub fn read(line: &str) -> Result<Self, String> {
        if line.contains("\\u0000") || line.contains('\0') {
            return Err("contains a NUL character".into());
        }
        let record: Self = serde_json::from_str(line).map_err(|error| {
            // Drop serde's line number: it is always 1, and the caller adds the real one.
            error.to_string().replace(" at line 1 column", " at column")
        })?;
        record.check()?;
        Ok(record)
    }

    /// Sorts the lists whose order has no meaning, so that equal records have equal digests.
    pub fn sort(&mut self) {
        match self {
            Self::Course(course) => course.sort(),
            Self::Program(program) => {
                program.tags.sort_unstable();
                program.reviews.sort_unstable_by_key(|review| review.id);
            }
            Self::PricingPolicy(policy) => policy.countries.sort_unstable_by_key(|terms| terms.country),
            Self::Organisation(_)
            | Self::PlatformOrganisation(_)
            | Self::TaxRate(_)
            | Self::ExchangeRate(_)
            | Self::Tag(_)
            | Self::Banner(_) => {}
        }
    }

    /// A SHA-256 digest that tells whether a record has changed. Sorts the record first.
    ///
    /// # Errors
    /// The record cannot be serialised as JSON.
    pub fn digest(&mut self) -> Result<[u8; 32], String> {
        self.sort();
        let text = serde_json::to_vec(self).map_err(|error| error.to_string())?;
        Ok(Sha256::digest(text).into())
    }

    /// The reviews in a course or program record.
    pub fn reviews(&self) -> &[Review] {
        match self {
            Self::Course(course) => &course.reviews,
            Self::Program(program) => &program.reviews,
            _ => &[],
        }
    }

    /// The kind and key that identify a record.
    pub fn key(&self) -> (&'static str, String) {
        match self {
            Self::Organisation(organisation) => ("organisation", organisation.id.to_string()),
            Self::PlatformOrganisation(mapping) => ("platform_organisation", mapping.org.to_lowercase()),
            Self::PricingPolicy(policy) => ("pricing_policy", policy.organisation.to_lowercase()),
            Self::TaxRate(rate) => {
                let TaxRate { organisation, country, state, valid_from, .. } = rate;
                let state = state.as_deref().map(|state| subdivision::key(*country, state));
                let state = state.unwrap_or_default();
                ("tax_rate", format!("{organisation}/{country}/{state}/{valid_from}").to_lowercase())
            }
            Self::ExchangeRate(rate) => ("exchange_rate", format!("{}/{}", rate.base, rate.quote)),
            Self::Tag(tag) => ("tag", tag.name.to_lowercase()),
            Self::Course(course) => ("course", course.id.to_string()),
            Self::Program(program) => ("program", program.id.to_string()),
            Self::Banner(banner) => ("banner", banner.id.to_string()),
        }
    }
}

impl Course {
    pub fn sort(&mut self) {
        self.tags.sort_unstable();
        self.modes.sort_unstable_by_key(|mode| mode.mode_slug);
        self.reviews.sort_unstable_by_key(|review| review.id);
    }

    /// The computed content duration in minutes.
    pub fn minutes(&self) -> u32 {
        self.total_minutes.unwrap_or_else(|| self.structure_minutes())
    }

    fn structure_minutes(&self) -> u32 {
        self.course_structure.as_ref().map_or(0, Node::minutes)
    }

    /// Clears a duration that equals the structure's.
    pub fn shorten(&mut self) {
        let derived = self.structure_minutes();
        self.total_minutes = self.total_minutes.filter(|minutes| *minutes != derived);
    }
}

impl Mode {
    /// The mode's price.
    ///
    /// # Errors
    /// The amount does not fit its currency.
    pub fn price(&self) -> Result<Money, shared::money::MoneyError> {
        Money::from_major(self.min_price, self.currency)
    }

    /// The mode as it is sold.
    ///
    /// # Errors
    /// That of [`Self::price`].
    pub fn offer(&self) -> Result<ModeOffer, shared::money::MoneyError> {
        Ok(ModeOffer {
            mode: self.mode_slug,
            price: self.price()?,
            dated_prices: self.dated_prices.clone(),
            access: AccessPeriod { days: self.access_days, until: self.access_until },
            visible: self.visible,
            expires_at: self.expiration_datetime,
        })
    }
}

impl Program {
    /// The program's price, if it has one.
    ///
    /// # Errors
    /// A price without a currency or the reverse, or a price that does not fit its currency.
    pub fn money(&self) -> Result<Option<Money>, String> {
        match (self.price, self.currency) {
            (Some(price), Some(currency)) => {
                Money::from_major(price, currency).map(Some).map_err(|error| format!("price {error}"))
            }
            (None, None) => Ok(None),
            _ => Err("price and currency must both be given, or neither".into()),
        }
    }
}
