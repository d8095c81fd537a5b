//! Does what an organisation's staff or tools ask for at its support desk. Each action is on record under the person.

use serde_json::json;
use shared::email::Email;
use shared::ids::{CartId, OrganisationId};
use shared::messages::{ActAtDesk, DeskAction, DeskCaller, Refusal};
use shared::staff::Role;
use sqlx::PgConnection;
use store::access::{readdress, retry};
use store::catalog::course_changes;
use store::error::{JobError, JobResult};
use store::events::endpoints;
use store::money::{attention, documents, transactions};
use store::people::staff;
use store::plumbing::audit::{self, Cause, Change, Entity};
use store::plumbing::mails;
use store::sales::carts::{self, Cart};
use tracing::instrument;
use uuid::Uuid;

use crate::runtime::command::CommandContext;
use crate::runtime::context::Context;
use crate::runtime::dead_letters;
use crate::runtime::transaction::Transaction;
use crate::sale::fulfilment::{self, Due};

#[instrument(name = "job.act_at_desk", skip_all)]
pub async fn run(ctx: &Context, command: &ActAtDesk, command_ctx: &CommandContext) -> JobResult<()> {
    let ActAtDesk { caller, action, .. } = command;
    check_role(ctx, caller, action.role()).await?;
    let now = ctx.clock.now();
    let cause = Cause { actor: caller.into(), command_id: command_ctx.id, now };
    let mut tx = ctx.transaction().await?;
    act(ctx, &mut tx, caller.organisation_id(), action, cause).await?;
    // A letter that the broker has replayed or dropped stays so: its record must be committed.
    let ended = if matches!(action, DeskAction::DecideDeadLetter { .. }) { now } else { ctx.clock.now() };
    command_ctx.finish(&mut *tx, &(), ended).await?;
    tx.commit().await?;
    Ok(())
}

/// Checks that a member of the staff has a role, at this moment. A key may do what the support does.
///
/// # Errors
/// `Forbidden`.
async fn check_role(ctx: &Context, caller: &DeskCaller, needed: Role) -> JobResult<()> {
    match caller {
        DeskCaller::Key { .. } if needed == Role::Support => Ok(()),
        DeskCaller::Key { .. } => {
            Err(Refusal::Forbidden { detail: format!("this needs a person in the role {needed}") }.into())
        }
        DeskCaller::Staff(member) => staff::check(&ctx.db, member, needed).await,
    }
}

async fn act(
    ctx: &Context,
    tx: &mut Transaction<'_>,
    organisation: OrganisationId,
    action: &DeskAction,
    cause: Cause,
) -> JobResult<()> {
    match action {
        DeskAction::SendReceipt { cart_id } => {
            let cart = own_cart(tx, organisation, *cart_id).await?;
            send_receipt(tx, &cart, cause).await
        }
        DeskAction::SendInvitation { cart_id } => {
            let cart = own_cart(tx, organisation, *cart_id).await?;
            fulfilment::invite_again(tx, &cart, cause).await
        }
        DeskAction::SendMail { mail_id } => match mails::retry(tx, *mail_id, organisation, cause).await? {
            true => Ok(()),
            false => Err(JobError::invalid("mail_id", "is not a mail of the organisation that has failed")),
        },
        DeskAction::CorrectAddress { cart_id, email } => {
            let cart = own_cart(tx, organisation, *cart_id).await?;
            correct_address(tx, &cart, email, cause).await
        }
        DeskAction::RetryEnrollment { enrollment_id } => {
            match retry::retry(tx, *enrollment_id, organisation, cause).await? {
                true => Ok(()),
                false => Err(JobError::invalid(
                    "enrollment_id",
                    "is not an enrollment of the organisation that was refused",
                )),
            }
        }
        DeskAction::CloseAlert { cart_id, reason } => {
            let cart = own_cart(tx, organisation, *cart_id).await?;
            close_alert(tx, &cart, reason, cause).await
        }
        DeskAction::DecideDeadLetter { message_id, decision } => {
            dead_letters::decide(ctx, tx, organisation, *message_id, *decision, cause).await
        }
        DeskAction::EnableEndpoint { endpoint_id } => enable(tx, organisation, *endpoint_id, cause).await,
        DeskAction::SendEvent { endpoint_id, event_id } => {
            send_again(tx, organisation, *endpoint_id, Some(*event_id), cause).await
        }
        DeskAction::SendFailedEvents { endpoint_id } => {
            send_again(tx, organisation, *endpoint_id, None, cause).await
        }
        DeskAction::RefuseInvoice { cart_id } => {
            let cart = own_cart(tx, organisation, *cart_id).await?;
            refuse_invoice(tx, &cart, cause).await
        }
        DeskAction::ChangeCourse(changes) => course_changes::change(tx, organisation, changes, cause).await,
        DeskAction::SetStaff { email, roles } => set_staff(tx, organisation, email, roles, cause).await,
        DeskAction::RemoveStaff { email } => remove_staff(tx, organisation, email, cause).await,
    }
}

/// Gives a guest's order to another address, and sends it what the address before got in its place.
async fn correct_address(
    tx: &mut Transaction<'_>,
    cart: &Cart,
    email: &Email,
    cause: Cause,
) -> JobResult<()> {
    readdress::readdress(tx, cart, email, cause).await?;
    let alert = fulfilment::bought_twice(tx, cart.id, cause).await?;
    tx.alert(alert);
    let cart = carts::lock(tx, cart.id).await?;
    match receipt_of(tx, &cart).await? {
        Some(due) => fulfilment::send_again(tx, &cart, due, cause).await,
        None => Ok(()),
    }
}

/// Sends the receipt of a paid order again, the invoice of one on account, or what a transfer needs.
async fn send_receipt(db: &mut PgConnection, cart: &Cart, cause: Cause) -> JobResult<()> {
    match receipt_of(db, cart).await? {
        Some(due) => fulfilment::send_again(db, cart, due, cause).await,
        None => Err(JobError::invalid(
            "cart_id",
            "has no receipt: it is not paid, or its courses are not open yet",
        )),
    }
}

/// Returns how an order that has a receipt is yet to be paid, if it is; None if it has none.
async fn receipt_of(db: &mut PgConnection, cart: &Cart) -> JobResult<Option<Option<Due>>> {
    let transaction = transactions::of_cart(&mut *db, cart.id).await?;
    let due = transaction.as_ref().and_then(Due::of);
    let is_delivered = cart.paid_at.is_some() && cart.fulfilled_at.is_some();
    Ok((due.is_some() || is_delivered).then_some(due))
}

async fn enable(
    db: &mut PgConnection,
    organisation: OrganisationId,
    endpoint: Uuid,
    cause: Cause,
) -> JobResult<()> {
    match endpoints::enable(db, endpoint, Some(organisation), cause).await? {
        Some(_) => Ok(()),
        None => Err(JobError::invalid("endpoint_id", "is not a disabled endpoint of the organisation")),
    }
}

/// Sends an event to an endpoint again; all that have failed if none is named.
async fn send_again(
    db: &mut PgConnection,
    organisation: OrganisationId,
    endpoint: Uuid,
    event: Option<Uuid>,
    cause: Cause,
) -> JobResult<()> {
    let (is_sent, field, fault) = match event {
        Some(event) => (
            endpoints::send_again(db, organisation, endpoint, event, cause).await?,
            "event_id",
            "is not an event of an enabled endpoint of the organisation",
        ),
        None => (
            endpoints::send_failed_again(db, organisation, endpoint, cause).await? > 0,
            "endpoint_id",
            "is not an enabled endpoint with events that have failed",
        ),
    };
    if is_sent { Ok(()) } else { Err(JobError::invalid(field, fault)) }
}

/// Refuses the invoice that finance was asked for.
async fn refuse_invoice(db: &mut PgConnection, cart: &Cart, cause: Cause) -> JobResult<()> {
    if !documents::refuse_asked(db, cart.id).await? {
        return Err(JobError::invalid("cart_id", "waits for no other invoice"));
    }
    let (id, to) = (cart.id.into(), "invoice_refused");
    audit::record(db, cause, Change { entity: Entity::Cart, id, from: None, to, detail: json!({}) }).await
}

async fn close_alert(db: &mut PgConnection, cart: &Cart, reason: &str, cause: Cause) -> JobResult<()> {
    let transaction = transactions::of_cart(&mut *db, cart.id).await?;
    let closed = match transaction {
        Some(transaction) => attention::close_alert(db, transaction.id, reason, cause).await?,
        None => false,
    };
    if closed { Ok(()) } else { Err(JobError::invalid("cart_id", "has no open alert")) }
}

async fn remove_staff(
    db: &mut PgConnection,
    organisation: OrganisationId,
    email: &Email,
    cause: Cause,
) -> JobResult<()> {
    let managers = staff::managers(db, organisation).await?;
    let member = staff::member(db, organisation, email).await?;
    let member = member.ok_or_else(|| JobError::invalid("email", "is not on the staff"))?;
    keep_a_manager(managers, &member.1)?;
    staff::remove(db, organisation, member.0, cause).await.map(drop)
}

async fn set_staff(
    db: &mut PgConnection,
    organisation: OrganisationId,
    email: &Email,
    roles: &[Role],
    cause: Cause,
) -> JobResult<()> {
    let managers = staff::managers(db, organisation).await?;
    let learner = match staff::member(db, organisation, email).await? {
        Some(member) => {
            if !roles.contains(&Role::Manager) {
                keep_a_manager(managers, &member.1)?;
            }
            Some(member.0)
        }
        None => staff::known_person(db, organisation, email).await?,
    };
    let learner = learner.ok_or_else(|| {
        JobError::invalid(
            "email",
            "is not of an account that has bought or enrolled here; an operator can add it",
        )
    })?;
    staff::set(db, organisation, learner, email, roles, cause).await.map(drop)
}

/// Checks that an organisation with so many managers has one left without a member of its staff in these roles. They are counted under a
/// lock, which is taken before the roles are read.
fn keep_a_manager(managers: usize, roles: &[Role]) -> JobResult<()> {
    match roles.contains(&Role::Manager) && managers < 2 {
        true => Err(JobError::invalid("email", "is the last manager; an operator can change that")),
        false => Ok(()),
    }
}

/// The cart, locked, if it belongs to the organisation.
async fn own_cart(db: &mut PgConnection, organisation: OrganisationId, id: CartId) -> JobResult<Cart> {
    let cart = carts::find(&mut *db, id).await?.filter(|cart| cart.organisation_id == organisation);
    let cart = cart.ok_or(Refusal::CartNotFound)?;
    // In the order of the jobs: the payment, then the cart.
    transactions::lock_cart(db, cart.id).await?;
    carts::lock(db, cart.id).await
}
