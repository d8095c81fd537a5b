//! The route for the status of a cart and its payment.

use axum::extract::State;
use axum::response::Response;
use shared::ids::CartId;

use super::payment_page::or_page;
use crate::error::{ApiError, ApiResult};
use crate::extract::{CartOfCaller, CartOfLink, WantsPage};
use crate::openapi::parameters::CartInPath;
use crate::queries::carts;
use crate::response::private;
use crate::state::{App, AppState};
use crate::views::carts::StatusBody;
use crate::views::pages;

/// Query the status of a cart and its payment
///
/// Answered from the service's own records, which follow the provider's notifications. The `cart_id` of a 502 or 504 works
/// too, once that checkout has begun or has joined an earlier attempt. A browser (`Accept: text/html`) is shown a page.
#[utoipa::path(
    get,
    path = "/storeapi/payment/status/{cart_id}/",
    tag = "extensions",
    security(("reader" = []), ("cart_token" = [])),
    params(CartInPath),
    operation_id = "get_cart_status",
    extensions(("x-problems" = json!(["called", "invalid_request", "not_found"])), ("x-pages" = json!(true))),
    responses(
        (status = 200, content((StatusBody = "application/json"), (String = "text/html")), description = "The cart, its payment, and the enrollment of each item."),
        (status = 401, description = "`unauthenticated`: the request carries no accepted identity, an invalid one, or a token that has expired."),
        (status = 404, description = "`not_found`: this caller has no such cart."),
    )
)]
pub async fn status(
    wants_page: WantsPage,
    link: CartOfLink,
    cart: Result<CartOfCaller, ApiError>,
    State(app): State<AppState>,
) -> ApiResult<Response> {
    let answer = async {
        let CartOfCaller(id) = cart?;
        show_status(&app, id, wants_page.is_wanted).await
    };
    let answer = answer.await;
    or_page(&app, answer, wants_page, link).await
}

async fn show_status(app: &App, id: CartId, wants_page: bool) -> ApiResult<Response> {
    let cart = carts::find(&app.db, id).await?.ok_or(ApiError::NotFound("Cart"))?;
    let lines = carts::lines(&app.db, &cart).await?;
    let awaited = carts::awaited(&app.db, &cart).await?;
    if wants_page {
        let organisation = carts::organisation(&app.db, id).await?.ok_or(ApiError::NotFound("Cart"))?;
        return pages::order(
            &cart,
            &lines,
            awaited.as_ref(),
            &organisation,
            &organisation.localizer(&app.texts),
        );
    }
    Ok(private(StatusBody::new(cart, lines, awaited)))
}
