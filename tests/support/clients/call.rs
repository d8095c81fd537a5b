//! Calls a storefront through the client of openapi-generator (rust, reqwest). Any answer that it cannot read is an error.

use reqwest::header::HeaderMap;
use storefront_client::apis::catalog_api::{GetCourseError, get_course, list_courses, list_organisations};
use storefront_client::apis::checkout_api::check_out_as_guest;
use storefront_client::apis::configuration::Configuration;
use storefront_client::apis::extensions_api::{get_order, list_events};
use storefront_client::apis::Error;
use storefront_client::models::{
    BillingAddress, CheckoutItem, CheckoutReply, GuestCheckoutRequest, ItemType, Mode,
};

const NORTHWIND: &str = "b3cd5540-79c7-4e4f-867c-e0444d03ada6";
const LINDGREN: &str = "b38980ff-b28a-4d4d-ad68-a7045a03a67b";
const KINABALU: &str = "842a8b9b-3d64-474d-8bd9-1ad9e0f08bcf";
const DS101: &str = "28b0b164-7eb3-4aba-aac1-d7498b344ed4";

/// The generated configuration has one key for all headers, so the client sends the header itself.
fn configuration(header: &'static str, variable: &str) -> Configuration {
    let of = |name: &str| std::env::var(name).expect(name);
    let mut headers = HeaderMap::new();
    headers.insert(header, of(variable).parse().unwrap());
    let client = reqwest::Client::builder().default_headers(headers).build().unwrap();
    Configuration { base_path: of("STOREFRONT"), client, ..Configuration::default() }
}

async fn buy(backend: &Configuration, organisation: &str, course: &str, mode: Mode) -> CheckoutReply {
    let item = CheckoutItem::new(course.parse().unwrap(), mode, ItemType::Course);
    let email = "rust@example.com".to_owned();
    let mut request = GuestCheckoutRequest::new(email, vec![item], organisation.parse().unwrap());
    let text = |text: &str| Some(Some(text.to_owned()));
    request.billing_address = Some(Some(Box::new(BillingAddress {
        name: text("Ada"),
        line1: text("Storgata 1"),
        city: text("Oslo"),
        postal_code: text("0150"),
        country: text("NO"),
        ..BillingAddress::default()
    })));
    check_out_as_guest(backend, request, None, None, None, None).await.unwrap()
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let backend = configuration("clientapisecret", "SECRET");
    let with_key = configuration("organisationapikey", "KEY");
    let list = async |fields: Option<&str>| {
        list_courses(&backend, Some(100), None, None, None, None, None, None, fields, None, None).await.unwrap().courses
    };
    let (light, full) = (list(None).await, list(Some("full")).await);
    assert!(!light.is_empty() && light.iter().all(|course| course.overview.is_none()));
    assert!(full.len() == light.len() && full.iter().all(|course| course.available_course_modes.is_some()));
    let organisations = list_organisations(&backend, Some("full"), None, None).await.unwrap().organisations;
    assert!(organisations.iter().any(|organisation| organisation.logo_url.is_some()));

    let intent = buy(&backend, NORTHWIND, DS101, Mode::Verified).await;
    assert!(matches!(intent, CheckoutReply::IntentCheckout(_)), "{intent:?}");
    let redirect = buy(&backend, LINDGREN, "e90c8dfd-1757-4985-a549-8c3455a7996b", Mode::Verified).await;
    assert!(matches!(redirect, CheckoutReply::RedirectCheckout(_)), "{redirect:?}");
    let free = buy(&backend, NORTHWIND, DS101, Mode::Audit).await;
    assert!(matches!(free, CheckoutReply::FreeCheckout(_)), "{free:?}");
    let order = buy(&backend, KINABALU, "86a6c8c3-436a-41b8-abc0-2ca720f5f5b6", Mode::Verified).await;
    let CheckoutReply::OrderCheckout(order) = order else { panic!("{order:?}") };

    let order = get_order(&with_key, &order.cart_id.to_string(), None).await.unwrap();
    assert_eq!(order.email.as_deref(), Some("rust@example.com"));
    assert!(!list_events(&with_key, None, None, None, None, None).await.unwrap().events.is_empty());

    let missing = get_course(&backend, "course-v1:No+Such+Course", None, None, None).await;
    let Err(Error::ResponseError(missing)) = missing else { panic!("an unknown course was found") };
    assert_eq!(missing.status, 404);
    assert!(matches!(missing.entity, Some(GetCourseError::Status404(_))), "{missing:?}");
}
