//! The work queues, and which kinds of messages the broker routes to each. `queue::Topology` declares them.

use strum::VariantArray;

/// The work queues. Each has its own channel, prefetch and concurrency, so that a slow server delays only one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, VariantArray)]
pub enum Queue {
    /// Commands that wait for payment providers: checkouts and refunds.
    Checkout,
    /// Work that is answered without a call of a payment provider: quotes, carts, payment pages, vouchers, and the
    /// storing of batches.
    Page,
    /// Webhooks of payment providers.
    Payment,
    /// Look-ups of payments at their providers.
    Checks,
    /// Grants and removals, and the fulfilment of carts.
    Enrollment,
    /// Look-ups of addresses that have registered.
    Registration,
    /// Syncs of enrollments, which the rate limit of the course platform slows down.
    Platform,
    /// Mails.
    Email,
    /// Changes of the catalog.
    Catalog,
    /// Deliveries of events to the organisations' endpoints.
    Webhooks,
    /// The rows of batches of enrollments and removals.
    Batch,
}

impl Queue {
    /// Every work queue.
    pub const ALL: &'static [Queue] = Self::VARIANTS;

    /// The queue's name, which is also the first word of the kinds that the broker routes to it.
    pub const fn name(self) -> &'static str {
        match self {
            Queue::Checkout => "checkout",
            Queue::Page => "page",
            Queue::Payment => "payment",
            Queue::Checks => "checks",
            Queue::Enrollment => "enrollment",
            Queue::Registration => "registration",
            Queue::Platform => "platform",
            Queue::Email => "email",
            Queue::Catalog => "catalog",
            Queue::Webhooks => "webhooks",
            Queue::Batch => "batch",
        }
    }

    /// The queue that takes messages of this kind.
    pub(super) const fn of_kind(kind: &str) -> Option<Self> {
        let mut queues = Self::ALL;
        while let [queue, rest @ ..] = queues {
            if queue.takes(kind) {
                return Some(*queue);
            }
            queues = rest;
        }
        None
    }

    /// Returns whether the broker routes messages of this kind to the queue: as the topology binds it, but at compile
    /// time.
    pub(super) const fn takes(self, kind: &str) -> bool {
        let (mut name, mut kind) = (self.name().as_bytes(), kind.as_bytes());
        while let ([expected, name_rest @ ..], [actual, kind_rest @ ..]) = (name, kind) {
            if *expected != *actual {
                return false;
            }
            (name, kind) = (name_rest, kind_rest);
        }
        name.is_empty() && matches!(kind, [b'.', _, ..])
    }
}
