//! Selling: prices a basket, charges its buyer through a payment provider, and delivers what was paid for. The jobs of
//! `jobs/` call it; it calls `enrollment`, `gateways` and `store`.

pub mod attempts;
pub mod basket;
pub mod disputes;
pub mod events;
pub mod fulfilment;
pub mod offer;
pub mod payment_request;
pub mod provider_calls;
pub mod quote;
pub mod refund_call;
pub mod refund_plan;
pub mod refund_request;
pub mod refunds;
pub mod restoring;
pub mod seats;
pub mod settlement;
pub mod voucher_holds;
