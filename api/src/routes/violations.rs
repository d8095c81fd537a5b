//! The route to which browsers report what the policy of a payment page has kept out.

use axum::extract::{Request, State};
use axum::http::StatusCode;

use crate::extract::read;
use crate::listener::BodyKind;
use crate::openapi::schemas;
use crate::state::AppState;

/// Most bytes of a body: a hundred reports of a payment page are about 175 KB.
const MOST_BYTES: usize = 256 * 1024;

/// Report violations of a page's content security policy
///
/// For browsers, which the policy of the payment page tells to. Answers 204 to every report, also to one that it drops: a browser
/// would send a refused one again.
#[utoipa::path(
    post,
    path = "/storeapi/payment/violations/",
    tag = "extensions",
    security(()),
    operation_id = "report_policy_violations",
    extensions(("x-problems" = json!([]))),
    request_body(content(
        (inline(schemas::AnyObject) = "application/csp-report"),
        (inline(Vec<schemas::AnyObject>) = "application/reports+json"),
    ), description = "One report or a list, in the forms of Content Security Policy 2 and of the Reporting API; at most 256 KiB."),
    responses((status = 204, description = "Whatever was reported.")),
)]
pub async fn report(State(app): State<AppState>, request: Request) -> StatusCode {
    if let Ok(body) = read(request, MOST_BYTES, BodyKind::Other).await {
        app.violations.note_all(&body);
    }
    StatusCode::NO_CONTENT
}
