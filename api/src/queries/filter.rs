//! Builds the filters of list queries from fixed SQL fragments with bound values. A statement contains only the filters
//! that the request sets, so that PostgreSQL plans each combination by itself.

use sqlx::{PgPool, Postgres, QueryBuilder};
use uuid::Uuid;

use crate::error::ApiResult;

#[derive(Clone, Debug)]
pub struct Filter<Order> {
    /// The text to search for, as the visitor wrote it; empty for all.
    pub search: String,
    /// Short or display names of organisations, in any case; empty for all.
    pub organisations: Vec<String>,
    /// Names of tags, in any case; an item with any of them matches. Empty for all.
    pub tags: Vec<String>,
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
}

/// The ids of the names in a filter. They are looked up first, so that the planner can estimate the number of rows.
pub struct Scope {
    organisations: Option<Vec<Uuid>>,
    tags: Option<Vec<i32>>,
}

impl Scope {
    /// Whether nothing can match, because none of the organisations or none of the tags exists.
    pub fn is_empty(&self) -> bool {
        self.organisations.as_ref().is_some_and(Vec::is_empty)
            || self.tags.as_ref().is_some_and(Vec::is_empty)
    }
}

impl<Order> Filter<Order> {
    pub fn is_unfiltered(&self) -> bool {
        self.search.is_empty() && self.organisations.is_empty() && self.tags.is_empty()
    }

    pub async fn scope(&self, db: &PgPool) -> ApiResult<Scope> {
        let mut scope = Scope { organisations: None, tags: None };
        if !self.organisations.is_empty() {
            let named = sqlx::query_scalar!(
                "SELECT id FROM organisations
                 WHERE lower(short_name) IN (SELECT lower(normalize(n)) FROM unnest($1::text[]) n)
                    OR lower(name) IN (SELECT lower(normalize(n)) FROM unnest($1::text[]) n)",
                &self.organisations,
            );
            scope.organisations = Some(named.fetch_all(db).await?);
        }
        if !self.tags.is_empty() {
            let named = sqlx::query_scalar!(
                "SELECT id FROM tags WHERE lower(name) IN (SELECT lower(normalize(n)) FROM unnest($1::text[]) n)",
                &self.tags,
            );
            scope.tags = Some(named.fetch_all(db).await?);
        }
        Ok(scope)
    }

    pub fn push(&self, query: &mut QueryBuilder<Postgres>, source: &Source, scope: Scope) {
        query.push(source.from_listed);
        if !self.search.is_empty() {
            query.push(" AND ").push(source.text).push(" LIKE containing(");
            query.push_bind(self.search.clone()).push(")");
        }
        if let Some(organisations) = scope.organisations {
            query.push(" AND ").push(source.organisation).push(" = ANY(").push_bind(organisations).push(")");
        }
        if let Some(tags) = scope.tags {
            query
                .push(" AND ")
                .push(source.id)
                .push(" IN (")
                .push(source.tagged)
                .push(" WHERE tag_id = ANY(");
            query.push_bind(tags).push("))");
        }
    }

    pub fn push_page(&self, query: &mut QueryBuilder<Postgres>) {
        query.push(" LIMIT ").push_bind(self.limit).push(" OFFSET ").push_bind(self.offset);
    }

    /// A cache key for the total, which depends on the filters but not on the order or the page.
    pub fn total_key(&self) -> String {
        format!("{:?} {:?} {:?}", self.search, self.organisations, self.tags)
    }
}
