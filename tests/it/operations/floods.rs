//! Floods of bad credentials: what they cost the course platform, and that they hold up no known learner.

use futures_util::future::join_all;
use harness::steps::credentials::session;
use harness::{Reply, Setup, World, unknown_session, world};
use serde_json::{Value, json};

const LIST: &str = "/storeapi/discovery/courses/";
const ME: &str = "/api/user/v1/me";
/// More calls than any test here makes.
const MANY: u64 = 100_000;

/// Reads the course list at a replica with a cookie, from an address that a proxy names.
async fn read(world: &World, replica: usize, cookie: &str, from: &str) -> Reply {
    let url = format!("http://{}{LIST}", world.apis[replica].public);
    Reply::read(world.http.get(url).header("cookie", cookie).header("x-forwarded-for", from)).await
}

fn setup(limit: u32, apis: usize) -> Setup {
    let api_args =
        vec![format!("--failed-credentials-per-minute={limit}"), "--trusted-proxies=127.0.0.0/8".to_owned()];
    Setup { apis, api_args, ..Setup::without_workers() }
}

/// Learners whose identities have just become too old, so that the next requests ask the platform again.
async fn known_learners(world: &World, count: u32) -> Vec<String> {
    let mut cookies = Vec::new();
    for number in 0..count {
        let user = world.platform_user(&format!("learner{number}@example.com")).await;
        assert_eq!(read(world, 0, &session(&user), "192.0.2.1").await.status, 200);
        cookies.push(session(&user));
    }
    world.clock.advance(chrono::TimeDelta::seconds(61));
    cookies
}

/// Has the platform take this long for every answer, and count its calls.
async fn slow_down(world: &World, delay_ms: u64) {
    world.no_faults().await;
    let slow =
        json!({ "target": "platform", "path": ME, "kind": "delay", "delay_ms": delay_ms, "count": MANY });
    world.fault(slow).await;
}

/// The calls since the platform was slowed down.
async fn calls(world: &World) -> u64 {
    let faults = world.sim(reqwest::Method::GET, "/_sim/faults", None).await;
    MANY - faults[0]["count"].as_u64().unwrap()
}

fn statuses(replies: &[Reply]) -> Vec<u16> {
    replies.iter().map(|reply| reply.status).collect()
}

#[tokio::test]
async fn the_failures_of_one_address_are_limited_before_the_platform_is_asked() {
    world(setup(20, 2), async |world| {
        let known = known_learners(world, 5).await;
        slow_down(world, 100).await;
        // All at once: the limit holds before the first answer tells that a credential is bad.
        let bad: Vec<String> = (0..300).map(|_| unknown_session()).collect();
        let flood = join_all(bad.iter().map(|cookie| read(world, 0, cookie, "192.0.2.1")));
        let learners = join_all(known.iter().map(|cookie| read(world, 0, cookie, "192.0.2.1")));
        let (flood, learners) = tokio::join!(flood, learners);
        assert_eq!(statuses(&learners), [200; 5], "known learners at the same address");
        let refused: Vec<&Reply> = flood.iter().filter(|reply| reply.status == 429).collect();
        assert!(refused.len() > 250, "{:?}", statuses(&flood));
        for reply in refused {
            reply.assert_problem(429, "rate_limited");
            assert!((1..=4).contains(&reply.header("retry-after").parse::<u64>().unwrap()));
        }
        // A try comes back every three seconds.
        let asked = calls(world).await;
        assert!(asked <= 5 + 20 + 4, "{asked} calls");
        // Another replica knows these learners through Redis, and takes new ones from other addresses.
        world.clock.advance(chrono::TimeDelta::seconds(61));
        let bad: Vec<String> = (0..40).map(|_| unknown_session()).collect();
        join_all(bad.iter().map(|cookie| read(world, 1, cookie, "192.0.2.1"))).await;
        let new = world.platform_user("new@example.com").await;
        read(world, 1, &session(&new), "192.0.2.1").await.assert_problem(429, "rate_limited");
        // On a busy machine Redis may not answer in time, so that the replica does without it for a second.
        let knows = async |world: &World| read(world, 1, &known[0], "192.0.2.1").await.status == 200;
        world.eventually("the replica knows the learner", knows).await;
        assert_eq!(read(world, 1, &session(&new), "192.0.2.1, 192.0.2.2").await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn good_credentials_do_not_count_as_failures() {
    world(setup(3, 1), async |world| {
        for number in 0..10 {
            let user = world.platform_user(&format!("learner{number}@example.com")).await;
            assert_eq!(read(world, 0, &session(&user), "192.0.2.1").await.status, 200);
        }
        // A backend sends the sessions of all its visitors from one address.
        for _ in 0..10 {
            let probe = world.request(reqwest::Method::GET, "/storeapi/discovery/user/");
            let reply = Reply::read(probe.header("cookie", unknown_session())).await;
            assert_eq!(reply.json, json!({ "authenticated": false }));
        }
        for status in [401, 401, 401, 429] {
            assert_eq!(read(world, 0, &unknown_session(), "192.0.2.1").await.status, status);
        }
    })
    .await;
}

#[tokio::test]
async fn a_limited_address_takes_no_other_address_along() {
    world(setup(1, 1), async |world| {
        assert_eq!(read(world, 0, &unknown_session(), "192.0.2.1").await.status, 401);
        for round in 0..5 {
            let user = session(&world.platform_user(&format!("learner{round}@example.com")).await);
            let both = ["192.0.2.1", "192.0.2.2"].repeat(10);
            let replies = join_all(both.iter().map(|from| read(world, 0, &user, from))).await;
            let others: Vec<u16> = replies.iter().skip(1).step_by(2).map(|reply| reply.status).collect();
            assert_eq!(others, [200; 10], "{:?}", statuses(&replies));
        }
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn unknown_credentials_that_time_out_hold_up_no_known_learner() {
    world(setup(0, 1), async |world| {
        let known = known_learners(world, 5).await;
        // The first calls hang; they are the flood's, which fills all slots for unknown credentials.
        world
            .fault(
                json!({ "target": "platform", "path": ME, "kind": "delay", "delay_ms": 20_000, "count": 8 }),
            )
            .await;
        let bad: Vec<(String, String)> =
            (0..200).map(|n| (unknown_session(), format!("192.0.2.{n}"))).collect();
        let flood = join_all(bad.iter().map(|(cookie, from)| read(world, 0, cookie, from)));
        let learners = async {
            let hang = async |world: &World| faults(world).await == 0;
            world.eventually("the flood's calls hang", hang).await;
            join_all(known.iter().map(|cookie| read(world, 0, cookie, "192.0.2.1"))).await
        };
        let (flood, learners) = tokio::join!(flood, learners);
        assert_eq!(statuses(&learners), [200; 5]);
        let unanswered = flood.iter().filter(|reply| reply.status == 503).count();
        assert!(unanswered >= 8, "{:?}", statuses(&flood));
        // Eight calls without an answer in a row: the breaker for known credentials has counted none of them.
        world.clock.advance(chrono::TimeDelta::seconds(61));
        slow_down(world, 0).await;
        let learners = join_all(known.iter().map(|cookie| read(world, 0, cookie, "192.0.2.1"))).await;
        assert_eq!((statuses(&learners), calls(world).await), (vec![200; 5], 5));
    })
    .await;
}

async fn faults(world: &World) -> usize {
    let faults = world.sim(reqwest::Method::GET, "/_sim/faults", None).await;
    faults.as_array().map_or(0, Vec::len)
}

#[tokio::test]
async fn answers_that_refuse_some_credentials_stop_no_other_credential() {
    world(setup(0, 1), async |world| {
        for status in [429, 500, 503] {
            let fails =
                json!({ "target": "platform", "path": ME, "kind": "status", "status": status, "count": 20 });
            world.fault(fails).await;
            for _ in 0..20 {
                read(world, 0, &unknown_session(), "192.0.2.1").await.assert_problem(503, "unavailable");
            }
            let new: Value = world.platform_user(&format!("ada{status}@example.com")).await;
            assert_eq!(read(world, 0, &session(&new), "192.0.2.1").await.status, 200, "after {status}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_platform_that_is_overloaded_uses_up_no_tries() {
    world(setup(3, 1), async |world| {
        for status in [429, 502, 503, 504] {
            let fails =
                json!({ "target": "platform", "path": ME, "kind": "status", "status": status, "count": 6 });
            world.fault(fails).await;
            for _ in 0..6 {
                read(world, 0, &unknown_session(), "192.0.2.1").await.assert_problem(503, "unavailable");
            }
        }
        let new = world.platform_user("new@example.com").await;
        assert_eq!(read(world, 0, &session(&new), "192.0.2.1").await.status, 200);
        let fails = json!({ "target": "platform", "path": ME, "kind": "status", "status": 500, "count": 3 });
        world.fault(fails).await;
        for status in [503, 503, 503, 429] {
            assert_eq!(read(world, 0, &unknown_session(), "192.0.2.1").await.status, status);
        }
    })
    .await;
}
