//! Creates vouchers of an organisation, all or none.

use chrono::{DateTime, Utc};
use shared::email::Email;
use shared::ids::{OrganisationId, VoucherId};
use shared::messages::{
    BasketItem, CreateVouchers, CreatedVouchers, FieldError, Mail, Refusal, SeatsReady, VoucherTerms,
    VoucherValue,
};
use shared::money::{Currency, Money};
use shared::voucher::Code;
use sqlx::PgConnection;
use store::catalog::organisations;
use store::error::{JobError, JobResult};
use store::plumbing::audit::Cause;
use store::plumbing::mails;
use store::sales::carts;
use store::sales::vouchers::{self, Amounts, NewVouchers, Owner};
use tracing::instrument;

use crate::runtime::command::CommandContext;
use crate::runtime::context::Context;
use crate::sale::basket;
use crate::sale::buyer::Sale;

#[instrument(name = "job.create_vouchers", skip_all)]
pub async fn run(
    ctx: &Context,
    command: &CreateVouchers,
    command_ctx: &CommandContext,
) -> JobResult<CreatedVouchers> {
    let now = ctx.clock.now();
    let cause = Cause { actor: command.keeper.into(), command_id: command_ctx.id, now };
    let terms = &command.terms;
    let currency = organisations::currency(&ctx.db, command.organisation_id).await?;
    let amounts = amounts(terms, currency.ok_or(Refusal::OrganisationNotFound)?)?;
    if terms.access.is_over(terms.valid_from.unwrap_or(now).max(now)) {
        return Err(invalid(vec![FieldError::new(
            "access_until",
            "must be later than valid_from and than now",
        )]));
    }
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
    let new: Vec<(VoucherId, Code)> = codes.into_iter().map(|code| (VoucherId::generate(), code)).collect();
    let seats = match (terms.value, &command.email) {
        (VoucherValue::Seat(item), Some(email)) => {
            Some((email, carts::buyer(email, None), seat_name(ctx, command.organisation_id, item).await?))
        }
        (VoucherValue::Seat(_), None) => return Err(invalid(vec![FieldError::new("email", "is required")])),
        (VoucherValue::Percent(_) | VoucherValue::Amount(_), _) => None,
    };
    let owner = seats.as_ref().map(|(email, buyer, _)| Owner { email, buyer, line: None });

    let mut tx = ctx.transaction().await?;
    let unknown = vouchers::unknown_scope(&mut tx, command.organisation_id, terms).await?;
    if !unknown.is_empty() {
        let fault = |field| FieldError::new(field, "the organisation has nothing with this id");
        return Err(invalid(unknown.into_iter().map(fault).collect()));
    }
    let vouchers = NewVouchers {
        organisation_id: command.organisation_id,
        codes: &new,
        terms,
        amounts: &amounts,
        owner: owner.as_ref(),
    };
    if vouchers::insert(&mut tx, &vouchers, cause).await? < new.len() {
        return Err(match command.code {
            Some(_) => invalid(vec![FieldError::new("code", "exists already")]),
            None => JobError::Conflict("a generated code exists already".into()),
        });
    }
    if let Some((email, _, name)) = &seats {
        mail_codes(&mut tx, command, email, name, &new, now).await?;
    }
    let answer = CreatedVouchers { ids: new.into_iter().map(|(id, _)| id).collect() };
    command_ctx.finish(&mut *tx, &answer, ctx.clock.now()).await?;
    tx.commit().await?;
    Ok(answer)
}

/// Mails the code of each pool to its buyer.
async fn mail_codes(
    db: &mut PgConnection,
    command: &CreateVouchers,
    email: &Email,
    item: &str,
    pools: &[(VoucherId, Code)],
    now: DateTime<Utc>,
) -> JobResult<()> {
    for (id, code) in pools {
        let ready = SeatsReady {
            organisation_id: command.organisation_id,
            voucher_id: *id,
            code: code.as_str().to_owned(),
            item: item.to_owned(),
            seats: command.terms.max_uses.unwrap_or_default(),
            gift: None,
        };
        mails::push(db, email, Mail::SeatsReady(ready), None, now).await?;
    }
    Ok(())
}

/// The name of a pool's item. An organisation can create seats in anything that it has in this mode, whether or not it sells it.
///
/// # Errors
/// `InvalidRequest`: the organisation has no such item, or not in this mode.
async fn seat_name(ctx: &Context, organisation_id: OrganisationId, item: BasketItem) -> JobResult<String> {
    let sale = Sale { organisation_id, country: None, billing_address: None };
    let quoted = basket::prices(ctx, sale, None, &[item], true).await.map_err(|error| match error {
        JobError::Reject { refusal: Refusal::InvalidItems { errors }, .. } => {
            let of_item =
                |error: FieldError| FieldError::new(error.field.replace("items[0]", "item"), error.message);
            invalid(errors.into_iter().map(of_item).collect())
        }
        error => error,
    })?;
    let line = quoted.quote.lines.into_iter().next();
    line.map(|line| line.name).ok_or_else(|| JobError::dead("a quote of one item has no line"))
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
        VoucherValue::Percent(_) | VoucherValue::Seat(_) => None,
    };
    let budget = terms.budget.and_then(|major| read("budget", major));
    if errors.is_empty() { Ok(Amounts { currency, amount, budget }) } else { Err(invalid(errors)) }
}

pub(super) fn invalid(errors: Vec<FieldError>) -> JobError {
    Refusal::InvalidRequest { errors }.into()
}
