//! The result of a sync, for an operator and for programs.

use std::fmt;

use serde::Serialize;
use shared::course_mode::CourseMode;

use super::merge::Difference;

#[derive(Debug, Default, Serialize)]
pub struct Report {
    /// Nothing was written: the report says what a sync would do.
    pub dry_run: bool,
    /// Courses that the platform listed.
    pub listed: usize,
    pub created: Vec<String>,
    pub changed: Vec<Change>,
    pub unchanged: usize,
    /// The platform no longer has them.
    pub unpublished: Vec<String>,
    /// The platform has them again.
    pub published_again: Vec<String>,
    /// Skus written to the platform.
    pub skus: Vec<NewSku>,
    /// Skipped by a rule, not by an error.
    pub skipped: Vec<Remark>,
    /// Could not be read or written.
    pub failed: Vec<Remark>,
    /// Synchronised, but with parts left out.
    pub notes: Vec<Remark>,
    /// Reason why the sync stopped early.
    pub stopped: Option<String>,
}

#[derive(Debug, Serialize)]
pub struct Change {
    pub course: String,
    pub fields: Vec<Difference>,
}

/// A sku that a mode of the platform gets.
#[derive(Clone, Debug, Serialize)]
pub struct NewSku {
    pub course: String,
    pub mode: CourseMode,
    pub sku: String,
}

#[derive(Debug, Serialize)]
pub struct Remark {
    pub course: String,
    pub reason: String,
}

impl Remark {
    pub fn new(course: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { course: course.into(), reason: reason.into() }
    }
}

impl Report {
    /// Returns whether the sync ran to the end without errors.
    pub fn is_complete(&self) -> bool {
        self.failed.is_empty() && self.stopped.is_none()
    }

    /// Sorts by course: courses are read concurrently, in no fixed order.
    pub fn sort(&mut self) {
        self.created.sort_unstable();
        self.changed.sort_unstable_by(|a, b| a.course.cmp(&b.course));
        self.skus.sort_by(|a, b| (&a.course, a.mode).cmp(&(&b.course, b.mode)));
        for remarks in [&mut self.skipped, &mut self.failed, &mut self.notes] {
            remarks.sort_by(|a, b| a.course.cmp(&b.course));
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dry = if self.dry_run { "dry run, nothing written: " } else { "" };
        write!(
            f,
            "{dry}{} courses listed, {} created, {} changed, {} unchanged, {} unpublished, {} published again, \
             {} skus written, {} skipped, {} failed",
            self.listed,
            self.created.len(),
            self.changed.len(),
            self.unchanged,
            self.unpublished.len(),
            self.published_again.len(),
            self.skus.len(),
            self.skipped.len(),
            self.failed.len(),
        )?;
        match &self.stopped {
            Some(reason) => write!(f, "; stopped: {reason}"),
            None => Ok(()),
        }
    }
}
