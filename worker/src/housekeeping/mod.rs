//! Work that no message starts: finding what messages and timers missed, and forgetting people after their time.

pub mod reconcile;
pub mod retention;
pub mod retirement;
pub mod rounds;
