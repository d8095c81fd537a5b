//! JSON of what needs a person.

use chrono::{DateTime, Utc};
use serde::Serialize;
use texts::Localizer;
use utoipa::ToSchema;
use uuid::Uuid;

use super::words;
use crate::queries::desk::attention::AttentionRow;
use crate::words::AttentionKind;

/// Everything that no timer will settle by itself.
#[derive(Debug, Serialize, ToSchema)]
pub struct AttentionList {
    /// Oldest first, at most 100 of each kind.
    entries: Vec<AttentionBody>,
}

/// Something that needs a person.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Attention)]
pub struct AttentionBody {
    kind: AttentionKind,
    /// What it is, and what to do about it, in words.
    words: String,
    /// What the program, the provider or the course platform says; null if there is nothing to say.
    reason: Option<String>,
    since: DateTime<Utc>,
    /// The order that it concerns, or null.
    cart_id: Option<Uuid>,
    email: Option<String>,
    /// What it is about besides the order: a course's key, a URL, a kind of notification or of mail, the order that a withdrawal
    /// names, a kind of message.
    subject: Option<String>,
    /// The mail that failed, the enrollment that was refused, the withdrawal or the dead letter to decide, the disabled endpoint; null
    /// for everything else.
    id: Option<Uuid>,
}

impl AttentionList {
    pub fn new(rows: Vec<AttentionRow>, localizer: &Localizer<'_>) -> Self {
        Self { entries: rows.into_iter().map(|row| AttentionBody::new(row, localizer)).collect() }
    }
}

impl AttentionBody {
    fn new(row: AttentionRow, localizer: &Localizer<'_>) -> Self {
        Self {
            kind: row.kind,
            words: words::attention(row.kind, localizer),
            reason: row.reason,
            since: row.since,
            cart_id: row.cart_id,
            email: row.email,
            subject: row.subject,
            id: row.id,
        }
    }
}
