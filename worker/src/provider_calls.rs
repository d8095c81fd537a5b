//! A job's calls to payment providers: creating, reading and cancelling a payment. They share one time and retry budget.
//! Writes nothing.

use std::sync::Arc;

use shared::gateway::Gateway;
use shared::ids::OrganisationId;
use shared::messages::Refusal;
use store::alert::Alert;
use store::catalog::organisations;
use store::error::{JobError, JobResult};
use store::model::seller::BankTransfer;
use store::money::gateways::{self, StoredCredentials};
use store::money::received;
use store::money::transactions::Transaction;

use crate::alert;
use crate::gateways::{
    Books, CallBudget, Created, Credentials, External, GatewayError, PaymentGateway, PaymentSnapshot,
    RefundFacts, RefundRequest,
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

    /// Calls that read an account's payouts.
    pub fn of_books(ctx: &'a Context) -> Self {
        Self { ctx, budget: CallBudget::books() }
    }

    /// Opens the books of an organisation's account. None if its credentials have no key that reads them.
    ///
    /// # Errors
    /// `NotConfigured` if there are no credentials, or none that the configured keys open.
    pub async fn books(
        &self,
        organisation: OrganisationId,
        gateway: Gateway,
    ) -> JobResult<Option<Box<dyn Books>>> {
        let (_, credentials) = open_credentials(self.ctx, organisation, gateway).await?;
        Ok(self.ctx.gateways.open_books(organisation, gateway, credentials, self.budget.clone()))
    }

    /// Returns whether the time for further calls is used up.
    pub fn out_of_time(&self) -> bool {
        self.budget.is_over()
    }

    /// Checks that the account of a payment can be used.
    ///
    /// # Errors
    /// `NotConfigured`.
    pub async fn check_account(&self, transaction: &Transaction) -> JobResult<()> {
        self.open(transaction).await.map(drop)
    }

    /// Opens an organisation's account for new payments, or for refunds.
    ///
    /// # Errors
    /// `NotConfigured` if there is none, or none that the configured keys open.
    pub async fn account(&self, organisation: OrganisationId, gateway: Gateway) -> JobResult<Account> {
        if !gateway.has_provider() {
            return own_account(self.ctx, organisation, None).await;
        }
        let (stored, credentials) = open_credentials(self.ctx, organisation, gateway).await?;
        let requires_billing_address = credentials.requires_billing_address;
        let calls = self.ctx.gateways.open(organisation, gateway, credentials, self.budget.clone());
        let calls = calls.ok_or_else(|| JobError::dead(format!("{gateway} has no provider")))?;
        Ok(Account { stored: Some(stored), requires_billing_address, calls })
    }

    /// Sends the stored request that creates a payment: the first time with the account that has prepared it.
    ///
    /// # Errors
    /// Outer: the credentials cannot be used. Inner: what the provider answered instead of a payment.
    pub async fn create(
        &self,
        transaction: &Transaction,
        prepared_by: Option<Arc<Account>>,
    ) -> JobResult<Result<Created, GatewayError>> {
        let first = prepared_by.is_some();
        let account = match prepared_by {
            Some(account) => account,
            None => Arc::new(self.open(transaction).await?),
        };
        let created = account.calls.create(transaction.id, &transaction.request, first).await;
        self.note_refusal(transaction, &account, created.as_ref().err()).await?;
        if created.is_ok() && account.stored.as_ref().is_some_and(|stored| stored.is_refused) {
            gateways::set_accepted(&self.ctx.db, transaction.organisation_id, transaction.gateway).await?;
        }
        Ok(created)
    }

    /// Reads a payment from its provider. None if the provider refuses, or does not know the payment.
    ///
    /// # Errors
    /// `GatewayError` if the provider does not answer, or refuses the account's key.
    pub async fn read(&self, transaction: &Transaction) -> JobResult<Option<PaymentSnapshot>> {
        unless_refused(self.ask(transaction).await?)
    }

    /// Reads a payment from its provider, whose refusal is told too.
    ///
    /// # Errors
    /// Outer: the credentials cannot be used. Inner: what the provider answered instead of the payment.
    pub async fn ask(&self, transaction: &Transaction) -> JobResult<Result<PaymentSnapshot, GatewayError>> {
        let account = self.open(transaction).await?;
        let snapshot = account.calls.read(reference(transaction)?).await;
        self.note_refusal(transaction, &account, snapshot.as_ref().err()).await?;
        Ok(snapshot)
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
        if !gateway.has_provider() {
            return own_account(self.ctx, organisation_id, Some(transaction)).await;
        }
        self.account(organisation_id, gateway).await
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
        let Some(stored) = &account.stored else { return Ok(()) };
        let (sealed, now) = (&stored.sealed, self.ctx.clock.now());
        if gateways::set_refused(&self.ctx.db, organisation, gateway, sealed, now).await? {
            alert::raise([Alert::Account { organisation, gateway, reason: error.to_string() }]);
        }
        Ok(())
    }
}

/// An organisation's account at a gateway, opened for calls.
pub struct Account {
    /// None if no provider is behind the gateway.
    stored: Option<StoredCredentials>,
    /// Indicates whether it may charge only buyers who give a billing address.
    pub requires_billing_address: bool,
    pub calls: Box<dyn PaymentGateway>,
}

/// The account of an organisation that takes payments itself, with what has arrived for a payment that exists.
///
/// # Errors
/// `NotConfigured` if new payments have nowhere to go.
async fn own_account(
    ctx: &Context,
    organisation: OrganisationId,
    of: Option<&Transaction>,
) -> JobResult<Account> {
    let own = organisations::own_account(&ctx.db, organisation, ctx.clock.now()).await?;
    let payment = match of {
        Some(transaction) => Some((transaction.into(), received::sum(&ctx.db, transaction.id).await?)),
        None if own.bank_transfer.is_none() => {
            let detail = "the organisation has no account to which buyers could pay".to_owned();
            return Err(Refusal::NotConfigured { detail }.into());
        }
        None => None,
    };
    let calls = Box::new(External { account: own.bank_transfer, today: own.today, payment });
    Ok(Account { stored: None, requires_billing_address: false, calls })
}

/// The organisation's own account for an order on account, whose invoice is due after some days.
pub async fn on_account(ctx: &Context, organisation: OrganisationId, due_days: u16) -> JobResult<Account> {
    let own = organisations::own_account(&ctx.db, organisation, ctx.clock.now()).await?;
    let account = own.bank_transfer.map(|account| BankTransfer { due_days, ..account });
    let calls = Box::new(External { account, today: own.today, payment: None });
    Ok(Account { stored: None, requires_billing_address: false, calls })
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
