//! Money that goes back: refunds and disputes. What the providers share is in `refunds` and `disputes`; each provider's
//! own paths are in its file.

pub mod disputes;
pub mod mollie;
pub mod razorpay;
pub mod refunds;
pub mod stripe;
