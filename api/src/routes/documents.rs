//! Routes for invoices and credit notes.

use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::Value;
use shared::e_invoice::{EInvoice, NoEInvoice, Syntax};
use shared::ids::{CartId, DocumentId};
use shared::invoice_number;
use shared::messages::{BillingAddress, CorrectInvoice, MailDocument, OrderCaller};
use texts::Localizer;
use utoipa::{IntoParams, ToSchema};

use super::orders;
use super::payment_page::or_page;
use crate::error::{self, ApiError, ApiResult};
use crate::extract::{
    Body, Caller, CartOfLink, Commander, DocumentForm, DocumentLink, DocumentOfCaller, EmptyBody, Fields,
    InvoiceCorrector, OrderActor, Params, Peer, Query, ReadFields, ReadParams, WantsPage,
};
use crate::identity::VisitorName;
use crate::openapi::parameters::{DocumentInPath, IdempotencyKey, OrderInPath};
use crate::queries::carts::{self, CartOrganisation};
use crate::queries::documents;
use crate::read::billing::Billing;
use crate::request_log;
use crate::response::private;
use crate::state::{App, AppState};
use crate::views::documents::{DocumentBody, OriginalFile, PdfFile, XmlFile};
use crate::views::orders::OrderBody;
use crate::views::pages::{self, Shop};
use crate::words::DocumentStatus;

/// The buyer that the invoice shall name.
#[derive(Debug, Serialize, ToSchema)]
pub struct InvoiceRequest {
    billing_address: BillingAddress,
}

impl ReadFields for InvoiceRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        let Billing(billing_address) = fields.required("billing_address")?;
        if billing_address == BillingAddress::default() {
            fields.error("billing_address", "has no field");
            return None;
        }
        Some(Self { billing_address })
    }
}

/// Correct the buyer on an invoice
///
/// A credit note takes the whole invoice back, and a new invoice names the given buyer; the money does not move. Up to three
/// times. Refused for an order with refunds, and for an address that changes the tax. With the buyer that the invoice names
/// already, nothing happens. The buyer gets the new invoice by mail.
///
/// A key that has the scope `refunds`, too, takes the tax back from a company of another EU member state whose VAT ID is valid by now:
/// the new invoice is under reverse charge, and the tax is refunded. Access stays.
#[utoipa::path(
    post,
    path = "/storeapi/payment/orders/{cart_id}/invoice/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["orders"])),
    params(OrderInPath, IdempotencyKey),
    request_body = InvoiceRequest,
    operation_id = "correct_invoice",
    extensions(("x-problems" = json!(["called", "body", "command", "forbidden", "not_found"]))),
    responses((status = 200, body = OrderBody, description = "The order, with its documents."))
)]
pub async fn correct(
    commander: Commander<InvoiceCorrector>,
    State(app): State<AppState>,
    Body(request): Body<InvoiceRequest>,
) -> ApiResult<Response> {
    let OrderActor { cart_id, caller } = commander.caller.0.clone();
    let by_key = matches!(caller, OrderCaller::Key { .. });
    ask(&commander, cart_id, caller, request).await?;
    orders::show(&app, cart_id, by_key).await
}

/// Has the worker correct an invoice, once for each idempotency key.
pub async fn ask<C: Caller>(
    commander: &Commander<C>,
    cart_id: CartId,
    caller: OrderCaller,
    request: InvoiceRequest,
) -> ApiResult<()> {
    let idempotency = commander.idempotency(&(cart_id, &request))?;
    let billing_address = request.billing_address;
    commander.send(CorrectInvoice { cart_id, caller, billing_address, idempotency }, Some(cart_id)).await
}

/// How an e-invoice is written.
#[derive(Clone, Copy, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DocumentQuery {
    /// The syntax of the XML: `ubl`, which Peppol carries, or `cii`, which is in the PDF as well. Other forms ignore it.
    #[param(inline, value_type = Option<Syntax>)]
    syntax: Syntax,
}

impl ReadParams for DocumentQuery {
    fn read(params: &mut Params) -> Option<Self> {
        Some(Self { syntax: params.word("syntax")?.unwrap_or(Syntax::Ubl) })
    }
}

/// Show an invoice or a credit note
///
/// As the PDF that was issued, as what it says for `Accept: application/json`, or as an e-invoice of EN 16931 for `Accept:
/// application/xml`. To whom its order is shown, and to the holder of the link that mails and orders carry. The PDF has the
/// e-invoice inside as `factur-x.xml`, if the document has one. A browser (`Accept: text/html`) is shown problems as pages, with the
/// same status; the page of a link that has ended offers to mail a new one.
#[utoipa::path(
    get,
    path = "/storeapi/payment/documents/{document_id}/",
    tag = "extensions",
    security(("reader" = []), ("cart_token" = []), ("key" = ["orders"])),
    params(DocumentInPath, DocumentQuery),
    operation_id = "get_document",
    extensions(("x-problems" = json!(["called", "invalid_request", "forbidden", "not_found", "not_acceptable"])), ("x-pages" = json!(true))),
    responses(
        (status = 200, content((inline(PdfFile) = "application/pdf"), (DocumentBody = "application/json"), (inline(XmlFile) = "application/xml")), description = "The document."),
        (status = 401, description = "`unauthenticated`: the request carries no accepted identity, an invalid one, or a token that has expired."),
        (status = 403, description = "`forbidden`: the key lacks the scope."),
        (status = 404, description = "`not_found`: this caller has no such document."),
    )
)]
pub async fn show(
    wants_page: WantsPage,
    link: DocumentLink,
    caller: Result<DocumentOfCaller, ApiError>,
    form: DocumentForm,
    State(app): State<AppState>,
    Query(query): Query<DocumentQuery>,
) -> ApiResult<Response> {
    let answer = match caller {
        Ok(DocumentOfCaller(id)) => file(&app, id, form, query).await,
        Err(error) => Err(error),
    };
    match (answer, link.named) {
        // For any visitor, the document is mailed to the address of its order alone.
        (Err(error @ ApiError::Unauthenticated), Some(id)) if wants_page.is_wanted => {
            let action = format!("/storeapi/payment/documents/{id}/link/?{}", link.query);
            let shop = shop(&app, &link).await?;
            let localizer = localizer(&app, &wants_page, shop.as_ref());
            Ok(pages::ended_document(error, &action, known(shop.as_ref()), &localizer))
        }
        (answer, _) => or_page(&app, answer, wants_page, CartOfLink(None)).await,
    }
}

/// The shop of the order whose document a link was signed for, also if the link has ended; None if it was altered.
async fn shop(app: &App, link: &DocumentLink) -> ApiResult<Option<LinkedShop>> {
    let Some(id) = link.signed else { return Ok(None) };
    let Some(order) = documents::order(&app.db, id).await? else { return Ok(None) };
    let cart_id = order.owner.id;
    let organisation = carts::organisation(&app.db, cart_id).await?;
    Ok(organisation.map(|organisation| LinkedShop { organisation, cart_id }))
}

/// The shop of a link, and the order to which the link belongs.
struct LinkedShop {
    organisation: CartOrganisation,
    cart_id: CartId,
}

fn known(shop: Option<&LinkedShop>) -> Shop<'_> {
    Shop(shop.map(|shop| (&shop.organisation, shop.cart_id)))
}

/// Texts in the order's language, else in the browser's.
fn localizer<'a>(app: &'a App, wanted: &WantsPage, shop: Option<&LinkedShop>) -> Localizer<'a> {
    match shop {
        Some(shop) => shop.organisation.localizer(&app.texts),
        None => wanted.localizer(&app.texts, None),
    }
}

/// Mail a document again
///
/// For readers whose link has ended or is incomplete: the page of such a link has a button for it. The document goes, with a new link,
/// to the address of its order and to no other, at most three times a day. The answer is the same whether or not there is such a
/// document.
#[utoipa::path(
    post,
    path = "/storeapi/payment/documents/{document_id}/link/",
    tag = "extensions",
    security(()),
    params(DocumentInPath, ("token" = Option<String>, Query, description = "That of the link that has ended. It names the language of the page.")),
    operation_id = "mail_document",
    extensions(("x-problems" = json!(["invalid_request", "request_timeout", "unsupported_media_type", "rate_limited", "internal_error", "unavailable"])), ("x-pages" = json!(true))),
    responses((status = 202, body = String, content_type = "text/html", description = "The mail is on its way, if there is such a document."))
)]
pub async fn mail(
    wants_page: WantsPage,
    link: DocumentLink,
    Peer(peer): Peer,
    State(app): State<AppState>,
    body: Result<EmptyBody, ApiError>,
) -> ApiResult<Response> {
    let answer = async {
        body?;
        let document_id = link.named.ok_or_else(|| ApiError::invalid("document_id", "is not a UUID"))?;
        app.identities.limits.visitor(&VisitorName { address: Some(peer), id: None })?;
        app.identities.limits.link(document_id)?;
        app.commands.send_task(MailDocument { document_id }).await.map_err(|_| ApiError::Unavailable)?;
        let shop = shop(&app, &link).await?;
        let localizer = localizer(&app, &wants_page, shop.as_ref());
        let mut page = pages::document_sent(known(shop.as_ref()), &localizer)?;
        *page.status_mut() = StatusCode::ACCEPTED;
        Ok(page)
    };
    or_page(&app, answer.await, wants_page, CartOfLink(None)).await
}

async fn file(app: &App, id: DocumentId, form: DocumentForm, query: DocumentQuery) -> ApiResult<Response> {
    match form {
        DocumentForm::Pdf => pdf(app, id).await,
        DocumentForm::Json => Ok(private(DocumentBody::stored(content(app, id).await?)?)),
        DocumentForm::Xml { or_pdf } => match e_invoice(&content(app, id).await?) {
            Ok(e_invoice) => {
                let xml = XmlFile(e_invoice.write(query.syntax));
                Ok(([(header::CACHE_CONTROL, "no-store")], xml).into_response())
            }
            Err(NoEInvoice::Unreadable(error)) => {
                request_log::failed(format_args!("{}", NoEInvoice::Unreadable(error)));
                Err(ApiError::Internal)
            }
            Err(_) if or_pdf => pdf(app, id).await,
            Err(no) => Err(ApiError::NotAcceptable(error::sentence(&no.to_string()))),
        },
    }
}

/// The e-invoice of a document that the storefront writes itself.
fn e_invoice(content: &Value) -> Result<EInvoice, NoEInvoice> {
    match content.pointer("/seller/documents").and_then(Value::as_str) {
        Some("external") => Err(NoEInvoice::External),
        _ => EInvoice::of(content),
    }
}

async fn content(app: &App, id: DocumentId) -> ApiResult<Value> {
    documents::content(&app.db, id).await?.ok_or(ApiError::NotFound("Document"))
}

async fn pdf(app: &App, id: DocumentId) -> ApiResult<Response> {
    let found = documents::file(&app.db, id).await?.ok_or(ApiError::NotFound("Document"))?;
    let Some(pdf) = found.pdf else {
        return Err(match found.status {
            // Issued a moment ago: the worker renders it next.
            DocumentStatus::Issued if !found.is_external => ApiError::Unavailable,
            DocumentStatus::Issued | DocumentStatus::Cancelled => ApiError::NotAcceptable(
                "The program that has issued the document has reported no PDF.".into(),
            ),
            _ => {
                ApiError::NotAcceptable("The document has no PDF before another system has issued it.".into())
            }
        });
    };
    let number = found.number.unwrap_or_default();
    let name = format!("inline; filename=\"{}\"", invoice_number::file_name(&number));
    let headers = [
        (header::CONTENT_DISPOSITION, HeaderValue::try_from(name).map_err(|_| ApiError::Internal)?),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    Ok((headers, PdfFile(pdf)).into_response())
}

/// Download the file of another system
///
/// As the authority that has cleared the document, or the program that has issued it, made it, such as signed XML: the bytes that were
/// reported. A PDF of a program that issues documents itself is the document's own.
#[utoipa::path(
    get,
    path = "/storeapi/payment/documents/{document_id}/original/",
    tag = "extensions",
    security(("reader" = []), ("cart_token" = []), ("key" = ["orders"])),
    params(DocumentInPath),
    operation_id = "get_original_document",
    extensions(("x-problems" = json!(["called", "invalid_request", "forbidden", "not_found"]))),
    responses((status = 200, body = inline(OriginalFile), content_type = "application/octet-stream", description = "The file."))
)]
pub async fn original(
    DocumentOfCaller(id): DocumentOfCaller,
    State(app): State<AppState>,
) -> ApiResult<Response> {
    let (media_type, file) = documents::original(&app.db, id).await?.ok_or(ApiError::NotFound("File"))?;
    let end = media_type.rsplit('/').next().unwrap_or("bin");
    let name = HeaderValue::try_from(format!("attachment; filename=\"{id}.{end}\""));
    let headers = [
        (header::CONTENT_DISPOSITION, name.map_err(|_| ApiError::Internal)?),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    Ok((headers, OriginalFile(file)).into_response())
}
