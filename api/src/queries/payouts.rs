//! Queries for payouts of providers, and for the movements in them.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use shared::db::Db;
use shared::gateway::Gateway;
use shared::ids::{CartId, OrganisationId, RefundId};
use shared::money::{Balance, Currency, Exact};
use utoipa::ToSchema;
use uuid::Uuid;

use super::ledger::{CHUNK, Period};
use crate::error::ApiResult;
use crate::words::{PayoutMovementKind, PayoutStatus};

/// A payout of a provider. `amount` is the sum of the columns from `payments` to `difference`, once all is read.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PayoutRow)]
pub struct Payout {
    /// The provider's id.
    #[schema(example = "po_1SYhFpKZ4Tq2vXcM")]
    payout: String,
    #[schema(value_type = Gateway)]
    gateway: String,
    status: PayoutStatus,
    /// The day on which it was made, in the seller's time zone.
    made_on: NaiveDate,
    /// The day on which the bank has it, as far as the provider says it.
    bank_day: Option<NaiveDate>,
    /// How the bank knows it.
    bank_reference: Option<String>,
    /// What is paid to the bank; below 0 if the provider has drawn money from there.
    #[schema(value_type = f64, example = 4615.2)]
    amount: Balance,
    #[schema(value_type = String, pattern = "^[A-Z]{3}$", example = "USD")]
    currency: Currency,
    /// What buyers have paid, without fees. Some providers state parts with more digits than the currency has; the payout is rounded once.
    #[schema(value_type = f64, example = 5000)]
    payments: Exact,
    #[schema(value_type = f64, example = -199)]
    refunds: Exact,
    /// What disputes have taken, or given back.
    #[schema(value_type = f64, example = 0)]
    disputes: Exact,
    /// What the provider keeps, its tax included.
    #[schema(value_type = f64, example = -185.8)]
    fees: Exact,
    /// Earlier payouts that have come back.
    #[schema(value_type = f64, example = 0)]
    returned: Exact,
    /// Movements of a kind that is not known.
    #[schema(value_type = f64, example = 0)]
    other: Exact,
    #[schema(value_type = f64, example = 0)]
    rounding: Exact,
    /// What the movements do not explain. Null until they are read.
    #[schema(value_type = Option<f64>, example = 0)]
    difference: Option<Exact>,
    /// The tax in the fees.
    #[schema(value_type = f64, example = -29.7)]
    fee_tax: Exact,
    /// The number of movements in it.
    #[schema(minimum = 0, example = 31)]
    movements: i64,
    /// Indicates whether the provider says what is in it. Stripe does not for a payout that the organisation has asked for.
    itemised: bool,
}

/// The payouts that were made in a period, in their order.
pub async fn payouts(db: &Db, period: Period) -> ApiResult<Vec<Payout>> {
    Ok(sqlx::query_as!(
        Payout,
        r#"SELECT p.reference AS payout, p.gateway AS "gateway: String", p.state AS "status: PayoutStatus",
                  (p.made_at AT TIME ZONE day_zone(o.seller))::date AS "made_on!", p.bank_day, p.bank_reference,
                  (p.amount, p.currency) AS "amount!: Balance", p.currency AS "currency: Currency",
                  (r.payments, p.currency) AS "payments!: Exact", (r.refunds, p.currency) AS "refunds!: Exact",
                  (r.disputes, p.currency) AS "disputes!: Exact", (-r.fees, p.currency) AS "fees!: Exact",
                  (r.returned, p.currency) AS "returned!: Exact", (r.other, p.currency) AS "other!: Exact",
                  (r.rounding, p.currency) AS "rounding!: Exact",
                  CASE WHEN p.difference IS NOT NULL THEN (p.difference, p.currency) END AS "difference: Exact",
                  (-r.fee_tax, p.currency) AS "fee_tax!: Exact", r.movements AS "movements!", p.is_itemised AS itemised
           FROM payouts p JOIN organisations o ON o.id = p.organisation_id
           CROSS JOIN LATERAL (
               SELECT coalesce(sum(gross) FILTER (WHERE kind = 'payment'), 0) AS payments,
                      coalesce(sum(gross) FILTER (WHERE kind = 'refund'), 0) AS refunds,
                      coalesce(sum(gross) FILTER (WHERE kind = 'dispute'), 0) AS disputes,
                      coalesce(sum(gross) FILTER (WHERE kind = 'payout'), 0) AS returned,
                      coalesce(sum(gross) FILTER (WHERE kind IN ('other', 'fee')), 0) AS other,
                      coalesce(sum(gross) FILTER (WHERE kind = 'rounding'), 0) AS rounding,
                      coalesce(sum(fee), 0) AS fees, coalesce(sum(fee_tax), 0) AS fee_tax,
                      coalesce(sum(items) FILTER (WHERE kind <> 'rounding'), 0)::bigint AS movements
               FROM payout_rows WHERE payout_id = p.id AND balance IS NULL AND currency = p.currency) r
           WHERE p.organisation_id = $1 AND p.made_at >= $2 AND p.made_at < $3 ORDER BY p.made_at, p.id"#,
        period.organisation_id as _,
        period.from,
        period.before,
    )
    .fetch_all(db)
    .await?)
}

/// A movement in a payout, or several that the provider has added up.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayoutMovement {
    /// The provider's id of the payout.
    payout: String,
    #[schema(value_type = Gateway)]
    gateway: String,
    /// The provider's id of the movement.
    movement: String,
    kind: PayoutMovementKind,
    /// The provider's own word for the kind.
    provider_kind: String,
    /// The provider's time of it; null if it adds up several.
    at: Option<DateTime<Utc>>,
    /// The order, if it is known which one.
    #[schema(value_type = Option<Uuid>)]
    cart_id: Option<CartId>,
    #[schema(value_type = Option<Uuid>)]
    refund_id: Option<RefundId>,
    /// Without the fee; with all digits of the provider.
    #[schema(value_type = f64, example = 199)]
    gross: Exact,
    /// What the provider keeps, its tax included.
    #[schema(value_type = f64, example = -6.07)]
    fee: Exact,
    /// The tax in the fee.
    #[schema(value_type = f64, example = 0)]
    fee_tax: Exact,
    /// The sum of `gross` and `fee`.
    #[schema(value_type = f64, example = 192.93)]
    net: Exact,
    #[schema(value_type = String, pattern = "^[A-Z]{3}$", example = "USD")]
    currency: Currency,
    /// The number of movements that it adds up.
    #[schema(minimum = 0, example = 1)]
    movements: i64,
    /// A balance of the provider that the payout is not made from: such a movement is not counted in it. Null for all others.
    balance: Option<String>,
}

/// The payouts of a period that have movements, in their order, and the number of all movements.
pub async fn itemised(db: &Db, period: Period) -> ApiResult<(Vec<Uuid>, usize)> {
    let rows = sqlx::query!(
        r#"SELECT p.id, r.count AS "count!" FROM payouts p
           CROSS JOIN LATERAL (SELECT count(*) FROM payout_rows WHERE payout_id = p.id) r
           WHERE p.organisation_id = $1 AND p.made_at >= $2 AND p.made_at < $3 AND r.count > 0 ORDER BY p.made_at, p.id"#,
        period.organisation_id as _,
        period.from,
        period.before,
    )
    .fetch_all(db)
    .await?;
    let count = rows.iter().map(|row| usize::try_from(row.count).unwrap_or_default()).sum();
    Ok((rows.into_iter().map(|row| row.id).collect(), count))
}

/// Movements of a payout after the one with this id, at most [`CHUNK`].
pub async fn movements(db: &Db, payout: Uuid, after: &str) -> ApiResult<Vec<PayoutMovement>> {
    Ok(sqlx::query_as!(
        PayoutMovement,
        r#"SELECT p.reference AS payout, p.gateway AS "gateway: String", r.reference AS movement,
                  r.kind AS "kind: PayoutMovementKind", r.provider_kind, r.moved_at AS at, t.cart_id AS "cart_id?", r.refund_id,
                  (r.gross, r.currency) AS "gross!: Exact", (-r.fee, r.currency) AS "fee!: Exact",
                  (-r.fee_tax, r.currency) AS "fee_tax!: Exact", (r.gross - r.fee, r.currency) AS "net!: Exact",
                  r.currency AS "currency: Currency", r.items AS movements, r.balance
           FROM payout_rows r JOIN payouts p ON p.id = r.payout_id LEFT JOIN transactions t ON t.id = r.transaction_id
           WHERE r.payout_id = $1 AND r.reference > $2 ORDER BY r.reference LIMIT $3"#,
        payout,
        after,
        i64::try_from(CHUNK).unwrap_or(i64::MAX),
    )
    .fetch_all(db)
    .await?)
}

impl PayoutMovement {
    /// The provider's id of it.
    pub fn id(&self) -> &str {
        &self.movement
    }
}

/// An account whose payouts are not all shown.
pub struct Unread {
    pub gateway: String,
    /// Time when the provider refused to show them.
    pub refused_at: Option<DateTime<Utc>>,
}

/// The accounts of an organisation whose payouts its provider refuses to show, or has never been asked for to the end.
pub async fn unread(db: &Db, organisation_id: OrganisationId) -> ApiResult<Vec<Unread>> {
    Ok(sqlx::query_as!(
        Unread,
        r#"SELECT gateway AS "gateway: String", refused_at FROM payout_readings
           WHERE organisation_id = $1 AND (refused_at IS NOT NULL OR read_to IS NULL) ORDER BY 1"#,
        organisation_id as _,
    )
    .fetch_all(db)
    .await?)
}
