//! The staff of an organisation: what its roles may do, and its changes at the desk.

use shared::email::Email;
use shared::ids::OrganisationId;
use shared::messages::{DeskCaller, Refusal};
use shared::staff::Role;
use sqlx::PgConnection;
use store::error::{JobError, JobResult};
use store::people::staff;
use store::plumbing::audit::Cause;

use crate::runtime::context::Context;

/// Checks that a member of the staff has a role, at this moment. A key may do what the support does.
///
/// # Errors
/// `Forbidden`.
pub async fn check_role(ctx: &Context, caller: &DeskCaller, needed: Role) -> JobResult<()> {
    match caller {
        DeskCaller::Key { .. } if needed == Role::Support => Ok(()),
        DeskCaller::Key { .. } => {
            Err(Refusal::Forbidden { detail: format!("this needs a person in the role {needed}") }.into())
        }
        DeskCaller::Staff(member) => staff::check(&ctx.db, member, needed).await,
    }
}

pub async fn remove(
    db: &mut PgConnection,
    organisation: OrganisationId,
    email: &Email,
    cause: Cause,
) -> JobResult<()> {
    let managers = staff::managers(db, organisation).await?;
    let member = staff::member(db, organisation, email).await?;
    let member = member.ok_or_else(|| JobError::invalid("email", "is not on the staff"))?;
    keep_a_manager(managers, &member.1)?;
    staff::remove(db, organisation, member.0, cause).await.map(drop)
}

pub async fn set(
    db: &mut PgConnection,
    organisation: OrganisationId,
    email: &Email,
    roles: &[Role],
    cause: Cause,
) -> JobResult<()> {
    let managers = staff::managers(db, organisation).await?;
    let learner = match staff::member(db, organisation, email).await? {
        Some(member) => {
            if !roles.contains(&Role::Manager) {
                keep_a_manager(managers, &member.1)?;
            }
            Some(member.0)
        }
        None => staff::known_person(db, organisation, email).await?,
    };
    let learner = learner.ok_or_else(|| {
        JobError::invalid(
            "email",
            "is not of an account that has bought or enrolled here; an operator can add it",
        )
    })?;
    staff::set(db, organisation, learner, email, roles, cause).await.map(drop)
}

/// Checks that an organisation with so many managers has one left without a member of its staff in these roles. They are counted under a
/// lock, which is taken before the roles are read.
fn keep_a_manager(managers: usize, roles: &[Role]) -> JobResult<()> {
    match roles.contains(&Role::Manager) && managers < 2 {
        true => Err(JobError::invalid("email", "is the last manager; an operator can change that")),
        false => Ok(()),
    }
}
