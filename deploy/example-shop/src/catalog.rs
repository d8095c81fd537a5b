//! Lists of courses and programs, with filters and their counts. The first page of all courses is the start page.

use std::collections::HashMap;

use axum::extract::{Query, State};
use axum::response::Response;
use futures_util::future::{join, join_all};
use minijinja::{Value, context};
use serde_json::Value as Json;
use url::form_urlencoded;

use crate::brand::Brands;
use crate::cover::art;
use crate::items::Item;
use crate::pages::{Page, fault, render};
use crate::storefront::{Storefront, word};
use crate::visitor::Visitor;
use crate::{App, Shop};

pub type Params = Query<HashMap<String, String>>;

/// Orders of a list, with the API's names for them.
const SORTS: [(&str, &str); 4] = [
    ("rating", "avg_rating.desc"),
    ("new", "created_at.desc"),
    ("price", "price.asc"),
    ("name", "display_name.asc"),
];

/// The most topics that are counted: each count is a call, which the API answers from its cache.
const COUNTED: usize = 40;

/// The kinds of items that have lists.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Courses,
    Programs,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Courses => "courses",
            Self::Programs => "programs",
        }
    }

    fn path(self) -> &'static str {
        match self {
            Self::Courses => "/storeapi/discovery/courses/",
            Self::Programs => "/storeapi/discovery/programs/",
        }
    }

    fn home(self) -> &'static str {
        match self {
            Self::Courses => "/",
            Self::Programs => "/programs",
        }
    }

    fn item(self, item: &Json, brands: &Brands) -> Value {
        match self {
            Self::Courses => Item::course(item, brands).shown(item),
            Self::Programs => Item::program(item, brands).shown(item),
        }
    }
}

/// What the visitor has chosen.
#[derive(Clone, Default)]
struct Wanted {
    search: String,
    tag: String,
    org: String,
    sort: String,
    page: i64,
}

impl Wanted {
    fn read(params: &HashMap<String, String>) -> Self {
        let given = |name: &str| params.get(name).map(|text| text.trim().to_owned()).unwrap_or_default();
        let page = given("page").parse().unwrap_or(1).max(1);
        Self { search: given("search"), tag: given("tag"), org: given("org"), sort: given("sort"), page }
    }

    fn is_all(&self) -> bool {
        self.page == 1 && [&self.search, &self.tag, &self.org, &self.sort].iter().all(|text| text.is_empty())
    }

    fn pairs(&self) -> Vec<(&'static str, String)> {
        let page = if self.page > 1 { self.page.to_string() } else { String::new() };
        let pairs = [
            ("search", self.search.clone()),
            ("tag", self.tag.clone()),
            ("org", self.org.clone()),
            ("sort", self.sort.clone()),
            ("page", page),
        ];
        pairs.into_iter().filter(|(_, value)| !value.is_empty()).collect()
    }

    /// The address of the list with these choices.
    fn href(&self, kind: Kind) -> String {
        let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(self.pairs()).finish();
        match query.is_empty() {
            true => kind.home().to_owned(),
            false => format!("{}?{query}", kind.home()),
        }
    }

    /// The fields that a form has to send beside its own.
    fn kept(&self, without: &[&str]) -> Vec<(&'static str, String)> {
        self.pairs().into_iter().filter(|(name, _)| *name != "page" && !without.contains(name)).collect()
    }

    fn order(&self) -> (&'static str, &'static str) {
        SORTS.into_iter().find(|(name, _)| *name == self.sort).unwrap_or(SORTS[0])
    }
}

pub async fn courses(State(shop): State<App>, visitor: Visitor, params: Params) -> Response {
    list(&shop, &visitor, Kind::Courses, Wanted::read(&params)).await
}

pub async fn programs(State(shop): State<App>, visitor: Visitor, params: Params) -> Response {
    list(&shop, &visitor, Kind::Programs, Wanted::read(&params)).await
}

async fn list(shop: &Shop, visitor: &Visitor, kind: Kind, wanted: Wanted) -> Response {
    let storefront = Storefront::new(shop, visitor);
    let page = wanted.page.to_string();
    let query = [
        ("limit", "12"),
        ("fields", "full"),
        ("search", &*wanted.search),
        ("tags", &*wanted.tag),
        ("org", &*wanted.org),
        ("order_by", wanted.order().1),
        ("page", &*page),
    ];
    // A list of programs is full already.
    let query: Vec<(&str, &str)> =
        query.into_iter().filter(|(name, _)| kind == Kind::Courses || *name != "fields").collect();
    let tags = [("include_courses", "false"), ("include_programs", "false")];
    let (answer, brands, tags) = tokio::join!(
        storefront.get(kind.path(), &query),
        Brands::read(&storefront),
        storefront.get("/storeapi/discovery/tags/", &tags),
    );
    if !answer.is_ok() {
        return fault(shop, visitor, &storefront, &answer);
    }
    let is_start = kind == Kind::Courses && wanted.is_all();
    let programs = match is_start {
        true => storefront.get(Kind::Programs.path(), &[("limit", "3")]).await.body,
        false => Json::Null,
    };
    let (organisations, topics) = join(
        organisations(&storefront, &brands, kind, &wanted),
        topics(&storefront, &tags.body["tags"], kind, &wanted),
    )
    .await;
    let filters = [organisations, topics];
    let neighbour = |step: i64| Wanted { page: wanted.page + step, ..wanted.clone() }.href(kind);
    let of = |kind: Kind, body: &Json| -> Vec<Value> {
        body[kind.name()].as_array().into_iter().flatten().map(|item| kind.item(item, &brands)).collect()
    };
    let values = context! {
        what => kind.name(), search => &wanted.search, is_start, filters,
        art => is_start.then(|| Value::from_safe_string(art())),
        total => answer.body["total_count"].as_i64(), programs_total => programs["total_count"].as_i64(),
        organisations_total => brands.all().len(),
        items => of(kind, &answer.body), programs => of(Kind::Programs, &programs),
        kept => wanted.kept(&["search"]), kept_for_sort => wanted.kept(&["sort"]),
        sort => wanted.order().0, sorts => SORTS.map(|(name, _)| name), all => kind.home(),
        earlier => (wanted.page > 1).then(|| neighbour(-1)),
        later => (answer.body["has_more"] == true).then(|| neighbour(1)),
    };
    render(shop, visitor, &storefront, Page::of("list.html").here(kind.name()).holds_a_form(), values)
}

fn choice(label: &str, wanted: &Wanted, kind: Kind, is_chosen: bool, count: Option<i64>) -> Value {
    context! { label, count, is_chosen, href => Wanted { page: 1, ..wanted.clone() }.href(kind) }
}

/// The filter by organisation. Its counts hold for the search and the topic that are chosen.
async fn organisations(storefront: &Storefront<'_>, brands: &Brands, kind: Kind, wanted: &Wanted) -> Value {
    let all = brands.all();
    let counts = all.iter().map(|brand| count(storefront, kind, wanted, &wanted.tag, &brand.short_name));
    let counts = join_all(counts).await;
    let any = Wanted { org: String::new(), ..wanted.clone() };
    let first = choice("", &any, kind, wanted.org.is_empty(), None);
    let others = all.iter().zip(counts).filter(|(_, count)| *count != Some(0)).map(|(brand, count)| {
        let this = Wanted { org: brand.short_name.clone(), ..wanted.clone() };
        choice(&brand.name, &this, kind, wanted.org == brand.short_name, count)
    });
    context! { name => "organisation", choices => [first].into_iter().chain(others).collect::<Vec<_>>() }
}

/// The filter by topic. Its counts hold for the search and the organisation that are chosen; topics without an item are left out.
async fn topics(storefront: &Storefront<'_>, tags: &Json, kind: Kind, wanted: &Wanted) -> Value {
    let all: Vec<String> = tags.as_array().into_iter().flatten().map(|entry| word(&entry["tag"])).collect();
    let counts = all.iter().take(COUNTED).map(|tag| count(storefront, kind, wanted, tag, &wanted.org));
    let counts = join_all(counts).await.into_iter().chain(std::iter::repeat(None));
    let any = Wanted { tag: String::new(), ..wanted.clone() };
    let first = choice("", &any, kind, wanted.tag.is_empty(), None);
    let others = all.iter().zip(counts).filter(|(_, count)| *count != Some(0)).map(|(tag, count)| {
        let this = Wanted { tag: tag.clone(), ..wanted.clone() };
        choice(tag, &this, kind, wanted.tag == *tag, count)
    });
    context! { name => "topic", choices => [first].into_iter().chain(others).collect::<Vec<_>>() }
}

/// How many items a filter would find.
async fn count(
    storefront: &Storefront<'_>,
    kind: Kind,
    wanted: &Wanted,
    tag: &str,
    org: &str,
) -> Option<i64> {
    let query = [("limit", "1"), ("search", &*wanted.search), ("tags", tag), ("org", org)];
    storefront.count(kind.path(), &query).await
}
