//! Queries for vouchers and their uses.

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use shared::course_mode::CourseMode;
use shared::db::Db;
use shared::ids::{CartId, OrganisationId, VoucherId};
use shared::messages::ItemKind;
use shared::money::{Currency, Money};
use uuid::Uuid;

use super::{COUNTED, Page};
use crate::error::{ApiError, ApiResult};
use crate::request_log;
use crate::words::VoucherUseStatus;

/// Filter of a list of vouchers; None filters nothing.
pub struct VoucherFilter {
    pub organisation_id: OrganisationId,
    pub code: Option<String>,
    pub campaign: Option<String>,
}

pub struct Voucher {
    pub id: VoucherId,
    pub code: String,
    pub value: VoucherValue,
    pub currency: Currency,
    pub max_uses: Option<i32>,
    pub max_uses_per_buyer: Option<i32>,
    pub budget: Option<Money>,
    pub valid_from: DateTime<Utc>,
    pub valid_until: Option<DateTime<Utc>>,
    pub course_ids: Vec<Uuid>,
    pub program_ids: Vec<Uuid>,
    pub campaign: Option<String>,
    pub note: Option<String>,
    /// Address of the pool's holder; only of seats.
    pub email: Option<String>,
    pub created_at: DateTime<Utc>,
    /// Of carts that wait for their payment, that are paid, or that were free.
    pub uses: i64,
    pub spent: Money,
}

#[derive(Clone, Copy)]
pub enum VoucherValue {
    Percent(Decimal),
    Amount(Money),
    /// One place in the item that the voucher is for, in this mode.
    Seat(CourseMode),
}

pub struct VoucherUse {
    pub cart_id: CartId,
    pub email: String,
    pub discount: Money,
    pub state: VoucherUseStatus,
    pub at: DateTime<Utc>,
}

/// Vouchers by their ids, in the order of creation and then of their ids.
pub async fn by_ids(db: &Db, ids: &[VoucherId]) -> ApiResult<Vec<Voucher>> {
    let rows = sqlx::query_as!(
        Row,
        r#"SELECT v.id, v.code, v.percent AS "percent: Decimal", v.amount, v.mode, v.email, v.currency, v.max_uses, v.max_uses_per_buyer,
                  v.budget, v.valid_from, v.valid_until, v.campaign, v.note, v.created_at,
                  ARRAY(SELECT s.course_id FROM voucher_scope s WHERE s.voucher_id = v.id AND s.course_id IS NOT NULL
                        ORDER BY 1) AS "course_ids!: Vec<Uuid>",
                  ARRAY(SELECT s.program_id FROM voucher_scope s WHERE s.voucher_id = v.id AND s.program_id IS NOT NULL
                        ORDER BY 1) AS "program_ids!: Vec<Uuid>",
                  u.uses AS "uses!", u.spent AS "spent!"
           FROM vouchers v, LATERAL (
               SELECT v.uses::bigint AS uses, v.spent WHERE num_nonnulls(v.max_uses, v.budget) > 0
               UNION ALL
               SELECT coalesce(sum(s.uses), 0)::bigint, coalesce(sum(s.spent), 0)::bigint FROM voucher_sums s
               WHERE s.voucher_id = v.id HAVING num_nonnulls(v.max_uses, v.budget) = 0) u
           WHERE v.id = ANY ($1) ORDER BY v.created_at DESC, v.id"#,
        ids as _,
    )
    .fetch_all(db)
    .await?;
    rows.into_iter().map(Row::voucher).collect()
}

/// A page of vouchers, newest first.
pub async fn page(db: &Db, filter: &VoucherFilter, limit: i64, offset: i64) -> ApiResult<Page<Voucher>> {
    let total = sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM (SELECT FROM vouchers
               WHERE organisation_id = $1 AND kind <> 'place' AND ($2::text IS NULL OR code = $2) AND ($3::text IS NULL OR campaign = $3)
               LIMIT $4) counted"#,
        filter.organisation_id as _,
        filter.code,
        filter.campaign,
        COUNTED,
    );
    let total = total.fetch_one(db).await?;
    let ids = sqlx::query_scalar!(
        "SELECT id FROM vouchers
         WHERE organisation_id = $1 AND kind <> 'place' AND ($2::text IS NULL OR code = $2) AND ($3::text IS NULL OR campaign = $3)
         ORDER BY created_at DESC, id LIMIT $4 OFFSET $5",
        filter.organisation_id as _,
        filter.code,
        filter.campaign,
        limit + 1,
        offset,
    );
    let ids = Page::new(ids.fetch_all(db).await?, total, limit);
    Ok(Page { items: by_ids(db, &ids.items).await?, total, has_more: ids.has_more })
}

/// Vouchers whose codes are taken along.
pub enum Batch<'a> {
    /// Those that were created together with this one.
    With(VoucherId),
    Campaign(&'a str),
}

/// The codes of some vouchers of an organisation, the newest first; pools of seats are not among them.
pub async fn codes(db: &Db, organisation_id: OrganisationId, batch: Batch<'_>) -> ApiResult<Vec<String>> {
    let (with, campaign) = match batch {
        Batch::With(id) => (Some(id), None),
        Batch::Campaign(campaign) => (None, Some(campaign)),
    };
    Ok(sqlx::query_scalar!(
        "SELECT code FROM vouchers WHERE organisation_id = $1 AND kind NOT IN ('seat', 'place') AND ($3::text IS NULL OR campaign = $3)
           AND ($2::uuid IS NULL OR created_at = (SELECT created_at FROM vouchers WHERE id = $2 AND organisation_id = $1))
         ORDER BY created_at DESC, id",
        organisation_id as _,
        with as _,
        campaign,
    )
    .fetch_all(db)
    .await?)
}

/// A voucher of an organisation; None if it has none with this id.
pub async fn find(db: &Db, organisation_id: OrganisationId, id: VoucherId) -> ApiResult<Option<Voucher>> {
    let owned = sqlx::query_scalar!(
        "SELECT id FROM vouchers WHERE id = $1 AND organisation_id = $2 AND kind <> 'place'",
        id as _,
        organisation_id as _,
    );
    match owned.fetch_optional(db).await? {
        Some(id) => Ok(by_ids(db, &[id]).await?.pop()),
        None => Ok(None),
    }
}

/// A page of a voucher's uses, newest first.
pub async fn uses(db: &Db, voucher: &Voucher, limit: i64, offset: i64) -> ApiResult<Page<VoucherUse>> {
    let total = sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM (SELECT FROM voucher_uses WHERE voucher_id = $1 LIMIT $2) counted"#,
        voucher.id as _,
        COUNTED,
    );
    let total = total.fetch_one(db).await?;
    let rows = sqlx::query!(
        "SELECT cart_id, email, discount, state, at FROM voucher_uses WHERE voucher_id = $1
         ORDER BY at DESC, cart_id LIMIT $2 OFFSET $3",
        voucher.id as _,
        limit + 1,
        offset,
    );
    let uses = rows.fetch_all(db).await?.into_iter().map(|row| {
        let discount = money(row.discount, voucher.currency)?;
        let state = row.state.parse().map_err(|_| damaged("use"))?;
        Ok(VoucherUse { cart_id: row.cart_id, email: row.email, discount, state, at: row.at })
    });
    Ok(Page::new(uses.collect::<ApiResult<_>>()?, total, limit))
}

struct Row {
    id: VoucherId,
    code: String,
    percent: Option<Decimal>,
    amount: Option<i64>,
    mode: Option<String>,
    email: Option<String>,
    currency: String,
    max_uses: Option<i32>,
    max_uses_per_buyer: Option<i32>,
    budget: Option<i64>,
    valid_from: DateTime<Utc>,
    valid_until: Option<DateTime<Utc>>,
    campaign: Option<String>,
    note: Option<String>,
    created_at: DateTime<Utc>,
    course_ids: Vec<Uuid>,
    program_ids: Vec<Uuid>,
    uses: i64,
    spent: i64,
}

impl Row {
    fn voucher(self) -> ApiResult<Voucher> {
        let currency: Currency = self.currency.parse().map_err(|_| damaged("currency"))?;
        let value = match (self.percent, self.amount, self.mode) {
            (Some(percent), _, _) => VoucherValue::Percent(percent),
            (None, Some(amount), _) => VoucherValue::Amount(money(amount, currency)?),
            (None, None, Some(mode)) => VoucherValue::Seat(mode.parse().map_err(|_| damaged("mode"))?),
            (None, None, None) => return Err(damaged("value")),
        };
        Ok(Voucher {
            id: self.id,
            code: self.code,
            value,
            currency,
            max_uses: self.max_uses,
            max_uses_per_buyer: self.max_uses_per_buyer,
            budget: self.budget.map(|minor| money(minor, currency)).transpose()?,
            valid_from: self.valid_from,
            valid_until: self.valid_until,
            course_ids: self.course_ids,
            program_ids: self.program_ids,
            campaign: self.campaign,
            note: self.note,
            email: self.email,
            created_at: self.created_at,
            uses: self.uses,
            spent: money(self.spent, currency)?,
        })
    }
}

fn money(minor: i64, currency: Currency) -> ApiResult<Money> {
    Money::from_minor(minor, currency).map_err(|_| damaged("amount"))
}

fn damaged(what: &str) -> ApiError {
    request_log::failed(format_args!("unreadable {what} of a stored voucher"));
    ApiError::Internal
}

/// A course or program that a code is for.
pub struct ItemOfCode {
    pub kind: ItemKind,
    pub id: Uuid,
    /// That of a pool's seats.
    pub mode: Option<CourseMode>,
}

/// What a code of any organisation is for, at most two courses and programs; empty for all that its organisation sells. None if there
/// is no such code.
pub async fn items_of_code(db: &Db, code: &str) -> ApiResult<Option<Vec<ItemOfCode>>> {
    // By the organisations, which are few: no index begins with the code.
    let rows = sqlx::query!(
        r#"SELECT s.course_id AS "course_id?", s.program_id AS "program_id?", v.mode AS "mode: CourseMode"
           FROM (SELECT v.id, v.mode FROM organisations o
                 CROSS JOIN LATERAL (SELECT id, mode FROM vouchers WHERE organisation_id = o.id AND code = $1 OFFSET 0) v
                 ORDER BY v.id LIMIT 1) v
           LEFT JOIN voucher_scope s ON s.voucher_id = v.id LIMIT 2"#,
        code,
    );
    let rows = rows.fetch_all(db).await?;
    let is_known = !rows.is_empty();
    let items = rows.into_iter().filter_map(|row| {
        let (kind, id) = match row.program_id {
            Some(program) => (ItemKind::Program, program),
            None => (ItemKind::Course, row.course_id?),
        };
        Some(ItemOfCode { kind, id, mode: row.mode })
    });
    Ok(is_known.then(|| items.collect()))
}
