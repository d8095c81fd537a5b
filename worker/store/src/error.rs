//! Translation of a job's failure for its message: retry it later, or never.

use shared::messages::{FieldError, Refusal};

/// Reason why a job failed, and what the consumer does about it.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// A transient fault elsewhere. The consumer retries a task; for a command it replies `unavailable`,
    /// and the caller decides whether to repeat it.
    #[error("{0}")]
    Retry(String),
    /// The job cannot succeed. A caller gets the refusal; without a caller the message is dead-lettered with the
    /// reason.
    #[error("{reason}")]
    Reject { refusal: Refusal, reason: String },
    /// The database aborted the transaction in favour of another one (a deadlock or a serialization failure). It had no
    /// effect, and the job can run again at once.
    #[error("{0}")]
    Conflict(String),
    /// The answer to a commit was lost: the commit may or may not have succeeded.
    #[error("{0}")]
    Unknown(String),
    /// Another delivery of the same command has already answered it; that answer counts.
    #[error("another delivery of the command has answered it")]
    Superseded,
}

pub type JobResult<T> = Result<T, JobError>;

impl JobError {
    /// A fault in the worker or in the message, not in the caller's request.
    pub fn dead(reason: impl Into<String>) -> Self {
        Self::Reject { refusal: Refusal::Internal, reason: reason.into() }
    }

    /// A fault of one field of the request.
    pub fn invalid(field: &str, message: impl Into<String>) -> Self {
        Refusal::InvalidRequest { errors: vec![FieldError::new(field, message)] }.into()
    }

    /// An act that the caller may not do.
    pub fn forbidden(detail: impl Into<String>) -> Self {
        Refusal::Forbidden { detail: detail.into() }.into()
    }
}

impl From<Refusal> for JobError {
    fn from(refusal: Refusal) -> Self {
        let reason = refusal.to_string();
        Self::Reject { refusal, reason }
    }
}

impl From<sqlx::Error> for JobError {
    fn from(error: sqlx::Error) -> Self {
        shared::metrics::database_error(&error);
        // SQLSTATE classes 22 (bad data), 23 (constraint) and 42 (bad SQL): a retry would fail the same way.
        // Except 22023: a parameter that this server does not know, such as a time zone, is known after an update of the server.
        let hopeless =
            |code: &str| code != "22023" && ["22", "23", "42"].iter().any(|class| code.starts_with(class));
        // A retry would read the same unreadable value.
        if let sqlx::Error::ColumnDecode { .. } = error {
            return Self::dead(format!("database: {error}"));
        }
        match error.as_database_error().and_then(|e| e.code()) {
            Some(code) if code == "40P01" || code == "40001" => Self::Conflict(format!("database: {error}")),
            Some(code) if hopeless(&code) => Self::dead(format!("database: {error}")),
            _ => Self::Retry(format!("database: {error}")),
        }
    }
}

impl From<serde_json::Error> for JobError {
    fn from(error: serde_json::Error) -> Self {
        Self::dead(format!("json: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use sqlx::error::{DatabaseError, ErrorKind};

    use super::*;

    /// A failure that PostgreSQL reports with this SQLSTATE.
    #[derive(Debug)]
    struct Fault(&'static str);

    impl std::fmt::Display for Fault {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str(self.0)
        }
    }

    impl std::error::Error for Fault {}

    impl DatabaseError for Fault {
        fn message(&self) -> &str {
            self.0
        }

        fn code(&self) -> Option<Cow<'_, str>> {
            Some(self.0.into())
        }

        fn as_error(&self) -> &(dyn std::error::Error + Send + Sync + 'static) {
            self
        }

        fn as_error_mut(&mut self) -> &mut (dyn std::error::Error + Send + Sync + 'static) {
            self
        }

        fn into_error(self: Box<Self>) -> Box<dyn std::error::Error + Send + Sync + 'static> {
            self
        }

        fn kind(&self) -> ErrorKind {
            ErrorKind::Other
        }
    }

    #[test]
    fn only_what_would_fail_again_is_given_up() {
        // Bad data, a constraint, and bad SQL.
        for code in ["22003", "23505", "42601"] {
            let error = JobError::from(sqlx::Error::Database(Box::new(Fault(code))));
            assert!(matches!(error, JobError::Reject { .. }), "{code}: {error:?}");
        }
        // A server without the time zone, one that shuts down, and one that is full.
        for code in ["22023", "57P01", "53100"] {
            let error = JobError::from(sqlx::Error::Database(Box::new(Fault(code))));
            assert!(matches!(error, JobError::Retry(_)), "{code}: {error:?}");
        }
    }
}
