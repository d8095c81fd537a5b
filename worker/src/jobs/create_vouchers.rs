//! Creates vouchers of an organisation, all or none.

use shared::messages::{CreateVouchers, CreatedVouchers, FieldError, Refusal, VoucherTerms, VoucherValue};
use shared::money::{Currency, Money};
use shared::voucher::Code;
use uuid::Uuid;

use crate::command::CommandContext;
use crate::context::Context;
use crate::error::{JobError, JobResult};
use crate::store::audit::{Actor, Cause};
use crate::store::organisations;
use crate::store::vouchers::{self, Amounts};

pub async fn run(
    ctx: &Context,
    command: &CreateVouchers,
    command_ctx: &CommandContext,
) -> JobResult<CreatedVouchers> {
    let now = ctx.clock.now();
    let cause = Cause { actor: Actor::Key(command.key), command_id: command_ctx.id, now };
    let terms = &command.terms;
    let currency = organisations::currency(&ctx.db, command.organisation_id).await?;
    let amounts = amounts(terms, currency.ok_or(Refusal::OrganisationNotFound)?)?;
    if terms.valid_until.is_some_and(|until| until <= terms.valid_from.unwrap_or(now).max(now)) {
        return Err(invalid(vec![FieldError::new(
            "valid_until",
            "must be later than valid_from and than now",
        )]));
    }
    let codes: Vec<Code> = match &command.code {
        Some(code) => vec![code.clone()],
        None => (0..command.count).map(|_| Code::generate()).collect(),
    };
    let new: Vec<(Uuid, Code)> = codes.into_iter().map(|code| (Uuid::now_v7(), code)).collect();

    let mut tx = ctx.db.begin().await?;
    let unknown = vouchers::unknown_scope(&mut tx, command.organisation_id, terms).await?;
    if !unknown.is_empty() {
        let fault = |field| FieldError::new(field, "the organisation has nothing with this id");
        return Err(invalid(unknown.into_iter().map(fault).collect()));
    }
    if vouchers::insert(&mut tx, command.organisation_id, &new, terms, &amounts, cause).await? < new.len() {
        return Err(match command.code {
            Some(_) => invalid(vec![FieldError::new("code", "exists already")]),
            None => JobError::Conflict("a generated code exists already".into()),
        });
    }
    let answer = CreatedVouchers { ids: new.into_iter().map(|(id, _)| id).collect() };
    command_ctx.finish(&mut tx, &answer, ctx.clock.now()).await?;
    tx.commit().await?;
    Ok(answer)
}

/// The amounts of the terms in the organisation's currency.
fn amounts(terms: &VoucherTerms, currency: Currency) -> JobResult<Amounts> {
    let mut errors = Vec::new();
    let mut read = |field: &str, major| match Money::from_major(major, currency) {
        Ok(money) if money.minor() > 0 => Some(money),
        Ok(_) => {
            errors.push(FieldError::new(field, "must be more than 0"));
            None
        }
        Err(error) => {
            errors.push(FieldError::new(field, error.to_string()));
            None
        }
    };
    let amount = match terms.value {
        VoucherValue::Amount(major) => read("value", major),
        VoucherValue::Percent(_) => None,
    };
    let budget = terms.budget.and_then(|major| read("budget", major));
    if errors.is_empty() { Ok(Amounts { currency, amount, budget }) } else { Err(invalid(errors)) }
}

pub(super) fn invalid(errors: Vec<FieldError>) -> JobError {
    Refusal::InvalidRequest { errors }.into()
}
