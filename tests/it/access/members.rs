//! Members of closed organisations, which an operator adds and removes.

use harness::steps::credentials::session;
use harness::steps::refunds::bought;
use harness::steps::seats;
use harness::steps::worker_program::operator;
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Reply, Setup, World, world};
use serde_json::{Value, json};

use crate::sessions::capabilities;

/// Runs `members`. Returns whether it succeeded, and its output.
async fn members(world: &World, words: &[&str]) -> (bool, String) {
    // Only `add` calls the platform.
    let settings: &[&str] = match words.first() {
        Some(&"add") => &[
            "database-url",
            "redis-url",
            "redis-prefix",
            "platform-url",
            "platform-client-id",
            "platform-client-secret",
        ],
        _ => &["database-url"],
    };
    operator(world, &[&["members"], words].concat(), settings).await
}

#[tokio::test]
async fn an_operator_gives_and_takes_claims_on_a_closed_organisation() {
    world(Setup::default(), async |world| {
        let ada = world.platform_user("ada@example.com").await;
        assert_eq!(capabilities(world, &session(&ada)).await, 403);
        // The storefront does not know the learner yet; the command finds the account on the platform.
        let (done, said) = members(world, &["add", "Lindgren", "Ada@example.com"]).await;
        assert!(done && said.contains("added"), "{said}");
        assert_eq!(capabilities(world, &session(&ada)).await, 200);
        let (done, said) = members(world, &["add", "lindgren", "ada@example.com"]).await;
        assert!(done && said.contains("already"), "{said}");
        let (done, listed) = members(world, &["list", "lindgren", "--json"]).await;
        let listed: Value = serde_json::from_str(&listed).unwrap();
        let expected = json!([{ "user_id": ada["user_id"], "username": ada["username"],
            "email": "ada@example.com", "name": ada["name"] }]);
        assert!(done && listed == expected, "{listed}");
        let (done, table) = members(world, &["list", "lindgren"]).await;
        assert!(done && table.contains("ada@example.com"), "{table}");
        let (done, said) = members(world, &["remove", "lindgren", "ada@example.com"]).await;
        assert!(done && said.contains("removed"), "{said}");
        assert_eq!(capabilities(world, &session(&ada)).await, 403);
        let (done, said) = members(world, &["remove", "lindgren", "ada@example.com"]).await;
        assert!(done && said.contains("is not a member"), "{said}");
        let audited: Vec<(String, String)> =
            sqlx::query_as("SELECT actor, to_state FROM audit_log WHERE entity = 'membership' ORDER BY id")
                .fetch_all(&world.db)
                .await
                .unwrap();
        let by_operator = |state: &str| ("operator:Mira".to_owned(), state.to_owned());
        assert_eq!(audited, [by_operator("member"), by_operator("removed")]);
    })
    .await;
}

#[tokio::test]
async fn an_unknown_address_or_organisation_adds_nothing_and_says_so() {
    world(Setup::default(), async |world| {
        world.new_platform_user(json!({ "email": "new@example.com", "active": false, "hint": false })).await;
        for (organisation, email, reason) in [
            ("lindgren", "unknown@example.com", "no active account"),
            ("lindgren", "new@example.com", "no active account"),
            ("nowhere", "unknown@example.com", "no organisation nowhere"),
            ("lindgren", "no-address", "is not an email address"),
        ] {
            let (done, said) = members(world, &["add", organisation, email]).await;
            assert!(!done && said.contains(reason), "{said}");
        }
        world.fault(json!({ "target": "platform", "kind": "status", "status": 503, "count": 10 })).await;
        let (done, said) = members(world, &["add", "lindgren", "later@example.com"]).await;
        assert!(!done && said.contains("unavailable"), "{said}");
        world.no_faults().await;
        let (done, _) = members(world, &["list", "nowhere"]).await;
        assert!(!done);
        let learners: i64 =
            sqlx::query_scalar("SELECT count(*) FROM learners").fetch_one(&world.db).await.unwrap();
        assert_eq!(learners, 0);
    })
    .await;
}

/// A closed organisation.
const LINDGREN: &Organisation = &ORGANISATIONS[1];

async fn read(world: &World, user: &Value, path: &str) -> Reply {
    let request = world.http.get(world.url(path)).header("cookie", session(user));
    Reply::read(request.header("orgName", LINDGREN.short_name)).await
}

#[tokio::test]
async fn who_has_checked_out_an_order_at_a_closed_organisation_is_one_of_its_members() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        // Seats enroll their buyer in nothing, and the order is not paid yet.
        let ada = world.platform_user("ada@example.com").await;
        assert_eq!(capabilities(world, &session(&ada)).await, 403);
        let mut body = seats::basket(world, LINDGREN, "", 5).await;
        body.as_object_mut().unwrap().remove("email");
        let checkout = harness::steps::learner_checkout::checkout(world, &ada, &body, &[]).await;
        assert_eq!(checkout.status, 200, "{}", checkout.text);
        let orders = read(world, &ada, "/storeapi/payment/orders/").await;
        assert_eq!((orders.status, &orders.json["orders"][0]["cart_id"]), (200, &checkout.json["cart_id"]));
        assert_eq!(read(world, &ada, "/storeapi/seats/").await.status, 200);
        // A guest who has registered since, once the address is confirmed; not who only claims to have it.
        let (cart, _) = bought(world, LINDGREN, "bob@example.com").await;
        let thief = json!({ "email": "bob@example.com", "active": false, "hint": false });
        let thief = world.new_platform_user(thief).await;
        assert_ne!(read(world, &thief, "/storeapi/payment/orders/").await.status, 200);
        let reply =
            world.post(GUEST_CHECKOUT, &seats::basket(world, LINDGREN, "eve@example.com", 2).await).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        let eve = world.platform_user("eve@example.com").await;
        assert_eq!(read(world, &eve, "/storeapi/seats/").await.status, 200);
        let orders = read(world, &eve, "/storeapi/payment/orders/").await;
        assert_eq!((orders.status, &orders.json["orders"][0]["cart_id"]), (200, &reply.json["cart_id"]));
        assert_ne!(orders.json["orders"][0]["cart_id"], cart.as_str());
        // Who has bought nothing there is none.
        let mia = world.platform_user("mia@example.com").await;
        assert_eq!(read(world, &mia, "/storeapi/payment/orders/").await.status, 403);
    })
    .await;
}

#[tokio::test]
async fn a_buyer_is_listed_as_a_member_and_stays_one_when_an_operator_removes_the_claim() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user("ada@example.com").await;
        let (done, said) = members(world, &["add", "lindgren", "ada@example.com"]).await;
        assert!(done, "{said}");
        assert_eq!(world.learner_checkout(LINDGREN, &ada).await.status, 200);
        let (done, said) = members(world, &["remove", "lindgren", "ada@example.com"]).await;
        assert!(done && said.contains("stays a member"), "{said}");
        assert_eq!(capabilities(world, &session(&ada)).await, 200);
        let (done, listed) = members(world, &["list", "lindgren"]).await;
        assert!(done && listed.contains("ada@example.com"), "{listed}");
    })
    .await;
}
