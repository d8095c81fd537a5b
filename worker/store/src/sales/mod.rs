//! Offers and sales: offers, carts with their lines, vouchers and pools of seats.

pub mod attempts;
pub mod cart_items;
pub mod cart_rows;
pub mod carts;
pub mod fulfilments;
pub mod gifts;
pub mod holdings;
pub mod links;
pub mod offers;
pub mod places;
pub mod seats;
pub mod voucher_uses;
pub mod vouchers;
pub mod waiting_list;
