//! Operation of the programs: servers that fail, queues, events, start and stop, logs, metrics, documents and the schema.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failure here is a failed test, also in its helpers"
)]

mod batch_turns;
mod big_shop;
mod broker_users;
mod database_pool;
mod doctor;
mod documents;
mod event_deliveries;
mod events;
mod exports;
mod faults;
mod floods;
mod lanes;
mod layers;
mod leftovers;
mod listener;
mod metrics;
mod observability;
mod others_texts;
mod outages;
mod queue;
mod queue_bounds;
mod queue_callers;
mod request_logs;
mod restore;
mod retention;
mod rolling;
mod schema;
mod schema_picture;
mod secrets;
mod standby;
mod start_and_stop;
mod tls;
mod traces;
