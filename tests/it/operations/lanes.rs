//! Callers that wait for one work queue leave room for the callers of the others, in the api and in the worker.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use harness::steps::demo::{FREE_COURSE, PAID_COURSE};
use harness::steps::learner_cart::{CART, checkout, items, learner, put, send};
use harness::steps::notifications::{self, signature};
use harness::{HINT_TOKEN, ORGANISATIONS, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::messages::Queue;

/// One request for each work queue that the api sends to.
async fn ask(world: &World, queue: Queue, ada: &Value) -> u16 {
    let northwind = &ORGANISATIONS[0];
    let reply = match queue {
        Queue::Checkout => world.guest_checkout(northwind, "bob@example.com").await,
        Queue::Page => put(world, ada, northwind).await,
        Queue::Payment => {
            let body = json!({ "id": "evt_1", "type": "payment.paid" }).to_string();
            let signed = signature(world, "stripe", "whsec_demo_northwind", &body);
            notifications::send(world, "stripe", "northwind", signed, &body).await
        }
        Queue::Enrollment => world.enroll("bob@example.com", FREE_COURSE, "audit").await,
        Queue::Registration => {
            let hint =
                json!({ "openedx_events.learning.data.UserData": { "pii": { "email": "bob@example.com" } } });
            let url = world.url(&format!("/storeapi/platform/registrations/{HINT_TOKEN}/"));
            Reply::read(world.http.post(url).json(&hint)).await
        }
        Queue::Checks | Queue::Platform | Queue::Email | Queue::Catalog | Queue::Webhooks | Queue::Batch => {
            unreachable!("the api sends none")
        }
    };
    reply.status
}

#[tokio::test]
#[ignore = "slow"]
async fn callers_of_one_queue_leave_room_for_the_callers_of_the_others() {
    let args = ["--asks-in-flight=2".to_owned(), "--ask-deadline=3s".to_owned()];
    world(Setup { api_args: args.to_vec(), ..Setup::without_workers() }, async |world| {
        world.sell().await;
        let ada = learner(world, "ada@example.com").await;
        // The worker is unavailable, so that commands wait for their deadline.
        let waiting = [Queue::Checkout, Queue::Page, Queue::Enrollment];
        let lanes = [Queue::Checkout, Queue::Page, Queue::Enrollment, Queue::Payment, Queue::Registration];
        for full in waiting {
            let fill = join_all((0..2).map(|_| ask(world, full, &ada)));
            let others = async {
                tokio::time::sleep(Duration::from_millis(500)).await;
                assert_eq!(ask(world, full, &ada).await, 503, "{full:?} takes a third caller");
                for other in lanes.into_iter().filter(|lane| *lane != full && !waiting.contains(lane)) {
                    assert!(ask(world, other, &ada).await < 300, "{other:?} beside {full:?}");
                }
                let others = waiting.into_iter().filter(|lane| *lane != full);
                join_all(others.map(|other| ask(world, other, &ada))).await
            };
            let (filling, others) = tokio::join!(fill, others);
            assert_eq!((filling, others), (vec![504, 504], vec![504, 504]), "{full:?}");
        }
        for lane in lanes {
            while world.take_message(&world.topology().queue(lane)).await.is_some() {}
        }
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn carts_and_payment_pages_do_not_wait_for_checkouts_at_a_slow_provider() {
    let mut setup = Setup::selling();
    setup.worker_args.push("--worker-concurrency=2".into());
    world(setup, async |world| {
        world.sell().await;
        let [northwind, lindgren, ..] = &ORGANISATIONS;
        let (ada, bob) = (learner(world, "ada@example.com").await, learner(world, "bob@example.com").await);
        // Two carts with a payment, at the provider that is about to be slow.
        for user in [&ada, &bob] {
            assert_eq!(put(world, user, northwind).await.status, 200);
        }
        let paying = checkout(world, &ada, northwind).await;
        assert_eq!(checkout(world, &bob, northwind).await.status, 200);
        let page = paying.json["redirect_url"].as_str().unwrap().replace("http://store.test", "");

        let slow = json!({ "target": "stripe", "kind": "delay", "delay_ms": 6000, "count": 100 });
        world.fault(slow).await;
        let is_answered = AtomicBool::new(false);
        let checkouts = join_all(["c1@example.com", "c2@example.com", "c3@example.com"].map(async |email| {
            world.guest_checkout(northwind, email).await;
            is_answered.store(true, Ordering::Relaxed);
        }));
        let other = items(&[(PAID_COURSE, "professional")]);
        let changed = |user| send(world, user, "northwind", Method::PUT, CART, Some(other.clone()));
        let beside = async {
            tokio::time::sleep(Duration::from_millis(500)).await;
            assert_eq!(put(world, &ada, lindgren).await.status, 200);
            assert_eq!(world.get(&page).await.status, 200);
            assert!(!is_answered.load(Ordering::Relaxed), "after the checkouts");

            // Another basket ends the payment of the first one at the provider. One such cart waits for the provider; the
            // second one leaves the remaining job of the queue to others.
            let replacing = async {
                let is_replaced = AtomicBool::new(false);
                let first = async {
                    let reply = changed(&ada).await;
                    is_replaced.store(true, Ordering::Relaxed);
                    reply
                };
                let second = async {
                    tokio::time::sleep(Duration::from_millis(500)).await;
                    let refused = changed(&bob).await;
                    assert_eq!(refused.assert_problem(503, "unavailable").header("retry-after"), "1");
                    assert_eq!(put(world, &bob, lindgren).await.status, 200);
                    assert!(!is_replaced.load(Ordering::Relaxed), "after the other cart");
                };
                tokio::join!(first, second).0.status
            };
            assert!([200, 502, 504].contains(&replacing.await));
        };
        tokio::join!(checkouts, beside);
        world.no_faults().await;
        world
            .eventually("the refused cart can be changed later", async |_| changed(&bob).await.status == 200)
            .await;
    })
    .await;
}
