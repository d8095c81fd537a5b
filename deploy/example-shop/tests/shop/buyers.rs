//! What buyers meet: forms that keep what was typed, payments with an address, and sentences in their language.

use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::stand_in::{Browser, Call, Calls, Page, Shop, serve};

/// An academy whose payment provider takes a whole address or none.
const WHOLE: &str = "whole";

fn api(path: &str, _: &HeaderMap, body: &[u8]) -> Response {
    let asked: Value = serde_json::from_slice(body).unwrap_or_default();
    let answer = match path {
        "/storeapi/discovery/quote/" if asked["items"][0]["seats"] == 0 => {
            return refused("items[0].seats", "must be a whole number of 1 to 1000");
        }
        "/storeapi/discovery/quote/" => quote(&asked),
        "/storeapi/discovery/guest/checkout/" => match asked["email"].as_str().unwrap() {
            "lacking@example.com" => {
                return refused("billing_address.city", "is required by the organisation's payment gateway");
            }
            "closed@example.com" => return problem(StatusCode::FORBIDDEN, "forbidden"),
            email => checkout(email.split('@').next().unwrap()),
        },
        "/storeapi/payment/status/open/" => status("waiting", "none"),
        "/storeapi/payment/status/paid/" => status("paid", "open"),
        "/storeapi/payment/status/nothing/" => return refused("cart_id", "is not a UUID"),
        "/storeapi/seats/expired/" => return problem(StatusCode::UNAUTHORIZED, "unauthenticated"),
        "/storeapi/seats/pool/" => pool(),
        "/storeapi/seats/pool/assign/" if asked["emails"][0] == "wrong" => {
            return refused("emails", "has more than 500 elements");
        }
        "/storeapi/seats/pool/assign/" => json!({ "batch_id": "b", "total": 3 }),
        "/storeapi/seats/pool/remind/" => {
            json!({ "reminded": ["a@example.com"], "skipped": ["b@example.com", "c@example.com"], "too_recent": ["b@example.com"] })
        }
        "/storeapi/seats/pool/revoke/" => {
            let freed = asked["emails"][0] == "new@example.com";
            json!({ "revoked": [{ "email": asked["emails"][0], "freed": freed }], "not_found": [] })
        }
        "/storeapi/discovery/organisations/" => {
            json!({ "organisations": [{ "id": WHOLE, "name": "Lindgren", "short_name": "l" }, { "id": "o", "name": "Northwind", "short_name": "n" }] })
        }
        _ => json!([]),
    };
    axum::Json(answer).into_response()
}

/// What a paid checkout leads to; the cart has the name of its buyer.
fn checkout(cart: &str) -> Value {
    json!({
        "status": "success", "cart_id": cart, "gateway": "stripe", "total_price": 119, "currency": "EUR", "items_detail": [],
        "client_secret": "secret-of-the-payment", "publishable_key": "pk",
    })
}

fn quote(asked: &Value) -> Value {
    let address = &asked["billing_address"];
    let missing: Vec<&str> = match asked["organisation_id"] == WHOLE && address.is_object() {
        true => ["name", "line1", "city", "country"]
            .into_iter()
            .filter(|field| address[*field].is_null())
            .collect(),
        false => Vec::new(),
    };
    let voucher =
        (!asked["voucher"].is_null()).then(|| json!({ "code": asked["voucher"], "accepted": true }));
    let (total, verdict) = match address["tax_id"].as_str() {
        Some("FR100") => (100, Some("applied")),
        Some("DE999") => (119, Some("invalid")),
        _ => (119, None),
    };
    let mut quote = json!({
        "total_price": total, "currency": "EUR", "items_detail": [], "voucher": voucher, "billing_address_missing": missing,
        "consents_required": if address["country"] == "SE" { json!(["terms"]) } else { json!([]) },
    });
    if let Some(verdict) = verdict {
        quote["reverse_charge"] = json!({ "status": verdict });
    }
    quote
}

fn status(payment: &str, access: &str) -> Value {
    let standing = json!({ "summary": payment, "payment": payment, "access": access });
    json!({ "standing": standing, "items": [], "total_price": 119, "currency": "EUR" })
}

fn pool() -> Value {
    let row = |email: &str, state: Value, message: Value| json!({ "email": email, "enrollment_state": state, "message": message });
    json!({
        "voucher_id": "pool", "code": "C", "item": { "name": "Wood", "mode": "verified" }, "seats": 3, "left": 1,
        "assignments": [{ "email": "new@example.com", "status": "pending" }],
        "batch": { "status": "done", "rows": [
            row("nobody", Value::Null, json!("email is not an email address")),
            row("twice@example.com", Value::Null, json!("repeats row 1")),
            row("late@example.com", Value::Null, json!("no seats left")),
            row("blocked@example.com", json!("refused"), json!("Enrollment is closed")),
        ] },
    })
}

fn refused(field: &str, message: &str) -> Response {
    let body = json!({ "code": "invalid_request", "errors": [{ "field": field, "message": message }] });
    (StatusCode::BAD_REQUEST, axum::Json(body)).into_response()
}

fn problem(status: StatusCode, code: &str) -> Response {
    (status, axum::Json(json!({ "code": code, "detail": "An English sentence." }))).into_response()
}

async fn add(browser: &Browser<'_>, organisation: &str) {
    let form =
        [("organisation_id", organisation), ("type", "course"), ("id", organisation), ("mode", "verified")];
    let added = browser.post("/basket", &form).await;
    assert_eq!((added.status, added.to.as_str()), (303, "/basket"));
}

/// The form of the checkout, with some fields as they were typed.
async fn form<'a>(
    browser: &Browser<'_>,
    of: &'a str,
    typed: &[(&'a str, &'a str)],
) -> Vec<(&'a str, String)> {
    let page = browser.get(&format!("/basket?of={of}")).await.text;
    let hidden = |name: &str| {
        let (_, rest) = page.split_once(&format!(r#"name="{name}" value=""#)).unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    let mut form = vec![
        ("of", of.to_owned()),
        ("once", hidden("once")),
        ("shown", hidden("shown")),
        ("voucher", String::new()),
    ];
    form.extend(typed.iter().map(|(name, value)| (*name, (*value).to_owned())));
    form
}

async fn send(browser: &Browser<'_>, path: &str, form: &[(&str, String)]) -> Page {
    let form: Vec<(&str, &str)> = form.iter().map(|(name, value)| (*name, value.as_str())).collect();
    browser.post(path, &form).await
}

fn asked(calls: &Calls, path: &str) -> Vec<Call> {
    calls.lock().unwrap().iter().filter(|call| call.path == path).cloned().collect()
}

const TYPED: [(&str, &str); 4] =
    [("email", "ada@example.com"), ("name", "Ada Lovelace"), ("city", "London"), ("country", "GB")];

fn has_typed(page: &str) -> bool {
    ["ada@example.com", "Ada Lovelace", "London"]
        .iter()
        .all(|text| page.contains(&format!("value=\"{text}\"")))
        && page.contains("value=\"GB\" selected")
}

#[tokio::test]
async fn every_button_of_the_checkout_keeps_what_was_typed() {
    let (url, _) = serve(api).await;
    let shop = Shop::start(&url, &[("DEMO", "true")]).await;
    for (path, more, leads) in [
        ("/basket/voucher", ("voucher", "SPRING"), "/basket"),
        ("/basket/remove", ("id", "none"), "/basket"),
        ("/language", ("language", "sv"), "/basket?a=b"),
        ("/country", ("visitor_country", "IN"), "/basket?a=b"),
        ("/signin", ("", ""), "http://127.0.0.1:8090/_sim/login?next=http%3A%2F%2Fshop.test%2Fbasket"),
    ] {
        let browser = Browser::new(&shop, "en");
        add(&browser, "o").await;
        let mut typed = form(&browser, "o", &TYPED).await;
        typed.extend([
            ("next", "/basket?a=b".to_owned()),
            (more.0, more.1.to_owned()),
            ("consent_terms", "on".to_owned()),
        ]);
        let answer = send(&browser, path, &typed).await;
        assert_eq!((answer.status, answer.to.as_str()), (303, leads), "{path}");
        let page = browser.get("/basket").await;
        assert!(has_typed(&page.text), "{path}: {}", page.text);
        // Nobody else reads it in the cookies.
        assert!(browser.cookies("/basket").contains("draft=") && !browser.cookies("/basket").contains("Ada"));
    }
    // A page that the browser may keep comes back with what was not sent yet.
    let browser = Browser::new(&shop, "en");
    add(&browser, "o").await;
    for path in ["/basket", "/programs"] {
        assert_eq!(browser.get(path).await.headers["cache-control"], "private, no-cache", "{path}");
    }
    assert_eq!(browser.get("/order/paid").await.headers["cache-control"], "no-store");
}

#[tokio::test]
async fn a_code_counts_without_its_own_button() {
    let (url, calls) = serve(api).await;
    let shop = Shop::start(&url, &[]).await;
    let browser = Browser::new(&shop, "en");
    add(&browser, "o").await;
    let mut typed = form(&browser, "o", &TYPED).await;
    typed.iter_mut().find(|(name, _)| *name == "voucher").unwrap().1 = "spring".to_owned();
    let answer = send(&browser, "/checkout", &typed).await;
    assert_eq!((answer.status, answer.to.as_str()), (303, "/basket"));
    assert!(has_typed(&browser.get("/basket").await.text));
    assert_eq!(asked(&calls, "/storeapi/discovery/quote/").last().unwrap().body["voucher"], "spring");
    assert!(asked(&calls, "/storeapi/discovery/guest/checkout/").is_empty());
}

#[tokio::test]
async fn a_lone_country_is_not_sent_and_what_a_provider_needs_is_marked() {
    let (url, calls) = serve(api).await;
    let settings = [("COUNTRY_HEADER", "x-country"), ("TRUSTED_PROXIES", "127.0.0.1")];
    let shop = Shop::start(&url, &settings).await;
    let browser = Browser::new(&shop, "de").with_header("x-country", "SE");
    add(&browser, WHOLE).await;
    // The country from which the visitor comes is chosen already, and is no address.
    let mut typed = form(&browser, WHOLE, &[("email", "open@example.com"), ("country", "SE")]).await;
    let page = browser.get("/basket").await.text;
    assert!(page.contains("value=\"SE\" selected") && !page.contains("für die Zahlung"), "{page}");
    let answer = send(&browser, "/checkout", &typed).await;
    assert_eq!(answer.to, "/pay/open");
    let checkouts = "/storeapi/discovery/guest/checkout/";
    assert_eq!(asked(&calls, checkouts).pop().unwrap().body["billing_address"], Value::Null);
    // Another one is the buyer's own, and needs the rest.
    typed.iter_mut().find(|(name, _)| *name == "country").unwrap().1 = "GB".to_owned();
    let answer = send(&browser, "/checkout", &typed).await;
    assert_eq!((answer.status, asked(&calls, checkouts).len()), (200, 1));
    for _ in 0..2 {
        // The same without the faults, once the page is opened again.
        let page = browser.get("/basket").await.text;
        assert!(page.contains("(für die Zahlung brauchen wir die Felder mit *)"), "{page}");
        assert!(
            page.contains("id=\"field-name\" required") && page.contains("id=\"field-city\" required"),
            "{page}"
        );
    }
    assert!(
        answer.text.contains("href=\"#field-line1\">Straße</a>: Bitte füllen Sie dieses Feld aus."),
        "{}",
        answer.text
    );
    assert!(answer.text.contains("aria-invalid=\"true\" aria-describedby=\"error-line1\""));
    assert!(answer.text.contains("open@example.com"));
}

#[tokio::test]
async fn a_refusal_brings_the_form_back_filled_with_the_faults_at_their_fields() {
    let (url, _) = serve(api).await;
    let shop = Shop::start(&url, &[]).await;
    let browser = Browser::new(&shop, "de");
    add(&browser, "o").await;
    let typed = form(&browser, "o", &[TYPED[1], TYPED[3], ("email", "lacking@example.com")]).await;
    let page = send(&browser, "/checkout", &typed).await.text;
    assert!(
        page.contains(">Ort</a>: Bitte füllen Sie dieses Feld aus.")
            && page.contains("value=\"Ada Lovelace\""),
        "{page}"
    );
    assert!(!page.contains("is required") && !page.contains("billing_address."), "{page}");
    // Another language, and back: the page is the basket's.
    assert!(page.contains("name=\"next\" value=\"&#x2f;basket\""), "{page}");
    let typed = form(&browser, "o", &[("email", "no address")]).await;
    let page = send(&browser, "/checkout", &typed).await.text;
    assert!(page.contains("Geben Sie Ihre E-Mail-Adresse ein"), "{page}");
    let typed = form(&browser, "o", &[("email", "closed@example.com")]).await;
    let page = send(&browser, "/checkout", &typed).await;
    assert_eq!(page.status, 403);
    assert!(
        page.text.contains("Bei diesem Anbieter können Sie nicht kaufen")
            && !page.text.contains("English sentence"),
        "{}",
        page.text
    );
}

#[tokio::test]
async fn a_payment_has_an_address_that_asks_for_the_same_payment_again() {
    let (url, calls) = serve(api).await;
    let shop = Shop::start(&url, &[]).await;
    let browser = Browser::new(&shop, "en");
    add(&browser, "o").await;
    let typed = form(&browser, "o", &[("email", "open@example.com")]).await;
    let answer = send(&browser, "/checkout", &typed).await;
    assert_eq!((answer.status, answer.to.as_str()), (303, "/pay/open"));
    // Only this page gets what it needs, and nobody can read it.
    assert!(
        browser.cookies("/pay/open").contains("payment=") && !browser.cookies("/basket").contains("payment=")
    );
    assert!(!browser.cookies("/pay/open").contains("open@"));
    for _ in 0..2 {
        let page = browser.get("/pay/open").await;
        assert!(page.text.contains("secret-of-the-payment"), "{}", page.text);
        // Without scripts: no button that cannot work, and a way on.
        assert!(
            page.text.contains("id=\"pay\" disabled") && page.text.contains("href=\"&#x2f;pay&#x2f;open\""),
            "{}",
            page.text
        );
        assert!(
            page.text.contains("<noscript>") && page.text.contains("Your order is kept"),
            "{}",
            page.text
        );
    }
    let checkouts = asked(&calls, "/storeapi/discovery/guest/checkout/");
    let keys: Vec<_> = checkouts.iter().map(|call| call.header("idempotency-key").unwrap()).collect();
    assert!(keys.len() == 3 && keys.iter().all(|key| *key == keys[0]), "{keys:?}");
    assert!(checkouts.iter().all(|call| call.body == checkouts[0].body));
    // The way back, and another address: another request.
    let changed = typed.iter().cloned().chain([("city", "Lund".to_owned())]).collect::<Vec<_>>();
    send(&browser, "/checkout", &changed).await;
    let last = asked(&calls, "/storeapi/discovery/guest/checkout/").pop().unwrap();
    assert_ne!(last.header("idempotency-key"), Some(keys[0]));
    // Somebody else's browser sees the order alone.
    let stranger = Browser::new(&shop, "en").get("/pay/open").await;
    assert_eq!((stranger.status, stranger.to.as_str()), (303, "/order/open"));
}

#[tokio::test]
async fn a_payment_that_another_tab_has_made_leads_to_the_order() {
    let (url, _) = serve(api).await;
    let shop = Shop::start(&url, &[]).await;
    let browser = Browser::new(&shop, "en");
    add(&browser, "o").await;
    let typed = form(&browser, "o", &[("email", "paid@example.com")]).await;
    assert_eq!(send(&browser, "/checkout", &typed).await.to, "/pay/paid");
    assert_eq!(browser.get("/pay/paid").await.to, "/order/paid");
    assert_eq!(browser.get("/pay/paid/status").await.text, r#"{"is_over":true}"#);
    assert_eq!(browser.get("/pay/open/status").await.text, r#"{"is_over":false}"#);
    // Once it is paid, the form of the page before buys nothing again.
    browser.get("/order/paid").await;
    assert_eq!(send(&browser, "/checkout", &typed).await.to, "/basket");
    assert_eq!(browser.get("/checkout").await.to, "/basket");
}

#[tokio::test]
async fn each_academy_has_a_basket_of_its_own() {
    let (url, calls) = serve(api).await;
    let shop = Shop::start(&url, &[]).await;
    let browser = Browser::new(&shop, "en");
    add(&browser, "o").await;
    add(&browser, WHOLE).await;
    let page = browser.get("/basket").await.text;
    assert!(page.contains("Each academy has a basket of its own"), "{page}");
    assert!(
        page.contains("<a href=\"&#x2f;basket?of=o\"><bdi>Northwind</bdi></a>") && page.contains("1 item"),
        "{page}"
    );
    assert!(page.contains("<span class=\"count\">2</span>"), "{page}");
    let typed = form(&browser, "o", &[("email", "paid@example.com")]).await;
    assert_eq!(send(&browser, "/checkout", &typed).await.to, "/pay/paid");
    let checkout = asked(&calls, "/storeapi/discovery/guest/checkout/").pop().unwrap();
    assert_eq!(
        (&checkout.body["organisation_id"], &checkout.body["items"][0]["id"]),
        (&json!("o"), &json!("o"))
    );
    // The order empties its own basket alone.
    assert!(browser.get("/order/paid").await.text.contains("<span class=\"count\">1</span>"));
    let page = browser.get("/basket").await.text;
    assert!(page.contains("Lindgren") && !page.contains("Northwind"), "{page}");
}

#[tokio::test]
async fn a_basket_that_browsers_would_not_keep_is_not_lost_silently() {
    let (url, _) = serve(api).await;
    let shop = Shop::start(&url, &[]).await;
    let browser = Browser::new(&shop, "en");
    for number in 0..60 {
        let id = format!("{number:036}");
        let form = [("organisation_id", "o"), ("type", "course"), ("id", &*id), ("mode", "verified")];
        let answer = browser.post("/basket", &form).await;
        if answer.status == 200 {
            assert!(answer.text.contains("Your basket is full") && number > 20, "{number}: {}", answer.text);
            return;
        }
        assert!(browser.cookies("/").len() < 4_300, "{number}");
    }
    panic!("the cookie grows without an end");
}

#[tokio::test]
async fn the_page_says_why_a_company_pays_tax_or_none() {
    let (url, _) = serve(api).await;
    let shop = Shop::start(&url, &[]).await;
    for (tax_id, says) in
        [("FR100", "Es wird keine Steuer berechnet"), ("DE999", "kennt diese USt-IdNr. nicht")]
    {
        let browser = Browser::new(&shop, "de");
        add(&browser, "o").await;
        let typed = [("email", "company@example.com"), ("tax_id", tax_id), ("country", "DE")];
        let first = form(&browser, "o", &typed).await;
        let page = send(&browser, "/checkout", &first).await;
        assert!(page.status == 200 && page.text.contains(says), "{tax_id}: {}", page.text);
        // Who has read it can go on.
        if tax_id == "DE999" {
            let again = form(&browser, "o", &typed).await;
            assert_eq!(send(&browser, "/checkout", &again).await.to, "/pay/company");
        }
    }
}

#[tokio::test]
async fn what_the_api_finds_wrong_is_said_in_the_language_of_the_page() {
    let (url, _) = serve(api).await;
    let shop = Shop::start(&url, &[]).await;
    let browser = Browser::new(&shop, "de");
    let none = |page: &str| {
        !["English sentence", "UUID", "items[", "seats:", "repeats", "is not an"]
            .iter()
            .any(|word| page.contains(word))
    };
    for (path, status, says) in [
        ("/seats/expired?token=t", 401, "Dieser Link gilt nicht mehr"),
        ("/order/nothing", 404, "Diese Seite gibt es nicht"),
    ] {
        let page = browser.get(path).await;
        assert_eq!(page.status, status, "{path}");
        assert!(page.text.contains(says) && none(&page.text), "{path}: {}", page.text);
    }
    let seats =
        [("organisation_id", "o"), ("type", "course"), ("id", "o"), ("mode", "verified"), ("seats", "none")];
    browser.post("/basket", &seats).await;
    let page = browser.get("/basket").await.text;
    assert!(page.contains("Geben Sie eine Zahl von 1 bis 1000 Plätzen ein.") && none(&page), "{page}");
    let page = browser.get("/seats/pool?token=t&batch=b").await.text;
    for says in [
        "steht doppelt in der Liste",
        "keine Plätze mehr frei",
        "keine Adresse, an die",
        "von der Plattform abgelehnt",
    ] {
        assert!(page.contains(says) && none(&page), "{says}: {page}");
    }
}

#[tokio::test]
async fn forms_about_seats_say_what_they_have_done() {
    let (url, _) = serve(api).await;
    let shop = Shop::start(&url, &[]).await;
    let browser = Browser::new(&shop, "en");
    let acted = async |action: &str, emails: &str| {
        let answer = browser
            .post(&format!("/seats/pool/{action}"), &[("token", "t"), ("once", "k"), ("emails", emails)])
            .await;
        if answer.status == 303 { browser.get(&answer.to).await.text } else { answer.text }
    };
    let page = acted("remind", "").await;
    assert!(
        page.contains("1 reminder is on its way")
            && page.contains("1 address got a message within the last day"),
        "{page}"
    );
    assert!(acted("revoke", "new@example.com").await.contains("You can give it to somebody else."));
    assert!(
        acted("revoke", "old@example.com").await.contains("It was in use, so it cannot be given out again.")
    );
    // A list that is refused comes back.
    let page = acted("assign", "wrong\nada@example.com").await;
    assert!(page.contains("wrong\nada@example.com</textarea>") && page.contains("500 at most"), "{page}");
}
