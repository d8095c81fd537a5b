//! Authorises access to pools of seats: by the mailed link, as the learner who has them, or with a key of the organisation.

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::request::Parts;
use shared::link::{self, Purpose};
use shared::messages::SeatsCaller;
use shared::organisation_key::Scope;
use uuid::Uuid;

use super::cart;
use super::client_secret::ClientSecret;
use super::organisation::Member;
use super::organisation_key;
use super::path::VoucherPath;
use crate::error::ApiError;
use crate::queries::seats;
use crate::state::AppState;

/// Whose pools a list shows.
pub struct SeatsReader {
    pub organisation_id: Uuid,
    /// The buyers that the caller stands for; None for the organisation's own backend, which sees every pool.
    pub buyers: Option<Vec<String>>,
}

impl FromRequestParts<AppState> for SeatsReader {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        if let Some(holder) = organisation_key::holder(parts, app, Scope::Seats).await? {
            return Ok(Self { organisation_id: holder.organisation_id, buyers: None });
        }
        <ClientSecret as OptionalFromRequestParts<_>>::from_request_parts(parts, app).await?;
        let member = Member::from_request_parts(parts, app).await?;
        let buyers = Some(cart::buyers(&member.learner.0));
        Ok(Self { organisation_id: member.organisation.id, buyers })
    }
}

/// Who manages the pool of seats that the path names.
pub struct SeatsManager {
    pub voucher_id: Uuid,
    pub caller: SeatsCaller,
}

impl FromRequestParts<AppState> for SeatsManager {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        let VoucherPath(voucher_id) = VoucherPath::from_request_parts(parts, app).await?;
        let secrets = &app.config.links.link_secret;
        let linked = cart::token(parts)
            .and_then(|token| link::verify(secrets, Purpose::Seats, &token, app.now()))
            .filter(|pool| *pool == voucher_id);
        if linked.is_some() {
            app.identities.limits.cart(voucher_id)?;
            return Ok(Self { voucher_id, caller: SeatsCaller::Link });
        }
        let key = organisation_key::holder(parts, app, Scope::Seats).await?;
        let learner = match key {
            Some(_) => None,
            None => {
                <ClientSecret as OptionalFromRequestParts<_>>::from_request_parts(parts, app).await?;
                Some(cart::learner_or_token(parts, app).await?)
            }
        };
        let owner = seats::owner(&app.db, voucher_id).await?.ok_or(ApiError::NotFound("Pool of seats"))?;
        let caller = match (key, learner) {
            (Some(holder), _) if owner.organisation_id == holder.organisation_id => {
                SeatsCaller::Key(holder.id)
            }
            (None, Some(learner)) if cart::buyers(&learner).contains(&owner.buyer) => {
                SeatsCaller::Learner(learner.user_id)
            }
            _ => return Err(ApiError::NotFound("Pool of seats")),
        };
        Ok(Self { voucher_id, caller })
    }
}
