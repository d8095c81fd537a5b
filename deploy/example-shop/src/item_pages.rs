//! The pages of a course and of a program: what it is, what it costs, and the form that adds it to the basket.

use axum::Form;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use uuid::Uuid;

use crate::App;
use crate::brand::Brands;
use crate::items::Item;
use crate::limits::Attempt;
use crate::overview::blocks;
use crate::pages::{Page, fault, refused, render, serde};
use crate::receipt::{certified, saving};
use crate::storefront::Storefront;
use crate::visitor::Visitor;

const WAITING_LIST: &str = "/storeapi/discovery/waiting-list/";

/// What a redirect says to the page of a course.
#[derive(Default, Deserialize)]
pub struct Shown {
    /// Status of a request for a place on the waiting list that was just sent; empty without one.
    #[serde(default)]
    waiting: String,
}

pub async fn course(
    State(shop): State<App>,
    visitor: Visitor,
    Path(key): Path<String>,
    Query(shown): Query<Shown>,
) -> Response {
    let storefront = Storefront::new(&shop, &visitor);
    let key: String = url::form_urlencoded::byte_serialize(key.as_bytes()).collect();
    let (path, outline) =
        (format!("/storeapi/discovery/course/{key}/"), format!("/storeapi/discovery/course-outline/{key}/"));
    let (answer, outline, brands) = tokio::join!(
        storefront.get(&path, &[("fields", "summary")]),
        storefront.get(&outline, &[]),
        Brands::read(&storefront),
    );
    if !answer.is_ok() {
        return fault(&shop, &visitor, &storefront, &answer);
    }
    let course = &answer.body;
    let item = Item::course(course, &brands);
    let about = Value::from(Serde(blocks(course["overview"].as_str().unwrap_or_default())));
    let modes = course["available_course_modes"].as_array();
    let is = |test: fn(&Json) -> bool| modes.is_some_and(|modes| modes.iter().any(test));
    let sections: Vec<&Json> =
        outline.body["sections"].as_array().into_iter().flatten().filter(is_open).collect();
    let lessons: usize =
        sections.iter().filter_map(|section| section["subsections"].as_array()).map(Vec::len).sum();
    let is_future = course["start"].as_str().is_some_and(|start| start > now().as_str());
    let invited = course["is_invite_only"] == true;
    let values = context! {
        course => context! { about, is_future, rating => item.rating, ..item.shown(course) },
        is_full => course["places_left"] == 0,
        is_signed_in => visitor.session.is_some(),
        waiting => shown.waiting,
        modes => (!invited).then(|| serde(&course["available_course_modes"])), invited,
        is_sold => is(|mode| mode["price"].as_f64().is_some_and(|price| price > 0.0)),
        has_certificate => is(|mode| mode["hasCertificate"] == true),
        outline => Value::from(Serde(&sections)), lessons, reviews => serde(&course["reviews"]),
    };
    let brand = brands.colour(course["organisation"].as_str().unwrap_or_default());
    render(&shop, &visitor, &storefront, Page::of("course.html").brand(brand).holds_a_form(), values)
}

/// The form of a course that is full.
#[derive(Deserialize)]
pub struct Wish {
    key: String,
    course_id: String,
    /// Empty of a learner.
    #[serde(default)]
    email: String,
}

/// Puts a guest's address, or the signed-in learner, on the waiting list of a course.
pub async fn wait(State(shop): State<App>, visitor: Visitor, Form(wish): Form<Wish>) -> Response {
    if !shop.limits.take(Attempt::Change, visitor.peer.address) {
        return refused(&shop, &visitor);
    }
    let storefront = Storefront::new(&shop, &visitor);
    let mut body = json!({ "course_id": wish.course_id, "language": visitor.language.to_string() });
    let once = Uuid::new_v4().to_string();
    let answer = if wish.email.is_empty() {
        storefront.post_own(WAITING_LIST, &body, &once).await
    } else {
        body["email"] = json!(wish.email);
        storefront.post(WAITING_LIST, &body, &once).await
    };
    if !answer.is_ok() {
        return fault(&shop, &visitor, &storefront, &answer);
    }
    let key: String = url::form_urlencoded::byte_serialize(wish.key.as_bytes()).collect();
    let status = answer.body["status"].as_str().unwrap_or_default();
    Redirect::to(&format!("/course/{key}?waiting={status}")).into_response()
}

fn is_open(section: &&Json) -> bool {
    section["hide_from_toc"] != true && section["visible_to_staff_only"] != true
}

/// The time, as the API writes times: such texts compare as times do.
#[expect(clippy::disallowed_methods, reason = "a shop has no clock of its own")]
fn now() -> String {
    chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}

pub async fn program(State(shop): State<App>, visitor: Visitor, Path(id): Path<String>) -> Response {
    let storefront = Storefront::new(&shop, &visitor);
    let path = format!("/storeapi/discovery/program/{id}/");
    let (answer, brands) = tokio::join!(storefront.get(&path, &[]), Brands::read(&storefront));
    if !answer.is_ok() {
        return fault(&shop, &visitor, &storefront, &answer);
    }
    let program = &answer.body["programs"][0];
    let none = Vec::new();
    let courses = answer.body["program_courses"].as_array().unwrap_or(&none);
    let parts: Vec<Value> = courses
        .iter()
        .map(|course| {
            let alone = certified(course, &program["currency"]);
            context! { alone, currency => program["currency"].as_str(), ..Item::course(course, &brands).shown(course) }
        })
        .collect();
    let (alone, saved) = saving(program, courses).unzip();
    let about = Value::from(Serde(blocks(program["about"].as_str().unwrap_or_default())));
    let values = context! {
        program => context! { about, rating => answer.body["avg_rating"].as_f64(), ..Item::program(program, &brands).shown(program) },
        courses => parts, alone, saved, reviews => serde(&answer.body["reviews"]),
    };
    let brand = brands.colour(program["organisation"]["name"].as_str().unwrap_or_default());
    render(&shop, &visitor, &storefront, Page::of("program.html").brand(brand).holds_a_form(), values)
}
