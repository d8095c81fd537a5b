//! Rules of money as pure types and functions: without SQL, HTTP or a clock. Callers load what they decide on.

pub mod allocate;
pub mod chain;
pub mod decimal;
pub mod document;
pub mod line;
pub mod offer;
pub mod payout;
pub mod seller;
pub mod tax;
pub mod vat;
pub mod vat_conversion;
pub mod voucher;
