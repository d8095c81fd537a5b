//! The writer of carts: a row with its lines and courses in one statement, from structs whose fields have the names of the columns.
//!
//! Why: `docs/decisions/learner-cart-reopens.md`

use chrono::{DateTime, SubsecRound, Utc};
use rust_decimal::Decimal;
use serde::Serialize;
use serde_json::{Value, json};
use shared::about;
use shared::access_period::AccessPeriod;
use shared::course_mode::CourseMode;
use shared::email::Email;
use shared::ids::{CartId, LearnerId, OrganisationId, VoucherId};
use shared::messages::{BillingAddress, ItemKind, Labels};
use shared::money::Amount;
use shared::region::Country;
use shared::withdrawal::Agreed;
use sqlx::PgConnection;
use texts::Language;
use uuid::Uuid;

use super::carts::{Kind, NewCart, State};
use super::gifts;
use crate::error::{JobError, JobResult};
use crate::model::line::{NewContents, NewLine};
use crate::model::tax::TaxTerms;
use crate::plumbing::audit::{self, Cause};

/// A row of `carts`.
#[derive(Serialize)]
struct CartRow<'a> {
    id: CartId,
    kind: Kind,
    buyer: &'a str,
    organisation_id: OrganisationId,
    state: State,
    fulfilled_at: Option<DateTime<Utc>>,
    email: &'a Email,
    learner_id: Option<LearnerId>,
    basket_hash: String,
    country: Option<Country>,
    currency: &'static str,
    total: i64,
    billing_address: Option<&'a BillingAddress>,
    voucher_id: Option<VoucherId>,
    tax_terms: Option<&'a TaxTerms>,
    consents: Option<&'a Agreed>,
    created_at: DateTime<Utc>,
    /// As the buyer has chosen it.
    language: Option<&'a Language>,
    #[serde(flatten)]
    labels: Option<&'a Labels>,
}

/// A row of `cart_items`.
#[derive(Serialize)]
struct LineRow<'a> {
    position: usize,
    course_id: Option<Uuid>,
    program_id: Option<Uuid>,
    name: &'a str,
    mode: CourseMode,
    seats: Option<i32>,
    price_name: Option<&'a str>,
    #[serde(flatten)]
    access: AccessPeriod,
    original_price: i64,
    discount_pct: Decimal,
    price: i64,
    voucher_discount: i64,
    tax: i64,
    tax_on_top: i64,
    upgrade_from: Option<CourseMode>,
    rests_on: Option<Uuid>,
}

/// A row of `cart_courses`.
#[derive(Serialize)]
struct CourseRow {
    course_id: Uuid,
    mode: CourseMode,
    /// Of the line that grants it.
    position: usize,
}

/// The rows of a cart in JSON.
struct Rows {
    cart: Value,
    lines: Value,
    courses: Value,
}

impl<'a> CartRow<'a> {
    fn new(cart: &'a NewCart<'_>, state: State, now: DateTime<Utc>) -> Self {
        let contents = &cart.contents;
        // PostgreSQL would round what it reads as text; bound times are cut.
        let now = now.trunc_subsecs(6);
        Self {
            id: cart.id,
            kind: cart.kind,
            buyer: &cart.buyer,
            organisation_id: cart.organisation_id,
            state,
            fulfilled_at: (state == State::Fulfilled).then_some(now),
            email: cart.email,
            learner_id: cart.learner_id,
            basket_hash: format!("\\x{}", hex::encode(&contents.basket_hash)),
            country: cart.country,
            currency: contents.total.currency().code(),
            total: contents.total.minor(),
            billing_address: cart.billing_address,
            voucher_id: contents.voucher.map(|voucher| voucher.id),
            tax_terms: contents.tax_terms,
            consents: contents.consents,
            created_at: now,
            language: cart.language,
            labels: contents.labels,
        }
    }
}

impl<'a> LineRow<'a> {
    fn new((position, line): (usize, &'a NewLine)) -> Self {
        let id = |kind| (line.item.kind == kind).then_some(line.item.id);
        Self {
            position,
            course_id: id(ItemKind::Course),
            program_id: id(ItemKind::Program),
            name: &line.name,
            mode: line.item.mode,
            seats: line.item.seats,
            price_name: line.price_name.as_deref(),
            access: line.access,
            original_price: line.price.original.minor(),
            discount_pct: line.price.discount_pct,
            price: line.price.price.minor(),
            voucher_discount: line.voucher_discount,
            tax: line.tax.map_or(0, |tax| tax.amount.minor()),
            tax_on_top: line.tax_on_top(),
            upgrade_from: line.upgrade_from,
            rests_on: line.rests_on,
        }
    }
}

impl Rows {
    fn new(cart: &NewCart<'_>, state: State, now: DateTime<Utc>) -> serde_json::Result<Self> {
        let NewContents { lines, courses, .. } = cart.contents;
        let lines: Vec<_> = lines.iter().enumerate().map(LineRow::new).collect();
        let course = |&(position, (course_id, mode)): &(usize, (Uuid, CourseMode))| CourseRow {
            course_id,
            mode,
            position,
        };
        let courses: Vec<_> = courses.iter().map(course).collect();
        Ok(Self {
            cart: serde_json::to_value(CartRow::new(cart, state, now))?,
            lines: serde_json::to_value(lines)?,
            courses: serde_json::to_value(courses)?,
        })
    }
}

/// Writes the rows $1, $2 and $3 in one statement, which returns the cart's id. The cart's row is written by a statement around the
/// columns that a rewritten cart gets anew, which it has twice; it returns the id, or no row if nothing is to be written. A macro, so
/// that the columns are written once and the compiler still checks each query.
macro_rules! write_cart {
    (@ $columns:literal, $lines:literal, $courses:literal, $before:literal, $between:literal, $after:literal,
     $rows:expr $(, $value:expr)* $(,)?) => {
        sqlx::query_scalar!(
            "WITH given AS (
                 SELECT c.* FROM jsonb_populate_record(NULL::carts, $1) g, jsonb_populate_record(g, jsonb_build_object('language',
                     -- What the record knows of an address is not a guest's to see.
                     buyer_language(g.language, CASE WHEN g.buyer NOT LIKE 'guest:%' THEN g.email END, g.organisation_id))) c),
             cart AS (" + $before + $columns + $between + $columns + $after + "),
             items AS (
                 INSERT INTO cart_items (cart_id, " + $lines + ")
                 SELECT cart.id, " + $lines + " FROM cart, jsonb_populate_recordset(NULL::cart_items, $2) i),
             courses AS (
                 INSERT INTO cart_courses (cart_id, " + $courses + ")
                 SELECT cart.id, " + $courses + " FROM cart, jsonb_populate_recordset(NULL::cart_courses, $3) c)
             SELECT id FROM cart",
            $rows.cart,
            $rows.lines,
            $rows.courses,
            $($value),*
        )
    };
    ($($rest:tt)+) => {
        write_cart!(
            @ "email, learner_id, basket_hash, country, currency, total, billing_address, voucher_id, tax_terms, consents,
               created_at, language, reference, metadata",
            "position, course_id, program_id, name, mode, seats, price_name, access_days, access_until, original_price, discount_pct, price, voucher_discount, tax,
             tax_on_top, upgrade_from, rests_on",
            "course_id, mode, position",
            $($rest)+
        )
    };
}

/// Inserts a cart with its lines and courses.
///
/// # Errors
/// `Conflict` if the command has inserted it already: the job runs again, and finds it.
pub async fn insert(db: &mut PgConnection, cart: &NewCart<'_>, state: State, cause: Cause) -> JobResult<()> {
    about::cart(cart.id);
    let total = cart.contents.total;
    let detail = json!({ "total": Amount(total), "currency": total.currency() });
    if !write(db, Rows::new(cart, state, cause.now)?, detail, cause).await? {
        return Err(JobError::Conflict(format!("cart {} exists already", cart.id)));
    }
    match cart.contents.gift {
        Some(gift) => gifts::insert(db, cart.id, gift, cause.now).await,
        None => Ok(()),
    }
}

/// Inserts the rows of a new cart, with its audit record. False if it exists, or its buyer has another one that excludes it.
async fn write(db: &mut PgConnection, rows: Rows, detail: Value, cause: Cause) -> JobResult<bool> {
    let inserted = write_cart!(
        "INSERT INTO carts (id, kind, buyer, organisation_id, state, fulfilled_at, ",
        ") SELECT id, kind, buyer, organisation_id, state, fulfilled_at, ",
        " FROM given ON CONFLICT DO NOTHING RETURNING id),
         joined AS (DELETE FROM joined_checkouts WHERE id = (SELECT id FROM given)),
         recorded AS (
             INSERT INTO audit_log (at, entity, entity_id, actor, command_id, to_state, detail, trace)
             SELECT given.created_at, 'cart', cart.id, $4, $5, given.state, $6, $7 FROM cart JOIN given USING (id)",
        rows,
        cause.actor.to_string(),
        cause.command_id,
        detail,
        audit::trace(),
    );
    Ok(inserted.fetch_optional(db).await?.is_some())
}

/// Replaces the contents of an open cart, or updates its prices.
pub async fn rewrite(db: &mut PgConnection, cart: &NewCart<'_>, now: DateTime<Utc>) -> JobResult<()> {
    let rows = Rows::new(cart, State::Open, now)?;
    sqlx::query!("DELETE FROM cart_items WHERE cart_id = $1", cart.id as _).execute(&mut *db).await?;
    sqlx::query!("DELETE FROM cart_courses WHERE cart_id = $1", cart.id as _).execute(&mut *db).await?;
    write_cart!(
        "UPDATE carts SET (",
        ") = (SELECT ",
        " FROM given) WHERE id = (SELECT id FROM given) AND state = 'open' RETURNING id",
        rows,
    )
    .fetch_optional(db)
    .await?;
    Ok(())
}

/// Copies a learner's cart whose payment is dead into a new open cart. Does nothing for other kinds of cart, or if the
/// learner has another one by now.
pub async fn reopen(db: &mut PgConnection, id: CartId, cause: Cause) -> JobResult<()> {
    let old = sqlx::query_as!(
        Rows,
        r#"SELECT to_jsonb(c) || jsonb_build_object('id', $2::uuid, 'state', 'open', 'fulfilled_at', NULL, 'created_at', $3::timestamptz,
                      -- An operator may have confirmed another amount of its payment.
                      'total', (SELECT sum(price + tax_on_top) FROM cart_items WHERE cart_id = $1)) AS "cart!",
                  coalesce((SELECT jsonb_agg(i) FROM cart_items i WHERE i.cart_id = $1), '[]') AS "lines!",
                  coalesce((SELECT jsonb_agg(k) FROM cart_courses k WHERE k.cart_id = $1), '[]') AS "courses!"
           FROM carts c WHERE c.id = $1 AND c.kind = 'learner'"#,
        id as _,
        CartId::generate() as _,
        cause.now,
    );
    if let Some(rows) = old.fetch_optional(&mut *db).await? {
        write(db, rows, json!({ "reopened_from": id }), cause).await?;
    }
    Ok(())
}
