//! Gifts: a seat that a recipient gets on a day, with a message, and that is its buyer's until it is taken.

use chrono::{Days, NaiveDate, NaiveTime, TimeDelta};
use harness::steps::demo::PAID_KEY;
use harness::steps::organisation_keys::key;
use harness::steps::payments::{EMAIL, cart_id, count, reference};
use harness::steps::refunds::{order, refund};
use harness::steps::seats::{QUOTE, basket, counts, path, pool, without_email};
use harness::steps::vouchers::keyed;
use harness::steps::withdrawals::{all_consents, declaration, declare, offer};
use harness::steps::worker_program::operator;
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::messages::{GiveGift, Message};
use shared::organisation_key::Scope;
use uuid::Uuid;

use crate::voucher_holds::pay;

const GRACE: &str = "grace@example.com";

fn reconciled() -> Setup {
    Setup { worker_args: vec!["--reconcile-every=200ms".into()], ..Setup::selling() }
}

/// A basket of one seat that is this gift.
async fn gift(world: &World, gift: Value) -> Value {
    let mut body = basket(world, &ORGANISATIONS[0], EMAIL, 1).await;
    body["gift"] = gift;
    body
}

/// A gift whose order is paid and fulfilled: the id of the cart.
async fn given(world: &World, body: &Value) -> String {
    let cart = cart_id(&world.post(GUEST_CHECKOUT, body).await).to_owned();
    pay(world, &cart).await;
    cart
}

fn in_days(world: &World, days: u64) -> NaiveDate {
    world.clock.now().date_naive().checked_add_days(Days::new(days)).unwrap()
}

/// Turns the clock to this time of a day, which is later.
fn turn(world: &World, day: NaiveDate, time: &str) {
    let at = day.and_time(time.parse::<NaiveTime>().unwrap()).and_utc();
    world.clock.advance(at - world.clock.now());
}

async fn erase(world: &World, email: &str) {
    let (is_erased, said) = operator(world, &["learners", "erase", email], &["database-url"]).await;
    assert!(is_erased, "{said}");
}

/// The alert on an order.
async fn alert(world: &World, cart: &str) -> String {
    let alert = "SELECT coalesce(alert, '') FROM transactions WHERE cart_id = $1::uuid";
    sqlx::query_scalar(alert).bind(cart).fetch_one(&world.db).await.unwrap()
}

/// Waits until no gift is to be given, and the queues are empty.
async fn all_tasks_end(world: &World) {
    let due = "SELECT count(*) FROM gifts WHERE due_at IS NOT NULL";
    world.eventually("no gift is due", async |world| count(world, due).await == 0).await;
    world.drain().await;
}

async fn has_mail(world: &World) -> bool {
    !world.emails(GRACE).await.is_empty()
}

#[tokio::test]
#[ignore = "slow"]
async fn a_gift_is_given_on_the_morning_of_its_day_with_its_message() {
    world(reconciled(), async |world| {
        world.sell().await;
        let own = key(world, "northwind", &[Scope::Seats, Scope::Orders]).await;
        let day = in_days(world, 20);
        let asked = json!({ "email": GRACE, "giver": "Ada", "message": "Alles Gute!\r\nBis bald.", "on": day, "language": "de" });
        let body = gift(world, asked).await;
        let cart = given(world, &body).await;
        world.settle().await;
        assert!(!has_mail(world).await);
        let told = crate::seats::mailed(world, EMAIL, "grace@example.com gets the seat on").await;
        assert!(!told.contains(pool(world, &own).await["code"].as_str().unwrap()), "{told}");
        let shown = order(world, &own, &cart).await["gift"].clone();
        let expected = json!({ "email": GRACE, "giver": "Ada", "message": "Alles Gute!\nBis bald.", "on": day, "language": "de" });
        assert_eq!(shown, expected);

        turn(world, day, "07:59:00");
        world.settle().await;
        assert!(!has_mail(world).await);
        assert_eq!(counts(world, &own).await, (1, 0, 1));
        turn(world, day, "08:00:00");
        world.eventually("the gift is given", has_mail).await;
        let [mail] = <[Value; 1]>::try_from(world.emails(GRACE).await).unwrap();
        let (subject, text) = (mail["subject"].as_str().unwrap(), mail["text"].as_str().unwrap());
        assert_eq!(subject, "Ein Geschenk für Sie bei Northwind Institute");
        for part in ["Ada schenkt Ihnen", "Alles Gute!", "Bis bald.", "/storeapi/registrations/"] {
            assert!(text.contains(part), "{part} is missing: {text}");
        }
        assert!(!text.contains(EMAIL), "{text}");
        assert_eq!(counts(world, &own).await, (1, 1, 0));
        assert!(order(world, &own, &cart).await["gift"]["given_at"].is_string());
        world.new_platform_user(json!({ "email": GRACE })).await;
        world.clock.advance(TimeDelta::hours(2));
        world.platform_agrees(GRACE, PAID_KEY, "verified", true).await;
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_gift_without_a_day_is_given_once_it_is_paid_and_however_many_tasks_give_it_once() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let own = key(world, "northwind", &[Scope::Seats, Scope::Orders]).await;
        world.platform_user(GRACE).await;
        let body = gift(world, json!({ "email": GRACE })).await;
        let cart = given(world, &body).await;
        for _ in 0..5 {
            let task = json!({ "cart_id": cart }).to_string();
            world.publish_raw(GiveGift::KIND, &Uuid::now_v7().to_string(), task.as_bytes()).await;
        }
        world.platform_agrees(GRACE, PAID_KEY, "verified", true).await;
        world.drain().await;
        assert_eq!(counts(world, &own).await, (1, 1, 0));
        assert_eq!(world.emails(GRACE).await.len(), 1);
        assert_eq!(world.emails(GRACE).await[0]["subject"], "A gift for you at Northwind Institute");
        crate::seats::mailed(world, EMAIL, "It is on its way to grace@example.com.").await;

        // Another friend, or another day, is another order; the same gift is the same attempt until it is paid.
        let again = cart_id(
            &world.post(GUEST_CHECKOUT, &gift(world, json!({ "email": "alan@example.com" })).await).await,
        )
        .to_owned();
        let same = cart_id(
            &world.post(GUEST_CHECKOUT, &gift(world, json!({ "email": "alan@example.com" })).await).await,
        )
        .to_owned();
        let later = json!({ "email": "alan@example.com", "on": in_days(world, 3) });
        let other = cart_id(&world.post(GUEST_CHECKOUT, &gift(world, later).await).await).to_owned();
        assert_eq!(again, same);
        assert!(again != other && again != cart);
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_gift_is_its_buyers_until_it_is_taken() {
    world(reconciled(), async |world| {
        world.sell().await;
        let own = key(world, "northwind", &[Scope::Seats, Scope::Orders, Scope::Refunds]).await;
        // Before its day.
        let day = in_days(world, 2);
        let cart = given(world, &gift(world, json!({ "email": GRACE, "on": day })).await).await;
        assert_eq!(refund(world, &own, &cart, &json!({})).await.status, 200);
        world.cart_becomes(&cart, "refunded").await;
        turn(world, day, "09:00:00");
        all_tasks_end(world).await;
        assert!(!has_mail(world).await);
        assert_eq!(count(world, "SELECT count(*) FROM transactions WHERE alert IS NOT NULL").await, 0);

        // Given to an address that has not registered.
        let cart = given(world, &gift(world, json!({ "email": GRACE, "giver": "Ada" })).await).await;
        world.eventually("the gift is given", has_mail).await;
        world.drain().await;
        let goodwill = json!({ "items": [], "amount": 10 });
        assert_eq!(refund(world, &own, &cart, &goodwill).await.status, 200);
        let held = "SELECT count(*) FROM carts WHERE state = 'held'";
        assert_eq!(count(world, held).await, 1, "money alone takes nothing back");
        assert_eq!(refund(world, &own, &cart, &json!({})).await.status, 200);
        world.cart_becomes(&cart, "refunded").await;
        assert_eq!(count(world, held).await, 0);
        world.new_platform_user(json!({ "email": GRACE })).await;
        world.clock.advance(TimeDelta::hours(2));
        world.settle().await;
        assert_eq!(world.on_platform(GRACE, PAID_KEY).await, None);

        // Taken.
        let cart = given(world, &gift(world, json!({ "email": GRACE, "message": "Once more" })).await).await;
        world.platform_agrees(GRACE, PAID_KEY, "verified", true).await;
        let refused = refund(world, &own, &cart, &json!({})).await;
        assert_eq!(refused.assert_problem(400, "invalid_request").faulty_fields(), ["cart_id"]);
        world.platform_agrees(GRACE, PAID_KEY, "verified", true).await;
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_seat_that_the_buyer_has_assigned_is_not_given_again() {
    world(reconciled(), async |world| {
        world.sell().await;
        let own = key(world, "northwind", &[Scope::Seats]).await;
        let day = in_days(world, 2);
        given(world, &gift(world, json!({ "email": "typo@example.com", "on": day })).await).await;
        let pool = pool(world, &own).await;
        let to = json!({ "emails": [GRACE] });
        assert_eq!(keyed(world, Method::POST, &path(&pool, "assign/"), &own, &to).await.status, 202);
        world.eventually("it is assigned", has_mail).await;
        turn(world, day, "09:00:00");
        all_tasks_end(world).await;
        assert_eq!(world.emails("typo@example.com").await, [] as [Value; 0]);
        assert_eq!(counts(world, &own).await, (1, 1, 0));
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_gift_goes_back_with_lost_money_and_comes_again_with_it() {
    world(reconciled(), async |world| {
        world.sell().await;
        let mollie = &ORGANISATIONS[1];
        let own = key(world, mollie.short_name, &[Scope::Seats, Scope::Orders]).await;
        let mut body = basket(world, mollie, EMAIL, 1).await;
        body["gift"] = json!({ "email": GRACE, "message": "For you" });
        let cart = given(world, &body).await;
        world.eventually("the gift is given", has_mail).await;
        world.drain().await;
        let payment = world.payment(&cart).await;
        let dispute = async |world: &World, outcome: &str| {
            let how = json!({ "outcome": outcome, "notify": true });
            world.at_provider("dispute", reference(&payment), how).await;
        };
        dispute(world, "opened").await;
        world.clock.advance(TimeDelta::days(1));
        world.cart_becomes(&cart, "refunded").await;
        world.drain().await;
        assert_eq!(count(world, "SELECT count(*) FROM carts WHERE state = 'held'").await, 0);
        assert_eq!(order(world, &own, &cart).await["gift"].get("given_at"), None);
        dispute(world, "won").await;
        world.clock.advance(TimeDelta::days(3));
        world.cart_becomes(&cart, "fulfilled").await;
        world.eventually("it is given again", async |world| world.emails(GRACE).await.len() == 2).await;
        world.drain().await;
        assert_eq!(counts(world, &own).await, (1, 1, 0));
        world.new_platform_user(json!({ "email": GRACE })).await;
        world.clock.advance(TimeDelta::hours(2));
        world.platform_agrees(GRACE, mollie.key, mollie.mode, true).await;
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_gift_has_its_mail_beyond_the_invitations_of_a_day_and_an_alert_if_it_cannot_be_given() {
    world(reconciled(), async |world| {
        world.sell().await;
        let now = world.clock.now();
        let sql = "INSERT INTO invitations (email, invited_at) SELECT $1, $2 - make_interval(mins => n) FROM generate_series(1, 3) n";
        sqlx::query(sql).bind(GRACE).bind(now).execute(&world.db).await.unwrap();
        given(world, &gift(world, json!({ "email": GRACE, "message": "For you" })).await).await;
        world.eventually("the gift is given", has_mail).await;
        assert!(world.emails(GRACE).await[0]["text"].as_str().unwrap().contains("For you"));
        assert_eq!(count(world, "SELECT count(*) FROM enrollments WHERE invitation_waits").await, 0, "it is all that is said");

        let day = in_days(world, 2);
        let cart = given(world, &gift(world, json!({ "email": "alan@example.com", "on": day })).await).await;
        let sql = "UPDATE vouchers SET valid_until = $2 WHERE cart_id = $1::uuid";
        sqlx::query(sql).bind(&cart).bind(now + TimeDelta::days(1)).execute(&world.db).await.unwrap();
        turn(world, day, "09:00:00");
        world.eventually("an alert says so", async |world| !alert(world, &cart).await.is_empty()).await;
        let said = alert(world, &cart).await;
        assert!(said.starts_with("its gift was not given: ") && said.contains("the pool is no longer valid"), "{said}");
        world.drain().await;
        assert_eq!(world.emails("alan@example.com").await, [] as [Value; 0]);
    })
    .await;
}

#[tokio::test]
async fn what_can_be_no_gift_is_refused_by_its_field() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (yesterday, far) = (in_days(world, 0).pred_opt().unwrap(), in_days(world, 367));
        let table = [
            (json!({}), "gift.email"),
            (json!({ "email": "no address" }), "gift.email"),
            (json!({ "email": GRACE, "on": "24.12.2026" }), "gift.on"),
            (json!({ "email": GRACE, "on": yesterday }), "gift.on"),
            (json!({ "email": GRACE, "on": far }), "gift.on"),
            (json!({ "email": GRACE, "giver": "A".repeat(101) }), "gift.giver"),
            (json!({ "email": GRACE, "giver": "A\nda" }), "gift.giver"),
            (json!({ "email": GRACE, "message": "m".repeat(501) }), "gift.message"),
            (json!({ "email": GRACE, "message": "ring\u{7}" }), "gift.message"),
            (json!({ "email": GRACE, "language": "not a language" }), "gift.language"),
            (json!({ "email": GRACE, "to": "Grace" }), "gift.to"),
        ];
        for (asked, field) in table {
            let reply = world.post(GUEST_CHECKOUT, &gift(world, asked.clone()).await).await;
            assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields(), [field], "{asked}");
        }
        for seats in [Value::Null, json!(2)] {
            let mut body = gift(world, json!({ "email": GRACE })).await;
            body["items"][0]["seats"] = seats;
            let reply = world.post(GUEST_CHECKOUT, &body).await;
            assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields(), ["gift"]);
        }
        let sql = "UPDATE course_modes SET access_until = $1";
        sqlx::query(sql).bind(world.clock.now() + TimeDelta::days(2)).execute(&world.db).await.unwrap();
        let after = json!({ "email": GRACE, "on": in_days(world, 3) });
        let reply = world.post(GUEST_CHECKOUT, &gift(world, after).await).await;
        assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields(), ["gift.on"]);
        assert_eq!(count(world, "SELECT count(*) FROM carts").await, 0);
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn the_buyer_of_a_gift_can_withdraw_until_it_is_taken() {
    let worker_args = vec!["--reconcile-every=200ms".into(), "--withdrawal-delay=1s".into()];
    world(Setup { worker_args, ..Setup::selling() }, async |world| {
        world.sell().await;
        offer(world, &ORGANISATIONS[0], json!({ "days": 14, "kind": "digital_content" })).await;
        let mut body = gift(world, json!({ "email": GRACE, "on": in_days(world, 5) })).await;
        let quoted = world.post(QUOTE, &without_email(&body)).await;
        assert_eq!(quoted.json["consents_required"], json!(["begin_now", "loses_right"]), "{}", quoted.text);
        let reply = world.post(GUEST_CHECKOUT, &body).await;
        let lacking = reply.assert_problem(400, "invalid_request").faulty_fields();
        assert_eq!(lacking, ["consents.begin_now", "consents.loses_right"]);
        body["consents"] = all_consents();
        let cart = given(world, &body).await;
        assert_eq!(declare(world, &declaration(&cart, EMAIL)).await.status, 202);
        world.cart_becomes(&cart, "refunded").await;

        // It is given, and the recipient has not registered.
        body["gift"] = json!({ "email": GRACE });
        let cart = given(world, &body).await;
        world.eventually("the gift is given", has_mail).await;
        assert_eq!(declare(world, &declaration(&cart, EMAIL)).await.status, 202);
        world.cart_becomes(&cart, "refunded").await;

        world.platform_user(GRACE).await;
        body["gift"]["message"] = json!("Once more");
        let cart = given(world, &body).await;
        world.platform_agrees(GRACE, PAID_KEY, "verified", true).await;
        assert_eq!(declare(world, &declaration(&cart, EMAIL)).await.status, 202);
        world
            .eventually("a person is asked", async |world| {
                count(
                    world,
                    "SELECT count(*) FROM withdrawals WHERE waits_because LIKE '%a gift that is taken%'",
                )
                .await
                    == 1
            })
            .await;
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn an_erased_recipient_gets_no_gift_and_an_erased_buyers_words_are_gone() {
    world(reconciled(), async |world| {
        world.sell().await;
        let own = key(world, "northwind", &[Scope::Seats, Scope::Orders]).await;
        let day = in_days(world, 5);
        let asked = |email: &str| json!({ "email": email, "giver": "Ada", "message": "For you", "on": day });
        let to_grace = given(world, &gift(world, asked(GRACE)).await).await;
        given(world, &gift(world, asked("alan@example.com")).await).await;
        erase(world, GRACE).await;
        assert!(order(world, &own, &to_grace).await["gift"]["email"].as_str().unwrap().contains("erased"));
        world
            .eventually("an alert says so", async |world| {
                alert(world, &to_grace).await.contains("the recipient was erased")
            })
            .await;
        world.clock.advance(TimeDelta::days(4));
        erase(world, EMAIL).await;
        turn(world, day, "09:00:00");
        world
            .eventually("the other gift is given", async |world| {
                !world.emails("alan@example.com").await.is_empty()
            })
            .await;
        let mail = world.emails("alan@example.com").await.pop().unwrap();
        let text = mail["text"].as_str().unwrap();
        assert!(text.contains("Northwind Institute has given you"), "{text}");
        assert!(!text.contains("Ada") && !text.contains("For you"), "{text}");
        assert!(!has_mail(world).await);
    })
    .await;
}
