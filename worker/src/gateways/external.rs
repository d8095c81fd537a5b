//! Payments without a provider: the organisation takes the money, for example as bank transfers, and reports what has arrived.
//! Makes no calls: the request and the reports have all that a provider would know.

use async_trait::async_trait;
use chrono::{Days, NaiveDate};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::creditor_reference;
use shared::ids::TransactionId;
use shared::messages::PaymentStart;
use store::model::seller::BankTransfer;
use store::money::transactions::Transaction;

use super::{
    Amounts, Closure, Created, GatewayError, NewPayment, PaymentGateway, PaymentSnapshot, Profile,
    RefundFacts, RefundRequest, RefundStatus, Status, unreadable,
};

pub const PROFILE: Profile = Profile {
    amounts: Amounts { currencies: None, digits: &[], least: &[], most: i64::MAX, in_tens: false },
    has_public_key: false,
    needs_whole_address: false,
    can_cancel: true,
    provider: None,
};

/// Time after the due date in which a payment is still waited for. Between banks of two countries a transfer takes days.
pub const GRACE_DAYS: u8 = 7;

/// The organisation as its own gateway.
pub struct External {
    /// Account for new payments; None if only payments that exist are read.
    pub account: Option<BankTransfer>,
    /// The day at the organisation.
    pub today: NaiveDate,
    /// A payment that exists, and the money that was reported for it, in minor units.
    pub payment: Option<(Asked, i64)>,
}

/// A payment as it was asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Asked {
    transaction_id: TransactionId,
    /// In minor units.
    subunits: i64,
    currency: String,
    reference: String,
    bank_lines: Vec<String>,
    due_on: NaiveDate,
}

impl From<&Transaction> for Asked {
    /// The payment as its columns have it: the request is erased after a time.
    fn from(transaction: &Transaction) -> Self {
        Self {
            transaction_id: transaction.id,
            subunits: transaction.total.minor(),
            currency: transaction.total.currency().code().to_owned(),
            reference: transaction
                .reference
                .clone()
                .unwrap_or_else(|| creditor_reference::of(transaction.id)),
            bank_lines: Vec::new(),
            // An invoice is waited for until a person decides.
            due_on: transaction.due_on.filter(|_| transaction.on_account.is_none()).unwrap_or(NaiveDate::MAX),
        }
    }
}

impl Asked {
    /// Returns the state of the payment once this much has arrived, in minor units.
    pub fn snapshot(&self, received: i64, today: NaiveDate) -> PaymentSnapshot {
        let is_over =
            || self.due_on.checked_add_days(Days::new(GRACE_DAYS.into())).is_some_and(|last| today > last);
        let status = match received {
            received if received >= self.subunits => Status::Paid,
            // A part has arrived: the rest may follow, or a person decides.
            1.. => Status::Pending,
            _ if is_over() => Status::Closed(Closure::Expired),
            // A transfer that is under way cannot be stopped.
            _ => Status::Pending,
        };
        PaymentSnapshot {
            reference: self.reference.clone(),
            transaction_id: Some(self.transaction_id),
            status,
            subunits: self.subunits,
            paid_less: None,
            currency: self.currency.clone(),
            after_sale: None,
        }
    }
}

#[async_trait]
impl PaymentGateway for External {
    fn request(&self, payment: &NewPayment<'_>) -> Value {
        let (lines, days) = self
            .account
            .as_ref()
            .map_or((Vec::new(), 0), |account| (account.lines.clone(), account.due_days));
        let due_on = self.today.checked_add_days(Days::new(days.into())).unwrap_or(self.today);
        json!(Asked {
            transaction_id: payment.transaction_id,
            subunits: payment.subunits,
            currency: payment.currency.to_owned(),
            reference: creditor_reference::of(payment.transaction_id),
            bank_lines: lines,
            due_on,
        })
    }

    async fn create(
        &self,
        _id: TransactionId,
        request: &Value,
        _first: bool,
    ) -> Result<Created, GatewayError> {
        let asked: Asked = serde_json::from_value(request.clone()).map_err(|_| unreadable("request"))?;
        let snapshot = asked.snapshot(0, self.today);
        let Asked { reference, bank_lines, due_on, .. } = asked;
        let start = PaymentStart::Transfer { payment_reference: reference, bank_lines, due_on };
        Ok(Created { snapshot, start, customer: None })
    }

    async fn read(&self, _reference: &str) -> Result<PaymentSnapshot, GatewayError> {
        let (asked, received) = self.payment.as_ref().ok_or_else(|| unreadable("payment"))?;
        Ok(asked.snapshot(*received, self.today))
    }

    async fn cancel(&self, reference: &str) -> Result<PaymentSnapshot, GatewayError> {
        self.read(reference).await
    }

    async fn refund(&self, refund: &RefundRequest<'_>) -> Result<RefundFacts, GatewayError> {
        Ok(RefundFacts {
            reference: refund.id.to_string(),
            refund_id: Some(refund.id),
            subunits: refund.subunits,
            status: RefundStatus::Accepted,
        })
    }
}
