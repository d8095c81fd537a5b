//! Course outlines. An imported one is kept in the shape in which it is shown; these types describe it.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Value, json};
use shared::ids::CourseKey;
use utoipa::ToSchema;

use crate::queries::contents::OutlineRow;

#[derive(Debug, Serialize, ToSchema)]
pub struct Outline {
    sections: Vec<OutlineSection>,
    total_sections: usize,
    total_subsections: usize,
    course_info: CourseInfo,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct OutlineSection {
    name: String,
    usage_key: String,
    hide_from_toc: bool,
    visible_to_staff_only: bool,
    subsections: Vec<OutlineSubsection>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct OutlineSubsection {
    name: String,
    usage_key: String,
    inaccessible_after_due: bool,
    hide_from_toc: bool,
    visible_to_staff_only: bool,
    /// Left out unless one of its flags is true.
    exam: Option<OutlineExam>,
    units: Vec<OutlineUnit>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct OutlineExam {
    is_practice_exam: bool,
    is_proctored_enabled: bool,
    is_time_limited: bool,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct OutlineUnit {
    name: String,
    usage_key: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct CourseInfo {
    course_key: String,
    title: String,
    published_at: Option<DateTime<Utc>>,
    published_version: Option<String>,
    days_early_for_beta: Option<f64>,
    entrance_exam_id: Option<String>,
    self_paced: bool,
    /// `private`, `public_outline` or `public`.
    course_visibility: String,
}

/// The stored outline; an empty one of the same shape for a course that has none yet.
pub fn outline(key: &CourseKey, row: OutlineRow) -> Value {
    row.outline.unwrap_or_else(|| {
        let empty = Outline {
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
                course_visibility: "private".to_owned(),
            },
        };
        json!(empty)
    })
}
