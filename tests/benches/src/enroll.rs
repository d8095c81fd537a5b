//! Grants over HTTP, with and without the wait for the platform's verdict, beside a bare echo: the same publisher, a
//! queue of the same kind, and a consumer that only replies and acknowledges.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use harness::{Setup, World, world};
use lapin::BasicProperties;
use lapin::options::{BasicAckOptions, BasicQosOptions};
use lapin::types::FieldTable;
use shared::messages::{Queue, ResolveRegistration};
use shared::queue::{Destination, Envelope, OnReply, Publisher, REPLY_TO, Reply, Topology};
use shared::settings::QueueSettings;
use shared::tls::TlsSettings;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const TIME: Duration = Duration::from_secs(5);

/// Number of accounts that are granted each of the catalog's courses in turn.
pub const LEARNERS: usize = 500;

pub async fn run() {
    compare("wait for the platform's verdict", "2s").await;
    compare("do not wait", "0").await;
}

/// Measures grants that wait up to this long for the platform's verdict, beside the echo.
async fn compare(what: &str, verdict_wait: &str) {
    println!("grants that {what}");
    let worker_args = vec![format!("--platform-verdict-wait={verdict_wait}")];
    world(Setup { own_queues: true, worker_args, ..Setup::default() }, async |world| {
        let echo = Echo::start(world).await;
        let offers = offers(world).await;
        let learners = learners(world, "learner").await;
        let nth = AtomicUsize::new(0);
        println!("{:>8}  {:>32}  {:>32}  rate  p99", "callers", "grants", "echo");
        for callers in [1, 16, 64] {
            let mut rounds = Vec::new();
            for _ in 0..3 {
                let grants = measure(callers, async || {
                    // Each grant is a new enrollment of a learner known to the storefront.
                    let nth = nth.fetch_add(1, Ordering::Relaxed);
                    let (course, mode) = &offers[nth / LEARNERS % offers.len()];
                    let reply = world.enroll(&learners[nth % LEARNERS], course, mode).await;
                    assert_eq!((reply.status, &reply.json["enrollment_state"]), (200, &"enrolled".into()));
                });
                let grants = grants.await;
                rounds.push((grants, measure(callers, async || echo.ask().await).await));
            }
            rounds.sort_by(|a, b| (a.0.0 / a.1.0).total_cmp(&(b.0.0 / b.1.0)));
            let (grants, echoes) = rounds[1];
            let show = |(rate, p50, p99): Figures| format!("{rate:.0}/s p50 {p50:.1} p99 {p99:.1} ms");
            let (rate, p99) = (grants.0 / echoes.0, grants.2 / echoes.2);
            println!("{callers:>8}  {:>32}  {:>32}  {rate:.2}  {p99:.1}", show(grants), show(echoes));
        }
        let made = nth.load(Ordering::Relaxed);
        assert!(made <= LEARNERS * offers.len(), "{made} grants: not all of them were new");
        println!("{:>8}  {:>32}", "pgbench", pgbench(world).await);
        echo.stop.cancel();
    })
    .await;
}

/// Courses with a mode that a partner can grant.
pub async fn offers(world: &World) -> Vec<(String, String)> {
    sqlx::query_as(
        "SELECT DISTINCT ON (course_id) course_id::text, slug FROM course_modes WHERE expires_at IS NULL ORDER BY course_id",
    )
    .fetch_all(&world.db)
    .await
    .expect("offers")
}

/// Platform accounts that the storefront knows: `NAME0@example.com` and so on.
pub async fn learners(world: &World, name: &str) -> Vec<String> {
    let mut emails = Vec::new();
    for n in 0..LEARNERS {
        let email = format!("{name}{n}@example.com");
        let user = world.platform_user(&email).await;
        sqlx::query(
            "INSERT INTO learners (id, platform_user_id, username, email, name, created_at, updated_at)
             VALUES (gen_random_uuid(), $1, $2, $3, '', now(), now())",
        )
        .bind(user["user_id"].as_i64())
        .bind(user["username"].as_str())
        .bind(&email)
        .execute(&world.db)
        .await
        .expect("a learner");
        emails.push(email);
    }
    emails
}

/// Writes as many rows as a grant does (enrollment, grant, audit entry, outbox insert and delete, stored answer) in
/// one transaction.
async fn pgbench(world: &World) -> String {
    let table = "CREATE TABLE bench (id bigserial PRIMARY KEY, a text, b text, c timestamptz DEFAULT now())";
    sqlx::query(table).execute(&world.db).await.expect("a table");
    let insert =
        "INSERT INTO bench (a, b) VALUES ('a text of some length', 'another one') RETURNING id \\gset\n";
    let script = format!("BEGIN;\n{}DELETE FROM bench WHERE id = :id;\nCOMMIT;\n", insert.repeat(5));
    let file = std::env::temp_dir().join(format!("{}.sql", world.name));
    std::fs::write(&file, script).expect("written");
    let url = world.worker_args.iter().find_map(|argument| argument.strip_prefix("--database-url="));
    let program = std::fs::read_dir("/usr/lib/postgresql")
        .ok()
        .and_then(|versions| Some(versions.flatten().last()?.path().join("bin/pgbench")))
        .unwrap_or_else(|| "pgbench".into());
    let output = tokio::process::Command::new(program)
        .args(["-n", "-c", "16", "-j", "2", "-T", "5", "-M", "prepared", "-f"])
        .arg(&file)
        .arg(url.expect("a database"))
        .output()
        .await
        .expect("pgbench, as PostgreSQL brings it");
    std::fs::remove_file(file).expect("removed");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap_or_default().to_owned();
    format!("16 clients: {}, {}", line("tps"), line("latency average"))
}

/// Requests per second, and latencies in milliseconds.
pub type Figures = (f64, f64, f64);

pub async fn measure(callers: usize, call: impl AsyncFn()) -> Figures {
    let start = Instant::now();
    let one = async |_| {
        let mut times = Vec::new();
        while start.elapsed() < TIME {
            let begun = Instant::now();
            call().await;
            times.push(begun.elapsed().as_secs_f64() * 1000.0);
        }
        times
    };
    let mut times: Vec<f64> =
        futures_util::future::join_all((0..callers).map(one)).await.into_iter().flatten().collect();
    let seconds = start.elapsed().as_secs_f64();
    times.sort_by(f64::total_cmp);
    (times.len() as f64 / seconds, times[times.len() / 2], times[times.len() * 99 / 100])
}

type Pending = Arc<Mutex<HashMap<Uuid, oneshot::Sender<()>>>>;

pub struct Echo {
    publisher: Publisher,
    pending: Pending,
    pub stop: CancellationToken,
}

impl Echo {
    /// The echo has its own queues beside those of the world.
    pub async fn start(world: &World) -> Self {
        let mut settings = world.api_config.queue.clone();
        settings.queue_prefix = format!("{}echo", world.name);
        let tls = world.api_config.tls.clone();
        let stop = CancellationToken::new();
        let pending = Pending::default();
        let waiting = Arc::clone(&pending);
        let on_reply: OnReply = Arc::new(move |reply| {
            if let Reply::Answer(id, _) = reply {
                let caller = waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
                let _ = caller.map(|caller| caller.send(()));
            }
        });
        let publisher = Publisher::start(&settings, &tls, "bench", Some(on_reply), stop.clone());
        tokio::spawn(answer(settings, tls, stop.clone()));
        while !publisher.is_up() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Self { publisher, pending, stop }
    }

    pub async fn ask(&self) {
        let message =
            ResolveRegistration { email: "ada@example.com".to_owned().try_into().expect("an address") };
        let mut envelope = Envelope::task(&message, chrono::DateTime::UNIX_EPOCH).expect("a task");
        envelope.reply_to = Some(REPLY_TO.to_owned());
        let (caller, reply) = oneshot::channel();
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).insert(envelope.id, caller);
        self.publisher.publish(&envelope, Destination::Commands).await.expect("published");
        reply.await.expect("a reply");
    }
}

async fn answer(settings: QueueSettings, tls: TlsSettings, stop: CancellationToken) {
    let topology = Topology::new(&settings);
    let connection =
        shared::queue::connect(&settings, &tls, &topology, "bench echo").await.expect("the broker");
    let channel = connection.create_channel().await.expect("a channel");
    channel.basic_qos(32, BasicQosOptions::default()).await.expect("qos");
    let queue = topology.queue(Queue::Registration);
    let mut asked = channel
        .basic_consume(queue.as_str().into(), "echo".into(), Default::default(), FieldTable::default())
        .await
        .expect("the queue");
    let answering = async {
        while let Some(Ok(delivery)) = asked.next().await {
            let to = delivery.properties.reply_to().clone().expect("a question");
            let id = delivery.properties.correlation_id().clone().expect("a question");
            let properties = BasicProperties::default().with_correlation_id(id);
            channel
                .basic_publish("".into(), to, Default::default(), b"{}", properties)
                .await
                .expect("replied");
            delivery.ack(BasicAckOptions::default()).await.expect("acknowledged");
        }
    };
    tokio::select! {
        () = answering => {}
        () = stop.cancelled() => topology.delete(&channel).await.expect("queues deleted"),
    }
}
