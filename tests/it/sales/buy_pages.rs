//! The page to which the course platform's upgrade buttons lead, each form of their links, and the button on it.

use harness::steps::credentials::session;
use harness::steps::demo::{FREE_COURSE, FREE_KEY, PAID_COURSE, PAID_KEY, UNKNOWN_ID};
use harness::steps::payments::{EMAIL, count, reference};
use harness::{ORGANISATIONS, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

const PATH: &str = "/storeapi/payment/buy/";
const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/// Opens a link as a browser with this cookie does.
async fn open(world: &World, path: &str, cookie: &str) -> Reply {
    let request = world.http.get(world.url(path)).header("accept", BROWSER).header("cookie", cookie);
    Reply::read(request).await
}

/// Opens a link as a browser with this cookie and these languages does.
async fn open_in(world: &World, path: &str, cookie: &str, languages: &str) -> Reply {
    let request = world.http.get(world.url(path)).header("accept", BROWSER).header("cookie", cookie);
    Reply::read(request.header("accept-language", languages)).await
}

/// Presses the button of a page, with these fields.
async fn press(world: &World, page: &Reply, cookie: &str, form: &[(&str, &str)]) -> Reply {
    let (_, action) = page.text.split_once("action=\"").unwrap();
    let action = action.split('"').next().unwrap().replace("&amp;", "&").replace("&#x2f;", "/");
    let request = world.http.post(world.url(&action)).header("accept", BROWSER).header("cookie", cookie);
    Reply::read(request.header("origin", "http://store.test").form(form)).await
}

fn assert_page(reply: &Reply, status: u16, says: &str) {
    assert_eq!(reply.status, status, "{}", reply.text);
    assert!(reply.header("content-type").starts_with("text/html"), "{}", reply.text);
    assert!(reply.text.contains(says), "{says}: {}", reply.text);
    assert_eq!(reply.header("cache-control"), "no-store");
}

fn own(course: &str, mode: &str) -> String {
    format!("sku={course}.{mode}")
}

async fn rows(world: &World) -> i64 {
    count(world, "SELECT (SELECT count(*) FROM carts) + (SELECT count(*) FROM transactions) + (SELECT count(*) FROM audit_log)
        + (SELECT count(*) FROM commands) + (SELECT count(*) FROM learners)").await
}

async fn set_sku(world: &World, course: &str, mode: &str, sku: &str, bulk: Option<&str>) {
    sqlx::query("UPDATE course_modes SET sku = $3, bulk_sku = $4 WHERE course_id = $1::uuid AND slug = $2")
        .bind(course)
        .bind(mode)
        .bind(sku)
        .bind(bulk)
        .execute(&world.db)
        .await
        .unwrap();
}

#[tokio::test]
async fn an_upgrade_button_leads_from_the_page_through_the_payment_to_the_course() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        let cookie = session(&ada);
        let link = format!(
            "{PATH}?{}&course_run_key={}",
            own(PAID_COURSE, "verified"),
            PAID_KEY.replace('+', "%2B")
        );
        let before = rows(world).await;
        let page = open(world, &link, &cookie).await;
        assert_page(&page, 200, "$199.00");
        assert!(page.header("content-security-policy").contains("form-action 'self'"));
        assert_eq!(rows(world).await, before, "the page writes nothing");

        let pressed = press(world, &page, &cookie, &[]).await;
        assert_eq!(pressed.status, 303, "{}", pressed.text);
        let location = pressed.header("location");
        let cart =
            location.strip_prefix("http://store.test/storeapi/payment/pay/").unwrap().trim_end_matches('/');
        let pay = open(world, location.strip_prefix("http://store.test").unwrap(), &cookie).await;
        assert_eq!(pay.status, 200, "{}", pay.text);
        // Pressed twice, it is one payment.
        assert_eq!(press(world, &page, &cookie, &[]).await.header("location"), location);
        let payment = world.payment(cart).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.platform_agrees(EMAIL, PAID_KEY, "verified", true).await;
        assert_page(&open(world, &link, &cookie).await, 400, "You have this already");
    })
    .await;
}

#[tokio::test]
async fn each_form_of_the_platforms_links_sells_what_it_names() {
    world(Setup::default(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        let cookie = session(&ada);
        set_sku(world, PAID_COURSE, "verified", "8CF08E5", None).await;
        set_sku(world, PAID_COURSE, "professional", "PRO", Some("PRO-BULK")).await;
        let key = PAID_KEY.replace('+', "%2B");
        let upgrade = own(PAID_COURSE, "verified");
        for (query, says) in [
            (upgrade.clone(), "$199.00"),
            (format!("{upgrade}&course_run_key={key}"), "$199.00"),
            (format!("{upgrade}&utm_source=mail&utm_medium=x"), "$199.00"),
            (format!("{upgrade}&catalog={UNKNOWN_ID}"), "$199.00"),
            ("sku=8CF08E5".to_owned(), "$199.00"),
            (format!("sku=PRO&sku={FREE_COURSE}.audit&bundle={UNKNOWN_ID}"), "$349.00"),
            ("sku=PRO-BULK".to_owned(), "Number of seats"),
            (format!("{}.seats", own(PAID_COURSE, "professional")), "Number of seats"),
            (format!("course={key}&mode=professional&reference=poster"), "$349.00"),
            (format!("course={PAID_COURSE}"), "$199.00"),
            // As people write a key, and the course platform's own pages and documents: a + is a blank in a query.
            (format!("course={PAID_KEY}&mode=professional"), "$349.00"),
            (format!("{upgrade}&course_run_key={PAID_KEY}"), "$199.00"),
        ] {
            assert_page(&open(world, &format!("{PATH}?{query}"), &cookie).await, 200, says);
        }
    })
    .await;
}

#[tokio::test]
async fn an_operators_sku_of_several_courses_needs_the_course() {
    world(Setup::default(), async |world| {
        let cookie = session(&world.platform_user(EMAIL).await);
        set_sku(world, PAID_COURSE, "verified", "VERIFIED", None).await;
        set_sku(world, FREE_COURSE, "verified", "VERIFIED", None).await;
        assert_page(&open(world, &format!("{PATH}?sku=VERIFIED"), &cookie).await, 404, "not on sale");
        let link = format!("{PATH}?sku=VERIFIED&course_run_key={}", PAID_KEY.replace('+', "%2B"));
        assert_page(&open(world, &link, &cookie).await, 200, "$199.00");
    })
    .await;
}

#[tokio::test]
async fn a_visitor_signs_in_at_the_platform_and_comes_back() {
    let setup = Setup {
        api_args: vec!["--platform-public-url=https://lms.example/base/".into()],
        ..Setup::default()
    };
    world(setup, async |world| {
        let link = format!("{PATH}?{}&utm_source=mail", own(PAID_COURSE, "verified"));
        for cookie in ["", "sessionid=1|gone|gone|gone:gone:gone"] {
            let reply = open(world, &link, cookie).await;
            assert_eq!(reply.status, 302, "{}", reply.text);
            let location: reqwest::Url = reply.header("location").parse().unwrap();
            assert_eq!((location.host_str(), location.path()), (Some("lms.example"), "/base/login"));
            let (_, next) = location.query_pairs().find(|(name, _)| name == "next").unwrap();
            assert_eq!(next, format!("http://store.test{link}&signed_in=1"));
        }
        // No loop, if the browser does not show the platform's session here.
        let again = open(world, &format!("{link}&signed_in=1"), "").await;
        assert_page(&again, 401, "You are not signed in here");
        let script = world.http.get(world.url(&link)).header("accept", "application/json");
        Reply::read(script).await.assert_problem(401, "unauthenticated");
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_sold_gets_a_page_that_says_what_to_do() {
    world(Setup::default(), async |world| {
        let ada = world.platform_user(EMAIL).await;
        let cookie = session(&ada);
        let gone = format!("UPDATE course_modes SET expires_at = now() - interval '1 day' WHERE course_id = '{PAID_COURSE}' AND slug = 'professional'");
        sqlx::query(sqlx::AssertSqlSafe(gone)).execute(&world.db).await.unwrap();
        let other = ORGANISATIONS[1].course;
        for (query, status, says) in [
            (String::new(), 404, "not on sale"),
            ("sku=None".to_owned(), 404, "not on sale"),
            ("sku=UNKNOWN".to_owned(), 404, "not on sale"),
            (format!("sku={UNKNOWN_ID}.verified"), 404, "not on sale"),
            (own(PAID_COURSE, "credit"), 404, "not on sale"),
            (own(PAID_COURSE, "professional"), 400, "cannot be bought now"),
            (format!("{}&{}", own(PAID_COURSE, "verified"), own(other, "verified")), 400, "one by one"),
            ("course=course-v1:No+Such+Run".to_owned(), 404, "not on sale"),
            ("sku=%".to_owned(), 400, "Please check"),
            (format!("course={PAID_COURSE}&mode=gold"), 400, "Please check"),
        ] {
            assert_page(&open(world, &format!("{PATH}?{query}"), &cookie).await, status, says);
        }
        let ivan = json!({ "email": "ivan@example.com", "active": false, "hint": false });
        let ivan = world.new_platform_user(ivan).await;
        let link = format!("{PATH}?{}", own(PAID_COURSE, "verified"));
        assert_page(&open(world, &link, &session(&ivan)).await, 403, "confirm your email address");
        assert_eq!(count(world, "SELECT count(*) FROM carts").await, 0);
    })
    .await;
}

#[tokio::test]
async fn an_organisation_with_a_shop_of_its_own_gets_the_same_query() {
    world(Setup::without_workers(), async |world| {
        for (page, expected) in [
            ("https://shop.example/buy", "https://shop.example/buy?"),
            ("https://shop.example/?page=buy", "https://shop.example/?page=buy&"),
        ] {
            sqlx::query("UPDATE organisations SET buy_url = $1").bind(page).execute(&world.db).await.unwrap();
            let query = format!(
                "{}&course_run_key=course-v1%3AA%2BB%2BC&utm_source=a+b",
                own(PAID_COURSE, "verified")
            );
            let reply = open(world, &format!("{PATH}?{query}"), "").await;
            assert_eq!(
                (reply.status, reply.header("location")),
                (302, format!("{expected}{query}").as_str())
            );
        }
    })
    .await;
}

#[tokio::test]
async fn a_button_of_another_site_buys_nothing() {
    world(Setup::default(), async |world| {
        let cookie = session(&world.platform_user(EMAIL).await);
        let link = format!("{PATH}?{}", own(PAID_COURSE, "verified"));
        let forged = world.http.post(world.url(&link)).header("accept", BROWSER).header("cookie", &cookie);
        let reply =
            Reply::read(forged.header("origin", "https://evil.example").form(&[("seats", "1")])).await;
        assert_eq!(reply.status, 403, "{}", reply.text);
        assert_eq!(count(world, "SELECT count(*) FROM carts").await, 0);
    })
    .await;
}

#[tokio::test]
async fn what_is_free_is_enrolled_without_a_payment() {
    world(Setup::default(), async |world| {
        let cookie = session(&world.platform_user(EMAIL).await);
        let page = open(world, &format!("{PATH}?{}", own(FREE_COURSE, "audit")), &cookie).await;
        assert_page(&page, 200, "Enroll</button>");
        let pressed = press(world, &page, &cookie, &[]).await;
        assert!(
            pressed.header("location").starts_with("http://store.test/storeapi/payment/status/"),
            "{}",
            pressed.text
        );
        world.platform_agrees(EMAIL, FREE_KEY, "audit", true).await;
    })
    .await;
}

#[tokio::test]
async fn seats_and_a_billing_address_are_asked_for_and_checked() {
    world(Setup::default(), async |world| {
        world.sell().await;
        let cookie = session(&world.platform_user(EMAIL).await);
        let page = open(world, &format!("{PATH}?{}.seats", own(PAID_COURSE, "verified")), &cookie).await;
        for seats in ["0", "1001", "many"] {
            assert_page(
                &press(world, &page, &cookie, &[("seats", seats)]).await,
                400,
                "Number of seats (from 1 to 1,000)",
            );
        }
        let wrong = [("seats", "2"), ("country", "Narnia")];
        assert_page(&press(world, &page, &cookie, &wrong).await, 400, "Please check");
        assert_eq!(count(world, "SELECT count(*) FROM carts").await, 0);
        let pressed =
            press(world, &page, &cookie, &[("seats", "3"), ("name", "Ada"), ("country", "GB")]).await;
        assert_eq!(pressed.status, 303, "{}", pressed.text);
        let cart: (i64, Value) =
            sqlx::query_as("SELECT total, billing_address FROM carts").fetch_one(&world.db).await.unwrap();
        assert_eq!((cart.0, &cart.1["country"]), (59_700, &json!("GB")));
    })
    .await;
}

#[tokio::test]
async fn a_voucher_of_a_link_is_taken_off_or_said_not_to_apply() {
    world(Setup::default(), async |world| {
        world.sell().await;
        let cookie = session(&world.platform_user(EMAIL).await);
        let link = format!("{PATH}?{}&voucher=NO-SUCH", own(PAID_COURSE, "verified"));
        let page = open(world, &link, &cookie).await;
        assert_page(&page, 200, "NO-SUCH does not apply");
        assert_eq!(press(world, &page, &cookie, &[]).await.status, 303, "at the price that was shown");
    })
    .await;
}

#[tokio::test]
async fn a_consumer_ticks_what_the_organisation_asks_for() {
    world(Setup::default(), async |world| {
        world.sell().await;
        let terms = json!({ "days": 14, "kind": "digital_content", "terms_url": "https://shop.example/terms", "terms_version": "1" });
        sqlx::query("UPDATE organisations SET withdrawal = $1").bind(terms).execute(&world.db).await.unwrap();
        let cookie = session(&world.platform_user(EMAIL).await);
        let page = open(world, &format!("{PATH}?{}", own(PAID_COURSE, "verified")), &cookie).await;
        assert_page(&page, 200, "https:&#x2f;&#x2f;shop.example&#x2f;terms");
        let pressed = press(world, &page, &cookie, &[("terms", "on"), ("begin_now", "on")]).await;
        assert_page(&pressed, 400, "I know that I lose my right of withdrawal");
        let all = [("terms", "on"), ("begin_now", "on"), ("loses_right", "on")];
        assert_eq!(press(world, &page, &cookie, &all).await.status, 303);
    })
    .await;
}

#[tokio::test]
async fn the_orders_of_a_learner_are_listed_and_the_platforms_links_lead_to_them() {
    const HISTORY: &str = "/storeapi/payment/history/";
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        let cookie = session(&ada);
        assert_page(&open(world, HISTORY, &cookie).await, 200, "not bought anything");
        let cart = world.learner_checkout(&ORGANISATIONS[0], &ada).await.json["cart_id"]
            .as_str()
            .unwrap()
            .to_owned();
        let payment = world.payment(&cart).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        let page = open(world, HISTORY, &cookie).await;
        assert_page(&page, 200, "$199.00");
        assert!(page.text.contains(&cart) && page.text.contains("complete"), "{}", page.text);
        let bob = world.platform_user("bob@example.com").await;
        assert_page(&open(world, HISTORY, &session(&bob)).await, 200, "not bought anything");
        world.at_provider("refund", reference(&payment), json!({})).await;
        world.cart_becomes(&cart, "refunded").await;
        assert_page(&open(world, HISTORY, &cookie).await, 200, "refunded $199.00");

        let signed_out = open(world, HISTORY, "").await;
        assert_eq!(signed_out.status, 302);
        assert!(
            signed_out.header("location").contains("/platform/login?next="),
            "{}",
            signed_out.header("location")
        );
        assert_page(&open(world, &format!("{HISTORY}?signed_in=1"), "").await, 401, "not signed in");
        let refund: uuid::Uuid =
            sqlx::query_scalar("SELECT id FROM refunds").fetch_one(&world.db).await.unwrap();
        let order = format!("http://store.test/storeapi/payment/status/{cart}/");
        for (link, target) in [
            (
                "/credit/checkout/course-v1:A+B+1/".to_owned(),
                "http://store.test/storeapi/payment/buy/?course=course-v1%3AA%2BB%2B1&mode=credit".to_owned(),
            ),
            ("/dashboard/orders/".to_owned(), format!("http://store.test{HISTORY}")),
            (format!("/dashboard/refunds/{refund}/"), order.clone()),
            (format!("/checkout/receipt/?order_number={cart}"), order),
        ] {
            let reply = open(world, &link, "").await;
            assert_eq!((reply.status, reply.header("location")), (302, target.as_str()), "{link}");
        }
        for unknown in [
            "/credit/checkout/7/",
            "/dashboard/refunds/7/",
            "/checkout/receipt/?order_number=EDX-100001",
            "/checkout/receipt/",
        ] {
            let reply = Reply::read(world.request(Method::GET, unknown)).await;
            reply.assert_problem(404, "not_found");
        }
        sqlx::query("UPDATE organisations SET orders_url = 'https://shop.example/orders'")
            .execute(&world.db)
            .await
            .unwrap();
        assert_eq!(open(world, HISTORY, &cookie).await.header("location"), "https://shop.example/orders");
    })
    .await;
}

#[tokio::test]
async fn the_links_of_the_former_shop_lead_to_the_page_for_buying() {
    world(Setup::without_workers(), async |world| {
        for (link, target) in [
            (
                "/basket/add/?sku=8CF08E5&sku=A5B6DBE&code=SPRING&utm_source=mail",
                "http://store.test/storeapi/payment/buy/?sku=8CF08E5&sku=A5B6DBE&utm_source=mail&voucher=SPRING",
            ),
            ("/basket/single-item/?sku=8CF08E5", "http://store.test/storeapi/payment/buy/?sku=8CF08E5"),
            (
                "/coupons/redeem/?code=SPRING&sku=8CF08E5&failure_url=https%3A%2F%2Feve.example",
                "http://store.test/storeapi/payment/buy/?sku=8CF08E5&voucher=SPRING",
            ),
        ] {
            let reply = open(world, link, "").await;
            assert_eq!((reply.status, reply.header("location")), (302, target), "{link}");
        }
        for unknown in ["/coupons/offer/?code=UNKNOWN", "/coupons/offer/"] {
            let reply = Reply::read(world.request(Method::GET, unknown)).await;
            reply.assert_problem(404, "not_found");
        }
    })
    .await;
}

#[tokio::test]
async fn a_former_link_to_a_code_leads_to_what_it_is_for() {
    world(Setup::default(), async |world| {
        let courses: Vec<(String, String)> = sqlx::query_as(
            "SELECT c.id::text, o.id::text FROM courses c JOIN organisations o ON o.id = c.organisation_id
             WHERE o.short_name = 'northwind' ORDER BY 1 LIMIT 2",
        )
        .fetch_all(&world.db)
        .await
        .unwrap();
        let (first, second) = (&courses[0].0, &courses[1].0);
        let made = format!(
            "INSERT INTO vouchers (id, organisation_id, code, kind, percent, currency, valid_from, created_at)
             SELECT ('00000000-0000-0000-0000-00000000000' || n)::uuid, '{0}', code, 'percent', 10, 'USD', now(), now()
             FROM (VALUES (1, 'ONE'), (2, 'TWO'), (3, 'ALL')) v (n, code);
             INSERT INTO voucher_scope (voucher_id, course_id) VALUES ('00000000-0000-0000-0000-000000000001', '{first}'),
             ('00000000-0000-0000-0000-000000000002', '{first}'), ('00000000-0000-0000-0000-000000000002', '{second}');
             INSERT INTO vouchers (id, organisation_id, code, kind, mode, email, buyer, max_uses, max_uses_per_buyer, currency, valid_from, created_at)
             VALUES ('00000000-0000-0000-0000-000000000004', '{0}', 'SEAT', 'seat', 'verified', 'a@b.c', 'guest:a@b.c', 1, 1, 'USD', now(), now());
             INSERT INTO voucher_scope (voucher_id, course_id) VALUES ('00000000-0000-0000-0000-000000000004', '{first}')",
            courses[0].1
        );
        sqlx::raw_sql(sqlx::AssertSqlSafe(made)).execute(&world.db).await.unwrap();
        let location = async |code: &str| {
            let reply = open(world, &format!("/coupons/offer/?code={code}"), "").await;
            assert_eq!(reply.status, 302, "{}", reply.text);
            reply.header("location").to_owned()
        };
        let buy = format!("http://store.test/storeapi/payment/buy/?course={first}");
        assert_eq!(location("one").await, format!("{buy}&voucher=one"));
        assert_eq!(location("SEAT").await, format!("{buy}&mode=verified&voucher=SEAT"));
        for several in ["TWO", "ALL"] {
            assert!(location(several).await.ends_with("/courses"), "{several}");
        }
        // Guesses are few; codes that exist cost none.
        let mut statuses = Vec::new();
        for n in 0..100 {
            statuses.push(open(world, &format!("/coupons/offer/?code=GUESS{n}"), "").await.status);
        }
        assert_eq!((statuses[0], statuses[99]), (404, 429));
    })
    .await;
}

#[tokio::test]
async fn the_pages_are_in_the_language_of_the_account_else_the_organisation_else_the_browser() {
    const HISTORY: &str = "/storeapi/payment/history/";
    world(Setup::selling(), async |world| {
        world.sell().await;
        sqlx::query("UPDATE organisations SET languages = '{}'").execute(&world.db).await.unwrap();
        let page = |reply: &Reply, status, begins: &str, says: &str| {
            assert_page(reply, status, says);
            assert!(reply.text.contains(&format!("<html {begins}>")), "{begins}: {}", reply.text);
        };
        let (arabic, german) = ("lang=\"ar\" dir=\"rtl\"", "lang=\"de\" dir=\"ltr\"");
        let (french, swedish) = ("lang=\"fr\" dir=\"ltr\"", "lang=\"sv\" dir=\"ltr\"");
        let account = json!({ "email": "layla@example.com", "hint": false, "language": "ar" });
        let layla = session(&world.new_platform_user(account).await);
        let ada = session(&world.platform_user(EMAIL).await);
        let link = format!("{PATH}?{}", own(PAID_COURSE, "verified"));
        let nothing = format!("{PATH}?sku=UNKNOWN");
        page(&open_in(world, &link, &ada, "de").await, 200, german, "Weiter zur Zahlung");
        page(&open_in(world, &link, &ada, "de").await, 200, german, "199,00\u{a0}$");
        page(&open_in(world, &nothing, &ada, "de").await, 404, german, "Das wird hier nicht verkauft");
        page(&open_in(world, &link, &layla, "de").await, 200, arabic, "المتابعة إلى الدفع");
        page(&open_in(world, &nothing, &layla, "de").await, 404, arabic, "هذا غير معروض للبيع");
        page(&open_in(world, HISTORY, &ada, "de").await, 200, german, "Sie haben noch nichts gekauft");
        page(&open_in(world, HISTORY, &layla, "de").await, 200, arabic, "لم تشترِ شيئًا بعد");

        sqlx::query("UPDATE organisations SET languages = '{ja,fr}'").execute(&world.db).await.unwrap();
        let offer = open_in(world, &link, &ada, "de").await;
        page(&offer, 200, french, "Continuer vers le paiement");
        let seats = open_in(world, &format!("{link}.seats"), &ada, "de").await;
        let refused = press(world, &seats, &ada, &[("seats", "0")]).await;
        page(&refused, 400, french, "Nombre de places (de 1 à 1\u{202f}000)");
        let offer = open_in(world, &link, &layla, "de").await;
        page(&offer, 200, arabic, "المتابعة إلى الدفع");

        // The order is in the language in which its buyer has read the page.
        let location = press(world, &offer, &layla, &[]).await.header("location").to_owned();
        let cart = location.strip_prefix("http://store.test/storeapi/payment/pay/").unwrap();
        let path = location.strip_prefix("http://store.test").unwrap();
        page(&open_in(world, path, &layla, "de").await, 200, arabic, "طلبك");
        world
            .at_provider("pay", reference(&world.payment(cart.trim_end_matches('/')).await), json!({}))
            .await;
        world.cart_becomes(cart.trim_end_matches('/'), "fulfilled").await;
        page(&open_in(world, HISTORY, &layla, "de").await, 200, arabic, "مكتمل");
        let signed_out = open_in(world, &format!("{HISTORY}?signed_in=1"), "", "sv").await;
        page(&signed_out, 401, swedish, "Du är inte inloggad här");
    })
    .await;
}
