//! Grants over HTTP, beside a bare echo: the same publisher and a queue of the same kind, and a consumer that does
//! nothing but reply and acknowledge.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use lapin::BasicProperties;
use lapin::options::{BasicAckOptions, BasicQosOptions};
use lapin::types::FieldTable;
use shared::messages::{Message, ResolveRegistration};
use shared::queue::{Destination, Envelope, OnReply, Publisher, Queue, Reply, Topology};
use shared::settings::QueueSettings;
use tests::harness::{Setup, World, world};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const COURSE: &str = "ad035fc9-afd5-49f2-85d8-8ac83dd05a77";
const TIME: Duration = Duration::from_secs(5);

pub async fn run() {
    world(Setup::default(), async |world| {
        let echo = Echo::start(world).await;
        println!("{:>8}  {:>28}  {:>28}  ratio", "callers", "grants", "echo");
        for callers in [1, 16, 64] {
            let mut rounds = Vec::new();
            for _ in 0..3 {
                let grants = measure(callers, async |caller, nth| {
                    // An unknown address each time: a row, a grant, an audit entry, a mail and the stored answer.
                    let email = format!("c{caller}-{nth}@{}.example.com", Uuid::now_v7().simple());
                    assert_eq!(world.enroll(&email, COURSE, "verified").await.status, 200);
                });
                let grants = grants.await;
                rounds.push((grants, measure(callers, async |_, _| echo.ask().await).await));
            }
            rounds.sort_by(|a, b| (a.0.0 / a.1.0).total_cmp(&(b.0.0 / b.1.0)));
            let (grants, echoes) = rounds[1];
            let show = |(rate, p50, p99): Figures| format!("{rate:.0}/s p50 {p50:.1} p99 {p99:.1} ms");
            println!("{callers:>8}  {:>28}  {:>28}  {:.2}", show(grants), show(echoes), grants.0 / echoes.0);
        }
        echo.stop.cancel();
    })
    .await;
}

/// Per second, and latencies in milliseconds.
type Figures = (f64, f64, f64);

async fn measure(callers: usize, call: impl AsyncFn(usize, usize)) -> Figures {
    let start = Instant::now();
    let one = async |caller| {
        let mut times = Vec::new();
        while start.elapsed() < TIME {
            let begun = Instant::now();
            call(caller, times.len()).await;
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

struct Echo {
    publisher: Publisher,
    pending: Pending,
    stop: CancellationToken,
}

impl Echo {
    /// Queues of its own, beside those of the world.
    async fn start(world: &World) -> Self {
        let mut settings = world.api_config.queue.clone();
        settings.queue_prefix = format!("{}echo", world.name);
        let stop = CancellationToken::new();
        let pending = Pending::default();
        let waiting = Arc::clone(&pending);
        let on_reply: OnReply = Arc::new(move |reply| {
            if let Reply::Answer(id, _) = reply {
                let caller = waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
                let _ = caller.map(|caller| caller.send(()));
            }
        });
        let publisher = Publisher::start(&settings, "bench", Some(on_reply), stop.clone());
        tokio::spawn(answer(settings, stop.clone()));
        while !publisher.is_up() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Self { publisher, pending, stop }
    }

    async fn ask(&self) {
        let message =
            ResolveRegistration { email: "ada@example.com".to_owned().try_into().expect("an address") };
        let (id, now) = (Uuid::now_v7(), chrono::DateTime::UNIX_EPOCH);
        let envelope = Envelope::new(id, &Message::from(message), now).expect("a message").asked_until(now);
        let (caller, reply) = oneshot::channel();
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).insert(id, caller);
        self.publisher.publish(&envelope, Destination::Commands).await.expect("published");
        reply.await.expect("a reply");
    }
}

async fn answer(settings: QueueSettings, stop: CancellationToken) {
    let topology = Topology::new(&settings);
    let connection = shared::queue::connect(&settings, &topology, "bench echo").await.expect("the broker");
    let channel = connection.create_channel().await.expect("a channel");
    channel.basic_qos(32, BasicQosOptions::default()).await.expect("qos");
    let queue = topology.queue(Queue::Platform);
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
