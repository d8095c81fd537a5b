//! The buyer's language: chosen once, and then in every page and mail, for every cause of a mail.

use chrono::TimeDelta;
use harness::steps::batches::{BATCH, done, id_of};
use harness::steps::credentials::session;
use harness::steps::demo::{FREE_COURSE, PAID_COURSE};
use harness::steps::invoices::{SHOP, sold};
use harness::steps::organisation_keys::{get, key};
use harness::steps::payment_commands::payments_calling;
use harness::steps::payments::{cart_id, count, reference};
use harness::steps::refunds::{order, refund};
use harness::steps::seats::{self, QUOTE, bought, path, pool, without_email};
use harness::steps::tax::{import, rate, seller};
use harness::steps::vouchers::keyed;
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/// The subject of the first mail with one of these words.
async fn subject(world: &World, email: &str, word: &str) -> String {
    let found = async |world: &World| {
        let mails = world.emails(email).await;
        let subject = |mail: &Value| mail["subject"].as_str().unwrap().to_owned();
        mails.iter().map(subject).find(|subject| subject.contains(word))
    };
    world.eventually(word, async |world| found(world).await.is_some()).await;
    found(world).await.unwrap()
}

/// A guest's cart in a language that waits for its payment: its id and the provider's payment.
async fn begun_in(world: &World, email: &str, language: &str) -> (String, Value) {
    let mut body = world.basket(&ORGANISATIONS[0]).await;
    (body["email"], body["language"]) = (json!(email), json!(language));
    let reply = world.post(GUEST_CHECKOUT, &body).await;
    let cart = cart_id(&reply).to_owned();
    let payment = world.payment(&cart).await;
    (cart, payment)
}

#[tokio::test]
async fn an_order_is_in_its_language_in_pages_mails_events_and_the_report() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let key =
            key(world, "northwind", &[Scope::Orders, Scope::Refunds, Scope::Reports, Scope::Events]).await;
        let (cart, payment) = begun_in(world, "ana@example.com", "pt-br").await;
        assert_eq!(order(world, &key, &cart).await["language"], "pt-BR");
        // The provider's notification causes the receipt, the organisation's backend the refund.
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        assert_eq!(subject(world, "ana@example.com", "recibo").await, "Seu recibo de Northwind Institute");
        let refunded = refund(world, &key, &cart, &json!({})).await;
        assert_eq!(refunded.status, 200, "{}", refunded.text);
        assert_eq!(
            subject(world, "ana@example.com", "reembolso").await,
            "Seu reembolso de Northwind Institute"
        );
        let mails = world.emails("ana@example.com").await;
        let mail = mails.iter().find(|mail| mail["subject"].as_str().unwrap().contains("recibo")).unwrap();
        assert!(mail["html"].as_str().unwrap().contains("<html lang=\"pt-BR\" dir=\"ltr\">"), "{mail}");
        assert!(mail["text"].as_str().unwrap().contains("US$\u{a0}199,00"), "{mail}");

        let events: Vec<Option<String>> =
            sqlx::query_scalar("SELECT data ->> 'language' FROM events WHERE type LIKE 'order.%'")
                .fetch_all(&world.db)
                .await
                .unwrap();
        assert!(events.len() >= 4 && events.iter().all(|tag| tag.as_deref() == Some("pt-BR")), "{events:?}");
        let report =
            get(world, "/storeapi/reports/ledger/?from=2026-01-01&to=2026-12-31&format=json", &key).await;
        assert_eq!(report.json[0]["language"], "pt-BR", "{}", report.text);
    })
    .await;
}

#[tokio::test]
async fn pages_turn_to_the_reader_and_a_language_without_texts_falls_back() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        for (language, lang, dir, says) in [
            ("ar", "ar", "rtl", "طلبك"),
            ("hi", "hi", "ltr", "आपका ऑर्डर"),
            ("de-CH", "de-CH", "ltr", "Ihre Bestellung"),
            ("ja", "en", "ltr", "Your order"),
        ] {
            let user = world.platform_user(&format!("{lang}@example.com")).await;
            let own = |method, path: &str| {
                let request = world.request(method, path).header("orgName", "northwind");
                request.header("cookie", session(&user))
            };
            let items =
                json!([{ "type": "course", "id": ORGANISATIONS[0].course, "mode": ORGANISATIONS[0].mode }]);
            let body = json!({ "items": items, "language": language });
            let cart = Reply::read(own(Method::PUT, "/storeapi/payment/cart/").json(&body)).await.json;
            let cart = cart["cart_id"].as_str().unwrap().to_owned();
            let answer = Reply::read(own(Method::POST, "/storeapi/payment/checkout/")).await;
            let url = answer.json["redirect_url"].as_str().unwrap();
            let path = url.strip_prefix("http://store.test").unwrap().to_owned();
            for path in [path.clone(), path.replace("/pay/", "/status/")] {
                let page = Reply::read(world.http.get(world.url(&path)).header("accept", BROWSER)).await;
                assert_eq!(page.status, 200, "{}", page.text);
                let begins = format!("<html lang=\"{lang}\" dir=\"{dir}\">");
                assert!(page.text.contains(&begins) && page.text.contains(says), "{path} {}", page.text);
            }
            let stored: String = sqlx::query_scalar("SELECT language FROM carts WHERE id = $1::uuid")
                .bind(&cart)
                .fetch_one(&world.db)
                .await
                .unwrap();
            assert_eq!(stored, language, "a known language is kept, also without texts");
        }
        // A page of no order is in the browser's language.
        let nothing = world.url("/storeapi/payment/status/00000000-0000-4000-8000-000000000000/?token=x");
        let request =
            world.http.get(nothing).header("accept", BROWSER).header("accept-language", "fr;q=0.9, xx");
        let page = Reply::read(request).await;
        assert!(
            page.text.contains("<html lang=\"fr\"") && page.text.contains("Ce lien n’est plus valable"),
            "{}",
            page.text
        );
    })
    .await;
}

#[tokio::test]
async fn an_unknown_or_malformed_language_is_refused_by_its_name() {
    world(Setup::default(), async |world| {
        world.sell().await;
        let key = key(world, "northwind", &[Scope::Seats]).await;
        bought(world, &ORGANISATIONS[0], "boss@example.com", 5).await;
        let pool = pool(world, &key).await;
        let before = count(world, "SELECT count(*) FROM carts").await;
        let basket = world.basket(&ORGANISATIONS[0]).await;
        for language in [json!("xx"), json!("e"), json!("en--GB"), json!("en-u-nu-thai"), json!(7), json!("und")] {
            let mut guest = basket.clone();
            (guest["email"], guest["language"]) = (json!("ada@example.com"), language.clone());
            let quoted = without_email(&guest);
            let grant = json!({ "email": "ada@example.com", "course_id": PAID_COURSE, "mode": "verified", "language": language });
            let batch = json!({ "course_id": PAID_COURSE, "mode": "verified", "language": language,
                                "rows": [{ "email": "ada@example.com" }] });
            for (path, body) in [
                (GUEST_CHECKOUT, &guest),
                (QUOTE, &quoted),
                ("/storeapi/enrollments/client/enroll/", &grant),
                (BATCH, &batch),
            ] {
                let reply = world.post(path, body).await;
                assert_eq!((reply.status, reply.faulty_fields()), (400, vec!["language"]), "{path} {language}");
            }
            let body = json!({ "emails": ["ada@example.com"], "language": language });
            let reply = keyed(world, Method::POST, &path(&pool, "assign/"), &key, &body).await;
            assert_eq!((reply.status, reply.faulty_fields()), (400, vec!["language"]), "{language}");
        }
        assert_eq!(count(world, "SELECT count(*) FROM carts").await, before);
        assert_eq!(count(world, "SELECT count(*) FROM batches").await, 0);
        // A row alone fails alone.
        let rows = json!({ "course_id": FREE_COURSE, "mode": "audit", "rows": [
            { "email": "ada@example.com", "language": "xx" }, { "email": "bob@example.com", "language": "sv" }] });
        let shown = done(world, &id_of(&world.post(BATCH, &rows).await)).await;
        assert_eq!(shown["rows"][0]["message"], "language is not a known language", "{shown}");
        assert_eq!(subject(world, "bob@example.com", "plats").await, "Din plats hos Northwind Institute");
    })
    .await;
}

#[tokio::test]
async fn without_a_choice_it_is_the_learners_then_the_organisations_then_english() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let grant =
            async |email: &str| assert_eq!(world.enroll(email, PAID_COURSE, "verified").await.status, 200);
        grant("first@example.com").await;
        assert_eq!(subject(world, "first@example.com", "place").await, "Your place at Northwind Institute");
        sqlx::query("UPDATE organisations SET languages = '{ja,fr}'").execute(&world.db).await.unwrap();
        grant("second@example.com").await;
        // Japanese has no texts, so that the organisation's second language is read.
        assert_eq!(
            subject(world, "second@example.com", "place").await,
            "Votre place chez Northwind Institute"
        );

        // The look-up of an account tells its language.
        let ines = json!({ "email": "ines@example.com", "hint": false, "language": "es" });
        world.new_platform_user(ines).await;
        grant("ines@example.com").await;
        let key = key(world, "northwind", &[Scope::Seats]).await;
        bought(world, &ORGANISATIONS[0], "boss@example.com", 5).await;
        let pool = pool(world, &key).await;
        harness::steps::seats::assigned(world, &key, &pool, &["ines@example.com"]).await;
        assert_eq!(subject(world, "ines@example.com", "plaza").await, "Tu plaza en Northwind Institute");
        // What an account says is not a guest's to see.
        let mut body = world.basket(&ORGANISATIONS[0]).await;
        body["email"] = json!("ines@example.com");
        let cart = cart_id(&world.post(GUEST_CHECKOUT, &body).await).to_owned();
        let stored: String = sqlx::query_scalar("SELECT language FROM carts WHERE id = $1::uuid")
            .bind(&cart)
            .fetch_one(&world.db)
            .await
            .unwrap();
        assert_eq!(stored, "ja");
    })
    .await;
}

#[tokio::test]
async fn mails_that_an_operator_the_reconciler_or_a_late_registration_causes_are_in_the_orders_language() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        // An operator finds the payment whose notification was lost.
        let (cart, payment) = begun_in(world, "op@example.com", "sv").await;
        world.at_provider("pay", reference(&payment), json!({ "notify": false })).await;
        payments_calling(world, &["check", &cart]).await;
        world.cart_becomes(&cart, "fulfilled").await;
        assert_eq!(subject(world, "op@example.com", "kvitto").await, "Ditt kvitto från Northwind Institute");

        // The reconciler sends an invitation that had to wait for the next day.
        for course in 0..3 {
            sqlx::query("INSERT INTO invitations (email, invited_at) VALUES ('late@example.com', $1)")
                .bind(world.clock.now() - TimeDelta::minutes(course))
                .execute(&world.db)
                .await
                .unwrap();
        }
        let grant = json!({ "email": "late@example.com", "course_id": PAID_COURSE, "mode": "verified", "language": "hi" });
        assert_eq!(world.post("/storeapi/enrollments/client/enroll/", &grant).await.status, 200);
        assert!(world.emails("late@example.com").await.is_empty());
        world.clock.advance(TimeDelta::days(21));
        assert_eq!(
            subject(world, "late@example.com", "Northwind").await,
            "Northwind Institute में आपका स्थान"
        );
    })
    .await;
}

/// Directive 2011/83/EU, article 8(7), and RFC 3834.
#[tokio::test]
async fn mails_are_answered_by_the_seller_and_by_no_machine() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        for (number, contact) in [(1, Some("courses@northwind.example")), (2, None)] {
            let terms = contact.map_or(json!({}), |email| json!({ "email": email }));
            let records = [seller(SHOP, "DE", terms), rate(SHOP, "DE", &[("USt", 19.0)])];
            import(world, &records).await.unwrap();
            let email = format!("buyer{number}@example.com");
            sold(world, &email, json!({ "country": "DE" })).await;
            world.eventually("a mail", async |world| !world.emails(&email).await.is_empty()).await;
            for mail in world.emails(&email).await {
                assert_eq!(mail["auto_submitted"], "auto-generated", "{mail}");
                assert_eq!(mail["reply_to"], json!(contact), "{mail}");
                for body in ["text", "html"] {
                    let words = mail[body].as_str().unwrap();
                    assert_eq!(words.contains("courses@northwind.example"), contact.is_some(), "{words}");
                }
            }
        }
        let refused = import(world, &[seller(SHOP, "DE", json!({ "email": "no address" }))]).await;
        assert!(refused.unwrap_err().contains("email"));
    })
    .await;
}

#[tokio::test]
async fn who_gets_a_seat_is_told_in_their_own_language_else_in_the_buyers() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        let mut body = seats::basket(world, shop, "boss@example.com", 3).await;
        body["language"] = json!("sv");
        let cart = cart_id(&world.post(GUEST_CHECKOUT, &body).await).to_owned();
        world.at_provider("pay", reference(&world.payment(&cart).await), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        let key = key(world, shop.short_name, &[Scope::Seats]).await;
        let pool = seats::pool(world, &key).await;
        world
            .new_platform_user(json!({ "email": "ines@example.com", "hint": false, "language": "es" }))
            .await;
        seats::assigned(world, &key, &pool, &["ines@example.com", "nils@example.com"]).await;
        for (email, subject) in [("ines@example.com", "Tu plaza"), ("nils@example.com", "Din plats")] {
            world
                .eventually("the mail about the seat", async |world| {
                    let mails = world.emails(email).await;
                    mails.iter().any(|mail| mail["subject"].as_str().unwrap().starts_with(subject))
                })
                .await;
        }
    })
    .await;
}
