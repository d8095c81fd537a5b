//! JSON of tags with their courses and programs.

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::children::{ChildCourse, TaggedCourse};
use super::envelope::{PartialError, partial_errors};
use super::price::Pricing;
use super::programs::ProgramOrganisation;
use crate::queries::programs::Program;
use crate::queries::tags::{Tag, Tagged};

#[derive(Debug, Serialize, ToSchema)]
pub struct TagList {
    tags: Vec<TagEntry>,
    /// Items that cannot be shown. Left out when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    partial_errors: Vec<PartialError>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TagEntry {
    tag: String,
    /// The newest hundred, or fewer if the answer lists many tags; empty with `include_courses=false`.
    #[schema(max_items = 100)]
    courses: Vec<TaggedCourse>,
    /// The newest hundred, or fewer if the answer lists many tags; empty with `include_programs=false`.
    #[schema(max_items = 100)]
    programs: Vec<TaggedProgram>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TaggedProgram {
    id: Uuid,
    name: String,
    description: String,
    about: String,
    organisation: ProgramOrganisation,
    courses_count: usize,
    /// Empty unless courses are included too.
    courses: Vec<ChildCourse>,
}

impl TagList {
    pub fn new(tagged: Tagged, with_courses: bool, pricing: Pricing<'_>) -> Self {
        let Tagged { tags, courses, programs, broken } = tagged;
        let entry = |tag: Tag| TagEntry {
            tag: tag.name,
            courses: tag
                .courses
                .iter()
                .filter_map(|id| courses.get(id))
                .map(|course| TaggedCourse::new(course.clone(), pricing))
                .collect(),
            programs: tag
                .programs
                .iter()
                .filter_map(|id| programs.get(id))
                .map(|program| TaggedProgram::new(program.clone(), with_courses, pricing))
                .collect(),
        };
        Self { tags: tags.into_iter().map(entry).collect(), partial_errors: partial_errors(broken) }
    }
}

impl TaggedProgram {
    fn new(program: Program, with_courses: bool, pricing: Pricing<'_>) -> Self {
        let Program { row, courses, .. } = program;
        Self {
            id: row.id,
            name: row.name,
            description: row.description,
            about: row.about,
            organisation: ProgramOrganisation {
                name: row.organisation_name,
                logo_url: row.logo_url,
                favicon_url: row.favicon_url,
            },
            courses_count: courses.len(),
            courses: match with_courses {
                true => courses.into_iter().map(|course| ChildCourse::new(course, pricing)).collect(),
                false => Vec::new(),
            },
        }
    }
}
