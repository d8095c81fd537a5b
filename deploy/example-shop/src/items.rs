//! Courses and programs as cards: what the API answers in several shapes, in one.

use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;
use serde_json::Value as Json;

use crate::brand::{Brand, Brands};
use crate::cover::cover;
use crate::storefront::word;

/// What a card shows of a course or a program.
#[derive(Debug, Serialize)]
pub struct Item {
    pub id: String,
    pub name: String,
    pub href: String,
    /// The cover, as SVG of our own.
    #[serde(skip)]
    pub cover: String,
    /// A picture, which lies on the cover and hides it once it is loaded.
    pub image: Option<String>,
    pub text: String,
    /// The organisation's name.
    pub by: String,
    pub logo: Option<String>,
    pub language: Option<String>,
    pub rating: Option<f64>,
    pub reviews: Option<i64>,
    pub courses_count: Option<usize>,
    pub is_new: bool,
}

impl Item {
    /// A course: of a list, of a program, or by itself.
    pub fn course(course: &Json, brands: &Brands) -> Self {
        let organisation = either(&course["org"], &course["organisation"]);
        let (name, key) = (word(&course["display_name"]), word(&course["openedx_course_id"]));
        Self {
            id: word(&course["id"]),
            href: format!("/course/{key}"),
            cover: cover(&name, brands.colour(&organisation)),
            name,
            image: picture(either_of(&course["display_image"], &course["course_image_url"])),
            text: word(&course["short_description"]),
            by: brands.find(&organisation).map_or(organisation, |brand| brand.name.clone()),
            logo: picture(either_of(&course["org_logo_url"], &course["organisation_logo_url"])),
            language: course["language"].as_str().map(str::to_owned),
            rating: course["avg_rating"].as_f64(),
            reviews: course["review_count"].as_i64(),
            courses_count: None,
            is_new: course["is_new"] == true,
        }
    }

    /// A program: of a list, or by itself.
    pub fn program(program: &Json, brands: &Brands) -> Self {
        let (id, name) = (word(&program["id"]), word(&program["name"]));
        let by = word(&program["organisation"]["name"]);
        Self {
            href: format!("/program/{id}"),
            id,
            cover: cover(&name, brands.colour(&by)),
            name,
            image: picture(&program["image"]),
            text: word(&program["description"]),
            logo: picture(&program["organisation"]["logo_url"]),
            by,
            language: None,
            rating: program["avg_rating"].as_f64(),
            reviews: None,
            courses_count: program["courses"].as_array().map(Vec::len),
            is_new: false,
        }
    }

    /// A line of a basket or an order.
    pub fn line(line: &Json, brand: Option<&Brand>) -> Self {
        let name = word(&line["name"]);
        let colour = brand.map(|brand| brand.colour).unwrap_or_default();
        Self {
            id: word(&line["id"]),
            href: String::new(),
            cover: cover(&name, colour),
            name,
            image: None,
            text: String::new(),
            by: String::new(),
            logo: None,
            language: None,
            rating: None,
            reviews: None,
            courses_count: None,
            is_new: false,
        }
    }

    /// The value for a template, with the prices and whatever else the API says of it.
    pub fn shown(&self, answer: &Json) -> Value {
        let own = Value::from(Serde(self));
        let cover = Value::from_safe_string(self.cover.clone());
        context! { cover, ..context! { ..own, ..Value::from(Serde(answer)) } }
    }
}

/// The first text that is not empty.
fn either(one: &Json, other: &Json) -> String {
    word(either_of(one, other))
}

fn either_of<'a>(one: &'a Json, other: &'a Json) -> &'a Json {
    if one.is_string() { one } else { other }
}

/// The address of a picture, if it is one that a page may load.
fn picture(address: &Json) -> Option<String> {
    address
        .as_str()
        .filter(|address| ["https://", "http://", "/"].iter().any(|start| address.starts_with(start)))
        .map(str::to_owned)
}
