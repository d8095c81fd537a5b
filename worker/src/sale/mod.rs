//! Selling: prices a basket for its buyer, and delivers what was paid for. The jobs of `jobs/` call it.

pub mod basket;
pub mod buyer;
pub mod buyer_mails;
pub mod consent;
pub mod free_carts;
pub mod fulfilment;
pub mod gifts;
pub mod offer;
pub mod places;
pub mod pools;
pub mod quote;
pub mod seats;
pub mod voucher_use;
