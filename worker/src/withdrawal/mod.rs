//! Withdrawals: what a declaration concerns, what becomes of it by itself, and the refund of one that is accepted.

pub mod declaration;
pub mod judgement;
pub mod refund;
pub mod refusal;
