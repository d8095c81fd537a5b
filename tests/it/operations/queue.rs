//! Messages that no storefront program sends, and a broker that loses messages or queues.

use std::time::Duration;

use chrono::TimeDelta;
use harness::steps::demo::{PAID_COURSE, PAID_KEY};
use harness::steps::worker_program::operator;
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::json;
use shared::ids::TransactionId;
use shared::messages::{CheckPayment, Message, Queue};
use uuid::Uuid;

#[tokio::test]
async fn an_unreadable_message_is_buried_with_its_reason_and_blocks_no_other_message() {
    world(Setup::default(), async |world| {
        let id = Uuid::now_v7().to_string();
        let cases: [(&str, &str, &[u8], &str); 3] = [
            ("enrollment.grant.v1", &id, b"{\"email\":\"ada@exam", "unreadable body"),
            ("enrollment.grant.v1", "not-a-uuid", b"{}", "message_id"),
            ("email.send.v1", &id, b"{\"mail_id\":\"x\"}", "unreadable body"),
        ];
        for (kind, id, body, reason) in cases {
            world.publish_raw(kind, id, body).await;
            let dead = world.topology().dead();
            world
                .eventually("the message is dead-lettered", async |world| {
                    world.ready_messages(&dead).await == 1
                })
                .await;
            let (why, kept) = world.take_message(&dead).await.unwrap();
            assert!(why.contains(reason), "{why}");
            assert_eq!(kept, body);
        }
        world.platform_user("ada@example.com").await;
        assert_eq!(world.enroll("ada@example.com", PAID_COURSE, "verified").await.status, 200);
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
    })
    .await;
}

/// During an upgrade, an old worker meets what a newer program sent.
#[tokio::test]
async fn a_message_of_an_unknown_kind_is_retried_for_a_day_and_then_dead_lettered() {
    world(Setup::default(), async |world| {
        world.publish_raw("enrollment.grant.v9", &Uuid::now_v7().to_string(), b"{}").await;
        let (topology, dead) = (world.topology(), world.topology().dead());
        // To wait for its third retry, the message has come back twice.
        let third = topology.retry_delay(2);
        world
            .eventually("the message waits again", async |world| world.ready_messages(&third).await == 1)
            .await;
        world.clock.advance(TimeDelta::hours(23));
        tokio::time::sleep(Duration::from_millis(1500)).await;
        world
            .eventually("the message still waits", async |world| world.ready_messages(&third).await == 1)
            .await;
        assert_eq!(world.ready_messages(&dead).await, 0);
        world.clock.advance(TimeDelta::hours(2));
        world
            .eventually("the message is dead-lettered", async |world| world.ready_messages(&dead).await == 1)
            .await;
        let (why, kept) = world.take_message(&dead).await.unwrap();
        assert!(why.contains("enrollment.grant.v9"), "{why}");
        assert_eq!(kept, b"{}");
    })
    .await;
}

#[tokio::test]
async fn the_caller_of_a_command_of_an_unknown_kind_may_repeat_it_at_once() {
    world(Setup::default(), async |world| {
        let answer = world.ask_raw("enrollment.grant.v9", Uuid::now_v7(), &json!({})).await;
        assert_eq!(answer, json!({ "Err": { "code": "unavailable" } }));
    })
    .await;
}

#[tokio::test]
async fn the_first_word_of_a_kind_names_the_queue_that_gets_it() {
    world(Setup { workers: 0, ..Setup::default() }, async |world| {
        for &queue in Queue::ALL {
            let kind = format!("{}.message.v1", queue.name());
            world.publish_raw(&kind, &Uuid::now_v7().to_string(), b"{}").await;
            let name = world.topology().queue(queue);
            world.eventually("its queue has it", async |world| world.ready_messages(&name).await == 1).await;
            world.take_message(&name).await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn a_message_that_no_queue_takes_is_kept() {
    world(Setup::without_workers(), async |world| {
        world.publish_raw("unknown.message.v1", &Uuid::now_v7().to_string(), b"{}").await;
        let unrouted = world.topology().unrouted();
        world
            .eventually("the message is kept", async |world| world.ready_messages(&unrouted).await == 1)
            .await;
        world.take_message(&unrouted).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_deleted_queue_comes_back_by_itself() {
    let api_args = vec!["--ask-deadline=500ms".into()];
    world(Setup { api_args, own_queues: true, ..Setup::default() }, async |world| {
        world.platform_user("ada@example.com").await;
        world.delete_queue(&world.topology().queue(Queue::Enrollment)).await;
        world
            .eventually("enrolling works again", async |world| {
                world.enroll("ada@example.com", PAID_COURSE, "verified").await.status == 200
            })
            .await;
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
        // Commands sent meanwhile had no queue: the broker keeps them as unrouted messages.
        let unrouted = world.topology().unrouted();
        while world.take_message(&unrouted).await.is_some() {}
    })
    .await;
}

/// Before, the broker confirmed a retry and a dead letter that no queue took.
#[tokio::test]
async fn retries_and_dead_letters_survive_the_deletion_of_their_queues() {
    world(Setup { own_queues: true, ..Setup::default() }, async |world| {
        world.expected_dead = 2;
        let topology = world.topology();
        for queue in [topology.retry_delay(0), topology.retry_delay(1), topology.dead(), topology.unrouted()]
        {
            world.delete_queue(&queue).await;
        }
        world.fault(json!({ "target": "smtp", "kind": "status", "status": 451, "count": 2 })).await;
        world.enroll("new@example.com", PAID_COURSE, "verified").await;
        let is_invited = async |world: &World| world.emails("new@example.com").await.len() == 1;
        world.eventually("the mail is tried again", is_invited).await;
        // Also beside messages whose queues are there: the broker's confirms name no message.
        world.delete_queue(&topology.dead()).await;
        world.publish_raw("email.send.v1", &Uuid::now_v7().to_string(), b"{}").await;
        world.publish_raw("enrollment.grant.v1", &Uuid::now_v7().to_string(), b"{}").await;
        let dead = topology.dead();
        world.eventually("both are dead letters", async |world| world.ready_messages(&dead).await == 2).await;
        let words = ["dead", "list", "--json"];
        let (done, listed) = operator(world, &words, &["amqp-url", "queue-prefix", "retry-delays"]).await;
        assert!(done && listed.matches("unreadable body").count() == 2, "{listed}");
    })
    .await;
}

#[tokio::test]
async fn a_full_queue_refuses_at_once() {
    let limit = "--queue-max-length=3".to_owned();
    let setup = Setup { api_args: vec![limit, "--ask-deadline=1s".into()], ..Setup::without_workers() };
    world(setup, async |world| {
        let mut statuses = Vec::new();
        for _ in 0..8 {
            statuses.push(world.enroll("ada@example.com", PAID_COURSE, "verified").await.status);
        }
        assert_eq!(statuses.first(), Some(&504), "{statuses:?}");
        assert_eq!(statuses.last(), Some(&503), "{statuses:?}");
        let queue = world.topology().queue(Queue::Enrollment);
        while world.take_message(&queue).await.is_some() {}
    })
    .await;
}

#[tokio::test]
async fn a_command_whose_caller_has_gone_is_not_started() {
    let setup = Setup { api_args: vec!["--ask-deadline=500ms".into()], ..Setup::without_workers() };
    world(setup, async |world| {
        world.platform_user("ada@example.com").await;
        world.enroll("ada@example.com", PAID_COURSE, "verified").await.assert_problem(504, "timeout");
        tokio::time::sleep(Duration::from_millis(100)).await;
        world.start_worker().await;
        let queue = world.topology().queue(Queue::Enrollment);
        world.eventually("the queue is empty", async |world| world.ready_messages(&queue).await == 0).await;
        assert_eq!(world.unenroll("ada@example.com", PAID_COURSE).await.json["enrollment_state"], "none");
    })
    .await;
}

#[tokio::test]
async fn a_checkout_without_an_answer_names_its_cart() {
    let setup = Setup { api_args: vec!["--ask-deadline=300ms".into()], ..Setup::without_workers() };
    world(setup, async |world| {
        let body = json!({
            "email": "ada@example.com", "organisation_id": Uuid::nil(),
            "items": [{ "type": "course", "id": PAID_COURSE, "mode": "verified" }],
        });
        let reply = world.post("/storeapi/discovery/guest/checkout/", &body).await;
        reply.assert_problem(504, "timeout");
        assert!(reply.json["cart_id"].as_str().unwrap().parse::<Uuid>().is_ok());
        while world.take_message(&world.topology().queue(Queue::Checkout)).await.is_some() {}
    })
    .await;
}

#[tokio::test]
async fn too_many_commands_in_flight_are_refused_at_once() {
    let setup = Setup {
        workers: 0,
        api_args: vec!["--asks-in-flight=2".into(), "--ask-deadline=1s".into()],
        ..Setup::default()
    };
    world(setup, async |world| {
        let asks = (0..6).map(|_| world.enroll("ada@example.com", PAID_COURSE, "verified"));
        let replies = futures_util::future::join_all(asks).await;
        let refused = replies.iter().filter(|reply| reply.status == 503).count();
        assert_eq!(refused, 4);
        let refusal = replies.iter().find(|reply| reply.status == 503).unwrap();
        refusal.assert_problem(503, "unavailable");
        assert_eq!(refusal.header("retry-after"), "1");
        while world.take_message(&world.topology().queue(Queue::Enrollment)).await.is_some() {}
    })
    .await;
}

#[tokio::test]
async fn a_checkout_beyond_those_that_may_wait_is_refused_before_its_body_for_as_long_as_they_wait() {
    let setup = Setup {
        api_args: vec!["--asks-in-flight=1".into(), "--ask-deadline=20s".into()],
        ..Setup::default()
    };
    world(setup, async |world| {
        world.sell().await;
        let slow = async |milliseconds: u64| {
            let fault = json!({ "target": "stripe", "kind": "delay", "delay_ms": milliseconds });
            world.fault(fault).await;
            let reply = world.guest_checkout(&ORGANISATIONS[0], "ada@example.com").await;
            assert_eq!(reply.status, 200, "{}", reply.text);
        };
        let refused = async || {
            let mut reply = None;
            world
                .eventually("a checkout is refused", async |world| {
                    // Neither JSON nor from a known caller.
                    let sent = Reply::read(world.http.post(world.url(GUEST_CHECKOUT)).body("{")).await;
                    let is_refused = sent.status == 503;
                    reply = Some(sent);
                    is_refused
                })
                .await;
            let reply = reply.unwrap();
            reply.assert_problem(503, "unavailable");
            reply.header("retry-after").parse::<u64>().unwrap()
        };
        let ((), first) = tokio::join!(slow(2_500), refused());
        assert_eq!(first, 1, "no caller was answered before");
        let ((), second) = tokio::join!(slow(500), refused());
        assert!((3..=20).contains(&second), "{second} s, of callers who wait for 2.5 s");
        world.no_faults().await;
    })
    .await;
}

#[tokio::test]
async fn mail_that_smtp_refuses_for_good_is_buried_with_its_reason() {
    world(Setup::default(), async |world| {
        world.expected_dead = 1;
        world.fault(json!({ "target": "smtp", "kind": "status", "status": 550 })).await;
        world.enroll("gone@example.com", PAID_COURSE, "verified").await;
        let dead = world.topology().dead();
        world
            .eventually("the mail is dead-lettered", async |world| world.ready_messages(&dead).await == 1)
            .await;
        // Passing reasons, and a refusal of all that we send, which is called permanent as well.
        for (status, text) in [(451, "4.3.0 busy"), (550, "5.4.5 Daily user sending limit exceeded")] {
            let address = format!("tried.again{status}@example.com");
            let fault =
                json!({ "target": "smtp", "kind": "status", "status": status, "text": text, "count": 2 });
            world.fault(fault).await;
            world.enroll(&address, PAID_COURSE, "verified").await;
            world
                .eventually("the other mail is tried again", async |world| {
                    world.emails(&address).await.len() == 1
                })
                .await;
        }
        world.sim(Method::DELETE, "/_sim/faults", None).await;
    })
    .await;
}

#[tokio::test]
async fn a_command_that_is_delivered_again_after_its_commit_gives_the_stored_answer() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        let id = Uuid::now_v7();
        let command = json!({ "email": "ada@example.com", "course_id": PAID_COURSE, "mode": "verified", "idempotency": null });
        let first = world.ask_raw("enrollment.grant.v1", id, &command).await;
        assert_eq!(first["Ok"]["enrollment_state"], "enrolled");
        world.unenroll("ada@example.com", PAID_COURSE).await;
        // As the broker delivers again when a worker dies before its acknowledgement.
        assert_eq!(world.ask_raw("enrollment.grant.v1", id, &command).await, first);
        let live: i64 = sqlx::query_scalar("SELECT count(*) FROM enrollment_grants WHERE ended_at IS NULL")
            .fetch_one(&world.db)
            .await
            .unwrap();
        assert_eq!(live, 0, "the effect happened once, before the removal");
    })
    .await;
}

#[tokio::test]
async fn every_metric_of_the_worker_says_what_it_is() {
    let setup = Setup { worker_args: vec!["--reconcile-every=100ms".into()], ..Setup::default() };
    world(setup, async |world| {
        let message = CheckPayment { transaction_id: TransactionId::generate() };
        let body = serde_json::to_vec(&message).unwrap();
        world.publish_raw(CheckPayment::KIND, &Uuid::now_v7().to_string(), &body).await;
        world.publish_raw("email.send.v1", &Uuid::now_v7().to_string(), b"{}").await;
        let url = format!("http://{}/metrics", world.workers[0].internal);
        let families = ["job_seconds", "jobs_total", "dead_total", "waiting", "waiting_oldest_seconds"];
        world
            .eventually("the worker serves its metrics", async |world| {
                let metrics = Reply::read(world.http.get(&url)).await.text;
                families.iter().all(|family| metrics.contains(&format!("# TYPE storefront_{family} ")))
            })
            .await;
        let metrics = Reply::read(world.http.get(&url)).await.text;
        for line in metrics.lines().filter(|line| line.starts_with("# TYPE ")) {
            let family = line.split(' ').nth(2).unwrap();
            assert!(metrics.contains(&format!("# HELP {family} ")), "{family}: {metrics}");
        }
        let dead = world.topology().dead();
        // The metric counts it just before.
        world
            .eventually("the message is dead", async |world| world.take_message(&dead).await.is_some())
            .await;
    })
    .await;
}
