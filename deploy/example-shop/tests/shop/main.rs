//! Tests of the shop over HTTP. The API is a stand-in that notes what it is asked; `tests/pages` walks the shop in a browser, with
//! the real one.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failure here is a failed test, also in its helpers"
)]

mod buyers;
mod stand_in;
mod strangers;
