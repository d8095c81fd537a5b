//! Personal data that the storefront keeps: exported and erased by an operator, and erased after a retirement on the
//! platform.

use std::time::Duration;

use chrono::TimeDelta;
use harness::steps::demo::{FREE_COURSE, FREE_KEY};
use harness::steps::payment_commands::payments_calling;
use harness::steps::payments::{EMAIL, begun, count, reference};
use harness::steps::people::{EVE, money, tables_with, with_history};
use harness::steps::refunds::bought;
use harness::steps::worker_program::{SETTINGS, operator};
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

/// Counts the commands that erase a learner and wait for a lock.
const ERASURE_WAITS: &str = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
    AND application_name LIKE 'storefront-worker learners%' AND cardinality(pg_blocking_pids(pid)) > 0";

async fn learners(world: &World, words: &[&str]) -> (bool, String) {
    operator(world, &[&["learners"], words].concat(), &["database-url"]).await
}

#[tokio::test]
async fn export_prints_all_about_a_person_and_nothing_of_others() {
    world(Setup::selling(), async |world| {
        let cart = with_history(world).await;
        let (done, text) = learners(world, &["export", " ADA@example.com "]).await;
        assert!(done, "{text}");
        let all: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(all["learners"][0]["email"], EMAIL);
        assert_eq!(all["carts"][0]["id"], json!(cart));
        assert_eq!(all["carts"][0]["billing_address"]["name"], "Ada Lovelace");
        for section in [
            "enrollments",
            "enrollment_grants",
            "cart_items",
            "transactions",
            "ledger",
            "inbox",
            "commands",
            "audit_log",
        ] {
            assert!(all[section].as_array().is_some_and(|rows| !rows.is_empty()), "{section}: {text}");
        }
        assert_eq!(all["enrollments"].as_array().unwrap().len(), 2);
        assert!(!text.contains(EVE) && !text.contains("request_hash"), "{text}");
        for secret in ["client_secret", "redirect_url", "\"code\""] {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
        // Each table that holds the address is in the export.
        for table in tables_with(world, EMAIL).await {
            assert!(!all[&table].is_null(), "{table} is missing");
        }
        let (done, text) = learners(world, &["export", "unknown@example.com"]).await;
        let none: Value = serde_json::from_str(&text).unwrap();
        assert!(done && none.as_object().unwrap().values().all(Value::is_null), "{text}");
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn erase_leaves_no_trace_of_the_person_and_all_of_the_money() {
    world(Setup::selling(), async |world| {
        let cart = with_history(world).await;
        let (before, calls) = (money(world, &cart).await, world.on_platform(EMAIL, FREE_KEY).await);
        for personal in [EMAIL, "Ada Lovelace", "St James"] {
            assert!(!tables_with(world, personal).await.is_empty(), "{personal}");
        }
        let (done, said) = learners(world, &["erase", "Ada@example.com"]).await;
        assert!(done && said.contains("erased"), "{said}");
        for personal in [EMAIL, "Ada Lovelace", "St James"] {
            assert_eq!(tables_with(world, personal).await, Vec::<String>::new(), "{personal}");
        }
        assert_eq!(money(world, &cart).await, before);
        let live = "SELECT count(*) FROM enrollments WHERE state <> 'removed' AND email <> 'eve@example.com'";
        assert_eq!(count(world, live).await, 0);
        let recorded = "SELECT count(*) FROM audit_log WHERE entity = 'learner' AND to_state = 'erased' AND actor = 'operator:Mira'";
        assert_eq!(count(world, recorded).await, 1);
        let (done, said) = learners(world, &["erase", EMAIL]).await;
        assert!(done && said.contains("nothing is on record"), "{said}");
        // The other buyer's rows are as they were.
        assert!(tables_with(world, EVE).await.contains(&"carts".to_owned()));

        // The order can still be refunded, and no mail goes anywhere.
        let mails = world.emails(EMAIL).await.len();
        let (done, said) = payments_calling(world, &["refund", &cart, "--reason", "asked by phone"]).await;
        assert!(done, "{said}");
        world.cart_becomes(&cart, "refunded").await;
        // The same account starts afresh.
        let (again, _) = bought(world, &ORGANISATIONS[0], EMAIL).await;
        assert_ne!(again, cart);
        world.platform_agrees(EMAIL, ORGANISATIONS[0].key, ORGANISATIONS[0].mode, true).await;
        world
            .eventually("the new receipt is the only new mail", async |world| {
                world.emails(EMAIL).await.len() == mails + 1
            })
            .await;
        // The platform was not called about what was erased.
        assert_eq!(world.on_platform(EMAIL, FREE_KEY).await, calls);
    })
    .await;
}

#[tokio::test]
async fn erase_takes_only_the_address_off_what_another_learner_did_under_it() {
    world(Setup::selling(), async |world| {
        let cart = with_history(world).await;
        // Ada has another address now, and Bea has Ada's.
        let moved = "UPDATE learners SET email = 'ada@new.example' WHERE email = $1";
        sqlx::query(moved).bind(EMAIL).execute(&world.db).await.unwrap();
        let bea = "INSERT INTO learners (id, platform_user_id, username, email, name, created_at, updated_at)
                   VALUES (gen_random_uuid(), 4711, 'bea', $1, 'Beatrix Quimby', now(), now())";
        sqlx::query(bea).bind(EMAIL).execute(&world.db).await.unwrap();
        let owned = "UPDATE carts SET learner_id = (SELECT id FROM learners WHERE email = 'ada@new.example')
                     WHERE id = $1::uuid";
        sqlx::query(owned).bind(&cart).execute(&world.db).await.unwrap();
        let granted = "SELECT count(*) FROM enrollment_grants WHERE ended_at IS NULL";
        let before = count(world, granted).await;
        let (done, said) = learners(world, &["erase", EMAIL]).await;
        assert!(done, "{said}");
        assert_eq!(count(world, granted).await, before);
        let kept =
            "SELECT count(*) FROM carts WHERE email = 'ada@new.example' AND billing_address IS NOT NULL";
        assert_eq!(count(world, kept).await, 1);
        let erased = "SELECT count(*) FROM learners WHERE email IS NULL AND name = ''";
        assert_eq!((count(world, erased).await, tables_with(world, "Beatrix Quimby").await), (1, Vec::new()));
        for table in ["carts", "enrollments", "learners"] {
            assert!(!tables_with(world, EMAIL).await.contains(&table.to_owned()), "{table}");
        }
    })
    .await;
}

#[tokio::test]
async fn erase_finds_a_learner_whose_address_the_platform_no_longer_knows() {
    world(Setup::selling(), async |world| {
        with_history(world).await;
        let forgotten = "UPDATE learners SET email = NULL, former_email = email WHERE email = $1";
        sqlx::query(forgotten).bind(EMAIL).execute(&world.db).await.unwrap();
        let (done, said) = learners(world, &["erase", EMAIL]).await;
        assert!(done && said.contains("erased"), "{said}");
        for personal in [EMAIL, "Ada Lovelace", "St James"] {
            assert_eq!(tables_with(world, personal).await, Vec::<String>::new(), "{personal}");
        }
    })
    .await;
}

#[tokio::test]
async fn erase_removes_what_waits_for_a_registration() {
    world(Setup::default(), async |world| {
        world.enroll(EMAIL, FREE_COURSE, "audit").await;
        world.eventually("the invitation is sent", async |world| !world.emails(EMAIL).await.is_empty()).await;
        let (done, said) = learners(world, &["erase", EMAIL]).await;
        assert!(done, "{said}");
        assert_eq!(tables_with(world, EMAIL).await, Vec::<String>::new());
        // Registering later gives nothing.
        world.platform_user(EMAIL).await;
        let (done, said) =
            operator(world, &["enrollments", "show", EMAIL, "--json"], &["database-url"]).await;
        let shown: Value = serde_json::from_str(&said).unwrap();
        assert!(done && shown["enrollments"] == json!([]), "{said}");
    })
    .await;
}

#[tokio::test]
async fn erase_waits_for_what_is_under_way_and_a_payment_that_comes_later_grants_nothing() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        // After a failed try, the buyer can try again.
        let (tried, payment) = begun(world, &ORGANISATIONS[0], "bob@example.com").await;
        world.at_provider("fail", reference(&payment), json!({})).await;
        let failed = "SELECT count(*) FROM transactions WHERE state = 'failed'";
        world.eventually("the try has failed", async |world| count(world, failed).await == 1).await;
        let (done, said) = learners(world, &["erase", "bob@example.com"]).await;
        assert!(!done && said.contains(&format!("the payment of cart {tried}")), "{said}");
        // Razorpay's orders stay payable for good.
        let organisation = &ORGANISATIONS[2];
        let (cart, payment) = begun(world, organisation, EMAIL).await;
        let (done, said) = learners(world, &["erase", EMAIL]).await;
        assert!(!done && said.contains(&format!("the payment of cart {cart}")), "{said}");
        assert!(tables_with(world, EMAIL).await.contains(&"carts".to_owned()));
        // The program has a clock of its own.
        sqlx::query("UPDATE transactions SET created_at = created_at - interval '80 hours'")
            .execute(&world.db)
            .await
            .unwrap();
        let (done, said) = learners(world, &["erase", EMAIL]).await;
        assert!(done, "{said}");
        world.cart_becomes(&cart, "cancelled").await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world
            .eventually("an operator is told", async |world| {
                let alert = world.transaction(&cart).await.2;
                alert.is_some_and(|alert| alert.contains("its buyer was erased"))
            })
            .await;
        assert_eq!(count(world, "SELECT count(*) FROM enrollment_grants").await, 0);
        let (done, said) = payments_calling(world, &["refund", &cart, "--reason", "buyer erased"]).await;
        assert!(done, "{said}");
    })
    .await;
}

#[tokio::test]
async fn erase_takes_what_is_committed_while_it_waits_for_locks() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        bought(world, &ORGANISATIONS[0], EMAIL).await;
        let mut other = world.db.begin().await.unwrap();
        sqlx::query("SELECT FROM transactions FOR UPDATE").execute(&mut *other).await.unwrap();
        let meanwhile = async {
            world.eventually("the command waits", async |world| count(world, ERASURE_WAITS).await == 1).await;
            assert_eq!(world.enroll(EMAIL, FREE_COURSE, "audit").await.status, 200);
            other.rollback().await.unwrap();
        };
        let ((done, said), ()) = tokio::join!(learners(world, &["erase", EMAIL]), meanwhile);
        assert!(done, "{said}");
        assert!(!tables_with(world, EMAIL).await.contains(&"enrollments".to_owned()));
    })
    .await;
}

#[tokio::test]
async fn nothing_is_sold_or_granted_to_an_address_while_it_is_erased() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        bought(world, &ORGANISATIONS[0], EMAIL).await;
        let mut other = world.db.begin().await.unwrap();
        // The command comes to this table when it has looked at everything that it erases.
        sqlx::query("LOCK TABLE gateway_customers IN SHARE MODE").execute(&mut *other).await.unwrap();
        let mut basket = world.basket(&ORGANISATIONS[1]).await;
        basket["email"] = json!(EMAIL);
        let meanwhile = async {
            world.eventually("the command waits", async |world| count(world, ERASURE_WAITS).await == 1).await;
            let both = async {
                tokio::join!(world.post(GUEST_CHECKOUT, &basket), world.enroll(EMAIL, FREE_COURSE, "audit"))
            };
            let mut both = std::pin::pin!(both);
            let answered = tokio::time::timeout(Duration::from_secs(1), &mut both).await;
            let rows = "SELECT (SELECT count(*) FROM carts) + (SELECT count(*) FROM enrollments)";
            assert!(answered.is_err() && count(world, rows).await == 2);
            other.rollback().await.unwrap();
            let (sale, grant) = both.await;
            assert_eq!((sale.status, grant.status), (200, 200), "{} {}", sale.text, grant.text);
        };
        let ((done, said), ()) = tokio::join!(learners(world, &["erase", EMAIL]), meanwhile);
        assert!(done, "{said}");
    })
    .await;
}

#[tokio::test]
async fn a_learner_is_erased_once_the_platform_has_retired_the_account_for_good() {
    let worker_args = vec!["--reconcile-every=200ms".into(), "--erase-retired-every=1h".into()];
    world(Setup { worker_args, ..Setup::default() }, async |world| {
        for email in [EMAIL, EVE] {
            world.platform_user(email).await;
            world.enroll(email, FREE_COURSE, "audit").await;
            world.platform_agrees(email, FREE_KEY, "audit", true).await;
        }
        let change = async |body: Value| world.sim(Method::POST, "/_sim/users/change", Some(body)).await;
        let checked = async || -> Option<chrono::DateTime<chrono::Utc>> {
            let oldest = "SELECT min(retirement_checked_at) FROM learners WHERE email IS NOT NULL";
            sqlx::query_scalar(oldest).fetch_one(&world.db).await.unwrap()
        };
        // An address that changed is no retirement, and neither is one that its owner can take back.
        change(json!({ "email": EVE, "new_email": "eve@elsewhere.example" })).await;
        let retired = change(json!({ "email": EMAIL, "retired": true })).await;
        world.clock.advance(TimeDelta::hours(2));
        let now = world.clock.now();
        world
            .eventually("both accounts are checked", async |_| checked().await.is_some_and(|at| at >= now))
            .await;
        assert!(tables_with(world, EMAIL).await.contains(&"learners".to_owned()));
        change(json!({ "email": retired["email"], "retired_for_good": true })).await;
        world.clock.advance(TimeDelta::hours(2));
        world
            .eventually("the learner is erased", async |world| tables_with(world, EMAIL).await.is_empty())
            .await;
        assert!(tables_with(world, EVE).await.contains(&"learners".to_owned()));
        let recorded = "SELECT count(*) FROM audit_log WHERE entity = 'learner' AND actor = 'system'";
        assert_eq!(count(world, recorded).await, 1);
    })
    .await;
}

#[tokio::test]
async fn a_retirement_check_that_fails_holds_up_no_other_learner() {
    let worker_args = vec!["--reconcile-every=200ms".into(), "--erase-retired-every=1h".into()];
    world(Setup { worker_args, ..Setup::default() }, async |world| {
        let change = async |body: Value| world.sim(Method::POST, "/_sim/users/change", Some(body)).await;
        let failing = json!({
            "target": "platform", "path": "accounts?email=eve", "kind": "status", "status": 500, "count": 1000,
        });
        for email in [EVE, EMAIL] {
            world.platform_user(email).await;
            world.enroll(email, FREE_COURSE, "audit").await;
            world.platform_agrees(email, FREE_KEY, "audit", true).await;
        }
        world.fault(failing).await;
        for (checked_at, email) in [("2020-01-01", EVE), ("2020-01-02", EMAIL)] {
            // The one whose check fails comes first.
            let sql = "UPDATE learners SET retirement_due_at = $1::timestamptz WHERE email = $2";
            sqlx::query(sql).bind(checked_at).bind(email).execute(&world.db).await.unwrap();
            let retired = change(json!({ "email": email, "retired": true })).await;
            change(json!({ "email": retired["email"], "retired_for_good": true })).await;
        }
        world.clock.advance(TimeDelta::hours(2));
        let erased = async |email: &str| tables_with(world, email).await.is_empty();
        world.eventually("the other learner is erased", async |_| erased(EMAIL).await).await;
        assert!(!erased(EVE).await);
        world.no_faults().await;
        world.clock.advance(TimeDelta::hours(2));
        world.eventually("the next check succeeds", async |_| erased(EVE).await).await;
    })
    .await;
}

#[tokio::test]
async fn a_learner_who_moved_is_not_erased_with_a_retired_account_that_had_the_address_later() {
    let worker_args = vec!["--reconcile-every=200ms".into(), "--erase-retired-every=1h".into()];
    world(Setup { worker_args, ..Setup::default() }, async |world| {
        world.platform_user(EMAIL).await;
        world.enroll(EMAIL, FREE_COURSE, "audit").await;
        world.platform_agrees(EMAIL, FREE_KEY, "audit", true).await;
        let change = async |body: Value| world.sim(Method::POST, "/_sim/users/change", Some(body)).await;
        change(json!({ "email": EMAIL, "new_email": "ada@elsewhere.example" })).await;
        // Another account, which the storefront never meets, takes the address and is retired.
        world.platform_user(EMAIL).await;
        let retired = change(json!({ "email": EMAIL, "retired": true })).await;
        change(json!({ "email": retired["email"], "retired_for_good": true })).await;
        world.clock.advance(TimeDelta::hours(2));
        let now = world.clock.now();
        world
            .eventually("the learner is checked", async |world| {
                let checked = "SELECT max(retirement_checked_at) FROM learners";
                let checked: Option<chrono::DateTime<chrono::Utc>> =
                    sqlx::query_scalar(checked).fetch_one(&world.db).await.unwrap();
                checked.is_some_and(|at| at >= now)
            })
            .await;
        assert!(tables_with(world, EMAIL).await.contains(&"learners".to_owned()));
        assert_eq!(count(world, "SELECT count(*) FROM audit_log WHERE entity = 'learner'").await, 0);
    })
    .await;
}

#[tokio::test]
async fn all_learners_whose_check_is_due_are_checked_in_one_round() {
    world(Setup::without_workers(), async |world| {
        let learners =
            "INSERT INTO learners (id, platform_user_id, username, email, name, created_at, updated_at)
             SELECT gen_random_uuid(), 1000 + n, 'learner' || n, 'learner' || n || '@example.com', '', now(), now()
             FROM generate_series(1, 250) n";
        sqlx::query(learners).execute(&world.db).await.unwrap();
        let settings = &[SETTINGS, &["platform-url"]].concat();
        let (done, said) = operator(world, &["reconcile", "--once"], settings).await;
        assert!(done, "{said}");
        let left = "SELECT count(*) FROM learners WHERE retirement_checked_at IS NULL";
        assert_eq!(count(world, left).await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_learner_about_whom_nothing_changes_is_checked_for_retirement_more_rarely() {
    let worker_args = vec!["--reconcile-every=200ms".into(), "--erase-retired-every=1h".into()];
    world(Setup { worker_args, ..Setup::without_workers() }, async |world| {
        let begun = world.clock.now();
        for (nth, (email, days)) in [(EMAIL, 0), (EVE, 100)].into_iter().enumerate() {
            sqlx::query(
                "INSERT INTO learners (id, platform_user_id, username, email, name, created_at, updated_at)
                 VALUES (gen_random_uuid(), $1, $2, $2, '', $3, $3)",
            )
            .bind(1_000 + nth as i64)
            .bind(email)
            .bind(begun - TimeDelta::days(days))
            .execute(&world.db)
            .await
            .unwrap();
            world.platform_user(email).await;
        }
        world.start_worker().await;
        let checked_after = async |email: &str| -> Option<i64> {
            let checked = "SELECT retirement_checked_at FROM learners WHERE email = $1";
            let at: Option<chrono::DateTime<chrono::Utc>> =
                sqlx::query_scalar(checked).bind(email).fetch_one(&world.db).await.unwrap();
            at.map(|at| (at - begun).num_hours())
        };
        world
            .eventually("both are checked", async |_| {
                checked_after(EMAIL).await == Some(0) && checked_after(EVE).await == Some(0)
            })
            .await;
        world.clock.advance(TimeDelta::hours(2));
        world.eventually("one is checked again", async |_| checked_after(EMAIL).await == Some(2)).await;
        assert_eq!(checked_after(EVE).await, Some(0));
        world.clock.advance(TimeDelta::hours(6));
        world.eventually("the other one is", async |_| checked_after(EVE).await == Some(8)).await;
    })
    .await;
}
