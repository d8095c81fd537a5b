//! What a job's failure means to the queue: try again later, or never.

use shared::messages::Refusal;

#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// A fault outside that may pass. A command whose caller waits is not retried: the caller is told, and decides.
    #[error("{0}")]
    Retry(String),
    /// It cannot succeed. The caller is told; without one the message goes to the dead queue with the reason.
    #[error("{reason}")]
    Reject { refusal: Refusal, reason: String },
    /// The database aborted the transaction in favour of another one (a deadlock, or a serialization failure): nothing has
    /// happened, and the same job can be run again at once.
    #[error("{0}")]
    Conflict(String),
    /// The answer to a commit was lost: it may have happened or not.
    #[error("{0}")]
    Unknown(String),
    /// Another delivery of the same command was faster; its answer is the answer.
    #[error("another delivery of the command has answered it")]
    Superseded,
}

pub type JobResult<T> = Result<T, JobError>;

impl JobError {
    /// A fault of ours or of the message, not of the request.
    pub fn dead(reason: impl Into<String>) -> Self {
        Self::Reject { refusal: Refusal::Internal, reason: reason.into() }
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
        // 22: bad data, 23: a constraint, 42: bad SQL. Trying those again gives the same again.
        let hopeless = |code: &str| ["22", "23", "42"].iter().any(|class| code.starts_with(class));
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
