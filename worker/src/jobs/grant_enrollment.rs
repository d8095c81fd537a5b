//! A trusted partner gives an address access to a course.

use shared::messages::{EnrollmentAnswer, GrantEnrollment, Mail, Refusal, SendEmail};

use super::{Meta, address};
use crate::context::Context;
use crate::error::JobResult;
use crate::store::audit::{Actor, Cause};
use crate::store::enrollments::{self, Grant, Source};
use crate::store::offers::{self, GrantedCourse};
use crate::store::outbox;

pub async fn run(ctx: &Context, command: &GrantEnrollment, meta: &Meta) -> JobResult<EnrollmentAnswer> {
    let course = offers::granted_course(&ctx.db, command.course_id, command.mode)
        .await?
        .ok_or(Refusal::CourseNotFound)?;
    check_mode(&course, command, ctx)?;
    let address = address::look_up(ctx, &command.email).await?;

    let mut tx = ctx.db.begin().await?;
    let now = ctx.clock.now();
    let cause = Cause { actor: Actor::Client, command_id: meta.id, now };
    let grant = Grant {
        email: &command.email,
        holder: address.holder(&mut tx, &command.email, now).await?,
        course_id: command.course_id,
        mode: command.mode,
        source: Source::Partner,
    };
    let granted = enrollments::grant(&mut tx, &grant, cause).await?;
    if granted.invite {
        let mail = Mail::RegistrationInvitation {
            organisation_id: course.organisation_id,
            courses: vec![course.display_name],
        };
        outbox::push(&mut tx, SendEmail { to: command.email.clone(), mail }, now).await?;
    }
    let answer = EnrollmentAnswer { enrollment_state: granted.state };
    meta.finish(&mut tx, &answer, ctx.clock.now()).await?;
    tx.commit().await?;
    Ok(answer)
}

/// A partner may grant what is closed, hidden or for invited learners, but only in a mode that the course has.
fn check_mode(course: &GrantedCourse, command: &GrantEnrollment, ctx: &Context) -> Result<(), Refusal> {
    let fault = match course.mode_expires_at {
        _ if !course.has_mode => format!("the course has no mode {}", command.mode),
        Some(end) if end <= ctx.clock.now() => format!("the course's mode {} has expired", command.mode),
        _ => return Ok(()),
    };
    Err(Refusal::UnsupportedMode { detail: fault })
}
