//! What a move of a line leads to, and whether its caller may have it. Reads; the caller checks again under its locks.

use std::time::Duration;

use shared::course_mode::CourseMode;
use shared::email::Email;
use shared::messages::{
    BasketItem, BillingAddress, FieldError, ItemKind, MoveLine, MoveTarget, OrderCaller, Refusal,
};
use shared::money::Money;
use shared::refund_window::refundable_until;
use sqlx::PgConnection;
use sqlx::types::Json;
use store::access::movable::{self, Access, Line};
use store::error::{JobError, JobResult};
use store::money::{disputes, transactions};
use store::sales::carts::{self, Cart, State};
use uuid::Uuid;

use crate::enrollment::account_lookup::{self, Address};
use crate::runtime::context::Context;
use crate::sale::basket;
use crate::sale::buyer::Sale;

/// Time limit for reading the certificate: the caller waits.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Moves that a learner may ask for beside those that are allowed, for typing errors and refusals.
const SPARE_MOVES: i64 = 3;

/// A move that may be made.
pub struct Plan {
    pub position: i32,
    pub mode: CourseMode,
    pub from: Access,
    /// The new access of an open move, which this one replaces.
    pub awaited: Option<Access>,
    /// None: the line keeps what it gives, and the open move is withdrawn.
    pub target: Option<Target>,
}

/// The course and the person that get the access.
pub struct Target {
    pub course_id: Uuid,
    pub course_key: String,
    pub email: Email,
    pub address: Address,
}

/// Checks what can be checked without a lock, and asks the platform what it must.
pub async fn plan(ctx: &Context, cart: &Cart, command: &MoveLine) -> JobResult<Plan> {
    let position = i32::try_from(command.position).unwrap_or(i32::MAX);
    let mut db = ctx.db.acquire().await?;
    let line = movable::line(&mut db, cart.id, position).await?;
    let line =
        line.ok_or_else(|| JobError::invalid("position", "is not the position of a line of this order"))?;
    check_line(cart, &line)?;
    let (from, awaited) = held(movable::access(&mut db, cart.id, position).await?)?;
    let is_same = match &command.to {
        MoveTarget::OpenedxCourseId(key) => *key == from.course_key,
        MoveTarget::Email(email) => *email == from.email,
    };
    let mode = line.mode;
    if is_same && awaited.is_some() {
        return Ok(Plan { position, mode, from, awaited, target: None });
    }
    if is_same {
        return Err(JobError::invalid(field(&command.to), "is what the line gives already"));
    }
    if let OrderCaller::Learner { .. } = &command.caller {
        check_learner(ctx, &mut db, cart, &line).await?;
    }
    let course_id = match &command.to {
        MoveTarget::OpenedxCourseId(key) => {
            let found = movable::course(&mut db, cart.organisation_id, key).await?;
            found.ok_or_else(|| JobError::invalid(COURSE, "is not a course of the organisation"))?
        }
        MoveTarget::Email(_) => from.course_id,
    };
    drop(db);
    let target = match &command.to {
        MoveTarget::OpenedxCourseId(key) => {
            check_price(ctx, cart, &line, course_id, command).await?;
            let address = match from.learner_id {
                Some(learner) => Address::Known(learner),
                None => account_lookup::look_up(ctx, &from.email).await?,
            };
            Target { course_id, course_key: key.clone(), email: from.email.clone(), address }
        }
        MoveTarget::Email(email) => {
            let address = account_lookup::look_up(ctx, email).await?;
            Target { course_id, course_key: from.course_key.clone(), email: email.clone(), address }
        }
    };
    Ok(Plan { position, mode, from, awaited, target: Some(target) })
}

pub const COURSE: &str = "to.openedx_course_id";
const EMAIL: &str = "to.email";

/// The field that names a target.
pub fn field(to: &MoveTarget) -> &'static str {
    match to {
        MoveTarget::OpenedxCourseId(_) => COURSE,
        MoveTarget::Email(_) => EMAIL,
    }
}

pub fn check_line(cart: &Cart, line: &Line) -> JobResult<()> {
    let (field, message) = if cart.state != State::Fulfilled {
        ("cart_id", "has no access to move: it is not fulfilled, or has ended")
    } else if line.is_program {
        ("position", "is a program, which stays together")
    } else if line.is_seats {
        ("position", "is about seats; assign them instead")
    } else if line.is_upgrade {
        ("position", "is an upgrade, which stays with what it upgrades")
    } else if line.is_ended {
        ("position", "has no access any more: it was refunded")
    } else {
        return Ok(());
    };
    Err(JobError::invalid(field, message))
}

/// The access that stays until the move is done, and that of an open move. That one can be replaced if the platform has refused
/// it, or while its address has no account: a typing error must not wait for good.
pub fn held(access: Vec<Access>) -> JobResult<(Access, Option<Access>)> {
    let (mut awaited, mut own): (Vec<_>, Vec<_>) = access.into_iter().partition(|access| access.is_awaited);
    let awaited = awaited.pop();
    if awaited.as_ref().is_some_and(|awaited| !awaited.is_refused && awaited.learner_id.is_some()) {
        return Err(JobError::invalid(
            "position",
            "is being moved: the course platform has not confirmed it yet",
        ));
    }
    let from = own.pop().ok_or_else(|| JobError::invalid("position", "gives no access that can be moved"))?;
    if from.is_upgraded {
        return Err(JobError::invalid("position", "was upgraded; refund the upgrade first"));
    }
    Ok((from, awaited))
}

/// A learner may move a line within the organisation's window, a number of times, and not while a dispute is open.
async fn check_learner(ctx: &Context, db: &mut PgConnection, cart: &Cart, line: &Line) -> JobResult<()> {
    let terms = movable::terms(db, cart.organisation_id).await?;
    let until =
        refundable_until(cart.paid_at.or(cart.fulfilled_at), line.starts_at, terms.map(|terms| terms.0));
    let (Some((_, allowed)), Some(until)) = (terms, until) else {
        return Err(JobError::forbidden("the organisation moves no purchases at a learner's request"));
    };
    if until < ctx.clock.now() {
        return Err(JobError::forbidden(format!("the line could be moved until {until}")));
    }
    if line.moves_of_buyer >= allowed {
        return Err(JobError::forbidden(format!("the line was moved {} times already", line.moves_of_buyer)));
    }
    // Each address without an account gets an invitation.
    if line.asked_by_buyer >= allowed + SPARE_MOVES {
        return Err(JobError::forbidden("the line was moved too often; ask the organisation"));
    }
    if let Some(transaction) = transactions::of_cart(&mut *db, cart.id).await?
        && disputes::held(db, transaction.id).await?.is_some()
    {
        return Err(JobError::forbidden("a dispute of the payment is open at the bank"));
    }
    Ok(())
}

/// Checks that the course is sold in the line's mode, at the line's price and with its voucher unless that is waived.
async fn check_price(
    ctx: &Context,
    cart: &Cart,
    line: &Line,
    course_id: Uuid,
    command: &MoveLine,
) -> JobResult<()> {
    // The verdict of the sale stands: without the VAT ID, VIES is not asked again, and without the state it is not checked again.
    let anonymous =
        |address: &Json<BillingAddress>| BillingAddress { tax_id: None, state: None, ..address.0.clone() };
    let address = cart.billing_address.as_ref().map(anonymous);
    let sale = Sale {
        organisation_id: cart.organisation_id,
        country: cart.country,
        billing_address: address.as_ref(),
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
    let terms = carts::tax_terms(&ctx.db, cart.id).await?;
    let is_untaxed = terms.is_some_and(|terms| terms.reverse_charge().is_some() && terms.refunded.is_none());
    let untaxed = quoted.quote.tax.as_ref().filter(|_| is_untaxed);
    let net = |price: Money| {
        let tax = untaxed.map_or(0, |terms| terms.contained_in(price.minor()));
        Money::from_minor(price.minor() - tax, currency).unwrap_or(price)
    };
    let price = quoted.quote.lines.first().map_or(paid, |line| net(line.price.price));
    let mut reasons = Vec::new();
    if price != paid {
        reasons.push(format!("the course costs {price}, and the line {paid}"));
    }
    let position = i32::try_from(command.position).unwrap_or(i32::MAX);
    if movable::is_beyond_voucher(&mut *ctx.db.acquire().await?, cart.id, position, course_id).await? {
        reasons.push("the voucher of the order is not for the course".to_owned());
    }
    if reasons.is_empty() {
        return Ok(());
    }
    let message = reasons.join("; ");
    match &command.caller {
        OrderCaller::Learner { .. } => Err(JobError::forbidden(format!("{message}; ask the organisation"))),
        _ if command.waive => Ok(()),
        _ => {
            Err(JobError::invalid("waive", format!("must be true: {message}; nothing is paid or paid back")))
        }
    }
}

/// Checks that the holder of the access has no certificate.
pub async fn check_certificate(ctx: &Context, from: &Access, caller: &OrderCaller) -> JobResult<()> {
    let Some(username) = &from.username else { return Ok(()) };
    let asked = tokio::time::timeout(TIMEOUT, ctx.platform.certificate(username, &from.course_key)).await;
    let certificate = asked
        .map_err(|_| {
            JobError::Retry("the course platform has not said whether there is a certificate".into())
        })?
        .map_err(|error| JobError::Retry(format!("certificate not read, nothing was moved: {error}")))?;
    // A buyer is not told about the certificates of others.
    let is_others = matches!(caller, OrderCaller::Learner { account, .. } if account.username != *username);
    match certificate.earned() {
        Some(_) if is_others => Err(JobError::forbidden("the line cannot be moved any more")),
        Some(status) => {
            Err(JobError::forbidden(format!("the learner's certificate in {} is {status}", from.course_key)))
        }
        None => Ok(()),
    }
}
