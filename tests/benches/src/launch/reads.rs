//! Warm reads at a constant rate over a few connections.

use std::sync::Arc;
use std::time::{Duration, Instant};

use harness::SECRET;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use super::seconds::{Kind, Seconds};

const CONNECTIONS: u32 = 32;

/// Reads the list of courses `per_second` times a second, until the end of the run.
pub fn start(base: &str, per_second: u32, seconds: &Arc<Seconds>) -> Vec<JoinHandle<()>> {
    let host = base.trim_start_matches("http://").to_owned();
    let pause = Duration::from_secs(1) * CONNECTIONS / per_second;
    let connection = |n| {
        let (host, seconds) = (host.clone(), Arc::clone(seconds));
        tokio::spawn(async move {
            let start = Instant::now() + pause * n / CONNECTIONS;
            read_on(&host, pause, start, &seconds).await;
        })
    };
    (0..CONNECTIONS).map(connection).collect()
}

/// Sends each request at its time, or as soon as the one before it is answered: the wait for that one then counts, too.
async fn read_on(host: &str, pause: Duration, start: Instant, seconds: &Seconds) {
    let request = format!(
        "GET /storeapi/discovery/courses/ HTTP/1.1\r\nhost: {host}\r\nclientapisecret: {SECRET}\r\n\r\n"
    );
    let mut socket = TcpStream::connect(host).await.expect("the api");
    let mut answer = vec![0; 256 * 1024];
    let mut due = start;
    while !seconds.are_over() {
        let mut begun = due;
        if due > Instant::now() {
            tokio::time::sleep_until(due.into()).await;
            // The timer's own delay is not the api's.
            begun = Instant::now();
        }
        socket.write_all(request.as_bytes()).await.expect("sent");
        let is_good = read_answer(&mut socket, &mut answer).await;
        seconds.add(if is_good { Kind::Read } else { Kind::ReadFailed }, begun.elapsed());
        due += pause;
    }
}

/// Reads one answer with its body, whose length the head names. Returns whether its status is 200.
async fn read_answer(socket: &mut TcpStream, buffer: &mut [u8]) -> bool {
    let mut filled = 0;
    loop {
        let read = socket.read(&mut buffer[filled..]).await.expect("read");
        assert!(read > 0, "the api has closed a connection");
        filled += read;
        let Some(head) = buffer[..filled].windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let text = std::str::from_utf8(&buffer[..head]).expect("a head").to_ascii_lowercase();
        let length = text.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("a length");
        if filled >= head + 4 + length.trim().parse::<usize>().expect("a number") {
            return text.starts_with("http/1.1 200");
        }
    }
}
