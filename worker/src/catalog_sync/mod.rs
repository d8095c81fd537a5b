//! `catalog sync`: updates the catalog from the courses of the platform. It lists the courses, reads each with its
//! modes and content, and writes what the platform owns; it never changes what the operator owns
//! (docs/catalog-sync.md). Each batch of courses is one transaction: the batches of an interrupted sync stay written,
//! and the next sync begins with the courses whose last sync is the longest ago.

mod apply;
mod contents;
mod facts;
mod fetch;
mod listing;
mod merge;
mod plan;
mod report;
mod schedule;

use apply::Fetched;
use fetch::Read;
use futures_util::StreamExt;
use indicatif::ProgressBar;
use shared::clock::Clock;
use shared::db::Db;
use shared::ids::CourseKey;
use shared::keys::Keys;
use shared::settings::RedisSettings;
use shared::tls::{TlsSettings, UrlError};
use store::error::{JobError, JobResult};

use crate::config::{CatalogSyncSettings, PlatformSettings};
use crate::platform::{self, CatalogError, Platform, Throttle};
use crate::runtime::context::Generations;
use crate::runtime::lease;
pub use merge::Difference;
pub use report::{Remark, Report};
pub use schedule::{run_requested, run_timer};

/// Number of courses that are read concurrently. The throttle still limits the calls.
const AT_ONCE: usize = 4;

/// Number of courses that are written in one transaction.
const BATCH: usize = 50;

/// After this many courses in a row without an answer the platform is taken to be down, and the sync stops.
const FAILURES: usize = 10;

/// If more courses than this, and more than half of all, are missing, the sync suspects a wrong platform URL and
/// unpublishes none.
const FEW: usize = 10;

/// The lease that lets one full sync run at a time.
const LEASE: &str = "catalog sync";

/// Requirements of a sync.
#[derive(Clone)]
pub struct CatalogSync {
    db: Db,
    /// Throttled together with the enrollment calls.
    enrollments: Platform,
    /// Throttled by the catalog sync's own limit.
    courses: Platform,
    generations: Generations,
    clock: Clock,
    /// Indicates whether new courses are published at once.
    publish: bool,
    /// Indicates whether modes without a sku get one at the platform.
    skus: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Report what the sync would do, and write nothing.
    pub dry_run: bool,
    /// Unpublish missing courses, however many there are.
    pub unpublish_any: bool,
    /// Give modes without a sku one at the platform, whatever the settings say.
    pub skus: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    #[error("another catalog sync is running, or ended without notice less than 30 s ago")]
    UnderWay,
    #[error(transparent)]
    Platform(#[from] CatalogError),
    #[error(transparent)]
    Store(#[from] JobError),
    #[error("{0}")]
    Unanswered(String),
    #[error("stopped: {0}")]
    Stopped(String),
    #[error("{0}")]
    Setup(String),
}

impl From<sqlx::Error> for SyncError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

impl CatalogSync {
    /// Connects to Redis and the platform on first use.
    ///
    /// # Errors
    /// An invalid setting.
    pub fn new(
        db: Db,
        redis: &RedisSettings,
        platform: &PlatformSettings,
        settings: &CatalogSyncSettings,
        tls: &TlsSettings,
        clock: Clock,
    ) -> Result<Self, SyncError> {
        let setup = |error: UrlError| SyncError::Setup(error.to_string());
        let (client, manager) = crate::runtime::context::redis(redis, tls).map_err(setup)?;
        let keys = Keys::new(&redis.redis_prefix);
        let accounts = platform::service_accounts(platform).map_err(SyncError::Setup)?;
        let calls = platform.platform_calls_per_minute;
        let throttle = Throttle::of(manager.clone(), keys.platform_turns(), calls, &accounts);
        let http = Platform::client(platform, tls).map_err(setup)?;
        let enrollments = Platform::new(platform, http, accounts, throttle);
        let own = Throttle::of_all(manager, keys.catalog_turns(), settings.catalog_sync_calls_per_minute);
        Ok(Self {
            db,
            courses: enrollments.paced(own),
            enrollments,
            generations: Generations::new(client, keys),
            clock,
            publish: settings.catalog_sync_publish,
            skus: settings.catalog_sync_skus,
        })
    }

    fn writes_skus(&self, options: Options) -> bool {
        self.skus || options.skus
    }

    /// Synchronises all courses.
    ///
    /// # Errors
    /// The courses cannot be listed, another sync is running, or the database is unavailable. Batches that were
    /// already written stay written.
    pub async fn run(&self, options: Options, progress: &ProgressBar) -> Result<Report, SyncError> {
        let work = self.follow(options, progress);
        if options.dry_run {
            return work.await;
        }
        lease::hold(&self.db, LEASE, work).await?.unwrap_or(Err(SyncError::UnderWay))
    }

    /// The name of the service account. An account that does not see every course is an error: the sync would take
    /// the courses that it does not see for missing ones.
    async fn account(&self) -> Result<String, SyncError> {
        let username = self.courses.service_username().await?;
        match self.courses.reads_as_staff().await? {
            true => Ok(username),
            false => Err(SyncError::Setup(format!(
                "the platform's account {username} must be staff, and its OAuth application must not be restricted"
            ))),
        }
    }

    async fn follow(&self, options: Options, progress: &ProgressBar) -> Result<Report, SyncError> {
        let username = self.account().await?;
        let listing = listing::read(&self.enrollments, &self.courses, &username).await?;
        let mut report = Report {
            dry_run: options.dry_run,
            listed: listing.keys.len() + listing.skipped.len(),
            skipped: listing.skipped,
            ..Report::default()
        };
        let keys = plan::whole(&self.db, listing.keys, &mut report).await?;
        progress.set_length(keys.len() as u64);
        let gone = self.read_and_write(&username, keys, options, &mut report, progress).await?;
        if report.stopped.is_none() {
            // A sync that only the guard against a mass vanish stopped has read everything: it counts as done.
            if !options.dry_run {
                store::catalog::sync_state::finish(&self.db, self.clock.now()).await?;
            }
            self.withdraw(gone, options, &mut report).await?;
        }
        report.sort();
        Ok(report)
    }

    /// Synchronises one course.
    ///
    /// # Errors
    /// The platform did not answer, or the database is unavailable.
    pub async fn run_course(&self, key: &CourseKey) -> Result<Report, SyncError> {
        let mut report = Report { listed: 1, ..Report::default() };
        if plan::wanted(&self.db, vec![key.clone()], &mut report).await?.is_empty() {
            return Ok(report);
        }
        let username = self.account().await?;
        match fetch::course(self, &username, key.clone()).await.1 {
            Read::Course(course) => {
                apply::batch(self, Options::default(), &[*course], &mut report).await?;
            }
            Read::Gone => {
                apply::withdraw(self, Options::default(), &[key.to_string()], &mut report).await?;
            }
            Read::Failed(reason) => report.failed.push(Remark::new(key.as_str(), reason)),
            Read::Unanswered(reason) => return Err(SyncError::Unanswered(reason)),
        }
        Ok(report)
    }

    /// Reads and writes these courses. Returns those that the platform does not have.
    async fn read_and_write(
        &self,
        username: &str,
        keys: Vec<CourseKey>,
        options: Options,
        report: &mut Report,
        progress: &ProgressBar,
    ) -> JobResult<Vec<String>> {
        let reading = futures_util::stream::iter(keys).map(|key| fetch::course(self, username, key));
        let mut reading = reading.buffer_unordered(AT_ONCE);
        let (mut batch, mut gone, mut failures) = (Vec::new(), Vec::new(), 0);
        while let Some((key, read)) = reading.next().await {
            progress.inc(1);
            failures = if matches!(read, Read::Unanswered(_)) { failures + 1 } else { 0 };
            match read {
                Read::Course(course) => batch.push(*course),
                Read::Gone => gone.push(key.to_string()),
                Read::Failed(reason) | Read::Unanswered(reason) => {
                    report.failed.push(Remark::new(key.as_str(), reason));
                }
            }
            if batch.len() == BATCH {
                self.write(options, std::mem::take(&mut batch), report).await?;
            }
            if failures == FAILURES {
                report.stopped = Some(format!("the platform did not answer for {FAILURES} courses in a row"));
                break;
            }
        }
        self.write(options, batch, report).await?;
        Ok(gone)
    }

    /// Writes courses in one transaction, or one by one if that fails because of a course.
    async fn write(&self, options: Options, courses: Vec<Fetched>, report: &mut Report) -> JobResult<()> {
        if courses.is_empty() {
            return Ok(());
        }
        let Err(error) = apply::batch(self, options, &courses, report).await else { return Ok(()) };
        if matches!(error, JobError::Retry(_)) {
            return Err(error);
        }
        for course in &courses {
            if let Err(error) = apply::batch(self, options, std::slice::from_ref(course), report).await {
                report.failed.push(Remark::new(course.key.as_str(), error.to_string()));
            }
        }
        Ok(())
    }

    async fn withdraw(&self, gone: Vec<String>, options: Options, report: &mut Report) -> JobResult<()> {
        let synced = store::catalog::sync_state::present(&self.db).await?.len();
        if gone.len() > FEW && gone.len() * 2 > synced && !options.unpublish_any {
            let (gone, flag) = (gone.len(), "--unpublish-any");
            report.stopped = Some(format!(
                "{gone} of {synced} courses are missing from the platform; none was unpublished; {flag} unpublishes them"
            ));
            return Ok(());
        }
        apply::withdraw(self, options, &gone, report).await
    }

    /// Publishes the new generation to Redis. If that fails, the outbox message reaches the apis a little later.
    async fn announce(&self, generation: Option<i64>) {
        if let Some(generation) = generation
            && let Err(error) = self.generations.publish(generation).await
        {
            tracing::warn!(%error, "catalog generation not published to Redis; the outbox relay publishes it later");
        }
    }
}

/// The organisation part of a course key.
fn org_of(key: &CourseKey) -> &str {
    let parts = key.as_str().split_once(':').map_or(key.as_str(), |(_, parts)| parts);
    parts.split('+').next().unwrap_or_default()
}
