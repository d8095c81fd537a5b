//! Moves the access of an order's line to another course or another person: grants the new access, and has the old one end once
//! the course platform has confirmed that.
//!
//! Why: `docs/decisions/moves.md`

mod plan;

use shared::messages::{MoveAnswer, MoveLine, MoveStatus, OrderCaller, Refusal};
use shared::staff::Role;
use sqlx::PgConnection;
use store::access::enrollments::{self, Grants, Source};
use store::access::movable;
use store::access::moves::{self, NewMove};
use store::access::sync_queue::SyncAt;
use store::error::{JobError, JobResult};
use store::model::line::CourseGrant;
use store::money::transactions;
use store::people::staff;
use store::plumbing::audit::Cause;
use store::sales::carts::{self, Cart};
use store::sales::places::{self, Needed};

use self::plan::{COURSE, Plan, Target, check_certificate, check_line, field, held, plan};
use crate::enrollment::account_lookup;
use crate::refund::request::{actor, may_see};
use crate::runtime::command::CommandContext;
use crate::runtime::context::Context;
use crate::sale::buyer_mails;

/// Moves a line of an order.
///
/// # Errors
/// The order or its line has no such move, or the course platform does not answer.
pub async fn move_line(
    ctx: &Context,
    command: &MoveLine,
    command_ctx: &CommandContext,
) -> JobResult<MoveAnswer> {
    let cart = carts::find(&ctx.db, command.cart_id).await?.filter(|cart| may_see(cart, &command.caller));
    let cart = cart.ok_or(Refusal::CartNotFound)?;
    if let OrderCaller::Staff(member) = &command.caller {
        staff::check(&ctx.db, member, Role::Support).await?;
    }
    cart.check_sold_here()?;
    account_lookup::require_platform(ctx)?;
    let plan = plan(ctx, &cart, command).await?;
    if plan.target.is_some() {
        check_certificate(ctx, &plan.from, &command.caller).await?;
    }
    let now = ctx.clock.now();
    let cause = Cause { actor: actor(&command.caller), command_id: command_ctx.id, now };
    let mut tx = ctx.transaction().await?;
    // In the order of the jobs: the payment, then the cart, on which everything that ends its access waits.
    transactions::lock_cart(&mut tx, cart.id).await?;
    let cart = carts::lock(&mut tx, cart.id).await?;
    still_stands(&mut tx, &cart, &plan).await?;
    moves::withdraw(&mut tx, cart.id, plan.position, "another move replaces it", cause).await?;
    let (status, course_key) = match &plan.target {
        Some(target) => {
            carry_out(ctx, &mut tx, &cart, command, &plan, target, cause).await?;
            (MoveStatus::Waiting, &target.course_key)
        }
        None => (MoveStatus::Withdrawn, &plan.from.course_key),
    };
    let answer = MoveAnswer {
        move_id: command_ctx.id,
        cart_id: cart.id,
        position: command.position,
        status,
        openedx_course_id: course_key.clone(),
    };
    command_ctx.finish(&mut *tx, &answer, ctx.clock.now()).await?;
    tx.commit().await?;
    Ok(answer)
}

/// Checks, under the locks of the cart and its enrollments, that the line still gives what the plan is made for.
async fn still_stands(db: &mut PgConnection, cart: &Cart, plan: &Plan) -> JobResult<()> {
    let line = movable::line(db, cart.id, plan.position).await?;
    check_line(cart, &line.ok_or(Refusal::CartNotFound)?)?;
    let (from, awaited) = held(movable::lock_access(db, cart.id, plan.position).await?)?;
    match from == plan.from && awaited == plan.awaited {
        true => Ok(()),
        false => Err(JobError::Retry("the access of the line has changed meanwhile".into())),
    }
}

/// Grants the new access, and stores the move.
async fn carry_out(
    ctx: &Context,
    db: &mut PgConnection,
    cart: &Cart,
    command: &MoveLine,
    plan: &Plan,
    target: &Target,
    cause: Cause,
) -> JobResult<()> {
    let (Plan { position, from, mode, .. }, Target { course_id, email, .. }) = (plan, target);
    let by_learner = matches!(command.caller, OrderCaller::Learner { .. });
    let holder = target.address.holder(db, email, cause.now).await?;
    if movable::is_held(db, email, holder.learner(), *course_id, *mode).await? {
        let is_others = by_learner && *email != from.email;
        return Err(match is_others {
            // A buyer is not told what other people have.
            true => JobError::forbidden("the line cannot be moved to this address"),
            false => JobError::invalid(field(&command.to), "leads to what this person has already"),
        });
    }
    if *course_id != from.course_id {
        let needed = Needed { line: 0, subject: *course_id, seats: None };
        if !places::sold_out(db, &[needed], ctx.held_since(cause.now), None).await?.is_empty() {
            return Err(JobError::invalid(COURSE, "is sold out"));
        }
        if !moves::add_course(db, cart.id, *position, *course_id, *mode).await? {
            return Err(JobError::invalid(COURSE, "is in this order already"));
        }
    }
    let source = if from.is_paid { Source::PaidCart(cart.id) } else { Source::FreeCart(cart.id) };
    let courses = [CourseGrant { course_id: *course_id, mode: *mode, rests_on: None }];
    let language = Some(&cart.language);
    let grants = Grants { email, holder, source, courses: &courses, language, sync_at: SyncAt::Now };
    let granted = enrollments::grant(db, &grants, cause).await?;
    buyer_mails::invite(db, email, &granted, cause).await?;
    let to = granted.first().ok_or_else(|| JobError::dead("a grant without an enrollment"))?.enrollment_id;
    let new = NewMove {
        id: cause.command_id,
        cart_id: cart.id,
        position: *position,
        from,
        to,
        by_learner,
        reason: command.reason.as_deref(),
    };
    moves::insert(db, &new, cause).await
}
