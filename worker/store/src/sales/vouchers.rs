//! Vouchers: created and changed.
//!
//! Why: `docs/decisions/voucher-uses.md`

use chrono::{DateTime, SubsecRound, Utc};
use rust_decimal::Decimal;
use serde::Serialize;
use serde_json::json;
use shared::access_period::AccessPeriod;
use shared::course_mode::CourseMode;
use shared::db::Db;
use shared::email::Email;
use shared::ids::{CartId, OrganisationId, VoucherId};
use shared::messages::{VoucherTerms, VoucherValue};
use shared::money::{Currency, Money};
use shared::voucher::Code;
use sqlx::PgConnection;

use crate::error::{JobError, JobResult};
use crate::plumbing::audit::{self, Cause, Change, Entity};

/// The fields that name a course or program that the organisation does not have.
pub async fn unknown_scope(
    db: &mut PgConnection,
    organisation_id: OrganisationId,
    terms: &VoucherTerms,
) -> JobResult<Vec<String>> {
    let courses = sqlx::query_scalar!(
        "SELECT id FROM courses WHERE organisation_id = $1 AND id = ANY($2)",
        organisation_id as _,
        &terms.course_ids,
    );
    let courses = courses.fetch_all(&mut *db).await?;
    let programs = sqlx::query_scalar!(
        "SELECT id FROM programs WHERE organisation_id = $1 AND id = ANY($2)",
        organisation_id as _,
        &terms.program_ids,
    );
    let programs = programs.fetch_all(db).await?;
    let given = [("course_ids", &terms.course_ids, courses), ("program_ids", &terms.program_ids, programs)];
    let unknown = given.into_iter().flat_map(|(field, ids, found)| {
        let unknown = ids.iter().enumerate().filter(move |(_, id)| !found.contains(id));
        unknown.map(move |(index, _)| format!("{field}[{index}]"))
    });
    Ok(unknown.collect())
}

/// The amounts of a voucher, in the organisation's currency.
pub struct Amounts {
    pub currency: Currency,
    pub amount: Option<Money>,
    pub budget: Option<Money>,
}

/// Holder of a pool's seats.
pub struct Owner<'a> {
    pub email: &'a Email,
    /// As in `carts.buyer`.
    pub buyer: &'a str,
    /// The cart and the position of the line that paid for them; None if they were paid elsewhere.
    pub line: Option<(CartId, i32)>,
}

/// Vouchers of the same terms.
pub struct NewVouchers<'a> {
    pub organisation_id: OrganisationId,
    pub codes: &'a [(VoucherId, Code)],
    pub terms: &'a VoucherTerms,
    pub amounts: &'a Amounts,
    /// The pool's buyer; None unless they are seats.
    pub owner: Option<&'a Owner<'a>>,
}

/// What the rows of new vouchers share: its fields have the names of the columns.
#[derive(Serialize)]
struct Row<'a> {
    organisation_id: OrganisationId,
    kind: &'static str,
    percent: Option<Decimal>,
    amount: Option<i64>,
    currency: &'static str,
    max_uses: Option<i32>,
    max_uses_per_buyer: Option<i32>,
    budget: Option<i64>,
    valid_from: DateTime<Utc>,
    valid_until: Option<DateTime<Utc>>,
    campaign: Option<&'a str>,
    note: Option<&'a str>,
    created_at: DateTime<Utc>,
    mode: Option<CourseMode>,
    email: Option<&'a Email>,
    buyer: Option<&'a str>,
    cart_id: Option<CartId>,
    position: Option<i32>,
    #[serde(flatten)]
    access: AccessPeriod,
}

impl<'a> Row<'a> {
    fn new(vouchers: &NewVouchers<'a>, now: DateTime<Utc>) -> Self {
        let NewVouchers { organisation_id, terms, amounts, owner, .. } = *vouchers;
        let (kind, percent, mode) = match terms.value {
            VoucherValue::Percent(percent) => ("percent", Some(percent), None),
            VoucherValue::Amount(_) => ("amount", None, None),
            VoucherValue::Seat(item) => ("seat", None, Some(item.mode)),
        };
        let (cart_id, position) = owner.and_then(|owner| owner.line).unzip();
        // PostgreSQL would round what it reads as text; bound times are cut.
        let now = now.trunc_subsecs(6);
        Self {
            organisation_id,
            kind,
            percent,
            amount: amounts.amount.map(Money::minor),
            currency: amounts.currency.code(),
            max_uses: terms.max_uses,
            max_uses_per_buyer: terms.max_uses_per_buyer,
            budget: amounts.budget.map(Money::minor),
            valid_from: terms.valid_from.unwrap_or(now),
            valid_until: terms.valid_until,
            campaign: terms.campaign.as_deref(),
            note: terms.note.as_deref(),
            created_at: now,
            mode,
            email: owner.map(|owner| owner.email),
            buyer: owner.map(|owner| owner.buyer),
            cart_id,
            position,
            access: terms.access,
        }
    }
}

/// Writes rows with the ids $1, the codes $2 and the scopes $4 and $5, which share the row $3. A macro, so that the columns are
/// written once and the compiler still checks the query.
macro_rules! insert_vouchers {
    ($columns:literal, $($value:expr),+ $(,)?) => {
        sqlx::query!(
            "WITH voucher AS (
                 INSERT INTO vouchers (id, code, " + $columns + ")
                 SELECT new.id, new.code, " + $columns + "
                 FROM unnest($1::uuid[], $2::text[]) AS new (id, code), jsonb_populate_record(NULL::vouchers, $3)
                 ON CONFLICT (organisation_id, code) DO NOTHING RETURNING id, code),
             scope AS (
                 INSERT INTO voucher_scope (voucher_id, course_id, program_id)
                 SELECT v.id, s.course_id, s.program_id FROM voucher v, (
                     SELECT DISTINCT course_id, NULL::uuid AS program_id FROM unnest($4::uuid[]) AS course_id
                     UNION ALL
                     SELECT DISTINCT NULL::uuid, program_id FROM unnest($5::uuid[]) AS program_id) s)
             SELECT id, code FROM voucher",
            $($value),+
        )
    };
}

/// Stores vouchers. Returns how many: those whose code the organisation has already are left out.
pub async fn insert(db: &mut PgConnection, vouchers: &NewVouchers<'_>, cause: Cause) -> JobResult<usize> {
    let NewVouchers { codes, terms, .. } = *vouchers;
    let (ids, codes): (Vec<VoucherId>, Vec<&str>) =
        codes.iter().map(|(id, code)| (*id, code.as_str())).unzip();
    let inserted = insert_vouchers!(
        "organisation_id, kind, percent, amount, currency, max_uses, max_uses_per_buyer, budget, valid_from, valid_until, campaign,
         note, created_at, mode, email, buyer, cart_id, position, access_days, access_until",
        &ids as _,
        &codes as &[&str],
        serde_json::to_value(Row::new(vouchers, cause.now))?,
        &terms.course_ids,
        &terms.program_ids,
    );
    let inserted = inserted.fetch_all(&mut *db).await?;
    let created = inserted.iter().map(|row| {
        let detail = json!({ "code": row.code, "terms": terms });
        Change { entity: Entity::Voucher, id: row.id.into(), from: None, to: "created", detail }
    });
    audit::record_all(db, cause, created.collect()).await?;
    Ok(inserted.len())
}

/// The fields of a voucher that can change, and those that bound the change. Amounts are in minor units.
pub struct Changeable {
    /// Indicates whether it is a pool of seats.
    pub is_seat: bool,
    pub currency: Currency,
    pub max_uses: Option<i32>,
    pub budget: Option<i64>,
    pub uses: i32,
    pub spent: i64,
    pub valid_until: Option<DateTime<Utc>>,
    /// When the access of a pool's seats ends at the latest.
    pub access_until: Option<DateTime<Utc>>,
    pub note: Option<String>,
}

/// Locks a voucher until the transaction ends.
pub async fn lock(db: &mut PgConnection, id: VoucherId) -> JobResult<Changeable> {
    let row = sqlx::query!(
        r#"SELECT kind = 'seat' AS "is_seat!", currency, max_uses, budget, uses, spent, valid_until, note,
                  coalesce((SELECT i.access_until FROM cart_items i WHERE (i.cart_id, i.position) = (v.cart_id, v.position)),
                           access_until) AS access_until
           FROM vouchers v WHERE id = $1 FOR NO KEY UPDATE"#,
        id as _,
    );
    let row = row.fetch_optional(db).await?.ok_or_else(|| JobError::dead(format!("no voucher {id}")))?;
    let currency = row.currency.parse::<Currency>();
    Ok(Changeable {
        is_seat: row.is_seat,
        currency: currency.map_err(|error| JobError::dead(format!("stored currency: {error}")))?,
        max_uses: row.max_uses,
        budget: row.budget,
        uses: row.uses,
        spent: row.spent,
        valid_until: row.valid_until,
        access_until: row.access_until,
        note: row.note,
    })
}

/// Stores what has changed of a locked voucher.
pub async fn change(
    db: &mut PgConnection,
    id: VoucherId,
    changed: &Changeable,
    detail: serde_json::Value,
    cause: Cause,
) -> JobResult<()> {
    sqlx::query!(
        "UPDATE vouchers SET max_uses = $2, budget = $3, valid_until = $4, note = $5 WHERE id = $1",
        id as _,
        changed.max_uses,
        changed.budget,
        changed.valid_until,
        changed.note,
    )
    .execute(&mut *db)
    .await?;
    audit::record(
        db,
        cause,
        Change { entity: Entity::Voucher, id: id.into(), from: None, to: "changed", detail },
    )
    .await
}

/// The organisation of a voucher; None if there is no such voucher.
pub async fn organisation(db: &Db, id: VoucherId) -> JobResult<Option<OrganisationId>> {
    let found = sqlx::query_scalar!(
        r#"SELECT organisation_id AS "id: OrganisationId" FROM vouchers WHERE id = $1"#,
        id as _
    );
    Ok(found.fetch_optional(db).await?)
}
