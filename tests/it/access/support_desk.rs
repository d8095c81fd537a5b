//! The support desk: finding an order, seeing what happened to it, and acting on it under one's name.

use harness::steps::payments::{EMAIL, begun, count, reference};
use harness::steps::refunds::bought;
use harness::steps::staff::{act, look, staff};
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

const NOOR: &str = "noor@example.com";

/// Returns the orders that a text finds.
async fn found(world: &World, cookie: &str, text: &str) -> Vec<String> {
    let request = world.http.get(world.url("/storeapi/support/search/")).query(&[("q", text)]);
    let reply = Reply::read(request.header("cookie", cookie)).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let orders = reply.json["orders"].as_array().unwrap().iter();
    orders.map(|order| order["cart_id"].as_str().unwrap().to_owned()).collect()
}

fn of(cart: &str, part: &str) -> String {
    format!("/storeapi/support/orders/{cart}/{part}")
}

async fn order(world: &World, cookie: &str, cart: &str) -> Value {
    let reply = look(world, cookie, &of(cart, "")).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json
}

/// The sentences of an order's timeline, each with its author.
fn told(order: &Value) -> Vec<(String, String)> {
    let text = |moment: &Value, field: &str| moment[field].as_str().unwrap().to_owned();
    let moments = order["timeline"].as_array().unwrap().iter();
    moments.map(|moment| (text(moment, "words"), text(moment, "by"))).collect()
}

/// The sentences of an order's timeline.
fn told_words(order: &Value) -> Vec<String> {
    told(order).into_iter().map(|(words, _)| words).collect()
}

#[tokio::test]
async fn a_search_finds_an_order_by_all_that_its_buyer_may_know() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        let mut body = world.basket(shop).await;
        body["email"] = json!(EMAIL);
        body["billing_address"] = json!({ "name": "Zoë Lovelace-Ångström", "country": "GB" });
        let reply = Reply::read(world.request(Method::POST, GUEST_CHECKOUT).json(&body)).await;
        let cart = harness::steps::payments::cart_id(&reply).to_owned();
        let payment = world.payment(&cart).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        let transaction: Uuid = sqlx::query_scalar("SELECT id FROM transactions WHERE cart_id = $1::uuid")
            .bind(&cart)
            .fetch_one(&world.db)
            .await
            .unwrap();
        let own = staff(world, "northwind", NOOR, &["support"]).await;
        let other =
            staff(world, "lindgren", "eve@lindgren.example", &["support", "finance", "manager"]).await;
        let (transaction, reference) = (transaction.to_string(), reference(&payment));
        for text in
            [&cart, EMAIL, " Ada@Example.com ", "lovelace", "zoe love", "ANGSTROM", reference, &transaction]
        {
            assert_eq!(found(world, &own, text).await, std::slice::from_ref(&cart), "{text}");
            assert_eq!(found(world, &other, text).await, [""; 0], "{text} at another organisation");
        }
        for text in ["zz", "%%", "___", "lovelace_", "no@example.com", "' OR 1=1 --"] {
            assert_eq!(found(world, &own, text).await, [""; 0], "{text}");
        }
        look(world, &own, "/storeapi/support/search/?q=a").await.assert_problem(400, "invalid_request");
    })
    .await;
}

#[tokio::test]
async fn a_search_finds_vouchers_and_courses_of_the_own_organisation() {
    world(Setup::without_workers(), async |world| {
        sqlx::query(
            "INSERT INTO vouchers (id, organisation_id, code, kind, percent, currency, valid_from, created_at)
             SELECT gen_random_uuid(), id, 'SPRING-26', 'percent', 10, 'USD', now(), now() FROM organisations
             WHERE short_name = 'northwind'",
        )
        .execute(&world.db)
        .await
        .unwrap();
        let own = staff(world, "northwind", NOOR, &["support"]).await;
        let other = staff(world, "lindgren", "eve@lindgren.example", &["manager"]).await;
        let code = "/storeapi/support/search/?q=spring-26";
        assert_eq!(look(world, &own, code).await.json["vouchers"][0]["code"], "SPRING-26");
        assert_eq!(look(world, &other, code).await.json["vouchers"], json!([]));
        let key: String = sqlx::query_scalar(
            "SELECT openedx_course_id FROM courses c JOIN organisations o ON o.id = c.organisation_id
             WHERE o.short_name = 'northwind' LIMIT 1",
        )
        .fetch_one(&world.db)
        .await
        .unwrap();
        let path = format!("/storeapi/support/search/?q={}", key.replace('+', "%2B"));
        assert_eq!(look(world, &own, &path).await.json["courses"][0]["openedx_course_id"], json!(key));
        assert_eq!(look(world, &other, &path).await.json["courses"], json!([]));
    })
    .await;
}

#[tokio::test]
async fn an_order_tells_what_happened_in_words_and_who_did_it() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (cart, reference) = bought(world, &ORGANISATIONS[0], EMAIL).await;
        let noor = staff(world, "northwind", NOOR, &["support", "finance"]).await;
        world
            .eventually("the receipt is sent", async |world| {
                count(world, "SELECT count(*) FROM audit_log WHERE to_state = 'mail_sent'").await == 1
            })
            .await;
        let reply = act(world, &noor, &of(&cart, "receipt/"), &Value::Null).await;
        assert_eq!(reply.status, 204, "{}", reply.text);
        world
            .eventually("the receipt is sent again", async |world| {
                count(world, "SELECT count(*) FROM audit_log WHERE to_state = 'mail_sent'").await == 2
            })
            .await;
        let refund = json!({ "reason": "Asked on the phone" });
        let reply = act(world, &noor, &of(&cart, "refunds/"), &refund).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        world.cart_becomes(&cart, "refunded").await;
        let order = order(world, &noor, &cart).await;
        assert_eq!(order["payment"]["reference"], json!(reference));
        assert_eq!(order["order"]["email"], json!(EMAIL));
        let told = told(&order);
        for expected in [
            ("The payment arrived.", "the storefront"),
            ("The order is complete: its access was granted.", "the storefront"),
            ("The mail “receipt” was sent again.", "Noor Haddad"),
            ("A refund was requested.", "Noor Haddad"),
            ("The order has ended: all of its money went back.", "Noor Haddad"),
        ] {
            let expected = (expected.0.to_owned(), expected.1.to_owned());
            assert!(told.contains(&expected), "{expected:?} is not in {told:?}");
        }
        let acts: i64 = sqlx::query_scalar("SELECT count(*) FROM audit_log WHERE actor LIKE 'staff:%'")
            .fetch_one(&world.db)
            .await
            .unwrap();
        assert!(acts >= 2, "{acts}");
    })
    .await;
}

#[tokio::test]
async fn an_order_tells_a_refusal_a_refund_of_a_part_and_a_loss_as_what_they_are() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        let noor = staff(world, "northwind", NOOR, &["support", "finance"]).await;
        world.platform_user(EMAIL).await;
        let platform = async |course: Value| world.sim(Method::POST, "/_sim/courses", Some(course)).await;
        platform(json!({ "course_id": shop.key, "veto": true })).await;
        let (cart, payment) = bought(world, shop, EMAIL).await;
        let becomes = async |summary: &str, payment: &str, access: &str| {
            let expected = json!({ "summary": summary, "payment": payment, "access": access });
            let told = format!("the order stands as {expected}");
            world.eventually(&told, async |world| world.status(&cart).await["standing"] == expected).await;
            let shown = order(world, &noor, &cart).await;
            assert_eq!(shown["order"]["standing"], expected);
            told_words(&shown)
        };
        let words = becomes("refused", "paid", "refused").await;
        assert!(words.iter().any(|words| words.ends_with(": the course platform refused.")), "{words:?}");
        assert!(!words.iter().any(|words| words.contains("agrees")), "{words:?}");
        platform(json!({ "course_id": shop.key, "veto": false })).await;
        let refused =
            json!({ "enrollment_id": order(world, &noor, &cart).await["access"][0]["enrollment_id"] });
        let retried = act(world, &noor, "/storeapi/support/enrollments/", &refused).await;
        assert_eq!(retried.status, 204, "{}", retried.text);
        world
            .eventually("the platform agrees now", async |world| {
                count(world, "SELECT count(*) FROM enrollments WHERE platform_state = 'synced'").await == 1
            })
            .await;
        let words = becomes("complete", "paid", "open").await;
        assert!(words.iter().any(|words| words.ends_with(": the course platform agrees.")), "{words:?}");
        assert!(words.iter().any(|words| words.ends_with(": the course platform refused.")), "{words:?}");
        let part = json!({ "reason": "Half of it", "items": [], "amount": 5 });
        let refunded = act(world, &noor, &of(&cart, "refunds/"), &part).await;
        assert_eq!(refunded.status, 200, "{}", refunded.text);
        let words = becomes("partly_refunded", "partly_refunded", "open").await;
        assert_eq!(words.iter().filter(|words| *words == "The payment arrived.").count(), 1, "{words:?}");
        assert!(words.contains(&"Of the payment, $5.00 is refunded now.".to_owned()), "{words:?}");
        let dispute = |outcome: &str| json!({ "outcome": outcome, "notify": true });
        world.at_provider("dispute", &payment, dispute("opened")).await;
        becomes("disputed", "disputed", "open").await;
        world.at_provider("dispute", &payment, dispute("lost")).await;
        let words = becomes("lost", "lost", "ended").await;
        assert!(words.contains(&"The order has ended: all of its money went back.".to_owned()), "{words:?}");
        assert!(!words.contains(&"The payment was refunded in full.".to_owned()), "{words:?}");
    })
    .await;
}

#[tokio::test]
async fn two_people_who_refund_the_same_order_at_once_pay_once() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (cart, _) = bought(world, &ORGANISATIONS[0], EMAIL).await;
        let noor = staff(world, "northwind", NOOR, &["finance"]).await;
        let sam = staff(world, "northwind", "sam@example.com", &["finance"]).await;
        let (path, body) = (of(&cart, "refunds/"), json!({ "reason": "twice" }));
        let (one, two) = tokio::join!(act(world, &noor, &path, &body), act(world, &sam, &path, &body));
        let mut statuses = [one.status, two.status];
        statuses.sort_unstable();
        assert!(statuses[0] == 200 && [400, 409].contains(&statuses[1]), "{} {}", one.text, two.text);
        assert_eq!(count(world, "SELECT count(*) FROM refunds").await, 1);
        world.cart_becomes(&cart, "refunded").await;
    })
    .await;
}

#[tokio::test]
async fn a_mistyped_address_is_corrected_and_the_course_goes_to_the_right_person() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (cart, _) = bought(world, &ORGANISATIONS[0], "adda@example.com").await;
        let ada = world.platform_user(EMAIL).await;
        let noor = staff(world, "northwind", NOOR, &["support"]).await;
        let path = of(&cart, "address/");
        let reply = act(world, &noor, &path, &json!({ "email": "adda@example.com" })).await;
        reply.assert_problem(400, "invalid_request");
        let reply = act(world, &noor, &path, &json!({ "email": EMAIL })).await;
        assert_eq!(reply.status, 204, "{}", reply.text);
        world
            .eventually("the right person has the course", async |world| {
                let states: Vec<(String, String)> =
                    sqlx::query_as("SELECT email, state FROM enrollments ORDER BY email")
                        .fetch_all(&world.db)
                        .await
                        .unwrap();
                let of = |email: &str, state: &str| states.contains(&(email.into(), state.into()));
                of(EMAIL, "enrolled") && of("adda@example.com", "removed")
            })
            .await;
        let shown = order(world, &noor, &cart).await;
        assert_eq!((&shown["order"]["email"], &shown["access"][0]["email"]), (&json!(EMAIL), &json!(EMAIL)));
        // Now an account has the course: the address is its owner's affair.
        let reply = act(world, &noor, &path, &json!({ "email": "eve@example.com" })).await;
        reply.assert_problem(400, "invalid_request");
        assert!(ada["user_id"].is_number());
        let kept: i64 =
            sqlx::query_scalar("SELECT count(*) FROM audit_log WHERE detail::text LIKE '%@example.com%'")
                .fetch_one(&world.db)
                .await
                .unwrap();
        assert_eq!(kept, 0, "the audit log keeps no addresses");
    })
    .await;
}

#[tokio::test]
async fn an_address_that_is_corrected_while_the_order_is_being_delivered_gets_it_and_the_old_one_does_not() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let noor = staff(world, "northwind", NOOR, &["support"]).await;
        let (cart, payment) = begun(world, &ORGANISATIONS[0], "adda@example.com").await;
        world.platform_user("adda@example.com").await;
        world.platform_user(EMAIL).await;
        // The settlement waits for no slow platform. Then the order is paid, and its address is looked up again, while it is corrected.
        let slow = json!({ "target": "platform", "path": "email=adda", "kind": "delay", "delay_ms": 1900, "count": 2 });
        world.fault(slow).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        let waiting = async |world: &World| world.sim(Method::GET, "/_sim/faults", None).await == json!([]);
        world.eventually("the address is looked up", waiting).await;
        let reply = act(world, &noor, &of(&cart, "address/"), &json!({ "email": EMAIL })).await;
        assert_eq!(reply.status, 204, "{}", reply.text);
        world.cart_becomes(&cart, "fulfilled").await;
        world.platform_agrees(EMAIL, ORGANISATIONS[0].key, "verified", true).await;
        let stranger = world.on_platform("adda@example.com", ORGANISATIONS[0].key).await;
        assert!(stranger.is_none_or(|seen| seen["is_active"] == false), "the stranger has the course");
    })
    .await;
}

#[tokio::test]
async fn what_needs_a_person_is_listed_until_it_is_dealt_with() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (cart, _) = bought(world, &ORGANISATIONS[0], EMAIL).await;
        let noor = staff(world, "northwind", NOOR, &["support"]).await;
        let other = staff(world, "lindgren", "eve@lindgren.example", &["support"]).await;
        let listed = async |cookie: &str| {
            let reply = look(world, cookie, "/storeapi/support/attention/").await;
            assert_eq!(reply.status, 200, "{}", reply.text);
            let entries = reply.json["entries"].as_array().unwrap().clone();
            entries.iter().map(|entry| entry["kind"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(listed(&noor).await, [""; 0]);
        for statement in [
            "UPDATE transactions SET alert = 'bought twice' WHERE cart_id = $1::uuid",
            "INSERT INTO mails (id, recipient, mail, created_at, failed_at, failed_reason)
             SELECT gen_random_uuid(), email, jsonb_build_object('template', 'registration_invitation', 'organisation_id', organisation_id,
                 'courses', '[]'::jsonb, 'elsewhere', '[]'::jsonb), now(), now(), 'smtp refused the mail: reply 550'
             FROM carts WHERE id = $1::uuid",
        ] {
            sqlx::query(statement).bind(&cart).execute(&world.db).await.unwrap();
        }
        assert_eq!(listed(&noor).await, ["payment", "mail"]);
        assert_eq!(listed(&other).await, [""; 0]);
        let alert = of(&cart, "alert/");
        act(world, &noor, &alert, &json!({ "reason": "  " })).await.assert_problem(400, "invalid_request");
        let reply = act(world, &noor, &alert, &json!({ "reason": "Refunded the other one" })).await;
        assert_eq!(reply.status, 204, "{}", reply.text);
        act(world, &noor, &alert, &json!({ "reason": "again" })).await.assert_problem(400, "invalid_request");
        let mail: String = sqlx::query_scalar("SELECT id::text FROM mails WHERE failed_at IS NOT NULL")
            .fetch_one(&world.db)
            .await
            .unwrap();
        let again = json!({ "mail_id": mail });
        let path = "/storeapi/support/mails/";
        act(world, &other, path, &again).await.assert_problem(400, "invalid_request");
        assert_eq!(act(world, &noor, path, &again).await.status, 204);
        assert_eq!(listed(&noor).await, [""; 0]);
        world
            .eventually("the mail is sent", async |world| count(world, "SELECT count(*) FROM mails").await == 0)
            .await;
    })
    .await;
}

#[tokio::test]
async fn a_mail_that_the_server_refuses_waits_for_a_person_with_the_reason() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.fault(json!({ "target": "smtp", "kind": "status", "status": 550, "count": 1 })).await;
        let (cart, payment) = begun(world, &ORGANISATIONS[0], EMAIL).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        world.expected_dead = 1;
        world
            .eventually("a mail has failed", async |world| {
                count(world, "SELECT count(*) FROM mails WHERE failed_reason LIKE '%550%'").await == 1
            })
            .await;
        let noor = staff(world, "northwind", NOOR, &["support"]).await;
        let reply = look(world, &noor, "/storeapi/support/attention/").await;
        assert_eq!(reply.json["entries"][0]["kind"], "mail", "{}", reply.text);
    })
    .await;
}

#[tokio::test]
async fn a_refused_enrollment_is_retried_once_the_reason_is_gone() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (cart, _) = bought(world, &ORGANISATIONS[0], EMAIL).await;
        world.platform_user(EMAIL).await;
        world
            .eventually("the course is open", async |world| {
                count(world, "SELECT count(*) FROM enrollments WHERE platform_state = 'synced'").await == 1
            })
            .await;
        let noor = staff(world, "northwind", NOOR, &["support"]).await;
        let enrollment = order(world, &noor, &cart).await["access"][0]["enrollment_id"].clone();
        let (path, body) = ("/storeapi/support/enrollments/", json!({ "enrollment_id": enrollment }));
        act(world, &noor, path, &body).await.assert_problem(400, "invalid_request");
        sqlx::query("UPDATE enrollments SET platform_state = 'refused', platform_reason = 'closed'")
            .execute(&world.db)
            .await
            .unwrap();
        let other = staff(world, "lindgren", "eve@lindgren.example", &["support"]).await;
        act(world, &other, path, &body).await.assert_problem(400, "invalid_request");
        assert_eq!(act(world, &noor, path, &body).await.status, 204);
        world
            .eventually("the platform agrees", async |world| {
                count(world, "SELECT count(*) FROM enrollments WHERE platform_state = 'synced'").await == 1
            })
            .await;
    })
    .await;
}

#[tokio::test]
async fn the_support_invites_the_buyer_of_a_waiting_course_again() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (cart, _) = bought(world, &ORGANISATIONS[0], EMAIL).await;
        let noor = staff(world, "northwind", NOOR, &["support"]).await;
        let other = staff(world, "lindgren", "eve@lindgren.example", &["support"]).await;
        let invited = async |world: &World| {
            let mails = world.emails(EMAIL).await;
            mails.iter().filter(|mail| mail["subject"].as_str().unwrap().contains("Your place at")).count()
        };
        world.eventually("the first invitation", async |world| invited(world).await == 1).await;
        let path = of(&cart, "invitation/");
        assert_eq!(act(world, &other, &path, &Value::Null).await.status, 404);
        for nth in 2..=3 {
            let reply = act(world, &noor, &path, &Value::Null).await;
            assert_eq!(reply.status, 204, "{}", reply.text);
            world.eventually("another invitation", async |world| invited(world).await == nth).await;
        }
        // An address gets three a day.
        let reply = act(world, &noor, &path, &Value::Null).await;
        assert!(
            reply.assert_problem(400, "invalid_request").text.contains("three invitations"),
            "{}",
            reply.text
        );
        world.clock.advance(chrono::TimeDelta::hours(25));
        assert_eq!(act(world, &noor, &path, &Value::Null).await.status, 204);
        let history = order(world, &noor, &cart).await["timeline"].to_string();
        assert!(history.contains("“invitation” was sent again"), "{history}");
        // Once there is an account, nobody is to be invited.
        world.platform_user(EMAIL).await;
        // After a day, the platform is asked for the address every three hours.
        world.clock.advance(chrono::TimeDelta::hours(4));
        world
            .eventually("the course is open", async |world| {
                count(world, "SELECT count(*) FROM enrollments WHERE platform_state = 'synced'").await == 1
            })
            .await;
        act(world, &noor, &path, &Value::Null).await.assert_problem(400, "invalid_request");
    })
    .await;
}

#[tokio::test]
async fn a_corrected_address_gets_the_receipt_by_itself() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (cart, _) = bought(world, &ORGANISATIONS[0], "adda@example.com").await;
        world.platform_user(EMAIL).await;
        let noor = staff(world, "northwind", NOOR, &["support"]).await;
        world.drain().await;
        let reply = act(world, &noor, &of(&cart, "address/"), &json!({ "email": EMAIL })).await;
        assert_eq!(reply.status, 204, "{}", reply.text);
        world
            .eventually("the receipt", async |world| {
                let mails = world.emails(EMAIL).await;
                mails.iter().any(|mail| mail["text"].as_str().unwrap().contains(&cart))
            })
            .await;
    })
    .await;
}
