//! One course as the platform describes it, in our types. Pure: no I/O, and no data that the operator owns.

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use shared::course_mode::CourseMode;
use shared::ids::CourseKey;
use shared::money::Currency;

use super::contents;
use crate::catalog::outline::{Node, Outline};
use crate::platform::{Blocks, CourseDetail, PlatformMode, PlatformOutline};

/// A text is None if the platform has none.
#[derive(Debug)]
pub struct Facts {
    pub name: String,
    pub number: String,
    pub short_description: Option<String>,
    pub overview: Option<String>,
    pub image: Option<String>,
    pub video: Option<String>,
    pub effort: Option<String>,
    pub self_paced: bool,
    pub hidden: bool,
    pub invite_only: bool,
    pub start: Option<DateTime<Utc>>,
    pub start_display: Option<String>,
    pub end: Option<DateTime<Utc>>,
    pub enrollment_start: Option<DateTime<Utc>>,
    pub enrollment_end: Option<DateTime<Utc>>,
    /// None: the platform's answer does not have the field.
    pub certificate_available_date: Option<Option<DateTime<Utc>>>,
    pub modes: Vec<ModeFacts>,
    pub outline: Option<Outline>,
    pub structure: Option<Node>,
    /// None: the platform has no limit, or does not show it.
    pub capacity: Option<i32>,
    /// None: the platform has no content for the course.
    pub minutes: Option<u32>,
    /// Values that the sync ignored, and why.
    pub notes: Vec<String>,
}

#[derive(Debug)]
pub struct ModeFacts {
    pub slug: CourseMode,
    pub name: String,
    pub price: Decimal,
    /// None: the platform lists no mode, and this one is free in any currency.
    pub currency: Option<Currency>,
    pub expires: Option<DateTime<Utc>>,
    pub description: Option<String>,
    pub sku: Option<String>,
    pub bulk_sku: Option<String>,
}

/// The platform's answers about one course.
pub struct Answers {
    pub detail: CourseDetail,
    pub modes: Vec<PlatformMode>,
    pub outline: Option<PlatformOutline>,
    pub blocks: Option<Blocks>,
}

impl Facts {
    /// Converts the answers.
    ///
    /// # Errors
    /// The answers are about another course, or contradict each other.
    pub fn new(key: &CourseKey, answers: Answers) -> Result<Self, String> {
        let Answers { detail, modes, outline, blocks } = answers;
        if detail.id != key.as_str() {
            return Err(format!("the platform answered with {}", detail.id));
        }
        let mut notes = Vec::new();
        let modes = read_modes(modes, &mut notes);
        if outline.is_none() || blocks.is_none() {
            notes.push(
                "the platform has no published content for it; the catalog's content is kept".to_owned(),
            );
        }
        let structure = blocks.as_ref().map(contents::structure).transpose()?;
        let minutes = blocks.as_ref().map(contents::total_minutes);
        let capacity = blocks.as_ref().and_then(contents::capacity);
        let outline = outline.map(|told| contents::outline(key, told, blocks.as_ref()));
        // For a course without a start the platform stores a date far in the future; only `start_type` shows that.
        let dated = detail.start_type.as_deref() != Some("empty");
        let advertised = detail.start_type.as_deref() == Some("string");
        Ok(Self {
            name: detail.name.replace("&lt;", "<").replace("&gt;", ">"),
            number: detail.number,
            short_description: filled(detail.short_description),
            overview: filled(detail.overview),
            image: filled(detail.media.image.and_then(|image| image.raw)),
            video: filled(detail.media.course_video.and_then(|video| video.uri)),
            effort: filled(detail.effort),
            self_paced: detail.pacing == "self",
            hidden: detail.hidden,
            invite_only: detail.invitation_only,
            start: detail.start.filter(|_| dated),
            start_display: filled(detail.start_display).filter(|_| advertised),
            end: detail.end,
            enrollment_start: detail.enrollment_start,
            enrollment_end: detail.enrollment_end,
            certificate_available_date: detail.certificate_available_date,
            modes,
            outline,
            structure,
            capacity,
            minutes,
            notes,
        })
    }
}

fn filled(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

/// A course without any mode gets `audit`, as in the platform's enrollment API.
fn read_modes(told: Vec<PlatformMode>, notes: &mut Vec<String>) -> Vec<ModeFacts> {
    if told.is_empty() {
        let (slug, name) = (CourseMode::Audit, "Audit".to_owned());
        let (price, currency) = (Decimal::ZERO, None);
        return vec![ModeFacts {
            slug,
            name,
            price,
            currency,
            expires: None,
            description: None,
            sku: None,
            bulk_sku: None,
        }];
    }
    let mut modes: Vec<ModeFacts> = Vec::new();
    for mode in told {
        let slug = mode.mode_slug.clone();
        match read_mode(mode) {
            Ok(mode) if modes.iter().any(|earlier| earlier.slug == mode.slug) => {
                notes.push(format!("mode {slug} appears twice; the second one is skipped"));
            }
            Ok(mode) => modes.push(mode),
            Err(reason) => notes.push(format!("mode {slug} is skipped: {reason}")),
        }
    }
    modes
}

fn read_mode(mode: PlatformMode) -> Result<ModeFacts, String> {
    let slug = mode.mode_slug.parse().map_err(|_| "the catalog does not support this mode")?;
    if mode.min_price < 0 {
        return Err(format!("its price is {}", mode.min_price));
    }
    let currency = Currency::read(&mode.currency);
    let currency = currency.map_err(|_| format!("unknown currency {:?}", mode.currency))?;
    currency.check().map_err(|error| format!("currency {} {error}", currency.code()))?;
    Ok(ModeFacts {
        slug,
        name: filled(Some(mode.mode_display_name)).unwrap_or(mode.mode_slug),
        price: Decimal::from(mode.min_price),
        currency: Some(currency),
        expires: mode.expiration_datetime,
        description: filled(mode.description),
        sku: filled(mode.sku),
        bulk_sku: filled(mode.bulk_sku),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn facts(changed: Value, modes: Value) -> Result<Facts, String> {
        let mut detail = json!({"id": "course-v1:A+B+C", "name": "R&amp;D &lt;1&gt;", "number": "B", "pacing": "self",
            "start": "2030-01-01T00:00:00Z", "start_type": "empty", "start_display": null, "overview": null,
            "short_description": "", "media": {"image": {"raw": ""}, "course_video": {"uri": null}}});
        detail.as_object_mut().unwrap().extend(changed.as_object().unwrap().clone());
        let detail = serde_json::from_value(detail).unwrap();
        let modes = serde_json::from_value(modes).unwrap();
        Facts::new(
            &"course-v1:A+B+C".parse().unwrap(),
            Answers { detail, modes, outline: None, blocks: None },
        )
    }

    #[test]
    fn a_name_is_unescaped_as_far_as_a_platform_escapes_and_an_unset_start_is_none() {
        let facts = facts(json!({}), json!([])).unwrap();
        assert_eq!(facts.name, "R&amp;D <1>");
        assert_eq!((facts.start, facts.short_description, facts.image), (None, None, None));
        let [audit] = &facts.modes[..] else { panic!("{:?}", facts.modes) };
        assert_eq!((audit.slug, audit.price, audit.currency), (CourseMode::Audit, Decimal::ZERO, None));
    }

    #[test]
    fn only_an_advertised_start_is_taken_as_text() {
        let timestamp = json!({"start_type": "timestamp", "start_display": "Jan. 1, 2030"});
        assert_eq!(facts(timestamp, json!([])).unwrap().start_display, None);
        let text = json!({"start_type": "string", "start_display": "Spring 2030"});
        assert_eq!(facts(text, json!([])).unwrap().start_display.as_deref(), Some("Spring 2030"));
    }

    #[test]
    fn modes_that_cannot_be_sold_are_left_out_with_a_note() {
        let mode = |slug: &str, currency: &str| json!({"mode_slug": slug, "mode_display_name": "M", "min_price": 49, "currency": currency});
        let modes = json!([
            mode("verified", "usd"),
            mode("own-mode", "usd"),
            mode("credit", "xyz"),
            mode("verified", "eur")
        ]);
        let facts = facts(json!({}), modes).unwrap();
        assert_eq!(facts.modes.len(), 1);
        assert_eq!(facts.modes[0].currency.unwrap().code(), "USD");
        assert_eq!(facts.notes.len(), 4, "{:?}", facts.notes);
    }

    #[test]
    fn an_answer_about_another_course_is_refused() {
        assert!(facts(json!({"id": "course-v1:A+B+D"}), json!([])).is_err());
    }
}
