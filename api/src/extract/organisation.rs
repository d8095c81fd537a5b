//! The organisation of a learner's request: the request selects it by name, the learner's claims grant access to it.

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;

use super::caller::Learner;
use super::cart::buyers;
use super::scope::Caller;
use crate::error::{ApiError, ApiResult};
use crate::identity::{Identity, cookie};
use crate::queries::organisations::{self, SelectedOrganisation};
use crate::state::{App, AppState};

/// The name of the cookie (from browsers) and of the header (from the native app).
const NAME: &str = "orgName";

/// A learner with access to the selected organisation.
pub struct Member {
    pub learner: Learner,
    pub organisation: SelectedOrganisation,
}

impl FromRequestParts<AppState> for Member {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        let learner = <Learner as FromRequestParts<_>>::from_request_parts(parts, app).await?;
        Self::of(learner, parts, app).await
    }
}

impl Member {
    /// The learner, for the organisation that the request selects.
    ///
    /// # Errors
    /// `Forbidden` without access, `OrganisationNotFound`, or two different names of an organisation.
    pub(super) async fn of(learner: Learner, parts: &Parts, app: &App) -> ApiResult<Self> {
        let name = selected(&parts.headers)?.ok_or(ApiError::OrganisationNotFound)?;
        let organisation =
            organisations::find(&app.db, &name).await?.ok_or(ApiError::OrganisationNotFound)?;
        if !has_claim(app, &learner.0, &organisation).await? {
            return Err(ApiError::Forbidden("The learner has no access to this organisation."));
        }
        Ok(Self { learner, organisation })
    }

    /// Checks that a learner has access to the organisation with this short name.
    ///
    /// # Errors
    /// `Forbidden` without access, `OrganisationNotFound`.
    pub async fn admit(app: &App, learner: &Learner, short_name: &str) -> ApiResult<()> {
        let organisation = organisations::find(&app.db, short_name).await?;
        let organisation = organisation.ok_or(ApiError::OrganisationNotFound)?;
        match has_claim(app, &learner.0, &organisation).await? {
            true => Ok(()),
            false => Err(ApiError::Forbidden("The learner has no access to this organisation.")),
        }
    }
}

impl Caller for Member {
    fn scope(&self) -> String {
        self.learner.scope()
    }
}

pub(super) fn selected(headers: &HeaderMap) -> ApiResult<Option<String>> {
    let fault = |message| Err(ApiError::invalid(NAME, message));
    let mut values = headers.get_all(NAME).iter();
    let by_header = match (values.next(), values.next()) {
        (None, _) => None,
        (Some(value), None) => match value.to_str() {
            Ok(name) => Some(name.trim().to_owned()),
            Err(_) => return fault("is no short name"),
        },
        (Some(_), Some(_)) => return fault("is given more than once"),
    };
    match (by_header, cookie(headers, NAME)) {
        (Some(header), Some(cookie)) if !header.eq_ignore_ascii_case(&cookie) => {
            fault("differs between the header and the cookie")
        }
        (header, cookie) => Ok(header.or(cookie)),
    }
}

/// Returns whether a learner has access: by the token's list of organisations if there is one, else to every open
/// organisation and to those that the learner is a member of.
async fn has_claim(app: &App, learner: &Identity, organisation: &SelectedOrganisation) -> ApiResult<bool> {
    if learner.administrator {
        return Ok(true);
    }
    match &learner.organisations {
        Some(claimed) => Ok(claimed.iter().any(|name| name.eq_ignore_ascii_case(&organisation.short_name))),
        None if organisation.open => Ok(true),
        None => {
            let buyers = buyers(learner);
            organisations::is_member(&app.db, organisation.id, learner.user_id, &buyers).await
        }
    }
}
