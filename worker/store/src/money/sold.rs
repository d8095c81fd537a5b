//! A sale, as its invoices and credit notes need it.

use chrono::{DateTime, NaiveDate, Utc};
use shared::gateway::Gateway;
use shared::ids::CartId;
use shared::messages::{BillingAddress, PaymentDue};
use shared::money::Money;
use shared::service_code::ServiceCode;
use sqlx::PgConnection;
use sqlx::types::Json;
use texts::Language;

use super::documents::{self, Stored};
use super::vat_exchange_rates;
use crate::error::JobResult;
use crate::model::document::{Sale, SaleRefund, SoldLine};
use crate::model::seller::{BankTransfer, Seller};
use crate::model::tax::{self, TaxTerms};
use crate::model::vat_conversion::Conversion;

/// Returns a cart that was paid or is on account, as its documents need it, and those that it has; None if it is neither, or if its
/// organisation is no seller.
pub async fn find(
    db: &mut PgConnection,
    cart_id: CartId,
    now: DateTime<Utc>,
) -> JobResult<Option<(Sale, Vec<Stored>)>> {
    let row = sqlx::query!(
        r#"SELECT c.organisation_id, o.seller AS "seller!: Json<Seller>", c.email, c.language AS "language: Language", o.languages,
                  c.billing_address AS "billing_address: Json<BillingAddress>",
                  c.reference, (c.created_at AT TIME ZONE day_zone(o.seller))::date AS "placed_on!", t.on_account, t.due_on, t.provider_reference,
                  (CASE WHEN t.on_account = 'now' THEN c.created_at ELSE c.paid_at END AT TIME ZONE day_zone(o.seller))::date AS supplied_on,
                  t.state IN ('succeeded', 'refunded') AS "is_charged!",
                  EXISTS (SELECT FROM received_payments p WHERE p.transaction_id = t.id AND p.returned_at IS NULL) AS "has_received!",
                  c.state = 'cancelled' AS "is_cancelled!", o.bank_transfer AS "bank_transfer: Json<BankTransfer>", t.gateway AS "gateway: Gateway", (t.amount, t.currency) AS "charged!: Money",
                  c.tax_terms AS "tax_terms: Json<TaxTerms>", v.code AS "code?",
                  ($2::timestamptz AT TIME ZONE day_zone(o.seller))::date AS "today!",
                  EXISTS (SELECT FROM refunds r WHERE r.transaction_id = t.id) AS "has_refunds!",
                  EXISTS (SELECT FROM documents d WHERE d.cart_id = c.id) AS "has_documents!"
           FROM carts c JOIN organisations o ON o.id = c.organisation_id
           JOIN transactions t ON t.cart_id = c.id
           LEFT JOIN vouchers v ON v.id = c.voucher_id AND v.kind <> 'place'
           WHERE c.id = $1 AND o.seller IS NOT NULL
             AND (t.on_account IS NOT NULL AND t.due_on IS NOT NULL OR t.state IN ('succeeded', 'refunded') AND c.paid_at IS NOT NULL)"#,
        cart_id as _,
        now,
    )
    .fetch_optional(&mut *db)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let (lines, discount) = sold(db, cart_id).await?;
    let is_cancelled = row.on_account.is_some() && row.is_cancelled;
    let payment = row.on_account.filter(|_| !row.is_charged).and(row.due_on).zip(row.provider_reference);
    let payment = payment.map(|due| payment_due(due, row.bank_transfer.map(|account| account.0)));
    let mut sale = Sale {
        cart_id,
        organisation_id: row.organisation_id,
        seller: row.seller.0,
        email: row.email,
        language: row.language,
        languages: Language::known(&row.languages),
        billing_address: row.billing_address.map(|address| address.0),
        reference: row.reference,
        placed_on: row.placed_on,
        supplied_on: row.supplied_on,
        payment,
        is_cancelled,
        is_partly_paid: row.has_received && !row.is_charged,
        gateway: row.gateway,
        charged: row.charged,
        tax_terms: row.tax_terms.map(|terms| terms.0),
        conversion: Conversion::NotNeeded,
        voucher: row.code.map(|code| (code, discount)),
        lines,
        refunds: if row.has_refunds { refunds(db, cart_id).await? } else { Vec::new() },
        today: row.today,
    };
    if sale.tax_terms.as_ref().is_some_and(|terms| terms.refunded.is_some()) {
        sale.remove_tax();
    }
    sale.conversion = vat_exchange_rates::conversion(db, &sale).await?;
    let issued = if row.has_documents { documents::of_cart(db, cart_id).await? } else { Vec::new() };
    Ok(Some((sale, issued)))
}

fn payment_due((due_on, reference): (NaiveDate, String), account: Option<BankTransfer>) -> PaymentDue {
    let bank_lines = account.map(|account| account.lines).unwrap_or_default();
    PaymentDue { due_on, reference, bank_lines, open: None }
}

/// The lines of a cart, and what its voucher took off, in minor units.
async fn sold(db: &mut PgConnection, cart_id: CartId) -> JobResult<(Vec<SoldLine>, i64)> {
    let lines = sqlx::query!(
        r#"SELECT i.position, i.name, i.mode, i.upgrade_from, i.seats, i.voucher_discount,
                  coalesce(c.service_code, p.service_code) AS "service_code: Json<ServiceCode>",
                  line_charged(i) AS "charged!", i.price + i.tax_on_top AS "total!", i.tax
           FROM cart_items i LEFT JOIN courses c ON c.id = i.course_id LEFT JOIN programs p ON p.id = i.program_id
           WHERE i.cart_id = $1 ORDER BY i.position"#,
        cart_id as _,
    )
    .fetch_all(db)
    .await?;
    let discount = lines.iter().map(|line| line.voucher_discount).sum();
    let lines = lines.into_iter().map(|line| SoldLine {
        position: line.position,
        name: line.name,
        mode: line.mode,
        upgrade_from: line.upgrade_from,
        seats: line.seats,
        service_code: line.service_code.map(|code| code.0),
        total: line.charged,
        tax: tax::of_part(line.tax, line.total, line.charged),
    });
    Ok((lines.collect(), discount))
}

/// The refunds of a cart that the provider has accepted and that have not failed, in the order of their acceptance.
async fn refunds(db: &mut PgConnection, cart_id: CartId) -> JobResult<Vec<SaleRefund>> {
    let rows = sqlx::query!(
        r#"SELECT r.id, r.amount, l.position AS "position?", l.amount AS "of_line?"
           FROM transactions t JOIN refunds r ON r.transaction_id = t.id
           LEFT JOIN refund_lines l ON l.refund_id = r.id AND l.amount > 0
           WHERE t.cart_id = $1 AND r.state IN ('accepted', 'succeeded') AND r.amount > 0
           ORDER BY r.accepted_at, r.id, l.position"#,
        cart_id as _,
    )
    .fetch_all(db)
    .await?;
    let mut refunds: Vec<SaleRefund> = Vec::new();
    for row in rows {
        if refunds.last().is_none_or(|refund| refund.id != row.id) {
            refunds.push(SaleRefund { id: row.id, amount: row.amount, lines: Vec::new() });
        }
        if let Some(refund) = refunds.last_mut() {
            refund.lines.extend(row.position.zip(row.of_line));
        }
    }
    Ok(refunds)
}
