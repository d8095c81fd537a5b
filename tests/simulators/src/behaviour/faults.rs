//! Faults on HTTP calls: an error status, a late answer, and a call that succeeds but whose answer is lost.

use std::time::{Duration, Instant};

use reqwest::{Method, StatusCode};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::World;

#[tokio::test]
async fn a_lost_answer_does_the_work_and_a_refused_call_does_not() {
    let world = World::new().await;
    world.user(json!({"email": "ada@example.com"})).await;
    world.fault(json!({"target": "platform", "path": "/enrollment/", "kind": "status", "status": 503})).await;
    world.fault(json!({"target": "platform", "path": "/enrollment/", "kind": "lost_answer"})).await;
    world.fault(json!({"target": "stripe", "kind": "status", "status": 500})).await;
    assert_eq!(world.enroll(json!({})).await.0, 503);
    assert_eq!(world.enrollments().await, json!([]));
    assert!(world.try_enroll(json!({})).await.is_err());
    assert_eq!(world.enrollments().await[0]["calls"], 1);
    assert_eq!(world.enroll(json!({})).await.0, 200);
    assert_eq!(world.enrollments().await[0]["calls"], 2);
}

#[tokio::test]
async fn a_lost_answer_sends_not_a_single_byte() {
    let world = World::new().await;
    world.fault(json!({"target": "platform", "kind": "lost_answer"})).await;
    let mut stream = TcpStream::connect(world.simulators.http).await.unwrap();
    stream.write_all(b"GET /platform/api/user/v1/me HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
    let mut answer = Vec::new();
    let ended = stream.read_to_end(&mut answer).await;
    assert!(ended.is_err() || answer.is_empty(), "{}", String::from_utf8_lossy(&answer));
}

#[tokio::test]
async fn faults_can_throttle_delay_and_be_cleared_and_bad_ones_are_refused() {
    let world = World::new().await;
    world.fault(json!({"target": "platform", "kind": "delay", "delay_ms": 200})).await;
    world.fault(json!({"target": "platform", "kind": "status", "status": 429, "count": 5})).await;
    let begun = Instant::now();
    let answer = world.client.get(world.simulators.url("/platform/api/user/v1/me")).send().await.unwrap();
    assert!(begun.elapsed() >= Duration::from_millis(200));
    assert_eq!(answer.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(answer.headers()["retry-after"], "1");
    let (status, _) = world.control(Method::DELETE, "/_sim/faults", json!({})).await;
    assert_eq!((status, world.enroll(json!({})).await.0), (204, 406));

    for bad in [
        json!({"target": "paypal", "kind": "delay", "delay_ms": 1}),
        json!({"target": "platform", "kind": "status"}),
        json!({"target": "smtp", "kind": "status", "status": 250}),
        json!({"target": "smtp", "kind": "delay"}),
        json!({"target": "platform", "kind": "lost_answer", "count": 0}),
        json!({"target": "platform", "kind": "lost_answer", "pathh": "/"}),
    ] {
        let (status, body) = world.control(Method::POST, "/_sim/faults", bad.clone()).await;
        assert!(status == 400 && body["error"].is_string(), "{bad}: {status} {body}");
    }
    assert_eq!(world.control(Method::GET, "/_sim/nothing", json!({})).await.0, 404);
}
