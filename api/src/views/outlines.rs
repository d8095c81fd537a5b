//! JSON of course outlines and structures. The import stores them in the shape of these types.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shared::ids::CourseKey;
use utoipa::ToSchema;

use super::envelope::{PartialError, StoredCourse, readable};
use crate::queries::contents::OutlineRow;
use crate::words::CourseVisibility;

#[derive(Debug, Serialize, ToSchema)]
pub struct Outline {
    #[serde(flatten)]
    outline: StoredOutline,
    /// Says that the stored outline cannot be shown. Left out when it can.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    partial_errors: Vec<PartialError>,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct StoredOutline {
    sections: Vec<OutlineSection>,
    total_sections: usize,
    total_subsections: usize,
    course_info: CourseInfo,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct OutlineSection {
    name: String,
    usage_key: String,
    hide_from_toc: bool,
    visible_to_staff_only: bool,
    subsections: Vec<OutlineSubsection>,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct OutlineSubsection {
    name: String,
    usage_key: String,
    inaccessible_after_due: bool,
    hide_from_toc: bool,
    visible_to_staff_only: bool,
    /// Left out unless one of its flags is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    exam: Option<OutlineExam>,
    units: Vec<OutlineUnit>,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct OutlineExam {
    is_practice_exam: bool,
    is_proctored_enabled: bool,
    is_time_limited: bool,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct OutlineUnit {
    name: String,
    usage_key: String,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct CourseInfo {
    course_key: String,
    title: String,
    published_at: Option<DateTime<Utc>>,
    published_version: Option<String>,
    days_early_for_beta: Option<f64>,
    entrance_exam_id: Option<String>,
    self_paced: bool,
    course_visibility: CourseVisibility,
}

/// A block of a course: a chapter, sequence, unit or component.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[schema(no_recursion)]
pub struct StructureNode {
    /// The usage key.
    id: String,
    r#type: String,
    display_name: String,
    /// Left out where it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    effort_minutes: Option<u32>,
    children: Vec<StructureNode>,
}

/// The stored outline, or an empty one if the course has none yet.
pub fn outline(key: &CourseKey, row: OutlineRow) -> Outline {
    let (stored, partial_errors) =
        readable("outline", row.outline, StoredCourse { id: row.id, key: key.as_str() });
    let empty = || StoredOutline {
        sections: Vec::new(),
        total_sections: 0,
        total_subsections: 0,
        course_info: CourseInfo {
            course_key: key.to_string(),
            title: row.display_name,
            published_at: None,
            published_version: None,
            days_early_for_beta: None,
            entrance_exam_id: None,
            self_paced: row.self_paced,
            course_visibility: CourseVisibility::Private,
        },
    };
    Outline { outline: stored.unwrap_or_else(empty), partial_errors }
}
