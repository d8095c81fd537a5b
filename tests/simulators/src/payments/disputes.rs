//! Disputes, which Mollie calls chargebacks: opened, won, lost, and lost in part.

use chrono::{DateTime, Utc};

use crate::{
    control::ControlResult,
    payments::{Payment, control::conflict, events::Happened},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The bank asks about a Stripe payment. It takes nothing, unless a dispute is opened after it.
    Inquiry,
    Opened,
    Won,
    Lost,
    /// The decision on a Stripe dispute is appealed against; the money stays where the decision has put it.
    Appealed,
}

#[derive(Clone, Debug)]
pub struct Dispute {
    pub id: String,
    /// The attempt that it is about, if that is not the one that settled the payment.
    pub attempt: Option<String>,
    /// The disputed amount.
    pub amount: i64,
    pub outcome: Outcome,
    /// Amount that is taken from the seller: all of `amount` while the provider holds it, and less if the dispute is lost in part.
    pub kept: i64,
    pub created: DateTime<Utc>,
    /// When the amount was taken.
    pub taken: Option<DateTime<Utc>>,
    pub ended: Option<DateTime<Utc>>,
}

impl Dispute {
    /// Returns whether it waits for the bank.
    pub fn is_open(&self) -> bool {
        matches!(self.outcome, Outcome::Inquiry | Outcome::Opened | Outcome::Appealed)
    }
}

impl Payment {
    /// Returns what disputes have taken.
    pub fn charged_back(&self) -> i64 {
        self.charged_back_of(None)
    }

    /// Returns what of it may come back, because the bank has not decided. Mollie's chargebacks are not decided on.
    pub fn held(&self) -> i64 {
        let waits = |dispute: &&Dispute| {
            dispute.attempt.is_none()
                && dispute.outcome == Outcome::Opened
                && self.provider.profile().decides_parts
        };
        self.disputes.iter().filter(waits).map(|dispute| dispute.kept).sum()
    }

    /// The same of another captured attempt.
    fn charged_back_of(&self, attempt: Option<&str>) -> i64 {
        let own = self.disputes.iter().filter(|dispute| dispute.attempt.as_deref() == attempt);
        own.map(|dispute| dispute.kept).sum()
    }

    /// Returns what is left of the charge, or of another captured attempt: neither refunded nor lost in a dispute.
    pub fn left(&self, attempt: Option<&str>) -> i64 {
        let captured = if attempt.is_none() { self.paid() } else { self.amount };
        captured - self.refunded_of(attempt) - self.charged_back_of(attempt)
    }

    /// Opens a dispute of the charge, or of another captured attempt, over the amount, or over all that is left; or closes the one
    /// that is open. A lost one takes the amount, or all of it.
    pub fn dispute(
        &mut self,
        attempt: Option<String>,
        outcome: Outcome,
        amount: Option<i64>,
        onset: bool,
        at: DateTime<Utc>,
    ) -> ControlResult<Happened> {
        if outcome == Outcome::Appealed {
            return self.appeal();
        }
        let profile = self.provider.profile();
        let is_open = |dispute: &Dispute| dispute.attempt == attempt && dispute.is_open();
        let is_inquiry = |dispute: &Dispute| is_open(dispute) && dispute.outcome == Outcome::Inquiry;
        let is_new = match outcome {
            Outcome::Inquiry if !profile.has_appeals => {
                return Err(conflict("the provider has no inquiries"));
            }
            Outcome::Inquiry => true,
            Outcome::Opened => !self.disputes.iter().any(is_inquiry),
            Outcome::Won | Outcome::Lost | Outcome::Appealed => !self.disputes.iter().any(is_open),
        };
        if is_new {
            self.open_dispute(attempt.clone(), amount, at)?;
        }
        let escalates = outcome == Outcome::Opened && !is_new;
        let is_meant = |dispute: &Dispute| if escalates { is_inquiry(dispute) } else { is_open(dispute) };
        let dispute = self.disputes.iter_mut().rev().find(|dispute| is_meant(dispute));
        let dispute = dispute.ok_or_else(|| conflict("no dispute is open"))?;
        dispute.outcome = outcome;
        dispute.ended = matches!(outcome, Outcome::Won | Outcome::Lost).then_some(at);
        let takes = match outcome {
            Outcome::Opened => profile.takes_disputed_money || onset,
            Outcome::Lost => true,
            Outcome::Won => is_new && profile.takes_disputed_money,
            Outcome::Inquiry | Outcome::Appealed => false,
        };
        if takes {
            dispute.taken = dispute.taken.or(Some(at));
        }
        dispute.kept = match outcome {
            Outcome::Inquiry | Outcome::Won => 0,
            Outcome::Lost if profile.decides_parts => {
                amount.unwrap_or(dispute.amount).clamp(0, dispute.amount)
            }
            _ if dispute.taken.is_some() => dispute.amount,
            _ => 0,
        };
        Ok(Happened::Disputed { id: dispute.id.clone(), is_new })
    }

    fn open_dispute(
        &mut self,
        attempt: Option<String>,
        amount: Option<i64>,
        at: DateTime<Utc>,
    ) -> ControlResult<()> {
        let profile = self.provider.profile();
        let left = self.left(attempt.as_deref());
        let amount = amount.unwrap_or(left);
        if !(1..=left).contains(&amount) {
            return Err(conflict("the dispute exceeds the amount left"));
        }
        self.disputes.push(Dispute {
            id: (profile.dispute_id)(),
            attempt,
            amount,
            outcome: Outcome::Opened,
            kept: 0,
            created: at,
            taken: None,
            ended: None,
        });
        Ok(())
    }

    fn appeal(&mut self) -> ControlResult<Happened> {
        let has_appeals = self.provider.profile().has_appeals;
        let decided = self.disputes.iter_mut().rev().find(|dispute| has_appeals && dispute.ended.is_some());
        let dispute = decided.ok_or_else(|| conflict("no decision can be appealed against"))?;
        dispute.outcome = Outcome::Appealed;
        Ok(Happened::Disputed { id: dispute.id.clone(), is_new: false })
    }

    pub fn dispute_with(&self, id: &str) -> Option<&Dispute> {
        self.disputes.iter().find(|dispute| dispute.id == id)
    }
}
