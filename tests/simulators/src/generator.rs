//! Generates catalogs of any size in the import format. Writes lines to a sink; uses no clock and no database.

use chrono::{DateTime, SecondsFormat, TimeDelta};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use std::io::{self, Write};

const ADJECTIVES: &str = "applied practical modern essential advanced everyday visual honest quiet rapid \
    careful creative critical digital global inclusive international lasting lean local mindful open \
    personal playful precise reliable rigorous rural simple slow social sound urban useful";
const NOUNS: &str = "analysis answers arguments balance budgets choices clarity companies conflict context \
    contracts conversation craft customers data deadlines debate decisions detail documents doubt drafts \
    energy errors estimates ethics evidence experiments failure feedback fieldwork forecasts foundations \
    games goals growth habits hospitals ideas incidents interviews invention journals judgement kitchens \
    knowledge leadership lectures lessons letters libraries maintenance maps markets materials measurement \
    meetings memory methods models museums negotiation networks numbers patterns planning policy pricing \
    principles prototypes questions records repairs research risk rivers routines safety sampling seasons \
    services skills software sources standards stories surveys techniques templates theory";
const VERBS: &str = "adapt analyse apply argue assess build calculate challenge collect combine compare \
    connect create defend describe design discuss draw edit evaluate examine explain explore find improve \
    investigate judge learn measure organise practise predict present read rebuild review sketch solve";
const AUDIENCES: &str = "beginners nurses teachers engineers managers farmers musicians designers students \
    librarians founders volunteers journalists gardeners parents architects";
const SUBJECTS: &str = "Anatomy Art Biology Botany Climate Dance Drama Ecology Film Finance Geology History \
    Law Logic Music Nursing Optics Physics Poetry Rhetoric Sculpture Statistics Theatre Weaving Zoology";
/// English place names, each made of a beginning and an end: four hundred words that each occur seldom.
const PLACE_BEGINNINGS: &str = "Ash Birch Cold Dray East Fern Glen Hazel Kings Lang Marsh Nether Oak Pen \
    Quarn Ravens Sher Thistle Wolf Yar";
const PLACE_ENDS: &str = "bourne bridge bury by combe cote dale field ford gate ham hurst ley mere minster \
    stead thorpe wade wick worth";

const DAY: i64 = 86_400;
/// 1 January 2024: a fixed origin, so that a seed gives the same bytes on any day.
const EPOCH: i64 = 19_723 * DAY;

/// Each course carries exactly one of these words, so that a search for one finds about one course in four hundred.
pub fn rare_words() -> impl Iterator<Item = String> {
    let ends = || PLACE_ENDS.split_whitespace();
    PLACE_BEGINNINGS.split_whitespace().flat_map(move |begin| ends().map(move |end| format!("{begin}{end}")))
}

/// The key of the course with this number (from 0) in a catalog of this size.
pub fn course_key(courses: u32, number: u32) -> String {
    format!("course-v1:Campus{}+G{number:06}+R1", number % organisation_count(courses))
}

/// Streams a catalog. It holds one record at a time, so `out` should be buffered.
///
/// # Errors
/// `out` cannot be written.
pub fn write_catalog(out: &mut impl Write, courses: u32, seed: u64) -> io::Result<()> {
    let organisations = organisation_count(courses);
    let tags = if courses < 10_000 { 25 } else { 200 };
    let mut make = Generator { rng: StdRng::seed_from_u64(seed), courses, organisations, tags };
    let mut write = |record: Value| {
        serde_json::to_writer(&mut *out, &record)?;
        out.write_all(b"\n")
    };
    (0..organisations).try_for_each(|number| write(make.organisation(number)))?;
    (0..organisations).try_for_each(|number| write(make.policy(number)))?;
    for (base, dollars) in [("USD", 1.0), ("EUR", 1.25), ("INR", 0.0125), ("MYR", 0.25)] {
        for (quote, rate) in [("INR", 80.0), ("NGN", 1460.0), ("BRL", 5.4)] {
            write(json!({"kind": "exchange_rate", "base": base, "quote": quote, "rate": dollars * rate}))?;
        }
    }
    (0..tags).try_for_each(|number| write(json!({"kind": "tag", "name": tag(number)})))?;
    (0..courses).try_for_each(|number| write(make.course(number)))?;
    (0..courses / 50).try_for_each(|number| write(make.program(number)))?;
    (0..4).try_for_each(|number| write(make.banner(number)))
}

fn organisation_count(courses: u32) -> u32 {
    (courses / 5_000).clamp(4, 20)
}

fn gateway_and_currency(organisation: u32) -> (&'static str, &'static str) {
    let kinds = [("stripe", "USD"), ("mollie", "EUR"), ("razorpay", "INR"), ("curlec", "MYR")];
    kinds.into_iter().cycle().nth(organisation as usize).unwrap_or_default()
}

fn tag(number: u32) -> String {
    let subject = SUBJECTS.split_whitespace().cycle().nth(number as usize).unwrap_or_default();
    if number < 25 { subject.to_owned() } else { format!("{subject} {}", number / 25 + 1) }
}

fn stamp(seconds: i64) -> String {
    (DateTime::UNIX_EPOCH + TimeDelta::seconds(EPOCH + seconds)).to_rfc3339_opts(SecondsFormat::Secs, true)
}

struct Generator {
    rng: StdRng,
    courses: u32,
    organisations: u32,
    tags: u32,
}

impl Generator {
    fn id(&mut self) -> String {
        uuid::Builder::from_random_bytes(self.rng.random()).into_uuid().to_string()
    }

    fn one_in(&mut self, times: u32) -> bool {
        self.rng.random_ratio(1, times)
    }

    /// The word at a random position of the text: this avoids splitting the text, and picks long words a little more
    /// often.
    fn word(&mut self, words: &'static str) -> &'static str {
        let place = self.rng.random_range(0..words.len());
        let start = words.get(..place).and_then(|head| head.rfind(char::is_whitespace)).unwrap_or_default();
        words.get(start..).and_then(|tail| tail.split_whitespace().next()).unwrap_or_default()
    }

    fn heading(&mut self, words: &'static str) -> String {
        let mut letters = self.word(words).chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
    }

    fn sentence(&mut self) -> String {
        let (verb, adjective, noun) = (self.heading(VERBS), self.word(ADJECTIVES), self.word(NOUNS));
        match self.rng.random_range(0..3) {
            0 => format!("{verb} {adjective} {noun} with {}.", self.word(NOUNS)),
            1 => format!("{verb} {noun} and {} {}.", self.word(VERBS), self.word(NOUNS)),
            _ => format!("{verb} {noun} the {adjective} way, for {}.", self.word(AUDIENCES)),
        }
    }

    /// Title, short description and overview.
    fn copy(&mut self) -> (String, String, String) {
        let (subject, noun) = (self.word(SUBJECTS), self.heading(NOUNS));
        let mut title = match self.rng.random_range(0..3) {
            0 => format!("{} {subject}: {noun}", self.heading(ADJECTIVES)),
            1 => format!("{subject} for {}: {noun}", self.heading(AUDIENCES)),
            _ => format!("{noun} and {} in {subject}", self.heading(NOUNS)),
        };
        let (mut short, mut lead) = (self.sentence(), self.sentence());
        let place = format!("{}{}", self.word(PLACE_BEGINNINGS), self.word(PLACE_ENDS));
        // Each of the three searched columns carries a third of the rare words.
        match self.rng.random_range(0..3) {
            0 => title.push_str(&format!(" in {place}")),
            1 => short.push_str(&format!(" With visits to {place}.")),
            _ => lead.push_str(&format!(" The running example is {place}.")),
        }
        let overview = format!("<p>{lead}</p><p>{} {}</p>", self.sentence(), self.sentence());
        (title, short, overview)
    }

    fn organisation(&mut self, number: u32) -> Value {
        let (name, (gateway, currency)) = (format!("campus{number}"), gateway_and_currency(number));
        json!({
            "kind": "organisation", "id": self.id(), "short_name": name,
            "name": format!("Campus {number} of {}", self.word(SUBJECTS)), "created_at": stamp(number.into()),
            "registration_url": format!("https://learn.{name}.example/register"), "gateway": gateway,
            "return_url": format!("https://learn.{name}.example/return"), "currency": currency,
        })
    }

    fn policy(&mut self, number: u32) -> Value {
        let countries = [("IN", "INR"), ("NG", "NGN"), ("BR", "BRL")].map(|(country, currency)| {
            let percent_off = f64::from(self.rng.random_range(1_000..6_000)) / 100.0;
            json!({"country": country, "percent_off": percent_off, "display_currency": currency})
        });
        let name = format!("campus{number}");
        json!({"kind": "pricing_policy", "organisation": name, "enabled": true, "countries": countries})
    }

    fn tags(&mut self) -> Vec<String> {
        let first = self.rng.random_range(0..self.tags);
        (0..self.rng.random_range(1..=3)).map(|step| tag((first + step * 7) % self.tags)).collect()
    }

    fn modes(&mut self, currency: &str) -> Vec<Value> {
        let scale = if currency == "INR" { 50 } else { 1 };
        let price = self.rng.random_range(20_u32..300) * 100 * scale - u32::from(self.one_in(3));
        let (first, count) = (usize::from(self.one_in(3)), self.rng.random_range(1..=3));
        let ladder = [("audit", 0), ("verified", price), ("professional", price * 2)];
        let mode = |(slug, minor): (&str, u32)| {
            let (name, major) = (format!("{slug} track"), format!("{}.{:02}", minor / 100, minor % 100));
            json!({"modeSlug": slug, "modeDisplayName": name, "minPrice": major, "currency": currency})
        };
        ladder.into_iter().skip(first).take(count).map(mode).collect()
    }

    fn review(&mut self, created: i64) -> Value {
        json!({
            "id": self.id(), "rating": 5 - self.rng.random_range(0_u32..5).saturating_sub(1),
            "title": self.heading(NOUNS), "comment": self.sentence(), "author_name": self.heading(AUDIENCES),
            "created_at": stamp(created + self.rng.random_range(DAY..10 * DAY)),
        })
    }

    /// The outline and the structure of one course; both name the same blocks.
    fn contents(&mut self, key: &str, title: &str, created: i64) -> (Value, Value) {
        let course = key.trim_start_matches("course-v1:");
        let block = |kind: &str| format!("block-v1:{course}+type@{kind}+block@{kind}");
        let (week, lesson, unit) = (self.heading(NOUNS), self.heading(NOUNS), self.heading(NOUNS));
        let outline = json!({
            "sections": [{"name": week, "usage_key": block("chapter"), "hide_from_toc": false,
                "visible_to_staff_only": false, "subsections": [{"name": lesson, "hide_from_toc": false,
                "usage_key": block("sequential"), "inaccessible_after_due": false,
                "visible_to_staff_only": false, "units": [{"name": unit, "usage_key": block("vertical")}]}]}],
            "total_sections": 1, "total_subsections": 1,
            "course_info": {"course_key": key, "title": title, "published_at": stamp(created),
                "published_version": format!("{:024x}", self.rng.random::<u128>() >> 32), "self_paced": true,
                "days_early_for_beta": null, "entrance_exam_id": null, "course_visibility": "private"},
        });
        let leaf = json!({
            "id": block("video"), "type": "video", "display_name": unit,
            "effort_minutes": self.rng.random_range(10..400),
        });
        let around = |child: Value, (kind, name): (&str, &str)| {
            let id = block(kind);
            json!({"id": id, "type": kind, "display_name": name, "children": [child]})
        };
        let levels = [("vertical", &*unit), ("sequential", &*lesson), ("chapter", &*week), ("course", title)];
        (outline, levels.into_iter().fold(leaf, around))
    }

    fn course(&mut self, number: u32) -> Value {
        let organisation = number % self.organisations;
        let (name, key) = (format!("campus{organisation}"), course_key(self.courses, number));
        let slot = 1_030 * DAY / i64::from(self.courses);
        let created = slot * i64::from(number) + self.rng.random_range(0..slot.max(1));
        // Past, running and future courses lie far apart, so that the mix stays similar as time passes.
        let start = self.rng.random_range(0..1_000) + if self.one_in(10) { 2_400 } else { 0 };
        let end = start + if self.one_in(10) { 30 } else { 2_500 };
        let (title, short, overview) = self.copy();
        let (outline, structure) = self.contents(&key, &title, created);
        let reviews: Vec<Value> = (0..self.rng.random_range(0..=3)).map(|_| self.review(created)).collect();
        json!({
            "kind": "course", "id": self.id(), "organisation": name, "openedx_course_id": key,
            "display_name": title, "short_description": short, "overview": overview,
            "display_image": format!("https://assets.example.org/{name}/{number}.jpg"),
            "number": format!("G{number:06}"), "language": "en", "self_paced": true, "effort": "2 h a week",
            "is_published": !self.one_in(25), "hidden": self.one_in(50), "is_invite_only": self.one_in(30),
            "start": stamp(start * DAY), "end": stamp(end * DAY), "created_at": stamp(created),
            "enrollment_end": self.one_in(2).then(|| stamp((end - 30) * DAY)), "is_new": self.one_in(20),
            "tags": self.tags(), "modes": self.modes(gateway_and_currency(organisation).1),
            "reviews": reviews, "outline": outline, "course_structure": structure,
        })
    }

    fn program(&mut self, number: u32) -> Value {
        let organisation = number % self.organisations;
        let own = (self.courses - organisation).div_ceil(self.organisations);
        let first = self.rng.random_range(0..own);
        let courses: Vec<String> = (0..self.rng.random_range(1..=8).min(own))
            .map(|step| course_key(self.courses, organisation + (first + step) % own * self.organisations))
            .collect();
        let (name, description, about) = self.copy();
        let price = (!self.one_in(10)).then(|| self.rng.random_range(100..2_000));
        json!({
            "kind": "program", "id": self.id(), "organisation": format!("campus{organisation}"), "name": name,
            "description": description, "about": about, "achievements": self.sentence(),
            "duration": self.rng.random_range(2..20), "duration_metric": "weeks", "price": price,
            "currency": price.map(|_| gateway_and_currency(organisation).1), "published": !self.one_in(20),
            "created_at": stamp(DAY * 500 + i64::from(number)), "tags": self.tags(), "courses": courses,
        })
    }

    fn banner(&mut self, number: u32) -> Value {
        json!({
            "kind": "banner", "id": self.id(), "organisation": format!("campus{number}"), "position": 1,
            "title": self.sentence(), "image_url": format!("https://assets.example.org/banner/{number}.jpg"),
            "ends_at": stamp(i64::from(number + 1) * 700 * DAY),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalog(courses: u32, seed: u64) -> String {
        let mut bytes = Vec::new();
        write_catalog(&mut bytes, courses, seed).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_seed_decides_every_byte() {
        assert_eq!(catalog(300, 7), catalog(300, 7));
        assert_ne!(catalog(300, 7), catalog(300, 8));
    }

    #[test]
    fn each_line_is_a_record_and_courses_have_their_announced_keys() {
        let text = catalog(200, 1);
        let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let courses: Vec<Value> = records.filter(|record| record["kind"] == "course").collect();
        let keys = (0..200).map(|number| course_key(200, number));
        assert!(keys.eq(courses.iter().map(|course| course["openedx_course_id"].as_str().unwrap())));
    }

    #[test]
    fn a_rare_word_finds_under_one_course_in_a_hundred() {
        let text = catalog(2_000, 1);
        for word in rare_words().step_by(20) {
            let found = text.lines().filter(|line| line.contains(&word)).count();
            assert!((1..20).contains(&found), "{word} is in {found} courses");
        }
    }
}
