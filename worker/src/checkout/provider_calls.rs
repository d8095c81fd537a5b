//! A job's calls to payment providers: creating, reading and cancelling a payment. They share one time and retry budget.
//! Writes nothing.

use shared::gateway::Gateway;
use shared::messages::Refusal;
use uuid::Uuid;

use crate::context::Context;
use crate::error::{JobError, JobResult};
use crate::gateways::{
    Created, Credentials, Facts, GatewayError, Patience, PaymentGateway, RefundFacts, RefundRequest,
};
use crate::store::gateways;
use crate::store::transactions::Transaction;

/// The provider calls of one job.
pub struct ProviderCalls<'a> {
    ctx: &'a Context,
    patience: Patience,
}

impl<'a> ProviderCalls<'a> {
    /// Calls for which a caller waits.
    pub fn for_caller(ctx: &'a Context) -> Self {
        Self { ctx, patience: Patience::asked() }
    }

    /// Calls of a background task, which may take longer.
    pub fn in_background(ctx: &'a Context) -> Self {
        Self { ctx, patience: Patience::background() }
    }

    /// Whether the time for further calls is used up.
    pub fn out_of_time(&self) -> bool {
        self.patience.is_over()
    }

    /// Sends the stored request that creates a payment. `first` says that it cannot have been sent before.
    ///
    /// # Errors
    /// Outer: the credentials cannot be used. Inner: what the provider answered instead of a payment.
    pub async fn create(
        &self,
        transaction: &Transaction,
        first: bool,
    ) -> JobResult<Result<Created, GatewayError>> {
        let gateway = self.open(transaction).await?;
        Ok(gateway.create(transaction.id, &transaction.request, first).await)
    }

    /// Reads a payment from its provider. None if the provider refuses, or does not know the payment.
    ///
    /// # Errors
    /// `GatewayError` if the provider does not answer.
    pub async fn read(&self, transaction: &Transaction) -> JobResult<Option<Facts>> {
        let gateway = self.open(transaction).await?;
        unless_refused(gateway.read(reference(transaction)?).await)
    }

    /// Cancels a payment at its provider, and returns its state after that. None if the provider refuses, or does not
    /// know the payment.
    ///
    /// # Errors
    /// `GatewayError` if the provider does not answer.
    pub async fn cancel(&self, transaction: &Transaction) -> JobResult<Option<Facts>> {
        let gateway = self.open(transaction).await?;
        unless_refused(gateway.cancel(reference(transaction)?).await)
    }

    /// Pays a part of a payment back.
    ///
    /// # Errors
    /// Outer: the credentials cannot be used. Inner: what the provider answered instead of a refund.
    pub async fn refund(
        &self,
        transaction: &Transaction,
        request: &RefundRequest<'_>,
    ) -> JobResult<Result<RefundFacts, GatewayError>> {
        let gateway = self.open(transaction).await?;
        Ok(gateway.refund(request).await)
    }

    async fn open(&self, transaction: &Transaction) -> JobResult<Box<dyn PaymentGateway>> {
        let Transaction { gateway, organisation_id, .. } = *transaction;
        let credentials = credentials(self.ctx, organisation_id, gateway).await?;
        Ok(self.ctx.gateways.open(gateway, credentials, self.patience.clone()))
    }
}

/// An organisation's credentials for a gateway, unsealed.
///
/// # Errors
/// `NotConfigured` if there are none, or none that the configured keys open.
pub async fn credentials(ctx: &Context, organisation: Uuid, gateway: Gateway) -> JobResult<Credentials> {
    let not_configured = |detail: &str| Refusal::NotConfigured { detail: detail.to_owned() };
    let sealed = gateways::credentials(&ctx.db, organisation, gateway).await?;
    let sealed =
        sealed.ok_or_else(|| not_configured("the organisation's payment gateway is not configured"))?;
    ctx.gateways.unseal(organisation, gateway, &sealed).map_err(|reason| {
        tracing::error!(%organisation, %gateway, reason, "cannot unseal gateway credentials; request not sent");
        not_configured("the organisation's payment gateway cannot be used").into()
    })
}

/// The provider's facts; None if it refused.
fn unless_refused(facts: Result<Facts, GatewayError>) -> JobResult<Option<Facts>> {
    match facts {
        Ok(facts) => Ok(Some(facts)),
        Err(error @ GatewayError::Refused { .. }) => {
            tracing::warn!(%error, "the provider refused to read or cancel a payment");
            Ok(None)
        }
        Err(error) => Err(refusal(&error)),
    }
}

fn reference(transaction: &Transaction) -> JobResult<&str> {
    transaction
        .reference
        .as_deref()
        .ok_or_else(|| JobError::Retry("the provider has not given the payment a reference yet".into()))
}

/// The refusal that a caller gets for a failed call.
pub fn refusal(error: &GatewayError) -> JobError {
    let detail = match error {
        GatewayError::Refused { .. } => "the payment provider refused the payment",
        GatewayError::Unanswered(_) | GatewayError::Replayed => "the payment provider has not answered",
    };
    let refusal = Refusal::GatewayError { detail: detail.to_owned() };
    JobError::Reject { refusal, reason: error.to_string() }
}
