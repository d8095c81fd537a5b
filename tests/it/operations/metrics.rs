//! Content of `/metrics`: that counters begin at 0, and that each metric follows what happens. The harness checks in every
//! test that no counter appears after the start.

use harness::steps::credentials::session;
use harness::steps::demo::PAID_COURSE;
use harness::steps::notifications::{send, signature};
use harness::steps::payments::EMAIL;
use harness::{ORGANISATIONS, Setup, World, world};
use serde_json::json;
use shared::gateway::Gateway;
use shared::ids::TransactionId;
use shared::messages::{CheckPayment, Kind, Message, Queue};
use uuid::Uuid;

const LIST: &str = "/storeapi/discovery/courses/";

/// A setup in which the worker measures often, and limits its calls to the course platform.
fn measuring(calls_per_minute: u32) -> Setup {
    let limit = format!("--platform-calls-per-minute={calls_per_minute}");
    Setup { worker_args: vec!["--reconcile-every=100ms".into(), limit], proxied: true, ..Setup::default() }
}

/// Waits until the metric with these labels is at least as large.
async fn reaches(world: &World, series: &str, least: f64) {
    world.eventually(series, async |world| world.metric(series).await >= Some(least)).await;
}

/// Waits until the metric with these labels has this value.
async fn becomes(world: &World, series: &str, value: f64) {
    world.eventually(series, async |world| world.metric(series).await == Some(value)).await;
}

#[tokio::test]
async fn every_counter_begins_at_zero() {
    world(Setup::default(), async |world| {
        let mut counters = Vec::new();
        let paths = api::openapi_document()["paths"].as_object().unwrap().clone();
        for (route, outcome) in
            paths.keys().flat_map(|path| ["answered", "refused", "failed"].map(|outcome| (path, outcome)))
        {
            counters.push(format!(r#"requests_total{{route="{route}",outcome="{outcome}"}}"#));
        }
        for queue in Queue::ALL.iter().map(|queue| queue.name()) {
            counters.push(format!(r#"dead_total{{queue="{queue}"}}"#));
        }
        for (kind, queue) in Kind::all().map(|kind| (kind.name, kind.queue.name())) {
            for outcome in ["done", "retry", "rejected", "expired"] {
                counters.push(format!(r#"jobs_total{{queue="{queue}",type="{kind}",outcome="{outcome}"}}"#));
            }
        }
        for what in [
            "payment",
            "event",
            "notification",
            "queue_full",
            "account",
            "payout",
            "enrollment_sync",
            "platform_configuration",
            "jwt_keys",
            "payment_page",
        ] {
            counters.push(format!(r#"alerts_total{{what="{what}"}}"#));
        }
        for gateway in Gateway::PROVIDERS.iter().map(|gateway| gateway.name()) {
            for outcome in ["answered", "refused", "failed"] {
                let labels = format!(r#"gateway="{gateway}",outcome="{outcome}""#);
                counters.push(format!("webhooks_received_total{{{labels}}}"));
            }
            counters.push(format!(r#"webhooks_processed_total{{gateway="{gateway}",outcome="parked"}}"#));
            counters.push(format!(r#"breaker_failures_total{{server="{gateway}"}}"#));
        }
        for kind in ["client_secret", "session", "notification_signature"] {
            counters.push(format!(r#"failed_authentications_total{{kind="{kind}"}}"#));
        }
        for other in [
            r#"connections_cut_total{step="head"}"#,
            r#"publish_failures_total{reason="refused"}"#,
            "refused_identities_total",
            "throttle_held_total",
            "event_bus_failures_total",
        ] {
            counters.push(other.to_owned());
        }
        let metrics = world.metrics().await;
        let lines: Vec<&str> = metrics.lines().collect();
        for counter in &counters {
            let line = format!("storefront_{counter} 0");
            assert!(lines.contains(&line.as_str()), "{line} is not among:\n{metrics}");
        }
        assert!(counters.len() > 200, "{}", counters.len());
    })
    .await;
}

#[tokio::test]
async fn requests_and_reads_of_the_cache_are_counted_by_outcome() {
    world(Setup::default(), async |world| {
        let requests = |route: &str, outcome: &str| {
            format!(r#"storefront_requests_total{{route="{route}",outcome="{outcome}"}}"#)
        };
        let bodies = |outcome: &str| {
            format!(r#"storefront_cache_reads_total{{level="process",what="bodies",outcome="{outcome}"}}"#)
        };
        for _ in 0..3 {
            assert_eq!(world.get(LIST).await.status, 200);
        }
        world.get(&format!("{LIST}?limit=many")).await.assert_problem(400, "invalid_request");
        world.get("/storeapi/nothing/").await.assert_problem(404, "not_found");
        becomes(world, &requests(LIST, "answered"), 3.0).await;
        becomes(world, &requests(LIST, "refused"), 1.0).await;
        becomes(world, &requests("unknown", "refused"), 1.0).await;
        becomes(world, &bodies("miss"), 1.0).await;
        becomes(world, &bodies("hit"), 2.0).await;
        reaches(world, r#"storefront_cache_reads_total{level="redis",what="payloads",outcome="miss"}"#, 1.0)
            .await;
        let ada = world.platform_user("ada@example.com").await;
        for _ in 0..2 {
            world.http.get(world.url(LIST)).header("cookie", session(&ada)).send().await.unwrap();
        }
        let identities = r#"storefront_cache_reads_total{level="process",what="identities",outcome="#;
        becomes(world, &format!(r#"{identities}"miss"}}"#), 1.0).await;
        becomes(world, &format!(r#"{identities}"hit"}}"#), 1.0).await;
        let shared = r#"storefront_cache_reads_total{level="redis",what="identities",outcome="miss"}"#;
        becomes(world, shared, 1.0).await;
    })
    .await;
}

#[tokio::test]
async fn the_program_its_pool_and_its_connections_are_shown() {
    world(Setup { proxied: true, ..Setup::default() }, async |world| {
        let version = env!("CARGO_PKG_VERSION");
        for program in ["api", "worker"] {
            let labels =
                format!(r#"program="{program}",version="{version}",commit="{}""#, shared::metrics::COMMIT);
            becomes(world, &format!("storefront_build_info{{{labels}}}"), 1.0).await;
        }
        world.get(LIST).await;
        reaches(world, r#"storefront_database_connections{pool="main",state="idle"}"#, 1.0).await;
        let most = f64::from(world.api_config.database.database_pool);
        becomes(world, r#"storefront_database_connections_max{pool="main"}"#, most).await;
        becomes(world, r#"storefront_broker_up{connection="publisher"}"#, 1.0).await;
        becomes(world, r#"storefront_broker_up{connection="consumer"}"#, 1.0).await;
        world.amqp().cut();
        becomes(world, r#"storefront_broker_up{connection="publisher"}"#, 0.0).await;
        becomes(world, r#"storefront_broker_up{connection="consumer"}"#, 0.0).await;
        world.enroll(EMAIL, PAID_COURSE, "verified").await.assert_problem(503, "unavailable");
        reaches(world, r#"storefront_publish_failures_total{reason="down"}"#, 1.0).await;
        world.amqp().restore();
        becomes(world, r#"storefront_broker_up{connection="publisher"}"#, 1.0).await;
        becomes(world, r#"storefront_broker_up{connection="consumer"}"#, 1.0).await;
        reaches(world, r#"storefront_broker_failures_total{connection="publisher"}"#, 1.0).await;
        reaches(world, r#"storefront_broker_failures_total{connection="consumer"}"#, 1.0).await;
    })
    .await;
}

#[tokio::test]
async fn an_outage_of_a_server_is_shown_while_it_lasts() {
    world(Setup { proxied: true, ..Setup::without_workers() }, async |world| {
        let open = r#"storefront_breakers_open{server="redis"}"#;
        world.get(LIST).await;
        assert_eq!(world.metric(open).await, Some(0.0));
        world.redis().cut();
        reaches(world, "storefront_redis_disconnections_total", 1.0).await;
        world.get(&format!("{LIST}?limit=3")).await;
        becomes(world, open, 1.0).await;
        reaches(world, r#"storefront_breaker_failures_total{server="redis"}"#, 1.0).await;
        world.redis().restore();
        world
            .eventually("the breaker closes", async |world| {
                world.get(&format!("{LIST}?limit=4")).await;
                world.metric(open).await == Some(0.0)
            })
            .await;
        let lost = r#"storefront_database_failures_total{reason="connection"}"#;
        assert_eq!(world.metric(lost).await, Some(0.0));
        world.postgres().cut();
        world.get(&format!("{LIST}?limit=5")).await.assert_problem(503, "unavailable");
        reaches(world, lost, 1.0).await;
        world.postgres().silence();
        world.get(&format!("{LIST}?limit=6")).await.assert_problem(503, "unavailable");
        reaches(world, r#"storefront_database_failures_total{reason="timeout"}"#, 1.0).await;
    })
    .await;
}

#[tokio::test]
async fn queues_jobs_and_rounds_of_the_reconciler_are_shown() {
    world(measuring(0), async |world| {
        let check = r#"{queue="checks",type="checks.payment.v1",outcome="done"}"#;
        let before = world.metric(&format!("storefront_jobs_total{check}")).await.unwrap();
        let body = serde_json::to_vec(&CheckPayment { transaction_id: TransactionId::generate() }).unwrap();
        world.publish_raw(CheckPayment::KIND, &Uuid::now_v7().to_string(), &body).await;
        reaches(world, &format!("storefront_jobs_total{check}"), before + 1.0).await;
        reaches(world, r#"storefront_job_seconds_count{type="checks.payment.v1"}"#, 1.0).await;
        reaches(world, r#"storefront_message_wait_seconds_count{queue="checks"}"#, 1.0).await;
        for (what, count) in [("dead", 0.0), ("unrouted", 0.0), ("retry.100ms", 0.0), ("checkout", 0.0)] {
            becomes(world, &format!(r#"storefront_queue_ready{{queue="{what}"}}"#), count).await;
        }
        world.publish_raw("email.send.v1", &Uuid::now_v7().to_string(), b"{}").await;
        becomes(world, r#"storefront_queue_ready{queue="dead"}"#, 1.0).await;
        becomes(world, r#"storefront_dead_total{queue="email"}"#, 1.0).await;
        world.take_message(&world.topology().dead()).await.unwrap();
        becomes(world, r#"storefront_queue_ready{queue="dead"}"#, 0.0).await;
        for part in ["payments", "others", "erasure"] {
            let done = format!(r#"storefront_reconciliations_total{{part="{part}",outcome="done"}}"#);
            reaches(world, &done, 1.0).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_command_whose_caller_has_gone_is_counted_as_expired() {
    let setup = Setup { api_args: vec!["--ask-deadline=300ms".into()], ..Setup::without_workers() };
    world(setup, async |world| {
        world.enroll(EMAIL, PAID_COURSE, "verified").await.assert_problem(504, "timeout");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        world.start_worker().await;
        let expired =
            r#"storefront_jobs_total{queue="enrollment",type="enrollment.grant.v1",outcome="expired"}"#;
        becomes(world, expired, 1.0).await;
    })
    .await;
}

#[tokio::test]
async fn waits_for_the_course_platform_and_its_pauses_are_counted() {
    world(measuring(600), async |world| {
        world.platform_user(EMAIL).await;
        let pause = json!({ "target": "platform", "path": "/enrollment/v1/enrollment", "kind": "status", "status": 429,
            "count": 1 });
        world.fault(pause).await;
        assert_eq!(world.enroll(EMAIL, PAID_COURSE, "verified").await.status, 200);
        reaches(world, "storefront_throttle_wait_seconds_count", 2.0).await;
        reaches(world, "storefront_throttle_held_total", 1.0).await;
        world.platform_agrees(EMAIL, harness::steps::demo::PAID_KEY, "verified", true).await;
        world.redis().cut();
        world.unenroll(EMAIL, PAID_COURSE).await;
        reaches(world, r#"storefront_redis_failures_total{use="throttle"}"#, 1.0).await;
        reaches(world, r#"storefront_redis_failures_total{use="generation"}"#, 1.0).await;
        world.redis().restore();
    })
    .await;
}

#[tokio::test]
async fn webhooks_are_counted_by_what_becomes_of_them() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        for organisation in &ORGANISATIONS {
            let (gateway, short_name) = (organisation.gateway.name(), organisation.short_name);
            let received = |outcome: &str| {
                format!(r#"storefront_webhooks_received_total{{gateway="{gateway}",outcome="{outcome}"}}"#)
            };
            let processed = |outcome: &str| {
                format!(r#"storefront_webhooks_processed_total{{gateway="{gateway}",outcome="{outcome}"}}"#)
            };
            let reply = world.guest_checkout(organisation, EMAIL).await;
            let reference = world.payment_told(&reply).await;
            world.at_provider("pay", &reference, json!({})).await;
            reaches(world, &received("answered"), 1.0).await;
            reaches(world, &processed("settled"), 1.0).await;
            let secret = format!("whsec_demo_{short_name}");
            let body = json!({ "id": "evt_1", "type": "hello", "event": "hello" }).to_string();
            for outcome in ["ignored", "repeated"] {
                let before = world.metric(&processed(outcome)).await.unwrap();
                let signed = signature(world, gateway, &secret, &body);
                assert_eq!(send(world, gateway, short_name, signed, &body).await.status, 200);
                reaches(world, &processed(outcome), before + 1.0).await;
            }
            let forged = signature(world, gateway, "whsec_another", &body);
            assert_eq!(send(world, gateway, short_name, forged, &body).await.status, 400);
            becomes(world, &received("refused"), 1.0).await;
        }
    })
    .await;
}
