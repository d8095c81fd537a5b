//! Authorises access to orders: a learner's own, or those of the organisation whose key the request carries.

use std::convert::Infallible;

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::request::Parts;
use shared::ids::{CartId, DocumentId, OrganisationId};
use shared::link::{self, Purpose};
use shared::messages::OrderCaller;
use shared::organisation_key::Scope;
use shared::staff::Role;

use super::caller::{self, Learner};
use super::cart::{self, CartOfCaller};
use super::client_secret::{self, ClientSecret};
use super::desk::Desk;
use super::organisation::Member;
use super::organisation_key;
use super::path::DocumentPath;
use super::scope::Caller;
use crate::error::ApiError;
use crate::queries::documents;
use crate::state::AppState;

/// Reader of a list, who decides which rows it shows.
pub struct ListReader {
    pub organisation_id: OrganisationId,
    /// The buyers that the caller stands for, as `carts.buyer` spells them; None for the organisation's own backend and for its
    /// staff in the role of the list, who see all.
    pub buyers: Option<Vec<String>>,
}

impl ListReader {
    /// # Errors
    /// The caller has neither a key with this scope, nor this role, nor a learner's credential for the organisation that it selects.
    pub(super) async fn of(
        parts: &mut Parts,
        app: &AppState,
        scope: Scope,
        role: Option<Role>,
    ) -> Result<Self, ApiError> {
        if let Some(holder) = organisation_key::holder(parts, app, scope).await? {
            return Ok(Self { organisation_id: holder.organisation_id, buyers: None });
        }
        <ClientSecret as OptionalFromRequestParts<_>>::from_request_parts(parts, app).await?;
        let learner = <Learner as FromRequestParts<_>>::from_request_parts(parts, app).await?;
        if let Some(role) = role
            && let Some(desk) = Desk::of_role(parts, app, &learner.0, role).await?
        {
            return Ok(Self { organisation_id: desk.organisation_id, buyers: None });
        }
        let member = Member::of(learner, parts, app).await?;
        let buyers = Some(cart::buyers(&member.learner.0));
        Ok(Self { organisation_id: member.organisation.id, buyers })
    }
}

/// Reader of a list of orders.
pub struct OrdersReader(pub ListReader);

impl FromRequestParts<AppState> for OrdersReader {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        ListReader::of(parts, app, Scope::Orders, None).await.map(Self)
    }
}

/// Actor on the order that the path names: the holder of a key, or a signed-in learner. The worker decides whether a
/// learner may.
#[derive(Clone)]
pub struct OrderActor {
    pub cart_id: CartId,
    pub caller: OrderCaller,
}

impl OrderActor {
    async fn of(parts: &mut Parts, app: &AppState, scope: Scope) -> Result<Self, ApiError> {
        let caller = actor(parts, app, scope).await?;
        Ok(Self { cart_id: cart::named(parts, app).await?.id, caller })
    }
}

impl OrderActor {
    fn scope(&self) -> String {
        match &self.caller {
            OrderCaller::Key { id, .. } => organisation_key::key_scope(*id),
            // Staff act at the support desk.
            OrderCaller::Staff(member) => caller::learner_scope(member.user_id),
            OrderCaller::Learner { account, .. } => caller::learner_scope(account.user_id),
        }
    }
}

/// A caller that may correct the invoice of the order that the path names.
pub struct InvoiceCorrector(pub OrderActor);

impl FromRequestParts<AppState> for InvoiceCorrector {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        OrderActor::of(parts, app, Scope::Orders).await.map(Self)
    }
}

impl Caller for InvoiceCorrector {
    fn scope(&self) -> String {
        self.0.scope()
    }
}

/// A caller that may ask for a refund of the order that the path names.
pub struct RefundRequester(pub OrderActor);

impl FromRequestParts<AppState> for RefundRequester {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        OrderActor::of(parts, app, Scope::Refunds).await.map(Self)
    }
}

impl Caller for RefundRequester {
    fn scope(&self) -> String {
        self.0.scope()
    }
}

/// A caller that may move a line of the order that the path names.
pub struct MoveRequester(pub OrderActor);

impl FromRequestParts<AppState> for MoveRequester {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        OrderActor::of(parts, app, Scope::Support).await.map(Self)
    }
}

impl Caller for MoveRequester {
    fn scope(&self) -> String {
        self.0.scope()
    }
}

/// Finds out who acts on an order: the holder of a key with this scope, or a signed-in learner.
async fn actor(parts: &mut Parts, app: &AppState, scope: Scope) -> Result<OrderCaller, ApiError> {
    if let Some(holder) = organisation_key::holder(parts, app, scope).await? {
        return Ok(OrderCaller::Key { id: holder.id, organisation_id: holder.organisation_id });
    }
    <ClientSecret as OptionalFromRequestParts<_>>::from_request_parts(parts, app).await?;
    let learner = <Learner as FromRequestParts<_>>::from_request_parts(parts, app).await?;
    Ok(OrderCaller::Learner { account: learner.account(), email: learner.0.email.clone() })
}

/// The order that the path names, or that the named checkout has joined.
pub struct OrderOfCaller {
    pub id: CartId,
    /// Indicates whether the organisation's own backend asks, by a key.
    pub by_key: bool,
}

impl FromRequestParts<AppState> for OrderOfCaller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        if let Some(holder) = organisation_key::holder(parts, app, Scope::Orders).await? {
            let cart = cart::named(parts, app).await?;
            return match cart.organisation_id == holder.organisation_id {
                true => Ok(Self { id: cart.id, by_key: true }),
                false => Err(ApiError::NotFound("Order")),
            };
        }
        let CartOfCaller(id) = CartOfCaller::from_request_parts(parts, app).await?;
        Ok(Self { id, by_key: false })
    }
}

/// A link to a document, even if it has expired or was altered. It grants no access.
pub struct DocumentLink {
    /// As the path names it.
    pub named: Option<DocumentId>,
    /// As the link was signed for it; None if it was altered.
    pub signed: Option<DocumentId>,
    pub query: String,
}

impl FromRequestParts<AppState> for DocumentLink {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, Infallible> {
        let secrets = &app.config.links.link_secret;
        let token = cart::token(parts);
        let signed =
            token.and_then(|token| link::subject(secrets, Purpose::Document, &token)).map(DocumentId);
        let named = DocumentPath::from_request_parts(parts, app).await.ok();
        let query = parts.uri.query().unwrap_or_default().to_owned();
        Ok(Self { named: named.map(|DocumentPath(id)| id), signed, query })
    }
}

/// The document that the path names, for callers who may see its order, for finance staff of its organisation, and for the holder of its
/// own signed link.
pub struct DocumentOfCaller(pub DocumentId);

impl FromRequestParts<AppState> for DocumentOfCaller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        // Credentials are judged before the id.
        let named = DocumentPath::from_request_parts(parts, app).await;
        if let Ok(DocumentPath(id)) = named {
            if cart::is_linked(parts, app, Purpose::Document, id).await? {
                return Ok(Self(id));
            }
            if let Some(cart) = cart::linked(parts, app, Purpose::Payment).await?.map(CartId)
                && documents::order(&app.db, id)
                    .await?
                    .is_some_and(|order| order.owner.id == cart && order.is_issued)
            {
                app.identities.limits.link(cart)?;
                return Ok(Self(id));
            }
        }
        let key = organisation_key::holder(parts, app, Scope::Orders).await?;
        let is_backend = parts.headers.contains_key(client_secret::HEADER);
        let learner = match (&key, is_backend) {
            (None, true) => {
                <ClientSecret as FromRequestParts<_>>::from_request_parts(parts, app).await?;
                None
            }
            (None, false) => Some(cart::learner_or_token(parts, app).await?),
            (Some(_), _) => None,
        };
        let DocumentPath(id) = named?;
        let order = documents::order(&app.db, id).await?.ok_or(ApiError::NotFound("Document"))?;
        let owner = &order.owner;
        let is_shown = match (key, learner) {
            (Some(holder), _) => owner.organisation_id == holder.organisation_id,
            (None, Some(learner)) => {
                // What is not issued is not the buyer's yet.
                order.is_issued && cart::buyers(&learner).contains(&owner.buyer)
                    || Desk::at(app, &learner, owner.organisation_id, Role::Finance).await?.is_some()
            }
            (None, None) => true,
        };
        if is_shown { Ok(Self(id)) } else { Err(ApiError::NotFound("Document")) }
    }
}
