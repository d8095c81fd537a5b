//! JSON of what buyers transfer to organisations that take payments themselves.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use shared::money::Amount;
use utoipa::ToSchema;

use crate::queries::carts::AwaitedTransfer;
use crate::queries::orders::OrderTransfer;

/// A transfer to the organisation's bank account.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OrderTransfer)]
pub struct OrderTransferBody {
    /// The creditor reference of ISO 11649.
    #[schema(example = "RF18539007547034")]
    payment_reference: String,
    /// The organisation's account, such as its holder, IBAN and BIC: a line each.
    bank_lines: Vec<String>,
    due_on: NaiveDate,
    /// True for an order on account: its invoice was issued before the payment.
    on_account: bool,
    /// True for one on account whose invoice was not paid when it was due.
    overdue: bool,
    /// Amount that is still to be paid.
    #[schema(value_type = f64, minimum = 0, example = 49.99)]
    open_amount: Amount,
    /// What has arrived, in the order of the reports.
    payments: Vec<OrderPaymentBody>,
}

/// Money that has arrived at the organisation.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OrderPayment)]
pub struct OrderPaymentBody {
    #[schema(value_type = f64, exclusive_minimum = 0, example = 49.99)]
    amount: Amount,
    received_at: DateTime<Utc>,
    /// How the bank knows it.
    reference: String,
    /// When it was paid back without a refund, and counts no more. Left out if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    returned_at: Option<DateTime<Utc>>,
}

/// Money that the buyer is yet to transfer.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AwaitedTransfer)]
pub struct AwaitedTransferBody {
    /// The creditor reference of ISO 11649 that the buyer gives with the transfer.
    #[schema(example = "RF18539007547034")]
    payment_reference: String,
    /// The organisation's account, such as its holder, IBAN and BIC: a line each.
    bank_lines: Vec<String>,
    /// Day until which the money is expected.
    due_on: NaiveDate,
    #[schema(value_type = f64, exclusive_minimum = 0, example = 49.99)]
    open_amount: Amount,
}

impl From<AwaitedTransfer> for AwaitedTransferBody {
    fn from(awaited: AwaitedTransfer) -> Self {
        Self {
            payment_reference: awaited.reference,
            bank_lines: awaited.bank_lines,
            due_on: awaited.due_on,
            open_amount: Amount(awaited.open),
        }
    }
}

impl From<OrderTransfer> for OrderTransferBody {
    fn from(transfer: OrderTransfer) -> Self {
        let payments = transfer.payments.into_iter().map(|payment| OrderPaymentBody {
            amount: Amount(payment.amount),
            received_at: payment.received_at,
            reference: payment.reference,
            returned_at: payment.returned_at,
        });
        Self {
            payment_reference: transfer.reference,
            bank_lines: transfer.bank_lines,
            due_on: transfer.due_on,
            on_account: transfer.on_account,
            overdue: transfer.overdue_at.is_some() && transfer.open.minor() > 0,
            open_amount: Amount(transfer.open),
            payments: payments.collect(),
        }
    }
}
