//! JSON of courses as parts of a program or of a tag.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::courses::AvailableMode;
use super::price::{PriceFields, Pricing};
use crate::queries::courses::Course;
use shared::course_mode::CourseMode;

/// A course of a program.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChildCourse {
    id: Uuid,
    openedx_course_id: String,
    display_name: String,
    short_description: String,
    /// HTML.
    overview: String,
    course_image_url: Option<String>,
    start: Option<DateTime<Utc>>,
    end: Option<DateTime<Utc>>,
    effort: Option<String>,
    enrollment_start: Option<DateTime<Utc>>,
    enrollment_end: Option<DateTime<Utc>>,
    #[serde(flatten)]
    price: PriceFields,
    /// The mode that has this `price`.
    #[schema(value_type = Option<CourseMode>)]
    course_mode: Option<String>,
    available_course_modes: Vec<AvailableMode>,
    /// The organisation's short name.
    organisation: String,
    organisation_logo_url: Option<String>,
    organisation_favicon_url: Option<String>,
    is_invite_only: bool,
    is_published: bool,
}

impl ChildCourse {
    pub fn new(course: Course, pricing: Pricing<'_>) -> Self {
        let Course { row, price, modes, tags: _ } = pricing.course(course);
        Self {
            id: row.id,
            openedx_course_id: row.openedx_course_id,
            display_name: row.display_name,
            short_description: row.short_description,
            overview: row.overview.unwrap_or_default(),
            course_image_url: row.image_url,
            start: row.starts_at,
            end: row.ends_at,
            effort: row.effort,
            enrollment_start: row.enrollment_start,
            enrollment_end: row.enrollment_end,
            price: pricing.fields(row.organisation_id, price.as_ref()),
            course_mode: row.course_mode,
            available_course_modes: AvailableMode::all(modes, row.organisation_id, pricing),
            organisation: row.organisation,
            organisation_logo_url: row.logo_url,
            organisation_favicon_url: row.favicon_url,
            is_invite_only: row.is_invite_only,
            is_published: row.is_published,
        }
    }
}

/// A course of a tag.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaggedCourse {
    id: Uuid,
    openedx_course_id: String,
    display_name: String,
    short_description: String,
    /// HTML.
    overview: String,
    course_image_url: Option<String>,
    start: Option<DateTime<Utc>>,
    end: Option<DateTime<Utc>>,
    effort: Option<String>,
    enrollment_start: Option<DateTime<Utc>>,
    enrollment_end: Option<DateTime<Utc>>,
    #[serde(flatten)]
    price: PriceFields,
    /// The organisation's learner-facing name.
    organisation: String,
    /// The organisation's short name.
    org: String,
    language: Option<String>,
    self_paced: bool,
    number: String,
    link_to_course: Option<String>,
}

impl TaggedCourse {
    pub fn new(course: Course, pricing: Pricing<'_>) -> Self {
        let Course { row, price, .. } = pricing.course(course);
        Self {
            id: row.id,
            openedx_course_id: row.openedx_course_id,
            display_name: row.display_name,
            short_description: row.short_description,
            overview: row.overview.unwrap_or_default(),
            course_image_url: row.image_url,
            start: row.starts_at,
            end: row.ends_at,
            effort: row.effort,
            enrollment_start: row.enrollment_start,
            enrollment_end: row.enrollment_end,
            price: pricing.fields(row.organisation_id, price.as_ref()),
            organisation: row.organisation_name,
            org: row.organisation,
            language: row.language,
            self_paced: row.self_paced,
            number: row.number,
            link_to_course: row.link_to_course,
        }
    }
}
