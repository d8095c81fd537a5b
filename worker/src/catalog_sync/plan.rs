//! Decides which courses a sync reads, and in which order.

use std::collections::{HashMap, HashSet};

use shared::db::Db;
use shared::ids::CourseKey;
use store::catalog::sync_state::{self, Known, Mapping};
use store::error::JobResult;

use super::org_of;
use super::report::{Remark, Report};

/// The listed courses that the sync takes, and the catalog's courses that the platform did not list: the sync asks
/// for each of these whether it still exists. Courses that were never read come first, then those read the longest
/// time ago.
pub async fn whole(db: &Db, listed: Vec<CourseKey>, report: &mut Report) -> JobResult<Vec<CourseKey>> {
    let seen: HashSet<String> = listed.iter().map(CourseKey::to_string).collect();
    let unlisted = sync_state::present(db).await?.into_iter().filter(|key| !seen.contains(key));
    let unlisted: Vec<CourseKey> = unlisted.filter_map(|key| key.parse().ok()).collect();
    let mut keys = wanted(db, listed, report).await?;
    keys.extend(unlisted);
    let synced = sync_state::synced(db).await?;
    keys.sort_by_cached_key(|key| (synced.get(key.as_str()).copied(), key.to_string()));
    Ok(keys)
}

/// Drops courses whose platform organisation the operator excludes or has not mapped, and adds them to the report.
pub async fn wanted(db: &Db, keys: Vec<CourseKey>, report: &mut Report) -> JobResult<Vec<CourseKey>> {
    let names: Vec<String> = keys.iter().map(CourseKey::to_string).collect();
    let mut connection = db.acquire().await?;
    let known = sync_state::known(&mut connection, &names).await?;
    let mappings = sync_state::mappings(&mut connection).await?;
    let mut wanted = Vec::new();
    for key in keys {
        match reason_to_skip(&key, &known, &mappings) {
            None => wanted.push(key),
            Some(reason) => report.skipped.push(Remark::new(key.as_str(), reason)),
        }
    }
    Ok(wanted)
}

/// A course that the catalog already has stays with its organisation, even if the platform's organisation is not
/// mapped.
fn reason_to_skip(
    key: &CourseKey,
    known: &HashMap<String, Known>,
    mappings: &HashMap<String, Mapping>,
) -> Option<String> {
    let org = org_of(key);
    match mappings.get(&org.to_lowercase()) {
        Some(Mapping { organisation: None, .. }) => Some(format!("the operator leaves out {org:?}")),
        Some(_) => None,
        None if known.contains_key(key.as_str()) => None,
        None => Some(format!("no organisation is called {org:?}, and none is mapped to it")),
    }
}
