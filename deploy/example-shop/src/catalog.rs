//! Pages of the catalog: lists of courses and programs, and a page for each of them.

use std::collections::HashMap;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use minijinja::{Value, context};
use serde_json::Value as Json;

use crate::pages::{fault, render};
use crate::storefront::Storefront;
use crate::visitor::Visitor;
use crate::{App, Shop};

pub type Params = Query<HashMap<String, String>>;

fn serde(value: &Json) -> Value {
    Value::from(minijinja::value::Serde(value))
}

pub async fn list(State(shop): State<App>, visitor: Visitor, params: Params) -> Response {
    listed(&shop, &visitor, &params, "/storeapi/discovery/courses/", "courses").await
}

pub async fn programs(State(shop): State<App>, visitor: Visitor, params: Params) -> Response {
    listed(&shop, &visitor, &params, "/storeapi/discovery/programs/", "programs").await
}

async fn listed(shop: &Shop, visitor: &Visitor, params: &Params, path: &str, what: &str) -> Response {
    let mut storefront = Storefront::new(shop, visitor);
    let asked = |name: &str| params.get(name).cloned().unwrap_or_default();
    let (search, tag, page) = (asked("search"), asked("tag"), asked("page"));
    let query =
        [("limit", "12"), ("search", search.as_str()), ("tags", tag.as_str()), ("page", page.as_str())];
    let answer = storefront.get(path, &query).await;
    if !answer.is_ok() {
        return fault(shop, visitor, &storefront, &answer);
    }
    let tags = storefront
        .get("/storeapi/discovery/tags/", &[("include_courses", "false"), ("include_programs", "false")])
        .await;
    let values = context! {
        title => if what == "courses" { "Courses" } else { "Programs" },
        what, search, tag,
        page => answer.body["page"].as_i64(),
        has_more => answer.body["has_more"].as_bool(),
        total => answer.body["total_count"].as_i64(),
        items => serde(&answer.body[what]),
        tags => serde(&tags.body["tags"]),
    };
    render(shop, visitor, &storefront, ("list.html", None), values)
}

pub async fn course(State(shop): State<App>, visitor: Visitor, Path(key): Path<String>) -> Response {
    let mut storefront = Storefront::new(&shop, &visitor);
    let key: String = url::form_urlencoded::byte_serialize(key.as_bytes()).collect();
    let answer =
        storefront.get(&format!("/storeapi/discovery/course/{key}/"), &[("fields", "summary")]).await;
    if !answer.is_ok() {
        return fault(&shop, &visitor, &storefront, &answer);
    }
    let course = &answer.body;
    let values = context! {
        title => course["display_name"].as_str(), kind => "course", item => serde(course),
        modes => serde(&course["available_course_modes"]), reviews => serde(&course["reviews"]),
    };
    render(&shop, &visitor, &storefront, ("item.html", None), values)
}

pub async fn program(State(shop): State<App>, visitor: Visitor, Path(id): Path<String>) -> Response {
    let mut storefront = Storefront::new(&shop, &visitor);
    let answer = storefront.get(&format!("/storeapi/discovery/program/{id}/"), &[]).await;
    if !answer.is_ok() {
        return fault(&shop, &visitor, &storefront, &answer);
    }
    let program = &answer.body["programs"][0];
    let values = context! {
        title => program["name"].as_str(), kind => "program", item => serde(program),
        courses => serde(&answer.body["program_courses"]), reviews => serde(&answer.body["reviews"]),
    };
    render(&shop, &visitor, &storefront, ("item.html", None), values)
}
