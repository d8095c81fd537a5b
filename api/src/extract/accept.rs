//! Tells which of several media types the caller prefers.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;

use super::conditional::weight_of;

/// Preference of a caller that names `text/csv` in `Accept`, and does not prefer JSON.
#[derive(Clone, Copy, Debug)]
pub struct WantsCsv(pub bool);

impl<S: Sync> FromRequestParts<S> for WantsCsv {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(accept(parts).is_some_and(wants_csv)))
    }
}

/// The form of a document that a caller prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentForm {
    Pdf,
    Json,
    Xml {
        /// Indicates whether the caller takes a PDF, too.
        or_pdf: bool,
    },
}

impl<S: Sync> FromRequestParts<S> for DocumentForm {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(accept(parts).unwrap_or_default()))
    }
}

impl DocumentForm {
    fn of(accept: &str) -> Self {
        let prefers = |media_type, to| prefers(accept, media_type, to);
        // A browser names XML as well, and means XHTML.
        let others = ["application/pdf", "application/json", "text/html"];
        let is_xml = |name| others.iter().all(|other| prefers(name, other));
        match () {
            () if is_xml("application/xml") || is_xml("text/xml") => Self::Xml { or_pdf: takes_pdf(accept) },
            () if prefers("application/json", "application/pdf") => Self::Json,
            () => Self::Pdf,
        }
    }
}

fn accept(parts: &Parts) -> Option<&str> {
    parts.headers.get(header::ACCEPT).and_then(|value| value.to_str().ok())
}

fn takes_pdf(accept: &str) -> bool {
    let weight = ["application/pdf", "application/*", "*/*"].iter().find_map(|name| weight_of(accept, name));
    weight.is_some_and(|weight| weight > 0.0)
}

fn wants_csv(accept: &str) -> bool {
    prefers(accept, "text/csv", "application/json")
}

fn prefers(accept: &str, media_type: &str, to: &str) -> bool {
    let weight = |media_type| weight_of(accept, media_type).unwrap_or(0.0);
    weight(media_type) > weight(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_a_pdf_unless_the_caller_names_another_form() {
        let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";
        for (accept, form) in [
            ("", DocumentForm::Pdf),
            ("*/*", DocumentForm::Pdf),
            (browser, DocumentForm::Pdf),
            ("application/pdf, application/xml", DocumentForm::Pdf),
            ("application/xml;q=0", DocumentForm::Pdf),
            ("application/json", DocumentForm::Json),
            ("application/json, application/xml", DocumentForm::Json),
            ("application/xml", DocumentForm::Xml { or_pdf: false }),
            ("text/xml", DocumentForm::Xml { or_pdf: false }),
            ("application/xml, */*", DocumentForm::Xml { or_pdf: true }),
            ("application/pdf;q=0.5, application/xml", DocumentForm::Xml { or_pdf: true }),
            ("application/pdf;q=0, application/xml", DocumentForm::Xml { or_pdf: false }),
        ] {
            assert_eq!(DocumentForm::of(accept), form, "{accept}");
        }
    }

    #[test]
    fn csv_is_for_those_who_name_it() {
        for yes in
            ["text/csv", "text/csv; charset=utf-8", "text/csv, */*", "application/json;q=0.5, text/csv"]
        {
            assert!(wants_csv(yes), "{yes}");
        }
        for no in
            ["", "*/*", "text/*", "application/json", "text/csv;q=0", "application/json, text/csv;q=0.9"]
        {
            assert!(!wants_csv(no), "{no}");
        }
    }
}
