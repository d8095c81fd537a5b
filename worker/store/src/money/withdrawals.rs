//! Declarations of withdrawal, from their receipt to their decision. A decision moves the state once, in the transaction that stores
//! the refund.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::json;
use shared::db::Db;
use shared::email::Email;
use shared::ids::{CartId, OrganisationId, RefundId};
use shared::invoice_number::InvoiceNumber;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::{JobError, JobResult};
use crate::plumbing::audit::{self, Actor, Cause, Change, Entity};

pub use shared::words::WithdrawalProof as Proof;

pub use shared::words::WithdrawalStatus as State;

/// A declaration to insert.
pub struct NewWithdrawal<'a> {
    pub id: Uuid,
    pub organisation_id: Option<OrganisationId>,
    pub cart_id: Option<CartId>,
    pub state: State,
    pub proof: Proof,
    pub named_order: &'a str,
    pub email: &'a Email,
    pub name: &'a str,
    /// The lines that it declares; None for all of the order.
    pub items: Option<&'a [i32]>,
    pub declared_at: DateTime<Utc>,
    /// Time when it is judged; None for what waits for a person at once.
    pub judge_at: Option<DateTime<Utc>>,
    pub waits_because: Option<&'a str>,
}

/// A stored declaration.
pub struct Withdrawal {
    pub id: Uuid,
    pub organisation_id: Option<OrganisationId>,
    pub cart_id: Option<CartId>,
    pub state: State,
    /// The lines that it declares; None for all that are left.
    pub items: Option<Vec<i32>>,
    pub declared_at: DateTime<Utc>,
    pub access_begun: bool,
    pub judge_at: Option<DateTime<Utc>>,
}

/// A line of a cart that is declared already.
pub struct Declared {
    pub position: i32,
    pub withdrawal_id: Uuid,
    /// Nothing shows so far that the buyer has declared it.
    pub is_unproved: bool,
}

/// The carts that a buyer may mean: by the id of one or of a checkout that has joined it, or by the number of a document. Numbers are
/// an organisation's own, so that several organisations may have sold to this address under the same one. The cart of a link, if it
/// has the number, is meant.
pub async fn named(db: &Db, order: &str, email: &Email, linked: Option<CartId>) -> JobResult<Vec<CartId>> {
    if let Ok(id) = order.trim().parse::<Uuid>() {
        return Ok(crate::sales::carts::of_checkout(db, id).await?.into_iter().collect());
    }
    let number = InvoiceNumber::read(order);
    let carts = sqlx::query_scalar!(
        r#"SELECT DISTINCT d.cart_id AS "id: CartId" FROM documents d JOIN carts c ON c.id = d.cart_id
           WHERE d.number = ANY (ARRAY[$1, $4]) AND (c.email = $2 OR c.id = $3)"#,
        number.as_str(),
        email.as_str(),
        linked as _,
        order.trim(),
    )
    .fetch_all(db)
    .await?;
    Ok(match linked.filter(|linked| carts.contains(linked)) {
        Some(linked) => vec![linked],
        None => carts,
    })
}

/// True if a declaration about none of its lines waits for a person.
pub async fn waits_about_nothing(db: &mut PgConnection, cart_id: CartId) -> JobResult<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM withdrawals
                          WHERE cart_id = $1 AND state = 'received' AND items = '{}' AND decided_at IS NULL) AS "waits!""#,
        cart_id as _,
    )
    .fetch_one(db)
    .await?)
}

/// The lines of a locked cart that are declared already.
pub async fn declared(db: &mut PgConnection, cart_id: CartId) -> JobResult<Vec<Declared>> {
    Ok(sqlx::query_as!(
        Declared,
        r#"SELECT l.position, l.withdrawal_id, w.proof = 'none' AND w.decided_at IS NULL AS "is_unproved!"
           FROM withdrawal_lines l JOIN withdrawals w ON w.id = l.withdrawal_id WHERE l.cart_id = $1 ORDER BY l.position"#,
        cart_id as _,
    )
    .fetch_all(db)
    .await?)
}

/// Inserts a declaration with its lines. False if it was inserted before.
pub async fn insert(db: &mut PgConnection, new: &NewWithdrawal<'_>, cause: Cause) -> JobResult<bool> {
    let inserted = sqlx::query!(
        "INSERT INTO withdrawals (id, organisation_id, cart_id, state, proof, named_order, email, name, items, declared_at,
             judge_at, waits_since, waits_because, access_begun)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, CASE WHEN $12::text IS NOT NULL THEN $13::timestamptz END, $12,
             EXISTS (SELECT FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id
                     JOIN courses c ON c.id = e.course_id
                     LEFT JOIN cart_courses k ON k.cart_id = g.cart_id AND k.course_id = e.course_id
                     -- Access that a move has ended had begun, too.
                     LEFT JOIN moves m ON m.from_grant = g.id AND m.done_at IS NOT NULL
                     WHERE g.cart_id = $3 AND e.learner_id IS NOT NULL AND (c.starts_at IS NULL OR c.starts_at <= $10)
                       AND (k.position = ANY ($9) AND e.platform_state = 'synced' OR m.position = ANY ($9))))
         ON CONFLICT (id) DO NOTHING",
        new.id,
        new.organisation_id as _,
        new.cart_id as _,
        new.state as State,
        new.proof as Proof,
        new.named_order,
        new.email.as_str(),
        new.name,
        new.items,
        new.declared_at,
        new.judge_at,
        new.waits_because,
        cause.now,
    );
    if inserted.execute(&mut *db).await?.rows_affected() == 0 {
        return Ok(false);
    }
    if let (State::Received, Some(items)) = (new.state, new.items) {
        sqlx::query!(
            "INSERT INTO withdrawal_lines (cart_id, position, withdrawal_id) SELECT $1, position, $3 FROM unnest($2::integer[]) AS l (position)",
            new.cart_id as _,
            items,
            new.id,
        )
        .execute(&mut *db)
        .await?;
    }
    audit::record(db, cause, change(new.id, None, new.state, json!({ "cart": new.cart_id }))).await?;
    Ok(true)
}

/// Counts a declaration without proof as proved, and has it judged now. An objection counts no longer.
pub async fn prove(db: &mut PgConnection, id: Uuid, proof: Proof, now: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!(
        "UPDATE withdrawals SET proof = $2, judge_at = $3, waits_since = NULL, waits_because = NULL, objected_at = NULL
         WHERE id = $1 AND decided_at IS NULL AND proof = 'none'",
        id,
        proof as Proof,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Reads a declaration without locking it.
pub async fn find(db: &Db, id: Uuid) -> JobResult<Option<Withdrawal>> {
    Ok(sqlx::query_as!(
        Withdrawal,
        r#"SELECT id, organisation_id, cart_id, state AS "state: State", items, declared_at, access_begun,
                  judge_at
           FROM withdrawals WHERE id = $1"#,
        id,
    )
    .fetch_optional(db)
    .await?)
}

/// A declaration that waits for a person.
#[derive(Debug, Serialize)]
pub struct Waiting {
    pub id: Uuid,
    /// The organisation's short name; None if the order is unknown, so that only an operator can close it.
    pub organisation: Option<String>,
    pub cart_id: Option<CartId>,
    /// The order as it was named.
    pub order: String,
    pub email: String,
    pub name: String,
    pub declared_at: DateTime<Utc>,
    pub since: DateTime<Utc>,
    pub reason: String,
}

/// The declarations that wait for a person, of all organisations, the longest first.
pub async fn waiting(db: &Db) -> JobResult<Vec<Waiting>> {
    Ok(sqlx::query_as!(
        Waiting,
        r#"SELECT w.id, o.short_name AS "organisation?", w.cart_id AS "cart_id: CartId", w.named_order AS "order", w.email, w.name,
                  w.declared_at, w.waits_since AS "since!", w.waits_because AS "reason!"
           FROM withdrawals w LEFT JOIN organisations o ON o.id = w.organisation_id
           WHERE w.waits_since IS NOT NULL ORDER BY w.waits_since, w.id"#,
    )
    .fetch_all(db)
    .await?)
}

/// The end of the period in which a buyer can withdraw.
pub async fn ends(
    db: &Db,
    organisation_id: OrganisationId,
    paid_at: DateTime<Utc>,
    days: i32,
) -> JobResult<DateTime<Utc>> {
    Ok(sqlx::query_scalar!(
        r#"SELECT withdrawal_ends($2, $3, day_zone(seller)) AS "ends!" FROM organisations WHERE id = $1"#,
        organisation_id as _,
        paid_at,
        days,
    )
    .fetch_one(db)
    .await?)
}

/// The account and course of each enrollment that these lines of a cart granted to a known learner.
pub async fn accounts(db: &Db, cart_id: CartId, positions: &[i32]) -> JobResult<Vec<(String, String)>> {
    let rows = sqlx::query!(
        "SELECT DISTINCT l.username, c.openedx_course_id FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id
         JOIN learners l ON l.id = e.learner_id
         JOIN cart_courses k ON k.cart_id = g.cart_id AND k.course_id = e.course_id JOIN courses c ON c.id = e.course_id
         WHERE g.cart_id = $1 AND k.position = ANY ($2) ORDER BY 1, 2",
        cart_id as _,
        positions,
    );
    Ok(rows.fetch_all(db).await?.into_iter().map(|row| (row.username, row.openedx_course_id)).collect())
}

/// Takes the declarations that are due to be judged, and has them judged again at `again` unless that decides them.
pub async fn take_due(
    db: &mut PgConnection,
    now: DateTime<Utc>,
    again: DateTime<Utc>,
    limit: i64,
) -> JobResult<Vec<Uuid>> {
    Ok(sqlx::query_scalar!(
        "UPDATE withdrawals SET judge_at = $2 WHERE id = ANY (ARRAY(
             SELECT id FROM withdrawals WHERE judge_at <= $1 ORDER BY judge_at LIMIT $3 FOR UPDATE SKIP LOCKED))
         RETURNING id",
        now,
        again,
        limit,
    )
    .fetch_all(db)
    .await?)
}

/// Leaves a declaration to a person of its organisation.
pub async fn leave_to_person(db: &Db, id: Uuid, because: &str, now: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!(
        "UPDATE withdrawals SET judge_at = NULL, waits_since = coalesce(waits_since, $3), waits_because = $2
         WHERE id = $1 AND decided_at IS NULL",
        id,
        because,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Leaves to a person what is declared about a cart and not decided, unless the buyer's session shows who has declared it.
pub async fn doubt(
    db: &mut PgConnection,
    cart_id: CartId,
    because: &str,
    now: DateTime<Utc>,
) -> JobResult<()> {
    sqlx::query!(
        "UPDATE withdrawals SET judge_at = NULL, waits_since = coalesce(waits_since, $3), waits_because = $2
         WHERE cart_id = $1 AND state = 'received' AND proof <> 'session'",
        cart_id as _,
        because,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Records an objection, after which the declaration waits for a person. False if it was decided or proved before.
pub async fn object(db: &mut PgConnection, id: Uuid, because: &str, cause: Cause) -> JobResult<bool> {
    let objected = sqlx::query!(
        r#"UPDATE withdrawals SET objected_at = $2, judge_at = NULL, waits_since = coalesce(waits_since, $2), waits_because = $3
           WHERE id = $1 AND decided_at IS NULL AND proof = 'none' AND objected_at IS NULL RETURNING state AS "state: State""#,
        id,
        cause.now,
        because,
    );
    let Some(objected) = objected.fetch_optional(&mut *db).await? else { return Ok(false) };
    let state = objected.state;
    audit::record(db, cause, change(id, Some(state), state, json!({ "objected": true }))).await?;
    Ok(true)
}

/// A decision on a declaration.
pub struct Decision<'a> {
    pub id: Uuid,
    pub from: State,
    pub to: State,
    pub reason: Option<&'a str>,
    pub refund_id: Option<RefundId>,
}

/// Decides a declaration. A refused one frees its lines.
///
/// # Errors
/// `InvalidRequest` if it was decided meanwhile, `Conflict` if it was taken from the judgement, as by a corrected address: the caller must
/// not commit.
pub async fn decide(db: &mut PgConnection, decision: &Decision<'_>, cause: Cause) -> JobResult<()> {
    let Decision { id, from, to, reason, refund_id } = *decision;
    let is_judgement = matches!(cause.actor, Actor::System);
    let decided = sqlx::query!(
        "UPDATE withdrawals SET state = $3, judge_at = NULL, waits_since = NULL, waits_because = NULL, decided_at = $4,
             decided_by = $5, reason = $6, refund_id = $7
         WHERE id = $1 AND state = $2 AND (judge_at IS NOT NULL OR NOT $8)",
        id,
        from as State,
        to as State,
        cause.now,
        cause.actor.to_string(),
        reason,
        refund_id as _,
        is_judgement,
    );
    if decided.execute(&mut *db).await?.rows_affected() == 0 {
        if is_judgement {
            return Err(JobError::Conflict("the withdrawal was taken from the judgement".into()));
        }
        return Err(JobError::invalid(
            "decision",
            format!("is too late: the withdrawal is no longer {from}"),
        ));
    }
    if to == State::Refused {
        sqlx::query!("DELETE FROM withdrawal_lines WHERE withdrawal_id = $1", id).execute(&mut *db).await?;
    }
    let detail = json!({ "reason": reason, "refund": refund_id });
    audit::record(db, cause, change(id, Some(from), to, detail)).await
}

fn change(id: Uuid, from: Option<State>, to: State, detail: serde_json::Value) -> Change {
    Change { entity: Entity::Withdrawal, id, from: from.map(Into::into), to: to.into(), detail }
}
