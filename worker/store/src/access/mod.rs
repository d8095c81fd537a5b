//! Enrollments and where they come from, registrations, batches, and the work of the sync with the platform.

pub mod batch_syncs;
pub mod batches;
pub mod bought_access;
pub mod enrollments;
mod first_grants;
pub mod history;
pub mod invitations;
pub mod members;
pub mod movable;
pub mod moves;
pub mod periods;
mod platform_grants;
pub mod platform_holdings;
pub mod readdress;
mod records;
pub mod registrations;
pub mod removals;
pub mod retry;
pub mod sync;
pub mod sync_queue;
pub mod upgrades;
