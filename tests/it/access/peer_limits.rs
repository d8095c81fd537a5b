//! Limits on one peer without a valid signature or key: memory, time and queries, and none of other peers'.

use std::time::{Duration, Instant};

use harness::steps::notifications::{set, signature};
use harness::steps::organisation_keys::key;
use harness::{Reply, Setup, World, world};
use shared::organisation_key::Scope;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const NOTIFICATIONS: &str = "/storeapi/payment/notifications/stripe/northwind/";
const LEDGER: &str = "/storeapi/reports/ledger/?from=2026-01-01&to=2026-01-02";

/// One api behind a proxy that names the peers.
fn behind_proxy(args: &[&str]) -> Setup {
    let args = [&["--trusted-proxies=127.0.0.0/8"][..], args].concat();
    Setup { api_args: args.into_iter().map(str::to_owned).collect(), proxied: true, ..Setup::default() }
}

/// A notification of a peer, signed with a secret.
async fn notify(world: &World, peer: &str, secret: &str, body: &str) -> Reply {
    let (name, value) = signature(world, "stripe", secret, body);
    let request =
        world.http.post(world.url(NOTIFICATIONS)).header(name, value).header("x-forwarded-for", peer);
    Reply::read(request.header("content-type", "application/json").body(body.to_owned())).await
}

/// A notification of a peer that announces a body of 1 MiB, sends this much of it, and then nothing.
async fn stall(world: &World, peer: &str, sent: usize) -> TcpStream {
    let head = format!(
        "POST {NOTIFICATIONS} HTTP/1.1\r\nHost: store.test\r\nX-Forwarded-For: {peer}\r\nContent-Length: 1048576\r\n\
         Stripe-Signature: t={},v1={}\r\n\r\n",
        world.clock.now().timestamp(),
        "00".repeat(32)
    );
    let mut socket = TcpStream::connect(world.apis[0].public).await.unwrap();
    socket.write_all(head.as_bytes()).await.unwrap();
    // The api closes the connection if there is no memory for it.
    let _ = socket.write_all(" ".repeat(sent).as_bytes()).await;
    socket
}

/// Reads the head of an answer.
async fn head(socket: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(socket.read_u8().await.unwrap());
    }
    String::from_utf8(head).unwrap()
}

fn genuine(nth: u32) -> String {
    format!("{{\"id\": \"evt_{nth}\", \"type\": \"payment.paid\"}}")
}

#[tokio::test]
async fn one_peer_without_a_signature_leaves_other_peers_memory_for_their_notifications() {
    world(behind_proxy(&["--request-bodies-mib=16"]), async |world| {
        set(world, "stripe", "northwind", "whsec_one", None).await;
        let stalled = tokio::sync::Mutex::new(Vec::new());
        let full = async |world: &World| {
            // More than the 8 MiB that all notifications have. Again in each try: a stalled body is given up after five seconds.
            for host in 1..=12 {
                let socket = stall(world, &format!("2001:db8::{host}"), 1_048_000).await;
                stalled.lock().await.push(socket);
            }
            let large = " ".repeat(40_000);
            notify(world, "2001:db8::13", "whsec_two", &large).await.status == 429
        };
        world.eventually("the peer has taken its share", full).await;
        let large = format!("{}{}", genuine(1), " ".repeat(1_000_000));
        let reply = notify(world, "2001:db8:0:1::1", "whsec_one", &large).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
    })
    .await;
}

#[tokio::test]
async fn a_peer_that_uses_up_its_memory_is_limited_and_does_not_get_its_try_back() {
    world(behind_proxy(&["--failed-credentials-per-minute=3"]), async |world| {
        set(world, "stripe", "northwind", "whsec_one", None).await;
        // Three tries, and memory for two such bodies.
        let mut stalled = Vec::new();
        for _ in 0..3 {
            stalled.push(stall(world, "192.0.2.1", 1_048_000).await);
        }
        let heads = stalled.iter_mut().map(|socket| Box::pin(head(socket)));
        let (refused, ..) = futures_util::future::select_all(heads).await;
        assert!(refused.starts_with("HTTP/1.1 429"), "{refused}");
        assert!(refused.contains("retry-after: 1\r\n"), "{refused}");
        // The memory that is left would do for this one, but the try was not given back.
        let reply = notify(world, "192.0.2.1", "whsec_one", &genuine(1)).await;
        let wait: u64 = reply.assert_problem(429, "rate_limited").header("retry-after").parse().unwrap();
        assert!((2..=20).contains(&wait), "{wait}");
        assert_eq!(notify(world, "192.0.2.2", "whsec_one", &genuine(2)).await.status, 200);
        drop(stalled);
    })
    .await;
}

#[tokio::test]
async fn a_notification_that_does_not_arrive_at_once_is_given_up_in_seconds() {
    world(behind_proxy(&["--body-timeout=60s"]), async |world| {
        set(world, "stripe", "northwind", "whsec_one", None).await;
        let (mut socket, start) = (stall(world, "192.0.2.1", 100).await, Instant::now());
        let mut answer = [0; 12];
        let read = tokio::time::timeout(Duration::from_secs(20), socket.read_exact(&mut answer)).await;
        read.expect("an answer").unwrap();
        assert_eq!(String::from_utf8_lossy(&answer), "HTTP/1.1 408");
        assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    })
    .await;
}

#[tokio::test]
async fn wrong_signatures_of_one_peer_are_limited_before_they_cost_a_query() {
    world(behind_proxy(&["--failed-credentials-per-minute=3"]), async |world| {
        set(world, "stripe", "northwind", "whsec_one", None).await;
        let wrong = async |world: &World, peer: &str| notify(world, peer, "whsec_two", &genuine(1)).await;
        for _ in 0..3 {
            wrong(world, "192.0.2.1").await.assert_problem(400, "invalid_request");
        }
        let refused = wrong(world, "192.0.2.1").await;
        refused.assert_problem(429, "rate_limited");
        assert!((1..=20).contains(&refused.header("retry-after").parse::<u64>().unwrap()));
        assert_eq!(notify(world, "192.0.2.2", "whsec_one", &genuine(2)).await.status, 200);
        // Genuine ones take no tries, and their sender is known from then on: what others have it send limits no caller.
        for nth in 3..10 {
            assert_eq!(notify(world, "192.0.2.2", "whsec_one", &genuine(nth)).await.status, 200);
            wrong(world, "192.0.2.2").await.assert_problem(400, "invalid_request");
        }
        world.drain().await;
        world.postgres().cut();
        wrong(world, "192.0.2.1").await.assert_problem(429, "rate_limited");
        wrong(world, "192.0.2.3").await.assert_problem(503, "unavailable");
        world.postgres().restore();
        world
            .eventually("the database is back", async |world| wrong(world, "192.0.2.4").await.status == 400)
            .await;
    })
    .await;
}

#[tokio::test]
async fn wrong_keys_of_one_peer_are_limited_before_they_cost_a_query() {
    world(behind_proxy(&["--failed-credentials-per-minute=3"]), async |world| {
        let good = key(world, "northwind", &[Scope::Reports]).await;
        let read = async |world: &World, peer: &str, key: &str| {
            let request = world.http.get(world.url(LEDGER)).header("organisationapikey", key);
            Reply::read(request.header("x-forwarded-for", peer)).await
        };
        let wrong = |nth: u32| format!("{}{nth:03}{}", &good[..20], &good[23..]);
        for nth in 0..3 {
            read(world, "192.0.2.1", &wrong(nth)).await.assert_problem(401, "unauthenticated");
        }
        read(world, "192.0.2.1", &wrong(3)).await.assert_problem(429, "rate_limited");
        // A key that was never good here has no try left either; one that was good is not limited.
        read(world, "192.0.2.1", &good).await.assert_problem(429, "rate_limited");
        assert_eq!(read(world, "192.0.2.2", &good).await.status, 200);
        assert_eq!(read(world, "192.0.2.1", &good).await.status, 200);
        world.postgres().cut();
        read(world, "192.0.2.1", &wrong(4)).await.assert_problem(429, "rate_limited");
        world.postgres().restore();
    })
    .await;
}
