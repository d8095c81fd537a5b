//! The shapes of the course platform's answers about courses, under the platform's field names. Unused fields are
//! omitted.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

#[derive(Debug, Deserialize)]
pub struct CoursePage {
    /// Parsed one by one, so that an unreadable course does not hide the others.
    pub results: Vec<Value>,
    pub pagination: Pagination,
}

#[derive(Debug, Deserialize)]
pub struct Pagination {
    pub next: Option<String>,
}

/// The courses of a learner, each with the link of its upgrade button.
#[derive(Debug, Deserialize)]
pub struct LearnerHome {
    pub courses: Vec<HomeCourse>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HomeCourse {
    /// None of an entitlement whose session is not chosen yet.
    pub course_run: Option<HomeRun>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HomeRun {
    pub course_id: String,
    /// None without a button.
    pub upgrade_url: Option<String>,
}

/// The configuration of the platform's pages.
#[derive(Debug, Deserialize)]
pub struct MfeConfig {
    #[serde(rename = "ORDER_HISTORY_URL")]
    pub order_history_url: Option<String>,
}

/// A course in full.
#[derive(Debug, Deserialize)]
pub struct CourseDetail {
    pub id: String,
    /// The platform strips markup from it; some releases escape `<` and `>` instead.
    pub name: String,
    pub number: String,
    pub short_description: Option<String>,
    pub overview: Option<String>,
    pub effort: Option<String>,
    pub start: Option<DateTime<Utc>>,
    pub start_display: Option<String>,
    /// `string`, `timestamp` or `empty`.
    pub start_type: Option<String>,
    pub end: Option<DateTime<Utc>>,
    pub enrollment_start: Option<DateTime<Utc>>,
    pub enrollment_end: Option<DateTime<Utc>>,
    /// `self` or `instructor`.
    pub pacing: String,
    #[serde(default)]
    pub hidden: bool,
    #[serde(default)]
    pub invitation_only: bool,
    #[serde(default)]
    pub media: Media,
    /// None: the platform's answer lacks the field; Some(None): the course has no such date.
    #[serde(default, deserialize_with = "told")]
    pub certificate_available_date: Option<Option<DateTime<Utc>>>,
}

#[derive(Debug, Default, Deserialize)]
pub struct Media {
    pub image: Option<Image>,
    pub course_video: Option<Uri>,
}

#[derive(Debug, Deserialize)]
pub struct Image {
    pub raw: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct Uri {
    pub uri: Option<String>,
}

/// A mode as the platform sells it. `min_price` is in whole units of the currency.
#[derive(Debug, Deserialize)]
pub struct PlatformMode {
    pub mode_slug: String,
    pub mode_display_name: String,
    pub min_price: i64,
    pub currency: String,
    pub expiration_datetime: Option<DateTime<Utc>>,
    pub description: Option<String>,
    pub sku: Option<String>,
    pub bulk_sku: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct PlatformOutline {
    pub title: String,
    pub published_at: Option<DateTime<Utc>>,
    pub published_version: Option<String>,
    pub entrance_exam_id: Option<String>,
    pub days_early_for_beta: Option<f64>,
    pub self_paced: bool,
    pub outline: OutlineTree,
}

#[derive(Debug, Deserialize)]
pub struct OutlineTree {
    pub sections: Vec<OutlineSection>,
    pub sequences: HashMap<String, Sequence>,
}

#[derive(Debug, Deserialize)]
pub struct OutlineSection {
    pub id: String,
    pub title: String,
    pub sequence_ids: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub struct Sequence {
    pub title: String,
    #[serde(default)]
    pub inaccessible_after_due: bool,
}

#[derive(Debug, Deserialize)]
pub struct Blocks {
    pub root: String,
    pub blocks: HashMap<String, Block>,
}

/// A block of a course's tree. The platform omits fields that it does not know.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Block {
    #[serde(rename = "type")]
    pub kind: String,
    pub display_name: String,
    pub children: Vec<String>,
    /// Seconds.
    pub effort_time: Option<u64>,
    pub hide_from_toc: bool,
    pub visible_to_staff_only: bool,
    pub course_visibility: Option<String>,
    pub max_student_enrollments_allowed: Option<i32>,
    pub is_time_limited: bool,
    pub is_proctored_enabled: bool,
    pub is_practice_exam: bool,
}

fn told<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_that_is_not_told_differs_from_none() {
        let detail = |extra: &str| -> CourseDetail {
            serde_json::from_str(&format!(
                r#"{{"id": "course-v1:A+B+C", "name": "N", "number": "B", "pacing": "self"{extra}}}"#
            ))
            .unwrap()
        };
        assert_eq!(detail("").certificate_available_date, None);
        assert_eq!(detail(r#", "certificate_available_date": null"#).certificate_available_date, Some(None));
    }
}
