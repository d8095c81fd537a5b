//! Makes a PDF a hybrid invoice of Factur-X 1.0 and ZUGFeRD 2: an e-invoice inside, and metadata that say so.
//!
//! krilla embeds files, but writes no metadata of other standards. They are added as an incremental update, which replaces one
//! object and leaves every byte of the file before it.

use std::fmt::Write as _;

use krilla::Document;
use krilla::embed::{AssociationKind, EmbeddedFile, MimeType};
use krilla::metadata::DateTime;

/// The result would be no valid PDF/A-3a or PDF/UA-1.
#[derive(Debug, thiserror::Error)]
#[error("the PDF is not valid: {0}")]
pub struct InvalidPdf(pub(super) String);

/// The name that the standards demand.
const FILE: &str = "factur-x.xml";

const NAMESPACE: &str = "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#";

/// The metadata: names and values, which the standards give, credit notes included; and their descriptions.
const PROPERTIES: [(&str, &str, &str); 4] = [
    ("DocumentType", "INVOICE", "The type of the hybrid document"),
    ("DocumentFileName", FILE, "The name of the embedded XML document"),
    ("Version", "1.0", "The version of the standard of the embedded XML document"),
    ("ConformanceLevel", "EN 16931", "The conformance level of the embedded XML document"),
];

/// Puts an e-invoice in the syntax CII into a document.
pub fn embed(document: &mut Document, xml: &str, date: DateTime) -> Result<(), InvalidPdf> {
    let file = EmbeddedFile {
        path: FILE.to_owned(),
        mime_type: MimeType::new("text/xml"),
        description: Some("Factur-X Invoice".to_owned()),
        // It says what the pages say.
        association_kind: AssociationKind::Alternative,
        data: xml.as_bytes().to_vec().into(),
        modification_date: Some(date),
        compress: Some(true),
        location: None,
    };
    document.embed_file(file).ok_or_else(|| InvalidPdf(format!("two files named {FILE}")))
}

/// Says in the metadata of a PDF from krilla that it has an e-invoice inside.
pub fn declare(mut pdf: Vec<u8>) -> Result<Vec<u8>, InvalidPdf> {
    let update =
        update(&pdf).ok_or_else(|| InvalidPdf("its metadata are not where they were expected".to_owned()))?;
    pdf.extend(update);
    Ok(pdf)
}

/// The description of the properties, which PDF/A demands of those that it does not define itself.
fn described() -> String {
    let property = |(name, _, description): (&str, &str, &str)| {
        format!(
            "<rdf:li rdf:parseType=\"Resource\"><pdfaProperty:name>{name}</pdfaProperty:name>\
             <pdfaProperty:valueType>Text</pdfaProperty:valueType><pdfaProperty:category>external</pdfaProperty:category>\
             <pdfaProperty:description>{description}</pdfaProperty:description></rdf:li>"
        )
    };
    format!(
        "<rdf:li rdf:parseType=\"Resource\"><pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>\
         <pdfaSchema:namespaceURI>{NAMESPACE}</pdfaSchema:namespaceURI><pdfaSchema:prefix>fx</pdfaSchema:prefix>\
         <pdfaSchema:property><rdf:Seq>{}</rdf:Seq></pdfaSchema:property></rdf:li>",
        PROPERTIES.map(property).concat()
    )
}

fn stated() -> String {
    let properties = PROPERTIES.map(|(name, value, _)| format!("<fx:{name}>{value}</fx:{name}>")).concat();
    format!("<rdf:Description rdf:about=\"\" xmlns:fx=\"{NAMESPACE}\">{properties}</rdf:Description>")
}

/// The incremental update: the metadata again, where in the file they are now, and the trailer with a pointer to the one before.
fn update(pdf: &[u8]) -> Option<Vec<u8>> {
    let (begin, end) = (last(pdf, b"<?xpacket begin")?, last(pdf, b"<?xpacket end=\"r\"?>")?);
    let metadata = std::str::from_utf8(pdf.get(begin..end)?).ok()?;
    let (head, tail) = metadata.rsplit_once("</rdf:Bag></pdfaExtension:schemas>")?;
    let tail = tail.strip_suffix("</rdf:RDF></x:xmpmeta>")?;
    let (described, stated) = (described(), stated());
    let metadata = format!(
        "{head}{described}</rdf:Bag></pdfaExtension:schemas>{tail}{stated}</rdf:RDF></x:xmpmeta><?xpacket end=\"r\"?>"
    );
    let object = pdf.get(..last(pdf.get(..begin)?, b" 0 obj")?)?;
    let number = std::str::from_utf8(object.rsplit(|byte| !byte.is_ascii_digit()).next()?).ok()?;
    let (trailer, start) = (last(pdf, b"trailer")?, last(pdf, b"startxref")?);
    let table =
        std::str::from_utf8(pdf.get(start + b"startxref".len()..)?).ok()?.split_whitespace().next()?;
    let entries =
        pdf.get(trailer..start)?.strip_prefix(b"trailer")?.trim_ascii_start().strip_prefix(b"<<")?;

    let mut text = String::from("\n");
    let place = pdf.len() + text.len();
    write!(
        text,
        "{number} 0 obj\n<< /Type /Metadata /Subtype /XML /Length {} >>\nstream\n{metadata}\nendstream\nendobj\n\n",
        metadata.len()
    )
    .ok()?;
    let new_table = pdf.len() + text.len();
    write!(text, "xref\n{number} 1\n{place:010} 00000 n \ntrailer\n<< /Prev {table}").ok()?;
    let mut update = text.into_bytes();
    update.extend(entries);
    update.extend(format!("startxref\n{new_table}\n%%EOF\n").into_bytes());
    Some(update)
}

/// Returns the position where the last one of these texts begins.
fn last(bytes: &[u8], text: &[u8]) -> Option<usize> {
    bytes.windows(text.len()).rposition(|window| window == text)
}
