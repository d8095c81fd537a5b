//! Prices a basket for its buyer, from the current offers and the courses that the buyer already holds.

use std::collections::HashMap;

use shared::course_mode::CourseMode;
use shared::email::Email;
use shared::messages::{BasketItem, ItemKind, LearnerAccount, Refusal};
use shared::region::Country;
use sqlx::PgConnection;
use uuid::Uuid;

use super::quote::{Quote, Terms};
use crate::context::Context;
use crate::error::{JobError, JobResult};
use crate::store::audit::Actor;
use crate::store::{carts, enrollments, offers, organisations};

/// Who buys, and from which organisation.
#[derive(Clone, Copy)]
pub struct Buyer<'a> {
    pub email: &'a Email,
    /// None for a guest.
    pub learner: Option<&'a LearnerAccount>,
    pub organisation_id: Uuid,
    /// The country whose regional prices apply.
    pub country: Option<Country>,
}

impl Buyer<'_> {
    pub fn name(&self) -> String {
        carts::buyer(self.email, self.learner)
    }

    pub fn actor(&self) -> Actor {
        self.learner.map_or(Actor::Guest, |learner| Actor::Learner(learner.user_id))
    }
}

pub struct Quoted {
    pub quote: Quote,
    /// The modes in which the buyer already held courses of the basket, by course id.
    held: HashMap<Uuid, CourseMode>,
}

impl Quoted {
    /// Checks, in the transaction that uses the quote, that the buyer still holds the same courses.
    ///
    /// # Errors
    /// `Retry` if that has changed, and with it the price.
    pub async fn still_holds(&self, db: &mut PgConnection, buyer: Buyer<'_>) -> JobResult<()> {
        let courses: Vec<Uuid> = self.quote.courses.iter().map(|(_, (id, _))| *id).collect();
        match self.held == held_modes(db, buyer, &courses).await? {
            true => Ok(()),
            false => Err(JobError::Retry("what the buyer holds has changed since the quote".into())),
        }
    }
}

async fn held_modes(
    db: &mut PgConnection,
    buyer: Buyer<'_>,
    courses: &[Uuid],
) -> JobResult<HashMap<Uuid, CourseMode>> {
    match buyer.learner {
        Some(learner) => enrollments::held_modes(db, learner.user_id, courses).await,
        None => Ok(HashMap::new()),
    }
}

/// Prices a basket.
///
/// # Errors
/// `OrganisationNotFound`, or `InvalidItems` with each item that cannot be bought.
pub async fn quote(ctx: &Context, buyer: Buyer<'_>, items: &[BasketItem]) -> JobResult<Quoted> {
    let policy = organisations::pricing_policy(&ctx.db, buyer.organisation_id)
        .await?
        .ok_or(Refusal::OrganisationNotFound)?;
    let programs = offers::programs(&ctx.db, &ids(items, ItemKind::Program)).await?;
    let mut course_ids = ids(items, ItemKind::Course);
    course_ids.extend(programs.values().flat_map(|program| &program.courses));
    let courses = offers::courses(&ctx.db, &course_ids).await?;
    let held = held_modes(&mut *ctx.db.acquire().await?, buyer, &course_ids).await?;
    let terms = Terms {
        organisation_id: buyer.organisation_id,
        policy: &policy,
        country: buyer.country,
        courses: &courses,
        programs: &programs,
        held: &held,
        now: ctx.clock.now(),
    };
    let quote = Quote::new(items, &terms).map_err(|errors| Refusal::InvalidItems { errors })?;
    // Programs can have unpublished courses, which the quote leaves out.
    let held = held.into_iter().filter(|(id, _)| quote.courses.iter().any(|(_, (course, _))| course == id));
    Ok(Quoted { held: held.collect(), quote })
}

fn ids(items: &[BasketItem], kind: ItemKind) -> Vec<Uuid> {
    items.iter().filter(|item| item.kind == kind).map(|item| item.id).collect()
}
