//! The public listener under slow, silent and many clients, written to raw sockets because HTTP clients are too polite.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use futures_util::future;
use harness::steps::notifications::set;
use harness::{SECRET, Setup, World, world};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

const COURSES: &str = "/storeapi/discovery/courses/";
const CHECKOUT: &str = "/storeapi/discovery/guest/checkout/";

/// A world of one api with these arguments, and no worker.
fn with(args: &[&str]) -> Setup {
    Setup { api_args: args.iter().map(ToString::to_string).collect(), ..Setup::without_workers() }
}

async fn connect(world: &World) -> TcpStream {
    TcpStream::connect(world.apis[0].public).await.unwrap()
}

/// A request's head with the client secret; `headers` end in a line break each.
fn head(method: &str, path: &str, headers: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nHost: store.test\r\nclientapisecret: {SECRET}\r\n{headers}\r\n")
}

async fn send(socket: &mut TcpStream, text: &str) {
    socket.write_all(text.as_bytes()).await.unwrap();
}

/// The status of the next answer, which is read to the end of its body.
async fn status(socket: &mut TcpStream) -> u16 {
    let (mut answer, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&answer).into_owned();
        let length = |head: &str| {
            let line = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            line.map_or(0, |length| length.parse::<usize>().unwrap())
        };
        if let Some((head, body)) = text.split_once("\r\n\r\n")
            && body.len() >= length(head)
        {
            return head.split(' ').nth(1).unwrap().parse().unwrap();
        }
        let read = tokio::time::timeout(Duration::from_secs(10), socket.read(&mut buffer)).await;
        let read = read.expect("an answer").unwrap();
        assert!(read > 0, "the connection ended after {text:?}");
        answer.extend_from_slice(&buffer[..read]);
    }
}

/// Measures how long the api leaves the connection open from now on; fails the test if it sends anything.
async fn open_for(socket: &mut TcpStream) -> Duration {
    let start = Instant::now();
    let read = tokio::time::timeout(Duration::from_secs(10), socket.read(&mut [0; 64])).await;
    // A reset is an end, too.
    assert_eq!(read.expect("the connection ends").unwrap_or(0), 0);
    start.elapsed()
}

async fn cut(world: &World, step: &str) -> u64 {
    let metrics = world.http.get(format!("http://{}/metrics", world.apis[0].internal)).send().await.unwrap();
    let metrics = metrics.text().await.unwrap();
    let counter = format!("storefront_connections_cut_total{{step=\"{step}\"}} ");
    metrics.lines().find_map(|line| line.strip_prefix(&counter)).map_or(0, |count| count.parse().unwrap())
}

#[tokio::test]
async fn a_client_that_does_not_end_its_head_loses_its_connection() {
    world(with(&["--header-timeout=400ms", "--idle-timeout=5s"]), async |world| {
        let before = cut(world, "head").await;
        let mut silent = connect(world).await;
        assert!(open_for(&mut silent).await < Duration::from_secs(3));

        // Bytes that keep coming do not help, on a new connection or on one that was used.
        for answered in [false, true] {
            let mut slow = connect(world).await;
            if answered {
                send(&mut slow, &head("GET", COURSES, "")).await;
                assert_eq!(status(&mut slow).await, 200);
            }
            let start = Instant::now();
            while slow.write_all(b"G").await.is_ok() && start.elapsed() < Duration::from_secs(4) {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            let time = start.elapsed();
            assert!(time > Duration::from_millis(300) && time < Duration::from_secs(3), "{time:?}");
        }
        assert!(cut(world, "head").await >= before + 3);
    })
    .await;
}

#[tokio::test]
async fn a_head_may_arrive_in_any_pieces() {
    world(with(&[]), async |world| {
        let request = head("GET", COURSES, "");
        let mut together = connect(world).await;
        // With the head of the next request, which ends its lines as old clients do.
        send(&mut together, &(request.clone() + &request.replace("\r\n", "\n"))).await;
        let mut answers = Vec::new();
        while String::from_utf8_lossy(&answers).matches("HTTP/1.1 200").count() < 2 {
            let read = tokio::time::timeout(Duration::from_secs(10), together.read_buf(&mut answers)).await;
            assert!(read.expect("two answers").unwrap() > 0);
        }
        let end = request.len() - 4;
        for at in [1, 10, end, end + 1, end + 2, end + 3] {
            let mut apart = connect(world).await;
            send(&mut apart, &request[..at]).await;
            tokio::time::sleep(Duration::from_millis(20)).await;
            send(&mut apart, &request[at..]).await;
            assert_eq!(status(&mut apart).await, 200, "in pieces of {at} bytes and the rest");
        }
        let mut old = connect(world).await;
        send(&mut old, &request.replace("\r\n", "\n")).await;
        assert_eq!(status(&mut old).await, 200);
        for (wrong, code) in [("{ }", 400), ("GET", 431)] {
            let mut answered = connect(world).await;
            send(&mut answered, &wrong.repeat(12_000)).await;
            assert_eq!(status(&mut answered).await, code, "{wrong}");
        }
    })
    .await;
}

#[tokio::test]
async fn an_idle_connection_stays_open_for_longer_than_a_slow_head() {
    world(with(&["--header-timeout=200ms", "--idle-timeout=1500ms"]), async |world| {
        let mut socket = connect(world).await;
        for _ in 0..2 {
            send(&mut socket, &head("GET", COURSES, "")).await;
            assert_eq!(status(&mut socket).await, 200);
            tokio::time::sleep(Duration::from_millis(700)).await;
        }
        let time = open_for(&mut socket).await;
        assert!(time > Duration::from_millis(500) && time < Duration::from_secs(5), "{time:?}");
    })
    .await;
}

#[tokio::test]
async fn a_connection_that_has_rested_answers_again_and_is_watched_as_before() {
    world(with(&["--header-timeout=400ms", "--idle-timeout=4s"]), async |world| {
        let request = head("GET", COURSES, "");
        let [mut rested, mut slow, mut silent] =
            [connect(world).await, connect(world).await, connect(world).await];
        for socket in [&mut rested, &mut slow, &mut silent] {
            send(socket, &request).await;
            assert_eq!(status(socket).await, 200);
        }
        let idle = open_for(&mut silent);
        let others = async {
            tokio::time::sleep(Duration::from_millis(1500)).await;
            send(&mut slow, "G").await;
            assert!(open_for(&mut slow).await < Duration::from_secs(2), "a slow head");
            for _ in 0..2 {
                send(&mut rested, &request).await;
                assert_eq!(status(&mut rested).await, 200);
            }
        };
        let (idle, ()) = tokio::join!(idle, others);
        assert!(idle > Duration::from_secs(3) && idle < Duration::from_secs(8), "{idle:?}");
    })
    .await;
}

#[tokio::test]
async fn what_follows_a_request_and_begins_no_other_keeps_no_thread_busy() {
    world(with(&["--header-timeout=400ms", "--idle-timeout=5s"]), async |world| {
        let request = head("GET", COURSES, "");
        let mut sockets = Vec::new();
        // More of each than the api has threads.
        for rest in ["\r\n", "-", "GE"].repeat(8) {
            let mut socket = connect(world).await;
            send(&mut socket, &format!("{request}{rest}")).await;
            assert_eq!(status(&mut socket).await, 200, "{rest:?}");
            sockets.push((rest, socket));
        }
        // Line breaks may also come later, and in any number.
        for pause in [Duration::ZERO, Duration::from_millis(1500)] {
            tokio::time::sleep(pause).await;
            for (_, socket) in sockets.iter_mut().filter(|(rest, _)| *rest == "\r\n") {
                send(socket, "\n\r\n").await;
            }
        }
        let mut flood = connect(world).await;
        assert!(
            flood.write_all("\n".repeat(10_000_000).as_bytes()).await.is_err(),
            "line breaks without end"
        );
        tokio::time::sleep(Duration::from_millis(600)).await;
        for (rest, mut socket) in sockets {
            if rest == "\r\n" {
                send(&mut socket, &request).await;
                assert_eq!(status(&mut socket).await, 200, "after a line break");
            } else {
                assert!(open_for(&mut socket).await < Duration::from_secs(2), "after {rest:?}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_body_that_does_not_arrive_in_time_is_answered() {
    world(with(&["--body-timeout=400ms"]), async |world| {
        let headers = "Content-Type: application/json\r\nContent-Length: 500\r\n";
        let mut socket = connect(world).await;
        send(&mut socket, &format!("{}{{", head("POST", CHECKOUT, headers))).await;
        let start = Instant::now();
        assert_eq!(status(&mut socket).await, 408);
        assert!(start.elapsed() < Duration::from_secs(3));
        open_for(&mut socket).await;
    })
    .await;
}

#[tokio::test]
async fn a_client_that_does_not_read_its_answers_loses_its_connection() {
    world(with(&["--body-timeout=500ms"]), async |world| {
        let before = cut(world, "answer").await;
        let small = TcpSocket::new_v4().unwrap();
        small.set_recv_buffer_size(4096).unwrap();
        let mut socket = small.connect(world.apis[0].public).await.unwrap();
        let (request, start) = (head("GET", "/storeapi/openapi.json", ""), Instant::now());
        // Requests one behind the other, so that a request is under way while the answer before it is stuck.
        while start.elapsed() < Duration::from_secs(10) && cut(world, "answer").await == before {
            let _ =
                tokio::time::timeout(Duration::from_millis(50), socket.write_all(request.as_bytes())).await;
        }
        assert!(cut(world, "answer").await > before, "the connection was still open after 10 s");
    })
    .await;
}

#[tokio::test]
async fn connections_beyond_the_bound_wait_for_a_free_one() {
    world(with(&["--max-connections=3"]), async |world| {
        let mut open = Vec::new();
        for _ in 0..3 {
            let mut socket = connect(world).await;
            send(&mut socket, &head("GET", COURSES, "")).await;
            assert_eq!(status(&mut socket).await, 200);
            open.push(socket);
        }
        let mut next = connect(world).await;
        send(&mut next, &head("GET", COURSES, "")).await;
        let early = tokio::time::timeout(Duration::from_millis(500), next.read(&mut [0; 16])).await;
        assert!(early.is_err(), "a fourth connection was served");
        open.pop();
        assert_eq!(status(&mut next).await, 200);
    })
    .await;
}

/// Sockets that announce a body of 64,000 bytes and send this much of it.
async fn slow_bodies(world: &World, count: usize, sent: usize) -> Vec<TcpStream> {
    let headers = "Content-Type: application/json\r\nContent-Length: 64000\r\n";
    let mut sockets = Vec::new();
    for _ in 0..count {
        let mut socket = connect(world).await;
        send(&mut socket, &format!("{}{}", head("POST", CHECKOUT, headers), " ".repeat(sent))).await;
        sockets.push(socket);
    }
    sockets
}

#[tokio::test]
async fn bodies_beyond_the_memory_for_them_are_refused_and_announced_ones_take_none() {
    world(with(&["--request-bodies-mib=2"]), async |world| {
        let body = json!({ "padding": " ".repeat(40_000) });
        let announced = slow_bodies(world, 30, 1).await;
        world.post(CHECKOUT, &body).await.assert_problem(400, "invalid_request");

        // An attempt that comes before a slow body was read may get that one refused instead.
        let (mut sent, mut attempt) = (slow_bodies(world, 16, 60_000).await, None);
        world
            .eventually("the memory is taken", async |world| {
                sent.extend(slow_bodies(world, 1, 60_000).await);
                attempt.insert(world.post(CHECKOUT, &body).await).status == 503
            })
            .await;
        assert!(sent.len() < 20, "{} bodies of 60,000 bytes", sent.len());
        let refused = attempt.expect("an attempt");
        assert_eq!(refused.assert_problem(503, "unavailable").header("retry-after"), "1");
        // Requests without a large body are answered all the time.
        world.post(CHECKOUT, &json!({ "x": 1 })).await.assert_problem(400, "invalid_request");
        assert_eq!(world.get(COURSES).await.status, 200);

        drop((announced, sent));
        world
            .eventually("the memory is free", async |world| world.post(CHECKOUT, &body).await.status == 400)
            .await;
    })
    .await;
}

/// A signature header that only the body could prove wrong.
fn plausible(world: &World) -> String {
    format!("Stripe-Signature: t={},v1={}\r\n", world.clock.now().timestamp(), "00".repeat(32))
}

#[tokio::test]
async fn bodies_of_notifications_leave_other_requests_their_memory() {
    world(with(&["--request-bodies-mib=2"]), async |world| {
        set(world, "stripe", "northwind", "whsec_one", None).await;
        let path = "/storeapi/payment/notifications/stripe/northwind/";
        let headers = format!("Content-Length: 1000000\r\n{}", plausible(world));
        // Together they exceed the memory for notifications; what waits for the rest of its body keeps what it has sent.
        let mut sockets = Vec::new();
        for _ in 0..27 {
            let mut socket = connect(world).await;
            send(&mut socket, &format!("{}{}", head("POST", path, &headers), " ".repeat(40_000))).await;
            sockets.push(socket);
        }
        let answers = sockets.iter_mut().map(|socket| Box::pin(status(socket)));
        let (refused, _, stalled) = future::select_all(answers).await;
        assert_eq!(refused, 503);
        // More than they have left, even if two were refused.
        let body = json!({ "padding": " ".repeat(60_000) });
        world.post(CHECKOUT, &body).await.assert_problem(400, "invalid_request");
        drop(stalled);
    })
    .await;
}

#[tokio::test]
async fn a_notification_that_cannot_be_genuine_is_refused_before_its_body() {
    world(with(&["--body-timeout=60s"]), async |world| {
        let signature = plausible(world);
        let stale = format!("Stripe-Signature: t=1,v1={}\r\n", "00".repeat(32));
        for (what, path, headers, expected) in [
            ("no signature", "stripe/northwind", String::new(), 400),
            ("a signature of no form", "stripe/northwind", "Stripe-Signature: x\r\n".to_owned(), 400),
            ("an old signature", "stripe/northwind", stale, 400),
            ("two signatures", "stripe/northwind", signature.repeat(2), 400),
            ("no such gateway", "paypal/northwind", signature.to_owned(), 404),
            ("no such organisation", "stripe/nowhere", signature.to_owned(), 400),
            ("no secret", "stripe/lindgren", signature.to_owned(), 400),
        ] {
            for expect in ["", "Expect: 100-continue\r\n"] {
                let path = format!("/storeapi/payment/notifications/{path}/");
                let mut socket = connect(world).await;
                let headers = format!("Content-Length: 1000000\r\n{expect}{headers}");
                send(&mut socket, &head("POST", &path, &headers)).await;
                assert_eq!(status(&mut socket).await, expected, "{what}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_client_that_speaks_http_2_is_sent_away_at_once() {
    world(with(&[]), async |world| {
        let mut socket = connect(world).await;
        send(&mut socket, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await;
        let mut answer = Vec::new();
        let read = socket.read_to_end(&mut answer);
        let _ = tokio::time::timeout(Duration::from_secs(3), read).await.expect("the connection ends");
        assert!(!answer.starts_with(b"HTTP/1.1 200"));
    })
    .await;
}

/// The api stops taking connections at once, and still answers the request that it has.
#[tokio::test]
async fn a_stopping_api_answers_the_requests_under_way_and_closes_the_idle_connections() {
    world(with(&[]), async |world| {
        let mut idle = connect(world).await;
        send(&mut idle, &head("GET", COURSES, "")).await;
        assert_eq!(status(&mut idle).await, 200);
        let headers = "Content-Type: application/json\r\nContent-Length: 2\r\n";
        let mut busy = connect(world).await;
        send(&mut busy, &head("POST", CHECKOUT, headers)).await;
        tokio::time::sleep(Duration::from_millis(200)).await;

        let api = world.apis.remove(0);
        let public: SocketAddr = api.public;
        let stopping = tokio::spawn(api.shutdown());
        assert!(open_for(&mut idle).await < Duration::from_secs(3));
        send(&mut busy, "{}").await;
        assert_eq!(status(&mut busy).await, 400);
        tokio::time::timeout(Duration::from_secs(5), stopping).await.expect("the api stops").unwrap();
        assert!(TcpStream::connect(public).await.is_err());
    })
    .await;
}
