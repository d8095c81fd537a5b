//! A payment at a provider, in words that fit all four: its status, the buyer's attempts, and the sums.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Account, Provider, Style, disputes::Dispute, refunds::Refund};
use crate::state::random;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Open,
    /// The buyer has done their part with a slow method.
    Waiting(Method),
    /// Authorised, not captured.
    Authorized,
    Paid,
    Failed,
    Cancelled,
    Expired,
}

/// A slow way to pay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    #[default]
    Debit,
    BankTransfer,
    Voucher,
    /// The buyer is at their bank's page.
    Redirect,
}

/// One try of the buyer to pay. Razorpay shows the attempts of an order; for Stripe they are charges.
#[derive(Clone, Debug)]
pub struct Attempt {
    pub id: String,
    pub status: AttemptStatus,
    /// Fee that the buyer pays on top for the provider.
    pub fee: i64,
    pub created: DateTime<Utc>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptStatus {
    Created,
    Authorized,
    Captured,
    Failed,
    /// Given back by the provider without a capture.
    Returned,
}

/// A payment at its provider. Amounts are in the provider's subunits.
#[derive(Clone, Debug)]
pub struct Payment {
    pub provider: Provider,
    pub organisation: String,
    pub reference: String,
    pub our_reference: Option<String>,
    pub amount: i64,
    /// In upper case.
    pub currency: String,
    pub status: Status,
    pub created: DateTime<Utc>,
    /// Time when it got its status.
    pub since: DateTime<Utc>,
    /// Number of create calls for it, repeats included.
    pub create_calls: u32,
    pub captured: i64,
    /// Oldest first.
    pub attempts: Vec<Attempt>,
    pub refunds: Vec<Refund>,
    pub disputes: Vec<Dispute>,
    /// The metadata of the create call, which every answer returns.
    pub sent: Value,
}

impl Payment {
    pub fn new(account: &Account, amount: i64, currency: &str, sent: Value, at: DateTime<Utc>) -> Self {
        Self {
            provider: account.provider,
            organisation: account.organisation.clone(),
            reference: format!("{}{}", account.provider.profile().payment_prefix, random(20)),
            our_reference: None,
            amount,
            currency: currency.to_uppercase(),
            status: Status::Open,
            created: at,
            since: at,
            create_calls: 1,
            captured: 0,
            attempts: Vec::new(),
            refunds: Vec::new(),
            disputes: Vec::new(),
            sent,
        }
    }

    pub fn style(&self) -> Style {
        self.provider.profile().style
    }

    pub fn shown(&self) -> Value {
        let status = match self.status {
            _ if self.captured > 0 && self.refunded() == self.paid() => "refunded",
            Status::Open => "open",
            Status::Waiting(_) => "pending",
            Status::Authorized => "authorized",
            Status::Paid => "paid",
            Status::Failed => "failed",
            Status::Cancelled => "cancelled",
            Status::Expired => "expired",
        };
        json!({"gateway": self.provider.name(), "reference": self.reference, "our_reference": self.our_reference,
            "amount": self.amount, "currency": self.currency, "status": status, "create_calls": self.create_calls,
            "captured": self.paid(), "refunded": self.refunded(),
            "charged_back": self.charged_back(), "held": self.held()})
    }

    /// The total of the charge's refunds that have not failed. All four providers count a refund from the moment they take it.
    pub fn refunded(&self) -> i64 {
        self.refunded_of(None)
    }

    /// The same of another captured attempt.
    pub fn refunded_of(&self, attempt: Option<&str>) -> i64 {
        let own =
            self.refunds.iter().filter(|refund| refund.is_live() && refund.attempt.as_deref() == attempt);
        own.map(|refund| refund.amount).sum()
    }

    /// The name of an attempt in its refunds and disputes: none for the charge.
    pub fn other_than_charge(&self, attempt: &str) -> Option<String> {
        let is_charge = self.charge().is_some_and(|charge| charge.id == attempt);
        (!is_charge).then(|| attempt.to_owned())
    }

    pub fn is_of(&self, account: &Account) -> bool {
        self.provider == account.provider && self.organisation == account.organisation
    }

    pub fn becomes(&mut self, status: Status, at: DateTime<Utc>) {
        self.status = status;
        self.since = at;
    }

    /// Moves the newest attempt in one of these states on, or begins another.
    pub fn attempt(&mut self, from: &[AttemptStatus], to: AttemptStatus, at: DateTime<Utc>) {
        let known = self.attempts.iter_mut().rev().find(|attempt| from.contains(&attempt.status));
        match known {
            Some(attempt) => attempt.status = to,
            None => {
                let id = format!("pay_{}", random(14));
                self.attempts.push(Attempt { id, status: to, fee: 0, created: at });
            }
        }
    }

    /// Returns what the buyer has paid of the amount: all of it, or less with an offer.
    pub fn paid(&self) -> i64 {
        self.captured + self.charge().map_or(0, |charge| charge.fee.min(0))
    }

    /// The attempt that paid; the first one, if an order was paid twice.
    pub fn charge(&self) -> Option<&Attempt> {
        self.attempts.iter().find(|attempt| attempt.status == AttemptStatus::Captured)
    }
}
