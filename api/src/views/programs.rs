//! JSON of programs: list items and detail.

use chrono::{DateTime, Utc};
use rust_decimal::prelude::ToPrimitive;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::children::ChildCourse;
use super::envelope::{Envelope, PartialError, partial_errors};
use super::price::{PriceFields, Pricing};
use super::reviews::ReviewView;
use crate::queries::programs::{Detail, Program};
use crate::words::DurationMetric;

#[derive(Debug, Serialize, ToSchema)]
pub struct ProgramList {
    programs: Vec<ListedProgram>,
    #[serde(flatten)]
    envelope: Envelope,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ListedProgram {
    /// For detail and checkout.
    id: Uuid,
    name: String,
    description: String,
    about: String,
    achievements: String,
    #[schema(minimum = 1)]
    duration: Option<i32>,
    duration_metric: Option<DurationMetric>,
    image: Option<String>,
    #[serde(flatten)]
    price: PriceFields,
    /// How many days of access it gives, to the end of the last one at the seller. Left out if they do not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, example = 180)]
    access_days: Option<i32>,
    /// When access to it ends at the latest. Left out without such a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    access_until: Option<DateTime<Utc>>,
    organisation: ProgramOrganisation,
    tags: Vec<String>,
    /// One decimal; null without reviews.
    #[schema(minimum = 1, maximum = 5)]
    avg_rating: Option<f64>,
    courses: Vec<ChildCourse>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ProgramOrganisation {
    pub name: String,
    pub logo_url: Option<String>,
    pub favicon_url: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ProgramDetail {
    /// The program, as the only entry.
    #[schema(min_items = 1, max_items = 1)]
    programs: Vec<ProgramRecord>,
    program_courses: Vec<ChildCourse>,
    /// One decimal; null without reviews.
    #[schema(minimum = 1, maximum = 5)]
    avg_rating: Option<f64>,
    /// The newest reviews, at most twenty.
    #[schema(max_items = 20)]
    reviews: Vec<ReviewView>,
    /// Courses that cannot be shown. Left out when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    partial_errors: Vec<PartialError>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ProgramRecord {
    id: Uuid,
    name: String,
    #[serde(flatten)]
    price: PriceFields,
    /// How many days of access it gives, to the end of the last one at the seller. Left out if they do not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, example = 180)]
    access_days: Option<i32>,
    /// When access to it ends at the latest. Left out without such a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    access_until: Option<DateTime<Utc>>,
    about: String,
    achievements: String,
    description: String,
    #[schema(minimum = 1)]
    duration: Option<i32>,
    duration_metric: Option<DurationMetric>,
    image: Option<String>,
    invite_only: bool,
    published: bool,
    organisation: RecordOrganisation,
    organisation_id: Uuid,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct RecordOrganisation {
    id: Uuid,
    name: String,
}

impl ProgramList {
    pub fn new(programs: Vec<Program>, envelope: Envelope, pricing: Pricing<'_>) -> Self {
        Self { programs: programs.into_iter().map(|p| ListedProgram::new(p, pricing)).collect(), envelope }
    }
}

impl ListedProgram {
    fn new(program: Program, pricing: Pricing<'_>) -> Self {
        let Program { row, price, tags, courses } = program;
        Self {
            id: row.id,
            name: row.name,
            description: row.description,
            about: row.about,
            achievements: row.achievements,
            duration: row.duration,
            duration_metric: row.duration_metric,
            image: row.image,
            price: pricing.fields(row.organisation_id, price.as_ref()),
            access_days: row.access_days,
            access_until: row.access_until,
            organisation: ProgramOrganisation {
                name: row.organisation_name,
                logo_url: row.logo_url,
                favicon_url: row.favicon_url,
            },
            tags,
            avg_rating: row.avg_rating.and_then(|rating| rating.to_f64()),
            courses: courses.into_iter().map(|course| ChildCourse::new(course, pricing)).collect(),
        }
    }
}

impl ProgramDetail {
    pub fn new(detail: Detail, pricing: Pricing<'_>) -> Self {
        let Program { row, price, courses, tags: _ } = detail.program;
        let record = ProgramRecord {
            id: row.id,
            price: pricing.fields(row.organisation_id, price.as_ref()),
            access_days: row.access_days,
            access_until: row.access_until,
            about: row.about,
            achievements: row.achievements,
            description: row.description,
            duration: row.duration,
            duration_metric: row.duration_metric,
            image: row.image,
            invite_only: row.is_invite_only,
            published: row.is_published,
            organisation: RecordOrganisation { id: row.organisation_id.into(), name: row.organisation_name },
            organisation_id: row.organisation_id.into(),
            name: row.name,
        };
        Self {
            programs: vec![record],
            program_courses: courses.into_iter().map(|course| ChildCourse::new(course, pricing)).collect(),
            avg_rating: row.avg_rating.and_then(|rating| rating.to_f64()),
            reviews: detail.reviews.into_iter().map(ReviewView::from).collect(),
            partial_errors: partial_errors(detail.broken),
        }
    }
}
