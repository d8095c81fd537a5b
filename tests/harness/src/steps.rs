//! Steps that tests of several topics take: what users, operators and providers do, and what is then read.

pub mod batches;
pub mod console;
pub mod credentials;
pub mod demo;
pub mod events;
pub mod former_shop;
pub mod generation;
pub mod invoices;
pub mod learner_cart;
pub mod learner_checkout;
pub mod mail_services;
pub mod notifications;
pub mod orders;
pub mod organisation_keys;
pub mod payment_commands;
pub mod payments;
pub mod people;
pub mod refunds;
pub mod seats;
pub mod staff;
pub mod tax;
pub mod vouchers;
pub mod withdrawals;
pub mod worker_program;
