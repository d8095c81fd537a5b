//! Authorises callers who act for an organisation: its staff, signed in with the course platform's session, and holders of its keys.
//! The support desk takes every role and the scope `support`; other routes name a role and a scope, which count as equals.

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::request::Parts;
use shared::ids::{CartId, DocumentId, OrganisationId};
use shared::messages::{DeskCaller, StaffMember};
use shared::organisation_key::{KeyId, Scope};
use shared::staff::Role;

use super::caller::{self, Learner};
use super::cart;
use super::client_secret::ClientSecret;
use super::fields::hyphenated;
use super::organisation;
use super::organisation_key;
use super::path::DocumentPath;
use super::scope::Caller;
use crate::error::{ApiError, ApiResult};
use crate::identity::Identity;
use crate::queries::carts;
use crate::queries::documents;
use crate::queries::staff::{self, Workplace};
use crate::state::{App, AppState};

/// A user of the desk.
#[derive(Clone, Debug)]
pub enum DeskUser {
    /// One of the organisation's own tools.
    Key(KeyId),
    /// A member of the staff.
    Staff { user_id: i64, roles: Vec<Role> },
}

/// A caller who acts for one organisation. At its support desk every role may search and look.
#[derive(Clone, Debug)]
pub struct Desk {
    pub organisation_id: OrganisationId,
    pub user: DeskUser,
}

impl Desk {
    /// The desk at which a member of the staff works.
    pub fn of(user_id: i64, workplace: &Workplace) -> Self {
        let roles = Role::parse_all(&workplace.roles);
        Self { organisation_id: workplace.organisation_id, user: DeskUser::Staff { user_id, roles } }
    }

    /// Returns whether the caller may do what needs a role. A key with the scope may do what the support does.
    pub fn may(&self, role: Role) -> bool {
        match &self.user {
            DeskUser::Key(_) => role == Role::Support,
            DeskUser::Staff { roles, .. } => roles.contains(&role),
        }
    }

    /// Checks that the caller may do what needs a role.
    ///
    /// # Errors
    /// `Forbidden`, which names the role.
    pub fn require(&self, role: Role) -> ApiResult<()> {
        if self.may(role) {
            return Ok(());
        }
        Err(ApiError::Forbidden(match role {
            Role::Support => "Your account lacks the role support.",
            Role::Finance => "Your account lacks the role finance.",
            Role::Manager => "Your account lacks the role manager.",
        }))
    }
}

impl Desk {
    /// An order of the organisation, by the id of its cart or of a checkout that joined it.
    ///
    /// # Errors
    /// `NotFound`, also for another organisation's.
    pub async fn order(&self, app: &App, id: &str) -> ApiResult<CartId> {
        let id = hyphenated(id).ok_or(ApiError::NotFound("Order"))?;
        let cart = carts::owner(&app.db, id).await?;
        let own = cart.filter(|cart| cart.organisation_id == self.organisation_id);
        own.map(|cart| cart.id).ok_or(ApiError::NotFound("Order"))
    }
}

impl Desk {
    /// The person as messages name them; None for a key.
    pub fn member(&self) -> Option<StaffMember> {
        match self.caller() {
            DeskCaller::Staff(member) => Some(member),
            DeskCaller::Key { .. } => None,
        }
    }

    /// The caller as messages name them.
    pub fn caller(&self) -> DeskCaller {
        let organisation_id = self.organisation_id;
        match &self.user {
            DeskUser::Key(id) => DeskCaller::Key { id: *id, organisation_id },
            DeskUser::Staff { user_id, .. } => {
                DeskCaller::Staff(StaffMember { user_id: *user_id, organisation_id })
            }
        }
    }

    /// The caller who acts for an organisation: the holder of its key with a scope, or a member of its staff in a role.
    ///
    /// # Errors
    /// As [`organisation_key::holder`] for a key; `Forbidden` for a person without the role.
    pub(super) async fn with(parts: &mut Parts, app: &AppState, scope: Scope, role: Role) -> ApiResult<Self> {
        let desk = Self::find(parts, app, scope).await?;
        if let DeskUser::Staff { .. } = desk.user {
            desk.require(role)?;
        }
        Ok(desk)
    }

    /// The person's desk in a role: at the organisation that the request selects, else at the only one where they work. None for
    /// any other learner, who may be a buyer.
    pub(super) async fn of_role(
        parts: &mut Parts,
        app: &AppState,
        learner: &Identity,
        role: Role,
    ) -> ApiResult<Option<Self>> {
        if learner.is_limited {
            return Ok(None);
        }
        let workplaces = staff::workplaces(&app.db, learner.user_id).await?;
        let workplace = at_work(&workplaces, organisation::selected(&parts.headers)?.as_deref());
        Ok(workplace.map(|place| Self::of(learner.user_id, place)).filter(|desk| desk.may(role)))
    }

    /// The desk of a learner who is on the staff of an organisation in a role; None for any other learner.
    pub(super) async fn at(
        app: &App,
        learner: &Identity,
        organisation_id: OrganisationId,
        role: Role,
    ) -> ApiResult<Option<Self>> {
        if learner.is_limited {
            return Ok(None);
        }
        let workplaces = staff::workplaces(&app.db, learner.user_id).await?;
        let place = workplaces.iter().find(|place| place.organisation_id == organisation_id);
        Ok(place.map(|place| Self::of(learner.user_id, place)).filter(|desk| desk.may(role)))
    }

    /// The holder of a key with a scope, else the signed-in person at the desk where they work.
    async fn find(parts: &mut Parts, app: &AppState, scope: Scope) -> ApiResult<Self> {
        if let Some(holder) = organisation_key::holder(parts, app, scope).await? {
            return Ok(Self { organisation_id: holder.organisation_id, user: DeskUser::Key(holder.id) });
        }
        Self::staffed(parts, app).await
    }

    /// The signed-in person at the desk where they work.
    async fn staffed(parts: &mut Parts, app: &AppState) -> ApiResult<Self> {
        <ClientSecret as OptionalFromRequestParts<_>>::from_request_parts(parts, app).await?;
        let learner = person(parts, app).await?;
        let workplaces = staff::workplaces(&app.db, learner.0.user_id).await?;
        let selected = organisation::selected(&parts.headers)?;
        match at_work(&workplaces, selected.as_deref()) {
            Some(workplace) => Ok(Self::of(learner.0.user_id, workplace)),
            None if selected.is_none() && !workplaces.is_empty() => Err(ApiError::OrganisationNotFound),
            None => Err(NOT_STAFF),
        }
    }
}

/// Finds the current workplace of a person: the organisation that is named, else the only one.
fn at_work<'a>(workplaces: &'a [Workplace], named: Option<&str>) -> Option<&'a Workplace> {
    match named {
        Some(name) => workplaces.iter().find(|place| place.short_name.eq_ignore_ascii_case(name)),
        // Who works for one organisation need not name it.
        None => workplaces.first().filter(|_| workplaces.len() == 1),
    }
}

/// The answer to who is not on the staff: it does not tell whether the organisation exists.
pub(super) const NOT_STAFF: ApiError =
    ApiError::Forbidden("The account is not on the staff of this organisation.");

/// The signed-in person, in person: the token of an application does not open the desk, not even to look.
pub(super) async fn person(parts: &mut Parts, app: &AppState) -> ApiResult<Learner> {
    let learner = <Learner as FromRequestParts<_>>::from_request_parts(parts, app).await?;
    if learner.0.is_limited {
        return Err(ApiError::Forbidden(
            "The token is that of an application that may not act for the learner.",
        ));
    }
    Ok(learner)
}

impl FromRequestParts<AppState> for Desk {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        Self::find(parts, app, Scope::Support).await
    }
}

impl Caller for Desk {
    fn scope(&self) -> String {
        match &self.user {
            DeskUser::Key(id) => organisation_key::key_scope(*id),
            // The same person may work for several organisations.
            DeskUser::Staff { user_id, .. } => {
                format!("{} at {}", caller::learner_scope(*user_id), self.organisation_id)
            }
        }
    }
}

/// The order that the path names, at the desk of its organisation.
#[derive(Clone, Debug)]
pub struct DeskOrder {
    pub desk: Desk,
    pub cart_id: CartId,
}

impl FromRequestParts<AppState> for DeskOrder {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        let desk = Desk::from_request_parts(parts, app).await?;
        Self::at(desk, parts, app).await
    }
}

impl DeskOrder {
    async fn at(desk: Desk, parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        let cart = cart::named(parts, app).await;
        // Another organisation's order is not told from none.
        let cart = cart.map_err(|error| match error {
            ApiError::NotFound(_) => ApiError::NotFound("Order"),
            error => error,
        })?;
        match cart.organisation_id == desk.organisation_id {
            true => Ok(Self { cart_id: cart.id, desk }),
            false => Err(ApiError::NotFound("Order")),
        }
    }
}

impl Caller for DeskOrder {
    fn scope(&self) -> String {
        self.desk.scope()
    }
}

/// A caller that reports the payment of the order that the path names, which the organisation takes itself: by the scope `payments`,
/// or in the role finance.
pub struct PaymentReporter(pub DeskOrder);

impl FromRequestParts<AppState> for PaymentReporter {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        let desk = Desk::with(parts, app, Scope::Payments, Role::Finance).await?;
        DeskOrder::at(desk, parts, app).await.map(Self)
    }
}

impl Caller for PaymentReporter {
    fn scope(&self) -> String {
        self.0.scope()
    }
}

/// A caller that reports what became of the document that the path names: by the scope `documents`, or in the role finance.
pub struct DocumentReporter {
    pub desk: Desk,
    pub document_id: DocumentId,
    /// Its order.
    pub cart_id: CartId,
}

impl FromRequestParts<AppState> for DocumentReporter {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        let desk = Desk::with(parts, app, Scope::Documents, Role::Finance).await?;
        let DocumentPath(document_id) = DocumentPath::from_request_parts(parts, app).await?;
        let order = documents::order(&app.db, document_id).await?;
        // Another organisation's document is not told from none.
        let order = order.filter(|order| order.owner.organisation_id == desk.organisation_id);
        let cart_id = order.ok_or(ApiError::NotFound("Document"))?.owner.id;
        Ok(Self { desk, document_id, cart_id })
    }
}

impl Caller for DocumentReporter {
    fn scope(&self) -> String {
        self.desk.scope()
    }
}

/// Makes an extractor of the callers who act for an organisation: by a key with a scope, or as its staff in a role.
macro_rules! acts_for_organisation {
    ($(#[$doc:meta])* $Name:ident, $scope:ident, $role:ident) => {
        $(#[$doc])*
        pub struct $Name(pub Desk);

        impl FromRequestParts<AppState> for $Name {
            type Rejection = ApiError;

            async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
                Desk::with(parts, app, Scope::$scope, Role::$role).await.map(Self)
            }
        }

        impl Caller for $Name {
            fn scope(&self) -> String {
                self.0.scope()
            }
        }
    };
}

acts_for_organisation!(
    /// A caller that decides withdrawals: the scope `refunds`, or the role finance.
    WithdrawalKeeper, Refunds, Finance
);
acts_for_organisation!(
    /// A caller that reads reports: the scope `reports`, or the role finance.
    ReportsReader, Reports, Finance
);
acts_for_organisation!(
    /// A caller that reads events: the scope `events`, or the role manager.
    EventsReader, Events, Manager
);
acts_for_organisation!(
    /// A caller that reads the organisation's own courses: the scope `support`, or the role manager.
    OwnCatalogReader, Support, Manager
);
acts_for_organisation!(
    /// A caller that keeps vouchers: the scope `vouchers`, or the role manager.
    VoucherKeeper, Vouchers, Manager
);

/// A caller that submits batches: a trusted backend, for every organisation, or a manager, for the courses of their own.
pub struct BatchAuthor(pub Option<Desk>);

impl FromRequestParts<AppState> for BatchAuthor {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        if <ClientSecret as OptionalFromRequestParts<_>>::from_request_parts(parts, app).await?.is_some() {
            return Ok(Self(None));
        }
        let desk = Desk::staffed(parts, app).await?;
        desk.require(Role::Manager)?;
        Ok(Self(Some(desk)))
    }
}

impl Caller for BatchAuthor {
    fn scope(&self) -> String {
        self.0.as_ref().map_or_else(|| ClientSecret.scope(), Caller::scope)
    }
}
