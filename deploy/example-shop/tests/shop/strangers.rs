//! What strangers can do in the shop, and what the API hears of them.

use std::sync::OnceLock;

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::stand_in::{Browser, Calls, SECRET, SHOP_URL, Shop, command, serve, status};

const BASKET: &str = r#"{"organisation_id":"o","items":[{"type":"course","id":"c","mode":"verified"}]}"#;

fn api(path: &str, headers: &HeaderMap, body: &[u8]) -> Response {
    let is_learner = headers.get("cookie").is_some_and(|cookie| cookie == "sessionid=good");
    let asked: Value = serde_json::from_slice(body).unwrap_or_default();
    let answer = match path {
        "/storeapi/discovery/user/" if is_learner => json!({ "authenticated": true }),
        "/storeapi/discovery/user/" => return StatusCode::UNAUTHORIZED.into_response(),
        "/storeapi/discovery/quote/" => {
            let voucher =
                (!asked["voucher"].is_null()).then(|| json!({ "accepted": asked["voucher"] == "GOOD" }));
            json!({ "total_price": 0, "currency": "USD", "items_detail": [], "voucher": voucher })
        }
        "/storeapi/discovery/guest/checkout/" if asked["email"] == "mollie@example.com" => {
            json!({ "status": "success", "cart_id": "mollie", "redirect_url": "https://www.mollie.com/checkout/1" })
        }
        "/storeapi/discovery/guest/checkout/" => json!({ "status": "free", "cart_id": "known" }),
        "/storeapi/payment/status/mollie/" => {
            json!({ "standing": { "payment": "waiting", "access": "none" } })
        }
        path if path.starts_with("/storeapi/payment/status/") => {
            let (status, enrollment, summary, access) = if path.contains("/known/") {
                ("fulfilled", "enrolled", "complete", "open")
            } else {
                ("held", "pending_registration", "registration", "registration")
            };
            let standing = json!({ "summary": summary, "payment": "free", "access": access });
            let line = json!({ "name": "C", "mode": "audit", "price": 0, "currency": "USD", "enrollment_state": enrollment });
            json!({ "status": status, "standing": standing, "items": [line], "total_price": 0, "currency": "USD" })
        }
        _ => json!({ "courses": [], "tags": [], "total_count": 0 }),
    };
    axum::Json(answer).into_response()
}

fn with_basket(request: RequestBuilder, voucher: Option<&str>) -> RequestBuilder {
    let mut basket: Value = serde_json::from_str(BASKET).unwrap();
    basket["voucher"] = json!(voucher);
    let encoded: String = url::form_urlencoded::byte_serialize(basket.to_string().as_bytes()).collect();
    request.header("cookie", format!("basket={encoded}"))
}

/// The countries that the API heard since the last look.
fn countries(calls: &Calls) -> Vec<Option<String>> {
    calls.lock().unwrap().drain(..).map(|call| call.header("x-visitor-country").map(str::to_owned)).collect()
}

#[tokio::test]
async fn visitors_choose_no_country_and_a_trusted_proxy_does() {
    let (url, calls) = serve(api).await;
    let settings = [("COUNTRY_HEADER", "CF-IPCountry")];
    let direct = Shop::start(&url, &settings).await;
    assert_eq!(status(direct.post("/country", &[("visitor_country", "NG")])).await, 404);
    let shown =
        direct.get("/").header("cookie", "country=NG").header("cf-ipcountry", "NG").send().await.unwrap();
    assert!(!shown.text().await.unwrap().contains("id=\"country\""));
    let heard = countries(&calls);
    assert!(!heard.is_empty() && heard.iter().all(Option::is_none), "{heard:?}");

    let proxied = Shop::start(&url, &[settings[0], ("TRUSTED_PROXIES", "127.0.0.0/8")]).await;
    for (named, heard) in [("IN", Some("IN")), ("in", Some("IN")), ("ZZ", None), ("T1", None), ("", None)] {
        status(proxied.get("/").header("cookie", "country=NG").header("cf-ipcountry", named)).await;
        assert!(countries(&calls).iter().all(|country| country.as_deref() == heard), "{named:?}");
    }
    status(proxied.get("/").header("cf-ipcountry", "NG").header("cf-ipcountry", "IN")).await;
    assert!(countries(&calls).iter().all(Option::is_none));
}

#[tokio::test]
async fn a_demonstration_has_a_switch_for_countries_that_exist() {
    let (url, calls) = serve(api).await;
    let shop = Shop::start(&url, &[("DEMO", "true")]).await;
    assert!(shop.get("/").send().await.unwrap().text().await.unwrap().contains("id=\"country\""));
    for wrong in ["ZZ", "NGA", "N", "US; Path=/"] {
        assert_eq!(status(shop.post("/country", &[("visitor_country", wrong)])).await, 400, "{wrong}");
    }
    let chosen = shop.post("/country", &[("visitor_country", "IN")]).send().await.unwrap();
    assert!(
        chosen
            .headers()
            .get_all("set-cookie")
            .iter()
            .any(|cookie| cookie.to_str().unwrap().starts_with("country=IN;"))
    );
    calls.lock().unwrap().clear();
    for (cookie, heard) in [("country=IN", Some("IN")), ("country=ZZ", None)] {
        status(shop.get("/").header("cookie", cookie)).await;
        assert!(countries(&calls).iter().all(|country| country.as_deref() == heard), "{cookie}");
    }
}

#[tokio::test]
async fn invented_sessions_of_one_address_are_refused_before_the_api_is_asked() {
    let (url, calls) = serve(api).await;
    let shop = Shop::start(&url, &[("TRUSTED_PROXIES", "127.0.0.1")]).await;
    let from = |address: &str, session: &str| {
        shop.get("/basket")
            .header("x-forwarded-for", address)
            .header("cookie", format!("sessionid={session}"))
    };
    for nth in 0..50 {
        let good = status(from("203.0.113.1", "good")).await;
        assert_eq!(good, if nth < 30 { 200 } else { 429 });
        let bad = status(from("203.0.113.1", &format!("invented-{nth}"))).await;
        assert_eq!(bad, if nth < 30 { 200 } else { 429 }, "{nth}");
    }
    let asked = calls.lock().unwrap().iter().filter(|call| call.path == "/storeapi/discovery/user/").count();
    assert_eq!(asked, 60);
    // Another address is not concerned, and an entry that the visitor wrote is not believed.
    assert_eq!(status(from("203.0.113.2", "good")).await, 200);
    assert_eq!(status(from("203.0.113.3, 203.0.113.1", "good")).await, 429);
}

#[tokio::test]
async fn one_address_tries_few_codes_and_checks_out_so_often_a_minute() {
    let (url, calls) = serve(api).await;
    let shop = Shop::start(&url, &[]).await;
    let asked = |path: &str| calls.lock().unwrap().iter().filter(|call| call.path.contains(path)).count();
    for _ in 0..15 {
        assert_eq!(status(with_basket(shop.get("/basket"), Some("GOOD"))).await, 200);
    }
    for nth in 0..15 {
        status(with_basket(shop.get("/basket"), Some(&format!("GUESS-{nth}")))).await;
    }
    assert_eq!(asked("/quote/"), 25);
    let form = [("of", "o"), ("shown", "0 "), ("once", "k"), ("email", "ada@example.com")];
    for nth in 0..40 {
        let reply = status(with_basket(shop.post("/checkout", &form), None)).await;
        assert_eq!(reply, if nth < 30 { 303 } else { 429 }, "{nth}");
    }
    assert_eq!(asked("/guest/checkout/"), 30);
    for _ in 0..100 {
        status(with_basket(shop.get("/basket"), None)).await;
    }
    // The quotes of guesses that were not asked count, too.
    assert!((110..=120).contains(&asked("/quote/")), "{}", asked("/quote/"));
    for nth in 0..40 {
        assert_eq!(status(shop.get("/signin")).await, if nth < 30 { 303 } else { 429 }, "{nth}");
    }
}

#[tokio::test]
async fn the_api_hears_for_which_visitor_the_shop_calls() {
    let (url, calls) = serve(api).await;
    let direct = Shop::start(&url, &[]).await;
    let reply = direct.get("/").header("x-forwarded-for", "203.0.113.1").send().await.unwrap();
    let cookies = reply.headers().get_all("set-cookie").iter();
    let cookie = cookies
        .filter_map(|cookie| cookie.to_str().unwrap().split(';').next())
        .find(|c| c.starts_with("visitor="));
    let cookie = cookie.expect("an id for the new visitor").to_owned();
    for call in calls.lock().unwrap().drain(..) {
        assert_eq!(call.header("x-visitor-address"), Some("127.0.0.1"));
        assert_eq!(call.header("x-visitor-id"), cookie.strip_prefix("visitor="));
        assert_eq!(call.header("clientapisecret"), Some(SECRET));
    }
    let again = direct.get("/").header("cookie", &cookie).send().await.unwrap();
    assert!(again.headers().get("set-cookie").is_none());
    assert!(
        calls
            .lock()
            .unwrap()
            .drain(..)
            .all(|call| call.header("x-visitor-id") == cookie.strip_prefix("visitor="))
    );
    // An id that the shop did not make is replaced.
    assert!(
        direct
            .get("/")
            .header("cookie", "visitor=admin")
            .send()
            .await
            .unwrap()
            .headers()
            .contains_key("set-cookie")
    );
    calls.lock().unwrap().clear();

    let proxied = Shop::start(&url, &[("TRUSTED_PROXIES", "127.0.0.1,10.0.0.0/8")]).await;
    for (forwarded, address) in [
        ("203.0.113.1", "203.0.113.1"),
        ("198.51.100.9, 203.0.113.1, 10.1.2.3", "203.0.113.1"),
        ("203.0.113.1:4711", "203.0.113.1"),
        ("[2001:db8::1]", "2001:db8::1"),
        ("nonsense", "127.0.0.1"),
    ] {
        status(proxied.get("/").header("x-forwarded-for", forwarded)).await;
        for call in calls.lock().unwrap().drain(..) {
            assert_eq!(call.header("x-visitor-address"), Some(address), "{forwarded}");
        }
    }
}

/// Target of [`redirect`].
static ELSEWHERE: OnceLock<String> = OnceLock::new();

fn redirect(_: &str, _: &HeaderMap, _: &[u8]) -> Response {
    (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, ELSEWHERE.get().unwrap().as_str())]).into_response()
}

#[tokio::test]
async fn the_secret_follows_no_redirect_and_leaves_the_machine_by_tls_alone() {
    let (elsewhere, taken) = serve(api).await;
    ELSEWHERE.set(elsewhere).unwrap();
    let (url, calls) = serve(redirect).await;
    let shop = Shop::start(&url, &[]).await;
    assert_eq!(status(shop.get("/")).await, 502);
    assert_eq!((calls.lock().unwrap().is_empty(), taken.lock().unwrap().len()), (false, 0));

    for wrong in ["http://storefront.internal", "http://203.0.113.1:8080", "ftp://127.0.0.1", "storefront"] {
        let settings = [("STOREFRONT_URL", wrong)];
        let output = command(&settings).output().await.unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains("--storefront-url"), "{wrong}: {said}");
    }
    for right in ["https://store.example", "http://localhost:1", "http://[::1]:1"] {
        Shop::start(right, &[]).await;
    }
}

#[tokio::test]
async fn cookies_are_secure_behind_https_and_pages_say_what_they_may_do() {
    let (url, _) = serve(api).await;
    for (shop_url, is_secure) in [("https://shop.test", true), (SHOP_URL, false)] {
        let shop = Shop::start(
            &url,
            &[
                ("SHOP_URL", shop_url),
                ("SIGN_IN_URL", "https://lms.test/login"),
                ("SIGN_OUT_URL", "https://lms.test/logout"),
            ],
        )
        .await;
        let reply = shop.get("/").send().await.unwrap();
        let cookie = reply.headers()["set-cookie"].to_str().unwrap();
        assert_eq!(cookie.contains("; Secure"), is_secure, "{cookie}");
        let policy = reply.headers()["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("form-action 'self' https://lms.test ;"), "{policy}");
        for path in ["/", "/shop.css", "/pay.js", "/nothing"] {
            let reply = shop.get(path).send().await.unwrap();
            assert_eq!(reply.headers()["x-content-type-options"], "nosniff", "{path}");
        }
        assert!(!shop.get("/shop.css").send().await.unwrap().headers().contains_key("set-cookie"));
    }
}

/// Browsers hold the answer to a form to `form-action`, too.
#[tokio::test]
async fn the_providers_page_opens_after_the_answer_to_the_form() {
    let (url, _) = serve(api).await;
    let shop = Shop::start(&url, &[]).await;
    let browser = Browser::new(&shop, "en");
    let added = [("organisation_id", "o"), ("type", "course"), ("id", "c"), ("mode", "verified")];
    browser.post("/basket", &added).await;
    let form = [("of", "o"), ("shown", "0 "), ("once", "k"), ("email", "mollie@example.com")];
    let reply = browser.post("/checkout", &form).await;
    assert_eq!((reply.status, reply.to.as_str()), (303, "/pay/mollie"));
    let page = browser.get("/pay/mollie").await;
    assert_eq!(
        (page.status, &page.headers["refresh"]),
        (200, &"0; url=https://www.mollie.com/checkout/1".parse().unwrap())
    );
    assert!(page.text.contains("href=\"https:&#x2f;&#x2f;www.mollie.com"));
}

#[tokio::test]
async fn an_order_looks_the_same_to_a_guest_whether_the_address_has_an_account_or_not() {
    let (url, _) = serve(api).await;
    let shop = Shop::start(&url, &[]).await;
    let mut pages = Vec::new();
    for cart in ["known", "unknown"] {
        let reply = shop.get(&format!("/order/{cart}")).send().await.unwrap();
        assert!(reply.headers().get("refresh").is_none());
        pages.push(reply.text().await.unwrap().replace(cart, "ID"));
    }
    assert_eq!(pages[0], pages[1]);
    assert!(pages[0].contains("complete") && !pages[0].contains("enrolled"), "{}", pages[0]);
}

#[tokio::test]
async fn what_the_shop_refuses_has_a_page_in_the_visitors_language() {
    let (url, calls) = serve(api).await;
    let shop = Shop::start(&url, &[]).await;
    let foreign = shop.post("/basket", &[("id", "c")]).header("origin", "https://evil.test");
    let foreign = foreign.build().map(|mut request| {
        // Of the two headers, only the other site's.
        request.headers_mut().insert("origin", "https://evil.test".parse().unwrap());
        request
    });
    let foreign = shop.client.execute(foreign.unwrap()).await.unwrap();
    assert_eq!(foreign.status(), 403);
    let unreadable =
        shop.post("/basket", &[("id", "c")]).header("accept-language", "de").send().await.unwrap();
    let method = shop.client.delete(format!("{}/basket", shop.url)).header("accept-language", "de");
    let method = method.send().await.unwrap();
    assert_eq!(
        (method.status().as_u16(), &method.headers()["allow"]),
        (405, &"GET,HEAD,POST".parse().unwrap())
    );
    for (answer, says) in [
        (foreign, "That form came from elsewhere"),
        (unreadable, "Das war nicht lesbar"),
        (method, "Das war nicht lesbar"),
    ] {
        assert!(answer.headers()["content-type"].to_str().unwrap().starts_with("text/html"));
        assert!(answer.headers().contains_key("content-security-policy"));
        assert_eq!(answer.headers()["x-content-type-options"], "nosniff");
        let page = answer.text().await.unwrap();
        assert!(page.contains(says), "{says}: {page}");
    }
    assert!(calls.lock().unwrap().is_empty(), "a fault of the visitor's is no call");
}

#[tokio::test]
async fn a_buyer_is_written_to_in_the_language_of_the_page_that_was_bought_on() {
    let (url, calls) = serve(api).await;
    let shop = Shop::start(&url, &[]).await;
    for (accepted, language) in [("sv-SE, en;q=0.5", "sv-SE"), ("xx", "en")] {
        let form = [("of", "o"), ("email", "ada@example.com"), ("shown", "0 "), ("once", language)];
        let request = with_basket(shop.post("/checkout", &form), None).header("accept-language", accepted);
        assert_eq!(status(request).await, 303);
        let calls = calls.lock().unwrap();
        let checkout = calls.iter().rfind(|call| call.path.ends_with("/guest/checkout/")).unwrap();
        assert_eq!(checkout.body["language"], language);
    }
}

#[tokio::test]
async fn pages_are_in_the_language_of_the_switch_else_of_the_browser() {
    let (url, _) = serve(api).await;
    let shop = Shop::start(&url, &[]).await;
    for (accepted, cookie, shown) in [
        ("de-AT,de;q=0.9,en;q=0.8", "", r#"lang="de-AT" dir="ltr""#),
        ("xx, nl;q=0.9, ar;q=0.5, en;q=0.1", "", r#"lang="ar" dir="rtl""#),
        ("nl", "", r#"lang="en" dir="ltr""#),
        ("de", "sv", r#"lang="sv" dir="ltr""#),
        ("de", "<script>", r#"lang="de" dir="ltr""#),
    ] {
        let page = shop
            .get("/basket")
            .header("accept-language", accepted)
            .header("cookie", format!("language={cookie}"));
        let page = page.send().await.unwrap().text().await.unwrap();
        assert!(page.contains(shown), "{accepted} {cookie}");
    }
    assert_eq!(status(shop.post("/language", &[("language", "xx")])).await, 400);
    for (next, place) in [
        ("/basket?a=b", "/basket?a=b"),
        ("//evil.test", "/"),
        ("/\\evil.test", "/"),
        ("https://evil.test", "/"),
    ] {
        let reply = shop.post("/language", &[("language", "pt-br"), ("next", next)]).send().await.unwrap();
        assert_eq!(reply.headers()["location"], place);
        let cookies = reply.headers().get_all("set-cookie").iter();
        assert!(cookies.into_iter().any(|cookie| cookie.to_str().unwrap().starts_with("language=pt-BR;")));
    }
}

fn catalog(path: &str, _: &HeaderMap, _: &[u8]) -> Response {
    let course = json!({
        "id": "1", "openedx_course_id": "course-v1:A+B+C", "display_name": "<b>Bold</b>", "short_description": "",
        "display_image": "https://pictures.test/a.jpg", "course_image_url": "javascript:alert(1)", "organisation": "o",
        "overview": "<p>Read <img src=x onerror=alert(1)>me</p><script>alert(1)</script>", "available_course_modes": [],
    });
    axum::Json(match path {
        "/storeapi/discovery/courses/" => json!({ "courses": [course], "total_count": 1 }),
        "/storeapi/discovery/marketing-page-metadata/" => json!([
            { "organisation_id": "o", "marketing_page_metadata": { "theme": { "primary": "red;}body{display:none" } } }
        ]),
        "/storeapi/discovery/organisations/" => json!({ "organisations": [{ "id": "o", "name": "O", "short_name": "o" }] }),
        _ => course,
    })
    .into_response()
}

#[tokio::test]
async fn what_an_organisation_writes_is_text_and_its_pictures_lie_on_covers() {
    let (url, _) = serve(catalog).await;
    let shop = Shop::start(&url, &[]).await;
    let list = shop.get("/").send().await.unwrap().text().await.unwrap();
    assert!(list.contains("<svg") && list.contains("pictures.test") && !list.contains("<b>Bold"), "{list}");
    let page = shop.get("/course/course-v1:A+B+C").send().await.unwrap().text().await.unwrap();
    assert!(
        page.contains("Read me") && !page.contains("alert(1)") && !page.contains("display:none"),
        "{page}"
    );
    let faulty = shop.get("/nothing").send().await.unwrap();
    assert_eq!(faulty.status(), 404);
    assert!(faulty.text().await.unwrap().contains("Look at the courses"));
}
