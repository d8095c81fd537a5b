//! Invoices and credit notes as PDF: `print` decides how the content reads, `typesetter` its place on the page, and `render`
//! writes the file, into which [`factur_x`] puts the e-invoice.
//!
//! Why: `docs/decisions/pdf-library.md`

pub mod codes;
mod factur_x;
mod fonts;
pub mod print;
pub mod render;
pub mod typesetter;

pub use fonts::Fonts;
