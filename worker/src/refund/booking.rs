//! Books a payment's refunds as its provider lists them. Access ends when the provider has accepted a refund, not when
//! the money arrives. A refund that was made at the provider's dashboard is adopted.

use shared::ids::{CartId, RefundId};
use shared::messages::{Mail, RefundIssued};
use shared::money::Money;
use sqlx::PgConnection;
use store::access::bought_access::{self, Ended};
use store::access::upgrades;
use store::alert::Alert;
use store::error::{JobError, JobResult};
use store::model::allocate::allocate;
use store::money::ledger::{self, Kind, Movement};
use store::money::refunds::{self, NewRefund, Origin, Recognised, Refund, RefundLine, State};
use store::money::transactions::{self, Transaction};
use store::money::{attention, disputes, over};
use store::plumbing::audit::Cause;
use store::plumbing::mails;
use store::sales::seats::{self, Taken};
use store::sales::{cart_items, carts, gifts};

use crate::gateways::{RefundFacts, RefundStatus, profile};

/// Books the refunds of a locked transaction. Returns the alerts to raise after the commit.
pub async fn settle(
    db: &mut PgConnection,
    transaction: &mut Transaction,
    listed: &[RefundFacts],
    cause: Cause,
) -> JobResult<Vec<Alert>> {
    let mut alerts = Vec::new();
    // Providers list the newest first.
    for facts in listed.iter().rev() {
        alerts.extend(settle_one(db, transaction, facts, cause).await?);
    }
    Ok(alerts)
}

/// Books one refund of a locked transaction.
pub async fn settle_one(
    db: &mut PgConnection,
    transaction: &mut Transaction,
    facts: &RefundFacts,
    cause: Cause,
) -> JobResult<Vec<Alert>> {
    if !transaction.was_charged() {
        return Ok(Vec::new());
    }
    let known = refunds::reported(db, transaction.id, facts.refund_id, &facts.reference).await?;
    let mut refund = match known {
        Some(refund) => refund,
        None if facts.status == RefundStatus::Failed => return Ok(Vec::new()),
        None => return adopt(db, transaction, facts, cause).await,
    };
    let mut alerts = Vec::new();
    if refund.state == State::Failed && facts.status != RefundStatus::Failed {
        let reason = format!("the provider counts refund {}, which was recorded as failed", refund.id);
        alerts.extend(attention::alert(db, transaction.id, &reason, cause.now).await?);
        refunds::reserve_again(db, &refund, cause).await?;
    }
    if matches!(refund.state, State::Asked | State::Failed) && facts.status != RefundStatus::Failed {
        alerts.extend(accept(db, transaction, &refund, facts, cause).await?);
        refund.state = State::Accepted;
    }
    match (refund.state, facts.status) {
        (State::Accepted, RefundStatus::Succeeded) => {
            refunds::move_to(db, &refund, State::Succeeded, None, cause).await?;
        }
        (State::Asked | State::Accepted | State::Succeeded, RefundStatus::Failed) => {
            alerts.extend(fail(db, transaction, &refund, Some(&facts.reference), cause).await?);
        }
        (State::Asked | State::Accepted | State::Succeeded | State::Failed, _) => {}
    }
    Ok(alerts)
}

/// The provider has accepted one of our refunds.
async fn accept(
    db: &mut PgConnection,
    transaction: &mut Transaction,
    refund: &Refund,
    facts: &RefundFacts,
    cause: Cause,
) -> JobResult<Vec<Alert>> {
    refunds::move_to(db, refund, State::Accepted, Some(&facts.reference), cause).await?;
    let lines = refunds::lines(db, refund.id).await?;
    book(db, transaction, refund, Some(&facts.reference), &lines, cause).await
}

fn amount(transaction: &Transaction, facts: &RefundFacts) -> JobResult<Money> {
    let currency = transaction.total.currency();
    let minor = profile(transaction.gateway).amounts.minor(facts.subunits, currency);
    Money::from_minor(minor, currency).map_err(|error| JobError::dead(format!("a refund {error}")))
}

/// Records a refund of the provider's dashboard, allocated to the lines. It ends no access until all is refunded.
async fn adopt(
    db: &mut PgConnection,
    transaction: &mut Transaction,
    facts: &RefundFacts,
    cause: Cause,
) -> JobResult<Vec<Alert>> {
    let amount = amount(transaction, facts)?;
    match refunds::recognise(db, transaction.id, &facts.reference, amount).await? {
        Some(Recognised::AsBooked) => return Ok(Vec::new()),
        Some(Recognised::Unclear) => {
            let reason = refunds::unclear(&facts.reference, amount);
            return Ok(attention::alert_once(db, transaction.id, &reason, cause.now)
                .await?
                .into_iter()
                .collect());
        }
        None => {}
    }
    let open = cart_items::refundable(db, transaction.cart_id).await?;
    let shares = allocate(amount.minor(), &open.iter().map(|line| line.left()).collect::<Vec<_>>());
    let lines: Vec<RefundLine> = open
        .iter()
        .zip(shares)
        .filter(|(_, share)| *share > 0)
        .map(|(line, amount)| RefundLine { position: line.position, amount, ends_access: false })
        .collect();
    let new = NewRefund {
        id: RefundId::generate(),
        transaction_id: transaction.id,
        origin: Origin::Provider,
        actor: cause.actor.to_string(),
        request: None,
        reason: None,
        amount,
        state: if facts.status == RefundStatus::Succeeded { State::Succeeded } else { State::Accepted },
        reference: Some(&facts.reference),
        lines: &lines,
    };
    refunds::insert(db, &new, cause).await?;
    let refund = refunds::get(db, new.id).await?;
    book(db, transaction, &refund, new.reference, &lines, cause).await
}

/// Books an accepted refund, and ends the access of its lines, or of the whole cart once all its money is gone.
pub async fn book(
    db: &mut PgConnection,
    transaction: &mut Transaction,
    refund: &Refund,
    reference: Option<&str>,
    lines: &[RefundLine],
    cause: Cause,
) -> JobResult<Vec<Alert>> {
    let minor = refund.amount.minor();
    let was_refunded = transaction.state == transactions::State::Refunded;
    let refund_id = Some(refund.id);
    let movement = Movement { kind: Kind::Refunded, minor, refund_id, reference, bank_at: None };
    ledger::book(db, transaction, movement, cause).await?;
    let ending: Vec<i32> = lines.iter().filter(|line| line.ends_access).map(|line| line.position).collect();
    let mut alerts = end_lines(db, transaction.cart_id, &ending, Ended::Refunded, cause).await?;
    if transaction.state == transactions::State::Refunded && !was_refunded {
        // What a lost dispute took comes back if it is won after all, and the rest of the access with it.
        let lost = transaction.lost - disputes::held(db, transaction.id).await?.unwrap_or(0);
        let reason = if lost > 0 { Ended::ChargedBack } else { Ended::Refunded };
        alerts.extend(end_cart(db, transaction.cart_id, reason, cause).await?);
    }
    send_mail(db, transaction, refund, lines, cause).await?;
    Ok(alerts)
}

/// A refund has failed: its amounts can be refunded again. The access stays ended until an operator decides.
async fn fail(
    db: &mut PgConnection,
    transaction: &mut Transaction,
    refund: &Refund,
    reference: Option<&str>,
    cause: Cause,
) -> JobResult<Option<Alert>> {
    let was_refunded = transaction.state == transactions::State::Refunded;
    refunds::move_to(db, refund, State::Failed, reference, cause).await?;
    if refund.state != State::Asked {
        let minor = refund.amount.minor();
        let (kind, refund_id) = (Kind::RefundFailed, Some(refund.id));
        let movement = Movement { kind, minor, refund_id, reference, bank_at: None };
        ledger::book(db, transaction, movement, cause).await?;
        ledger::book_rest(db, transaction, cause).await?;
    }
    settle_seats(db, transaction, was_refunded).await?;
    attention::alert(db, transaction.id, &refunds::failed(refund), cause.now).await
}

/// Brings the seats that are left in line with the money, after a refund of the payment has failed.
pub async fn settle_seats(
    db: &mut PgConnection,
    transaction: &Transaction,
    was_refunded: bool,
) -> JobResult<()> {
    match (was_refunded, transaction.state == transactions::State::Refunded) {
        // Other refunds or a dispute have taken all of it.
        (_, true) => seats::withdraw(db, transaction.cart_id).await,
        (true, false) => seats::restore(db, transaction.cart_id).await,
        (false, false) => Ok(()),
    }
}

/// Ends a cart whose money has all gone back, with all the access that it bought.
pub async fn end_cart(
    db: &mut PgConnection,
    cart_id: CartId,
    reason: Ended,
    cause: Cause,
) -> JobResult<Vec<Alert>> {
    let cart = carts::lock(db, cart_id).await?;
    if cart.state != carts::State::Refunded {
        carts::move_to(db, cart.id, cart.state, carts::State::Refunded, cause).await?;
    }
    let mut alerts = Vec::new();
    // The access to what a former shop sold was given there.
    if cart.former_shop.is_none() {
        let lines = cart_items::refundable(db, cart_id).await?;
        let positions: Vec<i32> = lines.iter().map(|line| line.position).collect();
        alerts = end_lines(db, cart_id, &positions, reason, cause).await?;
    }
    alerts.extend(take_gift_back(db, cart_id, cause).await?);
    seats::withdraw(db, cart_id).await?;
    over::undone(db, cart_id, cause).await?;
    over::refunded(db, cart_id, cause).await?;
    Ok(alerts)
}

/// Ends the access of some lines. An upgrade that rested on it ends too, and its difference is to be refunded.
pub async fn end_lines(
    db: &mut PgConnection,
    cart_id: CartId,
    positions: &[i32],
    reason: Ended,
    cause: Cause,
) -> JobResult<Vec<Alert>> {
    let mut alerts = Vec::new();
    if positions.is_empty() {
        return Ok(alerts);
    }
    // Before the enrollments: fulfilment and refunds of an upgrade lock its transaction first.
    transactions::lock_upgrades_of(db, cart_id).await?;
    for upgrade in bought_access::end(db, cart_id, positions, reason, cause).await? {
        let reason = bought_access::upgrade_ended(cart_id, upgrade);
        alerts.extend(attention::alert_cart(db, upgrade, &reason, cause.now).await?);
    }
    upgrades::look_again(db, cart_id, cause).await?;
    over::opened(db, Some(cart_id), None, cause).await?;
    over::undone(db, cart_id, cause).await?;
    Ok(alerts)
}

/// Takes a gift back whose recipient has not registered: until then it is the buyer's. Does nothing for other carts.
pub async fn take_gift_back(db: &mut PgConnection, cart_id: CartId, cause: Cause) -> JobResult<Vec<Alert>> {
    if gifts::is_taken(db, cart_id).await? != Some(false) {
        return Ok(Vec::new());
    }
    let pools = seats::pools(db, cart_id).await?;
    let (mut from, mut alerts) = (Vec::new(), Vec::new());
    // Twice, because a task may give it until the pool is locked.
    for _ in 0..2 {
        let taken = seats::taken(db, &pools, None).await?;
        if taken.iter().any(|seat| seat.state != carts::State::Held) {
            // The recipient has registered meanwhile.
            return Ok(alerts);
        }
        alerts.extend(end_seats(db, &taken, cause).await?);
        from.extend(taken.into_iter().map(|seat| seat.email));
        seats::lock(db, cart_id).await?;
    }
    gifts::suspend(db, cart_id, &from).await?;
    Ok(alerts)
}

/// Takes seats back, and returns the alerts to raise after the commit.
pub async fn end_seats(db: &mut PgConnection, taken: &[Taken], cause: Cause) -> JobResult<Vec<Alert>> {
    let mut alerts = Vec::new();
    for seat in taken {
        // The cart of a seat has one line.
        alerts.extend(end_lines(db, seat.cart_id, &[0], Ended::Revoked, cause).await?);
    }
    // Last, because this locks the pool.
    for seat in taken.iter().filter(|seat| seat.state == carts::State::Held) {
        carts::move_to(db, seat.cart_id, carts::State::Held, carts::State::Cancelled, cause).await?;
    }
    Ok(alerts)
}

/// Tells the buyer, unless a former shop sold the order: nothing is mailed about those.
async fn send_mail(
    db: &mut PgConnection,
    transaction: &Transaction,
    refund: &Refund,
    lines: &[RefundLine],
    cause: Cause,
) -> JobResult<()> {
    if refund.amount.minor() == 0 {
        return Ok(());
    }
    let cart = carts::lock(db, transaction.cart_id).await?;
    if cart.former_shop.is_some() {
        return Ok(());
    }
    let currency = refund.amount.currency();
    let names = cart_items::lines(&mut *db, cart.id, currency).await?;
    let items = lines.iter().filter(|line| line.amount > 0).filter_map(|line| {
        let name = names.get(usize::try_from(line.position).ok()?)?.name.clone();
        Some((name, Money::from_minor(line.amount, currency).ok()?))
    });
    let issued = RefundIssued {
        organisation_id: cart.organisation_id,
        cart_id: cart.id,
        refund_id: refund.id,
        amount: refund.amount,
        items: items.collect(),
    };
    mails::push(db, &cart.email, Mail::RefundIssued(issued), Some(&cart.language), cause.now).await
}
