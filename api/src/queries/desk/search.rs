//! Search of the support desk. Each way to find an order uses an index, and finds a bounded number.

use chrono::{DateTime, Utc};
use shared::creditor_reference;
use shared::db::Db;
use shared::email::Email;
use shared::gateway::Gateway;
use shared::ids::{CartId, OrganisationId, VoucherId};
use shared::invoice_number::InvoiceNumber;
use shared::money::Money;
use shared::tax_id::TaxId;
use shared::voucher::Code;
use uuid::Uuid;

use crate::error::ApiResult;

/// The most results of a kind.
pub const MOST: i64 = 20;

/// Shortest part of a name: a trigram index does not help with less.
const SHORTEST_NAME: usize = 3;

/// An order that a text means.
pub struct FoundOrder {
    pub id: CartId,
    pub state: String,
    pub placed_at: DateTime<Utc>,
    pub email: String,
    /// As on the invoice: the company, the person.
    pub name: Option<String>,
    pub total: Money,
    pub found_by: String,
}

/// Orders of an organisation that a text means, newest first, and after them those of some courses and programs: one more than [`MOST`]
/// if there are more.
pub async fn orders(
    db: &Db,
    organisation_id: OrganisationId,
    text: &str,
    email: Option<&Email>,
    items: &[Uuid],
) -> ApiResult<Vec<FoundOrder>> {
    let number = InvoiceNumber::read(text);
    let gateways: Vec<String> = Gateway::ALL.iter().map(|gateway| gateway.name().to_owned()).collect();
    Ok(sqlx::query_as!(
        FoundOrder,
        r#"WITH found (cart_id, by, rank) AS (
               SELECT id, 'order', 1 FROM carts WHERE id = $3
               UNION ALL SELECT cart_id, 'order', 1 FROM joined_checkouts WHERE id = $3
               UNION ALL SELECT cart_id, 'payment', 1 FROM transactions WHERE id = $3
               UNION ALL SELECT t.cart_id, 'refund', 1 FROM refunds r JOIN transactions t ON t.id = r.transaction_id WHERE r.id = $3
               UNION ALL SELECT cart_id, 'document', 2 FROM documents WHERE organisation_id = $1 AND number = ANY (ARRAY[$2, $10])
               UNION ALL SELECT cart_id, 'payment', 3 FROM transactions
                         WHERE gateway = ANY ($5) AND provider_reference = ANY (ARRAY[$2, $8])
               UNION ALL SELECT t.cart_id, 'refund', 3 FROM refunds r JOIN transactions t ON t.id = r.transaction_id
                         WHERE r.provider_reference = $2
               UNION ALL SELECT t.cart_id, 'dispute', 3 FROM disputes d JOIN transactions t ON t.id = d.transaction_id
                         WHERE d.provider_reference = $2
               UNION ALL (SELECT id, 'address', 4 FROM carts WHERE email = $4 AND organisation_id = $1 LIMIT 500)
               UNION ALL (SELECT id, 'name', 5 FROM carts
                          WHERE organisation_id = $1 AND billing_address ->> 'name' IS NOT NULL
                            AND searchable(billing_address ->> 'name') LIKE containing($6) LIMIT 500)
               UNION ALL (SELECT id, 'company', 5 FROM carts
                          WHERE organisation_id = $1 AND billing_address ->> 'company' IS NOT NULL
                            AND searchable(billing_address ->> 'company') LIKE containing($6) LIMIT 500)
               UNION ALL (SELECT id, 'tax_id', 4 FROM carts
                          WHERE organisation_id = $1 AND billing_address ->> 'tax_id' IS NOT NULL
                            AND plain_tax_id(billing_address ->> 'tax_id') = nullif($11, '') LIMIT 500)
               UNION ALL (SELECT id, 'reference', 3 FROM carts
                          WHERE organisation_id = $1 AND reference IS NOT NULL AND plain_reference(reference) = plain_reference($2) LIMIT 500)
               UNION ALL (SELECT t.cart_id, 'transfer', 3 FROM received_payments r JOIN transactions t ON t.id = r.transaction_id
                          WHERE plain_reference(r.reference) = plain_reference($2) AND t.organisation_id = $1 LIMIT 500)
               UNION ALL (SELECT cart_id, 'course', 6 FROM cart_items WHERE course_id = ANY ($9) ORDER BY cart_id DESC LIMIT $7)
               UNION ALL (SELECT cart_id, 'course', 6 FROM cart_items WHERE program_id = ANY ($9) ORDER BY cart_id DESC LIMIT $7))
           SELECT c.id, c.state, c.created_at AS placed_at, c.email,
                  nullif(concat_ws(', ', c.billing_address ->> 'company', c.billing_address ->> 'name'), '') AS name,
                  (c.total, c.currency) AS "total!: Money", f.by AS "found_by!"
           FROM (SELECT DISTINCT ON (cart_id) cart_id, by, rank FROM found ORDER BY cart_id, rank) f
                -- OFFSET keeps the planner, which takes 200 for the number of orders found, from reading them all.
                JOIN LATERAL (SELECT id, organisation_id, state, created_at, email, billing_address, total, currency
                              FROM carts WHERE id = f.cart_id OFFSET 0) c ON true
           WHERE c.organisation_id = $1 AND c.state <> 'open'
           -- A course can have many orders: they come after what the text means otherwise.
           ORDER BY f.rank = 6, c.created_at DESC, c.id DESC LIMIT $7"#,
        organisation_id as _,
        text,
        text.parse::<Uuid>().ok(),
        email.map(Email::as_str),
        &gateways,
        part(text),
        MOST + 1,
        creditor_reference::read(text),
        items,
        number.as_str(),
        TaxId::from(text.to_owned()).plain(),
    )
    .fetch_all(db)
    .await?)
}

/// A voucher with the code.
pub struct FoundVoucher {
    pub id: VoucherId,
    pub code: String,
    pub kind: String,
}

/// The organisation's voucher whose code is this text.
pub async fn voucher(
    db: &Db,
    organisation_id: OrganisationId,
    text: &str,
) -> ApiResult<Option<FoundVoucher>> {
    Ok(sqlx::query_as!(
        FoundVoucher,
        "SELECT id, code, kind FROM vouchers WHERE organisation_id = $1 AND code = $2",
        organisation_id as _,
        Code::folded(text),
    )
    .fetch_optional(db)
    .await?)
}

/// A course of the organisation.
pub struct FoundCourse {
    pub id: Uuid,
    pub openedx_course_id: String,
    pub name: String,
}

/// The organisation's courses with this key, or with the text in their names, by name.
pub async fn courses(
    db: &Db,
    organisation_id: OrganisationId,
    text: &str,
    key: &str,
) -> ApiResult<Vec<FoundCourse>> {
    Ok(sqlx::query_as!(
        FoundCourse,
        "SELECT id, openedx_course_id, display_name AS name FROM courses
         WHERE organisation_id = $1 AND (openedx_course_id = $2 OR searchable(display_name) LIKE containing($3))
         ORDER BY display_name, id LIMIT $4",
        organisation_id as _,
        key,
        part(text),
        MOST,
    )
    .fetch_all(db)
    .await?)
}

/// The ids of the organisation's programs with the text in their names.
pub async fn programs(db: &Db, organisation_id: OrganisationId, text: &str) -> ApiResult<Vec<Uuid>> {
    Ok(sqlx::query_scalar!(
        "SELECT id FROM programs WHERE organisation_id = $1 AND searchable(name) LIKE containing($2) ORDER BY name, id LIMIT $3",
        organisation_id as _,
        part(text),
        MOST,
    )
    .fetch_all(db)
    .await?)
}

/// A text as a part of a name; None if it is too short.
fn part(text: &str) -> Option<&str> {
    (text.chars().count() >= SHORTEST_NAME).then_some(text)
}
