//! Stored rows of orders, and how they are read: a statement for each kind of row, however many orders there are.

use std::collections::HashMap;
use std::str::FromStr;

use chrono::{DateTime, NaiveDate, Utc};
use serde::Deserialize;
use serde_json::Value;
use shared::db::Db;
use shared::ids::{CartId, DocumentId, RefundId};
use shared::messages::{Labels, ReverseCharge};
use shared::money::{Currency, Money};
use shared::withdrawal::Agreed;
use sqlx::types::Json;

use super::lines::{LineRow, lines, money};
use super::{Order, OrderDocument, OrderGift, OrderPayment, OrderRefund, OrderTransfer};
use crate::error::ApiResult;
use crate::queries::carts::PaymentFacts;
use crate::queries::courses::Broken;

/// Orders by their ids, newest first, and those that cannot be shown.
pub(super) async fn read(db: &Db, ids: &[CartId]) -> ApiResult<(Vec<Order>, Vec<Broken>)> {
    let rows = sqlx::query_as!(
        OrderRow,
        r#"SELECT c.id, c.state, c.created_at AS placed_at, c.paid_at, c.currency, c.total, v.code AS "voucher?", c.email,
                  c.language, jsonb_build_object('reference', c.reference, 'metadata', c.metadata) AS "labels!: Json<Labels>",
                  c.former_shop, c.billing_address, c.consents AS "consents: Json<Agreed>",
                  withdrawal_ends(c.paid_at, (c.consents ->> 'days')::integer, z.zone) AS withdrawable_until,
                  (c.created_at AT TIME ZONE z.zone)::date AS "placed_on!",
                  c.tax_terms -> 'vat_check' AS "reverse_charge: Json<ReverseCharge>", o.refund_days, t.gateway AS "gateway?: String", t.tax AS "tax?",
                  t.refunded_amount AS "refunded?", t.lost_amount AS "lost?",
                  t.provider_reference AS payment_reference,
                  ARRAY(SELECT jsonb_array_elements_text(o.bank_transfer -> 'lines')) AS "bank_lines!", t.due_on,
                  t.on_account IS NOT NULL AS "on_account!", t.overdue_at,
                  t.provider_pending_since IS NOT NULL AS "waits_for_bank!",
                  EXISTS (SELECT FROM disputes d WHERE d.transaction_id = t.id AND d.state = 'open') AS "is_disputed!",
                  (SELECT jsonb_build_object('email', g.recipient, 'giver', g.giver, 'message', g.message, 'language', g.language,
                              'on', (g.gives_at AT TIME ZONE z.zone)::date, 'given_at', g.given_at)
                   FROM gifts g WHERE g.cart_id = c.id) AS "gift: Json<OrderGift>",
                  (SELECT jsonb_agg(jsonb_build_object('minor', p.amount, 'received_at', p.received_at, 'reference', p.reference,
                              'returned_at', p.returned_at) ORDER BY p.created_at)
                   FROM received_payments p WHERE p.transaction_id = t.id) AS "payments: Json<Vec<PaymentRow>>"
           FROM carts c JOIN organisations o ON o.id = c.organisation_id LEFT JOIN transactions t ON t.cart_id = c.id
           -- Asked once for each order: PostgreSQL repeats what it merges into the list of columns.
           CROSS JOIN LATERAL (SELECT day_zone(o.seller) AS zone OFFSET 0) z
           -- The code of a pool opens it for others, so it is its buyer's alone.
           LEFT JOIN vouchers v ON v.id = c.voucher_id AND v.kind NOT IN ('seat', 'place')
           WHERE c.id = ANY($1) AND c.state <> 'open' ORDER BY c.created_at DESC, c.id DESC"#,
        ids as _,
    )
    .fetch_all(db)
    .await?;
    let (mut lines, mut refunds) = (lines(db, ids).await?, refunds(db, ids).await?);
    let mut documents = documents(db, ids).await?;
    let (mut orders, mut broken) = (Vec::with_capacity(rows.len()), Vec::new());
    for row in rows {
        let id = row.id;
        let (lines, refunds) =
            (lines.remove(&id).unwrap_or_default(), refunds.remove(&id).unwrap_or_default());
        match row.order(lines, refunds, documents.remove(&id).unwrap_or_default()) {
            Ok(order) => orders.push(order),
            Err(reason) => {
                tracing::error!(cart = %id, reason, "invalid stored order; not shown");
                broken.push(Broken { id: id.into(), openedx_course_id: None, reason });
            }
        }
    }
    Ok((orders, broken))
}

struct OrderRow {
    id: CartId,
    state: String,
    placed_at: DateTime<Utc>,
    placed_on: NaiveDate,
    paid_at: Option<DateTime<Utc>>,
    currency: String,
    total: i64,
    voucher: Option<String>,
    email: String,
    language: String,
    labels: Json<Labels>,
    former_shop: Option<String>,
    billing_address: Option<Value>,
    consents: Option<Json<Agreed>>,
    withdrawable_until: Option<DateTime<Utc>>,
    refund_days: Option<i32>,
    gateway: Option<String>,
    tax: Option<i64>,
    reverse_charge: Option<Json<ReverseCharge>>,
    refunded: Option<i64>,
    lost: Option<i64>,
    payment_reference: Option<String>,
    bank_lines: Vec<String>,
    due_on: Option<NaiveDate>,
    on_account: bool,
    overdue_at: Option<DateTime<Utc>>,
    waits_for_bank: bool,
    is_disputed: bool,
    gift: Option<Json<OrderGift>>,
    payments: Option<Json<Vec<PaymentRow>>>,
}

#[derive(Deserialize)]
struct PaymentRow {
    minor: i64,
    received_at: DateTime<Utc>,
    reference: String,
    returned_at: Option<DateTime<Utc>>,
}

/// The transfer of an order whose organisation takes its payments itself.
fn transfer(
    reference: String,
    due_on: NaiveDate,
    rows: Vec<PaymentRow>,
    total: Money,
    is_over: bool,
) -> Result<OrderTransfer, String> {
    let currency = total.currency();
    let received: i64 = rows.iter().filter(|row| row.returned_at.is_none()).map(|row| row.minor).sum();
    let open = if is_over { 0 } else { (total.minor() - received).max(0) };
    let payments = rows.into_iter().map(|row| {
        let PaymentRow { minor, received_at, reference, returned_at } = row;
        Ok(OrderPayment { amount: money(minor, currency)?, received_at, reference, returned_at })
    });
    let payments = payments.collect::<Result<_, String>>()?;
    let open = money(open, currency)?;
    let (on_account, overdue_at, bank_lines) = (false, None, Vec::new());
    Ok(OrderTransfer { reference, bank_lines, due_on, on_account, overdue_at, open, payments })
}

impl OrderRow {
    fn payment(&self) -> PaymentFacts {
        PaymentFacts {
            has_price: self.gateway.is_some(),
            is_external: self.gateway.as_deref() == Some("external"),
            waits_for_bank: self.waits_for_bank,
            is_on_account: self.on_account,
            is_overdue: self.overdue_at.is_some(),
            is_disputed: self.is_disputed,
            has_refund: self.refunded.is_some_and(|minor| minor > 0),
            has_loss: self.lost.is_some_and(|minor| minor > 0),
            is_moved_in: self.former_shop.is_some(),
        }
    }

    fn order(
        self,
        lines: Vec<LineRow>,
        refunds: Vec<RefundRow>,
        documents: Vec<DocumentRow>,
    ) -> Result<Order, String> {
        let currency: Currency = self.currency.parse().map_err(|error| format!("currency {error}"))?;
        let money = |minor| money(minor, currency);
        let payment = self.payment();
        // What a former shop sold is refunded there.
        let (paid_at, refund_days) = (self.paid_at, self.refund_days.filter(|_| self.former_shop.is_none()));
        let is_taxed = lines.iter().any(|line| line.tax_is_included.is_some());
        let of_lines = lines.iter().map(|line| line.tax).sum();
        let tax = is_taxed.then(|| money(self.tax.unwrap_or(of_lines)));
        let total = money(self.total)?;
        let transfer = self.payment_reference.zip(self.due_on).map(|(reference, due_on)| {
            let rows = self.payments.map(|rows| rows.0).unwrap_or_default();
            // What was cancelled on account is not to be paid any more.
            let is_over = paid_at.is_some() || self.on_account && self.state == "cancelled";
            let transfer = transfer(reference, due_on, rows, total, is_over)?;
            let (on_account, overdue_at) = (self.on_account, self.overdue_at);
            Ok::<_, String>(OrderTransfer { on_account, overdue_at, bank_lines: self.bank_lines, ..transfer })
        });
        let lines = lines.into_iter().map(|line| line.line(currency, paid_at, refund_days));
        let refunds = refunds.into_iter().map(|refund| {
            let RefundRow { id, reason, at, .. } = refund;
            let state = word("refund", &refund.state)?;
            Ok(OrderRefund { id, state, amount: money(refund.amount)?, reason, at })
        });
        Ok(Order {
            id: self.id,
            state: word("state", &self.state)?,
            placed_at: self.placed_at,
            placed_on: self.placed_on,
            paid_at,
            gateway: self.gateway,
            total,
            transfer: transfer.transpose()?,
            payment,
            tax: tax.transpose()?,
            reverse_charge: self.reverse_charge.map(|check| check.0),
            voucher: self.voucher,
            refunded: money(self.refunded.unwrap_or_default())?,
            lost: money(self.lost.unwrap_or_default())?,
            email: self.email,
            language: self.language,
            labels: self.labels.0,
            former_shop: self.former_shop,
            billing_address: self.billing_address,
            consents: self.consents.map(|consents| consents.0),
            withdrawable_until: self.withdrawable_until,
            gift: self.gift.map(|gift| gift.0),
            lines: lines.collect::<Result<_, String>>()?,
            refunds: refunds.collect::<Result<_, String>>()?,
            documents: documents.into_iter().map(DocumentRow::document).collect::<Result<_, String>>()?,
        })
    }
}

/// Reads a stored word of a closed set.
fn word<T: FromStr>(what: &str, stored: &str) -> Result<T, String> {
    stored.parse().map_err(|_| format!("{what} {stored:?} is unknown"))
}

struct RefundRow {
    cart_id: CartId,
    id: RefundId,
    state: String,
    amount: i64,
    reason: Option<String>,
    at: DateTime<Utc>,
}

async fn refunds(db: &Db, carts: &[CartId]) -> ApiResult<HashMap<CartId, Vec<RefundRow>>> {
    let rows = sqlx::query_as!(
        RefundRow,
        "SELECT t.cart_id, r.id, r.state, r.amount, r.reason, r.asked_at AS at
         FROM refunds r JOIN transactions t ON t.id = r.transaction_id
         WHERE t.cart_id = ANY($1) ORDER BY r.asked_at, r.id",
        carts as _,
    )
    .fetch_all(db)
    .await?;
    let mut by_cart: HashMap<CartId, Vec<RefundRow>> = HashMap::new();
    for row in rows {
        by_cart.entry(row.cart_id).or_default().push(row);
    }
    Ok(by_cart)
}

struct DocumentRow {
    cart_id: CartId,
    id: DocumentId,
    number: String,
    kind: String,
    issued_at: DateTime<Utc>,
    total: Money,
    link_version: i32,
}

impl DocumentRow {
    fn document(self) -> Result<OrderDocument, String> {
        let kind = word("document", &self.kind)?;
        let Self { id, number, issued_at, total, link_version, .. } = self;
        Ok(OrderDocument { id, number, kind, issued_at, total, link_version })
    }
}

/// The invoices and credit notes of carts, in the order of their issue.
async fn documents(db: &Db, carts: &[CartId]) -> ApiResult<HashMap<CartId, Vec<DocumentRow>>> {
    let rows = sqlx::query_as!(
        DocumentRow,
        r#"SELECT d.cart_id, d.id, d.number AS "number!", d.kind, d.issued_at, (d.total, d.currency) AS "total!: Money", c.link_version
           FROM documents d JOIN carts c ON c.id = d.cart_id
           WHERE d.cart_id = ANY($1) AND d.state = 'issued' ORDER BY d.issued_at, d.id"#,
        carts as _,
    )
    .fetch_all(db)
    .await?;
    let mut by_cart: HashMap<CartId, Vec<DocumentRow>> = HashMap::new();
    for row in rows {
        by_cart.entry(row.cart_id).or_default().push(row);
    }
    Ok(by_cart)
}
