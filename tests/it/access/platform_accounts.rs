//! Several service accounts at the course platform: each has its own budget and its own faults.

use futures_util::StreamExt;
use futures_util::stream;
use harness::steps::demo::{PAID_COURSE, PAID_KEY};
use harness::{Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

/// Enrollment calls that the LMS takes from one staff user in a minute.
const LMS_LIMIT: usize = 120;

async fn control(world: &World, path: &str, body: Value) {
    world.sim(Method::POST, path, Some(body)).await;
}

/// A worker with this many accounts, the simulator's own among them, and this limit on the calls of each.
fn setup(accounts: usize, calls_per_minute: u32) -> Setup {
    let others = |kind: &str| -> String { (1..accounts).map(|n| format!(",service{n}-{kind}")).collect() };
    Setup {
        worker_args: vec![
            format!("--platform-client-id=storefront-worker{}", others("client")),
            format!("--platform-client-secret=demo-platform-secret{}", others("secret")),
            format!("--platform-calls-per-minute={calls_per_minute}"),
        ],
        ..Setup::default()
    }
}

/// Makes the other accounts, and learners.
async fn populate(world: &World, accounts: usize, learners: usize) -> Vec<String> {
    for n in 1..accounts {
        let (id, secret, user) =
            (format!("service{n}-client"), format!("service{n}-secret"), format!("service{n}"));
        let client = json!({ "client_id": id, "client_secret": secret, "username": user, "staff": true });
        control(world, "/_sim/clients", client).await;
    }
    let learners: Vec<String> = (0..learners).map(|n| format!("learner{n}@example.com")).collect();
    stream::iter(&learners)
        .for_each_concurrent(16, async |email| drop(world.platform_user(email).await))
        .await;
    learners
}

async fn enroll(world: &World, learners: &[String]) {
    stream::iter(learners)
        .for_each_concurrent(16, async |email| {
            assert_eq!(world.enroll(email, PAID_COURSE, "verified").await.status, 200);
        })
        .await;
}

async fn synced(world: &World) -> usize {
    let count = "SELECT count(*) FROM enrollments WHERE platform_state = 'synced'";
    let synced: i64 = sqlx::query_scalar(count).fetch_one(&world.db).await.unwrap();
    usize::try_from(synced).unwrap()
}

async fn pauses(world: &World) -> f64 {
    world.metric("storefront_throttle_held_total").await.unwrap()
}

async fn alerts(world: &World) -> f64 {
    world.metric(r#"storefront_alerts_total{what="platform_configuration"}"#).await.unwrap()
}

/// A field of what all workers know of the accounts; sets it to `new`, if there is one.
async fn turns(world: &World, field: &str, new: Option<i64>) -> Option<f64> {
    let client = redis::Client::open(harness::redis_url()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    let key = format!("{}:platform:turns", world.name);
    if let Some(new) = new {
        redis::cmd("HSET").arg(&key).arg(field).arg(new).query_async::<()>(&mut connection).await.unwrap();
    }
    redis::cmd("HGET").arg(&key).arg(field).query_async(&mut connection).await.unwrap()
}

async fn now(world: &World) -> i64 {
    // Any change of the hash notes the time.
    #[expect(clippy::cast_possible_truncation, reason = "milliseconds since the epoch")]
    turns(world, "written", None).await.map(|time| time as i64).unwrap()
}

/// The LMS allows one account [`LMS_LIMIT`] calls in a minute (`throttled_get` in `tests/platform_calls`); the worker's own limit is
/// far above.
#[tokio::test]
#[ignore = "slow"]
async fn eight_accounts_enroll_seven_and_a_half_times_as_many_as_the_lms_allows_one() {
    world(setup(8, 6000), async |world| {
        let learners = populate(world, 8, LMS_LIMIT * 15 / 2).await;
        control(world, "/_sim/client", json!({ "throttled": true })).await;
        enroll(world, &learners).await;
        world.eventually("all are enrolled", async |world| synced(world).await == learners.len()).await;
        assert_eq!(pauses(world).await, 0.0, "no account has made more calls than its share");
    })
    .await;
}

#[tokio::test]
async fn an_account_whose_minute_is_used_up_waits_and_the_other_one_enrolls() {
    world(setup(2, 6000), async |world| {
        let learners = populate(world, 2, 20).await;
        control(world, "/_sim/client", json!({ "throttled": true })).await;
        let token = format!("JWT {}", world.sim_service_token().await);
        let record = format!("/platform/api/enrollment/v1/enrollment/unknown,{PAID_KEY}");
        let url = world.simulators.url(&record);
        stream::iter(0..LMS_LIMIT)
            .for_each_concurrent(16, async |_| {
                let read = world.http.get(&url).header("authorization", &token).send().await.unwrap();
                assert_eq!(read.status(), 200);
            })
            .await;
        enroll(world, &learners).await;
        world.eventually("all are enrolled", async |world| synced(world).await == learners.len()).await;
        assert!(pauses(world).await > 0.0);
    })
    .await;
}

async fn an_account_loses_and_regains_its_rights(versions: &str) {
    world(setup(3, 0), async |world| {
        control(world, "/_sim/platform", json!({ "enrollment_api": versions })).await;
        let learners = populate(world, 3, 24).await;
        let rejected = "rejected:storefront-worker";
        control(world, "/_sim/client", json!({ "staff": false })).await;
        enroll(world, &learners[..12]).await;
        world.eventually("all are enrolled", async |world| synced(world).await == 12).await;
        assert_eq!(alerts(world).await, 1.0);
        assert!(turns(world, rejected, None).await.is_some());
        assert!(turns(world, "rejected:service1-client", None).await.is_none());

        // As after a minute: one call is tried with the account, and fails.
        turns(world, rejected, Some(now(world).await - 1)).await;
        enroll(world, &learners[12..18]).await;
        world.eventually("all are enrolled", async |world| synced(world).await == 18).await;
        assert!(turns(world, rejected, None).await.unwrap() > now(world).await as f64);
        assert_eq!(alerts(world).await, 1.0);

        control(world, "/_sim/client", json!({ "staff": true })).await;
        turns(world, rejected, Some(now(world).await - 1)).await;
        enroll(world, &learners[18..]).await;
        world.eventually("all are enrolled", async |world| synced(world).await == 24).await;
        assert!(turns(world, rejected, None).await.is_none());
        for email in &learners {
            assert_eq!(world.on_platform(email, PAID_KEY).await.unwrap()["calls"], 1);
        }
    })
    .await;
}

#[tokio::test]
async fn an_account_without_rights_costs_its_share_and_one_alert_until_it_has_them_again_in_v1() {
    an_account_loses_and_regains_its_rights("v1").await;
}

#[tokio::test]
async fn an_account_without_rights_costs_its_share_and_one_alert_until_it_has_them_again_in_v2() {
    an_account_loses_and_regains_its_rights("v2").await;
}

#[tokio::test]
async fn a_wrong_secret_and_a_pause_hold_up_no_other_account() {
    let mut wrong = setup(3, 0);
    wrong.worker_args[1] = "--platform-client-secret=wrong,service1-secret,service2-secret".into();
    world(wrong, async |world| {
        let learners = populate(world, 3, 8).await;
        enroll(world, &learners[..1]).await;
        world.eventually("one is enrolled", async |world| synced(world).await == 1).await;
        // As after a 429 that asks for an hour.
        turns(world, "slot:service1-client", Some(now(world).await + 3_600_000)).await;
        enroll(world, &learners[1..]).await;
        world.eventually("all are enrolled", async |world| synced(world).await == 8).await;
        assert_eq!(alerts(world).await, 1.0);
    })
    .await;
}

/// As [`setup`] of two accounts, of which the second one is for look-ups.
fn with_lookups() -> Setup {
    let mut setup = setup(2, 6000);
    setup.worker_args.push("--platform-lookup-client-id=service1-client".to_owned());
    setup
}

#[tokio::test]
async fn an_account_for_look_ups_enrolls_nobody_and_spares_the_others() {
    world(with_lookups(), async |world| {
        let learners = populate(world, 2, 24).await;
        control(world, "/_sim/client", json!({ "throttled": true })).await;
        // Its minute is used up, as by a catalog's sync.
        let token = world.sim_token("service1-client", "service1-secret").await;
        let record = format!("/platform/api/enrollment/v1/enrollment/unknown,{PAID_KEY}");
        for _ in 0..LMS_LIMIT {
            let read =
                world.http.get(world.simulators.url(&record)).header("authorization", format!("JWT {token}"));
            assert_eq!(read.send().await.unwrap().status(), 200);
        }
        enroll(world, &learners).await;
        world.eventually("all are enrolled", async |world| synced(world).await == learners.len()).await;
        assert_eq!((pauses(world).await, alerts(world).await), (0.0, 0.0));
    })
    .await;
}

#[tokio::test]
async fn look_ups_have_an_account_of_their_own_and_another_one_while_the_platform_rejects_it() {
    world(with_lookups(), async |world| {
        let learners = populate(world, 2, 2).await;
        let is_looked_up = async |address: &str| {
            let reply = world.enroll(address, PAID_COURSE, "verified").await;
            assert_eq!(
                (reply.status, &reply.json["enrollment_state"]),
                (200, &json!("pending_registration")),
                "{}",
                reply.text
            );
            world
                .eventually("the address is known to be unknown", async |world| {
                    !world.emails(address).await.is_empty()
                })
                .await;
        };
        // The account that enrolls has lost its rights, and no look-up is made with it.
        control(world, "/_sim/client", json!({ "staff": false })).await;
        is_looked_up("first@example.com").await;
        assert_eq!(alerts(world).await, 0.0);

        control(world, "/_sim/client", json!({ "staff": true })).await;
        control(world, "/_sim/client", json!({ "client_id": "service1-client", "staff": false })).await;
        is_looked_up("second@example.com").await;
        is_looked_up("third@example.com").await;
        enroll(world, &learners).await;
        world.eventually("all are enrolled", async |world| synced(world).await == learners.len()).await;
        assert_eq!(alerts(world).await, 1.0);
    })
    .await;
}

/// Measures how long a burst of 1,000 buyers waits with one, three and eight accounts at the LMS's own limit, and prints it.
#[tokio::test]
#[ignore = "takes a quarter of an hour"]
async fn full_a_thousand_buyers_wait_the_less_the_more_accounts_there_are() {
    const BUYERS: usize = 1_000;
    let mut waited = Vec::new();
    for accounts in [1, 3, 8] {
        // The limit by default.
        let mut setup = setup(accounts, 110);
        setup.worker_args.push("--platform-verdict-wait=0s".to_owned());
        let took = std::sync::Mutex::new(std::time::Duration::ZERO);
        world(setup, async |world| {
            let learners = populate(world, accounts, BUYERS).await;
            control(world, "/_sim/client", json!({ "throttled": true })).await;
            let began = std::time::Instant::now();
            enroll(world, &learners).await;
            while synced(world).await < BUYERS {
                assert!(began.elapsed().as_secs() < 900, "{} of {BUYERS} are enrolled", synced(world).await);
                tokio::time::sleep(std::time::Duration::from_millis(500)).await;
            }
            *took.lock().unwrap() = began.elapsed();
            println!(
                "{accounts} accounts: {BUYERS} enrollments in {:.0?}, {} pauses",
                began.elapsed(),
                pauses(world).await
            );
        })
        .await;
        waited.push(took.into_inner().unwrap().as_secs_f64());
    }
    let [one, three, eight] = waited[..] else { panic!("{waited:?}") };
    println!("as fast as one account: three {:.2} times, eight {:.2} times", one / three, one / eight);
    assert!(one / three >= 2.8 && one / eight >= 7.5, "{waited:?}");
}
