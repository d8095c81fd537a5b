//! Queries for the ledger: every movement of an organisation's money, in the order in which it was booked.

use std::collections::BTreeMap;
use std::fmt;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use rust_decimal::Decimal;
use shared::db::Db;
use shared::ids::{CartId, OrganisationId, RefundId, TransactionId};
use shared::money::Currency;
use sqlx::types::Json;

use crate::error::{ApiError, ApiResult};
use crate::request_log;
use crate::words::MovementKind;

/// Movements of a long report that one statement reads.
pub const CHUNK: usize = 1_000;

/// Period of a report.
#[derive(Clone, Copy)]
pub struct Period {
    pub organisation_id: OrganisationId,
    pub from: DateTime<Utc>,
    pub before: DateTime<Utc>,
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
pub async fn period(db: &Db, organisation_id: OrganisationId, from: Edge, to: Edge) -> ApiResult<Period> {
    let ((first_day, from), (last_day, to)) = (from.parts(), to.parts());
    let row = sqlx::query!(
        r#"SELECT coalesce($3::timestamptz, $2::date::timestamp AT TIME ZONE zone) AS "from!",
                  coalesce($5::timestamptz + interval '1 microsecond', ($4::date + 1)::timestamp AT TIME ZONE zone) AS "before!"
           FROM (SELECT day_zone(seller) AS zone FROM organisations WHERE id = $1) o"#,
        organisation_id as _,
        first_day,
        from,
        last_day,
        to,
    );
    let row = row.fetch_one(db).await?;
    Ok(Period { organisation_id, from: row.from, before: row.before })
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
pub async fn totals(db: &Db, period: Period) -> ApiResult<Vec<Total>> {
    let mut sums: BTreeMap<TotalKey, [i64; 3]> = BTreeMap::new();
    let mut from = period.from;
    while from < period.before {
        let before = period.before.min(from + SUMMED);
        for row in totals_between(db, period.organisation_id, from, before).await? {
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

async fn totals_between(
    db: &Db,
    organisation_id: OrganisationId,
    from: DateTime<Utc>,
    before: DateTime<Utc>,
) -> ApiResult<Vec<TotalRow>> {
    Ok(sqlx::query_as!(
        TotalRow,
        r#"SELECT l.kind, l.currency, p.terms ->> 'country' AS tax_country, p.terms ->> 'state' AS tax_state,
                  CASE WHEN p.terms IS NOT NULL THEN coalesce(
                      (SELECT sum((c ->> 'rate')::numeric) FROM jsonb_array_elements(p.terms -> 'components') c), 0)
                      END AS "tax_rate: Decimal",
                  count(*) AS "count!", sum(l.amount)::bigint AS "amount!", sum(l.tax)::bigint AS "tax!"
           FROM ledger l JOIN carts k ON k.id = l.cart_id
           CROSS JOIN LATERAL (SELECT coalesce(k.tax_terms -> 'refunded', k.tax_terms) AS terms) p
           WHERE l.organisation_id = $1 AND l.at >= $2 AND l.at < $3
           GROUP BY 1, 2, 3, 4, 5"#,
        organisation_id as _,
        from,
        before,
    )
    .fetch_all(db)
    .await?)
}

/// One movement of money; amounts are in major units.
pub struct Movement {
    pub seq: i64,
    pub at: DateTime<Utc>,
    /// In the organisation's time zone as a seller, which is UTC without a seller.
    pub day: NaiveDate,
    pub kind: MovementKind,
    pub cart_id: CartId,
    pub transaction_id: TransactionId,
    pub refund_id: Option<RefundId>,
    pub amount: Decimal,
    /// The part of the amount that is tax, with the same sign.
    pub tax: Decimal,
    pub currency: Currency,
    pub gateway: String,
    pub provider_reference: Option<String>,
    pub region: Option<String>,
    /// Place at which the order was taxed, and all taxes together in percent, 0 where nothing is taxed; None if its
    /// organisation was no seller.
    pub tax_country: Option<String>,
    pub tax_state: Option<String>,
    pub tax_rate: Option<Decimal>,
    /// Before discounts; None unless the movement is the payment.
    pub list_price: Option<Decimal>,
    pub discounts: Option<Decimal>,
    /// The part of the discounts that a voucher gave; None without one.
    pub voucher_discount: Option<Decimal>,
    /// The code of the order's voucher, and its campaign.
    pub voucher: Option<String>,
    pub campaign: Option<String>,
    /// The number of the invoice of a payment that stands, or of the credit note of a refund.
    pub document: Option<String>,
    /// Of the order.
    pub language: String,
    pub reference: Option<String>,
    pub metadata: BTreeMap<String, String>,
    /// The bank's day and references of a payment that the organisation has reported itself, in its time zone; None for others.
    pub bank_day: Option<NaiveDate>,
    pub bank_reference: Option<String>,
    /// Of the buyer on the newest invoice.
    pub tax_id: Option<String>,
    /// Indicates whether that invoice leaves the tax to the buyer.
    pub reverse_charge: bool,
}

/// The sequence numbers of a report's movements, in the order in which they were booked, at most `limit`. What is booked later has others, so
/// that a report that is being sent does not grow.
pub async fn numbers(db: &Db, period: Period, limit: i64) -> ApiResult<Vec<i64>> {
    let numbers = sqlx::query_scalar!(
        "SELECT seq FROM ledger WHERE organisation_id = $1 AND at >= $2 AND at < $3 ORDER BY seq LIMIT $4",
        period.organisation_id as _,
        period.from,
        period.before,
        limit,
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
    let rows = sqlx::query_as!(
        Row,
        r#"SELECT l.seq, l.at, (l.at AT TIME ZONE (SELECT day_zone(seller) FROM organisations WHERE id = $1))::date AS "day!", l.kind, l.cart_id, l.transaction_id, l.refund_id, l.amount, l.tax, l.currency,
                  l.gateway AS "gateway: String", l.provider_reference, t.region, t.original_price, t.tax_on_top,
                  p.terms ->> 'country' AS tax_country, p.terms ->> 'state' AS tax_state,
                  CASE WHEN p.terms IS NOT NULL THEN coalesce(
                      (SELECT sum((c ->> 'rate')::numeric) FROM jsonb_array_elements(p.terms -> 'components') c), 0)
                      END AS "tax_rate: Decimal",
                  k.language, k.reference, k.metadata AS "metadata: Json<BTreeMap<String, String>>", u.code AS "voucher?", u.campaign AS "campaign?", u.discount AS "voucher_discount?",
                  (SELECT d.number FROM documents d
                   WHERE d.cart_id = l.cart_id AND CASE l.kind
                       WHEN 'captured' THEN d.kind = 'invoice'
                       WHEN 'refunded' THEN d.refund_id = l.refund_id END
                   -- Of an invoice that was corrected, the one that stands.
                   ORDER BY d.version DESC LIMIT 1) AS document,
                  (b.received_at AT TIME ZONE (SELECT day_zone(seller) FROM organisations WHERE id = $1))::date AS bank_day,
                  b.reference AS bank_reference,
                  coalesce(n.content -> 'buyer' ->> 'tax_id', k.billing_address ->> 'tax_id') AS tax_id,
                  coalesce(n.content ? 'reverse_charge', false) AS "reverse_charge!"
           FROM ledger l
           -- Each OFFSET leaves the planner only the way by the key: it would read the whole table each time.
           JOIN LATERAL (SELECT cart_id, region, original_price, tax_on_top FROM transactions WHERE id = l.transaction_id OFFSET 0) t ON true
           JOIN LATERAL (SELECT id, tax_terms, language, reference, metadata, billing_address
                         FROM carts WHERE id = t.cart_id OFFSET 0) k ON true
           CROSS JOIN LATERAL (SELECT coalesce(k.tax_terms -> 'refunded', k.tax_terms) AS terms) p
           -- What had arrived when it was booked as paid. A later transfer is too much, and is no movement.
           CROSS JOIN LATERAL (
               SELECT max(r.received_at) AS received_at, string_agg(r.reference, '; ' ORDER BY r.received_at, r.id) AS reference
               FROM received_payments r
               WHERE l.kind = 'captured' AND r.transaction_id = l.transaction_id AND r.created_at <= l.at
                 AND (r.returned_at IS NULL OR r.returned_at > l.at)) b
           LEFT JOIN LATERAL (SELECT v.code, v.campaign, u.discount FROM voucher_uses u JOIN vouchers v ON v.id = u.voucher_id
                              WHERE u.cart_id = l.cart_id OFFSET 0) u ON true
           -- Documents keep what an erasure takes off the order.
           LEFT JOIN LATERAL (SELECT d.content FROM documents d WHERE d.cart_id = l.cart_id AND d.kind = 'invoice'
                              ORDER BY d.version DESC LIMIT 1) n ON true
           WHERE l.organisation_id = $1 AND l.seq = ANY ($2) ORDER BY l.seq"#,
        organisation_id as _,
        numbers,
    )
    .fetch_all(db)
    .await?;
    rows.into_iter().map(Row::movement).collect()
}

struct Row {
    seq: i64,
    at: DateTime<Utc>,
    day: NaiveDate,
    kind: String,
    cart_id: CartId,
    transaction_id: TransactionId,
    refund_id: Option<RefundId>,
    amount: i64,
    tax: i64,
    currency: String,
    gateway: String,
    provider_reference: Option<String>,
    region: Option<String>,
    tax_country: Option<String>,
    tax_state: Option<String>,
    tax_rate: Option<Decimal>,
    original_price: i64,
    tax_on_top: i64,
    voucher: Option<String>,
    campaign: Option<String>,
    voucher_discount: Option<i64>,
    document: Option<String>,
    language: String,
    reference: Option<String>,
    metadata: Option<Json<BTreeMap<String, String>>>,
    bank_day: Option<NaiveDate>,
    bank_reference: Option<String>,
    tax_id: Option<String>,
    reverse_charge: bool,
}

impl Row {
    fn movement(self) -> ApiResult<Movement> {
        let currency: Currency = self.currency.parse().map_err(|_| self.damaged("currency"))?;
        let kind = self.kind.parse().map_err(|_| self.damaged("kind"))?;
        let major = |minor| Decimal::new(minor, currency.digits());
        let is_payment = kind == MovementKind::Captured;
        // The list price has no tax that is charged on top.
        let without_tax = self.amount - if self.tax_on_top > 0 { self.tax } else { 0 };
        Ok(Movement {
            seq: self.seq,
            at: self.at,
            day: self.day,
            kind,
            cart_id: self.cart_id,
            transaction_id: self.transaction_id,
            refund_id: self.refund_id,
            amount: major(self.amount),
            tax: major(self.tax),
            currency,
            gateway: self.gateway,
            provider_reference: self.provider_reference,
            region: self.region,
            tax_country: self.tax_country,
            tax_state: self.tax_state,
            tax_rate: self.tax_rate.map(|rate| rate.normalize()),
            list_price: is_payment.then(|| major(self.original_price)),
            discounts: is_payment.then(|| major(self.original_price - without_tax)),
            voucher_discount: self.voucher_discount.filter(|_| is_payment).map(major),
            voucher: self.voucher,
            campaign: self.campaign,
            document: self.document,
            reference: self.reference,
            metadata: self.metadata.map(|metadata| metadata.0).unwrap_or_default(),
            language: self.language,
            bank_day: self.bank_day,
            bank_reference: self.bank_reference,
            tax_id: self.tax_id,
            reverse_charge: self.reverse_charge,
        })
    }

    fn damaged(&self, what: &str) -> ApiError {
        request_log::failed(format_args!("unreadable {what} in the ledger at {}", self.seq));
        ApiError::Internal
    }
}
