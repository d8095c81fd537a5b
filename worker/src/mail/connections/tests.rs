//! Conversations with mail servers, as servers have them.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::*;

/// A server's part of a conversation: what it waits for, and its answer.
type Script = &'static [(&'static str, &'static str)];

const ENVELOPE: &str = "MAIL FROM:<shop@example.org>\r\nRCPT TO:<ada@example.com>\r\nDATA\r\n";
const ONE_BY_ONE: Script = &[
    ("", "220 mx\r\n"),
    ("EHLO me\r\n", "250-mx\r\n250 8BITMIME\r\n"),
    ("EHLO me\r\n", "250-mx\r\n250 8BITMIME\r\n"),
    ("MAIL FROM:<shop@example.org>\r\n", "250 ok\r\n"),
    ("RCPT TO:<ada@example.com>\r\n", "250 ok\r\n"),
    ("DATA\r\n", "354 go\r\n"),
    ("\r\n.\r\n", "250 taken\r\n"),
];
const AT_ONCE: Script = &[
    ("", "220 mx\r\n"),
    ("EHLO me\r\n", "250-mx\r\n250 pipelining\r\n"),
    ("EHLO me\r\n", "250-mx\r\n250 pipelining\r\n"),
    (ENVELOPE, "250 ok\r\n250 ok\r\n354 go\r\n"),
    ("\r\n.\r\n", "250 taken\r\n"),
];

async fn play(stream: &mut TcpStream, script: Script) {
    for (wanted, answer) in script {
        let mut heard = String::new();
        while !heard.ends_with(wanted) {
            let mut buffer = [0; 4096];
            let length = stream.read(&mut buffer).await.unwrap();
            assert!(length > 0, "closed instead of {wanted:?}, after {heard:?}");
            heard.push_str(&String::from_utf8_lossy(buffer.get(..length).unwrap()));
        }
        // A client that waits for a reply has sent nothing beyond its command.
        assert!(*wanted == "\r\n.\r\n" || heard == *wanted, "{heard:?} instead of {wanted:?}");
        stream.write_all(answer.as_bytes()).await.unwrap();
    }
}

/// Sends a mail for each outcome to a server with these connections, one after the other.
async fn outcomes(scripts: &'static [&'static [Script]], mails: usize) -> Vec<Result<(), String>> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("smtp://{}/me", listener.local_addr().unwrap());
    let connections = Connections::new(&url.into(), &TlsSettings::default()).unwrap();
    let server = tokio::spawn(async move {
        for parts in scripts {
            let (mut stream, _) = listener.accept().await.unwrap();
            for script in *parts {
                play(&mut stream, script).await;
            }
        }
    });
    let mail = lettre::Message::builder()
        .from("shop@example.org".parse().unwrap())
        .to("ada@example.com".parse().unwrap())
        .body("Hello".to_owned())
        .unwrap();
    let mut outcomes = Vec::new();
    for _ in 0..mails {
        outcomes.push(connections.send(&mail).await.map_err(|error| causes::causes(&error)));
    }
    timeout(Duration::from_secs(10), server).await.expect("the whole script is played").unwrap();
    outcomes
}

#[tokio::test]
async fn commands_go_at_once_where_the_server_says_so() {
    assert_eq!(outcomes(&[&[ONE_BY_ONE]], 1).await, [Ok(())]);
    assert_eq!(outcomes(&[&[AT_ONCE]], 1).await, [Ok(())]);
}

#[tokio::test]
async fn the_next_mail_takes_the_same_connection_while_the_server_keeps_it() {
    const AGAIN: Script = &[(ENVELOPE, "250 ok\r\n250 ok\r\n354 go\r\n"), ("\r\n.\r\n", "250 taken\r\n")];
    const TIRED: Script = &[(ENVELOPE, "421 4.4.2 too long without a mail\r\n")];
    assert_eq!(outcomes(&[&[AT_ONCE, AGAIN, AGAIN]], 3).await, vec![Ok(()); 3]);
    assert_eq!(outcomes(&[&[AT_ONCE], &[AT_ONCE]], 2).await, vec![Ok(()); 2]);
    assert_eq!(outcomes(&[&[AT_ONCE, TIRED], &[AT_ONCE]], 2).await, vec![Ok(()); 2]);
    // Amazon SES, after ten seconds.
    const SES: Script =
        &[("MAIL FROM:<shop@example.org>\r\n", "451 4.4.2 Timeout waiting for data from client.\r\n")];
    assert_eq!(outcomes(&[&[ONE_BY_ONE, SES], &[ONE_BY_ONE]], 2).await, vec![Ok(()); 2]);
}

#[tokio::test]
async fn the_first_refusal_is_the_reason() {
    const REFUSED: Script = &[
        ("", "220 mx\r\n"),
        ("EHLO me\r\n", "250-mx\r\n250 PIPELINING\r\n"),
        ("EHLO me\r\n", "250-mx\r\n250 PIPELINING\r\n"),
        (ENVELOPE, "250 ok\r\n550 5.1.1 unknown\r\n554 5.5.1 no valid recipients\r\n"),
    ];
    // As Exim's `drop` does.
    const DROPPED: Script = &[
        ("", "220 mx\r\n"),
        ("EHLO me\r\n", "250-mx\r\n250 PIPELINING\r\n"),
        ("EHLO me\r\n", "503 5.5.1 duplicate\r\n"),
        ("MAIL FROM:<shop@example.org>\r\n", "250 ok\r\n"),
        ("RCPT TO:<ada@example.com>\r\n", "550 5.1.1 unknown\r\n"),
    ];
    const DROPPED_AT_ONCE: Script = &[
        ("", "220 mx\r\n"),
        ("EHLO me\r\n", "250-mx\r\n250 PIPELINING\r\n"),
        ("EHLO me\r\n", "250-mx\r\n250 PIPELINING\r\n"),
        (ENVELOPE, "250 ok\r\n550 5.1.1 unknown\r\n"),
    ];
    const SCRIPTS: [&[&[Script]]; 3] = [&[&[REFUSED]], &[&[DROPPED]], &[&[DROPPED_AT_ONCE]]];
    for script in SCRIPTS {
        let outcomes = outcomes(script, 1).await;
        assert!(outcomes[0].as_ref().is_err_and(|reason| reason.contains("5.1.1")), "{outcomes:?}");
    }
}

#[tokio::test]
async fn urls_are_read_as_documented() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let read = |url: &str| Connections::new(&url.to_owned().into(), &TlsSettings::default());
    for (url, port) in [
        ("smtps://a%40b:p%3Aq@mx.example.com", 465),
        ("smtp://mx.example.com?tls=required", 587),
        ("smtp://127.0.0.1", 25),
        ("smtp://[::1]:2525", 2525),
    ] {
        assert_eq!(read(url).ok().unwrap().0.port, port, "{url}");
    }
    assert_eq!(read("smtp://[::1]:2525").ok().unwrap().0.host, "::1");
    for url in [
        "smtp://mx.example.com",
        "smtp://mx.example.com?tls=opportunistic",
        "http://mx.example.com",
        "smtp:",
        "smtp://a?tls=no",
        "mx",
    ] {
        assert!(read(url).is_err(), "{url}");
    }
}
