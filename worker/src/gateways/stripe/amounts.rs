//! Amounts that Stripe can charge.
//!
//! Why: `docs/decisions/stripe-ugx.md`

use crate::gateways::Amounts;

/// The largest charge in any currency, by a card: an amount has up to twelve digits. Other means take eight, except for twelve in
/// IDR, ten in COP and nine in INR; Stripe offers the buyer only means that take the amount.
const MOST: i64 = 999_999_999_999;

/// Special decimal places and minimum charges from Stripe's currency page. UGX is missing on purpose: the page says
/// both that it has no decimals and that amounts have two, and a wrong guess charges a hundred times too much or too
/// little.
pub const AMOUNTS: Amounts = Amounts {
    currencies: Some(&[
        "AED", "ALL", "AMD", "ARS", "AUD", "BAM", "BBD", "BDT", "BGN", "BHD", "BIF", "BND", "BOB", "BRL",
        "BSD", "BWP", "CAD", "CHF", "CLP", "CNY", "COP", "CRC", "CZK", "DJF", "DKK", "DOP", "EGP", "ETB",
        "EUR", "FJD", "GBP", "GEL", "GHS", "GMD", "GNF", "GTQ", "HKD", "HNL", "HUF", "IDR", "ILS", "INR",
        "ISK", "JMD", "JOD", "JPY", "KES", "KHR", "KMF", "KRW", "KWD", "KZT", "LBP", "LKR", "MAD", "MDL",
        "MGA", "MKD", "MMK", "MNT", "MOP", "MUR", "MVR", "MWK", "MXN", "MYR", "MZN", "NAD", "NGN", "NIO",
        "NOK", "NPR", "NZD", "OMR", "PAB", "PEN", "PGK", "PHP", "PKR", "PLN", "PYG", "QAR", "RON", "RSD",
        "RWF", "SAR", "SEK", "SGD", "THB", "TND", "TRY", "TTD", "TWD", "TZS", "UAH", "USD", "UYU", "UZS",
        "VND", "VUV", "XAF", "XCD", "XOF", "XPF", "ZAR", "ZMW",
    ]),
    digits: &[
        ("BIF", 0),
        ("CLP", 0),
        ("DJF", 0),
        ("GNF", 0),
        ("JPY", 0),
        ("KMF", 0),
        ("KRW", 0),
        ("MGA", 0),
        ("PYG", 0),
        ("RWF", 0),
        ("VND", 0),
        ("VUV", 0),
        ("XAF", 0),
        ("XOF", 0),
        ("XPF", 0),
        ("ISK", 2),
    ],
    least: &[
        ("AED", 200),
        ("AUD", 50),
        ("BGN", 100),
        ("BRL", 50),
        ("CAD", 50),
        ("CHF", 50),
        ("CZK", 1500),
        ("DKK", 250),
        ("EUR", 50),
        ("GBP", 30),
        ("HKD", 400),
        ("HUF", 17_500),
        ("INR", 50),
        ("JPY", 50),
        ("MXN", 1000),
        ("MYR", 200),
        ("NOK", 300),
        ("NZD", 50),
        ("PLN", 200),
        ("RON", 200),
        ("SEK", 300),
        ("SGD", 50),
        ("THB", 1000),
        ("USD", 50),
    ],
    most: MOST,
    in_tens: true,
};
