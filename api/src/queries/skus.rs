//! Queries for the modes of courses and programs that links name.

use shared::course_mode::CourseMode;
use shared::db::Db;
use shared::ids::{CartId, OrganisationId, RefundId};
use shared::messages::ItemKind;
use shared::sku::Sku;
use uuid::Uuid;

use crate::error::ApiResult;

/// A mode of a course or a program that a link names.
#[derive(Clone, Debug)]
pub struct NamedItem {
    pub kind: ItemKind,
    pub id: Uuid,
    pub mode: CourseMode,
    /// Indicates whether the link buys seats for others.
    pub is_for_seats: bool,
    pub organisation_id: OrganisationId,
}

impl From<NamedMode> for NamedItem {
    fn from(named: NamedMode) -> Self {
        let NamedMode { sku: _, course_id, openedx_course_id: _, mode, is_for_seats, organisation_id } =
            named;
        Self { kind: ItemKind::Course, id: course_id, mode, is_for_seats, organisation_id }
    }
}

/// A mode of a course that a link names.
#[derive(Clone, Debug)]
pub struct NamedMode {
    /// The sku as the link writes it.
    pub sku: String,
    pub course_id: Uuid,
    pub openedx_course_id: String,
    pub mode: CourseMode,
    /// Indicates whether the link buys seats for others.
    pub is_for_seats: bool,
    pub organisation_id: OrganisationId,
}

/// The modes that skus name: those that a sync has learned from the platform, and the storefront's own, which need no
/// sync to be read. An operator's sku can name modes of several courses.
pub async fn named(db: &Db, skus: &[String]) -> ApiResult<Vec<NamedMode>> {
    let own: Vec<(String, Sku)> =
        skus.iter().filter_map(|sku| Some((sku.clone(), sku.parse().ok()?))).collect();
    let (own_skus, own): (Vec<String>, Vec<Sku>) = own.into_iter().unzip();
    let courses: Vec<Uuid> = own.iter().map(|sku| sku.course_id).collect();
    let modes: Vec<String> = own.iter().map(|sku| sku.mode.to_string()).collect();
    let for_seats: Vec<bool> = own.iter().map(|sku| sku.is_for_seats).collect();
    Ok(sqlx::query_as!(
        NamedMode,
        r#"WITH found AS (
               SELECT sku, course_id, slug, false AS is_for_seats FROM course_modes WHERE sku = ANY($1)
               UNION SELECT bulk_sku, course_id, slug, true FROM course_modes WHERE bulk_sku = ANY($1)
               UNION SELECT o.sku, m.course_id, m.slug, o.is_for_seats
               FROM unnest($2::text[], $3::uuid[], $4::text[], $5::boolean[]) AS o (sku, course_id, slug, is_for_seats)
               JOIN course_modes m USING (course_id, slug))
           SELECT f.sku AS "sku!", c.id AS "course_id!", c.openedx_course_id AS "openedx_course_id!",
                  f.slug AS "mode!: CourseMode", f.is_for_seats AS "is_for_seats!", c.organisation_id AS "organisation_id!"
           FROM found f JOIN courses c ON c.id = f.course_id ORDER BY c.openedx_course_id"#,
        skus,
        &own_skus,
        &courses,
        &modes,
        &for_seats,
    )
    .fetch_all(db)
    .await?)
}

/// A mode of a course that a link names by its key or id; without a mode, the one that the catalog shows.
pub async fn of_course(db: &Db, course: &str, mode: Option<CourseMode>) -> ApiResult<Option<NamedMode>> {
    let id: Option<Uuid> = course.parse().ok();
    Ok(sqlx::query_as!(
        NamedMode,
        r#"SELECT m.slug AS "sku!", c.id AS course_id, c.openedx_course_id, m.slug AS "mode!: CourseMode",
                  false AS "is_for_seats!", c.organisation_id
           FROM courses c JOIN course_modes m ON m.course_id = c.id AND m.slug = coalesce($3, c.course_mode)
           WHERE c.openedx_course_id = $1 OR c.id = $2 LIMIT 1"#,
        course,
        id,
        mode.map(|mode| mode.slug()),
    )
    .fetch_optional(db)
    .await?)
}

/// A mode of a published program that a link names by its id. The quote says whether the program is sold in it.
pub async fn of_program(db: &Db, id: Uuid, mode: CourseMode) -> ApiResult<Option<NamedItem>> {
    let owner = sqlx::query_scalar!(
        r#"SELECT organisation_id AS "id: OrganisationId" FROM programs WHERE id = $1 AND is_published"#,
        id,
    );
    let owner = owner.fetch_optional(db).await?;
    let item = |organisation_id| NamedItem {
        kind: ItemKind::Program,
        id,
        mode,
        is_for_seats: false,
        organisation_id,
    };
    Ok(owner.map(item))
}

/// The cart of a refund.
pub async fn cart_of_refund(db: &Db, refund_id: RefundId) -> ApiResult<Option<CartId>> {
    Ok(sqlx::query_scalar!(
        "SELECT t.cart_id FROM refunds r JOIN transactions t ON t.id = r.transaction_id WHERE r.id = $1",
        refund_id as _,
    )
    .fetch_optional(db)
    .await?)
}
