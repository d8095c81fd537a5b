//! A course of the simulated platform: the test's description, and the platform's answers about it.

use serde::Deserialize;
use serde_json::{Value, json};

use super::caller::Caller;

/// A course of the platform, as a test describes it.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Described {
    pub course_id: String,
    name: Option<String>,
    #[serde(default)]
    short_description: String,
    overview: Option<String>,
    #[serde(default)]
    effort: Option<String>,
    start: Option<String>,
    end: Option<String>,
    enrollment_start: Option<String>,
    enrollment_end: Option<String>,
    /// Text shown instead of the start date.
    advertised_start: Option<String>,
    #[serde(default)]
    pub hidden: bool,
    #[serde(default)]
    invitation_only: bool,
    #[serde(default)]
    instructor_paced: bool,
    #[serde(default)]
    pub modes: Vec<Mode>,
    /// Number of sections, with one subsection and one unit each; 0 means that the course has no published content.
    #[serde(default = "two")]
    pub sections: u32,
    /// Number of learners whom the course takes, if the platform shows it.
    capacity: Option<u32>,
    /// Estimated time of each unit, in seconds.
    #[serde(default)]
    effort_time: u64,
    /// The course's details are an invalid answer.
    #[serde(default)]
    pub broken: bool,
}

fn two() -> u32 {
    2
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mode {
    pub slug: String,
    #[serde(default)]
    pub min_price: i64,
    #[serde(default = "dollars")]
    pub currency: String,
    pub expires_at: Option<String>,
    pub sku: Option<String>,
    pub bulk_sku: Option<String>,
}

fn dollars() -> String {
    "usd".into()
}

/// A numbered course, for catalogs of any size.
pub fn numbered(org: &str, number: u32) -> Value {
    json!({"course_id": format!("course-v1:{org}+C{number:05}+2026"), "name": format!("Course {number}"),
        "overview": format!("<p>About course {number}</p>"), "effort_time": 90,
        "modes": [{"slug": "audit"}, {"slug": "verified", "min_price": 49}]})
}

impl Described {
    /// The course's entry in the list.
    pub fn item(&self) -> Value {
        let parts: Vec<&str> = self.course_id.split([':', '+']).collect();
        let part = |at: usize| parts.get(at).copied().unwrap_or_default();
        let name = self.name();
        let image = format!("http://lms.test/asset/{}.jpg", part(2));
        let (start_type, display) = match (&self.advertised_start, &self.start) {
            (Some(text), _) => ("string", Some(text.clone())),
            (None, Some(_)) => ("timestamp", Some("March 1, 2026".to_owned())),
            (None, None) => ("empty", None),
        };
        json!({"blocks_url": "http://lms.test/api/courses/v2/blocks/", "effort": self.effort, "end": self.end,
            "enrollment_start": self.enrollment_start, "enrollment_end": self.enrollment_end, "id": self.course_id,
            "media": {"banner_image": {"uri": "", "uri_absolute": ""}, "course_image": {"uri": "/asset.jpg"},
                "course_video": {"uri": ""}, "image": {"raw": image, "small": image, "large": image}},
            "name": without_tags(&name), "number": part(2), "org": part(1),
            "short_description": self.short_description,
            "start": self.start.as_deref().unwrap_or("2030-01-01T00:00:00Z"), "start_display": display,
            "start_type": start_type, "pacing": if self.instructor_paced { "instructor" } else { "self" },
            "mobile_available": false, "hidden": self.hidden, "invitation_only": self.invitation_only,
            "course_id": self.course_id})
    }

    pub fn detail(&self) -> Value {
        let mut detail = self.item();
        if let Some(detail) = detail.as_object_mut() {
            detail.insert("overview".into(), json!(self.overview));
            // Of the service account itself.
            detail.insert("is_enrolled".into(), json!(false));
        }
        detail
    }

    fn name(&self) -> String {
        let number = self.course_id.split('+').nth(1).unwrap_or_default();
        self.name.clone().unwrap_or_else(|| number.to_owned())
    }

    fn block_key(&self, kind: &str, name: &str) -> String {
        format!("{}+type@{kind}+block@{name}", self.course_id.replacen("course-v1:", "block-v1:", 1))
    }

    pub fn outline(&self, caller: &Caller) -> Value {
        let sequential = |n: u32| self.block_key("sequential", &format!("s{n}"));
        let sections: Vec<Value> = (1..=self.sections)
            .map(|n| {
                json!({"id": self.block_key("chapter", &format!("c{n}")), "title": format!("Week {n}"),
                    "sequence_ids": [sequential(n)], "start": null, "effective_start": null})
            })
            .collect();
        let sequences: serde_json::Map<String, Value> = (1..=self.sections)
            .map(|n| {
                let sequence = json!({"id": sequential(n), "title": format!("Lesson {n}"), "accessible": true,
                    "inaccessible_after_due": false, "start": null, "effective_start": null, "due": null});
                (sequential(n), sequence)
            })
            .collect();
        json!({"course_key": self.course_id, "course_start": self.start, "course_end": self.end, "title": self.name(),
            "published_at": "2026-02-01T10:00:00.123456Z", "published_version": "65bb7c3f0e4b5c2d1a9f0e11",
            "entrance_exam_id": null, "days_early_for_beta": null, "self_paced": !self.instructor_paced,
            "username": caller.0.username, "user_id": caller.0.id, "at_time": "2026-04-04T19:44:31.802434Z",
            "outline": {"sections": sections, "sequences": sequences}})
    }

    pub fn blocks(&self) -> Value {
        let root = self.block_key("course", "course");
        let mut blocks = serde_json::Map::new();
        let mut add = |kind: &str, name: &str, title: &str, effort: u64, children: Vec<String>| -> String {
            let id = self.block_key(kind, name);
            let mut block = json!({"id": id, "block_id": name, "type": kind, "display_name": title,
                "effort_time": effort, "children": children});
            // The platform leaves unknown values out.
            if let Some(block) = block.as_object_mut() {
                block.retain(|_, value| *value != json!(0) && *value != json!([]));
            }
            blocks.insert(id.clone(), block);
            id
        };
        let mut chapters = Vec::new();
        for n in 1..=self.sections {
            let time = self.effort_time;
            let text = add("html", &format!("h{n}"), "Text", time, Vec::new());
            let unit = add("vertical", &format!("v{n}"), &format!("Unit {n}"), time, vec![text]);
            let lesson = add("sequential", &format!("s{n}"), &format!("Lesson {n}"), time, vec![unit]);
            chapters.push(add("chapter", &format!("c{n}"), &format!("Week {n}"), time, vec![lesson]));
        }
        let whole = self.effort_time * u64::from(self.sections);
        add("course", "course", &self.name(), whole, chapters);
        if let (Some(capacity), Some(block)) = (self.capacity, blocks.get_mut(&root)) {
            block["max_student_enrollments_allowed"] = json!(capacity);
        }
        json!({"root": root, "blocks": blocks})
    }
}

/// Names as the platform shows them: without markup, and with single blanks.
fn without_tags(text: &str) -> String {
    let mut shown = String::new();
    for (at, part) in text.split('<').enumerate() {
        let visible = if at == 0 { part } else { part.split_once('>').map_or("", |(_, visible)| visible) };
        shown.push_str(visible);
    }
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}
