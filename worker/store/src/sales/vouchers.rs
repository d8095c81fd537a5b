//! Vouchers and their uses. Triggers let a use follow its cart; this module takes uses, and creates and changes vouchers.
//!
//! Why: `docs/decisions/voucher-uses.md`

use chrono::{DateTime, SubsecRound, Utc};
use rust_decimal::Decimal;
use serde::Serialize;
use serde_json::json;
use shared::course_mode::CourseMode;
use shared::db::Db;
use shared::email::Email;
use shared::ids::{CartId, OrganisationId, VoucherId};
use shared::messages::{VoucherTerms, VoucherValue};
use shared::money::{Currency, Money};
use shared::voucher::Code;
use sqlx::PgConnection;
use uuid::Uuid;

use super::carts::{NewCart, State};
use crate::error::{JobError, JobResult};
use crate::model::line::CartVoucher;
use crate::model::voucher::{Value, Voucher};
use crate::plumbing::audit::{self, Cause, Change, Entity};

/// User whose uses count.
#[derive(Clone, Copy)]
pub struct User<'a> {
    pub email: &'a Email,
    /// A learner's key as a buyer. What the learner's own carts hold until they are paid is left to the learner: another
    /// checkout joins or replaces such a cart.
    pub learner: Option<&'a str>,
}

/// An organisation's voucher with a code; None if it has none. Without a user, no limit for one buyer counts.
pub async fn find(
    db: &mut PgConnection,
    organisation_id: OrganisationId,
    code: &str,
    user: Option<User<'_>>,
) -> JobResult<Option<Voucher>> {
    let row = sqlx::query!(
        r#"SELECT v.id, v.code, v.percent AS "percent: Decimal", v.amount, v.mode AS "mode: CourseMode", v.valid_from, v.valid_until, v.currency,
                  ARRAY(SELECT coalesce(s.course_id, s.program_id) FROM voucher_scope s WHERE s.voucher_id = v.id)
                      AS "scope!: Vec<Uuid>",
                  v.budget - v.spent + own.spent AS budget_left, (v.max_uses IS NULL OR v.uses - own.uses < v.max_uses)
                  AND (v.max_uses_per_buyer IS NULL OR v.max_uses_per_buyer > (
                      SELECT count(*) FROM voucher_uses u
                      WHERE u.voucher_id = v.id AND u.email = $3 AND u.state IN ('held', 'used') AND u.slot IS NOT NULL)
                      - own.uses) AS "has_uses!"
           FROM vouchers v, LATERAL (
               SELECT count(*) AS uses, coalesce(sum(u.discount), 0)::bigint AS spent
               FROM voucher_uses u JOIN carts c ON c.id = u.cart_id
               WHERE u.voucher_id = v.id AND u.email = $3 AND u.state = 'held' AND c.buyer = $4
                 AND NOT EXISTS (SELECT FROM transactions t WHERE t.cart_id = c.id AND t.on_account IS NOT NULL)) own
           WHERE v.organisation_id = $1 AND v.code = $2"#,
        organisation_id as _,
        code,
        user.map(|user| user.email.as_str()),
        user.and_then(|user| user.learner),
    )
    .fetch_optional(db)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let value = match (row.percent, row.amount, row.mode) {
        (Some(percent), _, _) => Value::Percent(percent),
        (None, Some(amount), _) => Value::Amount(amount),
        (None, None, Some(mode)) => Value::Seat(mode),
        (None, None, None) => {
            return Err(JobError::dead(
                "a voucher takes neither a percentage nor an amount off, nor is it a seat",
            ));
        }
    };
    let currency = row.currency.parse::<Currency>();
    Ok(Some(Voucher {
        id: row.id,
        code: row.code,
        value,
        valid_from: row.valid_from,
        valid_until: row.valid_until,
        currency: currency.map_err(|error| JobError::dead(format!("stored currency: {error}")))?,
        scope: row.scope.into_iter().collect(),
        has_uses: row.has_uses,
        budget_left: row.budget_left,
    }))
}

/// Gives back the use of a cart that its buyer could still pay, and does not. If it is paid after all, the use is late.
pub async fn release(db: &mut PgConnection, cart_id: CartId) -> JobResult<()> {
    sqlx::query!("SELECT release_voucher_use($1)", cart_id as _).execute(db).await?;
    Ok(())
}

/// The code of a cart's voucher and its discount in minor units, if the cart was paid after its use was given back.
pub async fn late(db: &mut PgConnection, cart_id: CartId) -> JobResult<Option<(String, i64)>> {
    let late = sqlx::query!(
        "SELECT v.code, u.discount FROM voucher_uses u JOIN vouchers v ON v.id = u.voucher_id
         WHERE u.cart_id = $1 AND u.state = 'late'",
        cart_id as _,
    );
    Ok(late.fetch_optional(db).await?.map(|late| (late.code, late.discount)))
}

/// Returns whether a cart holds a use that it took at this time or before.
pub async fn is_held_since(db: &Db, cart_id: CartId, time: DateTime<Utc>) -> JobResult<bool> {
    let held = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM voucher_uses WHERE cart_id = $1 AND state = 'held' AND at <= $2) AS "held!""#,
        cart_id as _,
        time,
    );
    Ok(held.fetch_one(db).await?)
}

/// Returns whether a cart has released its use.
pub async fn is_released(db: &mut PgConnection, cart_id: CartId) -> JobResult<bool> {
    let released = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM voucher_uses WHERE cart_id = $1 AND state = 'released') AS "released!""#,
        cart_id as _,
    );
    Ok(released.fetch_one(db).await?)
}

/// Takes the use again that a locked cart has given back while its buyer could still pay it, and has its payment checked, which
/// plans the end of the new hold. False if none is left. The voucher's row stays locked until the transaction ends.
pub async fn take_again(db: &mut PgConnection, cart_id: CartId, now: DateTime<Utc>) -> JobResult<bool> {
    let taken = sqlx::query_scalar!(
        r#"SELECT take_voucher_use_again($1, 'held', $2) AS "taken!""#,
        cart_id as _,
        now
    );
    if !taken.fetch_one(&mut *db).await? {
        return Ok(false);
    }
    sqlx::query!("UPDATE transactions SET next_check_at = $2 WHERE cart_id = $1", cart_id as _, now)
        .execute(db)
        .await?;
    Ok(true)
}

/// Takes a use for a cart that was inserted or is being checked out in the same transaction. False if none is left, or if the
/// voucher has ended since it was quoted: the caller must not commit. Its row stays locked until the transaction ends, so call
/// it last.
///
/// # Errors
/// `Conflict` if another transaction has taken the buyer's same use at the same moment: the job runs again.
pub async fn take(
    db: &mut PgConnection,
    cart: &NewCart<'_>,
    voucher: CartVoucher,
    state: State,
    now: DateTime<Utc>,
) -> JobResult<bool> {
    let use_state = if state == State::PendingPayment { "held" } else { "used" };
    let taken = sqlx::query!(
        r#"WITH counted AS (
               UPDATE vouchers SET uses = uses + 1, spent = spent + $4
               WHERE id = $1 AND num_nonnulls(max_uses, budget) > 0
                 AND valid_from <= $6 AND (valid_until IS NULL OR valid_until > $6)
                 AND (max_uses IS NULL OR uses < max_uses) AND (budget IS NULL OR spent + $4 <= budget)
               RETURNING id, max_uses_per_buyer),
           valid AS (
               SELECT id, max_uses_per_buyer FROM counted
               UNION ALL
               SELECT id, max_uses_per_buyer FROM vouchers
               WHERE id = $1 AND num_nonnulls(max_uses, budget) = 0
                 AND valid_from <= $6 AND (valid_until IS NULL OR valid_until > $6)),
           free AS (
               SELECT v.id, v.max_uses_per_buyer, (
                   SELECT min(n) FROM generate_series(1, v.max_uses_per_buyer) n WHERE NOT EXISTS (
                       SELECT FROM voucher_uses u WHERE u.voucher_id = v.id AND u.email = $3 AND u.slot = n
                         AND u.state IN ('held', 'used'))) AS slot
               FROM valid v),
           taken AS (
               INSERT INTO voucher_uses (cart_id, voucher_id, email, discount, slot, state, at)
               SELECT $2, id, $3, $4, slot, $5, $6 FROM free WHERE slot IS NOT NULL OR max_uses_per_buyer IS NULL
               ON CONFLICT DO NOTHING RETURNING 1)
           SELECT EXISTS (SELECT FROM free WHERE slot IS NOT NULL OR max_uses_per_buyer IS NULL) AS "is_free!",
                  EXISTS (SELECT FROM taken) AS "is_taken!""#,
        voucher.id as _,
        cart.id as _,
        cart.email.as_str(),
        voucher.discount,
        use_state,
        now,
    )
    .fetch_one(db)
    .await?;
    if taken.is_free && !taken.is_taken {
        return Err(JobError::Conflict("the buyer's use of the voucher was taken at the same moment".into()));
    }
    Ok(taken.is_taken)
}

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
         note, created_at, mode, email, buyer, cart_id, position",
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
    pub note: Option<String>,
}

/// Locks a voucher until the transaction ends.
pub async fn lock(db: &mut PgConnection, id: VoucherId) -> JobResult<Changeable> {
    let row = sqlx::query!(
        r#"SELECT kind = 'seat' AS "is_seat!", currency, max_uses, budget, uses, spent, valid_until, note FROM vouchers
           WHERE id = $1 FOR NO KEY UPDATE"#,
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
