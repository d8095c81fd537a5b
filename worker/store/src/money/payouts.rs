//! Payouts of providers: how far each account's are read, the payouts, their movements, and what the ledger has of both.

use chrono::{DateTime, TimeDelta, Utc};
use rust_decimal::prelude::ToPrimitive;
use rust_decimal::{Decimal, RoundingStrategy};
use shared::db::Db;
use shared::gateway::Gateway;
use shared::ids::OrganisationId;
use shared::money::Currency;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::alert::Alert;
use crate::error::JobResult;
use crate::model::payout::{self, Comparison, Movement, Payout, State};

/// Time in which a difference is not final: a provider may add movements on the day after a payout.
const SETTLES_WITHIN: TimeDelta = TimeDelta::days(2);

/// The next attempt at a payout whose movements are not complete yet.
const AGAIN_AFTER: TimeDelta = TimeDelta::hours(1);

/// An organisation's account at a provider.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    pub organisation_id: OrganisationId,
    pub gateway: Gateway,
}

/// How far the payouts of an account are read.
pub struct Reading {
    /// Where the list continues; None at its beginning.
    pub page: Option<String>,
    /// Time when the reading of the list began that has not ended.
    pub begun_at: Option<DateTime<Utc>>,
    /// All payouts that were made before are known.
    pub read_to: Option<DateTime<Utc>>,
    pub is_refused: bool,
}

/// Takes the accounts whose payouts are to be read, and sets their next reading. An account whose key the provider refuses is left
/// out.
pub async fn take_due(
    db: &mut PgConnection,
    now: DateTime<Utc>,
    next: DateTime<Utc>,
    limit: i64,
) -> JobResult<Vec<Account>> {
    sqlx::query!(
        "INSERT INTO payout_readings (organisation_id, gateway, due_at)
         SELECT organisation_id, gateway, $1 FROM gateway_credentials ON CONFLICT DO NOTHING",
        now,
    )
    .execute(&mut *db)
    .await?;
    let rows = sqlx::query!(
        r#"UPDATE payout_readings r SET due_at = $2
           WHERE (r.organisation_id, r.gateway) IN (
               SELECT d.organisation_id, d.gateway FROM payout_readings d
               JOIN gateway_credentials g ON g.organisation_id = d.organisation_id AND g.gateway = d.gateway
               WHERE d.due_at <= $1 AND g.refused_at IS NULL ORDER BY d.due_at LIMIT $3 FOR UPDATE OF d SKIP LOCKED)
           RETURNING r.organisation_id, r.gateway AS "gateway: String""#,
        now,
        next,
        limit,
    )
    .fetch_all(db)
    .await?;
    // A gateway that this program does not know is left to newer ones.
    let account =
        |organisation_id, gateway: String| Some(Account { organisation_id, gateway: gateway.parse().ok()? });
    Ok(rows.into_iter().filter_map(|row| account(row.organisation_id, row.gateway)).collect())
}

/// Reads how far an account is read. None if it has no credentials any more.
pub async fn reading(db: &Db, account: Account) -> JobResult<Option<Reading>> {
    Ok(sqlx::query_as!(
        Reading,
        r#"SELECT page, begun_at, read_to, refused_at IS NOT NULL AS "is_refused!" FROM payout_readings
           WHERE organisation_id = $1 AND gateway = $2"#,
        account.organisation_id as _,
        account.gateway.name(),
    )
    .fetch_optional(db)
    .await?)
}

/// Has an account read again at this time, if not earlier.
pub async fn due_by(db: &Db, account: Account, at: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!(
        "UPDATE payout_readings SET due_at = least(due_at, $3) WHERE organisation_id = $1 AND gateway = $2",
        account.organisation_id as _,
        account.gateway.name(),
        at,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Records that the provider refuses to show payouts. False if that was recorded before.
pub async fn set_refused(db: &Db, account: Account, now: DateTime<Utc>) -> JobResult<bool> {
    let set = sqlx::query!(
        "UPDATE payout_readings SET refused_at = $3
         WHERE organisation_id = $1 AND gateway = $2 AND refused_at IS NULL",
        account.organisation_id as _,
        account.gateway.name(),
        now,
    );
    Ok(set.execute(db).await?.rows_affected() == 1)
}

/// An account whose provider does not show payouts to its key.
pub struct Refused {
    pub organisation: String,
    pub gateway: String,
    pub since: DateTime<Utc>,
}

/// Lists the accounts whose providers do not show payouts to their keys.
pub async fn refused(db: &Db) -> JobResult<Vec<Refused>> {
    Ok(sqlx::query_as!(
        Refused,
        r#"SELECT o.short_name AS organisation, r.gateway AS "gateway: String", r.refused_at AS "since!"
           FROM payout_readings r JOIN organisations o ON o.id = r.organisation_id
           WHERE r.refused_at IS NOT NULL ORDER BY 1, 2"#
    )
    .fetch_all(db)
    .await?)
}

/// Stores where the list of payouts continues; None at its end, when all payouts that were made before `begun_at` are known. The
/// provider has shown them.
pub async fn set_place(
    db: &mut PgConnection,
    account: Account,
    page: Option<&str>,
    begun_at: DateTime<Utc>,
) -> JobResult<()> {
    sqlx::query!(
        "UPDATE payout_readings SET page = $3, begun_at = CASE WHEN $3::text IS NOT NULL THEN $4::timestamptz END,
             read_to = CASE WHEN $3::text IS NULL THEN $4 ELSE read_to END, refused_at = NULL
         WHERE organisation_id = $1 AND gateway = $2",
        account.organisation_id as _,
        account.gateway.name(),
        page,
        begun_at,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Stores a payout as its provider lists it now, and books it. Returns an alert if it has failed since.
pub async fn store(
    db: &mut PgConnection,
    account: Account,
    listed: &Payout,
    now: DateTime<Utc>,
) -> JobResult<Option<Alert>> {
    let Account { organisation_id, gateway } = account;
    let known = sqlx::query_scalar!(
        r#"SELECT state AS "state: State" FROM payouts WHERE organisation_id = $1 AND gateway = $2 AND reference = $3
           FOR UPDATE"#,
        organisation_id as _,
        gateway.name(),
        listed.reference,
    )
    .fetch_optional(&mut *db)
    .await?;
    let id = sqlx::query_scalar!(
        "INSERT INTO payouts AS p (id, organisation_id, gateway, reference, state, amount, currency, made_at, bank_day, bank_reference,
                                   is_itemised, rows_due_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, CASE WHEN $11 AND $5 <> 'pending' THEN $12::timestamptz END)
         ON CONFLICT (organisation_id, gateway, reference) DO UPDATE SET
             state = excluded.state, bank_day = excluded.bank_day, is_itemised = excluded.is_itemised,
             bank_reference = coalesce(excluded.bank_reference, p.bank_reference),
             rows_due_at = CASE WHEN p.read_at IS NULL THEN coalesce(p.rows_due_at, excluded.rows_due_at) END
         RETURNING id",
        Uuid::now_v7(),
        organisation_id as _,
        gateway.name(),
        listed.reference,
        listed.state as State,
        listed.minor,
        listed.currency.code(),
        listed.made_at,
        listed.bank_day,
        listed.bank_reference,
        listed.is_itemised,
        now,
    )
    .fetch_one(&mut *db)
    .await?;
    book(db, id, now).await?;
    let has_failed = listed.state == State::Failed && known.is_some_and(|known| known != State::Failed);
    let reason = || {
        let amount = in_words(listed.minor.into(), listed.currency);
        format!(
            "payout {} of {amount} has failed: the bank did not take it, or has sent it back",
            listed.reference
        )
    };
    Ok(has_failed.then(|| Alert::Payout { organisation: organisation_id, gateway, reason: reason() }))
}

/// Books what has left the provider's balance for a payout, or has come back since.
async fn book(db: &mut PgConnection, id: Uuid, now: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!(
        "INSERT INTO ledger (at, organisation_id, kind, payout_id, amount, currency, gateway, provider_reference, bank_at)
         SELECT $2, p.organisation_id, 'payout', p.id, due.amount, p.currency, p.gateway, p.reference,
                CASE WHEN p.state = 'paid' THEN (p.bank_day + time '12:00') AT TIME ZONE day_zone(o.seller) END
         FROM payouts p JOIN organisations o ON o.id = p.organisation_id
         CROSS JOIN LATERAL (
             SELECT CASE p.state WHEN 'paid' THEN -p.amount ELSE 0 END - coalesce(sum(l.amount), 0)::bigint AS amount
             FROM ledger l WHERE l.payout_id = p.id AND l.kind = 'payout') due
         WHERE p.id = $1 AND due.amount <> 0",
        id,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// A payout whose movements are to be read.
pub struct Due {
    pub id: Uuid,
    pub reference: String,
    pub made_at: DateTime<Utc>,
    /// Where they continue.
    pub page: Option<String>,
    pub minor: i64,
    pub currency: Currency,
}

/// The next payout of an account whose movements are to be read.
pub async fn next_due(db: &Db, account: Account, now: DateTime<Utc>) -> JobResult<Option<Due>> {
    Ok(sqlx::query_as!(
        Due,
        r#"SELECT id, reference, made_at, page, amount AS minor, currency AS "currency: Currency" FROM payouts
           WHERE organisation_id = $1 AND gateway = $2 AND rows_due_at <= $3 ORDER BY rows_due_at, id LIMIT 1"#,
        account.organisation_id as _,
        account.gateway.name(),
        now,
    )
    .fetch_optional(db)
    .await?)
}

/// Adds movements to a payout, those that it has already left out, and stores where they continue. What they are about is looked up here.
pub async fn add(
    db: &mut PgConnection,
    account: Account,
    payout: Uuid,
    movements: &[Movement],
    page: Option<&str>,
) -> JobResult<()> {
    let of = |part: fn(&Movement) -> Option<&str>| -> Vec<Option<String>> {
        movements.iter().map(|moved| part(moved).map(str::to_owned)).collect()
    };
    let exact = |part: fn(&Movement) -> Decimal| -> Vec<Decimal> { movements.iter().map(part).collect() };
    let items: Vec<i64> = movements.iter().map(|moved| moved.items).collect();
    let times: Vec<Option<DateTime<Utc>>> = movements.iter().map(|moved| moved.moved_at).collect();
    sqlx::query!(
        "INSERT INTO payout_rows (payout_id, reference, kind, provider_kind, balance, items, gross, fee, fee_tax, currency, moved_at,
                                  transaction_id, refund_id)
         SELECT $1, m.reference, m.kind, m.provider_kind, m.balance, m.items, m.gross, m.fee, m.fee_tax, m.currency, m.moved_at,
                coalesce(f.transaction_id, d.transaction_id, t.id), f.id
         FROM unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::numeric[], $10::numeric[], $11::numeric[],
                     $12::text[], $13::timestamptz[], $14::text[], $15::text[], $16::text[])
             AS m (reference, kind, provider_kind, balance, items, gross, fee, fee_tax, currency, moved_at, payment, refund, dispute)
         LEFT JOIN transactions t ON t.gateway = $3 AND t.provider_reference = m.payment AND t.organisation_id = $2
         LEFT JOIN LATERAL (SELECT r.id, r.transaction_id FROM refunds r JOIN transactions o ON o.id = r.transaction_id
                            WHERE r.provider_reference = m.refund AND o.organisation_id = $2 AND o.gateway = $3 LIMIT 1) f ON true
         LEFT JOIN LATERAL (SELECT r.transaction_id FROM disputes r JOIN transactions o ON o.id = r.transaction_id
                            WHERE r.provider_reference = m.dispute AND o.organisation_id = $2 AND o.gateway = $3 LIMIT 1) d ON true
         ON CONFLICT (payout_id, reference) DO NOTHING",
        payout,
        account.organisation_id as _,
        account.gateway.name(),
        &of(|moved| Some(&moved.reference)) as _,
        &of(|moved| Some(moved.kind.into())) as _,
        &of(|moved| Some(&moved.provider_kind)) as _,
        &of(|moved| moved.balance.as_deref()) as _,
        &items,
        &exact(|moved| moved.gross),
        &exact(|moved| moved.fee),
        &exact(|moved| moved.fee_tax),
        &of(|moved| Some(moved.currency.code())) as _,
        &times as _,
        &of(|moved| moved.about.payment.as_deref()) as _,
        &of(|moved| moved.about.refund.as_deref()) as _,
        &of(|moved| moved.about.dispute.as_deref()) as _,
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!("UPDATE payouts SET page = $2 WHERE id = $1", payout, page).execute(db).await?;
    Ok(())
}

/// Compares a payout with its movements, all of which are read, and books the fees. Returns an alert that names the difference. A young
/// payout that differs is read again.
pub async fn conclude(
    db: &mut PgConnection,
    account: Account,
    due: &Due,
    now: DateTime<Utc>,
) -> JobResult<Option<Alert>> {
    let sums = sqlx::query!(
        r#"SELECT coalesce(sum(gross - fee), 0) AS "net!", coalesce(sum(fee), 0) AS "fee!" FROM payout_rows
           WHERE payout_id = $1 AND balance IS NULL AND currency = $2"#,
        due.id,
        due.currency.code(),
    )
    .fetch_one(&mut *db)
    .await?;
    let (difference, alert) = match payout::compare(due.minor, sums.net) {
        Comparison::Differs(_) if now - due.made_at < SETTLES_WITHIN => {
            return read_again(db, due.id, now + AGAIN_AFTER).await.map(|()| None);
        }
        Comparison::Agrees { rounding } => {
            round(db, due, rounding).await?;
            (Decimal::ZERO, None)
        }
        Comparison::Differs(difference) => (difference, Some(alert(account, due, difference))),
    };
    sqlx::query!(
        "UPDATE payouts SET page = NULL, rows_due_at = NULL, read_at = $2, difference = $3 WHERE id = $1",
        due.id,
        now,
        difference,
    )
    .execute(&mut *db)
    .await?;
    let fee = sums.fee.round_dp_with_strategy(0, RoundingStrategy::MidpointAwayFromZero);
    book_fee(db, due.id, fee.to_i64().unwrap_or(0), now).await?;
    Ok(alert)
}

fn alert(Account { organisation_id, gateway }: Account, due: &Due, difference: Decimal) -> Alert {
    let (amount, by) = (in_words(due.minor.into(), due.currency), in_words(difference, due.currency));
    let reason =
        format!("payout {} of {amount} differs by {by} from the sum of its movements", due.reference);
    Alert::Payout { organisation: organisation_id, gateway, reason }
}

async fn read_again(db: &mut PgConnection, payout: Uuid, at: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!("UPDATE payouts SET page = NULL, rows_due_at = $2 WHERE id = $1", payout, at)
        .execute(db)
        .await?;
    Ok(())
}

/// Shows what rounding the payout has changed as a movement of its own.
async fn round(db: &mut PgConnection, due: &Due, rounding: Decimal) -> JobResult<()> {
    if rounding.is_zero() {
        return Ok(());
    }
    sqlx::query!(
        "INSERT INTO payout_rows (payout_id, reference, kind, provider_kind, gross, fee, fee_tax, currency)
         VALUES ($1, 'rounding', 'rounding', '', $2, 0, 0, $3)",
        due.id,
        rounding,
        due.currency.code(),
    )
    .execute(db)
    .await?;
    Ok(())
}

async fn book_fee(db: &mut PgConnection, payout: Uuid, fee: i64, now: DateTime<Utc>) -> JobResult<()> {
    if fee == 0 {
        return Ok(());
    }
    sqlx::query!(
        "INSERT INTO ledger (at, organisation_id, kind, payout_id, amount, currency, gateway, provider_reference)
         SELECT $2, organisation_id, 'fee', id, $3, currency, gateway, reference FROM payouts WHERE id = $1",
        payout,
        now,
        -fee,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// An amount of minor units, as alerts name it: `46.15 USD`.
fn in_words(minor: Decimal, currency: Currency) -> String {
    let major = minor / Decimal::from(10_i64.pow(currency.digits()));
    let digits = major.normalize().scale().max(currency.digits());
    format!("{major:.*} {currency}", usize::try_from(digits).unwrap_or(2))
}
