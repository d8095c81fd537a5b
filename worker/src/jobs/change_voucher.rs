//! Changes the limits, the end or the note of a voucher. What it takes off, and for what, stays as it was promised.

use serde_json::to_value;
use shared::messages::{ChangeVoucher, FieldError, MOST_IN_POOL, VoucherChanges};
use shared::money::Money;
use store::error::JobResult;
use store::plumbing::audit::Cause;
use store::sales::vouchers::{self, Changeable};
use tracing::instrument;

use super::create_vouchers::invalid;
use crate::runtime::command::CommandContext;
use crate::runtime::context::Context;

#[instrument(name = "job.change_voucher", skip_all, fields(voucher = %command.voucher_id))]
pub async fn run(ctx: &Context, command: &ChangeVoucher, command_ctx: &CommandContext) -> JobResult<()> {
    let now = ctx.clock.now();
    let cause = Cause { actor: command.keeper.into(), command_id: command_ctx.id, now };
    let mut tx = ctx.transaction().await?;
    let mut voucher = vouchers::lock(&mut tx, command.voucher_id).await?;
    let errors = apply(&mut voucher, &command.changes);
    if !errors.is_empty() {
        return Err(invalid(errors));
    }
    vouchers::change(&mut tx, command.voucher_id, &voucher, to_value(&command.changes)?, cause).await?;
    command_ctx.finish(&mut *tx, &(), ctx.clock.now()).await?;
    tx.commit().await?;
    Ok(())
}

/// Applies the changes; returns what cannot be changed so. A limit stays one, and no limit none, because the uses of a
/// voucher without limits are not counted in its row.
fn apply(voucher: &mut Changeable, changes: &VoucherChanges) -> Vec<FieldError> {
    const STAYS: &str = "a limit can be changed, and neither added nor removed";
    let mut errors = Vec::new();
    match (changes.max_uses, voucher.max_uses) {
        (None, _) | (Some(None), None) => {}
        (Some(Some(uses)), Some(_)) if voucher.is_seat && uses > MOST_IN_POOL => {
            errors.push(FieldError::new(
                "max_uses",
                format!("is more than the {MOST_IN_POOL} seats of a pool"),
            ));
        }
        (Some(Some(uses)), Some(_)) if uses >= voucher.uses => voucher.max_uses = Some(uses),
        (Some(Some(_)), Some(_)) => {
            errors.push(FieldError::new("max_uses", format!("{} are used already", voucher.uses)));
        }
        (Some(_), _) => errors.push(FieldError::new("max_uses", STAYS)),
    }
    match (changes.budget, voucher.budget) {
        (None, _) | (Some(None), None) => {}
        (Some(Some(major)), Some(_)) => match Money::from_major(major, voucher.currency) {
            Ok(budget) if budget.minor() >= voucher.spent => voucher.budget = Some(budget.minor()),
            Ok(_) => errors.push(FieldError::new("budget", "is less than what is spent already")),
            Err(error) => errors.push(FieldError::new("budget", error.to_string())),
        },
        (Some(_), _) => errors.push(FieldError::new("budget", STAYS)),
    }
    // Also before `valid_from`: so a voucher ends that has not begun.
    if let Some(until) = changes.valid_until {
        // After the end of its access, a seat is worth nothing.
        voucher.valid_until = until.into_iter().chain(voucher.access_until).min();
    }
    if let Some(note) = &changes.note {
        voucher.note.clone_from(note);
    }
    errors
}
