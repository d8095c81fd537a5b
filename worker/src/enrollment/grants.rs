//! Access to the courses of a cart: granted at once to a known learner, otherwise once the address registers.

use shared::email::Email;
use sqlx::PgConnection;

use crate::error::JobResult;
use crate::store::audit::Cause;
use crate::store::enrollments::{self, CourseGrant, Grants, Holder, Source};
use crate::store::invitations;

/// Who receives the courses of a cart.
pub struct Recipient<'a> {
    pub email: &'a Email,
    pub holder: Holder,
}

/// Grants the courses of a cart, ordered by id, and sends an unknown address an invitation to register.
pub async fn grant_cart(
    db: &mut PgConnection,
    recipient: &Recipient<'_>,
    source: Source,
    courses: &[CourseGrant],
    cause: Cause,
) -> JobResult<()> {
    let Recipient { email, holder } = *recipient;
    let grants = Grants { email, holder, source, courses, sync_at: None };
    let granted = enrollments::grant(db, &grants, cause).await?;
    if granted.iter().any(|granted| granted.invite) {
        invitations::send(db, email, cause.now).await?;
    }
    Ok(())
}
