//! OpenAPI descriptions of the parameters that many routes share. The modules in `extract` read these parameters.

use utoipa::IntoParams;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{KnownFormat, Required, SchemaFormat};

fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

fn parameter(place: ParameterIn, name: &str, description: &str, schema: ObjectBuilder) -> ParameterBuilder {
    ParameterBuilder::new().name(name).parameter_in(place).description(Some(description)).schema(Some(schema))
}

fn optional(place: ParameterIn, name: &str, description: &str, schema: ObjectBuilder) -> Parameter {
    parameter(place, name, description, schema).required(Required::False).build()
}

fn in_path(name: &str, description: &str, schema: ObjectBuilder) -> Parameter {
    parameter(ParameterIn::Path, name, description, schema).required(Required::True).build()
}

/// The visitor's country, which prices depend on.
pub struct VisitorCountry;

impl IntoParams for VisitorCountry {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let description = "ISO 3166 country of the visitor, which prices depend on. Counts only with the client \
            secret; a code that is not a country, such as `T1` or `XX`, counts as unknown.";
        let schema = text().pattern(Some("^([A-Za-z0-9]{2})?$")).examples(["IN"]);
        vec![optional(ParameterIn::Header, "X-Visitor-Country", description, schema)]
    }
}

/// The visitor for whom a backend calls, who has limits of their own.
pub struct VisitorName;

impl IntoParams for VisitorName {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let address = "IPv4 or IPv6 address of the visitor for whom a backend calls. Counts only with the client \
            secret: the service then limits this visitor's commands, and the voucher codes that it refuses.";
        let id = "An id that only this visitor of a backend has, such as a random cookie: it has a limit of its own beside that \
            of the address, and a guest's payment is handed to no other id. Counts only with the client secret. 1 to 255 \
            visible ASCII characters.";
        // The standard formats are for one of the two versions.
        let ip = text().format(Some(SchemaFormat::Custom("ip".to_owned())));
        vec![
            optional(ParameterIn::Header, "X-Visitor-Address", address, ip.examples(["192.0.2.17"])),
            optional(ParameterIn::Header, "X-Visitor-Id", id, text().pattern(Some("^[!-~]{1,255}$"))),
        ]
    }
}

/// The key by which the worker recognises a repeated request.
pub struct IdempotencyKey;

impl IntoParams for IdempotencyKey {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let description = "The same key with the same body gives the same answer for 24 hours. 1 to 255 visible ASCII \
            characters; the learner's or the organisation key's own, or shared by all callers with the client secret.";
        let schema = text().pattern(Some("^[!-~]{1,255}$"));
        vec![optional(ParameterIn::Header, "Idempotency-Key", description, schema)]
    }
}

/// The same for a refund, which keeps its key for good.
pub struct RequiredIdempotencyKey;

impl IntoParams for RequiredIdempotencyKey {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let description = "The same key with the same body finds the same refund, for good: a forgotten repeat would pay \
            twice. 1 to 255 visible ASCII characters; the learner's or the organisation key's own.";
        let schema = text().pattern(Some("^[!-~]{1,255}$"));
        let header = parameter(ParameterIn::Header, "Idempotency-Key", description, schema);
        vec![header.required(Required::True).build()]
    }
}

/// The organisation that a learner's request selects.
pub struct OrganisationName;

impl IntoParams for OrganisationName {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let name = || text().examples(["northwind"]);
        let header = "The organisation's short name. Either this header or the cookie of the same name is required; if \
            both are sent they must agree.";
        let cookie = "The organisation's short name, as browsers send it.";
        vec![
            optional(ParameterIn::Header, "orgName", header, name()),
            optional(ParameterIn::Cookie, "orgName", cookie, name()),
        ]
    }
}

/// The entity tag of the caller's copy. `write_out` describes the caching of each operation that takes it.
pub struct IfNoneMatch;

impl IntoParams for IfNoneMatch {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let description =
            "The `ETag` of the caller's copy; the answer is 304 without a body if it is still current.";
        vec![optional(ParameterIn::Header, "If-None-Match", description, text())]
    }
}

/// A course key in the path.
pub struct CourseKeyInPath;

impl IntoParams for CourseKeyInPath {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let schema = text()
            .max_length(Some(255))
            .pattern(Some(r"^course-v1:[\w~.:-]+\+[\w~.:-]+\+[\w~.:-]+$"))
            .examples(["course-v1:Northwind+DS101+2026"]);
        vec![in_path("openedx_course_id", "The course key, URL-encoded. Not the course's UUID.", schema)]
    }
}

/// An order in the path.
pub struct OrderInPath;

impl IntoParams for OrderInPath {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let id = text().format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)));
        vec![in_path("cart_id", "The order: the id of its cart, or of a checkout that joined it.", id)]
    }
}

/// A refund in the path.
pub struct RefundInPath;

impl IntoParams for RefundInPath {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let id = text().format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)));
        vec![in_path("refund_id", "The refund, as its order names it.", id)]
    }
}

/// A withdrawal in the path.
pub struct WithdrawalInPath;

impl IntoParams for WithdrawalInPath {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let id = text().format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)));
        vec![in_path("withdrawal_id", "The withdrawal.", id)]
    }
}

/// An invoice or a credit note in the path.
pub struct DocumentInPath;

impl IntoParams for DocumentInPath {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let id = text().format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)));
        vec![in_path("document_id", "The invoice or credit note.", id)]
    }
}

/// A batch of enrollments in the path.
pub struct BatchInPath;

impl IntoParams for BatchInPath {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let id = text().format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)));
        vec![in_path("batch_id", "The batch.", id)]
    }
}

/// A pool of seats in the path, and the token that authenticates its buyer.
pub struct SeatsInPath;

impl IntoParams for SeatsInPath {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let id = text().format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)));
        vec![
            in_path("voucher_id", "The pool: the id of its voucher.", id),
            optional(
                ParameterIn::Query,
                "token",
                "The signed token of the mailed link; stands for the buyer of this one pool.",
                text(),
            ),
        ]
    }
}

/// A voucher in the path.
pub struct VoucherInPath;

impl IntoParams for VoucherInPath {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let id = text().format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)));
        vec![in_path("voucher_id", "The voucher's id, not its code.", id)]
    }
}

/// A cart in the path, and the token that authenticates its buyer.
pub struct CartInPath;

impl IntoParams for CartInPath {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let id = text().format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)));
        vec![
            in_path("cart_id", "The cart, as every checkout answer and a checkout's 504 name it.", id),
            optional(
                ParameterIn::Query,
                "token",
                "The signed token of a `redirect_url`; stands for the buyer of this one cart.",
                text(),
            ),
        ]
    }
}
