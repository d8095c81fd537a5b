//! Targets to which records of a catalog file can refer: rows in the database and earlier records of the file.

use std::collections::{HashMap, HashSet};

use shared::ids::CourseKey;
use uuid::Uuid;

use super::record::Record;
use crate::store::import::References;

impl References {
    /// Checks the references of a record, adds the record itself, and gives its tags their stored spelling.
    pub fn check(&mut self, record: &mut Record) -> Result<(), String> {
        match record {
            Record::Organisation(organisation) => take(
                &mut self.organisations,
                organisation.short_name.to_lowercase(),
                organisation.id,
                "short_name",
            ),
            Record::PlatformOrganisation(mapping) => {
                mapping.organisation.as_ref().map_or(Ok(()), |name| self.organisation(name).map(|_| ()))
            }
            Record::PricingPolicy(policy) => self.organisation(&policy.organisation).map(|_| ()),
            Record::TaxRate(rate) => self.organisation(&rate.organisation).map(|_| ()),
            Record::ExchangeRate(_) => Ok(()),
            Record::Tag(tag) => {
                self.tags.insert(tag.name.to_lowercase(), tag.name.clone());
                Ok(())
            }
            Record::Course(course) => {
                self.organisation(&course.organisation)?;
                self.spell(&mut course.tags)?;
                let key = course.openedx_course_id.as_str().to_owned();
                take(&mut self.courses, key, course.id, "openedx_course_id")
            }
            Record::Program(program) => {
                self.organisation(&program.organisation)?;
                self.spell(&mut program.tags)?;
                let mut seen = HashSet::new();
                program.courses.iter().try_for_each(|key| {
                    self.course(key)?;
                    seen.insert(key).then_some(()).ok_or(format!("course {key} appears twice"))
                })
            }
            Record::Banner(banner) => self.organisation(&banner.organisation).map(|_| ()),
        }
    }

    /// The id of an organisation, by its short name in any case.
    pub fn organisation(&self, short_name: &str) -> Result<Uuid, String> {
        let id = self.organisations.get(&short_name.to_lowercase());
        id.copied().ok_or_else(|| format!("unknown organisation {short_name:?}"))
    }

    /// The id of a course, by its key.
    pub fn course(&self, key: &CourseKey) -> Result<Uuid, String> {
        self.courses.get(key.as_str()).copied().ok_or_else(|| format!("unknown course {key}"))
    }

    /// Gives each tag the spelling that the catalog has.
    fn spell(&self, tags: &mut [String]) -> Result<(), String> {
        tags.iter_mut().try_for_each(|tag| {
            let known = self.tags.get(&tag.to_lowercase()).ok_or_else(|| format!("unknown tag {tag:?}"))?;
            tag.clone_from(known);
            Ok(())
        })
    }
}

/// Assigns a name to an id. A name that another id has is an error.
fn take(names: &mut HashMap<String, Uuid>, name: String, id: Uuid, what: &str) -> Result<(), String> {
    match names.get(&name) {
        Some(owner) if *owner != id => Err(format!("{what} {name:?} already belongs to {owner}")),
        Some(_) => Ok(()),
        None => {
            names.insert(name, id);
            Ok(())
        }
    }
}
