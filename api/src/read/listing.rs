//! The parameters that paged lists share.

use std::str::FromStr;

use strum::VariantNames;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::cache::Cost;
use crate::extract::{Params, ReadParams};
use crate::openapi::words;
use crate::queries::filter::{Filters, Page};

/// Larger page numbers count as this one: it lies past the end of any catalog, and its offset still fits an `i64`.
const LAST_PAGE: i64 = 1_000_000_000;

/// Reads the filters that all lists have: `search`, `org` and `tags`.
pub fn filters(params: &mut Params) -> Filters {
    Filters {
        search: params.folded("search"),
        organisations: params.folded_list("org"),
        tags: params.folded_list("tags"),
        languages: Vec::new(),
    }
}

/// Reads `limit`, `page` and `order_by`. Without `order_by` the newest items come first.
pub fn page<Order: FromStr + VariantNames>(params: &mut Params, filters: Filters) -> Option<Page<Order>> {
    let place = place(params);
    let order = order(params);
    let ((limit, offset), (order, descending)) = (place?, order?);
    Some(Page { filters, order, descending, limit, offset })
}

/// Reads `limit` and `page` as limit and offset.
pub fn place(params: &mut Params) -> Option<(i64, i64)> {
    let limit = params.clamped("limit", 8, 1, 100);
    let page = params.clamped("page", 1, 1, LAST_PAGE);
    let limit = limit?;
    Some((limit, (page? - 1) * limit))
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters; `PageQuery` is what they are read into")]
pub struct PageParams {
    /// Page size. The service clamps it to 1 to 100.
    #[param(inline, value_type = Option<PageSize>)]
    limit: Option<i64>,
    /// Counted from 1; a smaller number counts as 1. Pages past the end are empty.
    #[param(inline, value_type = Option<PageNumber>)]
    page: Option<i64>,
}

/// The page of a list without filters.
pub struct PageQuery {
    pub limit: i64,
    pub offset: i64,
}

impl ReadParams for PageQuery {
    fn read(params: &mut Params) -> Option<Self> {
        let (limit, offset) = place(params)?;
        Some(Self { limit, offset })
    }
}

/// Pages after this one are rarely asked for.
const LAST_COMMON_PAGE: i64 = 10;

/// Returns the cost of a list with these filters for the database and Redis.
pub fn cost(filters: &Filters) -> Cost {
    match filters {
        searched if searched.needs_scan() => Cost::Scan,
        unset if unset.is_unset() => Cost::Common,
        _ => Cost::Rare,
    }
}

/// Returns the cost of a page of a list for them.
pub fn cost_of_page<Order>(page: &Page<Order>) -> Cost {
    match cost(&page.filters) {
        Cost::Common if page.offset >= LAST_COMMON_PAGE * page.limit => Cost::Rare,
        cost => cost,
    }
}

/// Returns the cost of a search in a small table for them.
pub fn cost_of_text(text: &str) -> Cost {
    if text.is_empty() { Cost::Common } else { Cost::Rare }
}

fn whole_number(default: i64) -> RefOr<Schema> {
    // No format, because the service accepts numbers of any length.
    ObjectBuilder::new().schema_type(Type::Integer).default(Some(default.into())).into()
}

/// The values of `limit`.
pub struct PageSize;

impl PartialSchema for PageSize {
    fn schema() -> RefOr<Schema> {
        whole_number(8)
    }
}

impl ToSchema for PageSize {}

/// The values of `page`.
pub struct PageNumber;

impl PartialSchema for PageNumber {
    fn schema() -> RefOr<Schema> {
        whole_number(1)
    }
}

impl ToSchema for PageNumber {}

/// The values of `order_by`, for the OpenAPI document.
pub fn order_words(fields: &[&str]) -> RefOr<Schema> {
    let words =
        fields.iter().flat_map(|field| ["asc", "desc"].map(|direction| format!("{field}.{direction}")));
    words::choice(words, "created_at.desc")
}

fn order<Order: FromStr + VariantNames>(params: &mut Params) -> Option<(Order, bool)> {
    let text = params.text("order_by");
    let text = if text.is_empty() { "created_at.desc" } else { &text };
    let named = text.split_once('.').and_then(|(field, direction)| match direction {
        "asc" => Some((field.parse().ok()?, false)),
        "desc" => Some((field.parse().ok()?, true)),
        _ => None,
    });
    if named.is_none() {
        let names = Order::VARIANTS.join(", ");
        params.error("order_by", format!("is not one of {names}, each with .asc or .desc"));
    }
    named
}
