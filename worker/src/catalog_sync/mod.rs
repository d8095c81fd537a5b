//! `catalog sync`: the catalog follows the courses of the platform. It reads the list of courses, then each course with
//! its modes and content, and writes what the platform owns; what the operator owns stays (docs/catalog-sync.md).
//! A batch of courses is a transaction: a sync that is killed has done what it has done, and the next one begins with
//! the courses that were synchronised the longest time ago.

mod apply;
mod contents;
mod facts;
mod fetch;
mod listing;
mod merge;
mod plan;
mod report;
mod schedule;

use futures_util::StreamExt;
use indicatif::ProgressBar;
use secrecy::ExposeSecret;
use shared::clock::Clock;
use shared::ids::CourseKey;
use shared::keys::Keys;
use shared::settings::RedisSettings;
use sqlx::{PgConnection, PgPool};

use crate::config::{CatalogSyncSettings, PlatformSettings};
use crate::context::Generations;
use crate::error::{JobError, JobResult};
use crate::platform::{CatalogError, Platform, Throttle};
use crate::store;
use apply::Fetched;
use fetch::Read;
pub use merge::Difference;
pub use report::{Remark, Report};
pub use schedule::{run_requested, run_timer};

/// Courses that are read side by side; the throttle holds the calls apart.
const AT_ONCE: usize = 4;

/// Courses that are written together.
const BATCH: usize = 50;

/// Courses in a row that the platform fails to tell of: it is away, and the rest is left for the next sync.
const FAILURES: usize = 10;

/// More courses than this, and more than half of them all, do not vanish at once: rather the platform's address is wrong.
const FEW: usize = 10;

/// Names the lock that the one whole sync holds.
const LOCK: i64 = 7_316_076;

/// Everything that a sync works with.
#[derive(Clone)]
pub struct CatalogSync {
    db: PgPool,
    /// Under the limit of the enrollment calls.
    enrollments: Platform,
    /// Under a limit of its own.
    courses: Platform,
    generations: Generations,
    clock: Clock,
    /// Whether new courses are published at once.
    publish: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Say what would be done, and write nothing.
    pub dry_run: bool,
    /// Unpublish what has vanished, however much it is.
    pub unpublish_any: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    #[error("another sync is under way")]
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
    /// # Errors
    /// A setting that cannot be used.
    pub fn new(
        db: PgPool,
        redis: &RedisSettings,
        platform: &PlatformSettings,
        settings: &CatalogSyncSettings,
        clock: Clock,
    ) -> Result<Self, SyncError> {
        let client = redis::Client::open(redis.redis_url.expose_secret())
            .map_err(|error| SyncError::Setup(format!("REDIS_URL: {error}")))?;
        let manager = redis::aio::ConnectionManager::new_lazy_with_config(client.clone(), Default::default())
            .map_err(|error| SyncError::Setup(format!("REDIS_URL: {error}")))?;
        let keys = Keys::new(&redis.redis_prefix);
        let throttle = |key, calls| Throttle::new(manager.clone(), key, calls);
        let enrollments =
            Platform::new(platform, throttle(keys.platform_throttle(), platform.platform_calls_per_minute))
                .map_err(|error| SyncError::Setup(format!("platform client: {error}")))?;
        let own = throttle(keys.catalog_throttle(), settings.catalog_sync_calls_per_minute);
        Ok(Self {
            db,
            courses: enrollments.paced(own),
            enrollments,
            generations: Generations::new(client, keys),
            clock,
            publish: settings.catalog_sync_publish,
        })
    }

    /// One sync of all courses.
    ///
    /// # Errors
    /// The courses could not be listed, another sync is under way, or the database is away. What was written until then
    /// stays written.
    pub async fn run(&self, options: Options, progress: &ProgressBar) -> Result<Report, SyncError> {
        let _lock = if options.dry_run { None } else { Some(self.lock().await?) };
        self.follow(options, progress).await
    }

    /// Keeps other whole syncs out. A connection of its own, which takes the lock with it however the sync ends.
    async fn lock(&self) -> Result<PgConnection, SyncError> {
        let mut lock = self.db.acquire().await?.detach();
        if store::try_lock(&mut lock, LOCK).await? { Ok(lock) } else { Err(SyncError::UnderWay) }
    }

    /// The service account's name, if it sees every course: what it does not see would count as vanished.
    async fn account(&self) -> Result<String, SyncError> {
        let username = self.courses.service_username().await?;
        match self.courses.reads_as_staff().await? {
            true => Ok(username),
            false => Err(SyncError::Setup(format!(
                "the platform's account {username} must be staff, and its OAuth application not restricted"
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
                store::catalog_sync::finish(&self.db, self.clock.now()).await?;
            }
            self.withdraw(gone, options, &mut report).await?;
        }
        report.sort();
        Ok(report)
    }

    /// One course, as it is at the platform now.
    ///
    /// # Errors
    /// The platform did not answer, or the database is away.
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

    /// Returns the courses that the platform does not have.
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
                report.stopped = Some(format!("the platform failed for {FAILURES} courses in a row"));
                break;
            }
        }
        self.write(options, batch, report).await?;
        Ok(gone)
    }

    /// Writes courses together, or one by one if one of them keeps the others from being written.
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
        let synced = store::catalog_sync::present(&self.db).await?.len();
        if gone.len() > FEW && gone.len() * 2 > synced && !options.unpublish_any {
            let (gone, flag) = (gone.len(), "--unpublish-any");
            report.stopped = Some(format!(
                "{gone} of {synced} courses have vanished; nothing was unpublished, {flag} unpublishes them"
            ));
            return Ok(());
        }
        apply::withdraw(self, options, &gone, report).await
    }

    /// Brings the new generation to Redis. Without Redis the apis learn of it a little later, from the outbox.
    async fn announce(&self, generation: Option<i64>) {
        if let Some(generation) = generation
            && let Err(error) = self.generations.publish(generation).await
        {
            tracing::warn!(%error, "the catalog's generation is not published");
        }
    }
}

/// The organisation in a course key.
fn org_of(key: &CourseKey) -> &str {
    let parts = key.as_str().split_once(':').map_or(key.as_str(), |(_, parts)| parts);
    parts.split('+').next().unwrap_or_default()
}
