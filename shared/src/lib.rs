//! The definitions that the api and the worker share: messages and the queue, money and prices, identifiers, settings.
//! Contains no HTTP, and no SQL but the questions about the database's state.

#![deny(missing_docs)]

pub mod about;
pub mod access_period;
pub mod bank_account;
pub mod breaker;
pub mod causes;
pub mod clock;
pub mod command_line;
pub mod course_mode;
pub mod creditor_reference;
pub mod dated_price;
pub mod db;
pub mod doctor;
pub mod e_invoice;
pub mod email;
pub mod event;
pub mod gateway;
pub mod gst;
pub mod ids;
pub mod invoice_number;
pub mod keys;
pub mod link;
pub mod mail_service;
#[expect(
    missing_docs,
    reason = "a message is documented as a whole; its fields say what they are by name and type"
)]
pub mod messages;
pub mod metrics;
pub mod money;
pub mod operator;
pub mod organisation_key;
pub mod pricing;
pub mod profile;
pub mod publish_error;
pub mod qr;
#[expect(missing_docs, reason = "some fields and variants say what they are by name and type")]
pub mod queue;
pub mod redaction;
pub mod redis;
pub mod refund_window;
pub mod region;
pub mod schema;
pub mod seal;
pub mod secrets;
pub mod service_code;
pub mod settings;
pub mod signature;
pub mod sku;
pub mod smtp_reply;
pub mod staff;
pub mod subdivision;
pub mod tax_id;
pub mod telemetry;
pub mod territory;
pub mod tls;
pub mod trace_parent;
pub mod traces;
pub mod transfer_code;
pub mod typed;
pub mod voucher;
pub mod withdrawal;
#[expect(missing_docs, reason = "words say what they are by name and set")]
pub mod words;
