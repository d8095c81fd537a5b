//! Access to the courses of a cart: granted at once to a known learner, otherwise once the address registers.

use shared::messages::{Mail, SendEmail};
use sqlx::PgConnection;
use uuid::Uuid;

use shared::email::Email;

use crate::error::JobResult;
use crate::store::audit::Cause;
use crate::store::enrollments::{self, Grant, Holder, Source};
use crate::store::{cart_items, outbox};

/// Who receives the courses of a cart.
pub struct Recipient<'a> {
    pub email: &'a Email,
    pub holder: Holder,
    pub organisation_id: Uuid,
}

/// Grants each course of a cart, and sends an unknown address an invitation to register.
pub async fn grant_cart(
    db: &mut PgConnection,
    cart_id: Uuid,
    recipient: &Recipient<'_>,
    source: Source,
    cause: Cause,
) -> JobResult<()> {
    let Recipient { email, holder, organisation_id } = *recipient;
    let mut invited = Vec::new();
    for course in cart_items::courses(db, cart_id).await? {
        let grant = Grant {
            email,
            holder,
            course_id: course.id,
            mode: course.mode,
            source,
            rests_on: course.rests_on,
        };
        if enrollments::grant(db, &grant, cause).await?.invite {
            invited.push(course.name);
        }
    }
    if !invited.is_empty() {
        let mail = Mail::RegistrationInvitation { organisation_id, courses: invited };
        outbox::push(db, SendEmail { to: email.clone(), mail }, cause.now).await?;
    }
    Ok(())
}
