//! What happens in `payment_machine`: the steps of one buyer, drawn at random.

use harness::ORGANISATIONS;
use proptest::prelude::*;

use crate::machine_market::{Basket, basket, mistyped};

#[derive(Clone, Copy, Debug)]
pub enum Notice {
    Sent,
    Lost,
    Twice,
    Late,
}

/// Payment of the buyer that a step is about: an upgrade is the newest one, and rests on an older one.
#[derive(Clone, Copy, Debug)]
pub enum Which {
    Newest,
    Oldest,
}

#[derive(Clone, Copy, Debug)]
pub enum Outcome {
    Opened,
    Won,
    Lost,
    LostInPart,
}

#[derive(Clone, Copy, Debug)]
pub enum Amount {
    All,
    /// A third, and the access with it.
    Part,
    /// A third, and no access.
    Goodwill,
    /// Rest of one line, if there is such a line.
    Line(usize),
}

#[derive(Clone, Copy, Debug)]
pub enum Seats {
    /// The buyer of seats assigns one.
    Assigned,
    /// The organisation gives the buyer seats that were paid elsewhere.
    ByContract(i32),
    /// The organisation adds one to the buyer's newest pool.
    Added,
}

#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// The checkout, repeated as a client does that got no answer; free for a learner who holds the course.
    Checkout,
    /// A learner's better mode is an upgrade, or replaces the first basket; a guest's is a second cart.
    OtherBasket,
    /// Pays any payment that can be paid, even after it failed or was ended. The provider of an order takes an offer off, in percent.
    Pay(Which, Notice, i64),
    Seats(Seats),
    /// The support corrects the address of a guest who has mistyped it.
    Correct(Which),
    Fail(Notice),
    /// The buyer pays with a slow method: by bank transfer, voucher or debit.
    Slow(&'static str, Notice),
    /// The provider gives up what was not paid.
    Expire(Notice),
    /// Through the storefront, with the organisation's key.
    Refund(Which, Amount),
    /// By the learner, or by the learner whose address a guest gave: one line, or all.
    OwnRefund(Which, Option<usize>),
    /// The buyer declares a withdrawal of one line, or of all, with a session or with nothing to show.
    Withdraw(Which, Option<usize>, bool),
    /// At the provider's dashboard: a part of the payment, or all that is left.
    DashboardRefund(Which, Notice, bool),
    /// The newest refund of a payment fails at the bank, perhaps after it had succeeded.
    RefundFails(Which, Notice),
    /// An operator restores the access, perhaps after a refund that failed.
    Restore(Which),
    /// The partner takes the organisation's course from the buyer.
    Remove,
    Dispute(Which, Outcome, Notice),
    /// The provider carries out the next call, and its answer is lost.
    LoseAnswer,
    /// A reconciler timer fires.
    Reconcile,
    /// A worker is killed at any point of its job.
    Crash,
}

fn notice() -> impl Strategy<Value = Notice> {
    prop_oneof![3 => Just(Notice::Sent), 2 => Just(Notice::Lost), 2 => Just(Notice::Twice), 1 => Just(Notice::Late)]
}

fn which() -> impl Strategy<Value = Which> {
    prop_oneof![2 => Just(Which::Newest), 1 => Just(Which::Oldest)]
}

fn amount() -> impl Strategy<Value = Amount> {
    let line = (0..3_usize).prop_map(Amount::Line);
    prop_oneof![2 => Just(Amount::All), 1 => Just(Amount::Part), 1 => Just(Amount::Goodwill), 3 => line]
}

fn outcome() -> impl Strategy<Value = Outcome> {
    let rest = prop_oneof![Just(Outcome::Won), Just(Outcome::Lost), Just(Outcome::LostInPart)];
    prop_oneof![1 => Just(Outcome::Opened), 2 => rest]
}

fn seats() -> impl Strategy<Value = Seats> {
    prop_oneof![2 => Just(Seats::Assigned), 1 => (1..4_i32).prop_map(Seats::ByContract), 1 => Just(Seats::Added)]
}

fn step() -> impl Strategy<Value = Step> {
    let offer = prop_oneof![2 => Just(0), 1 => 1..90_i64];
    let slow = prop_oneof![Just("debit"), Just("bank_transfer"), Just("voucher")];
    prop_oneof![
        5 => Just(Step::Checkout),
        3 => Just(Step::OtherBasket),
        7 => (which(), notice(), offer).prop_map(|(which, notice, offer)| Step::Pay(which, notice, offer)),
        4 => seats().prop_map(Step::Seats),
        2 => which().prop_map(Step::Correct),
        1 => notice().prop_map(Step::Fail),
        1 => (slow, notice()).prop_map(|(method, notice)| Step::Slow(method, notice)),
        1 => notice().prop_map(Step::Expire),
        3 => (which(), amount()).prop_map(|(which, amount)| Step::Refund(which, amount)),
        1 => (which(), notice(), any::<bool>()).prop_map(|(which, notice, part)| Step::DashboardRefund(which, notice, part)),
        2 => (which(), prop::option::of(0..3_usize)).prop_map(|(which, line)| Step::OwnRefund(which, line)),
        2 => (which(), prop::option::of(0..3_usize), any::<bool>())
            .prop_map(|(which, line, is_proved)| Step::Withdraw(which, line, is_proved)),
        2 => (which(), notice()).prop_map(|(which, notice)| Step::RefundFails(which, notice)),
        2 => which().prop_map(Step::Restore),
        1 => Just(Step::Remove),
        2 => (which(), outcome(), notice()).prop_map(|(which, outcome, notice)| Step::Dispute(which, outcome, notice)),
        1 => Just(Step::LoseAnswer),
        2 => Just(Step::Reconcile),
        1 => Just(Step::Crash),
    ]
}

/// One buyer: a guest or a learner of one of the organisations, and the steps that happen.
#[derive(Clone, Debug)]
pub struct Script {
    pub organisation: usize,
    pub is_learner: bool,
    /// The guest types an address that has no account. The learner has joined the course at the platform before.
    pub is_odd: bool,
    pub basket: Basket,
    pub steps: Vec<Step>,
}

impl Script {
    /// The address that the buyer gives.
    pub fn typed(&self, email: &str) -> String {
        if self.is_odd && !self.is_learner { mistyped(email) } else { email.to_owned() }
    }
}

pub fn script() -> impl Strategy<Value = Script> {
    let steps = prop::collection::vec(step(), 4..14);
    // Rare by chance: a refund fails, an operator restores the access, and the refund is made again.
    let again = prop::option::of((amount(), notice(), amount()));
    (0..ORGANISATIONS.len(), any::<bool>(), any::<bool>(), basket(), steps, again).prop_map(
        |(organisation, is_learner, is_odd, basket, mut steps, again)| {
            steps.insert(0, Step::Checkout);
            if let Some((first, notice, second)) = again {
                let oldest = Which::Oldest;
                steps.extend([
                    Step::Pay(oldest, Notice::Sent, 0),
                    Step::Reconcile,
                    Step::Refund(oldest, first),
                    Step::RefundFails(oldest, notice),
                    Step::Restore(oldest),
                    Step::Refund(oldest, second),
                ]);
            }
            Script { organisation, is_learner, is_odd, basket, steps }
        },
    )
}
