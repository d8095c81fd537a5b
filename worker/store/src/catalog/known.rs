//! Facts that are known before a record of a catalog file is read: what it can refer to, and its last import.
//!
//! Why: `docs/decisions/import-digests.md`

use std::collections::HashMap;

use chrono::NaiveDate;
use futures_util::TryStreamExt;
use shared::ids::{CourseKey, OrganisationId};
use shared::region::Country;
use shared::subdivision;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::JobResult;

/// Targets to which records of a catalog file can refer: rows in the database and earlier records of the file.
#[derive(Debug, Default)]
pub struct References {
    /// By lower-cased short name.
    pub organisations: HashMap<String, OrganisationId>,
    /// The stored spelling, by lower-cased name.
    pub tags: HashMap<String, String>,
    /// By course key.
    pub courses: HashMap<String, Uuid>,
    /// The stored spelling of states with tax rates.
    pub states: HashMap<TaxPlace, String>,
}

/// A state in which a tax rate applies from a day on, however its name is written.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct TaxPlace {
    organisation: OrganisationId,
    country: Country,
    state: String,
    pub valid_from: NaiveDate,
}

impl TaxPlace {
    pub fn of(organisation: OrganisationId, country: Country, state: &str, valid_from: NaiveDate) -> Self {
        Self { organisation, country, state: subdivision::key(country, state), valid_from }
    }
}

impl References {
    /// The id of an organisation, by its short name in any case.
    pub fn organisation(&self, short_name: &str) -> Result<OrganisationId, String> {
        let id = self.organisations.get(&short_name.to_lowercase());
        id.copied().ok_or_else(|| format!("unknown organisation {short_name:?}"))
    }

    /// The id of a course, by its key.
    pub fn course(&self, key: &CourseKey) -> Result<Uuid, String> {
        self.courses.get(key.as_str()).copied().ok_or_else(|| format!("unknown course {key}"))
    }
}

/// A SHA-256 digest of a record.
pub type Digest = [u8; 32];

/// Known facts about a record before its line is read.
#[derive(Debug, Default)]
pub struct Known {
    /// Of its last import, if there was one.
    pub digest: Option<Digest>,
    /// Indicates whether the file had the record already.
    pub seen: bool,
}

/// The kind and the key of a record as one text.
pub fn name(kind: &str, key: &str) -> String {
    format!("{kind} {key}")
}

/// Reads the organisations, tags, courses and states that records can refer to.
pub async fn references(db: &mut PgConnection) -> JobResult<References> {
    let organisations = sqlx::query!(r#"SELECT lower(short_name) AS "name!", id FROM organisations"#);
    let tags = sqlx::query_scalar!("SELECT name FROM tags");
    let mut references = References {
        organisations: organisations
            .fetch_all(&mut *db)
            .await?
            .into_iter()
            .map(|row| (row.name, row.id))
            .collect(),
        tags: tags.fetch_all(&mut *db).await?.into_iter().map(|tag| (tag.to_lowercase(), tag)).collect(),
        ..References::default()
    };
    let states = sqlx::query!(
        r#"SELECT organisation_id, country AS "country: Country", state AS "state!", valid_from FROM tax_rates
           WHERE state IS NOT NULL"#
    );
    for row in states.fetch_all(&mut *db).await? {
        let place = TaxPlace::of(row.organisation_id, row.country, &row.state, row.valid_from);
        references.states.insert(place, row.state);
    }
    let mut courses = sqlx::query!("SELECT openedx_course_id, id FROM courses").fetch(db);
    while let Some(row) = courses.try_next().await? {
        references.courses.insert(row.openedx_course_id, row.id);
    }
    Ok(references)
}

/// Loads what is known of records by their [`name`]: all that were ever imported.
pub async fn records(db: &mut PgConnection) -> JobResult<HashMap<String, Known>> {
    let mut rows = sqlx::query!("SELECT kind, key, digest FROM imported_records").fetch(db);
    let mut known = HashMap::new();
    while let Some(row) = rows.try_next().await? {
        known.insert(name(&row.kind, &row.key), Known { digest: row.digest.try_into().ok(), seen: false });
    }
    Ok(known)
}

/// Stores the digests of these records.
pub async fn remember<'a>(
    db: &mut PgConnection,
    records: impl Iterator<Item = (&'a str, &'a str, Digest)>,
) -> JobResult<()> {
    let (mut kinds, mut keys, mut digests) = (Vec::new(), Vec::new(), Vec::new());
    for (kind, key, digest) in records {
        kinds.push(kind.to_owned());
        keys.push(key.to_owned());
        digests.push(digest.to_vec());
    }
    sqlx::query!(
        "INSERT INTO imported_records (kind, key, digest) SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[])
         ON CONFLICT (kind, key) DO UPDATE SET digest = excluded.digest
         WHERE imported_records.digest <> excluded.digest",
        &kinds, &keys, &digests,
    )
    .execute(db)
    .await?;
    Ok(())
}
