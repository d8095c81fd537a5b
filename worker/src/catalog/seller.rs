//! The checks of a seller in a catalog file.

use store::model::seller::{Issuer, Seller};

use super::check::{check_country, check_currency, check_note, check_service_code, check_tax_id};
use crate::pdf::codes;

pub(super) fn check_seller(seller: &Seller) -> Result<(), String> {
    let texts = [
        ("legal_name", &seller.legal_name),
        ("line1", &seller.line1),
        ("city", &seller.city),
        ("postal_code", &seller.postal_code),
    ];
    if let Some((field, _)) = texts.iter().find(|(_, text)| text.trim().is_empty()) {
        return Err(format!("{field} is empty"));
    }
    check_country(seller.country)?;
    seller.tax_ids.iter().try_for_each(|id| check_tax_id(&id.value))?;
    seller.vat_currency.map_or(Ok(()), check_currency).map_err(|error| format!("vat_currency: {error}"))?;
    check_service_code(seller.service_code.as_ref())?;
    check_contact(seller)?;
    check_note("footer", seller.footer.as_deref())?;
    check_prefixes(seller)?;
    check_issue(seller)?;
    if !(1..=12).contains(&seller.fiscal_year_starts) {
        return Err(format!("fiscal_year_starts {} is not a month from 1 to 12", seller.fiscal_year_starts));
    }
    // Whether there is such a zone, only the database knows.
    match is_zone_name(&seller.time_zone) {
        true => Ok(()),
        false => Err(format!("time_zone {:?} is not a name like Europe/Berlin", seller.time_zone)),
    }
}

/// Checks what only documents have that the storefront issues.
fn check_issue(seller: &Seller) -> Result<(), String> {
    let is_external = seller.documents == Issuer::External;
    if is_external && (seller.chained || seller.qr_url.is_some()) {
        return Err(
            "chained and qr_url are of documents that the storefront issues, not of external ones".into()
        );
    }
    let check =
        |url: &String| codes::check_url(url, seller.chained).map_err(|error| format!("qr_url {error}"));
    seller.qr_url.as_ref().map_or(Ok(()), check)
}

fn check_prefixes(seller: &Seller) -> Result<(), String> {
    for (field, prefix) in
        [("invoice_prefix", &seller.invoice_prefix), ("credit_note_prefix", &seller.credit_note_prefix)]
    {
        // India, CGST Rules 2017, rule 46(b): a number has at most 16 letters, digits, dashes and slashes.
        let fits = (1..=6).contains(&prefix.len())
            && prefix.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || "/-".contains(c));
        if !fits {
            return Err(format!("{field} {prefix:?} is not 1 to 6 of A-Z, 0-9, / and -"));
        }
    }
    if seller.invoice_prefix == seller.credit_note_prefix {
        return Err("invoice_prefix and credit_note_prefix are the same".into());
    }
    Ok(())
}

/// The longest name and the longest number of a contact.
const LONGEST_CONTACT: usize = 100;
const LONGEST_PHONE: usize = 40;

fn check_contact(seller: &Seller) -> Result<(), String> {
    let is_line = |text: &String, longest: usize| {
        (1..=longest).contains(&text.trim().chars().count()) && !text.contains(char::is_control)
    };
    if seller.contact_name.as_ref().is_some_and(|name| !is_line(name, LONGEST_CONTACT)) {
        return Err(format!("contact_name is not 1 to {LONGEST_CONTACT} visible characters"));
    }
    // XRechnung 3.0, BR-DE-27: a number has three digits.
    let digits = |phone: &String| phone.chars().filter(char::is_ascii_digit).count();
    match seller.phone.as_ref().is_some_and(|phone| !is_line(phone, LONGEST_PHONE) || digits(phone) < 3) {
        true => Err(format!("phone is not a number of at most {LONGEST_PHONE} characters with three digits")),
        false => Ok(()),
    }
}

/// Returns whether a text has the form of a zone's name. PostgreSQL also takes abbreviations, which have no summer time, and rules
/// in the notation of POSIX.
fn is_zone_name(name: &str) -> bool {
    let is_part = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_uppercase())
            && part.chars().all(|letter| letter.is_ascii_alphanumeric() || "_+-".contains(letter))
    };
    name == "UTC" || name.contains('/') && name.split('/').all(is_part)
}
