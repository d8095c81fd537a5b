//! Commands, the outbox, locks, leases, mails that wait and what became of them, the audit log, keys of organisations, the planner's statistics.

pub mod audit;
pub mod backlog;
pub mod commands;
pub mod dead_letters;
pub mod leases;
pub mod locks;
pub mod mail_fates;
pub mod mails;
pub mod organisation_keys;
pub mod outbox;
pub mod statistics;
