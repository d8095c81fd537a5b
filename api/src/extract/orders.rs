//! Authorises access to orders: a learner's own, or those of the organisation whose key the request carries.

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::request::Parts;
use shared::messages::RefundCaller;
use shared::organisation_key::Scope;
use uuid::Uuid;

use super::caller::Learner;
use super::cart::{self, CartOfCaller};
use super::client_secret::ClientSecret;
use super::organisation::Member;
use super::organisation_key;
use crate::error::ApiError;
use crate::state::AppState;

/// Whose orders a list shows.
pub struct OrdersReader {
    pub organisation_id: Uuid,
    /// The buyers that the caller stands for, as `carts.buyer` spells them; None for the organisation's own backend, which
    /// sees every order.
    pub buyers: Option<Vec<String>>,
}

impl FromRequestParts<AppState> for OrdersReader {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        if let Some(holder) = organisation_key::holder(parts, app, Scope::Orders).await? {
            return Ok(Self { organisation_id: holder.organisation_id, buyers: None });
        }
        <ClientSecret as OptionalFromRequestParts<_>>::from_request_parts(parts, app).await?;
        let member = Member::from_request_parts(parts, app).await?;
        let buyers = Some(cart::buyers(&member.learner.0));
        Ok(Self { organisation_id: member.organisation.id, buyers })
    }
}

/// A caller that may ask for a refund of the order that the path names; the worker decides on learners' requests.
pub struct RefundRequester {
    pub cart_id: Uuid,
    pub caller: RefundCaller,
}

impl FromRequestParts<AppState> for RefundRequester {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        let caller = match organisation_key::holder(parts, app, Scope::Refunds).await? {
            Some(holder) => RefundCaller::Key { id: holder.id, organisation_id: holder.organisation_id },
            None => {
                <ClientSecret as OptionalFromRequestParts<_>>::from_request_parts(parts, app).await?;
                let learner = <Learner as FromRequestParts<_>>::from_request_parts(parts, app).await?;
                RefundCaller::Learner { account: learner.account(), email: learner.0.email.clone() }
            }
        };
        Ok(Self { cart_id: cart::named(parts, app).await?.id, caller })
    }
}

/// The order that the path names, or that the named checkout has joined.
pub struct OrderOfCaller {
    pub id: Uuid,
    /// Whether the organisation's own backend asks, by a key.
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
