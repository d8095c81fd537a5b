//! Queries for carts as buyers see them: lines with their fixed prices, and the state of the payment.

use chrono::{DateTime, FixedOffset, NaiveDate, Utc};
use rust_decimal::Decimal;
use shared::about;
use shared::access_period::AccessPeriod;
use shared::db::Db;
use shared::ids::{CartId, OrganisationId};
use shared::messages::{CartItem, ItemKind, LineTax};
use shared::money::{Currency, Money};
use texts::{Language, Localizer, Texts};
use uuid::Uuid;

use crate::error::{ApiError, ApiResult};
use crate::request_log;
use crate::words::CartStatus;

/// The buyer of a cart, or of a pool of seats.
pub struct Owner<Id = CartId> {
    pub id: Id,
    /// A learner's platform user id, or `guest:` followed by the address.
    pub buyer: String,
    pub organisation_id: OrganisationId,
}

/// The owner of a cart, by the id of the cart or of a checkout that has joined it. The request is about that cart.
pub async fn owner(db: &Db, id: Uuid) -> ApiResult<Option<Owner>> {
    let owner = sqlx::query_as!(
        Owner,
        "SELECT id, buyer, organisation_id FROM carts
         WHERE id = $1 OR id = (SELECT cart_id FROM joined_checkouts WHERE id = $1) ORDER BY id = $1 DESC LIMIT 1",
        id,
    )
    .fetch_optional(db)
    .await?;
    Ok(owner.inspect(|owner| about::cart(owner.id)))
}

pub struct CartRow {
    pub id: CartId,
    pub state: CartStatus,
    pub gateway: Option<String>,
    pub total: Money,
    /// The code of its voucher.
    pub voucher: Option<String>,
    /// Indicates whether any of its payments has been charged, or could still be.
    pub may_be_charged: bool,
    pub payment: PaymentFacts,
}

/// Record of the money of an order.
#[derive(Clone, Copy, Debug, Default)]
pub struct PaymentFacts {
    /// False if there is nothing to pay.
    pub has_price: bool,
    /// The organisation takes the money itself.
    pub is_external: bool,
    /// The provider works on it: a bank transfer, a voucher or an authorisation is under way. Or an invoice on account is unpaid.
    pub waits_for_bank: bool,
    pub is_on_account: bool,
    pub is_overdue: bool,
    pub is_disputed: bool,
    pub has_refund: bool,
    pub has_loss: bool,
    /// A former shop sold it.
    pub is_moved_in: bool,
}

pub async fn find(db: &Db, id: CartId) -> ApiResult<Option<CartRow>> {
    let row = sqlx::query!(
        r#"SELECT c.id, c.state, c.currency, c.total, (SELECT v.code FROM vouchers v WHERE v.id = c.voucher_id) AS voucher,
                  t.gateway AS "gateway?",
                  coalesce((t.dead_at IS NULL OR t.gateway = 'external') AND t.state <> 'refunded', false) AS "may_be_charged!",
                  t.provider_pending_since IS NOT NULL AS "waits_for_bank!", t.on_account IS NOT NULL AS "is_on_account!",
                  t.overdue_at IS NOT NULL AS "is_overdue!", coalesce(t.refunded_amount, 0) > 0 AS "has_refund!",
                  coalesce(t.lost_amount, 0) > 0 AS "has_loss!", c.former_shop IS NOT NULL AS "is_moved_in!",
                  EXISTS (SELECT FROM disputes d WHERE d.transaction_id = t.id AND d.state = 'open') AS "is_disputed!"
           FROM carts c LEFT JOIN transactions t ON t.cart_id = c.id WHERE c.id = $1"#,
        id as _,
    )
    .fetch_optional(db)
    .await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(CartRow {
        id: row.id,
        state: row.state.parse().map_err(|_| damaged("state"))?,
        payment: PaymentFacts {
            has_price: row.gateway.is_some(),
            is_external: row.gateway.as_deref() == Some("external"),
            waits_for_bank: row.waits_for_bank,
            is_on_account: row.is_on_account,
            is_overdue: row.is_overdue,
            is_disputed: row.is_disputed,
            has_refund: row.has_refund,
            has_loss: row.has_loss,
            is_moved_in: row.is_moved_in,
        },
        gateway: row.gateway,
        total: money(row.total, currency(&row.currency)?)?,
        voucher: row.voucher,
        may_be_charged: row.may_be_charged,
    }))
}

/// Money that the buyer of a cart is yet to transfer to its organisation.
pub struct AwaitedTransfer {
    /// The creditor reference.
    pub reference: String,
    pub due_on: NaiveDate,
    /// The organisation's account, a line each.
    pub bank_lines: Vec<String>,
    pub open: Money,
    /// A part that has arrived.
    pub received: Money,
}

/// Money that the buyer of a cart is yet to transfer; None if nothing is awaited, or a provider takes the money.
pub async fn awaited(db: &Db, cart: &CartRow) -> ApiResult<Option<AwaitedTransfer>> {
    let row = sqlx::query!(
        r#"SELECT t.provider_reference AS "reference!", t.due_on AS "due_on!",
                  ARRAY(SELECT jsonb_array_elements_text(o.bank_transfer -> 'lines')) AS "bank_lines!",
                  (SELECT coalesce(sum(p.amount), 0) FROM received_payments p
                   WHERE p.transaction_id = t.id AND p.returned_at IS NULL)::bigint AS "received!"
           FROM transactions t JOIN organisations o ON o.id = t.organisation_id JOIN carts c ON c.id = t.cart_id
           WHERE t.cart_id = $1 AND t.gateway = 'external' AND t.provider_reference IS NOT NULL AND t.due_on IS NOT NULL
             AND c.paid_at IS NULL AND c.state IN ('pending_payment', 'fulfilled')"#,
        cart.id as _,
    );
    let Some(row) = row.fetch_optional(db).await? else { return Ok(None) };
    let currency = cart.total.currency();
    let open = cart.total.minor().saturating_sub(row.received);
    if open <= 0 {
        return Ok(None);
    }
    Ok(Some(AwaitedTransfer {
        reference: row.reference,
        due_on: row.due_on,
        bank_lines: row.bank_lines,
        open: money(open, currency)?,
        received: money(row.received, currency)?,
    }))
}

/// The address of a cart's buyer.
pub async fn email(db: &Db, id: CartId) -> ApiResult<String> {
    Ok(sqlx::query_scalar!("SELECT email FROM carts WHERE id = $1", id as _).fetch_one(db).await?)
}

/// A moment in the time of a cart's organisation.
pub async fn local(db: &Db, id: CartId, at: DateTime<Utc>) -> ApiResult<DateTime<FixedOffset>> {
    let offset = sqlx::query_scalar!(
        r#"SELECT extract(epoch FROM ($2::timestamptz AT TIME ZONE day_zone(o.seller)) - ($2::timestamptz AT TIME ZONE 'UTC'))::integer
                  AS "seconds!" FROM carts c JOIN organisations o ON o.id = c.organisation_id WHERE c.id = $1"#,
        id as _,
        at,
    );
    let offset = FixedOffset::east_opt(offset.fetch_one(db).await?);
    Ok(at.with_timezone(&offset.ok_or(ApiError::Internal)?))
}

/// The learner's open cart, or the one whose payment is pending.
pub async fn of_learner(
    db: &Db,
    user_id: i64,
    organisation_id: OrganisationId,
) -> ApiResult<Option<CartRow>> {
    let id = sqlx::query_scalar!(
        "SELECT id FROM carts WHERE buyer = $1 AND organisation_id = $2 AND kind = 'learner'
           AND state IN ('open', 'pending_payment')",
        user_id.to_string(),
        organisation_id as _,
    )
    .fetch_optional(db)
    .await?;
    match id {
        Some(id) => find(db, id).await,
        None => Ok(None),
    }
}

/// A cart line, and the enrollment state of each of its courses.
pub struct LineRow {
    pub item: CartItem,
    /// Words of `ItemEnrollment`; empty before the cart is granted. A line that grants nothing, because the learner held it
    /// already, has the states of what is held.
    pub enrollments: Vec<String>,
}

pub async fn lines(db: &Db, cart: &CartRow) -> ApiResult<Vec<LineRow>> {
    let rows = sqlx::query!(
        r#"SELECT i.course_id, i.program_id, c.openedx_course_id AS "openedx_course_id?", i.name, i.mode,
                  i.seats, i.price_name, i.access_days, i.access_until, i.original_price, i.discount_pct AS "discount_pct: Decimal", i.price, i.voucher_discount,
                  i.tax, (k.tax_terms ->> 'is_included')::boolean AS tax_is_included, i.upgrade_from,
                  line_enrollments(i.cart_id, i.position) AS "enrollments!: Vec<Option<String>>"
           FROM cart_items i JOIN carts k ON k.id = i.cart_id LEFT JOIN courses c ON c.id = i.course_id
           WHERE i.cart_id = $1 ORDER BY i.position"#,
        cart.id as _,
    )
    .fetch_all(db)
    .await?;
    let currency = cart.total.currency();
    let lines = rows.into_iter().map(|row| {
        let (kind, id) = match row.program_id {
            Some(program) => (ItemKind::Program, Some(program)),
            None => (ItemKind::Course, row.course_id),
        };
        let item = CartItem {
            kind,
            id: id.ok_or(ApiError::Internal)?,
            openedx_course_id: row.openedx_course_id,
            name: row.name,
            mode: row.mode.parse().map_err(|_| damaged("mode"))?,
            seats: row.seats,
            price_name: row.price_name,
            access: AccessPeriod { days: row.access_days, until: row.access_until },
            original: money(row.original_price, currency)?,
            discount_pct: row.discount_pct,
            price: money(row.price, currency)?,
            voucher_discount: discount(row.voucher_discount)
                .map(|minor| money(minor, currency))
                .transpose()?,
            tax: match row.tax_is_included {
                Some(is_included) => Some(LineTax { amount: money(row.tax, currency)?, is_included }),
                None => None,
            },
            upgrade_from: row
                .upgrade_from
                .map(|mode| mode.parse())
                .transpose()
                .map_err(|_| damaged("mode"))?,
        };
        Ok(LineRow { item, enrollments: row.enrollments.into_iter().flatten().collect() })
    });
    lines.collect()
}

/// None if a voucher took nothing off.
pub fn discount(minor: i64) -> Option<i64> {
    (minor > 0).then_some(minor)
}

fn currency(code: &str) -> ApiResult<Currency> {
    code.parse().map_err(|_| damaged("currency"))
}

fn money(minor: i64, currency: Currency) -> ApiResult<Money> {
    Money::from_minor(minor, currency).map_err(|_| damaged("amount"))
}

fn damaged(what: &str) -> ApiError {
    request_log::failed(format_args!("unreadable {what} of a stored cart"));
    ApiError::Internal
}

/// The organisation that sells a cart, as the buyer sees it.
pub struct CartOrganisation {
    pub name: String,
    pub return_url: String,
    /// Of the cart.
    pub language: Language,
    languages: Vec<String>,
}

impl CartOrganisation {
    /// Texts for the cart's buyer.
    pub fn localizer<'a>(&self, texts: &'a Texts) -> Localizer<'a> {
        texts.localizer(&self.language, &Language::known(&self.languages))
    }
}

pub async fn organisation(db: &Db, cart_id: CartId) -> ApiResult<Option<CartOrganisation>> {
    Ok(sqlx::query_as!(
        CartOrganisation,
        r#"SELECT o.name, o.return_url, c.language AS "language: Language", o.languages
           FROM carts c JOIN organisations o ON o.id = c.organisation_id WHERE c.id = $1"#,
        cart_id as _,
    )
    .fetch_optional(db)
    .await?)
}
