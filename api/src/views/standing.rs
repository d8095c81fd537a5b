//! The standing of an order: the state of its money and of its access. Derived here alone, from the record; the status, the lists and all
//! pages show it, and word it by these names.

use std::collections::BTreeMap;

use serde::Serialize;
use strum::{IntoStaticStr, VariantNames};
use texts::Localizer;
use utoipa::ToSchema;

use crate::queries::carts::PaymentFacts;
use crate::words::{CartStatus, ItemEnrollment};

/// Standing of an order. Each of the three is one word; new words can be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Standing {
    /// The one word for a list: what is to be done, or what has become of the order.
    pub summary: Summary,
    pub payment: PaymentStanding,
    pub access: AccessStanding,
}

/// State of the payment. `open`: the checkout has not begun. `free`: there is nothing to pay. `waiting`: the buyer has not paid, or the
/// provider has not confirmed it. `at_bank`: the provider works on it, which can take days. `transfer`: the buyer is to transfer the
/// money. `on_account` and `overdue`: access was given, and the invoice is unpaid. `disputed`: the buyer's bank has not decided.
/// `lost`: the bank has taken money back. `replaced`: another order took its place while the bank works on the payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, IntoStaticStr, VariantNames, ToSchema)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "kebab-case")]
pub enum PaymentStanding {
    Open,
    Free,
    Waiting,
    AtBank,
    Transfer,
    OnAccount,
    Overdue,
    Paid,
    PartlyRefunded,
    Refunded,
    Disputed,
    Lost,
    Cancelled,
    Expired,
    Replaced,
}

/// State of the access. `none`: nothing was granted, or by a former shop. `opening`: it follows at once. `registration`: the buyer's address has no
/// account at the course platform. `seats`: the buyer can assign them. `refused`: the course platform has refused it for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, IntoStaticStr, VariantNames, ToSchema)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "kebab-case")]
pub enum AccessStanding {
    None,
    Opening,
    Registration,
    Open,
    Seats,
    Refused,
    Ended,
}

/// The words for a list: those of the payment and, once nothing is open about the money, those of the access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, IntoStaticStr, VariantNames, ToSchema)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "kebab-case")]
pub enum Summary {
    Open,
    Waiting,
    AtBank,
    Transfer,
    OnAccount,
    Overdue,
    Opening,
    Registration,
    Refused,
    Complete,
    Ended,
    PartlyRefunded,
    Refunded,
    Disputed,
    Lost,
    Cancelled,
    Expired,
    Replaced,
}

impl Standing {
    /// Derives it from the cart's state, its payment, and for each line whether it has seats and the states of its enrollments.
    pub fn new<'a>(
        state: CartStatus,
        payment: PaymentFacts,
        lines: impl Iterator<Item = (bool, &'a [String])>,
    ) -> Self {
        let (payment, access) = (
            PaymentStanding::new(state, payment),
            match payment.is_moved_in {
                true => AccessStanding::None,
                false => AccessStanding::new(state, lines),
            },
        );
        Self { summary: Summary::new(payment, access), payment, access }
    }

    /// Words it for the buyer: a sentence about the payment, and one about the access.
    pub fn sentences(self, localizer: &Localizer<'_>) -> String {
        let (payment, access) = (<&str>::from(self.payment), <&str>::from(self.access));
        let payment = localizer.message(&format!("standing-payment-{payment}"), &[]);
        match localizer.find(&format!("standing-access-{access}"), &[]) {
            Some(access) => format!("{payment} {access}"),
            None => payment,
        }
    }
}

/// The sentences about payments and access, by the keys of their messages, for a script that follows an order.
pub fn all_sentences(localizer: &Localizer<'_>) -> BTreeMap<String, String> {
    let payment = PaymentStanding::VARIANTS.iter().map(|word| format!("standing-payment-{word}"));
    let access = AccessStanding::VARIANTS.iter().map(|word| format!("standing-access-{word}"));
    payment.chain(access).filter_map(|key| Some((key.clone(), localizer.find(&key, &[])?))).collect()
}

impl PaymentStanding {
    fn new(state: CartStatus, payment: PaymentFacts) -> Self {
        use CartStatus::{Cancelled, Expired, Fulfilled, Held, Open, Paid, PendingPayment, Refunded};
        match state {
            Open => Self::Open,
            PendingPayment if payment.is_external => Self::Transfer,
            PendingPayment if payment.waits_for_bank => Self::AtBank,
            PendingPayment => Self::Waiting,
            Cancelled | Expired if payment.waits_for_bank && !payment.is_external => Self::Replaced,
            Cancelled => Self::Cancelled,
            Expired => Self::Expired,
            Held => Self::Free,
            Paid | Fulfilled | Refunded if payment.is_disputed => Self::Disputed,
            Paid | Fulfilled | Refunded if payment.has_loss => Self::Lost,
            Refunded => Self::Refunded,
            Paid | Fulfilled if payment.has_refund => Self::PartlyRefunded,
            Paid | Fulfilled if payment.is_on_account && payment.waits_for_bank => match payment.is_overdue {
                true => Self::Overdue,
                false => Self::OnAccount,
            },
            Paid | Fulfilled if payment.has_price => Self::Paid,
            Paid | Fulfilled => Self::Free,
        }
    }
}

impl AccessStanding {
    fn new<'a>(state: CartStatus, lines: impl Iterator<Item = (bool, &'a [String])>) -> Self {
        use CartStatus::{Cancelled, Expired, Fulfilled, Held, Open, Paid, PendingPayment, Refunded};
        match state {
            Open | PendingPayment | Cancelled | Expired => return Self::None,
            Held => return Self::Registration,
            Paid | Fulfilled | Refunded => {}
        }
        let (seats, own): (Vec<_>, Vec<_>) = lines.partition(|(has_seats, _)| *has_seats);
        let states: Vec<_> = own.iter().map(|(_, enrollments)| worst(enrollments)).collect();
        let is_any = |state| states.contains(&Some(state));
        match () {
            () if is_any(ItemEnrollment::Refused) => Self::Refused,
            () if is_any(ItemEnrollment::PendingRegistration) => Self::Registration,
            () if is_any(ItemEnrollment::Enrolled) => Self::Open,
            () if state == Refunded || is_any(ItemEnrollment::Removed) => Self::Ended,
            () if !seats.is_empty() && own.is_empty() => Self::Seats,
            () => Self::Opening,
        }
    }
}

impl Summary {
    fn new(payment: PaymentStanding, access: AccessStanding) -> Self {
        use PaymentStanding as Of;
        match (payment, access) {
            (Of::Open, _) => Self::Open,
            (Of::Waiting, _) => Self::Waiting,
            (Of::AtBank, _) => Self::AtBank,
            (Of::Transfer, _) => Self::Transfer,
            (Of::Refunded, _) => Self::Refunded,
            (Of::Disputed, _) => Self::Disputed,
            (Of::Lost, _) => Self::Lost,
            (Of::Cancelled, _) => Self::Cancelled,
            (Of::Expired, _) => Self::Expired,
            (Of::Replaced, _) => Self::Replaced,
            (Of::Overdue, _) => Self::Overdue,
            (_, AccessStanding::Refused) => Self::Refused,
            (_, AccessStanding::Registration) => Self::Registration,
            (Of::OnAccount, _) => Self::OnAccount,
            (Of::PartlyRefunded, _) => Self::PartlyRefunded,
            (Of::Free | Of::Paid, AccessStanding::Opening) => Self::Opening,
            (Of::Free | Of::Paid, AccessStanding::Ended) => Self::Ended,
            // Without an access, a former shop has granted it.
            (Of::Free | Of::Paid, AccessStanding::Open | AccessStanding::Seats | AccessStanding::None) => {
                Self::Complete
            }
        }
    }

    /// The word in the reader's language.
    pub fn word(self, localizer: &Localizer<'_>) -> String {
        localizer.message(&format!("standing-{}", <&str>::from(self)), &[])
    }

    /// The class of the style sheets: `good`, `bad`, or empty where something is to come.
    pub fn tone(self) -> &'static str {
        match self {
            Self::Complete | Self::PartlyRefunded | Self::OnAccount => "good",
            Self::Cancelled | Self::Expired | Self::Overdue | Self::Lost | Self::Refused => "bad",
            Self::Open
            | Self::Waiting
            | Self::AtBank
            | Self::Transfer
            | Self::Opening
            | Self::Registration
            | Self::Ended
            | Self::Refunded
            | Self::Disputed
            | Self::Replaced => "",
        }
    }
}

/// The status of the enrollments of a line that asks most of its buyer.
pub(super) fn worst(enrollments: &[String]) -> Option<ItemEnrollment> {
    let known = enrollments.iter().filter_map(|word| word.parse().ok());
    known.max_by_key(|state| match state {
        ItemEnrollment::Refused => 3,
        ItemEnrollment::PendingRegistration => 2,
        ItemEnrollment::Removed => 1,
        ItemEnrollment::Enrolled => 0,
    })
}

#[cfg(test)]
mod tests {
    use texts::Texts;

    use super::*;

    const PAID: PaymentFacts = PaymentFacts {
        has_price: true,
        is_external: false,
        waits_for_bank: false,
        is_on_account: false,
        is_overdue: false,
        is_disputed: false,
        has_refund: false,
        has_loss: false,
        is_moved_in: false,
    };
    const EXTERNAL: PaymentFacts = PaymentFacts { is_external: true, waits_for_bank: true, ..PAID };
    const INVOICED: PaymentFacts = PaymentFacts { is_on_account: true, ..EXTERNAL };

    /// Derives it from lines of the buyer's own, each with the state of its enrollment.
    fn own(
        state: CartStatus,
        payment: PaymentFacts,
        lines: &[&str],
    ) -> (Summary, PaymentStanding, AccessStanding) {
        let lines: Vec<Vec<String>> = lines
            .iter()
            .map(|state| if state.is_empty() { vec![] } else { vec![(*state).to_owned()] })
            .collect();
        let standing = Standing::new(state, payment, lines.iter().map(|states| (false, states.as_slice())));
        (standing.summary, standing.payment, standing.access)
    }

    #[test]
    fn each_state_on_record_has_its_standing() {
        use AccessStanding as A;
        use CartStatus::{Cancelled, Expired, Fulfilled, Held, Open, Paid, PendingPayment, Refunded};
        use PaymentStanding as P;
        use Summary as S;
        let free = PaymentFacts::default();
        let slow = PaymentFacts { waits_for_bank: true, ..PAID };
        let part = PaymentFacts { has_refund: true, ..PAID };
        let disputed = PaymentFacts { is_disputed: true, ..PAID };
        let lost = PaymentFacts { has_loss: true, ..PAID };
        let moved_in = PaymentFacts { is_moved_in: true, ..PAID };
        let late = PaymentFacts { is_overdue: true, ..INVOICED };
        for (state, payment, lines, expected) in [
            (Open, free, &[""][..], (S::Open, P::Open, A::None)),
            (PendingPayment, PAID, &[""], (S::Waiting, P::Waiting, A::None)),
            (PendingPayment, slow, &[""], (S::AtBank, P::AtBank, A::None)),
            (PendingPayment, EXTERNAL, &[""], (S::Transfer, P::Transfer, A::None)),
            (Held, free, &["pending_registration"], (S::Registration, P::Free, A::Registration)),
            (Paid, PAID, &[""], (S::Opening, P::Paid, A::Opening)),
            (Fulfilled, PAID, &["enrolled"], (S::Complete, P::Paid, A::Open)),
            (Fulfilled, free, &["enrolled"], (S::Complete, P::Free, A::Open)),
            (Fulfilled, PAID, &["pending_registration"], (S::Registration, P::Paid, A::Registration)),
            (Fulfilled, PAID, &["enrolled", "refused"], (S::Refused, P::Paid, A::Refused)),
            (Fulfilled, PAID, &["removed"], (S::Ended, P::Paid, A::Ended)),
            (Fulfilled, part, &["enrolled", "removed"], (S::PartlyRefunded, P::PartlyRefunded, A::Open)),
            (Fulfilled, part, &["enrolled", "refused"], (S::Refused, P::PartlyRefunded, A::Refused)),
            (Fulfilled, disputed, &["enrolled"], (S::Disputed, P::Disputed, A::Open)),
            (Fulfilled, lost, &["enrolled"], (S::Lost, P::Lost, A::Open)),
            (Refunded, lost, &["removed"], (S::Lost, P::Lost, A::Ended)),
            (Refunded, part, &["removed"], (S::Refunded, P::Refunded, A::Ended)),
            (Refunded, part, &["enrolled"], (S::Refunded, P::Refunded, A::Open)),
            (Fulfilled, INVOICED, &["enrolled"], (S::OnAccount, P::OnAccount, A::Open)),
            (Fulfilled, late, &["enrolled"], (S::Overdue, P::Overdue, A::Open)),
            (Fulfilled, late, &["pending_registration"], (S::Overdue, P::Overdue, A::Registration)),
            (Fulfilled, moved_in, &[""], (S::Complete, P::Paid, A::None)),
            (Cancelled, PAID, &[""], (S::Cancelled, P::Cancelled, A::None)),
            (Cancelled, INVOICED, &["removed"], (S::Cancelled, P::Cancelled, A::None)),
            (Cancelled, slow, &[""], (S::Replaced, P::Replaced, A::None)),
            (Expired, EXTERNAL, &[""], (S::Expired, P::Expired, A::None)),
        ] {
            assert_eq!(own(state, payment, lines), expected, "{state:?} {payment:?} {lines:?}");
        }
        let seats = Standing::new(Fulfilled, PAID, [(true, &[][..])].into_iter());
        assert_eq!((seats.summary, seats.access), (S::Complete, A::Seats));
    }

    #[test]
    fn each_standing_has_words_in_each_language() {
        let texts = Texts::bundled().unwrap();
        for language in texts.languages() {
            let localizer = texts.localizer(language, &[]);
            for word in Summary::VARIANTS {
                assert!(localizer.find(&format!("standing-{word}"), &[]).is_some(), "{language}: {word}");
            }
            // Without access, nothing is said about it.
            let expected = PaymentStanding::VARIANTS.len() + AccessStanding::VARIANTS.len() - 1;
            assert_eq!(all_sentences(&localizer).len(), expected, "{language}");
        }
    }
}
