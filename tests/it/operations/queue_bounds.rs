//! The bounds of the queues: how much they take, for how long, and what happens when they are full.

use std::time::Duration;

use harness::steps::demo::{PAID_COURSE, PAID_KEY};
use harness::{Setup, World, logged, world};
use serde_json::json;
use shared::messages::Queue;
use uuid::Uuid;

async fn is_alerted(world: &World) -> bool {
    world.metric(r#"storefront_alerts_total{what="queue_full"}"#).await > Some(0.0)
}

#[tokio::test]
async fn a_queue_takes_a_limited_number_of_bytes() {
    let limit = "--queue-max-bytes=2000".to_owned();
    let setup = Setup { api_args: vec![limit, "--ask-deadline=300ms".into()], ..Setup::without_workers() };
    world(setup, async |world| {
        let mut statuses = Vec::new();
        for _ in 0..20 {
            statuses.push(world.enroll("ada@example.com", PAID_COURSE, "verified").await.status);
        }
        assert_eq!((statuses.first(), statuses.last()), (Some(&504), Some(&503)), "{statuses:?}");
        while world.take_message(&world.topology().queue(Queue::Enrollment)).await.is_some() {}
    })
    .await;
}

/// As after an upgrade, or with another QUEUE_MAX_LENGTH.
#[tokio::test]
async fn queues_that_exist_with_other_arguments_are_used_as_they_are() {
    let setup = Setup { apis: 0, own_queues: true, ..Setup::without_workers() };
    world(setup, async |world| {
        let queues = world.topology().queues();
        for queue in &queues {
            let ttl = if queue.contains(".retry.") { 100 } else { 60_000 };
            world.declare_queue(queue, &[("x-message-ttl", ttl), ("x-max-length", 7)]).await;
        }
        world.start_api().await;
        world.start_worker().await;
        world.platform_user("ada@example.com").await;
        assert_eq!(world.enroll("ada@example.com", PAID_COURSE, "verified").await.status, 200);
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
        world.publish_raw("email.send.v1", &Uuid::now_v7().to_string(), b"{}").await;
        let dead = world.topology().dead();
        world
            .eventually("it is dead-lettered", async |world| world.take_message(&dead).await.is_some())
            .await;
        // Each once, however often a program connects.
        assert_eq!(logged("queue exists with other arguments").len(), queues.len());
    })
    .await;
}

#[tokio::test]
async fn a_full_dead_letter_queue_loses_nothing() {
    let limit = vec!["--queue-max-length=2".to_owned()];
    let setup = Setup { api_args: limit.clone(), worker_args: limit, ..Setup::default() };
    world(setup, async |world| {
        let (dead, email) = (world.topology().dead(), world.topology().queue(Queue::Email));
        // A quorum queue takes some more than its limit before it refuses.
        let mut sent = 0;
        world
            .eventually("an alert is raised", async |world| {
                if sent < 50 && world.ready_messages(&email).await == 0 {
                    world.publish_raw("email.send.v1", &Uuid::now_v7().to_string(), b"{}").await;
                    sent += 1;
                }
                is_alerted(world).await
            })
            .await;
        assert!(world.ready_messages(&dead).await < sent);
        let mut taken = 0;
        world
            .eventually("all are dead-lettered in the end", async |world| {
                taken += u32::from(world.take_message(&dead).await.is_some());
                taken == sent
            })
            .await;
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_message_whose_retry_queue_stays_full_is_dead_lettered_for_a_replay() {
    world(Setup { own_queues: true, ..Setup::without_workers() }, async |world| {
        let first = world.topology().retry_delay(0);
        // Nothing leaves this one.
        world.delete_queue(&first).await;
        world.declare_queue(&first, &[("x-max-length", 1)]).await;
        for _ in 0..3 {
            world.publish_to(&first, b"{}").await;
        }
        world.fault(json!({ "target": "smtp", "kind": "status", "status": 451, "count": 1 })).await;
        world.start_worker().await;
        world.enroll("new@example.com", PAID_COURSE, "verified").await;
        let dead = world.topology().dead();
        world
            .eventually("the mail is dead-lettered", async |world| world.ready_messages(&dead).await == 1)
            .await;
        let (reason, _) = world.take_message(&dead).await.unwrap();
        assert!(reason.contains("retry delay is full") && reason.contains("451"), "{reason}");
        assert!(is_alerted(world).await);
        while world.take_message(&first).await.is_some() {}
    })
    .await;
}

#[tokio::test]
async fn a_dead_letter_is_kept_for_as_long_as_the_setting_says() {
    let kept = vec!["--dead-letters-kept=1s".to_owned()];
    let setup = Setup { api_args: kept.clone(), worker_args: kept, ..Setup::default() };
    world(setup, async |world| {
        let dead = world.topology().dead();
        world.publish_raw("email.send.v1", &Uuid::now_v7().to_string(), b"{}").await;
        world.eventually("it is dead-lettered", async |world| world.ready_messages(&dead).await == 1).await;
        world.eventually("it is gone", async |world| world.ready_messages(&dead).await == 0).await;
    })
    .await;
}

#[tokio::test]
async fn a_dead_letter_holds_no_body_of_a_command_and_its_reason_no_address() {
    world(Setup::default(), async |world| {
        let dead = world.topology().dead();
        let taken = async |world: &World| {
            world
                .eventually("it is dead-lettered", async |world| world.ready_messages(&dead).await == 1)
                .await;
            world.take_message(&dead).await.unwrap()
        };
        // No reply comes: the worker cannot read the command.
        let command = json!({ "email": "ada@example.com", "course_id": "ada@example.com" });
        let asked = world.ask_raw("enrollment.grant.v1", Uuid::now_v7(), &command);
        tokio::time::timeout(Duration::from_secs(1), asked).await.unwrap_err();
        let (reason, body) = taken(world).await;
        assert!(body.is_empty() && reason.contains("unreadable body"), "{reason}");
        assert!(!reason.contains("ada@"), "{reason}");
        // A task is kept whole, because an operator can replay it.
        let task = br#"{"mail_id":"ada@example.com"}"#;
        world.publish_raw("email.send.v1", &Uuid::now_v7().to_string(), task).await;
        let (reason, body) = taken(world).await;
        assert!(body == task && !reason.contains("ada@"), "{reason}");
    })
    .await;
}
