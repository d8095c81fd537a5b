//! What a page of a list is cut from: filters as SQL from fixed fragments with bound values. The statement holds only
//! the filters that are asked for, so that each is planned for what it does.

use sqlx::{Postgres, QueryBuilder};

#[derive(Clone, Debug)]
pub struct Filter<Order> {
    /// A pattern of ILIKE; empty for all.
    pub pattern: String,
    /// Short or display names, lower-cased; empty for all.
    pub organisations: Vec<String>,
    /// Names, lower-cased; an item with any of them matches. Empty for all.
    pub tags: Vec<String>,
    pub order: Order,
    pub descending: bool,
    pub limit: i64,
    pub offset: i64,
}

/// The columns and tables that a list's filters speak of.
pub struct Source {
    pub from_listed: &'static str,
    /// Searched columns.
    pub texts: [&'static str; 3],
    pub organisation: &'static str,
    pub id: &'static str,
    /// Ids by tag.
    pub tagged: &'static str,
}

impl<Order> Filter<Order> {
    pub fn push(&self, query: &mut QueryBuilder<Postgres>, source: &Source) {
        query.push(source.from_listed);
        if !self.pattern.is_empty() {
            let [first, second, third] = source.texts;
            query.push(" AND (").push(first).push(" ILIKE ").push_bind(self.pattern.clone());
            query.push(" OR ").push(second).push(" ILIKE ").push_bind(self.pattern.clone());
            query.push(" OR ").push(third).push(" ILIKE ").push_bind(self.pattern.clone()).push(")");
        }
        if !self.organisations.is_empty() {
            query.push(" AND ").push(source.organisation);
            query.push(" IN (SELECT id FROM organisations WHERE lower(short_name) = ANY(");
            query.push_bind(self.organisations.clone()).push(") OR lower(name) = ANY(");
            query.push_bind(self.organisations.clone()).push("))");
        }
        if !self.tags.is_empty() {
            query
                .push(" AND ")
                .push(source.id)
                .push(" IN (")
                .push(source.tagged)
                .push(" WHERE lower(t.name) = ANY(");
            query.push_bind(self.tags.clone()).push("))");
        }
    }

    pub fn push_page(&self, query: &mut QueryBuilder<Postgres>) {
        query.push(" LIMIT ").push_bind(self.limit).push(" OFFSET ").push_bind(self.offset);
    }

    /// The filters alone: whatever shares them has the same total.
    pub fn total_key(&self) -> String {
        format!("{:?} {:?} {:?}", self.pattern, self.organisations, self.tags)
    }
}
