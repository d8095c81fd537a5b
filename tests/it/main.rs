//! Tests of what users see, through HTTP and the queue, against real servers. One binary, one module for each part.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failure here is a failed test, also in its helpers"
)]

mod addresses;
mod applications;
mod bad_input;
mod batches;
mod billing_addresses;
mod bought_twice;
mod broker_users;
mod callers;
mod catalog;
mod catalog_import;
mod catalog_replica;
mod catalog_sync;
mod charges;
mod checkout;
mod countries;
mod credentials;
mod disputes;
mod doctor;
mod documents;
mod enrollment;
mod event_deliveries;
mod events;
mod failed_authentication;
mod faults;
mod floods;
mod identity;
mod invitations;
mod invoice_corrections;
mod invoices;
mod jwt_keys;
mod lanes;
mod learner_cart;
mod learner_checkout;
mod learner_payments;
mod ledger;
mod list_turns;
mod listener;
mod machine_market;
mod members;
mod metrics;
mod notification_proofs;
mod notifications;
mod observability;
mod odd_payments;
mod odd_requests;
mod openapi;
mod operators;
mod order_oracle;
mod order_pages;
mod orders;
mod organisation_keys;
mod others_texts;
mod outages;
mod paid_outages;
mod payment_commands;
mod payment_machine;
mod payment_oracle;
mod payment_show;
mod payments;
mod peer_limits;
mod people;
mod plans;
mod platform;
mod platform_answers;
mod platform_calls;
mod polls;
mod prices;
mod programs;
mod provider_requests;
mod provider_trouble;
mod queue;
mod queue_bounds;
mod queue_callers;
mod quoted_currencies;
mod refund_access;
mod refund_faults;
mod refunds;
mod refusals;
mod registration;
mod reopened_carts;
mod repeated_grants;
mod replaced_attempts;
mod reports;
mod request_logs;
mod retention;
mod roles;
mod rolling;
mod schema;
mod schema_picture;
mod search;
mod seat_codes;
mod seat_money;
mod seat_pools;
mod seat_races;
mod seats;
mod secrets;
mod sessions;
mod settlement;
mod shared_identities;
mod slow_payments;
mod start_and_stop;
mod tax;
mod tenancy;
mod tls;
mod traces;
mod unread_answers;
mod upgrades;
mod verdict;
mod visitors;
mod voucher_holds;
mod voucher_uses;
mod vouchers;
mod worker_program;

/// A course of the demo catalog that is open to all learners and free in its modes audit and verified.
const FREE_COURSE: &str = "28b0b164-7eb3-4aba-aac1-d7498b344ed4";
const FREE_KEY: &str = "course-v1:Northwind+DS101+2026";
/// A course that costs money in every mode: verified 199, professional 349.
const PAID_COURSE: &str = "ad035fc9-afd5-49f2-85d8-8ac83dd05a77";
const PAID_KEY: &str = "course-v1:Northwind+DS210+2026";
const UNPUBLISHED_COURSE: &str = "fa4dfc0d-b45d-4157-8f87-a874af4c5bbf";
const INVITE_ONLY_COURSE: &str = "6da493ae-99bb-4f2a-bff5-204c3f96ab6c";
const UNKNOWN_ID: &str = "00000000-0000-4000-8000-000000000000";

/// Reads the organisation's id from the api.
async fn organisation(world: &harness::World, short_name: &str) -> String {
    let reply =
        world.get(&format!("/storeapi/discovery/organisations/?fields=basic&search={short_name}")).await;
    reply.json["organisations"][0]["id"].as_str().expect("an organisation").to_owned()
}
