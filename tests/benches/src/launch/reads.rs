//! Warm reads at a constant rate over a few connections.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use harness::SECRET;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Builder;

use super::seconds::{Kind, Seconds};
use crate::processes;

const CONNECTIONS: u32 = 32;

/// Reads the list of courses `per_second` times a second, until the end of the run. In a thread of its own, which the kernel prefers,
/// so that a read waits for the api alone, and not for the simulators and buyers of this process.
pub fn start(base: &str, per_second: u32, seconds: &Arc<Seconds>) -> JoinHandle<()> {
    let (host, seconds) = (base.trim_start_matches("http://").to_owned(), Arc::clone(seconds));
    let pause = Duration::from_secs(1) * CONNECTIONS / per_second;
    thread::spawn(move || {
        let thread = std::fs::read_link("/proc/thread-self").expect("Linux");
        processes::prefer(thread.file_name().expect("its id"));
        let start = Instant::now();
        let readers =
            (0..CONNECTIONS).map(|n| read_on(&host, pause, start + pause * n / CONNECTIONS, &seconds));
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(join_all(readers));
    })
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
