//! Money after the checkout: notifications of providers, settlement, refunds, taxes, invoices and the ledger.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failure here is a failed test, also in its helpers"
)]

mod books;
mod chained_documents;
mod charges;
mod cleared_documents;
mod closed_months;
mod days;
mod dead_letters;
mod desk_invoices;
mod disputes;
mod document_desk;
mod document_languages;
mod e_invoices;
mod ended_alerts;
mod ended_links;
mod external_documents;
mod external_machine;
mod external_payments;
mod invoice_corrections;
mod invoices;
mod issuers;
mod labels;
mod ledger;
mod legal_lines;
mod machine_market;
mod machine_script;
mod months;
mod move_in;
mod move_in_codes;
mod move_in_csv;
mod move_in_faults;
mod move_in_load;
mod move_in_orders;
mod move_in_refunds;
mod notification_proofs;
mod notifications;
mod odd_payments;
mod on_account;
mod order_oracle;
mod owed;
mod payment_commands;
mod payment_machine;
mod payment_oracle;
mod payment_show;
mod payouts;
mod place_oracle;
mod polls;
mod quoted_currencies;
mod refund_access;
mod refund_faults;
mod refunds;
mod reports;
mod reverse_charge;
mod seat_money;
mod settlement;
mod slow_payments;
mod tax;
mod tax_days;
mod tax_report;
mod transfer_codes;
mod transfer_desk;
mod vat_conversion;
mod void_documents;
mod withdrawal_abuse;
mod withdrawal_decisions;
mod withdrawal_page;
mod withdrawals;
mod xlsx;
mod year;
