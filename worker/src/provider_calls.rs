//! A job's calls to payment providers: creating, reading and cancelling a payment. They share one time and retry budget.
//! Writes nothing.

use shared::gateway::Gateway;
use shared::ids::OrganisationId;
use shared::messages::Refusal;
use store::alert::Alert;
use store::error::{JobError, JobResult};
use store::money::gateways::{self, StoredCredentials};
use store::money::transactions::Transaction;

use crate::alert;
use crate::gateways::{
    CallBudget, Created, Credentials, GatewayError, PaymentGateway, PaymentSnapshot, RefundFacts,
    RefundRequest,
};
use crate::runtime::context::Context;

/// The provider calls of one job.
pub struct ProviderCalls<'a> {
    ctx: &'a Context,
    budget: CallBudget,
}

impl<'a> ProviderCalls<'a> {
    /// Calls for which a caller waits.
    pub fn for_caller(ctx: &'a Context) -> Self {
        Self { ctx, budget: CallBudget::asked() }
    }

    /// Calls of a background task, which may take longer.
    pub fn in_background(ctx: &'a Context) -> Self {
        Self { ctx, budget: CallBudget::background() }
    }

    /// Returns whether the time for further calls is used up.
    pub fn out_of_time(&self) -> bool {
        self.budget.is_over()
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
        let account = self.open(transaction).await?;
        let created = account.calls.create(transaction.id, &transaction.request, first).await;
        self.note_refusal(transaction, &account, created.as_ref().err()).await?;
        if created.is_ok() && account.stored.is_refused {
            gateways::set_accepted(&self.ctx.db, transaction.organisation_id, transaction.gateway).await?;
        }
        Ok(created)
    }

    /// Reads a payment from its provider. None if the provider refuses, or does not know the payment.
    ///
    /// # Errors
    /// `GatewayError` if the provider does not answer, or refuses the account's key.
    pub async fn read(&self, transaction: &Transaction) -> JobResult<Option<PaymentSnapshot>> {
        let account = self.open(transaction).await?;
        let snapshot = account.calls.read(reference(transaction)?).await;
        self.note_refusal(transaction, &account, snapshot.as_ref().err()).await?;
        unless_refused(snapshot)
    }

    /// Cancels a payment at its provider, and returns its state after that. None if the provider refuses, or does not
    /// know the payment.
    ///
    /// # Errors
    /// `GatewayError` if the provider does not answer, or refuses the account's key.
    pub async fn cancel(&self, transaction: &Transaction) -> JobResult<Option<PaymentSnapshot>> {
        let account = self.open(transaction).await?;
        let snapshot = account.calls.cancel(reference(transaction)?).await;
        self.note_refusal(transaction, &account, snapshot.as_ref().err()).await?;
        unless_refused(snapshot)
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
        let account = self.open(transaction).await?;
        let refunded = account.calls.refund(request).await;
        self.note_refusal(transaction, &account, refunded.as_ref().err()).await?;
        Ok(refunded)
    }

    async fn open(&self, transaction: &Transaction) -> JobResult<Account> {
        let Transaction { gateway, organisation_id, .. } = *transaction;
        let (stored, credentials) = open_credentials(self.ctx, organisation_id, gateway).await?;
        let budget = self.budget.clone();
        Ok(Account { stored, calls: self.ctx.gateways.open(organisation_id, gateway, credentials, budget) })
    }

    /// Records that the provider refuses the account's key, and raises one alert about it.
    async fn note_refusal(
        &self,
        transaction: &Transaction,
        account: &Account,
        error: Option<&GatewayError>,
    ) -> JobResult<()> {
        let Transaction { gateway, organisation_id: organisation, .. } = *transaction;
        let Some(error) = error.filter(|error| error.refuses_key()) else { return Ok(()) };
        let (sealed, now) = (&account.stored.sealed, self.ctx.clock.now());
        if gateways::set_refused(&self.ctx.db, organisation, gateway, sealed, now).await? {
            alert::raise([Alert::Account { organisation, gateway, reason: error.to_string() }]);
        }
        Ok(())
    }
}

/// An organisation's account, opened for calls.
struct Account {
    stored: StoredCredentials,
    calls: Box<dyn PaymentGateway>,
}

/// An organisation's credentials for a gateway, unsealed.
///
/// # Errors
/// `NotConfigured` if there are none, or none that the configured keys open.
pub async fn credentials(
    ctx: &Context,
    organisation: OrganisationId,
    gateway: Gateway,
) -> JobResult<Credentials> {
    open_credentials(ctx, organisation, gateway).await.map(|(_, credentials)| credentials)
}

async fn open_credentials(
    ctx: &Context,
    organisation: OrganisationId,
    gateway: Gateway,
) -> JobResult<(StoredCredentials, Credentials)> {
    let not_configured = |detail: &str| Refusal::NotConfigured { detail: detail.to_owned() };
    let stored = gateways::credentials(&ctx.db, organisation, gateway).await?;
    let stored =
        stored.ok_or_else(|| not_configured("the organisation's payment gateway is not configured"))?;
    match ctx.gateways.unseal(organisation, gateway, &stored.sealed) {
        Ok(credentials) => Ok((stored, credentials)),
        Err(reason) => {
            tracing::error!(%organisation, %gateway, reason, "cannot unseal gateway credentials; request not sent");
            Err(not_configured("the organisation's payment gateway cannot be used").into())
        }
    }
}

/// The provider's snapshot; None if it refused the call, but not the account.
fn unless_refused(snapshot: Result<PaymentSnapshot, GatewayError>) -> JobResult<Option<PaymentSnapshot>> {
    match snapshot {
        Ok(snapshot) => Ok(Some(snapshot)),
        Err(error @ GatewayError::Refused { .. }) if !error.refuses_key() => {
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
        GatewayError::Unanswered(_) | GatewayError::Replayed | GatewayError::Duplicate => {
            "the payment provider has not answered"
        }
    };
    let refusal = Refusal::GatewayError { detail: detail.to_owned() };
    JobError::Reject { refusal, reason: error.to_string() }
}
