//! All messages that travel through the queue, and how the worker reads them. Each message is named like its job:
//! `worker/src/jobs/start_checkout.rs` handles `StartCheckout`.

mod batches;
mod checkout;
mod documents;
mod enrollment;
mod payment;
mod queue;
mod refunds;
mod refusal;
mod seats;
mod tasks;
#[cfg(test)]
mod tests;
mod vouchers;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use strum::{EnumDiscriminants, VariantArray};
use uuid::Uuid;

use crate::organisation_key::KeyId;

pub use batches::{AssignedSeats, BatchAction, BatchRow, MOST_ROWS, RunBatch, SubmitBatch, SubmittedBatch};
pub use checkout::{
    BasketItem, BillingAddress, CartItem, CheckoutAnswer, CheckoutCart, CheckoutCartAnswer, FulfilCart,
    ItemKind, LearnerAccount, LearnerCart, LineTax, MOST_IN_POOL, MOST_SEATS, PayableCart, SetCart,
    StartCheckout,
};
pub use documents::CorrectInvoice;
pub use enrollment::{EnrollmentAnswer, EnrollmentState, GrantEnrollment, RemoveEnrollment};
pub use payment::{
    CheckPayment, PaymentStart, ProviderNotification, ReceivedSignature, SettleEvent, ShowPayment,
    ShownPayment,
};
pub use queue::Queue;
pub use refunds::{CheckRefund, RefundAnswer, RefundCaller, RefundOrder, RefundStatus, RefundedLine};
pub use refusal::{FieldError, Refusal};
pub use seats::{RemindSeats, RemindedSeats, RevokeSeats, RevokedSeats, SeatsCaller};
pub use tasks::{
    CatalogChanged, CourseChanged, DeliverEvents, Mail, Places, Receipt, RefundIssued, RegistrationHint,
    ResolveRegistration, SeatAssigned, SeatsReady, SendEmail, SyncEnrollment,
};
pub use vouchers::{
    ChangeVoucher, CreateVouchers, CreatedVouchers, QuoteBasket, QuotedBasket, QuotedBuyer, QuotedVoucher,
    VoucherChanges, VoucherTerms, VoucherValue,
};

/// A message to the worker: a [`Command`] or a [`Task`]. The AMQP property `type` holds its kind, the body its fields as
/// JSON.
pub trait Message: Serialize + DeserializeOwned {
    /// The versioned name of the message, which is also its routing key.
    const KIND: &'static str;
    /// The work queue that takes the message. The broker routes by the first word of the kind, so that word must be the
    /// queue's name; the program does not build otherwise.
    const QUEUE: Queue;
}

/// A message whose caller waits for the answer.
pub trait Command: Message {
    type Answer: Serialize + DeserializeOwned;
    /// The variant for which the worker has a job.
    const VARIANT: fn(Self) -> AnyCommand;
}

/// A message whose sender does not wait for an answer, such as work that follows a commit.
pub trait Task: Message {
    /// The variant for which the worker has a job.
    const VARIANT: fn(Self) -> AnyTask;
}

/// A message that the worker has received.
#[derive(Clone, Debug)]
pub enum AnyMessage {
    Command(AnyCommand),
    Task(AnyTask),
}

/// All commands.
#[derive(Clone, Debug, EnumDiscriminants)]
#[strum_discriminants(name(CommandVariant), vis(pub(crate)), derive(Hash, VariantArray))]
pub enum AnyCommand {
    StartCheckout(Box<StartCheckout>),
    SetCart(Box<SetCart>),
    CheckoutCart(CheckoutCart),
    ShowPayment(ShowPayment),
    RefundOrder(RefundOrder),
    GrantEnrollment(GrantEnrollment),
    RemoveEnrollment(RemoveEnrollment),
    QuoteBasket(Box<QuoteBasket>),
    CreateVouchers(Box<CreateVouchers>),
    ChangeVoucher(Box<ChangeVoucher>),
    SubmitBatch(SubmitBatch),
    CorrectInvoice(Box<CorrectInvoice>),
    RevokeSeats(RevokeSeats),
    RemindSeats(RemindSeats),
}

/// Owner of the key that a command needs: this organisation's, or that of the organisation with this voucher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyOf {
    Organisation(Uuid),
    Voucher(Uuid),
}

/// All tasks.
#[derive(Clone, Debug, EnumDiscriminants)]
#[strum_discriminants(name(TaskVariant), vis(pub(crate)), derive(Hash, VariantArray))]
pub enum AnyTask {
    ProviderNotification(ProviderNotification),
    SettleEvent(SettleEvent),
    CheckPayment(CheckPayment),
    CheckRefund(CheckRefund),
    FulfilCart(FulfilCart),
    SyncEnrollment(SyncEnrollment),
    RegistrationHint(RegistrationHint),
    ResolveRegistration(ResolveRegistration),
    SendEmail(SendEmail),
    CatalogChanged(CatalogChanged),
    CourseChanged(CourseChanged),
    DeliverEvents(DeliverEvents),
    RunBatch(RunBatch),
}

/// The worker's reply: the answer, or why it refused the command.
pub type Answer<T> = Result<T, Refusal>;

/// A caller's idempotency key, with the hash that tells whether a second request is the same one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Idempotency {
    /// The route and the caller.
    pub scope: String,
    pub key: String,
    /// SHA-256 of the parsed request.
    pub request_hash: Vec<u8>,
}

/// Reason why the worker cannot read a message.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableMessage {
    #[error("unknown kind of message {0:?}")]
    UnknownKind(String),
    #[error("unreadable body of {kind}: {}", without_values(source))]
    Body { kind: &'static str, source: serde_json::Error },
}

/// The error without the texts that it quotes, which may be personal data. It quotes names of fields in other marks.
fn without_values(error: &serde_json::Error) -> String {
    let text = error.to_string().replace("\\\"", "");
    let parts = text.split('"').enumerate();
    parts.map(|(nth, part)| if nth % 2 == 0 { part } else { "…" }).collect()
}

/// The name of the messages of one type, and the queue that takes them.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub name: &'static str,
    pub queue: Queue,
}

impl Kind {
    fn of<M: Message>() -> Self {
        Self { name: M::KIND, queue: M::QUEUE }
    }

    /// The kinds of all messages.
    pub fn all() -> impl Iterator<Item = Self> {
        let commands = CommandVariant::VARIANTS.iter().map(|variant| variant.kind());
        commands.chain(TaskVariant::VARIANTS.iter().map(|variant| variant.kind()))
    }

    /// Finds the kind of this name; None if this version knows no such message.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|kind| kind.name == name)
    }
}

impl CommandVariant {
    fn kind(self) -> Kind {
        match self {
            Self::StartCheckout => Kind::of::<StartCheckout>(),
            Self::SetCart => Kind::of::<SetCart>(),
            Self::CheckoutCart => Kind::of::<CheckoutCart>(),
            Self::ShowPayment => Kind::of::<ShowPayment>(),
            Self::RefundOrder => Kind::of::<RefundOrder>(),
            Self::GrantEnrollment => Kind::of::<GrantEnrollment>(),
            Self::RemoveEnrollment => Kind::of::<RemoveEnrollment>(),
            Self::QuoteBasket => Kind::of::<QuoteBasket>(),
            Self::CreateVouchers => Kind::of::<CreateVouchers>(),
            Self::ChangeVoucher => Kind::of::<ChangeVoucher>(),
            Self::SubmitBatch => Kind::of::<SubmitBatch>(),
            Self::CorrectInvoice => Kind::of::<CorrectInvoice>(),
            Self::RevokeSeats => Kind::of::<RevokeSeats>(),
            Self::RemindSeats => Kind::of::<RemindSeats>(),
        }
    }
}

impl TaskVariant {
    fn kind(self) -> Kind {
        match self {
            Self::ProviderNotification => Kind::of::<ProviderNotification>(),
            Self::SettleEvent => Kind::of::<SettleEvent>(),
            Self::CheckPayment => Kind::of::<CheckPayment>(),
            Self::CheckRefund => Kind::of::<CheckRefund>(),
            Self::FulfilCart => Kind::of::<FulfilCart>(),
            Self::SyncEnrollment => Kind::of::<SyncEnrollment>(),
            Self::RegistrationHint => Kind::of::<RegistrationHint>(),
            Self::ResolveRegistration => Kind::of::<ResolveRegistration>(),
            Self::SendEmail => Kind::of::<SendEmail>(),
            Self::CatalogChanged => Kind::of::<CatalogChanged>(),
            Self::CourseChanged => Kind::of::<CourseChanged>(),
            Self::DeliverEvents => Kind::of::<DeliverEvents>(),
            Self::RunBatch => Kind::of::<RunBatch>(),
        }
    }
}

impl AnyMessage {
    /// Reads a message's body by its kind.
    ///
    /// # Errors
    /// This version does not know the kind, or the body does not fit it.
    pub fn read(kind: &str, body: &[u8]) -> Result<Self, UnreadableMessage> {
        if let Some(command) = AnyCommand::read(kind, body) {
            return command.map(Self::Command);
        }
        if let Some(task) = AnyTask::read(kind, body) {
            return task.map(Self::Task);
        }
        Err(UnreadableMessage::UnknownKind(kind.to_owned()))
    }
}

/// None if no variant has the kind.
type ReadResult<T> = Option<Result<T, UnreadableMessage>>;

impl AnyCommand {
    fn read(kind: &str, body: &[u8]) -> ReadResult<Self> {
        CommandVariant::VARIANTS.iter().find_map(|variant| match variant {
            CommandVariant::StartCheckout => read_as(StartCheckout::VARIANT, kind, body),
            CommandVariant::SetCart => read_as(SetCart::VARIANT, kind, body),
            CommandVariant::CheckoutCart => read_as(CheckoutCart::VARIANT, kind, body),
            CommandVariant::ShowPayment => read_as(ShowPayment::VARIANT, kind, body),
            CommandVariant::RefundOrder => read_as(RefundOrder::VARIANT, kind, body),
            CommandVariant::GrantEnrollment => read_as(GrantEnrollment::VARIANT, kind, body),
            CommandVariant::RemoveEnrollment => read_as(RemoveEnrollment::VARIANT, kind, body),
            CommandVariant::QuoteBasket => read_as(QuoteBasket::VARIANT, kind, body),
            CommandVariant::CreateVouchers => read_as(CreateVouchers::VARIANT, kind, body),
            CommandVariant::ChangeVoucher => read_as(ChangeVoucher::VARIANT, kind, body),
            CommandVariant::SubmitBatch => read_as(SubmitBatch::VARIANT, kind, body),
            CommandVariant::CorrectInvoice => read_as(CorrectInvoice::VARIANT, kind, body),
            CommandVariant::RevokeSeats => read_as(RevokeSeats::VARIANT, kind, body),
            CommandVariant::RemindSeats => read_as(RemindSeats::VARIANT, kind, body),
        })
    }

    /// The key with which its caller has called the api, and what the key must be of; None for other callers.
    pub fn key(&self) -> Option<(KeyId, KeyOf)> {
        let of_order = |caller: &RefundCaller| match caller {
            RefundCaller::Key { id, organisation_id } => Some((*id, KeyOf::Organisation(*organisation_id))),
            RefundCaller::Learner { .. } => None,
        };
        let of_pool = |caller: &SeatsCaller, pool: Uuid| match caller {
            SeatsCaller::Key(id) => Some((*id, KeyOf::Voucher(pool))),
            SeatsCaller::Learner(_) | SeatsCaller::Link => None,
        };
        match self {
            Self::RefundOrder(command) => of_order(&command.caller),
            Self::CorrectInvoice(command) => of_order(&command.caller),
            Self::CreateVouchers(command) => {
                Some((command.key, KeyOf::Organisation(command.organisation_id)))
            }
            Self::ChangeVoucher(command) => Some((command.key, KeyOf::Voucher(command.voucher_id))),
            Self::RevokeSeats(command) => of_pool(&command.caller, command.voucher_id),
            Self::RemindSeats(command) => of_pool(&command.caller, command.voucher_id),
            Self::SubmitBatch(command) => {
                let seats = command.seats.as_ref();
                seats.and_then(|seats| of_pool(&seats.caller, seats.voucher_id))
            }
            Self::StartCheckout(_)
            | Self::SetCart(_)
            | Self::CheckoutCart(_)
            | Self::ShowPayment(_)
            | Self::GrantEnrollment(_)
            | Self::RemoveEnrollment(_)
            | Self::QuoteBasket(_) => None,
        }
    }

    /// The caller's idempotency key, if it sent one and its answer is kept for a day. A refund keeps its key for good.
    pub fn idempotency(&self) -> Option<&Idempotency> {
        match self {
            Self::StartCheckout(command) => command.idempotency.as_ref(),
            Self::SetCart(command) => command.idempotency.as_ref(),
            Self::CheckoutCart(command) => command.idempotency.as_ref(),
            Self::GrantEnrollment(command) => command.idempotency.as_ref(),
            Self::RemoveEnrollment(command) => command.idempotency.as_ref(),
            Self::CreateVouchers(command) => command.idempotency.as_ref(),
            Self::ChangeVoucher(command) => command.idempotency.as_ref(),
            Self::SubmitBatch(command) => command.idempotency.as_ref(),
            Self::CorrectInvoice(command) => command.idempotency.as_ref(),
            Self::RevokeSeats(command) => command.idempotency.as_ref(),
            Self::RemindSeats(command) => command.idempotency.as_ref(),
            Self::ShowPayment(_) | Self::RefundOrder(_) | Self::QuoteBasket(_) => None,
        }
    }
}

impl AnyTask {
    fn read(kind: &str, body: &[u8]) -> ReadResult<Self> {
        TaskVariant::VARIANTS.iter().find_map(|variant| match variant {
            TaskVariant::ProviderNotification => read_as(ProviderNotification::VARIANT, kind, body),
            TaskVariant::SettleEvent => read_as(SettleEvent::VARIANT, kind, body),
            TaskVariant::CheckPayment => read_as(CheckPayment::VARIANT, kind, body),
            TaskVariant::CheckRefund => read_as(CheckRefund::VARIANT, kind, body),
            TaskVariant::FulfilCart => read_as(FulfilCart::VARIANT, kind, body),
            TaskVariant::SyncEnrollment => read_as(SyncEnrollment::VARIANT, kind, body),
            TaskVariant::RegistrationHint => read_as(RegistrationHint::VARIANT, kind, body),
            TaskVariant::ResolveRegistration => read_as(ResolveRegistration::VARIANT, kind, body),
            TaskVariant::SendEmail => read_as(SendEmail::VARIANT, kind, body),
            TaskVariant::CatalogChanged => read_as(CatalogChanged::VARIANT, kind, body),
            TaskVariant::CourseChanged => read_as(CourseChanged::VARIANT, kind, body),
            TaskVariant::DeliverEvents => read_as(DeliverEvents::VARIANT, kind, body),
            TaskVariant::RunBatch => read_as(RunBatch::VARIANT, kind, body),
        })
    }
}

fn read_as<M: Message, T>(variant: fn(M) -> T, kind: &str, body: &[u8]) -> ReadResult<T> {
    const { assert!(M::QUEUE.takes(M::KIND), "the first word of the kind is not the name of its queue") };
    if kind != M::KIND {
        return None;
    }
    let message = serde_json::from_slice(body);
    Some(message.map(variant).map_err(|source| UnreadableMessage::Body { kind: M::KIND, source }))
}
