//! Access to the courses of a cart: granted at once to a known learner, otherwise once the address registers.

use shared::email::Email;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::JobResult;
use crate::store::audit::Cause;
use crate::store::enrollments::{self, Grant, Holder, Source};
use crate::store::{cart_items, invitations};

/// Who receives the courses of a cart.
pub struct Recipient<'a> {
    pub email: &'a Email,
    pub holder: Holder,
}

/// Grants each course of a cart, and sends an unknown address an invitation to register.
pub async fn grant_cart(
    db: &mut PgConnection,
    cart_id: Uuid,
    recipient: &Recipient<'_>,
    source: Source,
    cause: Cause,
) -> JobResult<()> {
    let Recipient { email, holder } = *recipient;
    let mut invite = false;
    for course in cart_items::courses(db, cart_id).await? {
        let grant = Grant {
            email,
            holder,
            course_id: course.id,
            mode: course.mode,
            source,
            rests_on: course.rests_on,
        };
        invite |= enrollments::grant(db, &grant, cause).await?.invite;
    }
    if invite {
        invitations::send(db, email, cause.now).await?;
    }
    Ok(())
}
