//! All messages that travel through the queue, and how the worker reads them. They are listed in `list`.

mod batches;
mod checkout;
mod desk;
mod documents;
mod enrollment;
mod gifts;
#[macro_use]
mod list;
mod moves;
mod payment;
mod queue;
mod refunds;
mod refusal;
mod seats;
mod tasks;
#[cfg(test)]
mod tests;
mod vouchers;
mod waiting_list;
mod withdrawals;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::ids::{OrganisationId, VoucherId};
use crate::organisation_key::KeyId;
use crate::staff::Role;

pub use batches::*;
pub use checkout::*;
pub use desk::*;
pub use documents::*;
pub use enrollment::*;
pub use gifts::*;
pub use moves::*;
pub use payment::*;
pub use queue::*;
pub use refunds::*;
pub use refusal::*;
pub use seats::*;
pub use tasks::*;
pub use vouchers::*;
pub use waiting_list::*;
pub use withdrawals::*;

/// A message to the worker: a [`Command`] or a [`Task`]. The AMQP property `type` holds its kind, the body its fields as
/// JSON.
pub trait Message: Serialize + DeserializeOwned {
    /// The versioned name of the message, which is also its routing key.
    const KIND: &'static str;
    /// The work queue that takes the message. The broker routes by the first word of the kind, which is the queue's name.
    const QUEUE: Queue;
}

/// A message whose caller waits for the answer.
pub trait Command: Message {
    type Answer: Serialize + DeserializeOwned;

    /// Indicates whether its job writes nothing.
    const IS_READ_ONLY: bool = false;
    /// Indicates whether organisations' keys send it.
    const HAS_KEY: bool = false;
    /// Indicates whether its answer names addresses.
    const HOLDS_ADDRESSES: bool = false;

    /// The caller's idempotency key, if it sent one and its answer is kept for a day.
    fn idempotency(&self) -> Option<&Idempotency> {
        None
    }

    /// The member of staff who has called the api, if the command names one that the worker checks before its job.
    fn caller_staff(&self) -> Option<CallerStaff> {
        None
    }

    /// The key with which the caller has called the api; None for other callers.
    fn caller_key(&self) -> Option<CallerKey> {
        None
    }
}

/// A message whose sender does not wait for an answer, such as work that follows a commit.
pub trait Task: Message {
    /// Indicates whether the api sends it; the worker sends the others.
    const IS_FROM_API: bool = false;
}

/// The member of staff who is a command's caller, the role that it needs, and the organisation on whose staff they must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallerStaff {
    pub member: StaffMember,
    pub role: Role,
    pub of: KeyOf,
}

/// The key of a command's caller, and the owner that it must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallerKey {
    pub id: KeyId,
    pub of: KeyOf,
}

/// Owner of the key that a command needs: this organisation, or the one with this voucher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyOf {
    Organisation(OrganisationId),
    Voucher(VoucherId),
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

/// The name of the messages of one type, the queue that takes them, and who sends them.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub name: &'static str,
    pub queue: Queue,
    /// The api sends it. Other messages come from the worker, and the api's account at the broker cannot send them.
    pub is_from_api: bool,
    /// Organisations' keys send it, and the worker checks them.
    pub has_key: bool,
    /// Its answer names addresses, where an erasure finds them.
    pub holds_addresses: bool,
}

impl Kind {
    const fn of_command<C: Command>() -> Self {
        let (has_key, holds_addresses) = (C::HAS_KEY, C::HOLDS_ADDRESSES);
        Self { name: C::KIND, queue: C::QUEUE, is_from_api: true, has_key, holds_addresses }
    }

    const fn of_task<T: Task>() -> Self {
        let (has_key, holds_addresses) = (false, false);
        Self { name: T::KIND, queue: T::QUEUE, is_from_api: T::IS_FROM_API, has_key, holds_addresses }
    }

    /// The kinds of all messages.
    pub fn all() -> impl Iterator<Item = Self> {
        KINDS.iter().copied()
    }

    /// Finds the kind of this name; None if this version knows no such message.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|kind| kind.name == name)
    }
}

/// Implements the traits of each message of the list, and makes [`AnyMessage`] and [`KINDS`].
macro_rules! declare {
    (
        commands { $($job:ident: $Command:ident($kind:literal) -> $Answer:ty [$($property:ident)*];)* }
        tasks { $($task:ident: $Task:ident($task_kind:literal) [$($task_property:ident)*];)* }
    ) => {
        /// A message that the worker has received.
        #[derive(Debug)]
        pub enum AnyMessage {
            $($Command(Box<$Command>),)*
            $($Task(Box<$Task>),)*
        }

        impl AnyMessage {
            /// Reads a message's body by its kind.
            ///
            /// # Errors
            /// This version does not know the kind, or the body does not fit it.
            pub fn read(kind: &str, body: &[u8]) -> Result<Self, UnreadableMessage> {
                match kind {
                    $($kind => read_body(body).map(Self::$Command),)*
                    $($task_kind => read_body(body).map(Self::$Task),)*
                    _ => Err(UnreadableMessage::UnknownKind(kind.to_owned())),
                }
            }
        }

        const KINDS: &[Kind] = &[$(Kind::of_command::<$Command>(),)* $(Kind::of_task::<$Task>(),)*];

        $(message!($Command, $kind);)*
        $(message!($Task, $task_kind);)*
        $(impl Command for $Command {
            type Answer = $Answer;
            $(property!($property);)*
        })*
        $(impl Task for $Task {
            $(property!($task_property);)*
        })*
    };
}

macro_rules! message {
    ($Message:ident, $kind:literal) => {
        impl Message for $Message {
            const KIND: &str = $kind;
            const QUEUE: Queue =
                Queue::of_kind($kind).expect("the first word of the kind is not the name of a queue");
        }
    };
}

/// Items of a message's `impl`, by the word in its line.
macro_rules! property {
    (idempotency) => {
        fn idempotency(&self) -> Option<&Idempotency> {
            self.idempotency.as_ref()
        }
    };
    (key) => {
        const HAS_KEY: bool = true;
        fn caller_key(&self) -> Option<CallerKey> {
            self.key_to_check()
        }
    };
    (staff) => {
        fn caller_staff(&self) -> Option<CallerStaff> {
            self.staff_to_check()
        }
    };
    (read_only) => {
        const IS_READ_ONLY: bool = true;
    };
    (holds_addresses) => {
        const HOLDS_ADDRESSES: bool = true;
    };
    (from_api) => {
        const IS_FROM_API: bool = true;
    };
}

all_messages!(declare);

fn read_body<M: Message>(body: &[u8]) -> Result<Box<M>, UnreadableMessage> {
    serde_json::from_slice(body).map_err(|source| UnreadableMessage::Body { kind: M::KIND, source })
}
