//! Targets to which records of a catalog file can refer: rows in the database and earlier records of the file.

use std::collections::{HashMap, HashSet};
use std::fmt::Display;

use shared::ids::OrganisationId;
use store::catalog::known::{References, TaxPlace};

use super::record::Record;

/// Checks the references of a record, adds the record itself, and gives its tags their stored spelling.
pub fn check(references: &mut References, record: &mut Record) -> Result<(), String> {
    match record {
        Record::Organisation(organisation) => take(
            &mut references.organisations,
            organisation.short_name.to_lowercase(),
            OrganisationId(organisation.id),
            "short_name",
        ),
        Record::PlatformOrganisation(mapping) => {
            mapping.organisation.as_ref().map_or(Ok(()), |name| references.organisation(name).map(|_| ()))
        }
        Record::PricingPolicy(policy) => references.organisation(&policy.organisation).map(|_| ()),
        Record::TaxRate(rate) => {
            let organisation = references.organisation(&rate.organisation)?;
            rate.state.as_deref().map_or(Ok(()), |state| {
                let place = TaxPlace::of(organisation, rate.country, state, rate.valid_from);
                name_state(&mut references.states, place, state)
            })
        }
        Record::ExchangeRate(_) => Ok(()),
        Record::Tag(tag) => {
            references.tags.insert(tag.name.to_lowercase(), tag.name.clone());
            Ok(())
        }
        Record::Course(course) => {
            references.organisation(&course.organisation)?;
            spell(references, &mut course.tags)?;
            let key = course.openedx_course_id.as_str().to_owned();
            take(&mut references.courses, key, course.id, "openedx_course_id")
        }
        Record::Program(program) => {
            references.organisation(&program.organisation)?;
            spell(references, &mut program.tags)?;
            let mut seen = HashSet::new();
            program.courses.iter().try_for_each(|key| {
                references.course(key)?;
                seen.insert(key).then_some(()).ok_or(format!("course {key} appears twice"))
            })
        }
        Record::Banner(banner) => references.organisation(&banner.organisation).map(|_| ()),
    }
}

/// Gives each tag the spelling that the catalog has.
fn spell(references: &References, tags: &mut [String]) -> Result<(), String> {
    tags.iter_mut().try_for_each(|tag| {
        let known = references.tags.get(&tag.to_lowercase()).ok_or_else(|| format!("unknown tag {tag:?}"))?;
        tag.clone_from(known);
        Ok(())
    })
}

/// Refuses another spelling of a state that has a rate from the same day: nobody could say which of the two applies.
fn name_state(states: &mut HashMap<TaxPlace, String>, place: TaxPlace, state: &str) -> Result<(), String> {
    let day = place.valid_from;
    let named = states.entry(place).or_insert_with(|| state.to_owned());
    if named.to_lowercase() == state.to_lowercase() {
        return Ok(());
    }
    Err(format!("state {state:?} has a rate from {day} under the name {named:?}: use this name"))
}

/// Assigns a name to an id. A name that another id has is an error.
fn take<Id: Copy + Display + PartialEq>(
    names: &mut HashMap<String, Id>,
    name: String,
    id: Id,
    what: &str,
) -> Result<(), String> {
    match names.get(&name) {
        Some(owner) if *owner != id => Err(format!("{what} {name:?} already belongs to {owner}")),
        Some(_) => Ok(()),
        None => {
            names.insert(name, id);
            Ok(())
        }
    }
}
