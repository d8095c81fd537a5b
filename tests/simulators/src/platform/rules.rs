//! The effect of an enrollment call, step by step as the platform decides it. Pure: state in, record out.

use super::courses::modes;
use crate::state::{Course, Enrollment, State, now};

/// A validated call for a known user and a valid course key.
pub struct Request {
    pub user_id: i64,
    pub course_id: String,
    pub mode: Option<String>,
    pub is_active: Option<bool>,
    /// Only staff can force; the caller of this module has checked that.
    pub force: bool,
    pub staff: bool,
    /// Indicates whether the learner's account has a profile.
    pub profile: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Refusal {
    NoCourse,
    ModeUnavailable {
        mode: String,
    },
    ModeMismatch {
        active: String,
        requested: String,
    },
    /// Closed, by invitation only, or full: the platform does not say which.
    NotPossible,
    Vetoed,
    /// The learner's country may not take the course.
    Embargoed,
    /// The platform fails with 500 and changes nothing: its change event needs the learner's profile.
    Fault,
}

pub fn apply(state: &mut State, request: &Request) -> Result<Enrollment, Refusal> {
    let course = state.course(&request.course_id);
    if course.embargo {
        return Err(Refusal::Embargoed);
    }
    if course.missing {
        return Err(Refusal::NoCourse);
    }
    let existing = state.enrollment(request.user_id, &request.course_id).cloned();
    let unchanged = existing.as_ref().is_some_and(|one| one.is_active && !changes(one, request));
    let mut record = match existing {
        Some(existing) if request.staff && changes(&existing, request) => update(&course, existing, request)?,
        existing => add(&course, enrolled(state, &request.course_id), existing, request)?,
    };
    if !request.profile && !unchanged {
        return Err(Refusal::Fault);
    }
    record.calls += 1;
    store(state, record.clone());
    Ok(record)
}

fn enrolled(state: &State, course_id: &str) -> usize {
    state.enrollments.iter().filter(|one| one.is_active && one.course_id == course_id).count()
}

fn changes(existing: &Enrollment, request: &Request) -> bool {
    mode_changes(existing, request) || activity_changes(existing, request)
}

fn mode_changes(existing: &Enrollment, request: &Request) -> bool {
    request.mode.as_ref().is_some_and(|mode| *mode != existing.mode)
}

fn activity_changes(existing: &Enrollment, request: &Request) -> bool {
    request.is_active.is_some_and(|is_active| is_active != existing.is_active)
}

/// Staff can change an enrollment in a closed course. An expired mode stops them, forced or not, unless the
/// enrollment ends inactive.
fn update(course: &Course, existing: Enrollment, request: &Request) -> Result<Enrollment, Refusal> {
    let mode = request.mode.clone().unwrap_or_else(|| existing.mode.clone());
    let is_active = request.is_active.unwrap_or(existing.is_active);
    if mode_changes(&existing, request) && activity_changes(&existing, request) && !is_active {
        return Err(Refusal::ModeMismatch { active: existing.mode, requested: mode });
    }
    if request.mode.is_some() {
        check_mode(course, &mode, request.is_active == Some(false))?;
    }
    Ok(Enrollment { mode, is_active, ..existing })
}

/// A trap: a deactivation for a learner without an enrollment comes here too, and first enrolls the learner. So does
/// every call that would change nothing.
fn add(
    course: &Course,
    enrolled: usize,
    existing: Option<Enrollment>,
    request: &Request,
) -> Result<Enrollment, Refusal> {
    let mode = request.mode.clone().unwrap_or_else(|| default_mode(course));
    check_mode(course, &mode, request.force || request.is_active == Some(false))?;
    if course.veto {
        return Err(Refusal::Vetoed);
    }
    let closed = course.closed || course.invitation_only;
    let full = course.full || course.seats.is_some_and(|seats| enrolled >= seats);
    if full || (closed && !request.force) {
        return Err(Refusal::NotPossible);
    }
    match existing {
        // An active enrollment is returned unchanged.
        Some(existing) if existing.is_active => Ok(existing),
        Some(existing) => Ok(Enrollment { mode, is_active: request.is_active.unwrap_or(true), ..existing }),
        None => Ok(Enrollment {
            user_id: request.user_id,
            course_id: request.course_id.clone(),
            mode,
            is_active: request.is_active.unwrap_or(true),
            created: now(),
            calls: 0,
        }),
    }
}

fn default_mode(course: &Course) -> String {
    let offered = modes(course, false);
    let offers = |slug: &str| offered.iter().any(|mode| mode.slug == slug);
    if !offers("audit") && offers("honor") { "honor".into() } else { "audit".into() }
}

fn check_mode(course: &Course, mode: &str, include_expired: bool) -> Result<(), Refusal> {
    let available = modes(course, include_expired).iter().any(|one| one.slug == mode);
    if available { Ok(()) } else { Err(Refusal::ModeUnavailable { mode: mode.into() }) }
}

fn store(state: &mut State, record: Enrollment) {
    let mine = |one: &&mut Enrollment| one.user_id == record.user_id && one.course_id == record.course_id;
    match state.enrollments.iter_mut().find(mine) {
        Some(place) => *place = record,
        None => state.enrollments.push(record),
    }
}
