//! Carts, checkouts and orders, with their vouchers and seats, up to the payment.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a failure here is a failed test, also in its helpers"
)]

mod billing_addresses;
mod bought_twice;
mod buy_pages;
mod calendars;
mod cart_rows;
mod checkout;
mod compared_pages;
mod consents;
mod gifts;
mod languages;
mod learner_cart;
mod learner_checkout;
mod learner_payments;
mod order_pages;
mod orders;
mod paid_outages;
mod payments;
mod place_counts;
mod places;
mod platform_holdings;
mod provider_requests;
mod provider_trouble;
mod reopened_carts;
mod replaced_attempts;
mod sale_cost;
mod seat_codes;
mod seat_pools;
mod seat_races;
mod seats;
mod upgrades;
mod voucher_holds;
mod voucher_uses;
mod vouchers;
mod waiting_list;
