//! A guest's or a learner's basket becomes a cart. A free one is granted at once, or held until its address registers.

use std::collections::HashMap;

use shared::course_mode::CourseMode;
use shared::messages::{BasketItem, CheckoutAnswer, ItemKind, Mail, Refusal, SendEmail, StartCheckout};
use sqlx::PgConnection;
use uuid::Uuid;

use super::{Meta, address};
use crate::context::Context;
use crate::error::{JobError, JobResult};
use crate::quote::{Quote, Terms};
use crate::store::audit::{Actor, Cause};
use crate::store::carts::{self, NewCart};
use crate::store::enrollments::{self, Grant, Holder, Source};
use crate::store::offers::{self, CourseOffer};
use crate::store::{organisations, outbox};

pub async fn run(ctx: &Context, command: &StartCheckout, meta: &Meta) -> JobResult<CheckoutAnswer> {
    let Quoted { quote, names, held } = quote(ctx, command).await?;
    if quote.total.minor() > 0 {
        let detail = "the organisation's payment gateway is not configured".to_owned();
        return Err(Refusal::NotConfigured { detail }.into());
    }
    let address = match &command.learner {
        Some(learner) => address::proved(ctx, learner, &command.email).await?,
        None => address::look_up(ctx, &command.email).await?,
    };

    let mut tx = ctx.db.begin().await?;
    let now = ctx.clock.now();
    let actor = command.learner.as_ref().map_or(Actor::Guest, |learner| Actor::Learner(learner.user_id));
    let cause = Cause { actor, command_id: meta.id, now };
    let holder = address.holder(&mut tx, &command.email, now).await?;
    let cart = NewCart {
        id: meta.id,
        buyer: carts::buyer(&command.email, command.learner.as_ref()),
        email: &command.email,
        learner_id: match holder {
            Holder::Learner(id) => Some(id),
            Holder::Unknown | Holder::Unresolved => None,
        },
        organisation_id: command.organisation_id,
        country: command.country,
        billing_address: command.billing_address.as_ref(),
        quote: &quote,
    };
    carts::lock_basket(&mut tx, &cart).await?;
    if held != held_modes(&mut tx, command, names.keys()).await? {
        return Err(JobError::Retry("what the buyer holds has changed since the quote".into()));
    }
    let cart_id = match carts::live_attempt(&mut tx, &cart).await? {
        Some(attempt) => attempt,
        None => {
            carts::cancel_torn(&mut tx, &cart, cause).await?;
            fill(&mut tx, &cart, holder, &names, cause).await?;
            cart.id
        }
    };
    let answer = CheckoutAnswer::Free { cart_id };
    meta.finish(&mut tx, &answer, ctx.clock.now()).await?;
    tx.commit().await?;
    Ok(answer)
}

struct Quoted {
    quote: Quote,
    /// Of the basket's courses.
    names: HashMap<Uuid, String>,
    /// What the buyer held of them.
    held: HashMap<Uuid, CourseMode>,
}

async fn held_modes(
    db: &mut PgConnection,
    command: &StartCheckout,
    courses: impl Iterator<Item = &Uuid>,
) -> JobResult<HashMap<Uuid, CourseMode>> {
    match &command.learner {
        Some(learner) => {
            enrollments::held_modes(db, learner.user_id, &courses.copied().collect::<Vec<_>>()).await
        }
        None => Ok(HashMap::new()),
    }
}

async fn quote(ctx: &Context, command: &StartCheckout) -> JobResult<Quoted> {
    let policy = organisations::pricing_policy(&ctx.db, command.organisation_id)
        .await?
        .ok_or(Refusal::OrganisationNotFound)?;
    let programs = offers::programs(&ctx.db, &ids(&command.items, ItemKind::Program)).await?;
    let mut course_ids = ids(&command.items, ItemKind::Course);
    course_ids.extend(programs.values().flat_map(|program| &program.courses));
    let courses = offers::courses(&ctx.db, &course_ids).await?;
    let held = held_modes(&mut *ctx.db.acquire().await?, command, courses.keys()).await?;
    let terms = Terms {
        organisation_id: command.organisation_id,
        policy: &policy,
        country: command.country,
        courses: &courses,
        programs: &programs,
        held: &held,
        now: ctx.clock.now(),
    };
    let quote = Quote::new(&command.items, &terms).map_err(|errors| Refusal::InvalidItems { errors })?;
    let name = |(id, course): (Uuid, CourseOffer)| (id, course.display_name);
    Ok(Quoted { quote, names: courses.into_iter().map(name).collect(), held })
}

fn ids(items: &[BasketItem], kind: ItemKind) -> Vec<Uuid> {
    items.iter().filter(|item| item.kind == kind).map(|item| item.id).collect()
}

/// Makes the cart and grants its courses: at once to a learner, otherwise when the address registers.
async fn fill(
    db: &mut PgConnection,
    cart: &NewCart<'_>,
    holder: Holder,
    names: &HashMap<Uuid, String>,
    cause: Cause,
) -> JobResult<()> {
    carts::insert(db, cart, cause).await?;
    let mut invited = Vec::new();
    for (course_id, mode) in &cart.quote.courses {
        let grant = Grant {
            email: cart.email,
            holder,
            course_id: *course_id,
            mode: *mode,
            source: Source::FreeCart(cart.id),
        };
        if enrollments::grant(db, &grant, cause).await?.invite {
            invited.extend(names.get(course_id).cloned());
        }
    }
    if !invited.is_empty() {
        let mail = Mail::RegistrationInvitation { organisation_id: cart.organisation_id, courses: invited };
        outbox::push(db, SendEmail { to: cart.email.clone(), mail }, cause.now).await?;
    }
    match holder {
        Holder::Learner(_) => carts::fulfil(db, cart.id, cause).await,
        Holder::Unknown | Holder::Unresolved => carts::hold(db, cart.id, cause).await,
    }
}
