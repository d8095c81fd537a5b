//! Disputes, which Mollie calls chargebacks: opened, won, lost, and lost in part.

use chrono::{DateTime, Utc};

use crate::{
    control::ControlResult,
    payments::{Payment, control::conflict, events::Happened},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
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
    /// Amount that the buyer's bank keeps in the end; less than `amount` if the dispute is lost in part.
    pub kept: i64,
    pub created: DateTime<Utc>,
    pub ended: Option<DateTime<Utc>>,
}

impl Payment {
    /// Returns what disputes have taken back for good. Mollie's chargebacks take the money at once, until they are reversed.
    pub fn charged_back(&self) -> i64 {
        self.charged_back_of(None)
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
        at: DateTime<Utc>,
    ) -> ControlResult<Happened> {
        if outcome == Outcome::Appealed {
            return self.appeal();
        }
        let is_open = |dispute: &Dispute| {
            dispute.attempt == attempt && matches!(dispute.outcome, Outcome::Opened | Outcome::Appealed)
        };
        let is_new = outcome == Outcome::Opened || !self.disputes.iter().any(is_open);
        if is_new {
            self.open_dispute(attempt.clone(), amount, at)?;
        }
        let takes_at_once = self.provider.profile().takes_disputed_money;
        let dispute = self.disputes.iter_mut().rev().find(|dispute| is_open(dispute));
        let dispute = dispute.ok_or_else(|| conflict("no dispute is open"))?;
        dispute.outcome = outcome;
        dispute.ended = (outcome != Outcome::Opened).then_some(at);
        dispute.kept = match outcome {
            Outcome::Opened | Outcome::Appealed => dispute.kept,
            Outcome::Won => 0,
            Outcome::Lost if takes_at_once => dispute.amount,
            Outcome::Lost => amount.unwrap_or(dispute.amount).clamp(0, dispute.amount),
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
            kept: if profile.takes_disputed_money { amount } else { 0 },
            created: at,
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
