//! Invoices and credit notes as EN 16931 knows them, in its syntaxes UBL and CII. Pure: it reads the content of a document that
//! was frozen when the document was issued, so that documents of any age have this form.
//!
//! Why: `docs/decisions/e-invoices.md`

mod document;
mod line;
mod party;

use en16931::{En16931, Validated};
use serde::Deserialize;
use serde_json::Value;
use strum::{EnumString, VariantNames};

use self::document::Document;

/// How a document is written as XML.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "lowercase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(rename_all = "lowercase"))]
pub enum Syntax {
    /// UBL 2.1, which Peppol carries.
    Ubl,
    /// UN/CEFACT Cross Industry Invoice D16B, which Factur-X and ZUGFeRD embed into PDF.
    Cii,
}

/// Reason why a document has no form in EN 16931.
#[derive(Debug, thiserror::Error)]
pub enum NoEInvoice {
    /// The stored value is not the content of a document.
    #[error("unreadable content of a stored document: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// EN 16931 writes amounts with two decimals at most.
    #[error("EN 16931 has no amounts with more than two decimals")]
    Decimals,
    /// Another program issues the document, and its e-invoice.
    #[error("another program issues the document")]
    External,
    /// The document breaks rules of EN 16931, such as one for a seller without a tax number.
    #[error("the document breaks rules of EN 16931: {0}")]
    Invalid(String),
}

/// An invoice or a credit note that follows every rule of EN 16931.
pub struct EInvoice(Validated<En16931>);

impl EInvoice {
    /// Reads the stored content of a document.
    ///
    /// # Errors
    /// The document has no form in EN 16931.
    pub fn of(content: &Value) -> Result<Self, NoEInvoice> {
        let invoice = Document::deserialize(content)?.invoice()?;
        let validated = Validated::new(invoice).map_err(|rejected| {
            let broken =
                rejected.report().fatal().map(|finding| format!("{} {}", finding.rule, finding.path));
            NoEInvoice::Invalid(broken.collect::<Vec<_>>().join(", "))
        })?;
        Ok(Self(validated))
    }

    /// Writes it as XML.
    pub fn write(&self, syntax: Syntax) -> String {
        let syntax = match syntax {
            Syntax::Ubl => en16931_formats::Syntax::Ubl,
            Syntax::Cii => en16931_formats::Syntax::Cii,
        };
        en16931_formats::write(&self.0, syntax).xml
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn content(seller: &str, tax_ids: &[(&str, &str)], quantity: u32) -> Value {
        let tax_ids: Vec<Value> =
            tax_ids.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
        json!({
            "kind": "invoice", "number": "NW26-000001", "refers_to": null, "issued_on": "2026-11-26",
            "supplied_on": "2026-11-25", "cart_id": "ad035fc9-afd5-49f2-85d8-8ac83dd05a77", "gateway": "stripe",
            "currency": "EUR",
            "seller": { "legal_name": "A & B", "line1": "1 High Street", "city": "Town", "postal_code": "1",
                "country": seller, "tax_ids": tax_ids, "invoice_prefix": "NW" },
            "buyer": { "email": "ada@example.com", "name": " ", "country": "GR", "tax_id": "gr\u{a0}123\u{2011}456\u{200b}789" },
            "tax_country": "GR",
            "lines": [{ "position": 0, "description": "Rust", "quantity": quantity, "net": 100, "rate": 24, "tax": 24,
                "total": 124 }],
            "taxes": [{ "name": "VAT", "rate": 24, "net": 100, "tax": 24 }],
            "net": 100, "tax": 24, "total": 124, "notes": [],
        })
    }

    fn ubl(content: &Value) -> String {
        let xml = EInvoice::of(content).unwrap_or_else(|no| panic!("{no}")).write(Syntax::Ubl);
        xml.lines().map(str::trim).collect()
    }

    #[test]
    fn numbers_of_a_party_are_vat_identifiers_by_the_prefix_of_its_country() {
        let vat =
            |id: &str| format!("<cbc:CompanyID>{id}</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID>");
        let own = |id: &str| format!("<cac:PartyIdentification><cbc:ID>{id}</cbc:ID>");
        let both =
            ubl(&content("DE", &[("Steuernummer", "21/815/08150"), ("USt-IdNr.", "DE 123.456.789")], 1));
        assert!(both.contains(&vat("DE123456789")) && both.contains("21/815/08150"), "{both}");
        // The buyer is Greek: its number gets the prefix of Greece, as VIES has it. Its name is blank, so it is known by its address.
        assert!(
            both.contains(&vat("EL123456789")) && both.contains(">ada@example.com</cbc:RegistrationName>"),
            "{both}"
        );
        let indian =
            ubl(&content("IN", &[("GSTIN", "29ABCDE1234F1Z5"), ("CIN", "U80301"), ("PAN", "ABCDE1234F")], 1));
        assert!(
            indian.contains(&own("29ABCDE1234F1Z5")) && indian.contains("CIN U80301, PAN ABCDE1234F"),
            "{indian}"
        );
        // The lists of EN 16931 have a code of their own for Kosovo; Monaco's numbers are French.
        let kosovan = ubl(&content("XK", &[("NF", "810123456")], 1));
        assert!(kosovan.contains("<cbc:IdentificationCode>1A</cbc:IdentificationCode>"), "{kosovan}");
        let monegasque = ubl(&content("MC", &[("TVA", "FR41000123456")], 1));
        assert!(monegasque.contains(&vat("FR41000123456")), "{monegasque}");
        let no = EInvoice::of(&content("US", &[], 1)).err().unwrap().to_string();
        assert!(no.contains("BR-S-02") && no.contains("BR-CO-26"), "{no}");
    }

    #[test]
    fn a_price_that_does_not_end_is_that_of_all_seats() {
        let of = |quantity| ubl(&content("DE", &[("USt-IdNr.", "DE123456789")], quantity));
        assert!(
            of(8).contains("<cbc:PriceAmount currencyID=\"EUR\">12.5</cbc:PriceAmount></cac:Price>"),
            "{}",
            of(8)
        );
        let three = of(3);
        let base = "<cbc:PriceAmount currencyID=\"EUR\">100</cbc:PriceAmount><cbc:BaseQuantity unitCode=\"C62\">3</cbc:BaseQuantity>";
        assert!(three.contains(base), "{three}");
    }

    #[test]
    fn an_invoice_on_account_names_the_account_that_the_page_names() {
        let mut content = content("DE", &[("USt-IdNr.", "DE123456789")], 1);
        (content["gateway"], content["unpaid"]) = (json!("external"), json!(true));
        let with = |content: &Value, currency: &str, lines: &[&str]| {
            let mut content = content.clone();
            content["currency"] = json!(currency);
            content["payment"] =
                json!({ "due_on": "2026-12-24", "reference": "RF18539007547034", "bank_lines": lines });
            ubl(&content)
        };
        let code = |code: &str| format!("{code}</cbc:PaymentMeansCode>");
        let account = |iban: &str| format!("<cac:PayeeFinancialAccount><cbc:ID>{iban}</cbc:ID>");
        // Examples of ISO 13616.
        for (line, iban) in [
            ("IBAN DE89 3704 0044 0532 0130 00", "DE89370400440532013000"),
            ("IBAN: GB29NWBK60161331926819", "GB29NWBK60161331926819"),
            ("NO93 8601 1117 947, BIC DNBANOKK", "NO9386011117947"),
            ("iban de89 3704 0044 0532 0130 00 BIC COBADEFFXXX", "DE89370400440532013000"),
        ] {
            let xml = with(&content, "EUR", &["Lindgren Akademi", line]);
            let expected = [code("58"), account(iban), "<cbc:Name>Lindgren Akademi</cbc:Name>".to_owned()];
            assert!(expected.iter().all(|part| xml.contains(part)), "{xml}");
            assert!(xml.contains(&format!("<cbc:Note>Lindgren Akademi, {line}</cbc:Note>")), "{xml}");
            assert!(with(&content, "SEK", &[line]).contains(&code("30")));
        }
        // A bank outside of SEPA takes no SEPA credit transfer, also of euros.
        let xml = with(&content, "EUR", &["TR33 0006 1005 1978 6457 8413 26"]);
        assert!(xml.contains(&code("30")) && xml.contains(&account("TR330006100519786457841326")), "{xml}");
        for line in ["IBAN DE89 3704 0044 0532 0130 01", "Account 0331 2345 6789 0123", "Lindgren Akademi"] {
            let xml = with(&content, "EUR", &[line]);
            assert!(xml.contains(&code("1")) && !xml.contains("PayeeFinancialAccount"), "{xml}");
            assert!(xml.contains(&format!("<cbc:Note>{line}</cbc:Note>")), "{xml}");
        }
    }

    #[test]
    fn the_record_of_an_authority_is_a_supporting_document() {
        let mut content = content("DE", &[("USt-IdNr.", "DE123456789")], 1);
        content["clearance"] = json!({ "authority": "KSeF", "number": "5265877635-20261124-0100001AF629-AF",
            "at": "2026-11-24T10:20:30+01:00", "qr": "https://ksef.example/1" });
        let xml = ubl(&content);
        let reference = "<cac:AdditionalDocumentReference><cbc:ID>5265877635-20261124-0100001AF629-AF</cbc:ID>\
            <cbc:DocumentDescription>KSeF</cbc:DocumentDescription>";
        assert!(
            xml.contains(reference) && xml.contains("<cbc:URI>https://ksef.example/1</cbc:URI>"),
            "{xml}"
        );
        // A signed text is not a link, and without a number nothing is left to name.
        content["clearance"] = json!({ "qr": "eyJhbGciOiJSUzI1NiJ9" });
        assert!(!ubl(&content).contains("AdditionalDocumentReference"));
        content["kind"] = json!("credit_note");
        content["refers_to"] = json!("NW26-000001");
        content["refers_to_cleared"] = json!("IRN-1");
        let note = ubl(&content);
        assert!(
            note.contains("<cbc:ID>IRN-1</cbc:ID>") && note.contains("Clearance of invoice NW26-000001"),
            "{note}"
        );
        // The official rules of CII allow one description (CII-SR-475).
        content["clearance"] = json!({ "authority": "KSeF", "number": "2" });
        let note = ubl(&content);
        assert!(note.contains("KSeF") && note.contains("IRN-1") && !note.contains("Clearance of"), "{note}");
    }

    #[test]
    fn a_code_a_contact_a_place_and_a_converted_tax_are_in_both_syntaxes() {
        let mut content = content("DE", &[("USt-IdNr.", "DE123456789")], 1);
        content["lines"][0]["service_code"] = json!({ "scheme": "SAC", "code": "999293" });
        content["seller"]["contact_name"] = json!("Accounts");
        content["seller"]["phone"] = json!("+49 30 1234");
        content["place_of_supply"] =
            json!({ "country": "IN", "state": { "code": "29", "name": "Karnataka" } });
        content["converted_tax"] = json!({ "tax": 264.56, "at": { "currency": "SEK", "rate": 11.0235,
            "day": "2026-11-25", "source": "Riksbanken" } });
        let said = ubl(&content);
        for part in [
            "<cbc:ItemClassificationCode listID=\"GN\">999293</cbc:ItemClassificationCode>",
            "<cac:Contact><cbc:Name>Accounts</cbc:Name><cbc:Telephone>+49 30 1234</cbc:Telephone></cac:Contact>",
            "<cbc:CountrySubentity>Karnataka (29)</cbc:CountrySubentity>",
            "<cbc:TaxCurrencyCode>SEK</cbc:TaxCurrencyCode>",
            "<cac:TaxTotal><cbc:TaxAmount currencyID=\"SEK\">264.56</cbc:TaxAmount></cac:TaxTotal>",
        ] {
            assert!(said.contains(part), "{part} is not in {said}");
        }
        let cii = EInvoice::of(&content).unwrap_or_else(|no| panic!("{no}")).write(Syntax::Cii);
        for part in [
            "<ram:ClassCode listID=\"GN\">999293</ram:ClassCode>",
            "<ram:PersonName>Accounts</ram:PersonName>",
            "<ram:CountrySubDivisionName>Karnataka (29)</ram:CountrySubDivisionName>",
            "<ram:TaxCurrencyCode>SEK</ram:TaxCurrencyCode>",
            "<ram:TaxTotalAmount currencyID=\"SEK\">264.56</ram:TaxTotalAmount>",
        ] {
            assert!(cii.contains(part), "{part} is not in {cii}");
        }
    }

    #[test]
    fn what_is_not_a_document_is_unreadable_and_a_third_decimal_is_named() {
        assert!(matches!(EInvoice::of(&json!({})), Err(NoEInvoice::Unreadable(_))));
        let mut dinars = content("DE", &[("USt-IdNr.", "DE123456789")], 1);
        (dinars["currency"], dinars["net"]) = (json!("KWD"), json!(100.001));
        assert!(matches!(EInvoice::of(&dinars), Err(NoEInvoice::Decimals)));
    }
}
