//! A job's transaction, with what follows its commit.

use std::ops::{Deref, DerefMut};

use sqlx::PgConnection;
use store::alert::Alert;
use store::error::JobResult;
use tokio::sync::Notify;

use super::context::Context;
use crate::alert;

/// A transaction that raises its alerts and wakes the outbox relay once it is committed. Dropped without that, it has no effect.
#[must_use = "a transaction has no effect until it is committed"]
pub struct Transaction<'c> {
    inner: shared::db::Transaction,
    alerts: Vec<Alert>,
    outbox: &'c Notify,
}

impl Context {
    /// Begins a transaction.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn transaction(&self) -> JobResult<Transaction<'_>> {
        Ok(Transaction { inner: self.db.begin().await?, alerts: Vec::new(), outbox: &self.outbox })
    }
}

impl Transaction<'_> {
    /// Has these alerts raised after the commit.
    pub fn alert(&mut self, alerts: impl IntoIterator<Item = Alert>) {
        self.alerts.extend(alerts);
    }

    /// Commits, raises the alerts, and wakes the relay.
    ///
    /// # Errors
    /// The commit failed, or its answer was lost.
    pub async fn commit(self) -> JobResult<()> {
        self.inner.commit().await?;
        alert::raise(self.alerts);
        self.outbox.notify_one();
        Ok(())
    }
}

impl Deref for Transaction<'_> {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.inner
    }
}

impl DerefMut for Transaction<'_> {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.inner
    }
}
