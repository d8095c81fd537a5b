//! JSON bodies and HTML pages of answers, one file per resource. No SQL here.

pub mod banners;
pub mod batches;
pub mod buy;
pub mod carts;
pub mod checkouts;
pub mod children;
pub mod courses;
pub mod csv;
pub mod desk;
pub mod documents;
pub mod envelope;
pub mod events;
pub mod months;
pub mod moves;
pub mod offers;
pub mod order_history;
pub mod order_rows;
pub mod orders;
pub mod organisations;
pub mod outlines;
pub mod pages;
pub mod price;
pub mod programs;
pub mod refunds;
pub mod report;
pub mod reviews;
pub mod seats;
pub mod standing;
pub mod tags;
#[cfg(test)]
mod tests;
pub mod transfers;
pub mod vouchers;
pub mod waiting_list;
pub mod withdraw;
pub mod withdrawals;
pub mod xlsx;
