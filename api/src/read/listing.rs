//! The parameters that paged lists share.

use std::str::FromStr;

use strum::VariantNames;
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::cache::Cost;
use crate::extract::{Params, ReadParams};
use crate::openapi::schemas;
use crate::queries::filter::{Filters, Page};

/// Larger page numbers count as this one: it lies past the end of any catalog, and its offset still fits an `i64`.
const LAST_PAGE: i64 = 1_000_000_000;

type PageSize = schemas::WholeNumber<{ FIRST.limit }>;
type PageNumber = schemas::WholeNumber<1>;

/// A page of a list.
#[derive(Clone, Copy, Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// Page size. The service clamps it to 1 to 100.
    #[param(inline, value_type = Option<PageSize>)]
    pub limit: i64,
    /// Counted from 1; a smaller number counts as 1. Pages past the end are empty.
    #[param(rename = "page", inline, value_type = Option<PageNumber>)]
    pub offset: i64,
}

impl ReadParams for PageQuery {
    fn read(params: &mut Params) -> Option<Self> {
        let limit = params.clamped("limit", FIRST.limit, 1, 100);
        let page = params.clamped("page", 1, 1, LAST_PAGE);
        let limit = limit?;
        Some(Self { limit, offset: (page? - 1) * limit })
    }
}

/// The page that a caller gets who names none.
pub const FIRST: PageQuery = PageQuery { limit: 8, offset: 0 };

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

/// The order of a list.
#[derive(Clone, Copy, Debug)]
pub struct Sorting<Order> {
    pub by: Order,
    pub descending: bool,
}

impl<Order: VariantNames> PartialSchema for Sorting<Order> {
    fn schema() -> RefOr<Schema> {
        let words = Order::VARIANTS
            .iter()
            .flat_map(|field| ["asc", "desc"].map(|direction| format!("{field}.{direction}")));
        schemas::choice(words, "created_at.desc")
    }
}

impl<Order: VariantNames> ToSchema for Sorting<Order> {}

/// Reads `order_by`. Without it the newest items come first.
pub fn sorting<Order: FromStr + VariantNames>(params: &mut Params) -> Option<Sorting<Order>> {
    let text = params.text("order_by");
    let text = if text.is_empty() { "created_at.desc" } else { &text };
    let named = text.split_once('.').and_then(|(field, direction)| match direction {
        "asc" => Some(Sorting { by: field.parse().ok()?, descending: false }),
        "desc" => Some(Sorting { by: field.parse().ok()?, descending: true }),
        _ => None,
    });
    if named.is_none() {
        let names = Order::VARIANTS.join(", ");
        params.error("order_by", format!("is not one of {names}, each with .asc or .desc"));
    }
    named
}
