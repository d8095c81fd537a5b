//! Payments and their notifications, refunds, disputes, the ledger and its closed months, invoices and credit notes, exchange rates of VAT.

pub mod attention;
pub mod books;
pub mod checks;
pub mod creation;
pub mod disputes;
pub mod document_chain;
pub mod document_reports;
pub mod documents;
pub mod documents_due;
pub mod gateways;
pub mod inbox;
pub mod ledger;
pub mod on_account;
pub mod over;
pub mod payouts;
pub mod received;
pub mod refunds;
pub mod sold;
pub mod timeline;
pub mod transactions;
pub mod vat_exchange_rates;
pub mod withdrawals;
