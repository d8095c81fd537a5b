//! Merges the platform's data into a catalog record without changing what the operator owns, and compares records.
//! Pure.

use std::slice;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use shared::dated_price::DatedPrice;
use shared::ids::CourseKey;
use shared::money::{Currency, Money};
use shared::sku::Sku;
use uuid::Uuid;

use super::facts::{Facts, ModeFacts};
use crate::catalog::record::{Course, Mode};

/// The operator's settings for the courses of one organisation.
pub struct Terms {
    /// Our short name.
    pub organisation: String,
    pub currency: Currency,
    pub own_prices: bool,
    /// Indicates whether modes without a sku get the storefront's own.
    pub skus: bool,
}

/// A field that changes. For long content the values are left null.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    pub field: String,
    pub from: Value,
    pub to: Value,
}

const LONG_FIELDS: [&str; 3] = ["overview", "outline", "course_structure"];

/// A course that is new to the catalog. Fields without a value from the platform are empty until the operator fills
/// them.
pub fn create(key: &CourseKey, facts: &Facts, terms: &Terms, publish: bool, now: DateTime<Utc>) -> Course {
    let mut course = Course {
        id: Uuid::now_v7(),
        organisation: terms.organisation.clone(),
        openedx_course_id: key.clone(),
        display_name: String::new(),
        short_description: String::new(),
        overview: String::new(),
        display_image: None,
        course_video_url: None,
        number: String::new(),
        language: None,
        self_paced: facts.self_paced,
        effort: None,
        is_published: publish,
        hidden: facts.hidden,
        is_invite_only: facts.invite_only,
        is_new: false,
        start: None,
        end: None,
        start_display: None,
        enrollment_start: None,
        enrollment_end: None,
        certificate_available_date: None,
        has_any_active_web_certificate: false,
        link_to_course: None,
        created_at: now,
        tags: Vec::new(),
        modes: Vec::new(),
        reviews: Vec::new(),
        outline: None,
        course_structure: None,
        capacity: None,
        service_code: None,
        total_minutes: None,
    };
    update(&mut course, facts, terms);
    course
}

/// Updates a course with the platform's facts. Keeps our text or content where the platform has none.
pub fn update(course: &mut Course, facts: &Facts, terms: &Terms) {
    course.display_name.clone_from(&facts.name);
    course.number.clone_from(&facts.number);
    course.self_paced = facts.self_paced;
    course.is_invite_only = facts.invite_only;
    course.start = facts.start;
    course.end = facts.end;
    course.start_display.clone_from(&facts.start_display);
    course.enrollment_start = facts.enrollment_start;
    course.enrollment_end = facts.enrollment_end;
    if let Some(date) = facts.certificate_available_date {
        course.certificate_available_date = date;
    }
    if let Some(text) = &facts.short_description {
        course.short_description.clone_from(text);
    }
    if let Some(text) = &facts.overview {
        course.overview.clone_from(text);
    }
    keep_or_take(&mut course.display_image, &facts.image);
    keep_or_take(&mut course.course_video_url, &facts.video);
    keep_or_take(&mut course.effort, &facts.effort);
    keep_or_take(&mut course.capacity, &facts.capacity);
    keep_or_take(&mut course.outline, &facts.outline);
    keep_or_take(&mut course.course_structure, &facts.structure);
    course.total_minutes = facts.minutes.or(course.total_minutes);
    course.shorten();
    let ours = std::mem::take(&mut course.modes);
    course.modes = facts.modes.iter().map(|told| mode(told, &ours, terms)).collect();
    if terms.skus {
        for (mode, told) in course.modes.iter_mut().zip(&facts.modes) {
            mode.sku = mode.sku.take().or_else(|| sku_to_write(course.id, told));
        }
    }
}

fn keep_or_take<T: Clone>(ours: &mut Option<T>, told: &Option<T>) {
    if told.is_some() {
        ours.clone_from(told);
    }
}

/// The platform decides which modes exist. If the operator sets the prices, a known mode keeps its price, and a new
/// mode is invisible until the operator prices it.
fn mode(told: &ModeFacts, ours: &[Mode], terms: &Terms) -> Mode {
    let known = ours.iter().find(|mode| mode.mode_slug == told.slug);
    let platform_price = (told.price, told.currency.unwrap_or(terms.currency));
    let own_price = known.filter(|_| terms.own_prices).map(|mode| (mode.min_price, mode.currency));
    let (min_price, currency) = own_price.unwrap_or(platform_price);
    // One that does not reduce the platform's new price is no offer any more.
    let full = Money::from_major(min_price, currency);
    let reduces = |dated: &&DatedPrice| {
        full.as_ref().is_ok_and(|full| DatedPrice::check_all(slice::from_ref(*dated), *full).is_ok())
    };
    Mode {
        mode_slug: told.slug,
        mode_display_name: told.name.clone(),
        min_price,
        currency,
        expiration_datetime: told.expires,
        visible: known.map_or(!terms.own_prices, |mode| mode.visible),
        description: told.description.clone().or_else(|| known?.description.clone()),
        upsellable_course_modes: known.map(|mode| mode.upsellable_course_modes.clone()).unwrap_or_default(),
        sku: told.sku.clone(),
        bulk_sku: told.bulk_sku.clone(),
        dated_prices: known.iter().flat_map(|mode| &mode.dated_prices).filter(reduces).cloned().collect(),
        access_days: known.and_then(|mode| mode.access_days),
        access_until: known.and_then(|mode| mode.access_until),
    }
}

/// The sku that a sync writes for a mode of the platform; None if it has one already, which an operator may have chosen.
pub fn sku_to_write(course_id: Uuid, told: &ModeFacts) -> Option<String> {
    let is_free_to_take = told.currency.is_some() && told.sku.is_none();
    is_free_to_take.then(|| Sku { course_id, mode: told.slug, is_for_seats: false }.to_string())
}

/// The fields in which two records of a course differ.
pub fn differences(before: &Value, after: &Value) -> Vec<Difference> {
    let (Some(before), Some(after)) = (before.as_object(), after.as_object()) else { return Vec::new() };
    let mut fields: Vec<&String> = before.keys().chain(after.keys()).collect();
    fields.sort_unstable();
    fields.dedup();
    let value =
        |record: &serde_json::Map<String, Value>, field: &str| record.get(field).cloned().unwrap_or_default();
    let changed = fields.into_iter().filter(|field| before.get(*field) != after.get(*field));
    changed
        .map(|field| match LONG_FIELDS.contains(&field.as_str()) {
            true => Difference { field: field.clone(), from: Value::Null, to: Value::Null },
            false => Difference { field: field.clone(), from: value(before, field), to: value(after, field) },
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalog::record::Record;

    fn terms(own_prices: bool) -> Terms {
        Terms { organisation: "acme".into(), currency: "EUR".parse().unwrap(), own_prices, skus: false }
    }

    fn facts(modes: Value) -> Facts {
        let key = "course-v1:A+B+C".parse().unwrap();
        let detail = json!({"id": "course-v1:A+B+C", "name": "New name", "number": "B", "pacing": "instructor",
            "invitation_only": true, "hidden": true});
        let answers = super::super::facts::Answers {
            detail: serde_json::from_value(detail).unwrap(),
            modes: serde_json::from_value(modes).unwrap(),
            outline: None,
            blocks: None,
        };
        Facts::new(&key, answers).unwrap()
    }

    fn verified(price: i64) -> Value {
        json!([{"mode_slug": "verified", "mode_display_name": "Verified", "min_price": price, "currency": "usd"}])
    }

    /// A course as an operator has edited it.
    fn described() -> Course {
        let line = json!({"kind": "course", "id": "00000000-0000-4000-8000-000000000001", "organisation": "own-org",
            "openedx_course_id": "course-v1:A+B+C", "display_name": "Old name", "short_description": "ours",
            "overview": "<p>ours</p>", "number": "B", "language": "de", "self_paced": true, "is_published": false,
            "hidden": false, "is_new": true, "created_at": "2025-01-01T00:00:00Z", "tags": ["t"], "modes": [
                {"modeSlug": "verified", "modeDisplayName": "V", "minPrice": 10, "currency": "EUR", "visible": false,
                 "upsellableCourseModes": ["professional"]},
                {"modeSlug": "honor", "modeDisplayName": "H", "minPrice": 0, "currency": "EUR"}]});
        match Record::read(&line.to_string()).unwrap() {
            Record::Course(course) => *course,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_the_operator_owns_stays_and_what_the_platform_owns_follows() {
        let mut course = described();
        let before = serde_json::to_value(&course).unwrap();
        update(&mut course, &facts(verified(49)), &terms(false));
        let after = serde_json::to_value(&course).unwrap();
        let changed: Vec<String> =
            differences(&before, &after).into_iter().map(|difference| difference.field).collect();
        assert_eq!(changed, ["display_name", "is_invite_only", "modes", "self_paced"]);
        let mode = &after["modes"][0];
        assert_eq!((&mode["minPrice"], &mode["currency"]), (&json!(49), &json!("USD")));
        assert_eq!(
            (&mode["visible"], &mode["upsellableCourseModes"]),
            (&json!(false), &json!(["professional"]))
        );
        assert_eq!(after["modes"].as_array().unwrap().len(), 1, "the platform has no honor mode");
    }

    #[test]
    fn own_prices_stay_and_a_new_mode_waits_for_one() {
        let mut course = described();
        update(&mut course, &facts(verified(49)), &terms(true));
        assert_eq!((course.modes[0].min_price, course.modes[0].currency.code()), (10.into(), "EUR"));
        let key = "course-v1:A+B+C".parse().unwrap();
        let created = create(&key, &facts(verified(49)), &terms(true), true, described().created_at);
        assert!(!created.modes[0].visible);
        assert!(created.is_published && created.hidden);
    }

    #[test]
    fn a_course_without_modes_is_free_in_the_currency_of_its_organisation() {
        let key = "course-v1:A+B+C".parse().unwrap();
        let created = create(&key, &facts(json!([])), &terms(false), true, described().created_at);
        assert_eq!(created.modes[0].currency.code(), "EUR");
        assert!(created.modes[0].visible);
    }
}
