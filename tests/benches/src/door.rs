//! Costs of an attacker at the public listener for the other callers: 5,000 slow sockets beside reads, and 200 unknown
//! sessions a second beside known learners. Each figure is compared with the same load without the attack.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::http::Method;
use futures_util::future::join_all;
use harness::{ApiProcess, Setup, World, unknown_session, world};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{interval, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::load::{Load, median, wrk};

const SOCKETS: usize = 5_000;
const ROUNDS: usize = 3;

/// Interval at which a slow socket sends a byte.
const TRICKLE: Duration = Duration::from_secs(2);

const LEARNERS: u64 = 400;
/// Learners' requests a second: each asks once in two seconds.
const PACE: u64 = 200;
const UNKNOWN_PER_SECOND: u64 = 200;
/// More calls than the platform gets in a run.
const DELAYS: u64 = 1_000_000;

const FLOOD: Duration = Duration::from_secs(60);

pub async fn run() {
    let setup = || Setup { apis: 0, workers: 0, own_queues: true, ..Setup::default() };
    world(setup(), async |world| slow_sockets(world).await).await;
    world(setup(), async |world| unknown_sessions(world).await).await;
}

async fn slow_sockets(world: &mut World) {
    let api = ApiProcess::start(world, crate::API, &[]).await;
    let list = format!("{}/storeapi/discovery/courses/", api.base);
    wrk(&list).await;
    let mut rounds: Vec<(Load, Load)> = Vec::new();
    let (mut fewest, mut alone_memory) = (SOCKETS, 0);
    for _ in 0..ROUNDS {
        let alone = wrk(&list).await;
        alone_memory = alone_memory.max(api.memory("VmRSS"));
        let attack = SlowSockets::start(&api.base).await;
        let beside = wrk(&list).await;
        fewest = fewest.min(attack.end().await);
        rounds.push((alone, beside));
    }
    let of = |figure: fn(&(Load, Load)) -> f64| median(rounds.iter().map(figure).collect());
    println!(
        "warm list of 8, 32 connections, beside {SOCKETS} slow sockets ({fewest} open at least), median of {ROUNDS}"
    );
    println!("  alone   {:>8.0}/s  p99 {:.2} ms", of(|round| round.0.per_second), of(|round| round.0.p99));
    println!("  beside  {:>8.0}/s  p99 {:.2} ms", of(|round| round.1.per_second), of(|round| round.1.p99));
    println!("  ratio   {:.2}", of(|round| round.1.per_second / round.0.per_second));
    println!("  memory  {alone_memory} MiB alone, {} MiB at most", api.memory("VmHWM"));
}

/// Sockets that send a byte now and then: a third in the request line, a third in a body, a third after a request.
struct SlowSockets {
    open: Arc<AtomicUsize>,
    stop: CancellationToken,
    tasks: Vec<tokio::task::JoinHandle<()>>,
}

impl SlowSockets {
    async fn start(base: &str) -> Self {
        let address = base.trim_start_matches("http://").to_owned();
        let (open, stop) = (Arc::new(AtomicUsize::new(0)), CancellationToken::new());
        let task = |at: usize| {
            let (address, open, stop) = (address.clone(), Arc::clone(&open), stop.clone());
            tokio::spawn(async move {
                // The api ends a slow connection; the attacker opens the next one.
                let attacking = async {
                    loop {
                        trickle(&address, at, &open).await;
                    }
                };
                stop.run_until_cancelled(attacking).await;
            })
        };
        let tasks = (0..SOCKETS).map(task).collect();
        while open.load(Ordering::Relaxed) < SOCKETS * 99 / 100 {
            sleep(Duration::from_millis(50)).await;
        }
        Self { open, stop, tasks }
    }

    /// Closes the sockets. Returns how many were open.
    async fn end(self) -> usize {
        let open = self.open.load(Ordering::Relaxed);
        self.stop.cancel();
        join_all(self.tasks).await;
        sleep(Duration::from_secs(1)).await;
        open
    }
}

/// Opens a connection and keeps it busy with single bytes until the api closes it.
async fn trickle(address: &str, at: usize, open: &AtomicUsize) {
    let begin = match at % 3 {
        0 => "GET /storeapi/discovery/courses/ HTTP/1.1\r\nx-filler: ",
        1 => {
            // Without a credential the api would refuse the request before its body.
            concat!(
                "POST /storeapi/discovery/guest/checkout/ HTTP/1.1\r\nhost: a\r\nclientapisecret: ",
                "test-client-secret-test-client-secret",
                "\r\ncontent-type: application/json\r\ncontent-length: 60000\r\n\r\n{"
            )
        }
        _ => "GET /storeapi/openapi.json/ HTTP/1.1\r\nhost: a\r\nif-none-match: *\r\n\r\n",
    };
    let Ok(mut socket) = TcpStream::connect(address).await else { return sleep(TRICKLE).await };
    open.fetch_add(1, Ordering::Relaxed);
    if socket.write_all(begin.as_bytes()).await.is_ok() {
        let mut answer = [0; 4096];
        loop {
            match timeout(TRICKLE, socket.read(&mut answer)).await {
                Ok(Ok(1..)) => {}
                Ok(_) => break,
                // The last third stays idle: a byte would begin its next request.
                Err(_) if at % 3 == 2 => {}
                Err(_) if socket.write_all(b"a").await.is_err() => break,
                Err(_) => {}
            }
        }
    }
    open.fetch_sub(1, Ordering::Relaxed);
}

async fn unknown_sessions(world: &mut World) {
    // The limit of failed credentials is the default one.
    let settings = ["--trusted-proxies=127.0.0.0/8", "--failed-credentials-per-minute=60"];
    let api = ApiProcess::start(world, crate::API, &settings).await;
    let learners: Vec<String> = sessions(world).await;
    // A platform that takes as long as a real one.
    world.fault(json!({ "target": "platform", "path": "/api/user/", "kind": "delay", "delay_ms": 30, "count": DELAYS })).await;
    known(world, &api.base, &learners).await;
    println!("{LEARNERS} learners, {PACE} requests a second for {} s", FLOOD.as_secs());
    let alone = known(world, &api.base, &learners).await;
    println!("  {:<34} p50 {:.2}  p99 {:.2} ms  {} refused", "alone", alone.p50, alone.p99, alone.refused);
    for (name, peers) in [("beside 200 unknown a second, 1 peer", 1), ("…, 50,000 peers", 50_000)] {
        let calls = platform_calls(world).await;
        let (beside, unknown) =
            tokio::join!(known(world, &api.base, &learners), flood(world, &api.base, peers));
        let calls = platform_calls(world).await - calls;
        println!(
            "  {name:<34} p50 {:.2}  p99 {:.2} ms  {} refused  {:.2} of p99 alone; unknown answered: {unknown:?}; {calls} calls of the platform",
            beside.p50,
            beside.p99,
            beside.refused,
            beside.p99 / alone.p99
        );
    }
}

async fn sessions(world: &World) -> Vec<String> {
    let mut sessions = Vec::new();
    for at in 0..LEARNERS {
        let user: Value = world.platform_user(&format!("learner{at}@example.com")).await;
        sessions.push(user["sessionid"].as_str().expect("a session").to_owned());
    }
    sessions
}

struct Known {
    p50: f64,
    p99: f64,
    refused: usize,
}

/// Requests of the learners in turn, at a steady pace.
async fn known(world: &World, base: &str, learners: &[String]) -> Known {
    let (end, mut tick) = (Instant::now() + FLOOD, interval(Duration::from_micros(1_000_000 / PACE)));
    let mut asked = Vec::new();
    for session in learners.iter().cycle() {
        tick.tick().await;
        if Instant::now() > end {
            break;
        }
        let request = world.http.get(format!("{base}/storeapi/discovery/courses/"));
        let request = request.header("cookie", format!("sessionid={session}"));
        asked.push(tokio::spawn(async move {
            let start = Instant::now();
            let answer = request.send().await;
            (start.elapsed().as_secs_f64() * 1000.0, answer.is_ok_and(|answer| answer.status() == 200))
        }));
    }
    let answers: Vec<_> = join_all(asked).await.into_iter().map(|answer| answer.expect("a task")).collect();
    let mut times: Vec<f64> = answers.iter().map(|(time, _)| *time).collect();
    times.sort_by(f64::total_cmp);
    let refused = answers.iter().filter(|(_, is_read)| !is_read).count();
    Known { p50: times[times.len() / 2], p99: times[times.len() * 99 / 100], refused }
}

/// Sessions of the right form that the platform never issued. Returns how many were answered with each status.
async fn flood(world: &World, base: &str, peers: u64) -> BTreeMap<u16, usize> {
    let end = Instant::now() + FLOOD;
    let mut tick = interval(Duration::from_micros(1_000_000 / UNKNOWN_PER_SECOND));
    let mut asked = Vec::new();
    for at in 0.. {
        tick.tick().await;
        if Instant::now() > end {
            break;
        }
        let peer = at * 7_919 % peers;
        let request = world.http.get(format!("{base}/storeapi/discovery/courses/"));
        let request = request.header("cookie", unknown_session());
        let request = request.header("x-forwarded-for", format!("10.{}.{}.1", peer / 250, peer % 250));
        asked.push(tokio::spawn(
            async move { request.send().await.map_or(0, |answer| answer.status().as_u16()) },
        ));
    }
    let mut statuses = BTreeMap::new();
    for status in join_all(asked).await {
        *statuses.entry(status.expect("a task")).or_default() += 1;
    }
    statuses
}

/// Counts the calls that the platform has answered: each used up one delay.
async fn platform_calls(world: &World) -> u64 {
    let faults = world.sim(Method::GET, "/_sim/faults", None).await;
    DELAYS - faults[0]["count"].as_u64().expect("the delays that are left")
}
