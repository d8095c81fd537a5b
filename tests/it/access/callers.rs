//! Callers of the routes: every route of the table with every kind of credential.

use harness::steps::demo::{FREE_KEY, UNKNOWN_ID};
use harness::{HINT_TOKEN, Reply, Setup, World, world};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use shared::organisation_key::Scope;
use shared::staff::Role;

use crate::credentials::{self, Credential, Proof, SentKey};

const LIST: &str = "/storeapi/discovery/courses/";
const PROBE: &str = "/storeapi/discovery/user/";
const CAPABILITIES: &str = "/storeapi/payment/capabilities/";
const CART: &str = "/storeapi/payment/cart/";
const CART_CHECKOUT: &str = "/storeapi/payment/checkout/";
const STATUS: &str = "/storeapi/payment/status/{cart_id}/";
const PAGE: &str = "/storeapi/payment/pay/{cart_id}/";
const BUY: &str = "/storeapi/payment/buy/";
const ORDERS: &str = "/storeapi/payment/orders/";
const ORDER: &str = "/storeapi/payment/orders/{cart_id}/";
const REFUNDS: &str = "/storeapi/payment/orders/{cart_id}/refunds/";
const PAYMENTS: &str = "/storeapi/payment/orders/{cart_id}/payments/";
const RETURN: &str = "/storeapi/payment/orders/{cart_id}/payments/return/";
const CANCEL: &str = "/storeapi/payment/orders/{cart_id}/payments/cancel/";
const REFUND: &str = "/storeapi/payment/orders/{cart_id}/refunds/{refund_id}/";
const MOVES: &str = "/storeapi/payment/orders/{cart_id}/moves/";
const INVOICE: &str = "/storeapi/payment/orders/{cart_id}/invoice/";
const DOCUMENT: &str = "/storeapi/payment/documents/{document_id}/";
const ORIGINAL: &str = "/storeapi/payment/documents/{document_id}/original/";
const REPORTED: &str = "/storeapi/payment/documents/{document_id}/report/";
const REPORT: &str = "/storeapi/reports/ledger/";
const PAYOUTS: &str = "/storeapi/reports/payouts/";
const TAX_DAYS: &str = "/storeapi/reports/taxes/days/";
const ONE_STOP_SHOP: &str = "/storeapi/reports/taxes/one-stop-shop/";
const MONTH: &str = "/storeapi/reports/month/";
const IN_PAYOUTS: &str = "/storeapi/reports/payouts/movements/";
const TAXES: &str = "/storeapi/reports/taxes/";
const CHECKOUT: &str = "/storeapi/discovery/checkout/";
const VOUCHERS: &str = "/storeapi/vouchers/";
const SEATS: &str = "/storeapi/seats/";
const POOL: &str = "/storeapi/seats/{voucher_id}/";
const ASSIGN: &str = "/storeapi/seats/{voucher_id}/assign/";
const REVOKE: &str = "/storeapi/seats/{voucher_id}/revoke/";
const REMIND: &str = "/storeapi/seats/{voucher_id}/remind/";
const VOUCHER: &str = "/storeapi/vouchers/{voucher_id}/";
const EVENTS: &str = "/storeapi/events/";
const BATCHES: &str = "/storeapi/enrollments/client/batch/";
const BATCH_OF_ROWS: &str = "/storeapi/enrollments/client/batch/{batch_id}/";
const WITHDRAWALS: &str = "/storeapi/payment/withdrawals/";
const WITHDRAWAL: &str = "/storeapi/payment/withdrawals/{withdrawal_id}/";
const DECISION: &str = "/storeapi/payment/withdrawals/{withdrawal_id}/decision/";
/// What is below it is for the staff of an organisation, and its keys with the scope `support`.
const DESK: &str = "/storeapi/support/";
const DESK_ORDER: &str = "/storeapi/support/orders/{cart_id}/";
const GUEST_CHECKOUT: &str = "/storeapi/discovery/guest/checkout/";

/// The status of an authorised request with an empty body, or with the path as `filled` makes it. Every route must be
/// listed here: a route that is missing has no defined access rule.
fn answer_inside(method: &str, path: &str) -> u16 {
    if path.starts_with(DESK) {
        return answer_at_desk(method, path);
    }
    match (method, path) {
        (
            "get",
            "/storeapi/discovery/program/{program_id}/"
            | "/storeapi/registrations/{signed}/"
            | STATUS
            | ORDER
            | DOCUMENT
            | PAGE
            | VOUCHER
            | POOL
            | "/storeapi/enrollments/client/batch/{batch_id}/",
        )
        | ("post", ASSIGN | REVOKE | REMIND)
        | ("put", VOUCHER) => 404,
        ("post", path) if path.starts_with(ORDER) => answer_about_order(path),
        ("get", path) if path.starts_with("/storeapi/docs/") => 200,
        (
            "get",
            LIST
            | PROBE
            | CAPABILITIES
            | CART
            | ORDERS
            | SEATS
            | VOUCHERS
            | EVENTS
            | "/storeapi/discovery/course/{openedx_course_id}/"
            | "/storeapi/discovery/course-outline/{openedx_course_id}/"
            | "/storeapi/discovery/check-enrollment/{openedx_course_id}/"
            | "/storeapi/discovery/programs/"
            | "/storeapi/discovery/offers/"
            | "/storeapi/discovery/tags/"
            | "/storeapi/discovery/organisations/"
            | "/storeapi/discovery/marketing-page-metadata/"
            | "/storeapi/banner/list/"
            | "/storeapi/openapi.json/",
        ) => 200,
        (
            "post",
            "/storeapi/discovery/courses/effort/"
            | CART_CHECKOUT
            | "/storeapi/discovery/courses/is-new/"
            | GUEST_CHECKOUT
            | CHECKOUT
            | "/storeapi/discovery/quote/"
            | VOUCHERS
            | "/storeapi/platform/registrations/{token}/"
            | "/storeapi/payment/notifications/{gateway}/{organisation}/"
            | "/storeapi/enrollments/client/enroll/"
            | "/storeapi/enrollments/client/unenroll/"
            | "/storeapi/enrollments/client/batch/",
        )
        | ("put", CART)
        | ("get", REPORT | TAXES | PAYOUTS | IN_PAYOUTS | MONTH | TAX_DAYS | ONE_STOP_SHOP) => 400,
        _ => answer_to_a_platform_link(method, path),
    }
}

/// The same for what is done to an order.
fn answer_about_order(path: &str) -> u16 {
    match path {
        REFUNDS | REFUND | PAYMENTS | RETURN | CANCEL | MOVES | INVOICE => 404,
        _ => panic!("no rule is stated for post {path}"),
    }
}

/// The same for the pages to which the course platform's links lead.
fn answer_to_a_platform_link(method: &str, path: &str) -> u16 {
    match (method, path) {
        ("get", "/dashboard/orders/" | "/basket/add/" | "/basket/single-item/" | "/coupons/redeem/") => 302,
        ("get", "/storeapi/payment/history/") => 200,
        (
            "get",
            BUY
            | "/coupons/offer/"
            | "/credit/checkout/{course_key}/"
            | "/dashboard/refunds/{refund_id}/"
            | "/checkout/receipt/",
        ) => 404,
        // The test sends JSON, and the page's form is none.
        ("post", BUY) => 415,
        // Whatever a browser reports.
        ("post", "/storeapi/payment/violations/") => 204,
        // Without a mail service.
        ("post", "/storeapi/mail/reports/") => 404,
        // It tells nobody which documents exist, and takes no body.
        ("post", "/storeapi/payment/documents/{document_id}/link/") => 400,
        ("get", ORIGINAL) | ("post", REPORTED) => 404,
        ("get", "/storeapi/discovery/waiting-list/") => 200,
        ("post", "/storeapi/discovery/waiting-list/") => 400,
        ("post", "/storeapi/discovery/waiting-list/page/") => 415,
        _ if path.contains("/withdraw") => answer_about_withdrawals(method, path),
        _ => panic!("no rule is stated for {method} {path}"),
    }
}

fn answer_about_withdrawals(method: &str, path: &str) -> u16 {
    match (method, path) {
        ("get", "/storeapi/payment/withdraw/" | "/storeapi/payment/withdraw/objection/") => 200,
        ("post", "/storeapi/payment/withdraw/") => 415,
        ("post", "/storeapi/payment/withdraw/objection/") => 400,
        ("get", WITHDRAWALS) => 200,
        ("get", WITHDRAWAL) => 404,
        ("post", WITHDRAWALS | DECISION) => 400,
        _ => panic!("no rule is stated for {method} {path}"),
    }
}

/// The same, for the routes of the support desk.
fn answer_at_desk(method: &str, path: &str) -> u16 {
    match (method, path) {
        ("get", DESK_ORDER) => 404,
        ("post", path) if path.starts_with(DESK_ORDER) => 404,
        (
            "get",
            "/storeapi/support/attention/" | "/storeapi/support/endpoints/" | "/storeapi/support/courses/",
        ) => 200,
        ("get", "/storeapi/support/search/")
        | (
            "post",
            "/storeapi/support/mails/"
            | "/storeapi/support/enrollments/"
            | "/storeapi/support/dead-letters/"
            | "/storeapi/support/endpoints/"
            | "/storeapi/support/endpoints/secret/"
            | "/storeapi/support/endpoints/removal/"
            | "/storeapi/support/deliveries/"
            | "/storeapi/support/courses/"
            | "/storeapi/support/courses/waiting-list/first/",
        ) => 400,
        ("put", "/storeapi/support/endpoints/") => 400,
        _ => panic!("no rule is stated for {method} {path}"),
    }
}

pub fn filled(path: &str) -> String {
    path.replace("{openedx_course_id}", FREE_KEY)
        .replace("{program_id}", UNKNOWN_ID)
        .replace("{cart_id}", UNKNOWN_ID)
        .replace("{voucher_id}", UNKNOWN_ID)
        .replace("{batch_id}", UNKNOWN_ID)
        .replace("{document_id}", UNKNOWN_ID)
        .replace("{withdrawal_id}", UNKNOWN_ID)
        .replace("{refund_id}", UNKNOWN_ID)
        .replace("{signed}", "x")
        .replace("{file}", "index.html")
        .replace("{token}", HINT_TOKEN)
        .replace("{gateway}", "stripe")
        .replace("{organisation}", "northwind")
}

/// Callers of a route, according to the OpenAPI document: each alternative is a set of security schemes.
#[derive(Debug, PartialEq)]
enum Callers {
    Anyone,
    Client,
    Learner,
    Reader,
    ClientForLearner,
    /// The client secret or a learner's credential; both may come together.
    ReaderForLearner,
    /// The client secret, with or without a learner's credential.
    ClientForAnyLearner,
    /// A learner's credential, with or without the client secret.
    LearnerByAny,
    /// Neither the client secret nor a learner's credential.
    KeyAlone,
}

/// The scope of the key that a route takes, if it takes one.
fn scope(operation: &Value) -> Option<Scope> {
    let stated = operation["security"].as_array().into_iter().flatten();
    let mut keys = stated.filter_map(|one| one.get("organisationapikey")?.as_array());
    keys.next().map(|scopes| scopes[0].as_str().unwrap().parse().unwrap())
}

fn callers(operation: &Value, name: &str) -> Callers {
    let stated = operation["security"].as_array().unwrap_or_else(|| panic!("{name} states no callers"));
    let alternatives: Vec<Vec<&str>> =
        stated.iter().map(|one| one.as_object().unwrap().keys().map(String::as_str).collect()).collect();
    let has = |wanted: &[&str]| alternatives.iter().any(|one| one == wanted);
    let (client, learner, both) =
        (has(&["clientapisecret"]), has(&["session"]), has(&["clientapisecret", "session"]));
    match (client, learner, both) {
        (false, false, false) if has(&[]) => Callers::Anyone,
        (true, false, false) => Callers::Client,
        (false, true, false) => Callers::Learner,
        (true, true, false) => Callers::Reader,
        (false, false, true) => Callers::ClientForLearner,
        (true, true, true) => Callers::ReaderForLearner,
        (true, false, true) => Callers::ClientForAnyLearner,
        (false, true, true) => Callers::LearnerByAny,
        (false, false, false) if scope(operation).is_some() => Callers::KeyAlone,
        _ => panic!("{name} states callers that this test does not know: {stated:?}"),
    }
}

/// The roles that open a route to an organisation's staff; None for a route that takes no notice of them.
pub fn roles(method: &str, path: &str) -> Option<&'static [Role]> {
    match (method, path) {
        ("get", "/storeapi/support/endpoints/" | "/storeapi/support/courses/") => Some(&[Role::Manager]),
        (_, path) if path.starts_with(DESK) => Some(Role::ALL),
        (
            "get",
            WITHDRAWALS | WITHDRAWAL | REPORT | TAXES | PAYOUTS | IN_PAYOUTS | MONTH | TAX_DAYS
            | ONE_STOP_SHOP,
        )
        | ("post", DECISION | PAYMENTS | RETURN | CANCEL | REFUND | REPORTED) => Some(&[Role::Finance]),
        ("get", VOUCHERS | VOUCHER | EVENTS) | ("post", VOUCHERS) | ("put", VOUCHER) => {
            Some(&[Role::Manager])
        }
        (_, BATCHES | BATCH_OF_ROWS) => Some(&[Role::Manager]),
        _ => None,
    }
}

fn expected(method: &str, path: &str, operation: &Value, credential: &Credential, inside: u16) -> u16 {
    // A route that takes keys looks at nothing else if one is sent; all others ignore it.
    match (scope(operation), credential.key) {
        (Some(_), Some(_)) if credential.secret == Some(false) => return 401,
        (Some(_), Some(SentKey::Wrong)) => return 401,
        (Some(wanted), Some(SentKey::Valid(held))) => return if held == wanted { inside } else { 403 },
        _ => {}
    }
    let callers = callers(operation, path);
    let role = match credential.proof {
        Proof::Staff(role) => Some(role),
        _ => None,
    };
    let is_learner = [Proof::Learner, Proof::Elsewhere].contains(&credential.proof) || role.is_some();
    let is_wrong = credential.proof == Proof::Wrong;
    let is_client = credential.secret == Some(true);
    let may = match callers {
        Callers::Anyone => true,
        Callers::KeyAlone => false,
        Callers::Client if path == GUEST_CHECKOUT => {
            if is_client && is_learner {
                return 403;
            }
            is_client && !is_wrong
        }
        Callers::Client => is_client,
        Callers::Learner => is_learner,
        Callers::Reader => is_client || credential.secret.is_none() && is_learner,
        Callers::ReaderForLearner => (is_client || credential.secret.is_none() && is_learner) && !is_wrong,
        // An unknown learner, or none, is a valid answer too.
        Callers::ClientForAnyLearner => is_client,
        Callers::ClientForLearner => is_client && is_learner,
        Callers::LearnerByAny => is_learner && credential.secret != Some(false),
    };
    // The route needs an organisation to act for.
    let is_for_one = [CART, CART_CHECKOUT, CAPABILITIES, ORDERS, SEATS].contains(&path);
    match (may, roles(method, path)) {
        (false, _) => 401,
        // The client secret needs no role.
        (true, Some(_)) if is_client && callers == Callers::Reader => inside,
        (true, Some(roles)) if role.is_none_or(|role| !roles.contains(&role)) => 403,
        (true, None) if is_for_one && credential.proof == Proof::Elsewhere => 403,
        (true, _) => inside,
    }
}

#[tokio::test]
#[ignore = "slow"]
async fn every_route_takes_exactly_the_callers_that_it_states() {
    world(Setup::default(), async |world| {
        let credentials = credentials::all(world).await;
        try_every_route(world, &credentials).await;
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn without_a_configured_secret_no_backend_is_let_in_anywhere() {
    let setup = Setup { api_args: vec!["--client-api-secret=".into()], ..Setup::default() };
    world(setup, async |world| {
        let mut credentials = credentials::all(world).await;
        for credential in &mut credentials {
            credential.secret = credential.secret.map(|_| false);
            if credential.secret.is_none() {
                // An empty header counts as a wrong secret, not as a missing one.
                credential.secret = Some(false);
                credential.headers.push(("clientapisecret", String::new()));
            }
        }
        try_every_route(world, &credentials).await;
    })
    .await;
}

async fn try_every_route(world: &World, credentials: &[Credential]) {
    let document = Reply::read(world.http.get(world.url("/storeapi/openapi.json"))).await.json;
    let (mut routes, mut requests) = (0, 0);
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            routes += 1;
            let name = format!("{method} {path}");
            let inside = answer_inside(method, path);
            for credential in credentials {
                requests += 1;
                let reply = Reply::read(request(world, method, path, credential)).await;
                let expected = expected(method, path, operation, credential, inside);
                assert_eq!(reply.status, expected, "{name} by {}: {}", credential.name, reply.text);
                match expected {
                    401 => drop(reply.assert_problem(401, "unauthenticated")),
                    403 if path == GUEST_CHECKOUT => drop(reply.assert_problem(403, "guest_only")),
                    403 => drop(reply.assert_problem(403, "forbidden")),
                    _ => {}
                }
                for (_, value) in &credential.headers {
                    let token = value.rsplit([' ', '=']).next().unwrap();
                    assert!(
                        token.len() < 8 || !reply.text.contains(token),
                        "the answer to {name} contains a credential"
                    );
                }
            }
        }
    }
    assert!(routes >= 38 && requests > 4_000, "{routes} routes, {requests} requests");
}

fn request(world: &World, method: &str, path: &str, credential: &Credential) -> RequestBuilder {
    let method: Method = method.to_uppercase().parse().unwrap();
    let mut request = world
        .http
        .request(method.clone(), world.url(&filled(path)))
        .header("orgName", "northwind")
        .header("origin", "http://store.test");
    if method == Method::POST || method == Method::PUT {
        request = request.json(&json!({}));
    }
    credential.headers.iter().fold(request, |request, (name, value)| request.header(*name, value))
}
