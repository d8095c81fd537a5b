//! Authorises access to a pool of seats: by the mailed link, as the learner who has it, as a manager, or with a key of the organisation.

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::request::Parts;
use shared::ids::VoucherId;
use shared::link::Purpose;
use shared::messages::{DeskCaller, SeatsCaller};
use shared::organisation_key::Scope;
use shared::staff::Role;

use super::caller;
use super::cart;
use super::client_secret::ClientSecret;
use super::desk::Desk;
use super::orders::ListReader;
use super::organisation_key;
use super::path::VoucherPath;
use super::scope::Caller;
use crate::error::ApiError;
use crate::queries::seats;
use crate::state::AppState;

/// Reader of a list of pools of seats.
pub struct SeatsReader(pub ListReader);

impl FromRequestParts<AppState> for SeatsReader {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        ListReader::of(parts, app, Scope::Seats, Some(Role::Manager)).await.map(Self)
    }
}

/// Manager of the pool of seats that the path names.
pub struct SeatsManager {
    pub voucher_id: VoucherId,
    pub caller: SeatsCaller,
}

impl FromRequestParts<AppState> for SeatsManager {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        // Credentials are judged before the id.
        let named = VoucherPath::from_request_parts(parts, app).await;
        if let Ok(VoucherPath(voucher_id)) = named
            && cart::is_linked(parts, app, Purpose::Seats, voucher_id).await?
        {
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
        let VoucherPath(voucher_id) = named?;
        let owner = seats::owner(&app.db, voucher_id).await?.ok_or(ApiError::NotFound("Pool of seats"))?;
        let caller = match (key, learner) {
            (Some(holder), _) if owner.organisation_id == holder.organisation_id => {
                SeatsCaller::Key(holder.id)
            }
            (None, Some(learner)) if cart::buyers(&learner).contains(&owner.buyer) => {
                SeatsCaller::Learner(learner.user_id)
            }
            (None, Some(learner)) => {
                match Desk::at(app, &learner, owner.organisation_id, Role::Manager)
                    .await?
                    .map(|desk| desk.caller())
                {
                    Some(DeskCaller::Staff(member)) => SeatsCaller::Staff(member),
                    Some(DeskCaller::Key { .. }) | None => return Err(ApiError::NotFound("Pool of seats")),
                }
            }
            _ => return Err(ApiError::NotFound("Pool of seats")),
        };
        Ok(Self { voucher_id, caller })
    }
}

impl Caller for SeatsManager {
    fn scope(&self) -> String {
        match self.caller {
            SeatsCaller::Key(id) => organisation_key::key_scope(id),
            SeatsCaller::Learner(user_id) => caller::learner_scope(user_id),
            SeatsCaller::Staff(member) => caller::learner_scope(member.user_id),
            SeatsCaller::Link => format!("link {}", self.voucher_id),
        }
    }
}
