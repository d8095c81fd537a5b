//! Puts dead letters on the lists of the organisations that they concern.

use lapin::message::Delivery;
use shared::messages::AnyMessage;
use shared::queue::Envelope;
use store::plumbing::dead_letters::{self, NewLetter, Subject};

use crate::runtime::context::Context;

/// Puts a message that has become a dead letter on its organisation's list. Operators find it at the broker in any case.
pub(super) async fn list(ctx: &Context, delivery: &Delivery, reason: &str) {
    let now = ctx.clock.now();
    let Ok(envelope) = Envelope::read(&delivery.properties, delivery.data.clone(), now) else { return };
    let Ok(message) = AnyMessage::read(&envelope.kind, &envelope.body) else { return };
    let Some(subject) = subject(&message) else { return };
    let new = NewLetter { id: envelope.id, kind: &envelope.kind, subject, reason };
    if let Err(error) = dead_letters::insert(&ctx.db, &new, now).await {
        tracing::warn!(%error, "the dead letter is not on its organisation's list");
    }
}

/// Subject of a task. None for what concerns an address, a declaration or the catalog, and for commands, whose callers learn of a
/// failure.
fn subject(message: &AnyMessage) -> Option<Subject<'_>> {
    Some(match message {
        AnyMessage::ProviderNotification(task) => Subject::Organisation(task.organisation_id.into()),
        AnyMessage::SettleNotification(task) => Subject::Notification(task.notification_id),
        AnyMessage::CheckPayment(task) => Subject::Payment(task.transaction_id.into()),
        AnyMessage::ReadPayouts(task) => Subject::Organisation(task.organisation_id.into()),
        AnyMessage::CheckRefund(task) => Subject::Refund(task.refund_id.into()),
        AnyMessage::ObjectToWithdrawal(task) => Subject::Withdrawal(task.withdrawal_id),
        AnyMessage::JudgeWithdrawal(task) => Subject::Withdrawal(task.withdrawal_id),
        AnyMessage::FulfilCart(task) => Subject::Order(task.cart_id.into()),
        AnyMessage::GiveGift(task) => Subject::Order(task.cart_id.into()),
        AnyMessage::SyncEnrollment(task) => Subject::Enrollment(task.enrollment_id.into()),
        AnyMessage::SendEmail(task) => Subject::Mail(task.mail_id),
        AnyMessage::CourseChanged(task) => Subject::Course(task.course.as_str()),
        AnyMessage::DeliverEvents(task) => Subject::Endpoint(task.endpoint_id),
        AnyMessage::RunBatch(task) => Subject::Batch(task.batch_id),
        _ => return None,
    })
}
