//! The providers' objects, as their answers and webhooks contain them. Pure: payments in, JSON out.

pub mod mollie;
pub mod razorpay;
pub mod stripe;
