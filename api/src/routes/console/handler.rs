//! What the handlers of pages and forms get, and how their failures become pages of what went wrong.

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts, Request, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{MethodRouter, get, post};
use minijinja::Value;

use super::{page, problem};
use crate::error::{ApiError, ApiResult};
use crate::extract::{AtConsole, Commander, ConsoleForm, ForPage, PagePath, UploadForm, Visit};
use crate::state::AppState;

/// The texts of a path by their names.
type Named = HashMap<String, String>;

/// The request for a page.
pub struct Page<C = AtConsole> {
    pub app: AppState,
    pub visit: Visit,
    pub at: C,
    path: Named,
}

impl<C> Page<C> {
    /// The text of the path with this name.
    pub fn named(&self, name: &str) -> &str {
        self.path.get(name).map_or("", String::as_str)
    }
}

impl Page {
    /// Renders a template.
    pub async fn show(&self, template: &str, values: Value) -> ApiResult<Response> {
        page::show(&self.app, &self.visit, &self.at, template, values).await
    }
}

/// A form that a member of the staff has sent.
pub struct Sent {
    pub app: AppState,
    pub visit: Visit,
    pub commander: Commander<AtConsole>,
    pub form: Arc<ConsoleForm>,
    path: Named,
}

impl Sent {
    /// The text of the path with this name.
    pub fn named(&self, name: &str) -> &str {
        self.path.get(name).map_or("", String::as_str)
    }

    /// Renders a template.
    pub async fn show(&self, template: &str, values: Value) -> ApiResult<Response> {
        page::show(&self.app, &self.visit, &self.commander.caller, template, values).await
    }

    /// Leads on to a page of the organisation.
    pub fn next(&self, page: impl Display) -> Redirect {
        Redirect::to(&format!("/console/{}/{page}", self.commander.caller.short_name))
    }

    /// Has the commander send under the form's own key.
    ///
    /// # Errors
    /// As [`ConsoleForm::key`].
    pub fn with_key(self) -> ApiResult<Self> {
        Ok(Self { commander: self.commander.with_key(self.form.key()?), ..self })
    }
}

/// Routes GET to a page.
pub fn shows<C, F, A>(make: impl Fn(Page<C>) -> F + Clone + Send + Sync + 'static) -> MethodRouter<AppState>
where
    C: FromRequestParts<AppState, Rejection = ApiError> + Send + 'static,
    F: Future<Output = ApiResult<A>> + Send,
    A: IntoResponse,
{
    get(move |State(app): State<AppState>, ForPage(visit, at): ForPage<C>, path: Path| async move {
        let ask = |at| Page { app: app.clone(), visit: visit.clone(), at, path: named(path) };
        let made = async { make(ask(at?)).await };
        made.await.map_or_else(|error| problem::show(&app, &visit, error, None), IntoResponse::into_response)
    })
}

/// Routes POST to what a form does.
pub fn takes<F, A>(take: impl Fn(Sent) -> F + Clone + Send + Sync + 'static) -> MethodRouter<AppState>
where
    F: Future<Output = ApiResult<A>> + Send,
    A: IntoResponse,
{
    post(move |State(app): State<AppState>, sender: Sender, path: Path, request: Request| async move {
        let form = ConsoleForm::from_request(request, &app).await;
        answer(app, sender, path, form, |sent: Sent| async move { take(sent.with_key()?).await }).await
    })
}

/// Routes POST to what a form with a file does, with or without a key. Of an unknown sender nothing is read, because it is large.
pub fn takes_file<F, A>(take: impl Fn(Sent) -> F + Clone + Send + Sync + 'static) -> MethodRouter<AppState>
where
    F: Future<Output = ApiResult<A>> + Send,
    A: IntoResponse,
{
    post(move |State(app): State<AppState>, sender: Sender, path: Path, request: Request| async move {
        let form = match &sender.1 {
            Ok(_) => UploadForm::from_request(request, &app).await.map(|form| form.0),
            Err(_) => Ok(ConsoleForm::default()),
        };
        answer(app, sender, path, form, take).await
    })
}

type Sender = ForPage<Commander<AtConsole>>;
type Path = Result<PagePath<Named>, ApiError>;

fn named(path: Path) -> Named {
    path.map(|PagePath(named)| named).unwrap_or_default()
}

/// The answer to a form, which comes back as it was filled if it fails. Its sender is checked first.
async fn answer<F, A>(
    app: AppState,
    ForPage(visit, commander): Sender,
    path: Path,
    form: ApiResult<ConsoleForm>,
    take: impl FnOnce(Sent) -> F,
) -> Response
where
    F: Future<Output = ApiResult<A>>,
    A: IntoResponse,
{
    let (form, arrived) = match form {
        Ok(form) => (Arc::new(form), Ok(())),
        Err(error) => (Arc::default(), Err(error)),
    };
    let taken = async {
        let commander = commander?;
        arrived?;
        let (app, visit, form) = (app.clone(), visit.clone(), form.clone());
        take(Sent { app, visit, commander, form, path: named(path) }).await
    };
    taken
        .await
        .map_or_else(|error| problem::show(&app, &visit, error, Some(&form)), IntoResponse::into_response)
}
