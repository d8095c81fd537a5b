//! Stored course content: outlines as the api returns them, structures as nested nodes.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shared::ids::CourseKey;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outline {
    pub sections: Vec<Section>,
    pub total_sections: usize,
    pub total_subsections: usize,
    pub course_info: CourseInfo,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Section {
    pub name: String,
    pub usage_key: String,
    pub hide_from_toc: bool,
    pub visible_to_staff_only: bool,
    pub subsections: Vec<Subsection>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subsection {
    pub name: String,
    pub usage_key: String,
    pub inaccessible_after_due: bool,
    pub hide_from_toc: bool,
    pub visible_to_staff_only: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exam: Option<Exam>,
    pub units: Vec<Unit>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exam {
    pub is_practice_exam: bool,
    pub is_proctored_enabled: bool,
    pub is_time_limited: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unit {
    pub name: String,
    pub usage_key: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CourseInfo {
    pub course_key: String,
    pub title: String,
    pub published_at: Option<DateTime<Utc>>,
    pub published_version: Option<String>,
    pub days_early_for_beta: Option<f64>,
    pub entrance_exam_id: Option<String>,
    pub self_paced: bool,
    pub course_visibility: Visibility,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    Private,
    PublicOutline,
    Public,
}

/// One block of the content tree.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    pub id: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub display_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort_minutes: Option<u32>,
    #[serde(default)]
    pub children: Vec<Node>,
}

impl Outline {
    pub(super) fn check(&self, course: &CourseKey) -> Result<(), String> {
        let subsections: usize = self.sections.iter().map(|section| section.subsections.len()).sum();
        if self.course_info.course_key != course.as_str() {
            return Err(format!("outline belongs to {}", self.course_info.course_key));
        }
        if self.total_sections != self.sections.len() || self.total_subsections != subsections {
            return Err("outline totals do not match its sections and subsections".into());
        }
        let empty_exam =
            |exam: &Exam| !(exam.is_practice_exam || exam.is_proctored_enabled || exam.is_time_limited);
        let mut exams = self.sections.iter().flat_map(|s| &s.subsections).filter_map(|s| s.exam.as_ref());
        if exams.any(empty_exam) { Err("outline has an exam with no flag set".into()) } else { Ok(()) }
    }
}

impl Node {
    /// The minutes of a leaf, or the sum over the children of any other node.
    pub(super) fn minutes(&self) -> u32 {
        if self.children.is_empty() {
            return self.effort_minutes.unwrap_or(0);
        }
        self.children.iter().map(Node::minutes).fold(0, u32::saturating_add)
    }
}
