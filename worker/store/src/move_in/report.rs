//! The report of a move-in: what the former shop has, and what becomes of it.

use futures_util::TryStreamExt as _;
use sqlx::PgConnection;

use crate::error::JobResult;

/// A table of the report.
pub struct Section {
    pub name: &'static str,
    pub heading: &'static [&'static str],
    statement: &'static str,
}

/// The sections in their order. Amounts are in major units, years and days are UTC's.
pub const SECTIONS: &[Section] = &[
    Section {
        name: "orders",
        heading: &[
            "year", "currency", "what", "orders", "total", "discount", "debited", "refunded", "left out",
        ],
        statement: "SELECT ARRAY[year::text, currency, CASE WHEN is_coupon_sale THEN 'coupon sales' ELSE 'purchases' END,
                 count(*)::text, sum(major)::text, sum(discount)::text, sum(debited)::text, sum(books_refunded)::text,
                 count(refusal)::text]
             FROM old_facts GROUP BY year, currency, is_coupon_sale ORDER BY year, currency, is_coupon_sale",
    },
    Section {
        name: "payments",
        heading: &["processor", "currency", "payments", "debited", "refunded"],
        statement: "SELECT ARRAY[p.processor, p.currency, count(*)::text, sum(p.debited)::text, sum(p.refunded)::text]
             FROM old_payments p JOIN old_facts f ON f.id = p.order_id GROUP BY p.processor, p.currency ORDER BY 1",
    },
    Section {
        name: "refunds",
        heading: &["state", "currency", "refunds", "amount"],
        statement: "SELECT ARRAY[r.status, f.currency, count(*)::text, sum(r.amount)::text]
             FROM old_refunds r JOIN old_facts f ON f.id = r.order_id GROUP BY r.status, f.currency ORDER BY 1",
    },
    Section {
        name: "codes",
        heading: &["what", "codes", "uses left"],
        statement: "SELECT ARRAY[outcome, count(*)::text, sum(greatest(uses_left, 0))::text] FROM (
                 SELECT uses_left, CASE WHEN refusal IN ('used up', 'over') THEN refusal WHEN refusal IS NOT NULL THEN 'left out'
                     WHEN EXISTS (SELECT FROM vouchers v WHERE v.id = voucher_id) THEN 'here already'
                     WHEN line_id IS NULL THEN 'voucher' ELSE 'seat' END AS outcome
                 FROM old_fates) f
             GROUP BY outcome ORDER BY 1",
    },
    Section {
        name: "people",
        heading: &["id of the course platform from", "people"],
        statement: "SELECT ARRAY[coalesce(p.id_from, 'nowhere'), count(*)::text]
             FROM old_people p WHERE p.id IN (SELECT user_id FROM old_facts WHERE NOT is_coupon_sale) GROUP BY p.id_from ORDER BY 1",
    },
    Section {
        name: "findings",
        heading: &["kind", "key", "reason"],
        statement: "SELECT ARRAY[kind, key, reason] FROM findings ORDER BY kind, key, reason",
    },
];

/// Hands the rows of a section on, one by one: the findings of a large shop are many.
pub async fn read(
    db: &mut PgConnection,
    section: &'static Section,
    mut take: impl FnMut(Vec<String>),
) -> JobResult<()> {
    let mut rows = sqlx::query_scalar(section.statement).fetch(db);
    while let Some(row) = rows.try_next().await? {
        take(row);
    }
    Ok(())
}
