//! Costs of a read and of each command for the processes that take part, with one, two and four processes of each service.
//! The costs with one process of each predict the rates with more: on a machine whose processors are the limit, the rate
//! is their time divided by the cost.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use harness::{ApiProcess, GUEST_CHECKOUT, ORGANISATIONS, Organisation, Reply, SECRET, Setup, World, world};
use serde_json::{Value, json};
use sqlx::Connection;
use tokio::process::{Child, Command};

use crate::checkout::FREE;
use crate::enroll::{LEARNERS, learners, measure, offers};
use crate::load::{Load, wrk_connections};
use crate::processes::{SHOWN, cpu, cpu_per};

const CALLERS: usize = 16;
const CONNECTIONS: usize = 32;
const ROUNDS: usize = 3;

/// CPU milliseconds by group of processes.
type Costs = BTreeMap<&'static str, f64>;

/// One measured load: requests a second, and what each cost.
struct Point {
    rate: f64,
    p50: f64,
    costs: Costs,
    database: DatabaseUse,
}

/// Work of PostgreSQL, since it started or for each request: statements (None without `pg_stat_statements`),
/// transactions, bytes of its log, and bytes of the tables and indexes.
#[derive(Clone, Copy, Default)]
struct DatabaseUse {
    statements: Option<f64>,
    transactions: f64,
    wal: f64,
    size: f64,
}

impl DatabaseUse {
    async fn read(world: &World) -> Self {
        let (transactions, wal, size) = sqlx::query_as::<_, (i64, f64, i64)>(
            "SELECT (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()),
                    (pg_current_wal_lsn() - '0/0')::float8, pg_database_size(current_database())",
        )
        .fetch_one(&world.db)
        .await
        .expect("figures of the database");
        Self {
            statements: statements(world).await.ok(),
            transactions: transactions as f64,
            wal,
            size: size as f64,
        }
    }

    fn per(self, before: Self, count: f64) -> Self {
        Self {
            statements: self.statements.zip(before.statements).map(|(now, before)| (now - before) / count),
            transactions: (self.transactions - before.transactions) / count,
            wal: (self.wal - before.wal) / count,
            size: (self.size - before.size) / count,
        }
    }
}

pub async fn run(loads: &[String], processes: &[usize]) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!(
        "{cores} processors; {CALLERS} callers, reads over {CONNECTIONS} connections; CPU ms for each request"
    );
    print!("{:<6} {:>5} {:>9} {:>7}", "load", "n", "rate", "p50 ms");
    for group in SHOWN {
        print!(" {group:>8}");
    }
    println!(
        " {:>8} {:>10} {:>9} {:>10} {:>12} {:>8} {:>8}",
        "sum", "predicted", "deviation", "statements", "transactions", "WAL B", "stored B"
    );
    for name in loads {
        let mut first = None;
        for &processes in processes {
            let point = measured(name, processes, processes).await;
            let sum: f64 = point.costs.values().sum();
            let cost = *first.get_or_insert(sum);
            let predicted = cores as f64 * 1000.0 / cost;
            print!("{name:<6} {processes:>5} {:>7.0}/s {:>7.1}", point.rate, point.p50);
            for group in SHOWN {
                print!(" {:>8.3}", point.costs.get(group).copied().unwrap_or_default());
            }
            let DatabaseUse { statements, transactions, wal, size } = point.database;
            println!(
                " {sum:>8.3} {predicted:>8.0}/s {:>8.0}% {:>10} {transactions:>12.1} {wal:>8.0} {size:>8.0}",
                (point.rate / predicted - 1.0) * 100.0,
                statements.map_or("-".to_owned(), |statements| format!("{statements:.1}"))
            );
        }
    }
}

/// Grants with each number of apis and of workers. The machine's processors bound the rate, so more processes must not lower
/// it; with more processors, they raise it.
pub async fn grants_by_processes(apis: &[usize], workers: &[usize]) {
    println!("{CALLERS} callers, median of {ROUNDS} rounds");
    println!("{:>5} {:>8} {:>9} {:>8} {:>8}", "apis", "workers", "grants", "p50 ms", "CPU ms");
    for &apis in apis {
        for &workers in workers {
            let mut rounds = Vec::new();
            for _ in 0..ROUNDS {
                rounds.push(measured("grant", apis, workers).await);
            }
            rounds.sort_by(|a, b| a.rate.total_cmp(&b.rate));
            let Point { rate, p50, costs, .. } = &rounds[ROUNDS / 2];
            let sum: f64 = costs.values().sum();
            println!("{apis:>5} {workers:>8} {rate:>7.0}/s {p50:>8.1} {sum:>8.3}");
        }
    }
}

/// The statements that a world's database has run. An error unless the server loads `pg_stat_statements` and the
/// administrator's database has the extension.
async fn statements(world: &World) -> Result<f64, sqlx::Error> {
    let url = harness::setting("TEST_DATABASE_ADMIN_URL", "postgres://postgres@127.0.0.1/postgres");
    let mut admin = sqlx::PgConnection::connect(&url).await?;
    let calls = "SELECT coalesce(sum(calls), 0)::float8 FROM pg_stat_statements
                 WHERE dbid = (SELECT oid FROM pg_database WHERE datname = $1)";
    sqlx::query_scalar(calls).bind(&world.name).fetch_one(&mut admin).await
}

async fn measured(name: &str, apis: usize, workers: usize) -> Point {
    let mut point = None;
    world(Setup { workers: 0, own_queues: true, ..Setup::default() }, async |world| {
        world.sell().await;
        let services = Services::start(world, apis, workers).await;
        point = Some(match name {
            "read" => read(&services).await,
            "free" => checkouts(world, &services, [FREE; 4]).await,
            "paid" => checkouts(world, &services, ORGANISATIONS).await,
            _ => grants(world, &services).await,
        });
        drop(services);
        // Finishes what the others left.
        world.start_worker().await;
    })
    .await;
    point.expect("measured")
}

/// The services, each a process of its own.
struct Services {
    apis: Vec<ApiProcess>,
    _workers: Vec<Child>,
    next: AtomicUsize,
}

impl Services {
    async fn start(world: &World, apis: usize, workers: usize) -> Self {
        let worker = |_| {
            let mut command = Command::new(crate::WORKER);
            command.args(["--log-filter=off", "run"]).args(&world.worker_args).kill_on_drop(true);
            command.spawn().expect("the worker's program")
        };
        let mut started = Vec::new();
        for _ in 0..apis {
            started.push(ApiProcess::start(world, crate::API, &[]).await);
        }
        let workers = (0..workers).map(worker).collect();
        tokio::time::sleep(Duration::from_secs(2)).await;
        Self { apis: started, _workers: workers, next: AtomicUsize::new(0) }
    }

    /// Posts to the apis in turn.
    async fn post(&self, world: &World, path: &str, body: &Value) -> Reply {
        let api = &self.apis[self.next.fetch_add(1, Ordering::Relaxed) % self.apis.len()];
        let request = world.http.post(format!("{}{path}", api.base)).header("clientapisecret", SECRET);
        Reply::read(request.json(body)).await
    }
}

/// The warm list of 8, from all apis at once.
async fn read(services: &Services) -> Point {
    let connections = CONNECTIONS / services.apis.len();
    let urls: Vec<_> =
        services.apis.iter().map(|api| format!("{}/storeapi/discovery/courses/", api.base)).collect();
    let load =
        async || -> Vec<Load> { join_all(urls.iter().map(|url| wrk_connections(url, connections))).await };
    load().await;
    let (before, start) = (cpu(), Instant::now());
    let loads = load().await;
    let rate: f64 = loads.iter().map(|load| load.per_second).sum();
    let costs = cpu_per(&before, rate * start.elapsed().as_secs_f64());
    Point { rate, p50: loads[0].p50, costs, database: DatabaseUse::default() }
}

async fn checkouts(world: &World, services: &Services, organisations: [Organisation; 4]) -> Point {
    let baskets = join_all(organisations.iter().map(|organisation| world.basket(organisation))).await;
    let nth = AtomicUsize::new(0);
    commands(world, async || {
        let nth = nth.fetch_add(1, Ordering::Relaxed);
        let mut body = baskets[nth % 4].clone();
        body["email"] = json!(format!("guest{nth}@example.com"));
        let reply = services.post(world, GUEST_CHECKOUT, &body).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
    })
    .await
}

async fn grants(world: &World, services: &Services) -> Point {
    let (offers, learners, nth) =
        (offers(world).await, learners(world, "learner").await, AtomicUsize::new(0));
    commands(world, async || {
        let nth = nth.fetch_add(1, Ordering::Relaxed);
        let (course, mode) = &offers[nth / LEARNERS % offers.len()];
        let body = json!({ "email": learners[nth % LEARNERS], "course_id": course, "mode": mode });
        let reply = services.post(world, "/storeapi/enrollments/client/enroll/", &body).await;
        assert_eq!(
            (reply.status, &reply.json["enrollment_state"]),
            (200, &"enrolled".into()),
            "{}",
            reply.text
        );
    })
    .await
}

/// Measures a command after a short run that fills pools and caches.
async fn commands(world: &World, call: impl AsyncFn()) -> Point {
    for _ in 0..4 {
        join_all((0..CALLERS).map(|_| call())).await;
    }
    let database = DatabaseUse::read(world).await;
    let (before, start) = (cpu(), Instant::now());
    let (rate, p50, _) = measure(CALLERS, call).await;
    // What the commands leave behind, mails and syncs, counts too: most of it runs within a second.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let count = rate * (start.elapsed().as_secs_f64() - 1.0);
    let database = DatabaseUse::read(world).await.per(database, count);
    Point { rate, p50, costs: cpu_per(&before, count), database }
}
