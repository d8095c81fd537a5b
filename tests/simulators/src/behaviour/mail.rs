//! The simulated mail server, through a raw connection.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use super::{SimulatorsConfig, World};

/// Sends the lines one by one, as a client without pipelining does; returns the last answer.
async fn deliver(world: &World, lines: &[&str]) -> String {
    let mut stream = TcpStream::connect(world.simulators.smtp).await.unwrap();
    let mut answer = String::new();
    for line in std::iter::once(&"").chain(lines) {
        stream.write_all(line.as_bytes()).await.unwrap();
        let mut buffer = [0; 1024];
        let length = stream.read(&mut buffer).await.unwrap_or_default();
        answer = String::from_utf8_lossy(&buffer[..length]).into_owned();
    }
    answer
}

const MAIL: [&str; 5] = [
    "EHLO client.test\r\n",
    "MAIL FROM:<shop@example.com> BODY=8BITMIME\r\n",
    "RCPT TO:<Ada@example.com>\r\n",
    "DATA\r\n",
    concat!(
        "Message-ID: <1@shop>\r\nFrom: The shop <shop@example.com>\r\nTo: Ada@example.com\r\n",
        "Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\r\nMIME-Version: 1.0\r\n",
        "Content-Type: multipart/alternative; boundary=b\r\n\r\n",
        "--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nHello\r\n..dot\r\n",
        "--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>Hello</p>\r\n--b--\r\n.\r\n",
    ),
];

#[tokio::test]
async fn a_mail_is_kept_with_both_bodies_and_shown_on_the_page() {
    let world = World::new().await;
    assert!(deliver(&world, &MAIL).await.starts_with("250"));
    let emails = world.emails("ada%40example.com").await;
    let email = &emails[0];
    assert_eq!((&email["subject"], &email["message_id"]), (&json!("Grüße"), &json!("1@shop")));
    assert_eq!((&email["to"], &email["html"]), (&json!("Ada@example.com"), &json!("<p>Hello</p>")));
    assert_eq!(email["text"].as_str().unwrap().lines().nth(1), Some(".dot"));
    assert_eq!(world.emails("bob%40example.com").await, json!([]));
    let (status, page) = world.get("/_sim/", "").await;
    assert!(status == 200 && page.contains("Grüße") && page.contains("&lt;p&gt;Hello"), "{page}");
    assert!(
        page.contains("The shop")
            && page.contains("<small>shop@example.com</small><small>to Ada@example.com</small>"),
        "{page}"
    );
    let (_, text) = world.get("/_sim/?mail=0&as=text", "").await;
    assert!(text.contains("\n.dot") && !text.contains("&lt;p&gt;Hello"), "{text}");
    for (path, status) in
        [("mails/0/0", 404), ("assets/northwind/logo.png", 200), ("assets/northwind/x", 404)]
    {
        assert_eq!(world.get(&format!("/_sim/{path}"), "").await.0, status, "{path}");
    }
}

#[tokio::test]
async fn a_mail_can_be_let_come_back() {
    let receiver = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://storefront:secret@{}/reports/", receiver.local_addr().unwrap());
    let world =
        World::with(SimulatorsConfig { mail_report_url: Some(url), ..SimulatorsConfig::default() }).await;
    deliver(&world, &MAIL).await;
    let received = async {
        let (mut stream, _) = receiver.accept().await.unwrap();
        let mut received = String::new();
        while !received.contains("--report--") {
            let mut buffer = [0; 4096];
            let length = stream.read(&mut buffer).await.unwrap();
            assert!(length > 0, "{received}");
            received.push_str(&String::from_utf8_lossy(&buffer[..length]));
        }
        stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.unwrap();
        received
    };
    let both =
        async { tokio::join!(world.control(Method::POST, "/_sim/mails/0/bounce", json!({})), received) };
    let ((status, _), received) = tokio::time::timeout(Duration::from_secs(30), both).await.unwrap();
    assert_eq!(status, 303);
    // "storefront:secret".
    for part in [
        "authorization: Basic c3RvcmVmcm9udDpzZWNyZXQ=",
        "Delivered-To: shop@example.com",
        "Status: 5.1.1",
        "<1@shop>",
    ] {
        assert!(received.contains(part), "{part}: {received}");
    }
    assert_eq!(world.control(Method::POST, "/_sim/mails/1/bounce", json!({})).await.0, 404);
    let without = World::new().await;
    assert_eq!(without.control(Method::POST, "/_sim/mails/0/bounce", json!({})).await.0, 400);
}

#[tokio::test]
async fn mail_faults_refuse_a_recipient_or_lose_the_answer_of_a_kept_message() {
    let world = World::new().await;
    world.fault(json!({"target": "smtp", "path": "ada@", "kind": "status", "status": 451})).await;
    assert!(deliver(&world, &MAIL[..3]).await.starts_with("451"));
    assert_eq!(world.emails("ada%40example.com").await, json!([]));
    world.fault(json!({"target": "smtp", "kind": "lost_answer"})).await;
    assert_eq!(deliver(&world, &MAIL).await, "");
    assert_eq!(world.emails("ada%40example.com").await.as_array().map(Vec::len), Some(1));
}
