//! A person at the support desk: the enrollments of an address in the organisation's courses, and the seats that concern it.

use chrono::{DateTime, Utc};
use shared::db::Db;
use shared::email::Email;
use shared::ids::{CartId, EnrollmentId, OrganisationId, VoucherId};

use crate::error::ApiResult;

/// An enrollment of the address.
pub struct PersonAccess {
    pub enrollment_id: EnrollmentId,
    pub course: String,
    pub openedx_course_id: String,
    pub state: String,
    pub mode: String,
    pub platform_state: String,
    pub platform_reason: Option<String>,
    pub updated_at: DateTime<Utc>,
    /// The order that gives it, of the organisation.
    pub cart_id: Option<CartId>,
}

/// The enrollments of an address in the courses of an organisation.
pub async fn access(
    db: &Db,
    organisation_id: OrganisationId,
    email: &Email,
    most: i64,
) -> ApiResult<Vec<PersonAccess>> {
    Ok(sqlx::query_as!(
        PersonAccess,
        r#"SELECT e.id AS enrollment_id, c.display_name AS course, c.openedx_course_id, e.state, e.mode, e.platform_state,
                e.platform_reason, e.updated_at,
                (SELECT g.cart_id FROM enrollment_grants g JOIN carts k ON k.id = g.cart_id
                 WHERE g.enrollment_id = e.id AND g.ended_at IS NULL AND k.organisation_id = $1
                 ORDER BY g.granted_at DESC LIMIT 1) AS "cart_id: CartId"
         FROM enrollments e JOIN courses c ON c.id = e.course_id
         WHERE e.email = $2 AND c.organisation_id = $1 ORDER BY e.updated_at DESC, e.id LIMIT $3"#,
        organisation_id as _,
        email.as_str(),
        most,
    )
    .fetch_all(db)
    .await?)
}

/// The organisation's pools of seats that an address manages, and those of which it has a seat unless `managed_only`; the newest
/// first.
pub async fn pools(
    db: &Db,
    organisation_id: OrganisationId,
    email: &Email,
    managed_only: bool,
) -> ApiResult<Vec<VoucherId>> {
    Ok(sqlx::query_scalar!(
        r#"SELECT v.id AS "id: VoucherId" FROM vouchers v
           WHERE v.organisation_id = $1 AND v.kind = 'seat' AND v.id = ANY (ARRAY(
               SELECT id FROM vouchers WHERE email = $2
               UNION ALL SELECT u.voucher_id FROM carts c JOIN LATERAL (
                   -- OFFSET leaves the planner only the way by the key.
                   SELECT voucher_id FROM voucher_uses WHERE cart_id = c.id AND state IN ('held', 'used') OFFSET 0) u ON true
               WHERE NOT $3 AND c.organisation_id = $1 AND c.email = $2))
           ORDER BY v.created_at DESC LIMIT 50"#,
        organisation_id as _,
        email.as_str(),
        managed_only,
    )
    .fetch_all(db)
    .await?)
}
