//! Queries for the ledger: every movement of an organisation's money, in the order in which it was booked.

use std::collections::BTreeMap;
use std::fmt;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use rust_decimal::Decimal;
use serde::Serialize;
use shared::db::Db;
use shared::gateway::Gateway;
use shared::ids::{CartId, OrganisationId, RefundId, TransactionId};
use shared::money::{Balance, Currency, serialize_optional_decimal};
use sqlx::types::Json;
use strum::{Display, EnumString, VariantNames};
use utoipa::ToSchema;

use crate::error::{ApiError, ApiResult};
use crate::openapi::schemas;
use crate::words::MovementKind;

/// Movements of a long report that one statement reads.
pub const CHUNK: usize = 1_000;

/// Period of a report.
#[derive(Clone, Copy, Debug)]
pub struct Period {
    pub organisation_id: OrganisationId,
    pub from: DateTime<Utc>,
    pub before: DateTime<Utc>,
    pub by: By,
}

// The day of a movement that a report goes by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, VariantNames, ToSchema)]
#[schema(rename_all = "snake_case", default = "booked")]
#[strum(serialize_all = "snake_case")]
pub enum By {
    #[default]
    Booked,
    Received,
}

/// Movements that a report is about.
#[derive(Clone, Debug, Default)]
pub struct MovementFilter {
    /// All if there are none.
    pub kinds: Vec<MovementKind>,
    pub currency: Option<String>,
    pub gateway: Option<Gateway>,
}

impl MovementFilter {
    /// Indicates whether it leaves out nothing.
    pub fn is_unset(&self) -> bool {
        self.kinds.is_empty() && self.currency.is_none() && self.gateway.is_none()
    }

    fn kinds(&self) -> Vec<String> {
        self.kinds.iter().map(MovementKind::to_string).collect()
    }
}

/// One end of a range of time, as a caller gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// The whole day, in a time zone that the reader knows.
    Day(NaiveDate),
    Time(DateTime<Utc>),
}

impl Edge {
    /// The day, and the time otherwise.
    fn parts(self) -> (Option<NaiveDate>, Option<DateTime<Utc>>) {
        match self {
            Self::Day(day) => (Some(day), None),
            Self::Time(time) => (None, Some(time)),
        }
    }
}

impl fmt::Display for Edge {
    /// As a part of a file's name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day(day) => write!(f, "{day}"),
            Self::Time(time) => write!(f, "{}", time.format("%Y%m%dT%H%M%SZ")),
        }
    }
}

/// The period from one end to another, both included: each a day of the organisation's time zone as a seller, which is UTC without
/// a seller, or a time.
pub async fn period(
    db: &Db,
    organisation_id: OrganisationId,
    from: Edge,
    to: Edge,
    by: By,
) -> ApiResult<Period> {
    let ((first_day, from), (last_day, to)) = (from.parts(), to.parts());
    let row = sqlx::query!(
        r#"SELECT coalesce($3::timestamptz, day_begins($2::date, zone)) AS "from!",
                  coalesce($5::timestamptz + interval '1 microsecond', day_begins($4::date + 1, zone)) AS "before!"
           FROM (SELECT day_zone(seller) AS zone FROM organisations WHERE id = $1) o"#,
        organisation_id as _,
        first_day,
        from,
        last_day,
        to,
    );
    let row = row.fetch_one(db).await?;
    Ok(Period { organisation_id, from: row.from, before: row.before, by })
}

/// The day in the organisation's time zone as a seller, and the zone.
pub async fn today(
    db: &Db,
    organisation_id: OrganisationId,
    now: DateTime<Utc>,
) -> ApiResult<(NaiveDate, String)> {
    let row = sqlx::query!(
        r#"SELECT ($2::timestamptz AT TIME ZONE zone)::date AS "day!", zone AS "zone!"
           FROM (SELECT day_zone(seller) AS zone FROM organisations WHERE id = $1) o"#,
        organisation_id as _,
        now,
    );
    let row = row.fetch_one(db).await?;
    Ok((row.day, row.zone))
}

/// The movements of one kind, currency and rate of tax together; amounts are in major units.
pub struct Total {
    pub kind: MovementKind,
    pub currency: Currency,
    pub tax_country: Option<String>,
    pub tax_state: Option<String>,
    /// In percent; None if the organisation was no seller.
    pub tax_rate: Option<Decimal>,
    pub count: i64,
    pub amount: Decimal,
    pub tax: Decimal,
}

/// Time that one statement sums: a year of a large shop would take longer than a statement may.
const SUMMED: TimeDelta = TimeDelta::days(31);

/// What one sum is about: currency, place, rate (none last) and kind, which is the order of the report.
type TotalKey = (String, Option<String>, Option<String>, (bool, Option<Decimal>), String);

/// Sums what moved in a period, by kind, currency and rate of tax.
pub async fn totals(db: &Db, period: Period, filter: &MovementFilter) -> ApiResult<Vec<Total>> {
    let mut sums: BTreeMap<TotalKey, [i64; 3]> = BTreeMap::new();
    let mut from = period.from;
    while from < period.before {
        let before = period.before.min(from + SUMMED);
        for row in totals_between(db, Period { from, before, ..period }, filter).await? {
            let rate = (row.tax_rate.is_none(), row.tax_rate);
            let sum = sums.entry((row.currency, row.tax_country, row.tax_state, rate, row.kind)).or_default();
            for (sum, part) in sum.iter_mut().zip([row.count, row.amount, row.tax]) {
                *sum += part;
            }
        }
        from = before;
    }
    let totals = sums.into_iter().map(|(key, [count, amount, tax])| {
        let (currency, tax_country, tax_state, (_, tax_rate), kind) = key;
        let currency: Currency = currency.parse().map_err(|_| ApiError::Internal)?;
        let major = |minor| Decimal::new(minor, currency.digits());
        let kind = kind.parse().map_err(|_| ApiError::Internal)?;
        Ok(Total {
            kind,
            currency,
            tax_country,
            tax_state,
            tax_rate,
            count,
            amount: major(amount),
            tax: major(tax),
        })
    });
    totals.collect()
}

struct TotalRow {
    kind: String,
    currency: String,
    tax_country: Option<String>,
    tax_state: Option<String>,
    tax_rate: Option<Decimal>,
    count: i64,
    amount: i64,
    tax: i64,
}

async fn totals_between(db: &Db, period: Period, filter: &MovementFilter) -> ApiResult<Vec<TotalRow>> {
    Ok(sqlx::query_as!(
        TotalRow,
        r#"SELECT l.kind AS "kind!", l.currency AS "currency!", p.terms ->> 'country' AS tax_country, p.terms ->> 'state' AS tax_state,
                  CASE WHEN p.terms IS NOT NULL THEN coalesce(
                      (SELECT sum((c ->> 'rate')::numeric) FROM jsonb_array_elements(p.terms -> 'components') c), 0)
                      END AS "tax_rate: Decimal",
                  count(*) AS "count!", sum(l.amount)::bigint AS "amount!", sum(l.tax)::bigint AS "tax!"
           FROM ledger_of($1, $2, $3, $4) l LEFT JOIN carts k ON k.id = l.cart_id
           CROSS JOIN LATERAL (SELECT coalesce(k.tax_terms -> 'refunded', k.tax_terms) AS terms) p
           WHERE (cardinality($5::text[]) = 0 OR l.kind = ANY ($5)) AND ($6::text IS NULL OR l.currency = $6)
             AND ($7::text IS NULL OR l.gateway = $7)
           GROUP BY 1, 2, 3, 4, 5"#,
        period.organisation_id as _,
        period.from,
        period.before,
        period.by == By::Received,
        &filter.kinds(),
        filter.currency,
        filter.gateway.map(Gateway::name),
    )
    .fetch_all(db)
    .await?)
}

/// One movement of money. The movements of a transaction add up to what the organisation has of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Movement {
    /// Grows with each movement, with gaps.
    seq: i64,
    at: DateTime<Utc>,
    /// The day of `at` in the seller's time zone, which is UTC without a `seller`.
    day: NaiveDate,
    kind: MovementKind,
    /// Null for fees and payouts, which concern no single order.
    #[schema(value_type = Option<Uuid>)]
    cart_id: Option<CartId>,
    /// As `cart_id`.
    #[schema(value_type = Option<Uuid>)]
    transaction_id: Option<TransactionId>,
    /// Null unless a refund moved the money.
    #[schema(value_type = Option<Uuid>)]
    refund_id: Option<RefundId>,
    /// Positive: to the organisation. A payout is negative: it leaves the provider's balance.
    #[schema(value_type = f64, example = -49.99)]
    amount: Balance,
    /// The part of `amount` that is tax, with the same sign.
    #[schema(value_type = f64, example = -7.98)]
    tax: Balance,
    #[schema(value_type = String, pattern = "^[A-Z]{3}$", example = "USD")]
    currency: Currency,
    #[schema(value_type = Gateway)]
    gateway: String,
    /// The provider's id of the payment, refund, dispute or payout. The fees of a payout have its id.
    provider_reference: Option<String>,
    /// The visitor's country at the checkout, if it was known. Regional prices follow it; `tax_country` names the place of the tax.
    region: Option<String>,
    /// Price of the order without discounts; null unless the movement is the payment.
    #[schema(value_type = Option<f64>, minimum = 0, example = 59.99)]
    list_price: Option<Balance>,
    /// `list_price`, with the tax that is charged on top of prices, less what was paid; null unless the movement is the payment.
    #[schema(value_type = Option<f64>, minimum = 0, example = 10)]
    discounts: Option<Balance>,
    /// The part of `discounts` that a voucher gave; null without one, and unless the movement is the payment.
    #[schema(value_type = Option<f64>, exclusive_minimum = 0, example = 5)]
    voucher_discount: Option<Balance>,
    /// The code of the order's voucher.
    #[schema(example = "SPRING-26")]
    voucher: Option<String>,
    /// The voucher's campaign.
    campaign: Option<String>,
    /// The number of the invoice of a payment, or of the credit note of a refund; null before it is issued, and for other
    /// movements.
    #[schema(max_length = 16, example = "NW26-000001")]
    document_number: Option<String>,
    /// The country whose rate the order was taxed with; null if the organisation was no seller then.
    #[schema(pattern = "^[A-Z]{2}$", example = "DE")]
    tax_country: Option<String>,
    /// The state of it, where one was known.
    tax_state: Option<String>,
    /// All taxes of the order together, in percent of its net; 0 where nothing is taxed. An order has one rate. Null if the
    /// organisation was no seller then.
    #[serde(serialize_with = "serialize_optional_decimal")]
    #[schema(value_type = Option<f64>, minimum = 0, maximum = 100, example = 19)]
    tax_rate: Option<Decimal>,
    /// The order's: a tag of BCP 47. Null without an order.
    #[schema(max_length = 35, example = "pt-BR")]
    language: Option<String>,
    /// How the buyer's or the seller's own systems know the order; null if the checkout named none.
    #[schema(max_length = 64, example = "PO-2026-0117")]
    reference: Option<String>,
    /// As the checkout gave it; empty if it gave none.
    #[schema(value_type = schemas::Metadata)]
    metadata: Json<BTreeMap<String, String>>,
    /// The bank's day of a payment that the organisation has reported itself: the last one of several transfers; or the provider's day of a
    /// chargeback, its reversal or a payout, where it says it. In the seller's time zone. It can be in an earlier period than `day`, on which it was
    /// reported. Null for other movements.
    bank_day: Option<NaiveDate>,
    /// The bank's references of these transfers, with a semicolon between them.
    #[schema(example = "2026-01-05/0007")]
    bank_reference: Option<String>,
    /// The tax number of the buyer on the order's newest invoice, by which an EC sales list names a company; null without one.
    #[schema(example = "FR40303265045")]
    tax_id: Option<String>,
    /// Indicates whether that invoice leaves the tax to the buyer.
    reverse_charge: bool,
}

/// The sequence numbers of a report's movements, in the order in which they were booked, at most `limit`. What is booked later has others, so
/// that a report that is being sent does not grow.
pub async fn numbers(db: &Db, period: Period, filter: &MovementFilter, limit: i64) -> ApiResult<Vec<i64>> {
    let numbers = sqlx::query_scalar!(
        r#"SELECT seq AS "seq!" FROM ledger_of($1, $2, $3, $4)
           WHERE (cardinality($6::text[]) = 0 OR kind = ANY ($6)) AND ($7::text IS NULL OR currency = $7)
             AND ($8::text IS NULL OR gateway = $8)
           ORDER BY seq LIMIT $5"#,
        period.organisation_id as _,
        period.from,
        period.before,
        period.by == By::Received,
        limit,
        &filter.kinds(),
        filter.currency,
        filter.gateway.map(Gateway::name),
    );
    Ok(numbers.fetch_all(db).await?)
}

/// The movements with these numbers, in their order. A report reads some after the other, so that a slow reader of a long one holds no
/// connection; by their key, so that the last ones cost no more than the first.
pub async fn movements(
    db: &Db,
    organisation_id: OrganisationId,
    numbers: &[i64],
) -> ApiResult<Vec<Movement>> {
    Ok(sqlx::query_as!(
        Movement,
        r#"SELECT l.seq, l.at, (l.at AT TIME ZONE (SELECT day_zone(seller) FROM organisations WHERE id = $1))::date AS "day!",
                  l.kind AS "kind: MovementKind", l.cart_id, l.transaction_id, l.refund_id,
                  (l.amount, l.currency) AS "amount!: Balance", (l.tax, l.currency) AS "tax!: Balance",
                  l.currency AS "currency: Currency", l.gateway AS "gateway: String", l.provider_reference, t.region AS "region?",
                  CASE l.kind WHEN 'captured' THEN (t.original_price, l.currency) END AS "list_price: Balance",
                  -- The list price has no tax that is charged on top.
                  CASE l.kind WHEN 'captured' THEN
                      (t.original_price - l.amount + CASE WHEN t.tax_on_top > 0 THEN l.tax ELSE 0 END, l.currency)
                      END AS "discounts: Balance",
                  CASE WHEN l.kind = 'captured' AND u.discount IS NOT NULL THEN (u.discount, l.currency)
                      END AS "voucher_discount: Balance",
                  u.code AS "voucher?", u.campaign AS "campaign?",
                  (SELECT d.number FROM documents d
                   WHERE d.cart_id = l.cart_id AND d.state = 'issued' AND CASE l.kind
                       WHEN 'captured' THEN d.kind = 'invoice'
                       WHEN 'refunded' THEN d.refund_id = l.refund_id END
                   -- Of an invoice that was corrected, the one that stands.
                   ORDER BY d.version DESC LIMIT 1) AS document_number,
                  p.terms ->> 'country' AS tax_country, p.terms ->> 'state' AS tax_state,
                  CASE WHEN p.terms IS NOT NULL THEN trim_scale(coalesce(
                      (SELECT sum((c ->> 'rate')::numeric) FROM jsonb_array_elements(p.terms -> 'components') c), 0))
                      END AS "tax_rate: Decimal",
                  k.language AS "language?", k.reference, coalesce(k.metadata, '{}') AS "metadata!: Json<BTreeMap<String, String>>",
                  (l.bank_at AT TIME ZONE (SELECT day_zone(seller) FROM organisations WHERE id = $1))::date AS bank_day,
                  b.reference AS bank_reference,
                  coalesce(n.content -> 'buyer' ->> 'tax_id', k.billing_address ->> 'tax_id') AS tax_id,
                  coalesce(n.content ? 'reverse_charge', false) AS "reverse_charge!"
           FROM ledger l
           -- Each OFFSET leaves the planner only the way by the key: it would read the whole table each time.
           LEFT JOIN LATERAL (SELECT cart_id, region, original_price, tax_on_top FROM transactions WHERE id = l.transaction_id OFFSET 0) t ON true
           LEFT JOIN LATERAL (SELECT id, tax_terms, language, reference, metadata, billing_address
                         FROM carts WHERE id = t.cart_id OFFSET 0) k ON true
           CROSS JOIN LATERAL (SELECT coalesce(k.tax_terms -> 'refunded', k.tax_terms) AS terms) p
           -- What had arrived when it was booked as paid. A later transfer is too much, and is no movement.
           CROSS JOIN LATERAL (
               SELECT string_agg(r.reference, '; ' ORDER BY r.received_at, r.id) AS reference
               FROM received_payments r
               WHERE l.kind = 'captured' AND r.transaction_id = l.transaction_id AND r.created_at <= l.at
                 AND (r.returned_at IS NULL OR r.returned_at > l.at)) b
           LEFT JOIN LATERAL (SELECT v.code, v.campaign, u.discount FROM voucher_uses u JOIN vouchers v ON v.id = u.voucher_id AND v.kind <> 'place'
                              WHERE u.cart_id = l.cart_id OFFSET 0) u ON true
           -- Documents keep what an erasure takes off the order.
           LEFT JOIN LATERAL (SELECT d.content FROM documents d WHERE d.cart_id = l.cart_id AND d.kind = 'invoice' AND d.state <> 'replaced'
                              ORDER BY d.version DESC LIMIT 1) n ON true
           WHERE l.organisation_id = $1 AND l.seq = ANY ($2) ORDER BY l.seq"#,
        organisation_id as _,
        numbers,
    )
    .fetch_all(db)
    .await?)
}
