//! Callers and what they may do, and learners and their enrollments on the course platform.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failure here is a failed test, also in its helpers"
)]

mod access_ends;
mod addresses;
mod applications;
mod batches;
mod callers;
mod console;
mod console_language;
mod console_managers;
mod console_moves;
mod console_pages;
mod corrected_addresses;
mod credentials;
mod desk_search;
mod enrollment;
mod failed_authentication;
mod identity;
mod invitations;
mod jwt_keys;
mod mail_reports;
mod managers_catalog;
mod managers_endpoints;
mod members;
mod move_vouchers;
mod moves;
mod operators;
mod organisation_keys;
mod peer_limits;
mod people;
mod people_withdrawals;
mod platform;
mod platform_accounts;
mod platform_answers;
mod platform_calls;
mod platform_versions;
mod registration;
mod repeated_grants;
mod roles;
mod sessions;
mod shared_identities;
mod staff;
mod staff_changes;
mod staff_routes;
mod support_desk;
mod tenancy;
mod verdict;
