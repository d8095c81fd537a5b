//! JSON of an organisation's courses, as its managers see them.

use chrono::{DateTime, Utc};
use serde::Serialize;
use shared::course_mode::CourseMode;
use shared::dated_price::DatedPrice;
use shared::money::Amount;
use utoipa::ToSchema;

use crate::queries::desk::catalog::{CourseRow, ModeRow, WaitingCounts};
use crate::views::envelope::Envelope;

/// The courses of an organisation, published or not.
#[derive(Debug, Serialize, ToSchema)]
pub struct OwnCourseList {
    /// By name.
    courses: Vec<OwnCourse>,
    #[serde(flatten)]
    envelope: Envelope,
}

/// A course with what buyers see of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct OwnCourse {
    #[schema(example = "course-v1:Northwind+DS101+2026")]
    openedx_course_id: String,
    display_name: String,
    /// Unpublished courses are neither shown nor sold.
    is_published: bool,
    /// Hidden courses are in no list, and are sold to who has the link.
    hidden: bool,
    start: Option<DateTime<Utc>>,
    modes: Vec<OwnMode>,
    /// The entries of its waiting list; null if it had none ever.
    waiting_list: Option<WaitingCounts>,
}

/// A mode of a course.
#[derive(Debug, Serialize, ToSchema)]
pub struct OwnMode {
    #[schema(value_type = CourseMode)]
    mode: String,
    /// The full price.
    #[schema(value_type = f64, minimum = 0, example = 49.99)]
    price: Amount,
    #[schema(value_type = String, pattern = "^[A-Z]{3}$", example = "USD")]
    currency: &'static str,
    /// Prices that hold for a time instead of `price`.
    dated_prices: Vec<DatedPrice>,
    /// Invisible modes are not sold.
    visible: bool,
    expires_at: Option<DateTime<Utc>>,
}

impl OwnCourseList {
    pub fn new(courses: Vec<CourseRow>, envelope: Envelope) -> Self {
        Self { courses: courses.into_iter().map(OwnCourse::from).collect(), envelope }
    }
}

impl From<CourseRow> for OwnCourse {
    fn from(course: CourseRow) -> Self {
        Self {
            openedx_course_id: course.openedx_course_id,
            display_name: course.display_name,
            is_published: course.is_published,
            hidden: course.hidden,
            start: course.starts_at,
            modes: course.modes.0.into_iter().map(OwnMode::from).collect(),
            waiting_list: Some(course.waiting_list.0).filter(WaitingCounts::is_used),
        }
    }
}

impl From<ModeRow> for OwnMode {
    fn from(mode: ModeRow) -> Self {
        Self {
            mode: mode.mode,
            price: Amount(mode.price),
            currency: mode.price.currency().code(),
            dated_prices: mode.dated_prices,
            visible: mode.visible,
            expires_at: mode.expires_at,
        }
    }
}
