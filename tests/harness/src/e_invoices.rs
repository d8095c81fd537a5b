//! Checks the e-invoices of a world: each of its documents has one that adds up, or a reason to have none.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use shared::e_invoice::{EInvoice, Syntax};
use uuid::Uuid;

use crate::World;

/// No world leaves more documents to the suite `e-invoices`.
const MOST_RECORDED: usize = 40;

/// Checks every document of a world. With a folder in `E_INVOICE_RECORDS`, leaves them there to other programs, too.
pub async fn check(world: &World) {
    let documents: Vec<(Uuid, Value, Option<Vec<u8>>)> = sqlx::query_as(
        "SELECT d.id, d.content, f.pdf FROM documents d LEFT JOIN document_files f ON f.document_id = d.id ORDER BY d.id",
    )
    .fetch_all(&world.db)
    .await
    .expect("the documents of a world");
    let folder = std::env::var_os("E_INVOICE_RECORDS").map(PathBuf::from);
    // What another program issues is its own to write.
    let own = documents.into_iter().filter(|(_, content, _)| content["seller"]["documents"] != "external");
    for (nth, (id, content, pdf)) in own.enumerate() {
        let written = match EInvoice::of(&content) {
            Ok(e_invoice) => [Syntax::Ubl, Syntax::Cii].map(|syntax| e_invoice.write(syntax)),
            Err(no) => {
                assert!(may_have_none(&content, &no.to_string()), "{no}: {content}");
                continue;
            }
        };
        let [ubl, cii] = &written;
        adds_up(ubl, &content);
        says_when_to_pay(&written, &content);
        if let Some(folder) = folder.as_ref().filter(|_| nth < MOST_RECORDED) {
            let files = [("ubl.xml", ubl.as_bytes()), ("cii.xml", cii.as_bytes())];
            for (end, bytes) in files.into_iter().chain(pdf.as_deref().map(|pdf| ("pdf", pdf))) {
                std::fs::write(folder.join(format!("{id}.{end}")), bytes).expect("a folder for records");
            }
        }
    }
}

/// True for what EN 16931 cannot write: a sale of a seller without a tax number, three decimals, and taxes that were rounded to
/// whole units.
fn may_have_none(content: &Value, no: &str) -> bool {
    let has_no_tax_id = content["seller"]["tax_ids"].as_array().is_some_and(Vec::is_empty);
    match no {
        no if no.contains("decimals") => content["currency"] == "KWD",
        no if no.contains("BR-CO-17") => content["currency"] == "JPY",
        no => has_no_tax_id && no.contains("BR-CO-26"),
    }
}

/// Asserts that an amount due has a date or terms (BR-CO-25).
fn says_when_to_pay([ubl, cii]: &[String; 2], content: &Value) {
    if content["unpaid"] == true {
        assert!(ubl.contains("<cbc:DueDate>") || ubl.contains("<cac:PaymentTerms>"), "{ubl}");
        assert!(cii.contains("<ram:SpecifiedTradePaymentTerms>"), "{cii}");
    }
}

/// Adds an e-invoice up again: its lines, its tax, and what is left to pay; and compares it with the document.
fn adds_up(ubl: &str, content: &Value) {
    let document = roxmltree::Document::parse(ubl).expect("well-formed XML");
    let mut sums: BTreeMap<(&str, &str), i64> = BTreeMap::new();
    let amounts = document.descendants().filter(|node| node.attribute("currencyID").is_some());
    let converted = &content["converted_tax"];
    for amount in amounts {
        let group = amount.parent_element().map_or("", |parent| parent.tag_name().name());
        let value: f64 = amount.text().unwrap_or_default().parse().expect("an amount");
        if amount.attribute("currencyID") == converted["at"]["currency"].as_str() {
            // The tax once more, in the currency of the seller's state (BT-111).
            assert_eq!((group, Some(value)), ("TaxTotal", converted["tax"].as_f64()), "{ubl}");
            continue;
        }
        assert_eq!(amount.attribute("currencyID"), content["currency"].as_str(), "{ubl}");
        *sums.entry((group, amount.tag_name().name())).or_default() += (value * 100.0).round() as i64;
    }
    let sum = |group, name| sums.get(&(group, name)).copied().unwrap_or_default();
    let of_lines = sum("InvoiceLine", "LineExtensionAmount") + sum("CreditNoteLine", "LineExtensionAmount");
    let total = |name| sum("LegalMonetaryTotal", name);
    let stated = |name: &str| (content[name].as_f64().expect("a number") * 100.0).round() as i64;
    assert_eq!((of_lines, total("LineExtensionAmount")), (stated("net"), stated("net")), "{ubl}");
    assert_eq!(
        (sum("TaxSubtotal", "TaxAmount"), sum("TaxTotal", "TaxAmount")),
        (stated("tax"), stated("tax")),
        "{ubl}"
    );
    assert_eq!(total("TaxInclusiveAmount"), of_lines + stated("tax"), "{ubl}");
    assert_eq!(total("TaxInclusiveAmount"), stated("total"), "{ubl}");
    // What is on account is paid later.
    let open = if content["unpaid"] == true { stated("total") } else { 0 };
    assert_eq!((total("PrepaidAmount"), total("PayableAmount")), (stated("total") - open, open), "{ubl}");
    let kind = if content["kind"] == "invoice" { "Invoice" } else { "CreditNote" };
    assert_eq!(document.root_element().tag_name().name(), kind, "{ubl}");
}
