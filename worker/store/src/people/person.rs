//! Record of one person: the rows of an address and of the learner who has it now, and all of it as JSON.

use serde_json::Value;
use shared::email::Email;
use shared::ids::{CartId, EnrollmentId, LearnerId, RefundId, TransactionId, VoucherId};
use shared::messages::Kind;
use shared::redaction;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::JobResult;

/// The rows of a person.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Person {
    /// The address in its one form.
    pub email: String,
    /// The learner who had the address when the platform was last asked, or who had it last.
    pub learner_id: Option<LearnerId>,
    /// The buyers of carts that the person is: the guest with the address, and the learner by platform user id.
    pub buyers: Vec<String>,
    pub enrollments: Vec<EnrollmentId>,
    /// Other learners' enrollments under the address.
    pub enrollments_of_others: Vec<EnrollmentId>,
    pub carts: Vec<CartId>,
    /// Other learners' carts under the address, each with its learner.
    pub carts_of_others: Vec<(CartId, LearnerId)>,
    /// Indicates whether the address is in a batch.
    pub is_listed: bool,
    /// Indicates whether the address waits for a place in a course, a gift or a mail, or gets no mails any more.
    pub is_waiting: bool,
    /// Pools of seats.
    pub pools: Vec<VoucherId>,
    pub transactions: Vec<TransactionId>,
    pub refunds: Vec<RefundId>,
    /// Of the carts, and those that name the address.
    pub withdrawals: Vec<Uuid>,
}

impl Person {
    /// Returns whether nothing is on record.
    pub fn is_unknown(&self) -> bool {
        self.learner_id.is_none()
            && self.enrollments.is_empty()
            && self.enrollments_of_others.is_empty()
            && self.carts.is_empty()
            && self.carts_of_others.is_empty()
            && !self.is_listed
            && !self.is_waiting
            && self.pools.is_empty()
            && self.withdrawals.is_empty()
    }
}

/// Finds the rows of the learner who has an address, or had it last, and those under the address that belong to no learner. What
/// another learner did under this address is that learner's.
pub async fn find(db: &mut PgConnection, email: &Email) -> JobResult<Person> {
    let email = email.as_str();
    let learner = sqlx::query!(
        "SELECT id, platform_user_id FROM learners WHERE email = $1 OR former_email = $1
         ORDER BY email IS NULL, updated_at DESC LIMIT 1",
        email,
    )
    .fetch_optional(&mut *db)
    .await?;
    let learner_id = learner.as_ref().map(|learner| learner.id);
    let user_id = learner.map(|learner| learner.platform_user_id.to_string());
    // A buyer that is a platform user id says whose the cart is where the cart has no learner.
    let found = sqlx::query!(
        r#"SELECT c.id, c.buyer, coalesce(c.learner_id, l.id) AS learner_id
           FROM carts c LEFT JOIN learners l
             ON l.platform_user_id = CASE WHEN c.buyer ~ '^[0-9]{1,18}$' THEN c.buyer::bigint END
           WHERE c.email = $1 OR c.learner_id = $2 OR c.buyer = $3 ORDER BY c.id"#,
        email,
        learner_id as _,
        user_id,
    )
    .fetch_all(&mut *db)
    .await?;
    let mut buyers: Vec<String> = user_id.into_iter().chain([format!("guest:{email}")]).collect();
    let (mut carts, mut carts_of_others) = (Vec::new(), Vec::new());
    for cart in found {
        match cart.learner_id.map(LearnerId) {
            Some(other) if Some(other) != learner_id => carts_of_others.push((cart.id, other)),
            _ => {
                carts.push(cart.id);
                buyers.push(cart.buyer);
            }
        }
    }
    buyers.sort_unstable();
    buyers.dedup();
    let (enrollments, enrollments_of_others) = enrollments(db, email, learner_id).await?;
    let (is_listed, is_waiting, pools) = named(db, email, &carts).await?;
    let (transactions, refunds) = payments(db, &carts).await?;
    let withdrawals = sqlx::query_scalar!(
        "SELECT id FROM withdrawals WHERE email = $1 OR cart_id = ANY ($2) ORDER BY id",
        email,
        &carts as _,
    );
    let withdrawals = withdrawals.fetch_all(&mut *db).await?;
    Ok(Person {
        email: email.to_owned(),
        learner_id,
        buyers,
        enrollments,
        enrollments_of_others,
        carts,
        carts_of_others,
        is_listed,
        is_waiting,
        pools,
        transactions,
        refunds,
        withdrawals,
    })
}

/// Returns whether a batch, and a waiting list or a gift, name an address, and the pools of seats that belong to it or to the carts.
async fn named(
    db: &mut PgConnection,
    email: &str,
    carts: &[CartId],
) -> JobResult<(bool, bool, Vec<VoucherId>)> {
    let listed = sqlx::query!(
        r#"SELECT EXISTS (SELECT FROM batch_rows WHERE email = $1) AS "by_batch!",
                  EXISTS (SELECT FROM waiting_list WHERE email = $1) OR EXISTS (SELECT FROM gifts WHERE recipient = $1)
                      OR EXISTS (SELECT FROM suppressed_addresses WHERE address = $1) OR EXISTS (SELECT FROM mails WHERE recipient = $1)
                      AS "waits!""#,
        email
    );
    let listed = listed.fetch_one(&mut *db).await?;
    let pools = sqlx::query_scalar!(
        "SELECT id FROM vouchers WHERE cart_id = ANY ($2) OR cart_id IS NULL AND email = $1 ORDER BY id",
        email,
        carts as _,
    );
    Ok((listed.by_batch, listed.waits, pools.fetch_all(db).await?))
}

/// The enrollments of the person, and other learners' enrollments under the address.
async fn enrollments(
    db: &mut PgConnection,
    email: &str,
    learner_id: Option<LearnerId>,
) -> JobResult<(Vec<EnrollmentId>, Vec<EnrollmentId>)> {
    let found = sqlx::query!(
        "SELECT id, learner_id FROM enrollments WHERE email = $1 OR learner_id = $2 ORDER BY id",
        email,
        learner_id as _,
    )
    .fetch_all(db)
    .await?;
    let (own, others): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|row| row.learner_id.is_none() || row.learner_id == learner_id);
    Ok((own.iter().map(|row| row.id).collect(), others.iter().map(|row| row.id).collect()))
}

/// The transactions of carts, and their refunds.
async fn payments(db: &mut PgConnection, carts: &[CartId]) -> JobResult<(Vec<TransactionId>, Vec<RefundId>)> {
    let transactions =
        sqlx::query_scalar!("SELECT id FROM transactions WHERE cart_id = ANY ($1) ORDER BY id", carts as _)
            .fetch_all(&mut *db)
            .await?;
    let refunds = sqlx::query_scalar!(
        "SELECT id FROM refunds WHERE transaction_id = ANY ($1) ORDER BY id",
        &transactions as _
    )
    .fetch_all(db)
    .await?;
    Ok((transactions, refunds))
}

/// The commands whose answers name the addresses that they concerned.
fn kinds_with_addresses() -> Vec<&'static str> {
    Kind::all().filter(|kind| kind.holds_addresses).map(|kind| kind.name).collect()
}

/// The commands of a person: those that changed the person's rows, and those that the learner gave an idempotency key.
pub async fn commands(db: &mut PgConnection, person: &Person) -> JobResult<Vec<Uuid>> {
    Ok(sqlx::query_scalar!(
        "SELECT id FROM commands WHERE id = ANY ($2) OR id = ANY ($4)
             OR id IN (SELECT command_id FROM audit_log WHERE entity = 'enrollment' AND entity_id = ANY ($1)
                       UNION ALL SELECT command_id FROM audit_log WHERE entity = 'cart' AND entity_id = ANY ($2)
                       UNION ALL SELECT command_id FROM audit_log WHERE entity = 'transaction' AND entity_id = ANY ($3)
                       UNION ALL SELECT command_id FROM audit_log WHERE entity = 'refund' AND entity_id = ANY ($4)
                       UNION ALL SELECT id FROM joined_checkouts WHERE cart_id = ANY ($2))
             OR EXISTS (SELECT FROM unnest($5::text[]) buyer WHERE scope LIKE '% learner ' || buyer)
             OR type = ANY ($7) AND position(to_json($6::text)::text IN answer::text) > 0",
        &person.enrollments as _,
        &person.carts as _,
        &person.transactions as _,
        &person.refunds as _,
        &person.buyers,
        person.email,
        &kinds_with_addresses() as &[&str],
    )
    .fetch_all(db)
    .await?)
}

/// The fields that open something by themselves: the codes of seats, and the client secrets and pages of payments.
const SECRETS: [&str; 5] =
    ["code", "client_secret", "customer_session_client_secret", "redirect_url", "checkout"];

/// All that is on record about a person, as a JSON object with an array of rows for each table. Columns have their names in
/// the database; digests, leases and secrets are left out.
pub async fn export(db: &mut PgConnection, person: &Person) -> JobResult<Value> {
    let mut record = rows(db, person).await?;
    redaction::remove(&mut record, &SECRETS);
    Ok(record)
}

async fn rows(db: &mut PgConnection, person: &Person) -> JobResult<Value> {
    let commands = commands(db, person).await?;
    Ok(sqlx::query_scalar!(
        r#"WITH audit AS (
               SELECT a.* FROM audit_log a
               WHERE a.entity = 'enrollment' AND a.entity_id = ANY ($3) OR a.entity = 'cart' AND a.entity_id = ANY ($4)
                  OR a.entity = 'transaction' AND a.entity_id = ANY ($5) OR a.entity = 'refund' AND a.entity_id = ANY ($6)
                  OR a.entity = 'withdrawal' AND a.entity_id = ANY ($10)
                  OR a.entity IN ('membership', 'learner', 'staff') AND a.entity_id = $2)
           SELECT jsonb_build_object(
               'learners', (SELECT jsonb_agg(to_jsonb(l)) FROM learners l WHERE l.id = $2),
               'organisation_members', (SELECT jsonb_agg(to_jsonb(m)) FROM organisation_members m WHERE m.learner_id = $2),
               'staff', (SELECT jsonb_agg(to_jsonb(s)) FROM staff s WHERE s.learner_id = $2),
               'enrollments', (SELECT jsonb_agg(to_jsonb(e) - 'sync_lease_until' ORDER BY e.id) FROM enrollments e WHERE e.id = ANY ($3)),
               'events', (SELECT jsonb_agg(to_jsonb(v) ORDER BY v.at, v.id) FROM events v WHERE v.enrollment_id = ANY ($3)),
               'enrollment_grants', (SELECT jsonb_agg(to_jsonb(g) ORDER BY g.id) FROM enrollment_grants g WHERE g.enrollment_id = ANY ($3)),
               'carts', (SELECT jsonb_agg(to_jsonb(c) - 'basket_hash' ORDER BY c.id) FROM carts c WHERE c.id = ANY ($4)),
               'voucher_uses', (SELECT jsonb_agg(to_jsonb(u) ORDER BY u.at, u.cart_id) FROM voucher_uses u WHERE u.cart_id = ANY ($4)),
               'vouchers', (SELECT jsonb_agg(to_jsonb(v) ORDER BY v.id) FROM vouchers v WHERE v.id = ANY ($9)),
               'cart_items', (SELECT jsonb_agg(to_jsonb(i) ORDER BY i.id) FROM cart_items i WHERE i.cart_id = ANY ($4)),
               'moves', (SELECT jsonb_agg(to_jsonb(m) ORDER BY m.id) FROM moves m WHERE m.cart_id = ANY ($4)),
               'transactions', (SELECT jsonb_agg(to_jsonb(t) - 'call_lease_until' ORDER BY t.id) FROM transactions t WHERE t.id = ANY ($5)),
               'refunds', (SELECT jsonb_agg(to_jsonb(r) - 'request_hash' - 'call_lease_until' ORDER BY r.id) FROM refunds r WHERE r.id = ANY ($6)),
               'received_payments', (SELECT jsonb_agg(to_jsonb(p) - 'request_hash' - 'request_key' ORDER BY p.created_at, p.id)
                                     FROM received_payments p WHERE p.transaction_id = ANY ($5)),
               'disputes', (SELECT jsonb_agg(to_jsonb(d) ORDER BY d.id) FROM disputes d WHERE d.transaction_id = ANY ($5)),
               'withdrawals', (SELECT jsonb_agg(to_jsonb(w) ORDER BY w.declared_at, w.id) FROM withdrawals w WHERE w.id = ANY ($10)),
               'documents', (SELECT jsonb_agg(to_jsonb(d) ORDER BY d.issued_at, d.id) FROM documents d WHERE d.cart_id = ANY ($4)),
               'ledger', (SELECT jsonb_agg(to_jsonb(l) ORDER BY l.seq) FROM ledger l WHERE l.transaction_id = ANY ($5)),
               'inbox', (SELECT jsonb_agg(to_jsonb(i) ORDER BY i.id) FROM inbox i
                         WHERE i.transaction_id = ANY ($5) OR i.transaction_hint = ANY ($5)),
               'gateway_customers', (SELECT jsonb_agg(to_jsonb(g)) FROM gateway_customers g WHERE g.buyer = ANY ($7)),
               'commands', (SELECT jsonb_agg(to_jsonb(c) - 'request_hash'
                               - CASE WHEN c.type = ANY ($11) THEN 'answer' ELSE '' END ORDER BY c.id) FROM commands c WHERE c.id = ANY ($8)),
               'outbox', (SELECT jsonb_agg(to_jsonb(o) ORDER BY o.id) FROM outbox o WHERE o.body ->> 'to' = $1 OR o.body ->> 'email' = $1),
               'waiting_list', (SELECT jsonb_agg(to_jsonb(w) ORDER BY w.id) FROM waiting_list w WHERE w.email = $1),
               'gifts', (SELECT jsonb_agg(to_jsonb(g) ORDER BY g.cart_id) FROM gifts g WHERE g.recipient = $1 OR g.cart_id = ANY ($4)),
               'batch_rows', (SELECT jsonb_agg(to_jsonb(r) ORDER BY r.batch_id, r.row) FROM batch_rows r WHERE r.email = $1),
               'mails', (SELECT jsonb_agg(to_jsonb(m) ORDER BY m.id) FROM mails m WHERE m.recipient = $1),
               'suppressed_addresses', (SELECT jsonb_agg(to_jsonb(s)) FROM suppressed_addresses s WHERE s.address = $1),
               'invitations', (SELECT jsonb_agg(to_jsonb(i) ORDER BY i.invited_at) FROM invitations i WHERE i.email = $1),
               'audit_log', (SELECT jsonb_agg(to_jsonb(a) ORDER BY a.id) FROM audit a)
           ) AS "all!""#,
        person.email,
        person.learner_id as _,
        &person.enrollments as _,
        &person.carts as _,
        &person.transactions as _,
        &person.refunds as _,
        &person.buyers,
        &commands,
        &person.pools as _,
        &person.withdrawals,
        &kinds_with_addresses() as &[&str],
    )
    .fetch_one(db)
    .await?)
}
