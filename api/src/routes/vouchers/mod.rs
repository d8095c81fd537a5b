//! Routes for the vouchers of an organisation, for backends with a key of the scope `vouchers`.

pub mod change;
pub mod create;
pub mod list;
