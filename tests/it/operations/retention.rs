//! Data that the storefront forgets after a time, and data that it keeps.

use chrono::TimeDelta;
use harness::steps::demo::FREE_COURSE;
use harness::steps::payments::{EMAIL, begun, count};
use harness::steps::people::{money, with_history};
use harness::steps::worker_program::operator;
use harness::{ORGANISATIONS, Reply, Setup, world};
use reqwest::Method;
use serde_json::json;

const REQUESTS: &str = "SELECT count(*) FROM transactions WHERE provider_request <> '{}'";
const BODIES: &str = "SELECT count(*) FROM inbox WHERE body <> '{}'";
const ANSWERS: &str = "SELECT count(*) FROM commands WHERE answer IS NOT NULL";

#[tokio::test]
#[ignore = "slow"]
async fn data_is_forgotten_after_its_time_and_what_was_paid_stays() {
    world(Setup::selling(), async |world| {
        let cart = with_history(world).await;
        let (unpaid, _) = begun(world, &ORGANISATIONS[0], "ida@example.com").await;
        let paid = money(world, &cart).await;
        assert!(count(world, ANSWERS).await > 0 && count(world, BODIES).await > 0);
        let gone = async |what: &'static str| {
            world.eventually(what, async |world| count(world, what).await == 0).await;
        };
        world.clock.advance(TimeDelta::hours(80));
        world.cart_becomes(&unpaid, "expired").await;
        gone(ANSWERS).await;
        assert!(count(world, BODIES).await > 0);
        world.clock.advance(TimeDelta::days(7));
        gone(BODIES).await;
        assert!(count(world, "SELECT count(*) FROM inbox").await > 0 && count(world, REQUESTS).await > 0);
        world.clock.advance(TimeDelta::days(90));
        gone(REQUESTS).await;
        let addresses = "SELECT count(*) FROM carts WHERE email = 'ida@example.com'";
        assert_eq!(count(world, addresses).await, 1);
        // Razorpay's orders stay open for good, and are checked for half a year.
        let (open, _) = begun(world, &ORGANISATIONS[2], "raj@example.com").await;
        world.clock.advance(TimeDelta::days(300));
        gone(addresses).await;
        let addresses = "SELECT count(*) FROM carts WHERE email = 'raj@example.com'";
        assert_eq!((count(world, addresses).await, count(world, REQUESTS).await), (1, 1));
        world.clock.advance(TimeDelta::days(100));
        gone(addresses).await;
        gone(REQUESTS).await;
        assert_eq!(world.status(&open).await["status"], "pending_payment");
        assert_eq!(money(world, &cart).await, paid);
        assert_eq!(world.status(&cart).await["status"], "fulfilled");
    })
    .await;
}

#[tokio::test]
async fn a_retention_of_zero_keeps_for_good() {
    let worker_args = [
        "--reconcile-every=200ms",
        "--retain-carts=0h",
        "--retain-provider-requests=0h",
        "--retain-inbox-bodies=0h",
    ];
    let worker_args = worker_args.map(str::to_owned).to_vec();
    world(Setup { worker_args, ..Setup::default() }, async |world| {
        with_history(world).await;
        let (unpaid, _) = begun(world, &ORGANISATIONS[0], "ida@example.com").await;
        world.clock.advance(TimeDelta::hours(80));
        world.cart_becomes(&unpaid, "expired").await;
        world.clock.advance(TimeDelta::days(20));
        // The reconciler has had its rounds once it has forgotten the answers.
        world.eventually("a round has run", async |world| count(world, ANSWERS).await == 0).await;
        assert!(count(world, BODIES).await > 0);
        world.clock.advance(TimeDelta::days(1000));
        world
            .eventually("old webhooks are gone", async |world| {
                count(world, "SELECT count(*) FROM inbox").await == 0
            })
            .await;
        assert_eq!(count(world, REQUESTS).await, 3);
        let addresses = "SELECT count(*) FROM carts WHERE email = 'ida@example.com'";
        assert_eq!(count(world, addresses).await, 1);
    })
    .await;
}

#[tokio::test]
async fn answers_are_kept_for_as_long_as_the_setting_says() {
    let worker_args = vec!["--reconcile-every=200ms".into(), "--retain-answers=48h".into()];
    world(Setup { worker_args, ..Setup::default() }, async |world| {
        world.platform_user(EMAIL).await;
        let body = json!({ "email": EMAIL, "course_id": FREE_COURSE, "mode": "audit" });
        let grant = async || {
            let request = world.request(Method::POST, "/storeapi/enrollments/client/enroll/");
            let reply = Reply::read(request.header("idempotency-key", "ada-1").json(&body)).await;
            assert_eq!(reply.status, 200, "{}", reply.text);
        };
        let live = async || count(world, "SELECT count(*) FROM enrollments WHERE state <> 'removed'").await;
        grant().await;
        assert_eq!(world.unenroll(EMAIL, FREE_COURSE).await.status, 200);
        world.clock.advance(TimeDelta::hours(47));
        grant().await;
        assert_eq!(live().await, 0, "a repeat took effect again while its answer was kept");
        world.clock.advance(TimeDelta::hours(2));
        grant().await;
        assert_eq!(live().await, 1, "the key was not free after its time");
    })
    .await;
}

#[tokio::test]
async fn an_answer_cannot_be_kept_for_less_than_an_hour() {
    world(Setup::without_workers(), async |world| {
        let (done, said) = operator(world, &["run", "--retain-answers=59m"], &[]).await;
        assert!(
            !done && said.contains("--retain-answers") && said.contains("\"59m\" is less than 1h"),
            "{said}"
        );
    })
    .await;
}

#[tokio::test]
async fn a_mail_is_kept_for_as_long_as_it_may_be_retried_or_replayed() {
    // 100 retries in 100 minutes, twice over, and an hour as a dead letter.
    let worker_args = ["--reconcile-every=200ms", "--retry-delays=1m", "--dead-letters-kept=1h"];
    let worker_args = worker_args.map(str::to_owned).to_vec();
    let api_args = worker_args[1..].to_vec();
    world(Setup { worker_args, api_args, ..Setup::default() }, async |world| {
        for hours in [4, 5] {
            let sql = "INSERT INTO mails VALUES (gen_random_uuid(), $1, '{}', $2)";
            let created_at = world.clock.now() - TimeDelta::hours(hours);
            sqlx::query(sql).bind(EMAIL).bind(created_at).execute(&world.db).await.unwrap();
        }
        world
            .eventually("the older mail is forgotten", async |world| {
                count(world, "SELECT count(*) FROM mails").await < 2
            })
            .await;
        let younger = "SELECT count(*) FROM mails WHERE created_at > now() - interval '270 minutes'";
        assert_eq!(count(world, younger).await, 1);
    })
    .await;
}
