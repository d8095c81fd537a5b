//! Paying: the request to the provider, a buyer's attempts, and what the provider reports. `settlement` is the only way from a
//! report to the state of a transaction and its cart.

pub mod attempts;
pub mod checkout;
pub mod disputes;
pub mod notifications;
pub mod on_account;
pub mod request;
pub mod settlement;
