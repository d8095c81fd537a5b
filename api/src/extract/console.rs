//! Callers of the console: members of the staff, in the organisation that the path names, with forms of the console's own pages.

use std::collections::HashMap;
use std::convert::Infallible;

use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, Multipart, OriginalUri, Request};
use axum::http::request::Parts;
use axum::http::{Uri, header};
use texts::Language;
use url::{Url, form_urlencoded};

use super::batch::MAX_UPLOAD;
use super::body::{MAX_BODY, read};
use super::browser::WantsPage;
use super::desk::{Desk, NOT_STAFF, person};
use super::path::PagePath;
use super::scope::Caller;
use crate::error::{ApiError, ApiResult};
use crate::listener::BodyKind;
use crate::queries::staff::{self, Workplace};
use crate::state::{App, AppState};

/// The request for a page, by anyone.
#[derive(Clone)]
pub struct Visit {
    pub uri: Uri,
    /// Those of the person's account at the course platform and of the browser, the best first.
    pub languages: Vec<Language>,
}

/// A caller of a page, or why the request has none; the page is in the reader's language in both cases.
pub struct ForPage<T>(pub Visit, pub Result<T, ApiError>);

/// The language of the person's account, which is known also of a person who may not see the page.
#[derive(Clone)]
struct OwnLanguage(Language);

impl<T: FromRequestParts<AppState, Rejection = ApiError> + Send> FromRequestParts<AppState> for ForPage<T> {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, Infallible> {
        let caller = T::from_request_parts(parts, app).await;
        let OriginalUri(uri) = OriginalUri::from_request_parts(parts, app).await?;
        let browser = WantsPage::from_request_parts(parts, app).await?;
        let own = parts.extensions.get::<OwnLanguage>().map(|OwnLanguage(language)| language.clone());
        let languages = own.into_iter().chain(browser.languages).collect();
        Ok(Self(Visit { uri, languages }, caller))
    }
}

/// A member of the staff, before an organisation is chosen.
pub struct Colleague {
    pub name: String,
    pub user_id: i64,
    pub workplaces: Vec<Workplace>,
}

impl FromRequestParts<AppState> for Colleague {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        // Before anything else: what another site has filled in is not even shown.
        if !parts.method.is_safe() && !is_own_form(parts, app) {
            return Err(ApiError::Forbidden("The form was not sent by a page of the console."));
        }
        let learner = person(parts, app).await?.0;
        if let Some(language) = &learner.language {
            parts.extensions.insert(OwnLanguage(language.clone()));
        }
        let workplaces = staff::workplaces(&app.db, learner.user_id).await?;
        if workplaces.is_empty() {
            return Err(NOT_STAFF);
        }
        let name = if learner.name.is_empty() { learner.username.clone() } else { learner.name.clone() };
        Ok(Self { name, user_id: learner.user_id, workplaces })
    }
}

/// Returns whether a page of the api's own origin has sent the form.
fn is_own_form(parts: &Parts, app: &App) -> bool {
    let own = Url::parse(&app.config.links.public_base_url).map(|url| url.origin());
    let sent = parts.headers.get(header::ORIGIN).and_then(|value| Url::parse(value.to_str().ok()?).ok());
    sent.is_some_and(|sent| own.is_ok_and(|own| own.is_tuple() && sent.origin() == own))
}

/// A member of the staff at the desk of the organisation that the path names.
pub struct AtConsole {
    pub desk: Desk,
    pub colleague: Colleague,
    pub short_name: String,
    pub organisation: String,
    /// The time zone of the organisation's days.
    pub zone: String,
}

impl FromRequestParts<AppState> for AtConsole {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        let colleague = Colleague::from_request_parts(parts, app).await?;
        let PagePath(path) = PagePath::<HashMap<String, String>>::from_request_parts(parts, app).await?;
        let named = path.get("organisation").map(String::as_str).unwrap_or_default();
        let found = colleague.workplaces.iter().find(|place| place.short_name.eq_ignore_ascii_case(named));
        let place = found.ok_or(NOT_STAFF)?;
        let (short_name, organisation) = (place.short_name.clone(), place.name.clone());
        let zone = place.zone.clone();
        Ok(Self { desk: Desk::of(colleague.user_id, place), short_name, organisation, zone, colleague })
    }
}

impl Caller for AtConsole {
    fn scope(&self) -> String {
        self.desk.scope()
    }
}

/// The fields of a form, in their order.
#[derive(Clone, Debug, Default)]
pub struct ConsoleForm(pub Vec<(String, String)>);

impl ConsoleForm {
    /// The trimmed text of a field; empty if it is missing.
    pub fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(field, _)| field == name).map_or("", |(_, value)| value.trim())
    }

    /// All texts of a field.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(field, _)| field == name).map(|(_, value)| value.trim())
    }

    /// The form's own idempotency key, which its page has made.
    ///
    /// # Errors
    /// `InvalidRequest` if it is missing or altered.
    pub fn key(&self) -> ApiResult<String> {
        let key = self.text("key");
        match uuid::Uuid::try_parse(key) {
            Ok(_) => Ok(key.to_owned()),
            Err(_) => Err(ApiError::invalid("key", "is missing; open the page again")),
        }
    }
}

impl FromRequest<AppState> for ConsoleForm {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &AppState) -> Result<Self, ApiError> {
        let content_type = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let is_form =
            content_type.is_some_and(|value| value.starts_with("application/x-www-form-urlencoded"));
        if !is_form {
            return Err(ApiError::MediaType("application/x-www-form-urlencoded"));
        }
        let bytes = read(request, MAX_BODY, BodyKind::Other).await?;
        Self::of(form_urlencoded::parse(&bytes).into_owned().collect())
    }
}

impl ConsoleForm {
    fn of(fields: Vec<(String, String)>) -> ApiResult<Self> {
        if fields.iter().any(|(name, value)| name.contains('\0') || value.contains('\0')) {
            return Err(ApiError::invalid("form", "holds a NUL character"));
        }
        Ok(Self(fields))
    }
}

/// A form that brings a file as the text of its field, or has brought it before.
pub struct UploadForm(pub ConsoleForm);

impl FromRequest<AppState> for UploadForm {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &AppState) -> Result<Self, ApiError> {
        // The boundaries of the fields, and the few other ones.
        let most = MAX_UPLOAD + MAX_BODY;
        let (parts, body) = request.into_parts();
        let whole = Request::from_parts(parts.clone(), body);
        let bytes = read(whole, most, BodyKind::Other).await?;
        let request = Request::from_parts(parts, Body::from(bytes));
        let broken = |error| ApiError::invalid("form", format!("cannot be read: {error}"));
        let form = Multipart::from_request(request, app).await;
        let mut form = form.map_err(|_| ApiError::MediaType("multipart/form-data"))?;
        let mut fields = Vec::new();
        while let Some(field) = form.next_field().await.map_err(broken)? {
            let name = field.name().unwrap_or_default().to_owned();
            let bytes = field.bytes().await.map_err(broken)?;
            let text = String::from_utf8(bytes.into());
            let text = text.map_err(|_| ApiError::invalid(&name, "is not UTF-8 text"))?;
            // A page that offers a file and a field for text sends both, of which one is empty.
            if !text.trim().is_empty() {
                fields.push((name, text));
            }
        }
        ConsoleForm::of(fields).map(Self)
    }
}
