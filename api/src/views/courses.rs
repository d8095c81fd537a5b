//! JSON of courses: light and full list items, and detail.

use chrono::{DateTime, TimeDelta, Utc};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;
use serde::Serialize;
use shared::course_mode::CourseMode;
use shared::ids::OrganisationId;
use shared::money::Amount;
use utoipa::ToSchema;
use uuid::Uuid;

use super::envelope::{Envelope, PartialError, StoredCourse, readable};
use super::outlines::StructureNode;
use super::price::{HoldingPrice, PriceFields, Pricing, number};
use super::reviews::ReviewView;
use crate::queries::courses::{Course, Detail, Mode};

/// A course is new for this long after its creation, also without the operator's flag.
const NEW_FOR: TimeDelta = TimeDelta::days(30);

#[derive(Debug, Serialize, ToSchema)]
pub struct CourseList {
    courses: Vec<ListedCourse>,
    #[serde(flatten)]
    envelope: Envelope,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ListedCourse {
    /// For checkout and client enrollment.
    id: Uuid,
    /// For detail, outline, effort and enrollment checks.
    openedx_course_id: String,
    display_name: String,
    display_image: Option<String>,
    short_description: String,
    #[serde(flatten)]
    price: PriceFields,
    /// The mode that has this `price`.
    #[schema(value_type = Option<CourseMode>)]
    course_mode: Option<String>,
    start: Option<DateTime<Utc>>,
    end: Option<DateTime<Utc>>,
    /// The organisation's short name.
    org: String,
    org_name: String,
    org_logo_url: Option<String>,
    org_favicon_url: Option<String>,
    tags: Vec<String>,
    is_invite_only: bool,
    is_published: bool,
    /// One decimal; null without reviews.
    #[schema(minimum = 1, maximum = 5)]
    avg_rating: Option<f64>,
    #[schema(minimum = 0)]
    review_count: i32,
    #[serde(flatten)]
    full: Option<FullFields>,
}

/// The fields that a listed course has with `fields=full` only.
#[derive(Debug, Serialize, ToSchema)]
pub struct FullFields {
    /// HTML.
    overview: String,
    effort: Option<String>,
    enrollment_start: Option<DateTime<Utc>>,
    enrollment_end: Option<DateTime<Utc>>,
    certificate_available_date: Option<DateTime<Utc>>,
    has_any_active_web_certificate: bool,
    link_to_course: Option<String>,
    language: Option<String>,
    self_paced: bool,
    number: String,
    course_video_url: Option<String>,
    /// Visible and unexpired, cheapest first.
    available_course_modes: Vec<AvailableMode>,
    is_new: bool,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AvailableMode {
    #[schema(value_type = CourseMode)]
    mode_slug: String,
    /// The full price, in major units: before regional discounts and without a dated price.
    #[schema(value_type = f64, minimum = 0)]
    min_price: Amount,
    mode_display_name: String,
    /// The currency of `minPrice`, `price` and `originalPrice`.
    #[schema(value_type = String, pattern = "^[A-Z]{3}$")]
    currency: &'static str,
    /// Price of this mode for the visitor.
    #[schema(value_type = f64, minimum = 0, example = 49.99)]
    price: Amount,
    /// The same as `minPrice`.
    #[schema(value_type = f64, minimum = 0, example = 49.99)]
    original_price: Amount,
    /// 0 without a discount.
    #[serde(serialize_with = "number")]
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 0)]
    discount_pct: Decimal,
    /// The currency of `nativeAmount`. Left out without an exchange rate of the last 7 days.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false, pattern = "^[A-Z]{3}$", example = "INR")]
    native_currency: Option<&'static str>,
    /// The price in the visitor's currency, as a hint: the buyer does not pay this amount. Left out together with
    /// `nativeCurrency`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = f64, required = false, minimum = 0)]
    native_amount: Option<Amount>,
    /// The dated price that holds. Left out if the full one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    dated_price: Option<HoldingPrice>,
    expiration_datetime: Option<DateTime<Utc>>,
    /// How many days of access it gives, to the end of the last one at the seller. Left out if they do not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false, minimum = 1, example = 180)]
    access_days: Option<i32>,
    /// When access to it ends at the latest. Left out without such a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    access_until: Option<DateTime<Utc>>,
    visible: bool,
    description: Option<String>,
    upsellable_course_modes: Vec<String>,
    has_certificate: bool,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct CourseDetail {
    id: Uuid,
    openedx_course_id: String,
    display_name: String,
    short_description: String,
    /// HTML.
    overview: String,
    course_image_url: Option<String>,
    course_video_url: Option<String>,
    start: Option<DateTime<Utc>>,
    /// The start that the operator advertises, else like `March 1, 2026`.
    start_display: Option<String>,
    end: Option<DateTime<Utc>>,
    effort: Option<String>,
    /// The computed duration of the content in minutes; 0 with `fields=summary`.
    #[schema(minimum = 0)]
    total_minutes: i32,
    enrollment_start: Option<DateTime<Utc>>,
    enrollment_end: Option<DateTime<Utc>>,
    certificate_available_date: Option<DateTime<Utc>>,
    has_any_active_web_certificate: bool,
    language: Option<String>,
    self_paced: bool,
    is_invite_only: bool,
    is_published: bool,
    is_new: bool,
    #[serde(flatten)]
    price: PriceFields,
    /// The mode that has this `price`.
    #[schema(value_type = Option<CourseMode>)]
    course_mode: Option<String>,
    available_course_modes: Vec<AvailableMode>,
    /// The organisation's short name.
    organisation: String,
    organisation_id: Uuid,
    organisation_logo_url: Option<String>,
    organisation_favicon_url: Option<String>,
    /// Places that checkouts have left, as of at most five minutes ago; null if the course takes as many learners as come. The
    /// checkout decides.
    #[schema(minimum = 0, example = 12)]
    places_left: Option<i64>,
    /// Null with `fields=summary`, and before one was imported.
    course_structure: Option<StructureNode>,
    /// One decimal; null without reviews.
    #[schema(minimum = 1, maximum = 5)]
    avg_rating: Option<f64>,
    /// The newest reviews, at most twenty.
    #[schema(max_items = 20)]
    reviews: Vec<ReviewView>,
    /// Says that the stored structure cannot be shown. Left out when it can.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    partial_errors: Vec<PartialError>,
}

impl CourseList {
    pub fn new(
        courses: Vec<Course>,
        full: bool,
        envelope: Envelope,
        pricing: Pricing<'_>,
        now: DateTime<Utc>,
    ) -> Self {
        Self {
            courses: courses.into_iter().map(|c| ListedCourse::new(c, full, pricing, now)).collect(),
            envelope,
        }
    }
}

impl ListedCourse {
    fn new(course: Course, full: bool, pricing: Pricing<'_>, now: DateTime<Utc>) -> Self {
        let is_new = is_new(course.row.flagged_new, course.row.created_at, now);
        let Course { row, price, tags, modes } = pricing.course(course);
        Self {
            id: row.id,
            openedx_course_id: row.openedx_course_id,
            display_name: row.display_name,
            display_image: row.image_url,
            short_description: row.short_description,
            price: pricing.fields(row.organisation_id, price.as_ref()),
            course_mode: row.course_mode,
            start: row.starts_at,
            end: row.ends_at,
            org: row.organisation,
            org_name: row.organisation_name,
            org_logo_url: row.logo_url,
            org_favicon_url: row.favicon_url,
            tags,
            is_invite_only: row.is_invite_only,
            is_published: row.is_published,
            avg_rating: row.avg_rating.and_then(|rating| rating.to_f64()),
            review_count: row.review_count,
            full: full.then(|| FullFields {
                overview: row.overview.unwrap_or_default(),
                effort: row.effort,
                enrollment_start: row.enrollment_start,
                enrollment_end: row.enrollment_end,
                certificate_available_date: row.certificate_available_date,
                has_any_active_web_certificate: row.has_any_active_web_certificate,
                link_to_course: row.link_to_course,
                language: row.language,
                self_paced: row.self_paced,
                number: row.number,
                course_video_url: row.course_video_url,
                available_course_modes: AvailableMode::all(modes, row.organisation_id, pricing),
                is_new,
            }),
        }
    }
}

impl CourseDetail {
    pub fn new(detail: Detail, summary: bool, pricing: Pricing<'_>, now: DateTime<Utc>) -> Self {
        let is_new = is_new(detail.course.row.flagged_new, detail.course.row.created_at, now);
        let Course { row, price, modes, tags: _ } = pricing.course(detail.course);
        let (course_structure, partial_errors) =
            readable("structure", detail.structure, StoredCourse { id: row.id, key: &row.openedx_course_id });
        Self {
            id: row.id,
            openedx_course_id: row.openedx_course_id,
            display_name: row.display_name,
            short_description: row.short_description,
            overview: row.overview.unwrap_or_default(),
            course_image_url: row.image_url,
            course_video_url: row.course_video_url,
            start: row.starts_at,
            start_display: row
                .advertised_start
                .or_else(|| row.starts_at.map(|at| at.format("%B %-d, %Y").to_string())),
            end: row.ends_at,
            effort: row.effort,
            total_minutes: if summary { 0 } else { row.total_minutes },
            enrollment_start: row.enrollment_start,
            enrollment_end: row.enrollment_end,
            certificate_available_date: row.certificate_available_date,
            has_any_active_web_certificate: row.has_any_active_web_certificate,
            language: row.language,
            self_paced: row.self_paced,
            is_invite_only: row.is_invite_only,
            is_published: row.is_published,
            is_new,
            price: pricing.fields(row.organisation_id, price.as_ref()),
            course_mode: row.course_mode,
            available_course_modes: AvailableMode::all(modes, row.organisation_id, pricing),
            organisation: row.organisation,
            organisation_id: row.organisation_id.into(),
            organisation_logo_url: row.logo_url,
            organisation_favicon_url: row.favicon_url,
            places_left: detail.places_left,
            course_structure,
            avg_rating: row.avg_rating.and_then(|rating| rating.to_f64()),
            reviews: detail.reviews.into_iter().map(ReviewView::from).collect(),
            partial_errors,
        }
    }
}

/// Returns whether a course is new: flagged by the operator, or created within the last 30 days.
pub fn is_new(flagged: bool, created_at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    flagged || created_at + NEW_FOR > now
}

impl AvailableMode {
    /// The modes of one course, priced by the organisation that owns it.
    pub fn all(modes: Vec<Mode>, organisation: OrganisationId, pricing: Pricing<'_>) -> Vec<Self> {
        modes.into_iter().map(|mode| Self::new(mode, organisation, pricing)).collect()
    }

    fn new(mode: Mode, organisation: OrganisationId, pricing: Pricing<'_>) -> Self {
        let shown = pricing.fields(organisation, Some(&mode.price));
        let full = mode.price.full;
        Self {
            price: shown.price.unwrap_or(Amount(full)),
            original_price: Amount(full),
            discount_pct: shown.discount_pct,
            native_currency: shown.native_currency,
            native_amount: shown.native_amount,
            dated_price: shown.dated_price,
            has_certificate: mode.slug.parse().is_ok_and(CourseMode::has_certificate),
            mode_slug: mode.slug,
            currency: full.currency().code(),
            min_price: Amount(full),
            mode_display_name: mode.display_name,
            expiration_datetime: mode.expires_at,
            access_days: mode.access.days,
            access_until: mode.access.until,
            // The query reads visible modes only.
            visible: true,
            description: mode.description,
            upsellable_course_modes: mode.upsellable_course_modes,
        }
    }
}
