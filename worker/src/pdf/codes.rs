//! The QR codes of a document, and the URL in that of the seller.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use shared::money::Money;
use shared::qr::Qr;
use shared::transfer_code;
use store::model::document::Content;
use texts::Localizer;
use url::Url;

/// The code that an authority asks for, that of the seller, and that of the transfer which pays the document, with what the reader does
/// with each. `digest`: of a document in a chain.
pub(super) fn codes(content: &Content, digest: Option<&str>, texts: &Localizer<'_>) -> Vec<(Qr, String)> {
    let coded = |payload: &str, caption: &str| Some((Qr::of_any(payload)?, texts.message(caption, &[])));
    let clearance = content.clearance.as_ref().and_then(|clearance| clearance.qr.as_deref());
    let cleared = clearance.and_then(|payload| coded(payload, "document-cleared-code"));
    let url = content.seller.qr_url.as_deref().and_then(|template| url(template, content, digest));
    let of_seller = url.and_then(|url| coded(&url, "document-check-code"));
    let transfer = content.payment.as_ref().and_then(|payment| {
        let open = Money::from_major(content.total, content.currency).ok()?;
        let code = transfer_code::of(&payment.bank_lines, open, &payment.reference)?;
        Some((code, texts.message("transfer-code", &[])))
    });
    cleared.into_iter().chain(of_seller).chain(transfer).collect()
}

/// Most characters of the URL in a seller's code, before it is filled in.
const LONGEST: usize = 500;

/// Checks the URL in a seller's code, in which names in braces stand for what differs from document to document.
///
/// # Errors
/// What is wrong with it, after the name of its field.
pub fn check_url(template: &str, is_chained: bool) -> Result<(), String> {
    if template.len() > LONGEST || !template.chars().all(|letter| letter.is_ascii_graphic()) {
        return Err(format!("is not 1 to {LONGEST} visible ASCII characters"));
    }
    // A value is never a part of the host: a number can have a slash.
    let filled = fill(template, |name| match name {
        "number" | "date" | "total" => Ok("%2F".to_owned()),
        "digest" if is_chained => Ok("%2F".to_owned()),
        "digest" => Err("has {digest}, which only documents of a chained seller have".to_owned()),
        _ => Err(format!("has {{{name}}}, which is none of {{number}}, {{date}}, {{total}} and {{digest}}")),
    })?;
    let is_web = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
    match Url::parse(&filled).is_ok_and(|url| is_web(&url)) {
        true => Ok(()),
        false => Err("is not an http or https URL".to_owned()),
    }
}

/// What RFC 3986 leaves as it is.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The URL in the code of a document. None for one that lacks what the template names.
fn url(template: &str, content: &Content, digest: Option<&str>) -> Option<String> {
    let total = || {
        let mut total = content.total;
        total.rescale(content.currency.digits());
        total.to_string()
    };
    let value = |name: &str| match name {
        "number" => content.number.clone(),
        "date" => Some(content.issued_on.to_string()),
        "total" => Some(total()),
        _ => digest.map(str::to_owned),
    };
    fill(template, |name| Ok(utf8_percent_encode(&value(name).ok_or("")?, ENCODED).to_string())).ok()
}

/// Replaces the names in braces.
fn fill(template: &str, value: impl Fn(&str) -> Result<String, String>) -> Result<String, String> {
    let mut parts = template.split('{');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once('}').ok_or("has a { without a }")?;
        filled.push_str(&value(name)?);
        filled.push_str(rest);
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_url_is_named_by_what_is_wrong() {
        for (template, is_chained, fault) in [
            ("https://shop.example/check", false, None),
            ("https://shop.example/{number}/{date}?t={total}&d={digest}#{number}", true, None),
            ("https://shop.example/?d={digest}", false, Some("only documents of a chained seller")),
            ("https://shop.example/?n={numbr}", true, Some("has {numbr}, which is none of {number}")),
            ("https://shop.example/?n={}", true, Some("has {}, which is none of")),
            ("https://shop.example/?n={number", true, Some("has a { without a }")),
            ("https://{number}.example/", true, Some("is not an http or https URL")),
            ("https://shop.example:{number}/", true, Some("is not an http or https URL")),
            ("{number}://shop.example/", true, Some("is not an http or https URL")),
            ("ftp://shop.example/", true, Some("is not an http or https URL")),
            ("shop.example/{number}", true, Some("is not an http or https URL")),
            ("", true, Some("is not an http or https URL")),
            ("https://shop.example/a b", true, Some("is not 1 to 500 visible ASCII characters")),
            ("https://shop.example/é", true, Some("is not 1 to 500 visible ASCII characters")),
        ] {
            let said = check_url(template, is_chained).err();
            assert_eq!(said.is_some(), fault.is_some(), "{template}: {said:?}");
            assert!(said.unwrap_or_default().contains(fault.unwrap_or_default()), "{template}");
        }
        assert!(check_url(&format!("https://shop.example/{}", "a".repeat(500)), true).is_err());
    }

    #[test]
    fn the_values_of_a_url_are_encoded() {
        let value = |name: &str| Ok(utf8_percent_encode(&format!("{name} IN/26-1"), ENCODED).to_string());
        let filled = fill("https://shop.example/{a}?b={b}}", value).unwrap();
        assert_eq!(filled, "https://shop.example/a%20IN%2F26-1?b=b%20IN%2F26-1}");
    }
}
