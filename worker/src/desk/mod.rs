//! What an organisation's staff or tools can ask for at its support desk. Each action is on record under the person.

mod members;

use chrono::NaiveDate;
use serde_json::json;
use shared::email::Email;
use shared::ids::{CartId, OrganisationId};
use shared::messages::{DeskAction, Refusal};
use sqlx::PgConnection;
use store::access::{readdress, retry};
use store::catalog::course_changes;
use store::error::{JobError, JobResult};
use store::events::endpoints;
use store::money::books::{self, Closing};
use store::money::{attention, documents, transactions};
use store::plumbing::audit::{self, Cause, Change, Entity};
use store::plumbing::mail_fates;
use store::sales::carts::{self, Cart};
use store::sales::waiting_list;
use uuid::Uuid;

use crate::runtime::context::Context;
use crate::runtime::dead_letters;
use crate::runtime::transaction::Transaction;
use crate::sale::buyer_mails::{self, Due};
use crate::sale::fulfilment;

pub use self::members::check_role;

/// Carries an action out in a transaction.
///
/// # Errors
/// The organisation has nothing to which the action applies.
pub async fn act(
    ctx: &Context,
    tx: &mut Transaction<'_>,
    organisation: OrganisationId,
    action: &DeskAction,
    cause: Cause,
) -> JobResult<()> {
    match action {
        DeskAction::SendReceipt { cart_id } => {
            let cart = sold_here(own_cart(tx, organisation, *cart_id).await?)?;
            send_receipt(tx, &cart, cause).await
        }
        DeskAction::SendInvitation { cart_id } => {
            let cart = sold_here(own_cart(tx, organisation, *cart_id).await?)?;
            buyer_mails::invite_again(tx, &cart, cause).await
        }
        DeskAction::SendMail { mail_id } => match mail_fates::retry(tx, *mail_id, organisation, cause).await?
        {
            true => Ok(()),
            false => Err(JobError::invalid("mail_id", "is not a mail of the organisation that has failed")),
        },
        DeskAction::CorrectAddress { cart_id, email } => {
            let cart = sold_here(own_cart(tx, organisation, *cart_id).await?)?;
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
        DeskAction::PutFirst { openedx_course_id, email } => {
            match waiting_list::put_first(tx, organisation, openedx_course_id, email, cause).await? {
                true => Ok(()),
                false => Err(JobError::invalid("email", "does not wait for a place in such a course")),
            }
        }
        DeskAction::RefuseInvoice { cart_id } => {
            let cart = sold_here(own_cart(tx, organisation, *cart_id).await?)?;
            refuse_invoice(tx, &cart, cause).await
        }
        DeskAction::CloseMonth { month } => close_month(tx, organisation, *month, cause).await,
        DeskAction::ChangeCourse(changes) => course_changes::change(tx, organisation, changes, cause).await,
        DeskAction::SetStaff { email, roles } => members::set(tx, organisation, email, roles, cause).await,
        DeskAction::RemoveStaff { email } => members::remove(tx, organisation, email, cause).await,
    }
}

async fn close_month(
    db: &mut PgConnection,
    organisation: OrganisationId,
    month: NaiveDate,
    cause: Cause,
) -> JobResult<()> {
    match books::close(db, organisation, month, cause).await? {
        Closing::Closed => Ok(()),
        Closing::Before(_) => Err(JobError::invalid("month", "is closed already")),
        Closing::NotOver(_) => Err(JobError::invalid("month", "is not over yet")),
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
        Some(due) => buyer_mails::send_again(tx, &cart, due, cause).await,
        None => Ok(()),
    }
}

/// Sends the receipt of a paid order again, the invoice of one on account, or what a transfer needs.
async fn send_receipt(db: &mut PgConnection, cart: &Cart, cause: Cause) -> JobResult<()> {
    match receipt_of(db, cart).await? {
        Some(due) => buyer_mails::send_again(db, cart, due, cause).await,
        None => Err(JobError::invalid(
            "cart_id",
            "has no receipt: it is not paid, or its courses are not open yet",
        )),
    }
}

/// Returns how an order that has a receipt is yet to be paid, if it is; None if it has none.
async fn receipt_of(db: &mut PgConnection, cart: &Cart) -> JobResult<Option<Option<Due>>> {
    let due = Due::of_cart(db, cart).await?;
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

/// The cart, locked, if it belongs to the organisation.
async fn own_cart(db: &mut PgConnection, organisation: OrganisationId, id: CartId) -> JobResult<Cart> {
    let cart = carts::find(&mut *db, id).await?.filter(|cart| cart.organisation_id == organisation);
    let cart = cart.ok_or(Refusal::CartNotFound)?;
    // In the order of the jobs: the payment, then the cart.
    transactions::lock_cart(db, cart.id).await?;
    carts::lock(db, cart.id).await
}

/// The cart, if this storefront has sold it.
fn sold_here(cart: Cart) -> JobResult<Cart> {
    cart.check_sold_here()?;
    Ok(cart)
}
