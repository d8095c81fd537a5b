//! Moves the access of an order's line to another course or another person: grants the new access, and has the old one end once
//! the course platform has confirmed that.
//!
//! Why: `docs/decisions/moves.md`

use std::time::Duration;

use shared::course_mode::CourseMode;
use shared::email::Email;
use shared::messages::{
    BasketItem, FieldError, ItemKind, MoveAnswer, MoveLine, MoveStatus, MoveTarget, RefundCaller, Refusal,
};
use shared::money::Money;
use shared::refund_window::refundable_until;
use shared::staff::Role;
use sqlx::PgConnection;
use store::access::bought_access;
use store::access::enrollments::{self, Grants, Source};
use store::access::moves::{self, Access, Line, NewMove};
use store::access::sync_queue::SyncAt;
use store::error::{JobError, JobResult};
use store::model::line::CourseGrant;
use store::money::{disputes, transactions};
use store::people::staff;
use store::plumbing::audit::Cause;
use store::sales::carts::{self, Cart, State};
use store::sales::places::{self, Needed};
use tracing::instrument;
use uuid::Uuid;

use crate::enrollment::account_lookup::{self, Address};
use crate::refund::request::{actor, may_see};
use crate::runtime::command::CommandContext;
use crate::runtime::context::Context;
use crate::sale::basket;
use crate::sale::buyer::Sale;
use crate::sale::fulfilment;

/// Time limit for reading the certificate: the caller waits.
const PATIENCE: Duration = Duration::from_secs(2);

/// A move that may be made.
struct Plan {
    position: i32,
    mode: CourseMode,
    from: Access,
    /// The new access of an earlier move of the line, which the platform has refused.
    refused: Option<Access>,
    course_id: Uuid,
    course_key: String,
    email: Email,
    address: Address,
}

#[instrument(name = "job.move_line", skip_all, fields(cart = %command.cart_id))]
pub async fn run(ctx: &Context, command: &MoveLine, command_ctx: &CommandContext) -> JobResult<MoveAnswer> {
    let cart = carts::find(&ctx.db, command.cart_id).await?.filter(|cart| may_see(cart, &command.caller));
    let cart = cart.ok_or(Refusal::CartNotFound)?;
    if let RefundCaller::Staff(member) = &command.caller {
        staff::check(&ctx.db, member, Role::Support).await?;
    }
    account_lookup::require_platform(ctx)?;
    let plan = plan(ctx, &cart, command).await?;
    check_certificate(ctx, &plan.from).await?;
    let now = ctx.clock.now();
    let cause = Cause { actor: actor(&command.caller), command_id: command_ctx.id, now };
    let mut tx = ctx.transaction().await?;
    // In the order of the jobs: the payment, then the cart, on which everything that ends its access waits.
    transactions::lock_cart(&mut tx, cart.id).await?;
    let cart = carts::lock(&mut tx, cart.id).await?;
    still_stands(&mut tx, &cart, &plan).await?;
    let status = carry_out(ctx, &mut tx, &cart, command, &plan, cause).await?;
    let answer = MoveAnswer {
        move_id: command_ctx.id,
        cart_id: cart.id,
        position: command.position,
        status,
        openedx_course_id: plan.course_key,
    };
    command_ctx.finish(&mut tx, &answer, now).await?;
    tx.commit().await?;
    Ok(answer)
}

/// Checks what can be checked without a lock, and asks the platform what it must.
async fn plan(ctx: &Context, cart: &Cart, command: &MoveLine) -> JobResult<Plan> {
    let position = i32::try_from(command.position).unwrap_or(i32::MAX);
    let mut db = ctx.db.acquire().await?;
    let line = moves::line(&mut db, cart.id, position).await?;
    let line = line.ok_or_else(|| invalid("position", "is not the position of a line of this order"))?;
    check_line(cart, &line)?;
    let upgraded = bought_access::lines_with_upgrades(&mut db, cart.id).await?;
    if upgraded.contains(&position) {
        return Err(invalid("position", "was upgraded; refund the upgrade first"));
    }
    let (from, refused) = held(moves::access(&mut db, cart.id, position).await?)?;
    if let RefundCaller::Learner { .. } = &command.caller {
        check_learner(ctx, &mut db, cart, &line).await?;
    }
    let mode = line.mode;
    match &command.to {
        MoveTarget::OpenedxCourseId(key) => {
            let course_id = moves::course(&mut db, cart.organisation_id, key).await?;
            let course_id =
                course_id.ok_or_else(|| invalid(COURSE, "is not a course of the organisation"))?;
            if course_id == from.course_id {
                return Err(invalid(COURSE, "is the course of the line already"));
            }
            drop(db);
            check_price(ctx, cart, &line, course_id, command).await?;
            let address = match from.learner_id {
                Some(learner) => Address::Known(learner),
                None => account_lookup::look_up(ctx, &from.email).await?,
            };
            let (course_key, email) = (key.clone(), from.email.clone());
            Ok(Plan { position, mode, from, refused, course_id, course_key, email, address })
        }
        MoveTarget::Email(email) => {
            drop(db);
            if *email == from.email {
                return Err(invalid(EMAIL, "has the access already"));
            }
            let address = account_lookup::look_up(ctx, email).await?;
            let (course_id, course_key, email) = (from.course_id, from.course_key.clone(), email.clone());
            Ok(Plan { position, mode, from, refused, course_id, course_key, email, address })
        }
    }
}

const COURSE: &str = "to.openedx_course_id";
const EMAIL: &str = "to.email";

fn check_line(cart: &Cart, line: &Line) -> JobResult<()> {
    let fault = if cart.state != State::Fulfilled {
        ("cart_id", "has no access to move: it is not fulfilled, or has ended")
    } else if line.is_program {
        ("position", "is a program, which stays together")
    } else if line.is_seats {
        ("position", "buys seats for others; assign them instead")
    } else if line.is_upgrade {
        ("position", "is an upgrade, which stays with what it upgrades")
    } else if line.is_ended {
        ("position", "has no access any more: it was refunded")
    } else {
        return Ok(());
    };
    Err(invalid(fault.0, fault.1))
}

/// The access that stays until the move is done, and that of an earlier move which the platform has refused.
fn held(access: Vec<Access>) -> JobResult<(Access, Option<Access>)> {
    let (mut awaited, mut own): (Vec<_>, Vec<_>) = access.into_iter().partition(|access| access.is_awaited);
    let awaited = awaited.pop();
    if awaited.as_ref().is_some_and(|awaited| !awaited.is_refused) {
        return Err(invalid("position", "is being moved: the course platform has not confirmed it yet"));
    }
    let from = own.pop().ok_or_else(|| invalid("position", "gives no access that can be moved"))?;
    Ok((from, awaited))
}

/// A learner may move a line within the organisation's window, a number of times, and not while a dispute is open.
async fn check_learner(ctx: &Context, db: &mut PgConnection, cart: &Cart, line: &Line) -> JobResult<()> {
    let terms = moves::terms(db, cart.organisation_id).await?;
    let until =
        refundable_until(cart.paid_at.or(cart.fulfilled_at), line.starts_at, terms.map(|terms| terms.0));
    let (Some((_, allowed)), Some(until)) = (terms, until) else {
        return Err(forbidden("the organisation moves no purchases at a learner's request"));
    };
    if until < ctx.clock.now() {
        return Err(forbidden(format!("the line could be moved until {until}")));
    }
    if line.moves_of_buyer >= allowed {
        return Err(forbidden(format!("the line was moved {} times already", line.moves_of_buyer)));
    }
    if let Some(transaction) = transactions::of_cart(&ctx.db, cart.id).await?
        && disputes::is_open(db, transaction.id).await?
    {
        return Err(forbidden("a dispute of the payment is open at the bank"));
    }
    Ok(())
}

/// Checks that the course is sold in the line's mode, at the line's price unless that is waived.
async fn check_price(
    ctx: &Context,
    cart: &Cart,
    line: &Line,
    course_id: Uuid,
    command: &MoveLine,
) -> JobResult<()> {
    let sale = Sale {
        organisation_id: cart.organisation_id,
        country: cart.country,
        billing_address: cart.billing_address.as_ref().map(|address| &address.0),
    };
    let item = BasketItem { kind: ItemKind::Course, id: course_id, mode: line.mode, seats: None };
    let quoted = basket::prices(ctx, sale, None, &[item], false).await.map_err(|error| match error {
        JobError::Reject { refusal: Refusal::InvalidItems { errors }, .. } => {
            let named = |error: FieldError| FieldError::new(COURSE, error.message);
            Refusal::InvalidRequest { errors: errors.into_iter().map(named).collect() }.into()
        }
        error => error,
    })?;
    let currency = cart.total.currency();
    let paid = Money::from_minor(line.price, currency)
        .map_err(|error| JobError::dead(format!("stored price: {error}")))?;
    let price = quoted.quote.lines.first().map_or(paid, |line| line.price.price);
    if price == paid {
        return Ok(());
    }
    let message = format!("the course costs {price}, and the line {paid}");
    match &command.caller {
        RefundCaller::Learner { .. } => Err(forbidden(format!("{message}; ask the organisation"))),
        _ if command.waive => Ok(()),
        _ => Err(invalid("waive", &format!("must be true: {message}; nothing is paid or paid back"))),
    }
}

async fn check_certificate(ctx: &Context, from: &Access) -> JobResult<()> {
    let Some(username) = &from.username else { return Ok(()) };
    let asked = tokio::time::timeout(PATIENCE, ctx.platform.certificate(username, &from.course_key)).await;
    let certificate = asked
        .map_err(|_| {
            JobError::Retry("the course platform has not said whether there is a certificate".into())
        })?
        .map_err(|error| JobError::Retry(format!("certificate not read, nothing was moved: {error}")))?;
    match certificate.earned() {
        Some(status) => {
            Err(forbidden(format!("the learner's certificate in {} is {status}", from.course_key)))
        }
        None => Ok(()),
    }
}

/// Checks, under the cart's lock, that the line still gives what the plan is made for.
async fn still_stands(db: &mut PgConnection, cart: &Cart, plan: &Plan) -> JobResult<()> {
    let line = moves::line(db, cart.id, plan.position).await?;
    check_line(cart, &line.ok_or(Refusal::CartNotFound)?)?;
    let (from, refused) = held(moves::access(db, cart.id, plan.position).await?)?;
    match from == plan.from && refused == plan.refused {
        true => Ok(()),
        false => Err(JobError::Retry("the access of the line has changed meanwhile".into())),
    }
}

/// Grants the new access, and stores the move, which is done at once if the platform has confirmed that access before.
async fn carry_out(
    ctx: &Context,
    db: &mut PgConnection,
    cart: &Cart,
    command: &MoveLine,
    plan: &Plan,
    cause: Cause,
) -> JobResult<MoveStatus> {
    let Plan { position, from, email, course_id, mode, .. } = plan;
    if let Some(refused) = &plan.refused {
        moves::withdraw(db, cart.id, refused, from, cause).await?;
    }
    let holder = plan.address.holder(db, email, cause.now).await?;
    let (is_other_course, field) = if *course_id == from.course_id { (false, EMAIL) } else { (true, COURSE) };
    if moves::is_held(db, email, holder.learner(), (*course_id, *mode)).await? {
        return Err(invalid(field, "leads to what this person has already"));
    }
    if is_other_course {
        let needed = Needed { line: 0, subject: *course_id, places: 1 };
        if !places::sold_out(db, &[needed], ctx.held_since(cause.now), None).await?.is_empty() {
            return Err(invalid(COURSE, "is sold out"));
        }
        if !moves::add_course(db, (cart.id, *position), (*course_id, *mode)).await? {
            return Err(invalid(COURSE, "is in this order already"));
        }
    }
    let source = if from.is_paid { Source::PaidCart(cart.id) } else { Source::FreeCart(cart.id) };
    let courses = [CourseGrant { course_id: *course_id, mode: *mode, rests_on: None }];
    let language = Some(&cart.language);
    let grants = Grants { email, holder, source, courses: &courses, language, sync_at: SyncAt::Now };
    let granted = enrollments::grant(db, &grants, cause).await?;
    fulfilment::invite(db, email, &granted, cause).await?;
    let to = granted.first().ok_or_else(|| JobError::dead("a grant without an enrollment"))?.enrollment_id;
    let new = NewMove {
        id: cause.command_id,
        cart_id: cart.id,
        position: *position,
        from,
        to,
        by_learner: matches!(command.caller, RefundCaller::Learner { .. }),
        reason: command.reason.as_deref(),
    };
    moves::insert(db, &new, cause).await?;
    match moves::complete(db, Some(to), cause.now, 1).await? {
        0 => Ok(MoveStatus::Waiting),
        _ => Ok(MoveStatus::Done),
    }
}

fn forbidden(detail: impl Into<String>) -> JobError {
    Refusal::Forbidden { detail: detail.into() }.into()
}

fn invalid(field: &str, message: &str) -> JobError {
    Refusal::InvalidRequest { errors: vec![FieldError::new(field, message)] }.into()
}
