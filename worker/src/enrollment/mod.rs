//! Access to courses: who has an address, what a learner is granted, and making the course platform agree.

pub mod account_lookup;
pub mod looks;
pub mod moves;
pub mod platform_holdings;
pub mod registration;
pub mod sync;
