//! Builds the filters of list queries from fixed SQL fragments with bound values. A statement contains only the filters
//! that the request sets, so that PostgreSQL plans each combination by itself.
//!
//! Why: `docs/decisions/search.md`, `docs/decisions/short-searches.md`

use shared::db::Db;
use shared::ids::OrganisationId;
use sqlx::{Postgres, QueryBuilder};

use crate::error::ApiResult;

/// Limit at which the count of a search without an index ends, and so its last page: such a search matches nearly
/// everything, and each match is compared with the whole text.
const MOST_SCANNED: i64 = 1000;

/// Filters of a list; an empty field filters nothing. Code that depends on the filters compares or prints the whole
/// struct, or takes it apart without `..`: the compiler names each place that a new field must reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    /// The text to search for, in lower case as far as it is ASCII.
    pub search: String,
    /// Short or display names of organisations, in any case.
    pub organisations: Vec<String>,
    /// Names of tags, in any case; an item with any of them matches.
    pub tags: Vec<String>,
    /// Codes of languages in lower case; an item in any of them matches.
    pub languages: Vec<String>,
}

/// One page of a filtered and ordered list.
#[derive(Clone, Debug)]
pub struct Page<Order> {
    pub filters: Filters,
    pub order: Order,
    pub descending: bool,
    pub limit: i64,
    pub offset: i64,
}

/// The columns and tables to which a list's filters apply.
pub struct Source {
    pub from_listed: &'static str,
    /// The column with all searched text, lower-cased and without accents.
    pub text: &'static str,
    pub organisation: &'static str,
    pub id: &'static str,
    /// The table that maps tags to ids.
    pub tagged: &'static str,
    /// The column with the ids of an item's tags, if the index of searches holds it.
    pub tag_ids: Option<&'static str>,
}

/// The ids of the names in the filters. They are looked up first, so that the planner can estimate the number of rows.
pub struct Scope {
    organisations: Option<Vec<OrganisationId>>,
    tags: Option<Vec<i32>>,
}

impl Scope {
    /// Returns whether nothing can match, because none of the organisations or none of the tags exists.
    pub fn is_empty(&self) -> bool {
        self.organisations.as_ref().is_some_and(Vec::is_empty)
            || self.tags.as_ref().is_some_and(Vec::is_empty)
    }
}

impl Filters {
    /// Returns whether no index serves the search: one of trigrams needs three letters or digits in a row.
    pub fn needs_scan(&self) -> bool {
        let longest =
            self.search.split(|c: char| !c.is_alphanumeric()).map(|word| word.chars().count()).max();
        !self.search.is_empty() && longest.is_none_or(|longest| longest < 3)
    }

    /// Returns whether the list shows everything, so that its total is the stored one.
    pub fn is_unset(&self) -> bool {
        *self == Self::default()
    }

    /// The cache key of the total, which depends on all filters, but not on the order or the page.
    pub fn key(&self) -> String {
        format!("{self:?}")
    }

    pub async fn scope(&self, db: &Db) -> ApiResult<Scope> {
        let Self { search: _, organisations, tags, languages: _ } = self;
        let mut scope = Scope { organisations: None, tags: None };
        if !organisations.is_empty() {
            let named = sqlx::query_scalar!(
                "SELECT id FROM organisations
                 WHERE lower(short_name) IN (SELECT lower(normalize(n)) FROM unnest($1::text[]) n)
                    OR lower(name) IN (SELECT lower(normalize(n)) FROM unnest($1::text[]) n)",
                organisations,
            );
            scope.organisations = Some(named.fetch_all(db).await?);
        }
        if !tags.is_empty() {
            let named = sqlx::query_scalar!(
                "SELECT id FROM tags WHERE lower(name) IN (SELECT lower(normalize(n)) FROM unnest($1::text[]) n)",
                tags,
            );
            scope.tags = Some(named.fetch_all(db).await?);
        }
        Ok(scope)
    }

    /// The number of items that match; at most [`MOST_SCANNED`] if no index serves the search.
    pub async fn count(&self, db: &Db, source: &Source) -> ApiResult<i64> {
        let scope = self.scope(db).await?;
        if scope.is_empty() {
            return Ok(0);
        }
        let mut count = QueryBuilder::<Postgres>::new("SELECT count(*) FROM (SELECT 1");
        self.push(&mut count, source, scope);
        if self.needs_scan() {
            count.push(" LIMIT ").push_bind(MOST_SCANNED);
        }
        count.push(") AS matching");
        Ok(count.build_query_scalar().fetch_one(db).await?)
    }

    /// Adds the tables and conditions to a statement. `scope` is what [`Filters::scope`] found for these filters.
    pub fn push(&self, query: &mut QueryBuilder<Postgres>, source: &Source, scope: Scope) {
        let Self { search, organisations: _, tags: _, languages } = self;
        let Scope { organisations, tags } = scope;
        query.push(source.from_listed);
        if !search.is_empty() {
            query.push(" AND ").push(source.text).push(" LIKE containing(");
            query.push_bind(search.clone()).push(")");
        }
        if let Some(organisations) = organisations {
            query.push(" AND ").push(source.organisation).push(" = ANY(").push_bind(organisations).push(")");
        }
        match (tags, source.tag_ids) {
            (None, _) => {}
            // One index finds what matches the search and the tags.
            (Some(tags), Some(column)) if !search.is_empty() && !self.needs_scan() => {
                query.push(" AND ").push(column).push(" && ").push_bind(tags);
            }
            // Indexes alone count the items with these tags; with the column they would be read from the table.
            (Some(tags), _) => {
                query.push(" AND ").push(source.id).push(" IN (").push(source.tagged);
                query.push(" WHERE tag_id = ANY(").push_bind(tags).push("))");
            }
        }
        if !languages.is_empty() {
            // Only courses have one, and only their list sets this filter.
            query.push(" AND lower(c.language) = ANY(").push_bind(languages.clone()).push(")");
        }
    }
}

impl<Order> Page<Order> {
    pub fn push(&self, query: &mut QueryBuilder<Postgres>) {
        query.push(" LIMIT ").push_bind(self.limit).push(" OFFSET ").push_bind(self.offset);
    }
}
