//! Writes courses that were read from the platform, in one transaction, with the import's functions.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde_json::Value;
use shared::ids::CourseKey;
use sqlx::PgConnection;
use store::catalog::import::{self, Batch};
use store::catalog::known::{self, References};
use store::catalog::sync_state::{self, Known, Mapping};
use store::catalog::{export, generation};
use store::error::{JobError, JobResult};
use uuid::Uuid;

use super::facts::Facts;
use super::merge::{self, Difference, Terms};
use super::report::{Change, NewSku, Remark, Report};
use super::{CatalogSync, Options, org_of};
use crate::catalog::record::{Course, Record};
use crate::catalog::rows;

/// A course read from the platform.
pub struct Fetched {
    pub key: CourseKey,
    pub facts: Facts,
    /// Time when the read began.
    pub at: DateTime<Utc>,
}

/// The state before a batch, read under the lock that lets one transaction at a time write courses.
struct Before {
    known: HashMap<String, Known>,
    /// By id.
    courses: HashMap<Uuid, Course>,
    mappings: HashMap<String, Mapping>,
    references: References,
    /// By lower-cased short name.
    currencies: HashMap<String, String>,
    /// Indicates whether modes without a sku get the storefront's own.
    skus: bool,
}

/// Rows that a batch writes.
#[derive(Default)]
struct After {
    records: Vec<Record>,
    /// All courses that were read from the platform, changed or not, with the time of the read.
    noted: Vec<(Uuid, DateTime<Utc>)>,
    /// Skus that the platform lacks.
    skus: Vec<NewSku>,
}

/// Writes a batch. Adds the results to the report only if the whole batch was written.
pub async fn batch(
    sync: &CatalogSync,
    options: Options,
    fetched: &[Fetched],
    report: &mut Report,
) -> JobResult<()> {
    let mut tx = sync.db.begin().await?;
    generation::lock_writers(&mut tx).await?;
    let keys: Vec<String> = fetched.iter().map(|course| course.key.to_string()).collect();
    let before = Before { skus: sync.writes_skus(options), ..Before::read(&mut tx, &keys).await? };
    let now = sync.clock.now();
    let (mut done, mut after) = (Report::default(), After::default());
    for course in fetched {
        before.merge(course, sync.publish, now, &mut after, &mut done);
    }
    let skus = std::mem::take(&mut after.skus);
    if options.dry_run {
        done.skus = skus;
    } else {
        let changed = !after.records.is_empty();
        after.write(&mut tx, &before.references, now).await?;
        let generation = match changed {
            true => Some(generation::raise(&mut tx, now).await?),
            false => None,
        };
        tx.commit().await?;
        sync.announce(generation).await;
        // After the commit: a link with a sku that the catalog does not have yet would lead nowhere.
        write_skus(sync, skus, &mut done).await;
    }
    report.add(done);
    Ok(())
}

/// Writes skus to the platform. The next sync writes those that fail here.
async fn write_skus(sync: &CatalogSync, skus: Vec<NewSku>, report: &mut Report) {
    for new in skus {
        match sync.courses.set_sku(&new.course, new.mode.slug(), &new.sku).await {
            Ok(()) => report.skus.push(new),
            Err(error) => {
                let reason = format!("the sku of {} was not written: {error}", new.mode);
                report.failed.push(Remark::new(new.course, reason));
            }
        }
    }
}

impl Before {
    async fn read(db: &mut PgConnection, keys: &[String]) -> JobResult<Self> {
        let known = sync_state::known(db, keys).await?;
        let ids: Vec<Uuid> = known.values().map(|known| known.id).collect();
        let mut courses = HashMap::new();
        for line in export::courses(db, &ids).await? {
            if let Record::Course(mut course) = serde_json::from_value(line)? {
                course.sort();
                course.shorten();
                courses.insert(course.id, *course);
            }
        }
        let (mut references, mut currencies) = (References::default(), HashMap::new());
        for (short_name, id, currency) in sync_state::organisations(db).await? {
            references.organisations.insert(short_name.to_lowercase(), id);
            currencies.insert(short_name.to_lowercase(), currency);
        }
        let mappings = sync_state::mappings(db).await?;
        Ok(Self { known, courses, mappings, references, currencies, skus: false })
    }

    fn merge(
        &self,
        fetched: &Fetched,
        publish: bool,
        now: DateTime<Utc>,
        after: &mut After,
        report: &mut Report,
    ) {
        let (key, at) = (fetched.key.to_string(), fetched.at);
        let known = self.known.get(&key);
        if known.and_then(|known| known.synced_at).is_some_and(|synced_at| synced_at > at) {
            // Another sync read the course later and has already written it.
            report.unchanged += 1;
            return;
        }
        match self.merged(fetched, known, publish, now) {
            Ok(merged) => {
                report.notes.extend(fetched.facts.notes.iter().map(|note| Remark::new(key.clone(), note)));
                after.noted.push((merged.id, at));
                if self.skus {
                    after.skus.extend(missing_skus(&key, merged.id, &fetched.facts));
                }
                report.tell(key, known, &merged);
                after.records.extend(merged.changed());
            }
            Err(reason) => report.failed.push(Remark::new(key, reason)),
        }
    }

    fn merged(
        &self,
        fetched: &Fetched,
        known: Option<&Known>,
        publish: bool,
        now: DateTime<Utc>,
    ) -> Result<Merged, String> {
        let Fetched { key, facts, .. } = fetched;
        let current = known.and_then(|known| self.courses.get(&known.id));
        let terms = self.terms(key, current)?;
        let Some(current) = current else {
            let course = merge::create(key, facts, &terms, publish, now);
            return Merged::new(None, course);
        };
        let before = value_of(current)?;
        let mut course = current.clone();
        merge::update(&mut course, facts, &terms);
        if known.is_some_and(|known| known.withdrawn) {
            course.is_published = true;
        }
        Merged::new(Some(before), course)
    }

    fn terms(&self, key: &CourseKey, current: Option<&Course>) -> Result<Terms, String> {
        let mapping = self.mappings.get(&org_of(key).to_lowercase());
        let mapped = mapping.and_then(|mapping| mapping.organisation.clone());
        let organisation = current.map(|course| course.organisation.clone()).or(mapped);
        let organisation = organisation.ok_or_else(|| "its organisation is not mapped".to_owned())?;
        let currency = self.currencies.get(&organisation.to_lowercase());
        let currency =
            currency.and_then(|code| code.parse().ok()).ok_or("its organisation no longer exists")?;
        let own_prices = mapping.is_some_and(|mapping| mapping.own_prices);
        Ok(Terms { organisation, currency, own_prices, skus: self.skus })
    }
}

struct Merged {
    id: Uuid,
    is_new: bool,
    is_published: bool,
    record: Record,
    differences: Vec<Difference>,
}

impl Merged {
    fn new(before: Option<Value>, mut course: Course) -> Result<Self, String> {
        course.sort();
        let after = value_of(&course)?;
        if after.to_string().contains("\\u0000") {
            return Err("the platform's answer contains a NUL character".into());
        }
        let differences = before.as_ref().map(|before| merge::differences(before, &after));
        let (id, is_published) = (course.id, course.is_published);
        let record = Record::Course(Box::new(course));
        record.check()?;
        let is_new = before.is_none();
        Ok(Self { id, is_new, is_published, record, differences: differences.unwrap_or_default() })
    }

    fn changed(self) -> Option<Record> {
        (self.is_new || !self.differences.is_empty()).then_some(self.record)
    }
}

/// The skus that the platform lacks for a course.
fn missing_skus(key: &str, course_id: Uuid, facts: &Facts) -> Vec<NewSku> {
    let missing = facts.modes.iter().filter_map(|told| {
        let sku = merge::sku_to_write(course_id, told)?;
        Some(NewSku { course: key.to_owned(), mode: told.slug, sku })
    });
    missing.collect()
}

fn value_of(course: &Course) -> Result<Value, String> {
    serde_json::to_value(course).map_err(|error| error.to_string())
}

impl Report {
    fn tell(&mut self, key: String, known: Option<&Known>, merged: &Merged) {
        if known.is_some_and(|known| known.withdrawn && !known.is_published && merged.is_published) {
            self.published_again.push(key.clone());
        }
        if merged.is_new {
            self.created.push(key);
        } else if merged.differences.is_empty() {
            self.unchanged += 1;
        } else {
            self.changed.push(Change { course: key, fields: merged.differences.clone() });
        }
    }

    fn add(&mut self, other: Report) {
        self.created.extend(other.created);
        self.changed.extend(other.changed);
        self.unchanged += other.unchanged;
        self.published_again.extend(other.published_again);
        self.skus.extend(other.skus);
        self.failed.extend(other.failed);
        self.notes.extend(other.notes);
    }
}

impl After {
    async fn write(
        mut self,
        db: &mut PgConnection,
        references: &References,
        now: DateTime<Utc>,
    ) -> JobResult<()> {
        let (ids, times): (Vec<Uuid>, Vec<DateTime<Utc>>) = self.noted.into_iter().unzip();
        if self.records.is_empty() {
            return sync_state::note(db, &ids, &times).await;
        }
        let mut digests = Vec::new();
        let mut rows = Batch::default();
        for record in &mut self.records {
            let digest = record.digest().map_err(JobError::dead)?;
            let (kind, key) = record.key();
            digests.push((kind, key, digest));
            rows::add(&mut rows, record, references, now).map_err(JobError::dead)?;
        }
        // Update the digests, so that an import of the earlier record writes it again.
        let remembered = digests.iter().map(|(kind, key, digest)| (*kind, key.as_str(), *digest));
        known::remember(db, remembered).await?;
        import::write(db, rows, now).await?;
        sync_state::note(db, &ids, &times).await
    }
}

/// Unpublishes courses that the platform no longer has, in one transaction.
pub async fn withdraw(
    sync: &CatalogSync,
    options: Options,
    keys: &[String],
    report: &mut Report,
) -> JobResult<()> {
    let mut tx = sync.db.begin().await?;
    generation::lock_writers(&mut tx).await?;
    let known = sync_state::known(&mut tx, keys).await?;
    let now = sync.clock.now();
    let mut gone: Vec<String> = Vec::new();
    for (key, known) in known {
        if known.synced_at.is_none() || known.withdrawn {
            continue;
        }
        if known.is_published {
            sync_state::withdraw(&mut tx, known.id, now).await?;
            gone.push(key);
        } else {
            // The operator unpublished this course, so it stays unpublished even if the platform has it again.
            sync_state::forget(&mut tx, known.id).await?;
        }
    }
    if options.dry_run {
        tx.rollback().await?;
    } else {
        let generation = match gone.is_empty() {
            true => None,
            false => Some(generation::raise(&mut tx, now).await?),
        };
        tx.commit().await?;
        sync.announce(generation).await;
    }
    gone.sort_unstable();
    report.unpublished.extend(gone);
    Ok(())
}
