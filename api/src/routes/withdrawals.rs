//! Routes for withdrawals: buyers declare them, and the organisation's backend or staff decides those that wait for a person.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde::Serialize;
use shared::email::Email;
use shared::messages::{DecideWithdrawal, DeclareWithdrawal, WithdrawalDecision};
use shared::typed::given;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::refunds::{Positions, REASON};
use crate::error::{ApiError, ApiResult};
use crate::extract::{
    Body, Caller, Commander, Declarer, Desk, Fields, Params, Query, ReadFields, ReadParams, WithdrawalKeeper,
    WithdrawalPath,
};
use crate::openapi::parameters::{IdempotencyKey, OrganisationName, WithdrawalInPath};
use crate::queries::withdrawals;
use crate::read::listing::PageQuery;
use crate::response::private;
use crate::state::{App, AppState};
use crate::views::envelope::Envelope;
use crate::views::withdrawals::{WithdrawalBody, WithdrawalList};
use crate::words::WithdrawalStatus;

/// The longest name of an order, in characters.
pub const ORDER: usize = 64;

/// A declaration of withdrawal.
#[derive(Debug, ToSchema)]
#[schema(as = WithdrawalDeclaration)]
pub struct DeclarationRequest {
    /// The order: its id, or the number of its invoice.
    #[schema(min_length = 1, max_length = 64, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$")]
    order: String,
    /// The buyer's address. The acknowledgement goes to the order's address, and to this one if it is the session's. Without a
    /// session and a link, it must be the order's.
    #[schema(value_type = String, format = Email, example = "ada@example.com")]
    email: Email,
    /// The buyer's name.
    #[schema(
        min_length = 1,
        max_length = 255,
        pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$",
        example = "Ada Lovelace"
    )]
    name: String,
    /// The positions of the lines, from 0. Left out: all lines.
    #[schema(value_type = Option<Vec<u32>>, min_items = 1, max_items = 50)]
    items: Option<Positions>,
}

impl ReadFields for DeclarationRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (order, name) = (filled(fields, "order", ORDER), filled(fields, "name", 255));
        let (email, items) = (fields.required("email"), fields.optional::<Positions>("items"));
        let items = items?;
        if items.as_ref().is_some_and(|Positions(items)| items.is_empty()) {
            fields.error("items", "is empty; leave it out for all lines");
            return None;
        }
        Some(Self { order: order?, email: email?, name: name?, items })
    }
}

/// A text that is not blank, without the spaces around it.
fn filled(fields: &mut Fields, name: &str, most: usize) -> Option<String> {
    let text: String = fields.required(name)?;
    let text = text.trim();
    if (1..=most).contains(&text.chars().count()) {
        return Some(text.to_owned());
    }
    fields.error(name, format!("must have 1 to {most} characters"));
    None
}

/// The same words for every order, known or not.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DeclaredWithdrawal)]
pub struct DeclarationBody {
    /// Always `received`.
    #[schema(example = "received")]
    status: &'static str,
    /// Time of the declaration, which counts for the period.
    declared_at: DateTime<Utc>,
    #[schema(
        example = "Your declaration was received. If it names an order of this address, an acknowledgement is on its way to you."
    )]
    detail: &'static str,
}

const DETAIL: &str = "Your declaration was received. If it names an order of this address, an acknowledgement is on its way to you.";

/// Declare a withdrawal
///
/// For consumers, within the period that the organisation offers. No account is needed. The answer has the same words, whether or
/// not there is such an order; the acknowledgement comes by mail. With a learner's session, or with the link of a receipt, the
/// withdrawal is judged at once. Otherwise the declaration counts from now as well, and is carried out a day later, unless the
/// holder of the order's address objects. No line is declared twice.
#[utoipa::path(
    post,
    path = "/storeapi/payment/withdrawals/",
    tag = "extensions",
    security(("reader" = []), ("client_for_learner" = []), ("cart_token" = [])),
    request_body = DeclarationRequest,
    operation_id = "declare_withdrawal",
    extensions(("x-problems" = json!(["called", "body", "forbidden"]))),
    responses((status = 202, body = DeclarationBody, description = "The declaration is received."))
)]
pub async fn declare(
    Declarer(proof): Declarer,
    State(app): State<AppState>,
    Body(request): Body<DeclarationRequest>,
) -> ApiResult<Response> {
    app.identities.limits.address(&request.email)?;
    let DeclarationRequest { order, email, name, items } = request;
    let items = items.map(|Positions(items)| items);
    let declared_at = app.now();
    send(&app, DeclareWithdrawal { order, email, name, items, declared_at, proof }).await?;
    let body = DeclarationBody { status: "received", declared_at, detail: DETAIL };
    Ok((StatusCode::ACCEPTED, private(body)).into_response())
}

/// Hands a declaration to the worker. Once this returns, the broker has it on disk.
async fn send(app: &App, declaration: DeclareWithdrawal) -> ApiResult<()> {
    app.commands.send_task(declaration).await.map_err(|_| ApiError::Unavailable)
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WithdrawalQuery {
    #[param(ignore)]
    place: PageQuery,
    /// Only withdrawals with this status.
    #[param(inline)]
    status: Option<WithdrawalStatus>,
    /// Only those that wait for a person (`true`), or only the others.
    #[param(inline)]
    waiting: Option<bool>,
}

impl ReadParams for WithdrawalQuery {
    fn read(params: &mut Params) -> Option<Self> {
        let (place, status) = (PageQuery::read(params), params.word("status"));
        let waiting = match params.is_given("waiting") {
            true => params.flag("waiting", false).map(Some),
            false => Some(None),
        };
        Some(Self { place: place?, status: status?, waiting: waiting? })
    }
}

/// List withdrawals, a page at a time
///
/// Of the caller's organisation, newest first. A member of its staff needs the role finance.
///
/// `total_count` ends at 1,000; the pages continue, and `has_more` says so.
#[utoipa::path(
    get,
    path = "/storeapi/payment/withdrawals/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["refunds"])),
    params(PageQuery, WithdrawalQuery, OrganisationName),
    operation_id = "list_withdrawals",
    extensions(("x-problems" = json!(["called", "invalid_request", "organisation_not_found", "forbidden"]))),
    responses((status = 200, body = WithdrawalList, description = "A page of withdrawals."))
)]
pub async fn list(
    WithdrawalKeeper(desk): WithdrawalKeeper,
    State(app): State<AppState>,
    Query(query): Query<WithdrawalQuery>,
) -> ApiResult<Response> {
    let WithdrawalQuery { place: PageQuery { limit, offset }, status, waiting } = query;
    let filter = withdrawals::Filter { organisation_id: desk.organisation_id, status, waiting };
    let page = withdrawals::page(&app.db, &filter, limit, offset).await?;
    let envelope = Envelope::new(page.total, limit, offset, Vec::new()).followed(page.has_more);
    Ok(private(WithdrawalList::new(page.items, envelope)))
}

/// Show a withdrawal
///
/// Of the caller's organisation, with why it waits for a person, or what was decided.
#[utoipa::path(
    get,
    path = "/storeapi/payment/withdrawals/{withdrawal_id}/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["refunds"])),
    params(WithdrawalInPath, OrganisationName),
    operation_id = "get_withdrawal",
    extensions(("x-problems" = json!(["called", "invalid_request", "organisation_not_found", "forbidden", "not_found"]))),
    responses((status = 200, body = WithdrawalBody, description = "The withdrawal."))
)]
pub async fn detail(
    WithdrawalKeeper(desk): WithdrawalKeeper,
    State(app): State<AppState>,
    WithdrawalPath(id): WithdrawalPath,
) -> ApiResult<Response> {
    Ok(private(shown(&app, &desk, id).await?))
}

/// A withdrawal of a desk's organisation.
pub(super) async fn shown(app: &App, desk: &Desk, id: Uuid) -> ApiResult<WithdrawalBody> {
    let found = withdrawals::find(&app.db, desk.organisation_id, id).await?;
    found.map(WithdrawalBody::from).ok_or(ApiError::NotFound("Withdrawal"))
}

/// What to do with a withdrawal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, strum::EnumString, strum::VariantNames, ToSchema)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[schema(as = WithdrawalDecision)]
pub enum Verdict {
    /// Pays back, and ends the access.
    Accept,
    Refuse,
}

/// A decision on a withdrawal.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WithdrawalDecisionRequest)]
pub struct DecisionRequest {
    decision: Verdict,
    /// Amount to pay back, allocated to the lines; left out: all that is left of them. Only to accept.
    #[schema(value_type = Option<f64>, exclusive_minimum = 0, example = 49.99)]
    amount: Option<Decimal>,
    /// Reason for the decision, which the buyer sees. Required to refuse.
    #[schema(value_type = Option<String>, max_length = 200, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$")]
    reason: Option<String>,
}

impl ReadFields for DecisionRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        let decision: Option<String> = fields.required("decision");
        let (amount, reason) = (fields.optional("amount"), fields.optional_text("reason", REASON));
        let decision = decision.and_then(|word| match word.parse() {
            Ok(decision) => Some(decision),
            Err(_) => {
                fields.error("decision", "is not one of accept, refuse");
                None
            }
        });
        let (decision, amount, reason) = (decision?, amount?, reason?);
        let reason = given(reason);
        match decision {
            Verdict::Refuse if amount.is_some() => {
                fields.error("amount", "is only for a withdrawal that is accepted")
            }
            Verdict::Refuse if reason.is_none() => {
                fields.error("reason", "is required: the buyer must learn why")
            }
            Verdict::Accept | Verdict::Refuse => {}
        }
        Some(Self { decision, amount, reason })
    }
}

/// Decide a withdrawal
///
/// Accepts it, with all or a part of the money, or refuses it with a reason. One that was not judged by itself waits for this, and
/// each can be decided until it is. The refund of an accepted one is asked from the provider next; the order shows it.
#[utoipa::path(
    post,
    path = "/storeapi/payment/withdrawals/{withdrawal_id}/decision/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["refunds"])),
    params(WithdrawalInPath, OrganisationName, IdempotencyKey),
    request_body = DecisionRequest,
    operation_id = "decide_withdrawal",
    extensions(("x-problems" = json!(["called", "body", "command", "organisation_not_found", "forbidden", "not_found", "not_configured"]))),
    responses((status = 200, body = WithdrawalBody, description = "The withdrawal as it is now."))
)]
pub async fn decide(
    commander: Commander<WithdrawalKeeper>,
    State(app): State<AppState>,
    WithdrawalPath(id): WithdrawalPath,
    Body(request): Body<DecisionRequest>,
) -> ApiResult<Response> {
    Ok(private(decide_at(&app, &commander, &commander.caller.0, id, request).await?))
}

/// Decides a withdrawal of a desk's organisation. Returns it as it is then.
pub(super) async fn decide_at<C: Caller>(
    app: &App,
    commander: &Commander<C>,
    desk: &Desk,
    id: Uuid,
    request: DecisionRequest,
) -> ApiResult<WithdrawalBody> {
    shown(app, desk, id).await?;
    let idempotency = commander.idempotency(&(id, &request))?;
    let DecisionRequest { decision, amount, reason } = request;
    let decision = match decision {
        Verdict::Accept => WithdrawalDecision::Accept { amount },
        Verdict::Refuse => WithdrawalDecision::Refuse,
    };
    let caller = desk.caller();
    let command = DecideWithdrawal { withdrawal_id: id, caller, decision, reason, idempotency };
    commander.send(command, None).await?;
    shown(app, desk, id).await
}
