//! The lines of a catalog file: their shapes as deploy/demo-catalog/README.md names them, and what each must hold by
//! itself. References between records are judged by `references`.

use chrono::{DateTime, NaiveDate, Utc};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use shared::course_mode::CourseMode;
use shared::ids::CourseKey;
use shared::money::{Currency, Money};
use shared::region::Country;
use uuid::Uuid;

use super::outline::{Node, Outline};

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Record {
    Organisation(Organisation),
    PricingPolicy(PricingPolicy),
    ExchangeRate(ExchangeRate),
    Tag(Tag),
    Course(Box<Course>),
    Program(Program),
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
    pub created_at: DateTime<Utc>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gateway {
    Stripe,
    Mollie,
    Razorpay,
    Curlec,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PricingPolicy {
    pub organisation: String,
    pub enabled: bool,
    pub countries: Vec<PolicyCountry>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyCountry {
    pub country: Country,
    #[serde(with = "decimal")]
    pub percent_off: Decimal,
    pub display_currency: Option<Currency>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExchangeRate {
    pub base: Currency,
    pub quote: Currency,
    #[serde(with = "decimal")]
    pub rate: Decimal,
    pub as_of: Option<NaiveDate>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tag {
    pub name: String,
}

#[derive(Debug, Serialize, Deserialize)]
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
}

#[derive(Debug, Serialize, Deserialize)]
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
}

#[derive(Debug, Serialize, Deserialize)]
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
    #[serde(default, with = "optional_decimal")]
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
    /// Reads one line.
    ///
    /// # Errors
    /// Why it is no record, or what in it cannot be.
    pub fn read(line: &str) -> Result<Self, String> {
        if line.contains("\\u0000") || line.contains('\0') {
            return Err("holds a NUL character".into());
        }
        let record: Self = serde_json::from_str(line).map_err(|error| {
            // serde counts columns of this line alone; ours is the line's number.
            error.to_string().replace(" at line 1 column", " at column")
        })?;
        record.check()?;
        Ok(record)
    }

    /// Puts what has no order of its own into one, so that equal records have equal digests.
    pub fn sort(&mut self) {
        match self {
            Self::Course(course) => {
                course.tags.iter_mut().for_each(|tag| *tag = tag.to_lowercase());
                course.tags.sort_unstable();
                course.modes.sort_unstable_by_key(|mode| mode.mode_slug);
                course.reviews.sort_unstable_by_key(|review| review.id);
            }
            Self::Program(program) => {
                program.tags.iter_mut().for_each(|tag| *tag = tag.to_lowercase());
                program.tags.sort_unstable();
                program.reviews.sort_unstable_by_key(|review| review.id);
            }
            Self::PricingPolicy(policy) => policy.countries.sort_unstable_by_key(|terms| terms.country),
            Self::Organisation(_) | Self::ExchangeRate(_) | Self::Tag(_) | Self::Banner(_) => {}
        }
    }

    pub fn reviews(&self) -> &[Review] {
        match self {
            Self::Course(course) => &course.reviews,
            Self::Program(program) => &program.reviews,
            _ => &[],
        }
    }

    /// What makes two records the same one: the kind and its key.
    pub fn key(&self) -> (&'static str, String) {
        match self {
            Self::Organisation(organisation) => ("organisation", organisation.id.to_string()),
            Self::PricingPolicy(policy) => ("pricing_policy", policy.organisation.to_lowercase()),
            Self::ExchangeRate(rate) => ("exchange_rate", format!("{}/{}", rate.base, rate.quote)),
            Self::Tag(tag) => ("tag", tag.name.to_lowercase()),
            Self::Course(course) => ("course", course.id.to_string()),
            Self::Program(program) => ("program", program.id.to_string()),
            Self::Banner(banner) => ("banner", banner.id.to_string()),
        }
    }

    fn check(&self) -> Result<(), String> {
        match self {
            Self::Organisation(organisation) => check_short_name(&organisation.short_name),
            Self::PricingPolicy(policy) => policy.check(),
            Self::ExchangeRate(rate) => rate.check(),
            Self::Tag(tag) => (!tag.name.trim().is_empty()).then_some(()).ok_or("name is empty".into()),
            Self::Course(course) => course.check(),
            Self::Program(program) => program.check(),
            Self::Banner(banner) => check_order(banner.starts_at, banner.ends_at, "starts_at", "ends_at"),
        }
    }
}

fn check_short_name(name: &str) -> Result<(), String> {
    let fits = (1..=64).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "._~-".contains(c));
    fits.then_some(()).ok_or(format!("short_name {name:?} is not 1 to 64 letters, digits or ._~-"))
}

fn check_order(
    start: Option<DateTime<Utc>>,
    end: Option<DateTime<Utc>>,
    start_name: &str,
    end_name: &str,
) -> Result<(), String> {
    match (start, end) {
        (Some(start), Some(end)) if end <= start => Err(format!("{end_name} is not after {start_name}")),
        _ => Ok(()),
    }
}

fn check_reviews(reviews: &[Review]) -> Result<(), String> {
    match reviews.iter().find(|review| !(1..=5).contains(&review.rating)) {
        Some(review) => Err(format!("review {} has rating {}, not 1 to 5", review.id, review.rating)),
        None => Ok(()),
    }
}

impl PricingPolicy {
    fn check(&self) -> Result<(), String> {
        for (index, terms) in self.countries.iter().enumerate() {
            let percent = terms.percent_off;
            if !(Decimal::ZERO..=Decimal::ONE_HUNDRED).contains(&percent) || percent.normalize().scale() > 2 {
                return Err(format!("percent_off {percent} is not 0 to 100 with two decimals"));
            }
            if self.countries.iter().take(index).any(|earlier| earlier.country == terms.country) {
                return Err(format!("country {} stands twice", terms.country));
            }
        }
        Ok(())
    }
}

impl ExchangeRate {
    /// Ten digits on each side of the point are kept.
    fn check(&self) -> Result<(), String> {
        let fits = self.rate > Decimal::ZERO && self.rate < Decimal::from(10_i64.pow(10));
        let kept = self.rate.normalize().scale() <= 10;
        if fits && kept {
            Ok(())
        } else {
            Err(format!("rate {} is not positive with ten digits either side", self.rate))
        }
    }
}

impl Course {
    fn check(&self) -> Result<(), String> {
        if self.display_name.trim().is_empty() {
            return Err("display_name is empty".into());
        }
        check_order(self.start, self.end, "start", "end")?;
        check_order(self.enrollment_start, self.enrollment_end, "enrollment_start", "enrollment_end")?;
        for (index, mode) in self.modes.iter().enumerate() {
            mode.price().map_err(|error| format!("minPrice of mode {} {error}", mode.mode_slug))?;
            if self.modes.iter().take(index).any(|earlier| earlier.mode_slug == mode.mode_slug) {
                return Err(format!("mode {} stands twice", mode.mode_slug));
            }
        }
        check_reviews(&self.reviews)?;
        if i32::try_from(self.total_minutes()).is_err() {
            return Err("course_structure has more minutes than anybody".into());
        }
        self.outline.as_ref().map_or(Ok(()), |outline| outline.check(&self.openedx_course_id))
    }

    /// Computed content duration: the sum over the structure's leaves.
    pub fn total_minutes(&self) -> u32 {
        self.course_structure.as_ref().map_or(0, Node::minutes)
    }
}

impl Mode {
    /// # Errors
    /// An amount that does not fit its currency.
    pub fn price(&self) -> Result<Money, shared::money::MoneyError> {
        Money::from_major(self.min_price, self.currency)
    }
}

impl Program {
    /// # Errors
    /// A price without a currency, or one that does not fit it.
    pub fn money(&self) -> Result<Option<Money>, String> {
        match (self.price, self.currency) {
            (Some(price), Some(currency)) => {
                Money::from_major(price, currency).map(Some).map_err(|error| format!("price {error}"))
            }
            (None, None) => Ok(None),
            _ => Err("price and currency go together".into()),
        }
    }

    fn check(&self) -> Result<(), String> {
        self.money()?;
        if self.duration.is_some_and(|duration| duration <= 0) {
            return Err("duration is not positive".into());
        }
        check_reviews(&self.reviews)
    }
}

/// Decimals as JSON numbers or strings; read through the text, so that 49.99 is not 49.9899….
mod decimal {
    use rust_decimal::Decimal;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(value: &Decimal, serializer: S) -> Result<S::Ok, S::Error> {
        shared::money::serialize_decimal(*value, serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
        let text = match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::Number(number) => number.to_string(),
            serde_json::Value::String(text) => text,
            other => return Err(D::Error::custom(format!("{other} is not a decimal number"))),
        };
        text.parse().map_err(|_| D::Error::custom(format!("{text:?} is not a decimal number")))
    }
}

mod optional_decimal {
    use rust_decimal::Decimal;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(value: &Option<Decimal>, serializer: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => super::decimal::serialize(value, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Decimal>, D::Error> {
        #[derive(Deserialize)]
        struct Present(#[serde(with = "super::decimal")] Decimal);
        Ok(Option::<Present>::deserialize(deserializer)?.map(|present| present.0))
    }
}
