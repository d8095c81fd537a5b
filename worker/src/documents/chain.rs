//! Verifies the chain of a seller's documents, and writes it out for an auditor.
//!
//! Why: `docs/decisions/chain.md`

use std::fmt;
use std::io::{self, Write};

use chrono::{Days, NaiveDate};
use futures_util::TryStreamExt;
use serde::{Deserialize, Serialize};
use shared::db::Db;
use shared::ids::OrganisationId;
use store::catalog::export;
use store::error::JobError;
use store::model::chain::{self, Link};
use store::model::document::Content;
use store::money::document_chain::{self, Chained};

/// Reason why a chain is not verified to its end.
#[derive(Debug, thiserror::Error)]
pub enum ChainError {
    /// The output takes no more, for example because the reader of a pipe has closed it.
    #[error("cannot write the documents: {0}")]
    Output(#[from] io::Error),
    /// The database refused or failed.
    #[error("cannot read the documents: {0}")]
    Store(#[from] JobError),
    #[error("the organisation is not a seller, and has no documents")]
    NoSeller,
    #[error("no document of fiscal year {year} is in the chain; outside of it: {unchained}")]
    Unchained { year: i32, unchained: i64 },
}

impl From<sqlx::Error> for ChainError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

/// The first place at which a chain is broken.
#[derive(Debug, PartialEq, Eq)]
pub enum Fault {
    Missing { position: i64 },
    Unlinked { position: i64, number: String },
    Changed { position: i64, number: String },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { position } => write!(f, "document {position} is missing"),
            Self::Unlinked { position, number } => {
                write!(f, "document {position}, {number}, does not carry the digest of the one before it")
            }
            Self::Changed { position, number } => {
                write!(f, "document {position}, {number}, is not as it was issued: its digest is another one")
            }
        }
    }
}

/// The documents of a fiscal year in the chain of a seller, as the first line of an export describes them.
#[derive(Debug, Serialize)]
pub struct Manifest {
    /// Its short name.
    pub organisation: String,
    pub seller: String,
    pub fiscal_year: i32,
    /// The first day and the last one.
    pub from: NaiveDate,
    pub to: NaiveDate,
    pub documents: i64,
    pub first_position: i64,
    pub last_position: i64,
    /// The digest of the document before the first one, in hexadecimal digits. None if that begins the chain.
    pub previous: Option<String>,
    /// The digest of the last document.
    pub digest: String,
    /// Number of documents of the year that were issued outside of the chain, and the days of the first and the last of them.
    pub unchained: i64,
    pub unchained_from: Option<String>,
    pub unchained_to: Option<String>,
    pub verify: &'static str,
}

/// How an auditor verifies an export.
const VERIFY: &str = "Each line after this one is a document in canonical JSON (RFC 8785). The SHA-256 of a line, in UTF-8 and without its \
     line feed, is `previous` of the next line; that of the last line is `digest` of this one. `position` grows by 1 from line to line, \
     from `first_position` to `last_position`, and `previous` of the first document is `previous` of this line.";

/// Verifies the documents that show a day of a fiscal year, and both neighbours of them, each by its content and by its place. Writes the
/// manifest and the documents, a line each, also of a broken chain. Returns the first fault.
///
/// # Errors
/// The database is unavailable, the output is closed, or nothing of the year is in a chain.
pub async fn verify(
    db: &Db,
    organisation_id: OrganisationId,
    short_name: &str,
    year: i32,
    out: &mut impl Write,
) -> Result<(Manifest, Option<Fault>), ChainError> {
    let seller = document_chain::seller(db, organisation_id).await?.ok_or(ChainError::NoSeller)?;
    let begins = |year: i32| NaiveDate::from_ymd_opt(year, seller.fiscal_year_starts, 1).unwrap_or_default();
    let (from, end) = (begins(year), begins(year + 1));
    let mut tx = db.begin().await?;
    export::freeze(&mut tx).await?;
    let span = document_chain::span(&mut tx, organisation_id, from, end).await?;
    let Some((first, last)) = span.first.zip(span.last) else {
        return Err(ChainError::Unchained { year, unchained: span.unchained });
    };
    // The neighbours, so that a changed day hides no document at the edge of the year.
    let mut check = Check::from((first - 1).max(1));
    let end_at = (last + 1).min(span.given).max(last);
    let manifest = Manifest {
        organisation: short_name.to_owned(),
        seller: seller.legal_name,
        fiscal_year: year,
        from,
        to: end - Days::new(1),
        documents: last - first + 1,
        first_position: first,
        last_position: last,
        previous: span.previous,
        digest: span.digest.unwrap_or_default(),
        unchained: span.unchained,
        unchained_from: span.unchained_from,
        unchained_to: span.unchained_to,
        verify: VERIFY,
    };
    write_line(out, &serde_json::to_string(&manifest).map_err(io::Error::from)?)?;
    let mut documents = document_chain::documents(&mut tx, organisation_id, check.next, last + 1);
    while let Some(one) = documents.try_next().await? {
        let form = check.take(&one).filter(|_| (first..=last).contains(&one.position));
        form.map_or(Ok(()), |form| write_line(out, &form))?;
    }
    out.flush()?;
    Ok((manifest, check.end(end_at)))
}

fn write_line(out: &mut impl Write, line: &str) -> io::Result<()> {
    out.write_all(line.as_bytes())?;
    out.write_all(b"\n")
}

/// Checks the documents of a chain one after the other.
struct Check {
    /// The next place.
    next: i64,
    /// The digest that the next document has to carry. None if it is not known yet.
    previous: Option<Option<String>>,
    fault: Option<Fault>,
}

impl Check {
    fn from(position: i64) -> Self {
        Self { next: position, previous: (position == 1).then_some(None), fault: None }
    }

    /// Checks the next document. Returns its canonical form, if it has one.
    fn take(&mut self, one: &Chained) -> Option<String> {
        let link = Link { position: one.position, previous: one.previous.clone() };
        let form = chain::canonical(&link, one.id, one.issued_at, &one.content).ok();
        if self.fault.is_none() {
            self.fault = self.fault_of(one, form.as_deref());
        }
        (self.next, self.previous) = (one.position + 1, Some(Some(one.digest.clone())));
        form
    }

    fn fault_of(&self, one: &Chained, form: Option<&str>) -> Option<Fault> {
        let (position, number) = (one.position, one.number.clone().unwrap_or_default());
        if position != self.next {
            return Some(Fault::Missing { position: self.next });
        }
        if self.previous.as_ref().is_some_and(|previous| *previous != one.previous) {
            return Some(Fault::Unlinked { position, number });
        }
        let is_as_issued = form.is_some_and(|form| chain::digest(form) == one.digest) && agrees(one);
        (!is_as_issued).then_some(Fault::Changed { position, number })
    }

    /// Returns the first fault, where the chain has to reach this place.
    fn end(self, last: i64) -> Option<Fault> {
        self.fault.or((self.next <= last).then_some(Fault::Missing { position: self.next }))
    }
}

/// Returns whether the columns of a document, by which it is found and added up, are those of its content.
fn agrees(one: &Chained) -> bool {
    let Ok(content) = Content::deserialize(&one.content.0) else { return false };
    content.kind == one.kind
        && content.number == one.number
        && content.cart_id == one.cart_id
        && content.currency.code() == one.currency
        && content.total_minor() == one.total
}
