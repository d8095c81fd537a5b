//! Checks a request for a refund, and stores it before the provider is asked. Repeats under one key find the first one.

use rust_decimal::Decimal;
use shared::ids::{CartId, RefundId};
use shared::messages::{
    CheckRefund, FieldError, Idempotency, OrderCaller, RefundOrder, Refusal, StaffMember,
};
use shared::money::{Money, MoneyError};
use shared::operator::OperatorName;
use shared::refund_window::refundable_until;
use shared::staff::Role;
use sqlx::PgConnection;
use store::access::bought_access;
use store::alert::Alert;
use store::catalog::organisations;
use store::error::{JobError, JobResult};
use store::money::refunds::{NewRefund, Origin, State};
use store::money::transactions::{self, Transaction};
use store::money::withdrawals::{self, Decision};
use store::money::{disputes, refunds as rows};
use store::people::staff;
use store::plumbing::audit::{Actor, Cause};
use store::plumbing::outbox;
use store::sales::cart_items::{self, GrantedCourse, RefundableLine};
use store::sales::carts::{self, Cart};
use store::sales::{gifts, seats};
use uuid::Uuid;

use super::booking;
use super::plan::{self, Ask, Plan};
use crate::gateways::profile;
use crate::provider_calls::ProviderCalls;
use crate::runtime::context::Context;

/// Request for a refund, by a message or at the command line.
pub struct Request<'a> {
    pub cart_id: CartId,
    pub requester: Requester<'a>,
    /// The positions of the lines, as in [`RefundOrder`].
    pub items: Option<&'a [u32]>,
    pub amount: Option<Decimal>,
    pub reason: Option<&'a str>,
    /// As in [`RefundOrder`].
    pub despite_dispute: bool,
    pub idempotency: &'a Idempotency,
}

/// Party that asks for a refund.
pub enum Requester<'a> {
    /// A caller of the api.
    Caller(&'a OrderCaller),
    /// A user of the command line, whom no message can name.
    Operator(OperatorName),
    /// The person or job that accepts a withdrawal. The refund is stored with that.
    Withdrawal { id: Uuid, from: withdrawals::State, actor: Actor },
}

impl<'a> From<&'a RefundOrder> for Request<'a> {
    fn from(command: &'a RefundOrder) -> Self {
        Self {
            cart_id: command.cart_id,
            requester: Requester::Caller(&command.caller),
            items: command.items.as_deref(),
            amount: command.amount,
            reason: command.reason.as_deref(),
            despite_dispute: command.despite_dispute,
            idempotency: &command.idempotency,
        }
    }
}

impl Requester<'_> {
    /// Returns the actor that is recorded as asking for the refund.
    pub fn actor(&self) -> Actor {
        match self {
            Self::Caller(caller) => actor(caller),
            Self::Operator(name) => Actor::Operator(*name),
            Self::Withdrawal { actor, .. } => *actor,
        }
    }

    fn origin(&self) -> Origin {
        match self {
            Self::Caller(OrderCaller::Key { .. } | OrderCaller::Staff(_)) => Origin::Api,
            Self::Caller(OrderCaller::Learner { .. }) => Origin::Learner,
            Self::Operator(_) => Origin::Operator,
            Self::Withdrawal { .. } => Origin::Withdrawal,
        }
    }

    fn may_see(&self, cart: &Cart) -> bool {
        match self {
            Self::Caller(caller) => may_see(cart, caller),
            Self::Operator(_) | Self::Withdrawal { .. } => true,
        }
    }
}

/// A stored request.
pub struct Stored {
    pub id: RefundId,
    /// This job stored it, so the provider has not been asked before.
    pub is_new: bool,
}

/// Returns the actor that is recorded for what a caller of the api asks for.
pub fn actor(caller: &OrderCaller) -> Actor {
    match caller {
        OrderCaller::Key { id, .. } => Actor::Key(*id),
        OrderCaller::Staff(member) => Actor::Staff(member.user_id),
        OrderCaller::Learner { account, .. } => Actor::Learner(account.user_id),
    }
}

/// Stores the request, or finds the one that was made under the same key.
///
/// # Errors
/// `CartNotFound` for another buyer's or organisation's cart; `InvalidRequest` for what cannot be refunded, and while a dispute
/// is open; `Forbidden` for a learner who may not ask for it, and for what a former shop charged with an account that is not here;
/// `IdempotencyMismatch`; `InProgress` while the provider has not answered another refund of the payment.
pub async fn store(ctx: &Context, request: &Request<'_>, id: RefundId, cause: Cause) -> JobResult<Stored> {
    let cart = carts::find(&ctx.db, request.cart_id).await?.filter(|cart| request.requester.may_see(cart));
    let cart = cart.ok_or(Refusal::CartNotFound)?;
    if let Requester::Caller(OrderCaller::Staff(member)) = &request.requester {
        staff::check(&ctx.db, member, Role::Finance).await?;
    }
    let transaction = transactions::of_cart(&ctx.db, cart.id).await?;
    check_shop(&cart, transaction.as_ref(), &request.requester)?;
    let Some(transaction) = transaction else {
        return Err(JobError::invalid("cart_id", "was not paid: there is nothing to refund"));
    };
    let key = format!("{} {}", request.idempotency.scope, request.idempotency.key);
    let mut db = ctx.db.acquire().await?;
    let is_repeated = rows::of_request(&mut db, transaction.id, &key).await?.is_some();
    drop(db);
    // Before anything is stored: without them the refund would be made at an unknown later time.
    ProviderCalls::for_caller(ctx).check_account(&transaction).await?;
    if let (Requester::Caller(OrderCaller::Learner { account, .. }), false) =
        (&request.requester, is_repeated)
    {
        check_learner(ctx, &cart, request, &account.username).await?;
    }

    let mut tx = ctx.transaction().await?;
    let mut transaction = transactions::lock(&mut tx, transaction.id).await?;
    if let Some(known) = rows::of_request(&mut tx, transaction.id, &key).await? {
        if known.request_hash.as_deref() != Some(request.idempotency.request_hash.as_slice()) {
            return Err(Refusal::IdempotencyMismatch.into());
        }
        return Ok(Stored { id: known.id, is_new: false });
    }
    if rows::asked(&mut tx, transaction.id).await?.is_some() {
        return Err(Refusal::InProgress.into());
    }
    if !request.items.is_some_and(<[u32]>::is_empty) {
        let alerts = booking::take_gift_back(&mut tx, cart.id, cause).await?;
        tx.alert(alerts);
        gifts::end(&mut tx, cart.id, cause.now).await?;
    }
    // What is planned of their seats must still be left when it is withdrawn.
    seats::lock(&mut tx, cart.id).await?;
    let lines = cart_items::refundable(&mut tx, cart.id).await?;
    let (left, held) = (plan::left(&transaction, &lines), disputes::held(&mut tx, transaction.id).await?);
    if left == 0 && held > Some(0) && asks_money(&lines, request) {
        return Err(disputed(
            request,
            "cart_id",
            "is disputed: the provider holds what is left of the payment",
        ));
    }
    let plan = plan(&transaction, &lines, request)?;
    let plan = if cart.former_shop.is_some() { plan.of_money_alone()? } else { plan };
    if held.is_some() && !request.despite_dispute && plan.amount > 0 {
        let why =
            "must be true while a dispute of the payment is open: the bank may give the same money back";
        return Err(disputed(request, "despite_dispute", why));
    }
    // What is held can come back, and the access stays until it is lost.
    check_upgrades(&mut tx, &cart, request, &plan, left + held.unwrap_or(0)).await?;
    let alerts = insert(&mut tx, &mut transaction, request, key, &plan, cause).await?;
    tx.alert(alerts);
    // Without the acknowledgement, the refund may be stored: its caller must not hear that nothing was started.
    tx.commit().await.map_err(|error| JobError::Unknown(error.to_string()))?;
    Ok(Stored { id, is_new: true })
}

/// Checks that the order was sold here, or that the account with which a former shop charged it is here. Its learner has the access
/// from there, which no refund here ends: a person of the organisation decides.
fn check_shop(cart: &Cart, transaction: Option<&Transaction>, requester: &Requester<'_>) -> JobResult<()> {
    let has_account = transaction.is_some_and(|transaction| transaction.gateway.has_provider());
    match (&cart.former_shop, requester) {
        (Some(shop), Requester::Caller(OrderCaller::Learner { .. })) if has_account => Err(
            JobError::forbidden(format!("this order was sold by {shop}; ask the organisation for a refund")),
        ),
        (Some(_), _) if has_account => Ok(()),
        _ => cart.check_sold_here(),
    }
}

/// Returns whether a caller may see an order. A guest's order belongs to the learner who has proved its address.
pub fn may_see(cart: &Cart, caller: &OrderCaller) -> bool {
    match caller {
        OrderCaller::Key { organisation_id, .. }
        | OrderCaller::Staff(StaffMember { organisation_id, .. }) => cart.organisation_id == *organisation_id,
        OrderCaller::Learner { account, email } => {
            let is_guests = cart.buyer == carts::buyer(&cart.email, None);
            cart.buyer == carts::buyer(email, Some(account))
                || is_guests && cart.email == *email && account.is_active
        }
    }
}

fn plan(transaction: &Transaction, lines: &[RefundableLine], request: &Request<'_>) -> JobResult<Plan> {
    let currency = transaction.total.currency();
    if !transaction.was_charged() {
        return Err(JobError::invalid("cart_id", "was not paid: there is nothing to refund"));
    }
    let amount = request.amount.map(|amount| Money::from_major(amount, currency)).transpose();
    let amount =
        amount.map_err(|error: MoneyError| JobError::invalid("amount", format!("{error} ({currency})")))?;
    let items = match &request.requester {
        Requester::Caller(OrderCaller::Learner { .. }) => Some(open_lines(lines, request.items)?),
        Requester::Caller(OrderCaller::Key { .. } | OrderCaller::Staff(_))
        | Requester::Operator(_)
        | Requester::Withdrawal { .. } => request.items.map(<[u32]>::to_vec),
    };
    let ask = Ask { items: items.as_deref(), amount };
    let amounts = &profile(transaction.gateway).amounts;
    let left = plan::left(transaction, lines);
    let plan = plan::plan(lines, left, currency, amounts, &ask)
        .map_err(|errors| JobError::from(Refusal::InvalidRequest { errors }))?;
    let amount =
        Money::from_minor(plan.amount, currency).map_err(|e| JobError::invalid("amount", e.to_string()))?;
    if let Err(error) = amounts.exact(amount) {
        return Err(JobError::invalid("amount", error.to_string()));
    }
    Ok(plan)
}

/// The lines that a learner refunds: those that are named, or all but the settled ones, of which the organisation may have kept a
/// part. Of seats it has paid back what was left, and those that became free since are open.
fn open_lines(lines: &[RefundableLine], items: Option<&[u32]>) -> JobResult<Vec<u32>> {
    let of = |line: &RefundableLine| u32::try_from(line.position).ok();
    let mut settled = lines.iter().filter(|line| line.is_settled).filter_map(of);
    if let Some(items) = items {
        return match settled.find(|position| items.contains(position)) {
            Some(position) => Err(JobError::forbidden(format!(
                "line {position} has been refunded; ask the organisation for more"
            ))),
            None => Ok(items.to_vec()),
        };
    }
    let open: Vec<u32> = lines.iter().filter(|line| !line.is_settled).filter_map(of).collect();
    if open.is_empty() { Err(JobError::invalid("cart_id", "has nothing left to refund")) } else { Ok(open) }
}

/// Returns whether a request is for money, and not only for the end of lines that cost nothing or were paid back.
fn asks_money(lines: &[RefundableLine], request: &Request<'_>) -> bool {
    let is_chosen = |line: &RefundableLine| {
        let items = request.items.filter(|items| !items.is_empty());
        items.is_none_or(|items| items.iter().any(|item| i32::try_from(*item) == Ok(line.position)))
    };
    request.amount.is_some() || lines.iter().any(|line| is_chosen(line) && line.left() > 0)
}

/// While a dispute is open, the bank may give the buyer the same money back, and not every provider refuses the refund.
fn disputed(request: &Request<'_>, field: &str, why: &str) -> JobError {
    match &request.requester {
        Requester::Caller(OrderCaller::Learner { .. }) | Requester::Withdrawal { .. } => {
            JobError::forbidden("a dispute of the payment is open at the bank".to_owned())
        }
        Requester::Caller(OrderCaller::Key { .. } | OrderCaller::Staff(_)) | Requester::Operator(_) => {
            JobError::invalid(field, why)
        }
    }
}

/// A line on which a later purchase rests must be refunded after it: otherwise the buyer would keep the better mode for the
/// price of the difference. A refund of all that is `left` of the payment ends the access of every line.
async fn check_upgrades(
    db: &mut PgConnection,
    cart: &Cart,
    request: &Request<'_>,
    plan: &Plan,
    left: i64,
) -> JobResult<()> {
    let ends = |position: i32| {
        plan.amount >= left || plan.lines.iter().any(|line| line.ends_access && line.position == position)
    };
    let with_upgrades = bought_access::lines_with_upgrades(db, cart.id).await?;
    let errors: Vec<FieldError> = with_upgrades
        .into_iter()
        .filter(|position| ends(*position))
        .map(|line| {
            let index = request
                .items
                .and_then(|items| items.iter().position(|position| i32::try_from(*position) == Ok(line)));
            let index = index.map_or(line.to_string(), |index| index.to_string());
            FieldError::new(
                format!("items[{index}]"),
                "was upgraded by a later purchase; refund that one first",
            )
        })
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(Refusal::InvalidRequest { errors }.into()) }
}

async fn insert(
    db: &mut PgConnection,
    transaction: &mut Transaction,
    request: &Request<'_>,
    key: String,
    plan: &Plan,
    cause: Cause,
) -> JobResult<Vec<Alert>> {
    let amount = Money::from_minor(plan.amount, transaction.total.currency())
        .map_err(|error| JobError::dead(format!("a refund {error}")))?;
    let id = RefundId(cause.command_id);
    let new = NewRefund {
        id,
        transaction_id: transaction.id,
        origin: request.requester.origin(),
        actor: cause.actor.to_string(),
        request: Some((key, &request.idempotency.request_hash)),
        reason: request.reason,
        amount,
        // What cost nothing needs no provider.
        state: if plan.amount == 0 { State::Succeeded } else { State::Asked },
        reference: None,
        lines: &plan.lines,
    };
    rows::insert(db, &new, cause).await?;
    seats::withdraw_for(db, id).await?;
    accept_withdrawal(db, request, id, plan.amount, cause).await?;
    if plan.amount > 0 {
        return Ok(Vec::new());
    }
    let refund = rows::get(db, id).await?;
    booking::book(db, transaction, &refund, None, &plan.lines, cause).await
}

/// Accepts the withdrawal that a refund is for, in its transaction, and has the provider asked after the commit.
async fn accept_withdrawal(
    db: &mut PgConnection,
    request: &Request<'_>,
    refund_id: RefundId,
    amount: i64,
    cause: Cause,
) -> JobResult<()> {
    let Requester::Withdrawal { id, from, .. } = request.requester else { return Ok(()) };
    let (to, reason) = (withdrawals::State::Accepted, request.reason);
    let decision = Decision { id, from, to, reason, refund_id: Some(refund_id) };
    withdrawals::decide(db, &decision, cause).await?;
    if amount > 0 {
        rows::leave_call(db, refund_id).await?;
        outbox::push(db, CheckRefund { refund_id }, cause.now).await?;
    }
    Ok(())
}

/// A learner may refund lines within the organisation's window, and not after a certificate.
async fn check_learner(ctx: &Context, cart: &Cart, request: &Request<'_>, username: &str) -> JobResult<()> {
    if request.amount.is_some() || request.items.is_some_and(<[u32]>::is_empty) {
        return Err(JobError::invalid(
            "amount",
            "only the organisation can set an amount; list the items instead",
        ));
    }
    if request.despite_dispute {
        return Err(JobError::invalid("despite_dispute", "only the organisation can set it"));
    }
    let refund_days = organisations::refund_days(&ctx.db, cart.organisation_id).await?;
    let mut db = ctx.db.acquire().await?;
    let lines = cart_items::refundable(&mut db, cart.id).await?;
    let is_chosen = |line: &RefundableLine| {
        request
            .items
            .map_or(!line.is_settled, |items| items.iter().any(|p| i32::try_from(*p) == Ok(line.position)))
    };
    let chosen: Vec<&RefundableLine> = lines.iter().filter(|line| is_chosen(line)).collect();
    for line in &chosen {
        let until = refundable_until(cart.paid_at, line.starts_at, refund_days);
        if until.is_none_or(|until| until < ctx.clock.now()) {
            return Err(JobError::forbidden(match until {
                None => "the organisation refunds no purchases at a learner's request".to_owned(),
                Some(until) => format!("line {} could be refunded until {until}", line.position),
            }));
        }
    }
    let positions: Vec<i32> = chosen.iter().map(|line| line.position).collect();
    let courses = cart_items::granted_courses(&mut db, cart.id, &positions).await?;
    drop(db);
    for GrantedCourse { key: course, holder } in courses {
        let username = holder.as_deref().unwrap_or(username);
        let certificate = ctx.platform.certificate(username, &course).await.map_err(|error| {
            JobError::Retry(format!("certificate in {course} not read, refund not started: {error}"))
        })?;
        if let Some(status) = certificate.earned() {
            return Err(JobError::forbidden(format!("the learner's certificate in {course} is {status}")));
        }
    }
    Ok(())
}
