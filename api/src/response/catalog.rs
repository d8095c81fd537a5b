//! Shared steps of catalog reads: bodies cached by generation, conditional answers, and caching headers.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use chrono::{DateTime, Utc};
use futures_util::FutureExt;
use serde::Serialize;

use crate::cache::{BodyKey, Cost, PlainBody, Rendered};
use crate::error::{ApiError, ApiResult};
use crate::extract::{Conditional, Visitor};
use crate::queries::pricing::{self, PriceBook};
use crate::state::AppState;

/// One catalog read: which body, and for which visitor.
pub struct Read<'a> {
    pub app: &'a AppState,
    pub route: &'static str,
    /// The normalised query: equivalent requests have the same text.
    pub query: String,
    /// None if the body is the same for all countries.
    pub visitor: Option<Visitor>,
    pub conditional: Conditional,
}

impl<'a> Read<'a> {
    /// Answers from the process's cache if possible, else renders the body. `render` gets the generation to read.
    pub async fn answer<T, F>(self, render: impl FnOnce(i64) -> F + Send + 'a) -> ApiResult<Response>
    where
        T: Serialize,
        F: Future<Output = ApiResult<T>> + Send + 'a,
    {
        self.answer_priced(|generation| {
            let rendered = render(generation);
            async { Ok((rendered.await?, None)) }
        })
        .await
    }

    /// Answers as [`Self::answer`] does; `render` also says when a price of the body is another by the clock.
    pub async fn answer_priced<T, F>(self, render: impl FnOnce(i64) -> F + Send + 'a) -> ApiResult<Response>
    where
        T: Serialize,
        F: Future<Output = ApiResult<(T, Option<DateTime<Utc>>)>> + Send + 'a,
    {
        let generation = self.app.cache.generation().await?;
        let key = BodyKey {
            generation,
            route: self.route,
            query: self.query,
            country: self.visitor.and_then(|visitor| visitor.0),
            encoding: self.conditional.encoding,
        };
        let app = self.app;
        let body = || {
            let rendered = render(generation);
            let body = async {
                let (body, until) = rendered.await?;
                let bytes = serde_json::to_vec(&body).map_err(|_| ApiError::Internal)?.into();
                let holds_for = until.map(|until| (until - app.now()).to_std().unwrap_or_default());
                Ok(PlainBody { bytes, holds_for })
            };
            body.boxed()
        };
        let rendered = self.app.cache.bodies.get(key, body).await?;
        let vary = match (&self.visitor, &self.app.config.region.country_header.0) {
            (None, _) => HeaderValue::from_static("accept-encoding"),
            (Some(_), None) => {
                HeaderValue::from_static("accept-encoding, clientapisecret, x-visitor-country")
            }
            (Some(_), Some(name)) => {
                let names = format!("accept-encoding, clientapisecret, x-visitor-country, {name}");
                HeaderValue::try_from(names).map_err(|_| ApiError::Internal)?
            }
        };
        Ok(respond(rendered, &self.conditional, vary))
    }
}

/// The price policies and exchange rates of a generation.
pub async fn price_book(app: &AppState, generation: i64) -> ApiResult<PriceBook> {
    app.cache.base(generation, "prices", "", Cost::Common, pricing::load).await
}

/// Time that a caller may keep an answer of the catalog: the 30 seconds of its header.
const KEPT: Duration = Duration::from_secs(30);

/// An answer that the caller may keep; 304 if the caller's copy is current.
pub fn respond(rendered: Rendered, conditional: &Conditional, vary: HeaderValue) -> Response {
    let unchanged = conditional.has(&rendered.etag);
    let max_age = match rendered.until {
        None => HeaderValue::from_static("private, max-age=30"),
        Some(_) => {
            let rest = rendered.holds_for(KEPT).as_secs();
            HeaderValue::try_from(format!("private, max-age={rest}"))
                .unwrap_or(HeaderValue::from_static("no-cache"))
        }
    };
    let mut response = Response::new(if unchanged { Body::empty() } else { Body::from(rendered.body) });
    let headers = response.headers_mut();
    headers.insert(header::ETAG, rendered.etag);
    headers.insert(header::CACHE_CONTROL, max_age);
    headers.insert(header::VARY, vary);
    if unchanged {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return response;
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(encoding) = rendered.encoding.name() {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    response
}
