//! Queries for the month that finance closes: what has moved in it, what is with each provider, and what is missing. Each statement
//! reads what one month has, by the index of the organisation and the day of receipt.

use chrono::{DateTime, Months, NaiveDate, TimeDelta, Utc};
use serde::Serialize;
use shared::db::Db;
use shared::gateway::Gateway;
use shared::ids::{CartId, OrganisationId};
use shared::money::{Amount, Balance, Currency, Money};
use strum::{EnumString, IntoStaticStr, VariantNames};
use utoipa::ToSchema;

use super::ledger::{By, Period};
use crate::error::{ApiError, ApiResult};
use crate::words::{DocumentKind, MovementKind};

/// Rows of a list beside the sums.
pub const SHOWN: i64 = 100;

/// The longest time after the last closed month whose movements are added up for an opening balance.
const LONGEST: TimeDelta = TimeDelta::days(366);

/// Time that one statement sums.
const SUMMED: TimeDelta = TimeDelta::days(31);

/// A month of an organisation, which its time zone as a seller bounds.
#[derive(Clone, Copy, Debug)]
pub struct Month {
    pub first: NaiveDate,
    pub period: Period,
}

impl Month {
    pub fn last(&self) -> NaiveDate {
        let next = self.first.checked_add_months(Months::new(1));
        next.and_then(|next| next.pred_opt()).unwrap_or(self.first)
    }
}

/// The month that begins on a day.
pub async fn month(db: &Db, organisation_id: OrganisationId, first: NaiveDate) -> ApiResult<Month> {
    let row = sqlx::query!(
        r#"SELECT day_begins($2::date, zone) AS "from!", day_begins(($2::date + interval '1 month')::date, zone) AS "before!"
           FROM (SELECT day_zone(seller) AS zone FROM organisations WHERE id = $1) o"#,
        organisation_id as _,
        first,
    );
    let row = row.fetch_one(db).await?;
    let period = Period { organisation_id, from: row.from, before: row.before, by: By::Received };
    Ok(Month { first, period })
}

/// A closed month.
pub struct ClosedMonth {
    pub month: NaiveDate,
    pub before: DateTime<Utc>,
    pub at: DateTime<Utc>,
    pub by: String,
    /// The name of a member of staff.
    pub name: Option<String>,
}

/// The month with which a month was closed: itself, or a later one.
pub async fn closing(db: &Db, month: &Month) -> ApiResult<Option<ClosedMonth>> {
    Ok(sqlx::query_as!(
        ClosedMonth,
        r#"SELECT c.month, c.before, c.closed_at AS at, c.closed_by AS by,
                  (SELECT s.name FROM learners l JOIN staff s ON s.learner_id = l.id
                   WHERE c.closed_by LIKE 'staff:%' AND l.platform_user_id::text = substr(c.closed_by, 7)
                     AND s.organisation_id = $1 LIMIT 1) AS name
           FROM closed_months c WHERE c.organisation_id = $1 AND c.month >= $2 ORDER BY c.month LIMIT 1"#,
        month.period.organisation_id as _,
        month.first,
    )
    .fetch_optional(db)
    .await?)
}

/// What changes the money that is with a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Moved(MovementKind),
    /// What payouts have moved beside the ledger.
    Other,
}

/// A sum of one account, currency and kind, in minor units.
pub struct Sum {
    pub gateway: String,
    pub currency: Currency,
    pub change: Change,
    pub minor: i64,
}

/// Sums what has changed the money with each provider in a time.
pub async fn changes(db: &Db, period: Period) -> ApiResult<Vec<Sum>> {
    let rows = sqlx::query!(
        r#"SELECT gateway AS "gateway!", currency AS "currency!: Currency", kind AS "kind!", amount AS "minor!"
           FROM balance_changes($1, $2, $3)"#,
        period.organisation_id as _,
        period.from,
        period.before,
    );
    let rows = rows.fetch_all(db).await?.into_iter().map(|row| {
        let kind = match row.kind.as_str() {
            "other" => Change::Other,
            kind => Change::Moved(kind.parse().map_err(|_| ApiError::Internal)?),
        };
        Ok(Sum { gateway: row.gateway, currency: row.currency, change: kind, minor: row.minor })
    });
    rows.collect()
}

/// What is with a provider, in minor units.
#[derive(Clone, Debug)]
pub struct Held {
    pub gateway: String,
    pub currency: Currency,
    pub minor: i64,
}

/// What a closed month has left with each provider.
pub async fn balances(db: &Db, organisation_id: OrganisationId, month: NaiveDate) -> ApiResult<Vec<Held>> {
    Ok(sqlx::query_as!(
        Held,
        r#"SELECT gateway AS "gateway: String", currency AS "currency: Currency", amount AS minor
           FROM closed_balances WHERE organisation_id = $1 AND month = $2"#,
        organisation_id as _,
        month,
    )
    .fetch_all(db)
    .await?)
}

/// What was with each provider when a month began: after the last closed month before it, or since the first movement. None if either
/// is longer ago than a year.
pub async fn opening(db: &Db, period: Period) -> ApiResult<Option<Vec<Held>>> {
    let Period { organisation_id, from, .. } = period;
    let begin = sqlx::query!(
        r#"SELECT c.month AS "month?", c.before AS "before?",
                  (SELECT received_at FROM ledger WHERE organisation_id = $1 ORDER BY received_at, seq LIMIT 1) AS first
           FROM (SELECT) one LEFT JOIN LATERAL (
               SELECT month, before FROM closed_months WHERE organisation_id = $1 AND before <= $2 ORDER BY month DESC LIMIT 1) c ON true"#,
        organisation_id as _,
        from,
    );
    let begin = begin.fetch_one(db).await?;
    let (mut held, since) = match (begin.month, begin.before.or(begin.first)) {
        (_, None) => return Ok(Some(Vec::new())),
        (Some(month), Some(before)) => (balances(db, organisation_id, month).await?, before),
        (None, Some(first)) => (Vec::new(), first),
    };
    if from - since > LONGEST {
        return Ok(None);
    }
    // What a payout has moved beside the ledger may be older than the first movement there.
    let mut begin = if begin.month.is_some() { since } else { since - LONGEST };
    let mut end = since;
    while end < from {
        end = from.min(end + SUMMED);
        for sum in changes(db, Period { from: begin, before: end, ..period }).await? {
            held.push(Held { gateway: sum.gateway, currency: sum.currency, minor: sum.minor });
        }
        begin = end;
    }
    Ok(Some(held))
}

/// Reason why what payouts have moved is not, or not yet, in the books.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    EnumString,
    IntoStaticStr,
    VariantNames,
    ToSchema,
    sqlx::Type,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum GapReason {
    /// Movements of a kind that is not known.
    Other,
    /// Payments, refunds or disputes of no order here, such as of another shop with the same account.
    UnknownPayment,
    /// Paid in one currency and paid out in another. The gap in each is what left the one, or came into the other.
    OtherCurrency,
    /// The payout differs from the sum of its movements.
    Difference,
    /// The movements in a payout of this month were not read in it, so that its fees are not in the books of this month. The amount is
    /// that of the payout, and is no gap by itself.
    Unread,
    /// The balance that was closed differs from what the books add up to.
    Closed,
}

/// What does not add up by itself.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = MonthGap)]
pub struct Gap {
    pub reason: GapReason,
    #[schema(value_type = Gateway)]
    pub gateway: String,
    /// The provider's id of the payout; null for `closed`.
    pub payout: Option<String>,
    /// The day on which it was made, in the seller's time zone.
    pub made_on: Option<NaiveDate>,
    #[schema(value_type = f64, example = -1.2)]
    pub amount: Balance,
    #[serde(skip)]
    pub currency: Currency,
}

/// The payouts of a month that have moved something beside the ledger, or may have.
pub async fn gaps(db: &Db, period: Period) -> ApiResult<Vec<Gap>> {
    Ok(sqlx::query_as!(
        Gap,
        r#"SELECT g.reason AS "reason!: GapReason", p.gateway AS "gateway!: String", p.reference AS payout,
                  (p.made_at AT TIME ZONE day_zone(o.seller))::date AS made_on, (g.amount, g.currency) AS "amount!: Balance",
                  g.currency AS "currency!: Currency"
           FROM (SELECT payout_id, reason, currency, amount FROM payout_gaps($1, $2, $3)
                 UNION ALL
                 SELECT u.id, 'unread', u.currency, u.amount FROM ledger l JOIN payouts u ON u.id = l.payout_id
                 WHERE l.organisation_id = $1 AND l.received_at >= $2 AND l.received_at < $3 AND l.kind = 'payout'
                   AND u.state = 'paid' AND l.amount = -u.amount AND (u.read_at IS NULL OR u.read_at >= $3)) g
           JOIN payouts p ON p.id = g.payout_id JOIN organisations o ON o.id = p.organisation_id
           ORDER BY p.made_at, p.id, 1"#,
        period.organisation_id as _,
        period.from,
        period.before,
    )
    .fetch_all(db)
    .await?)
}

/// A document that an order of the month lacks.
#[derive(Debug, Serialize, ToSchema)]
pub struct MissingDocument {
    #[schema(value_type = Uuid)]
    pub cart_id: CartId,
    pub kind: DocumentKind,
    /// The amount that it is about.
    #[schema(value_type = f64, example = 199)]
    pub amount: Amount,
    #[schema(value_type = String, pattern = "^[A-Z]{3}$", example = "USD")]
    pub currency: Currency,
    /// Their number and sum in this currency.
    #[serde(skip)]
    pub number: i64,
    #[serde(skip)]
    pub sum: Money,
}

/// The documents that orders lack whose money moved in a month, by the rules by which they are issued: an invoice for what was paid, and
/// credit notes for corrected invoices and for what the refunds that stand exceed the others by, but for a tax that a correction has taken
/// back. One that waits for another system is missing, too, and one that was refused or cancelled.
pub async fn missing_documents(db: &Db, period: Period) -> ApiResult<Vec<MissingDocument>> {
    let rows = sqlx::query!(
        r#"WITH moved AS MATERIALIZED (
               SELECT DISTINCT l.cart_id FROM organisations o JOIN ledger l ON l.organisation_id = o.id
               WHERE o.id = $1 AND o.seller_since IS NOT NULL AND l.received_at >= $2 AND l.received_at < $3
                 AND l.kind IN ('captured', 'refunded')),
           lacking AS (
               SELECT c.id, c.currency, c.paid_at, d.kind, d.amount
               FROM moved m
               -- Each OFFSET leaves the planner only the way by the key.
               CROSS JOIN LATERAL (SELECT id, currency, paid_at, state, former_shop FROM carts WHERE id = m.cart_id OFFSET 0) c
               CROSS JOIN LATERAL (SELECT id, amount, on_account FROM transactions WHERE cart_id = c.id OFFSET 0) t
               LEFT JOIN LATERAL (SELECT total, state, version FROM documents WHERE cart_id = c.id AND kind = 'invoice' AND state <> 'replaced'
                                  ORDER BY version DESC LIMIT 1) i ON true
               CROSS JOIN LATERAL (SELECT coalesce(sum(amount), 0)::bigint AS refunded FROM refunds
                                   WHERE transaction_id = t.id AND state IN ('accepted', 'succeeded') OFFSET 0) r
               CROSS JOIN LATERAL (SELECT coalesce(sum(total) FILTER (WHERE refund_id IS NOT NULL), 0)::bigint AS credited,
                                          coalesce(sum(total) FILTER (WHERE kind = 'invoice' AND version < i.version), 0)::bigint
                                        - coalesce(sum(total) FILTER (WHERE kind = 'credit_note' AND refund_id IS NULL), 0)::bigint AS corrected
                                   FROM documents WHERE cart_id = c.id AND state = 'issued' AND (r.refunded > 0 OR i.version > 0) OFFSET 0) n
               CROSS JOIN LATERAL (VALUES
                   ('invoice', CASE WHEN i.state IS DISTINCT FROM 'issued' THEN coalesce(i.total, t.amount) END),
                   ('credit_note', greatest(least(r.refunded - (t.amount - coalesce(i.total, t.amount)), coalesce(i.total, t.amount))
                                            - n.credited, 0) + greatest(n.corrected, 0))
               ) d (kind, amount)
               WHERE c.former_shop IS NULL AND c.paid_at >= (SELECT seller_since FROM organisations WHERE id = $1)
                 AND NOT (t.on_account IS NOT NULL AND c.state = 'cancelled') AND d.amount > 0)
           SELECT id AS "cart_id!: CartId", kind AS "kind!: DocumentKind", (amount, currency) AS "amount!: Money", number AS "number!",
                  (sum, currency) AS "sum!: Money"
           FROM (SELECT *, count(*) OVER each AS number, (sum(amount) OVER each)::bigint AS sum,
                        row_number() OVER (PARTITION BY currency ORDER BY paid_at, id, kind) AS nth
                 FROM lacking WINDOW each AS (PARTITION BY currency)) a
           WHERE nth <= $4 ORDER BY currency, nth"#,
        period.organisation_id as _,
        period.from,
        period.before,
        SHOWN,
    );
    let rows = rows.fetch_all(db).await?.into_iter().map(|row| MissingDocument {
        cart_id: row.cart_id,
        kind: row.kind,
        amount: Amount(row.amount),
        currency: row.amount.currency(),
        number: row.number,
        sum: row.sum,
    });
    Ok(rows.collect())
}

/// A movement that counts to a month because the month of its own day was closed when it was booked.
#[derive(Debug, Serialize, ToSchema)]
pub struct LateMovement {
    pub kind: MovementKind,
    #[schema(value_type = Gateway)]
    pub gateway: String,
    /// Null for fees and payouts.
    #[schema(value_type = Option<Uuid>)]
    pub cart_id: Option<CartId>,
    /// The day of the bank, else of the booking.
    pub own_day: NaiveDate,
    /// The day on which it was booked.
    pub day: NaiveDate,
    #[schema(value_type = f64, example = 199)]
    pub amount: Balance,
    #[schema(value_type = String, pattern = "^[A-Z]{3}$", example = "USD")]
    pub currency: Currency,
    /// Their number and sum in this currency.
    #[serde(skip)]
    pub number: i64,
    #[serde(skip)]
    pub sum: Balance,
}

/// What came late into a month: money whose own month was closed already.
pub async fn late(db: &Db, period: Period) -> ApiResult<Vec<LateMovement>> {
    Ok(sqlx::query_as!(
        LateMovement,
        r#"SELECT kind AS "kind: MovementKind", gateway AS "gateway: String", cart_id AS "cart_id: CartId",
                  (coalesce(bank_at, at) AT TIME ZONE zone)::date AS "own_day!", (at AT TIME ZONE zone)::date AS "day!",
                  (amount, currency) AS "amount!: Balance", currency AS "currency: Currency", number AS "number!",
                  (sum, currency) AS "sum!: Balance"
           FROM (SELECT l.*, day_zone(o.seller) AS zone, count(*) OVER each AS number, (sum(l.amount) OVER each)::bigint AS sum,
                        row_number() OVER (PARTITION BY l.currency ORDER BY l.seq) AS nth
                 FROM organisations o JOIN ledger l ON l.organisation_id = o.id
                 WHERE o.id = $1 AND l.received_at >= $2 AND l.received_at < $3 AND coalesce(l.bank_at, l.at) < $2 AND l.kind <> 'moved'
                 WINDOW each AS (PARTITION BY l.currency)) a
           WHERE nth <= $4 ORDER BY currency, nth"#,
        period.organisation_id as _,
        period.from,
        period.before,
        SHOWN,
    )
    .fetch_all(db)
    .await?)
}
