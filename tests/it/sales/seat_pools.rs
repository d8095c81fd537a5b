//! Pools of seats: who manages one, how often it assigns, and what an erasure leaves of it.

use std::collections::{HashMap, HashSet};

use harness::steps::demo::{PAID_COURSE, UNKNOWN_ID};
use harness::steps::learner_cart::{learner, send};
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{EMAIL, count};
use harness::steps::seats::{SEATS, assigned, bought, counts, path, pool};
use harness::steps::vouchers::{VOUCHERS, keyed};
use harness::steps::worker_program::operator;
use harness::{ORGANISATIONS, Reply, Setup, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

use crate::seats::{PAGE, mailed, redeem, set_page};

#[tokio::test]
async fn only_the_buyer_the_link_and_the_organisation_manage_a_pool() {
    world(Setup::selling(), async |world| {
        set_page(world, Some(PAGE)).await;
        let vouchers = key(world, "northwind", &[Scope::Vouchers]).await;
        let item = json!({ "type": "course", "id": PAID_COURSE, "mode": "verified" });
        let terms = json!({ "kind": "seat", "item": item, "email": EMAIL, "max_uses": 2, "note": "PO 4711", "campaign": "b2b" });
        let created = keyed(world, Method::POST, VOUCHERS, &vouchers, &terms).await;
        assert_eq!(created.status, 201, "{}", created.text);
        let voucher = &created.json["vouchers"][0];
        assert_eq!(
            (&voucher["kind"], &voucher["value"], &voucher["mode"], &voucher["email"], &voucher["course_ids"]),
            (&json!("seat"), &Value::Null, &json!("verified"), &json!(EMAIL), &json!([PAID_COURSE]))
        );
        let mail = mailed(world, EMAIL, "Assign them").await;
        let link = mail.lines().find(|line| line.starts_with(PAGE)).unwrap();
        let link: reqwest::Url = link.parse().unwrap();
        let query: HashMap<_, _> = link.query_pairs().into_owned().collect();
        let (pool, token) = (&query["voucher_id"], &query["token"]);
        assert_eq!((json!(pool), &*query["lang"]), (voucher["voucher_id"].clone(), "en"));

        let path = format!("{SEATS}{pool}/");
        let with_token = async |token: &str| {
            Reply::read(world.http.get(world.url(&format!("{path}?token={token}")))).await
        };
        assert_eq!(with_token(token).await.json["seats"], 2);
        with_token("x").await.assert_problem(401, "unauthenticated");
        let elsewhere = world.http.get(world.url(&format!("{SEATS}{UNKNOWN_ID}/?token={token}")));
        Reply::read(elsewhere).await.assert_problem(401, "unauthenticated");
        let assign = world.http.post(world.url(&format!("{path}assign/?token={token}")));
        let assign = assign.json(&json!({ "emails": ["bea@example.com"] }));
        assert_eq!(Reply::read(assign).await.status, 202);

        let ada = learner(world, EMAIL).await;
        let list = send(world, &ada, "northwind", Method::GET, SEATS, None).await;
        assert_eq!(list.json["pools"][0]["voucher_id"], json!(pool), "{}", list.text);
        assert_eq!(send(world, &ada, "northwind", Method::GET, &path, None).await.status, 200);
        let elsewhere = send(world, &ada, "lindgren", Method::GET, SEATS, None).await;
        assert_eq!(elsewhere.json["pools"], json!([]));
        let eve = learner(world, "eve@example.com").await;
        send(world, &eve, "northwind", Method::GET, &path, None).await.assert_problem(404, "not_found");
        let revoke = json!({ "emails": ["bea@example.com"] });
        send(world, &eve, "northwind", Method::POST, &format!("{path}revoke/"), Some(revoke))
            .await
            .assert_problem(404, "not_found");
        get(world, &path, &vouchers).await.assert_problem(403, "forbidden");
        let other = key(world, "lindgren", &[Scope::Seats]).await;
        get(world, &path, &other).await.assert_problem(404, "not_found");
        assert_eq!(get(world, SEATS, &other).await.json["pools"], json!([]));
        // An address that is not proved shows nothing.
        let inactive = json!({ "email": "cy@example.com", "active": false });
        let cy = world.new_platform_user(inactive).await;
        sqlx::query("UPDATE vouchers SET email = 'cy@example.com', buyer = 'guest:cy@example.com'")
            .execute(&world.db)
            .await
            .unwrap();
        send(world, &cy, "northwind", Method::GET, &path, None).await.assert_problem(404, "not_found");
        // The link is valid for a year.
        world.clock.advance(chrono::TimeDelta::days(366));
        with_token(token).await.assert_problem(401, "unauthenticated");
    })
    .await;
}

#[tokio::test]
async fn a_pool_assigns_each_seat_four_times_at_most() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let key = key(world, "northwind", &[Scope::Seats]).await;
        bought(world, &ORGANISATIONS[0], EMAIL, 1).await;
        let pool = pool(world, &key).await;
        for round in 0..5 {
            let email = format!("guest{round}@example.com");
            let rows = assigned(world, &key, &pool, &[&email]).await;
            if round == 4 {
                assert_eq!(rows[0]["message"], "this pool has no assignments left");
                break;
            }
            assert_eq!(rows[0]["enrollment_state"], "pending_registration");
            let revoke = json!({ "emails": [email] });
            let revoked = keyed(world, Method::POST, &path(&pool, "revoke/"), &key, &revoke).await;
            assert_eq!(revoked.json["revoked"][0]["freed"], true, "{}", revoked.text);
        }
        assert_eq!(counts(world, &key).await, (1, 0, 1));
        // The code is no assignment: its holder asks for the seat.
        let taken =
            redeem(world, &ORGANISATIONS[0], "guest4@example.com", pool["code"].as_str().unwrap()).await;
        assert_eq!(taken.status, 200, "{}", taken.text);
    })
    .await;
}

#[tokio::test]
async fn buyers_choose_their_idempotency_keys_by_themselves_and_lists_have_a_limit() {
    world(Setup::selling(), async |world| {
        set_page(world, Some(PAGE)).await;
        let key = key(world, "northwind", &[Scope::Vouchers, Scope::Seats]).await;
        let item = json!({ "type": "course", "id": PAID_COURSE, "mode": "verified" });
        let mut pools = Vec::new();
        for buyer in ["ada@example.com", "bea@example.com"] {
            let terms = json!({ "kind": "seat", "item": item, "email": buyer, "max_uses": 600 });
            let created = keyed(world, Method::POST, VOUCHERS, &key, &terms).await;
            assert_eq!(created.status, 201, "{}", created.text);
            let mail = mailed(world, buyer, "Assign them").await;
            let token = mail.split_once("token=").unwrap().1.split_whitespace().next().unwrap();
            let token = token.split('&').next().unwrap().to_owned();
            pools.push((created.json["vouchers"][0].clone(), token));
        }
        for (nth, (pool, token)) in pools.iter().enumerate() {
            let url = world.url(&path(pool, &format!("assign/?token={token}")));
            let body = json!({ "emails": [format!("seat{nth}@example.com")] });
            let assign = world.http.post(url).header("idempotency-key", "1").json(&body);
            let assigned = Reply::read(assign).await;
            assert_eq!(assigned.status, 202, "{}", assigned.text);
        }
        let (pool, _) = &pools[0];
        let assign = async |count: usize| {
            let emails: Vec<String> = (0..count).map(|nth| format!("new{nth}@example.com")).collect();
            keyed(world, Method::POST, &path(pool, "assign/"), &key, &json!({ "emails": emails })).await
        };
        let many = assign(501).await;
        many.assert_problem(400, "invalid_request");
        assert_eq!(many.faulty_fields(), ["emails"]);
        let list = assign(1).await.json["batch_id"].as_str().unwrap().to_owned();
        // Partners read their own lists alone, and a pool shows its own.
        let partners = format!("/storeapi/enrollments/client/batch/{list}/");
        world.get(&partners).await.assert_problem(404, "not_found");
        let other = path(&pools[1].0, &format!("?batch_id={list}"));
        get(world, &other, &key).await.assert_problem(404, "not_found");

        // Ten addresses for each seat, and 2,000 more.
        sqlx::query("UPDATE batches SET total = 5000").execute(&world.db).await.unwrap();
        assert_eq!(assign(1).await.faulty_fields(), ["emails"]);
        sqlx::query("UPDATE batches SET total = 1").execute(&world.db).await.unwrap();

        let voucher = format!("{VOUCHERS}{}/", pool["voucher_id"].as_str().unwrap());
        let ended = json!({ "valid_until": world.clock.now() });
        assert_eq!(keyed(world, Method::PUT, &voucher, &key, &ended).await.status, 200);
        let late = assigned(world, &key, pool, &["late@example.com"]).await;
        assert_eq!(late[0]["message"], "the pool is no longer valid");
        let code = pool["code"].as_str().unwrap();
        let redeemed = redeem(world, &ORGANISATIONS[0], "later@example.com", code).await;
        assert_eq!(redeemed.faulty_fields(), ["voucher"], "{}", redeemed.text);
    })
    .await;
}

#[tokio::test]
async fn callers_of_every_kind_have_idempotency_keys_of_their_own() {
    world(Setup::selling(), async |world| {
        set_page(world, Some(PAGE)).await;
        let own = key(world, "northwind", &[Scope::Vouchers, Scope::Seats]).await;
        let second = key(world, "northwind", &[Scope::Vouchers, Scope::Seats]).await;
        let item = json!({ "type": "course", "id": PAID_COURSE, "mode": "verified" });
        let send = async |path: &str, body: &Value, credential: Option<(&str, &str)>| {
            let request = world.http.post(world.url(path)).header("idempotency-key", "1").json(body);
            let sent = credential.into_iter().fold(request, |sent, (name, value)| sent.header(name, value));
            Reply::read(sent).await
        };
        let answered = async |path: &str, body: &Value, credential: Option<(&str, &str)>, id: &str| {
            let first = send(path, body, credential).await;
            let again = send(path, body, credential).await;
            assert_eq!((first.status, &first.json), (again.status, &again.json), "{path} {}", first.text);
            first.json.pointer(id).unwrap_or_else(|| panic!("{path} {}", first.text)).to_string()
        };
        let mut answers = Vec::new();
        for (buyer, key) in [("ada@example.com", &own), ("bea@example.com", &second)] {
            let terms = json!({ "kind": "seat", "item": item, "email": "eve@example.com", "max_uses": 9 });
            let by_key = Some(("organisationapikey", key.as_str()));
            answers.push(answered(VOUCHERS, &terms, by_key, "/vouchers/0/voucher_id").await);

            let terms = json!({ "kind": "seat", "item": item, "email": buyer, "max_uses": 9 });
            let created = keyed(world, Method::POST, VOUCHERS, key, &terms).await;
            let pool = &created.json["vouchers"][0];
            let mail = mailed(world, buyer, "Assign them").await;
            let token = mail.split_once("token=").unwrap().1;
            let token = token.split(|c: char| c == '&' || c.is_whitespace()).next().unwrap();
            let learner = format!("Bearer {}", learner(world, buyer).await["bearer"].as_str().unwrap());
            let body = json!({ "emails": ["seat@example.com"] });
            let (assign, linked) = (path(pool, "assign/"), path(pool, &format!("assign/?token={token}")));
            for key in [&own, &second] {
                // The second pool is another request of the same key.
                if answers.len() < 4 {
                    let by_key = Some(("organisationapikey", key.as_str()));
                    answers.push(answered(&assign, &body, by_key, "/batch_id").await);
                }
            }
            answers.push(answered(&assign, &body, Some(("authorization", &learner)), "/batch_id").await);
            answers.push(answered(&linked, &body, None, "/batch_id").await);
        }
        let different: HashSet<&String> = answers.iter().collect();
        assert_eq!((answers.len(), different.len()), (8, 8), "{answers:?}");
    })
    .await;
}

#[tokio::test]
async fn an_erased_buyer_leaves_the_seats_and_no_address() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let scopes = [Scope::Seats, Scope::Vouchers];
        let key = key(world, "northwind", &scopes).await;
        bought(world, &ORGANISATIONS[0], EMAIL, 3).await;
        let item = json!({ "type": "course", "id": PAID_COURSE, "mode": "verified" });
        let terms = json!({ "kind": "seat", "item": item, "email": EMAIL, "max_uses": 2 });
        assert_eq!(keyed(world, Method::POST, VOUCHERS, &key, &terms).await.status, 201);
        let pools = get(world, SEATS, &key).await.json["pools"].as_array().unwrap().clone();
        assert_eq!(pools.len(), 2);
        assigned(world, &key, &pools[0], &["bea@example.com"]).await;
        mailed(world, "bea@example.com", "ada@example.com has given you").await;
        // A stored answer names all its addresses, and the export of one of them shows none of the others.
        let people = json!({ "emails": ["bea@example.com", "zoe@example.com"] });
        let request =
            world.http.post(world.url(&path(&pools[0], "revoke/"))).header("organisationapikey", &key);
        let revoked = Reply::read(request.header("idempotency-key", "one").json(&people)).await;
        assert_eq!(revoked.status, 200, "{}", revoked.text);
        world.drain().await;
        let (exported, all) =
            operator(world, &["learners", "export", "bea@example.com"], &["database-url"]).await;
        assert!(exported && !all.contains("zoe@") && !all.contains(EMAIL), "{all}");
        let (erased, said) =
            operator(world, &["learners", "erase", "bea@example.com"], &["database-url"]).await;
        assert!(erased, "{said}");
        assert_eq!(count(world, "SELECT count(*) FROM commands WHERE answer::text LIKE '%bea@%'").await, 0);
        let (exported, all) = operator(world, &["learners", "export", EMAIL], &["database-url"]).await;
        assert!(exported && all.matches("\"max_uses\"").count() == 2, "{all}");
        let (erased, said) = operator(world, &["learners", "erase", EMAIL], &["database-url"]).await;
        assert!(erased, "{said}");
        let left =
            "SELECT count(*) FROM vouchers WHERE email = 'ada@example.com' OR buyer LIKE '%ada@example.com'";
        assert_eq!(count(world, left).await, 0);
        // The organisation can still give the seats out, in its own name.
        let rows = assigned(world, &key, &pools[1], &["cleo@example.com"]).await;
        assert_eq!(rows[0]["enrollment_state"], "pending_registration", "{rows:?}");
        let told = mailed(world, "cleo@example.com", "has given you a place").await;
        assert!(!told.contains("erased"), "{told}");
    })
    .await;
}
