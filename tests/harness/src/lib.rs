//! An isolated world for each test: its own database, queues and cache keys on real servers, the real api and worker
//! in this process, and simulators of the external servers. A failure here fails the test, so this library may panic.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code that is no #[test] itself"
)]

mod api_process;
pub mod certificates;
pub mod collector;
pub mod database;
mod document;
mod e_invoices;
mod http;
pub mod leftovers;
mod logs;
mod measured;
pub mod platform_calls;
mod proxy;
mod queue_sets;
mod queues;
mod selling;
pub mod servers;
mod statements;
pub mod steps;
pub mod tampering;
mod times;

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clap::Args;
use futures_util::FutureExt;
use leftovers::Claim;
use serde_json::Value;
use shared::clock::Clock;
use shared::queue::Topology;
use sqlx::PgPool;
use tokio::runtime::RuntimeFlavor;
use tokio::sync::OnceCell;

pub use api_process::{ApiProcess, free_port, terminate};
pub use database::{EMPTY_CATALOG, ReplicaDatabase};
pub use http::{Reply, unknown_session};
pub use logs::logged;
pub use measured::prometheus;
pub use proxy::Proxy;
use queue_sets::Broker;
pub use selling::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, at_each_gateway};
use simulators::{Simulators, SimulatorsConfig};
pub use statements::Statement;
use times::Times;

/// These keys encrypt gateway credentials and notification secrets.
pub const GATEWAY_KEY: &str = "2222222222222222222222222222222222222222222222222222222222222222";
pub const NOTIFICATION_KEY: &str = "1111111111111111111111111111111111111111111111111111111111111111";
pub const SECRET: &str = "test-client-secret-test-client-secret";
pub const HINT_TOKEN: &str = "test-hint-token-test-hint-token-test";
pub const LINK_SECRET: &str = "test-link-secret-test-link-secret";
pub const IDENTITY_KEY: &str = "3333333333333333333333333333333333333333333333333333333333333333";

/// Time that a test waits for a condition: far longer than it takes, also on a machine that is busy with other work.
const PATIENCE: Duration = Duration::from_secs(180);

/// Pauses between two looks at a condition: an eighth of the time that it has waited.
const SHORTEST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// A test that takes longer hangs. The longest takes seven minutes beside others on two processors.
const LONGEST: Duration = Duration::from_secs(30 * 60);

/// Server addresses: `tests/run` sets them; the defaults are the usual local ports.
pub fn setting(name: &str, default: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| default.to_owned())
}

fn amqp_url() -> String {
    setting("TEST_AMQP_URL", "amqp://guest:guest@127.0.0.1:5672/%2f")
}

pub fn redis_url() -> String {
    setting("TEST_REDIS_URL", "redis://127.0.0.1:6379/0")
}

/// Returns whether this runtime does all its work on this thread: as in every test that has no runtime of its own.
/// Metrics and log lines of such a test are told from those of others in the same process by the thread.
fn has_its_thread() -> bool {
    tokio::runtime::Handle::current().runtime_flavor() == RuntimeFlavor::CurrentThread
}

/// A running storefront with its servers and simulators.
pub struct World {
    /// The name of its database, and the prefix of its cache keys.
    pub name: String,
    /// The prefix of its queues and exchanges.
    pub queue_prefix: String,
    /// No other test uses the queues, before or after this one.
    pub(crate) own_queues: bool,
    pub(crate) broker: Broker,
    pub simulators: Simulators,
    pub http: reqwest::Client,
    /// Connected as storefront_owner, for a test to prepare and inspect data.
    pub db: PgPool,
    /// The database's URL for storefront_owner.
    pub owner_url: String,
    pub clock: Clock,
    pub api_config: api::config::Config,
    /// The command line of `storefront-api`.
    pub api_args: Vec<String>,
    /// The command line of `storefront-worker run`.
    pub worker_args: Vec<String>,
    pub apis: Vec<api::Running>,
    pub workers: Vec<worker::Running>,
    proxies: Option<Proxies>,
    /// Number of messages that the test deliberately leaves in the dead-letter queue.
    pub expected_dead: u32,
    pub expected_unrouted: u32,
    /// The counters that the programs had when they started.
    counters: BTreeSet<String>,
    /// Secrets that must not appear in any log or metric.
    pub secrets: Mutex<Vec<String>>,
    claim: Claim,
}

/// Proxies between the services and their servers.
struct Proxies {
    amqp: Proxy,
    redis: Proxy,
    postgres: Proxy,
}

impl Proxies {
    async fn start(database_url: &str) -> Self {
        Self {
            amqp: Proxy::start(&proxy::address_of(&amqp_url(), 5672)).await,
            redis: Proxy::start(&proxy::address_of(&redis_url(), 6379)).await,
            postgres: Proxy::start_postgres(&proxy::address_of(database_url, 5432)).await,
        }
    }
}

/// Deviations from the default world.
#[derive(Clone)]
pub struct Setup {
    pub apis: usize,
    pub workers: usize,
    /// Arguments that are appended to the api's and the worker's default ones.
    pub api_args: Vec<String>,
    pub worker_args: Vec<String>,
    /// Start without the demo catalog.
    pub empty_catalog: bool,
    /// Use queues of the test's own, which it may delete or declare otherwise. Settings of queues imply it.
    pub own_queues: bool,
    /// Connect the services to their servers through proxies, which the test cuts.
    pub proxied: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            apis: 1,
            workers: 1,
            api_args: Vec::new(),
            worker_args: Vec::new(),
            empty_catalog: false,
            own_queues: false,
            proxied: false,
        }
    }
}

impl Setup {
    /// For tests of reads, and of what happens while no worker takes messages.
    pub fn without_workers() -> Self {
        Self { workers: 0, ..Self::default() }
    }

    /// For tests of payments: the reconciler runs so often that a test can wait for it.
    pub fn selling() -> Self {
        Self { worker_args: vec!["--reconcile-every=200ms".into()], ..Self::default() }
    }

    /// Whether other tests cannot use this one's queues.
    fn has_own_queues(&self) -> bool {
        let changed = |arguments: &[String]| queue_sets::change_queues(arguments);
        self.own_queues || changed(&self.api_args) || changed(&self.worker_args)
    }
}

/// Runs a test in its own world, and takes the world down however the test ends.
pub async fn world(setup: Setup, test: impl AsyncFnOnce(&mut World)) {
    let times = Times::begin();
    let mut world = World::new(setup).await;
    let bounded = async {
        let ended = tokio::time::timeout(LONGEST, test(&mut world)).await;
        ended.unwrap_or_else(|_| panic!("not done after {LONGEST:?}"));
    };
    let outcome = AssertUnwindSafe(bounded).catch_unwind().await;
    let left = world.take_down(outcome.is_ok()).await;
    times.record();
    match outcome {
        Ok(()) => assert_eq!(left, None, "messages or secrets were left over"),
        Err(panic) => {
            eprintln!("the last warnings and errors in the log:\n{}", logs::complaints());
            std::panic::resume_unwind(panic)
        }
    }
}

impl World {
    async fn new(setup: Setup) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        logs::capture();
        static SWEPT: OnceCell<()> = OnceCell::const_new();
        SWEPT.get_or_init(leftovers::sweep).await;
        let name = format!("t{}", uuid::Uuid::now_v7().simple());
        let broker = Broker::default();
        let own_queues = setup.has_own_queues();
        let queue_prefix = if own_queues { name.clone() } else { broker.take_set().await };
        let claim = Claim::new(&name, &queue_prefix);
        let database = database::create(&name).await;
        if setup.empty_catalog {
            database::empty(&database).await;
        }
        let simulators = simulators::start(SimulatorsConfig::default()).await.expect("simulators start");
        let proxies = if setup.proxied { Some(Proxies::start(&database.api).await) } else { None };
        let servers = Servers {
            name: &name,
            queue_prefix: &queue_prefix,
            proxies: proxies.as_ref(),
            simulators: &simulators,
        };
        let api_args = [servers.api_args(&database.api), setup.api_args].concat();
        let worker_args = [servers.worker_args(&database.worker), setup.worker_args].concat();
        let mut world = Self {
            db: PgPool::connect(&database.owner).await.expect("database"),
            owner_url: database.owner.clone(),
            http: reqwest::Client::builder()
                .redirect(reqwest::redirect::Policy::none())
                .build()
                .expect("client"),
            clock: Clock::default(),
            apis: Vec::new(),
            workers: Vec::new(),
            expected_dead: 0,
            expected_unrouted: 0,
            counters: BTreeSet::new(),
            secrets: Mutex::new(secrets()),
            claim,
            name,
            queue_prefix,
            own_queues,
            broker,
            simulators,
            api_config: parse(&api_args),
            api_args,
            worker_args,
            proxies,
        };
        for _ in 0..setup.apis {
            world.start_api().await;
        }
        for _ in 0..setup.workers {
            world.start_worker().await;
        }
        world
    }

    /// The proxy in front of the broker.
    pub fn amqp(&self) -> &Proxy {
        &self.proxies().amqp
    }

    /// The proxy in front of Redis.
    pub fn redis(&self) -> &Proxy {
        &self.proxies().redis
    }

    /// The proxy in front of PostgreSQL.
    pub fn postgres(&self) -> &Proxy {
        &self.proxies().postgres
    }

    fn proxies(&self) -> &Proxies {
        self.proxies.as_ref().expect("Setup::proxied")
    }

    /// Adds arguments to the api's and the worker's, for those that start later.
    pub fn configure(&mut self, api_args: Vec<String>, worker_args: Vec<String>) {
        let changed = queue_sets::change_queues(&api_args) || queue_sets::change_queues(&worker_args);
        assert!(self.own_queues || !changed, "other tests use these queues, too: see Setup::own_queues");
        self.api_args.extend(api_args);
        self.worker_args.extend(worker_args);
        self.api_config = parse(&self.api_args);
    }

    /// Starts an api replica, and waits until it is connected to the broker.
    pub async fn start_api(&mut self) {
        let api =
            api::start(self.api_config.clone(), self.clock.clone(), prometheus()).await.expect("api starts");
        let ready = format!("http://{}/readyz", api.internal);
        self.apis.push(api);
        let broker = "broker";
        self.eventually("the api is ready", async |world| {
            let Ok(response) = world.http.get(&ready).send().await else { return false };
            response.json::<Value>().await.is_ok_and(|ready| ready[broker] == true)
        })
        .await;
        self.note_counters().await;
    }

    /// Starts a worker, and waits until it is ready.
    pub async fn start_worker(&mut self) {
        let worker = worker::start(parse(&self.worker_args), self.clock.clone(), prometheus());
        let worker = worker.await.expect("worker starts");
        let ready = format!("http://{}/readyz", worker.internal);
        self.workers.push(worker);
        self.eventually("the worker is ready", async |world| {
            world.http.get(&ready).send().await.is_ok_and(|response| response.status().is_success())
        })
        .await;
        self.note_counters().await;
    }

    /// Stops the apis and workers, where a test's own servers end before its world.
    pub async fn stop(&mut self) {
        for api in self.apis.drain(..) {
            api.shutdown().await;
        }
        for worker in self.workers.drain(..) {
            worker.shutdown().await;
        }
    }

    /// Waits until the condition holds; fails the test with `what` when time runs out.
    pub async fn eventually(&self, what: &str, mut holds: impl AsyncFnMut(&Self) -> bool) {
        self.eventually_within(PATIENCE, what, &mut holds).await;
    }

    /// As [`World::eventually`], with a time limit.
    pub async fn eventually_within(
        &self,
        time: Duration,
        what: &str,
        holds: &mut impl AsyncFnMut(&Self) -> bool,
    ) {
        let start = Instant::now();
        while !holds(self).await {
            assert!(start.elapsed() < time, "condition did not hold within {time:?}: {what}");
            // Many looks in a row would cost more than what they wait for.
            tokio::time::sleep((start.elapsed() / 8).clamp(SHORTEST_PAUSE, LONGEST_PAUSE)).await;
        }
    }

    /// Takes the world down. Returns what is wrong, as text: messages left in queues that should be empty, and log
    /// lines that contain a secret.
    async fn take_down(mut self, look: bool) -> Option<String> {
        if let Some(proxies) = &self.proxies {
            proxies.amqp.restore();
            proxies.postgres.restore();
        }
        if look && !self.workers.is_empty() {
            self.settle().await;
        }
        if look {
            self.check_metrics().await;
            e_invoices::check(&self).await;
            if !self.apis.is_empty() || !self.workers.is_empty() {
                self.check_counters().await;
            }
        }
        let secrets = self.secrets.lock().expect("secrets").clone();
        self.stop().await;
        let left = if look { queues::left_over(&self).await } else { None };
        if look && !self.own_queues {
            self.broker.return_set(&self.queue_prefix).await;
        } else {
            self.broker.delete(&Topology::new(&self.api_config.queue)).await;
        }
        self.simulators.shutdown().await;
        self.db.close().await;
        database::drop(&self.name).await;
        self.claim.release();
        let told = if look { logs::telling(&secrets) } else { None };
        told.map(|line| format!("a secret is logged: {line}")).or(left)
    }
}

/// The secrets of every world; each platform user adds more.
fn secrets() -> Vec<String> {
    let simulators = SimulatorsConfig::default();
    let mut secrets: Vec<String> = vec![SECRET.into(), LINK_SECRET.into(), HINT_TOKEN.into()];
    secrets.extend([GATEWAY_KEY.into(), NOTIFICATION_KEY.into(), IDENTITY_KEY.into()]);
    secrets.extend([simulators.client_secret, simulators.jwt_secret]);
    for account in simulators.accounts {
        secrets.push(account.notification_secret);
        // Where an account has two keys, the first one is not secret.
        secrets.push(if account.key_secret.is_empty() { account.key } else { account.key_secret });
    }
    secrets
}

/// Servers from which the services' settings in a world are made.
struct Servers<'a> {
    name: &'a str,
    queue_prefix: &'a str,
    proxies: Option<&'a Proxies>,
    simulators: &'a Simulators,
}

impl Servers<'_> {
    fn common(&self, database: &str) -> Vec<String> {
        let through = |url: &str, chosen: fn(&Proxies) -> &Proxy| match self.proxies {
            None => url.to_owned(),
            Some(proxies) => proxy::replace_address(url, chosen(proxies).address),
        };
        vec![
            format!("--database-url={}", through(database, |proxies| &proxies.postgres)),
            format!("--redis-url={}", through(&redis_url(), |proxies| &proxies.redis)),
            format!("--redis-prefix={}", self.name),
            format!("--amqp-url={}", through(&amqp_url(), |proxies| &proxies.amqp)),
            format!("--queue-prefix={}", self.queue_prefix),
            "--retry-delays=100ms,300ms,1s".to_owned(),
            format!("--link-secret={LINK_SECRET}"),
            "--public-base-url=http://store.test".to_owned(),
            "--allow-plaintext=false".to_owned(),
            "--otel-exporter-otlp-endpoint=".to_owned(),
        ]
    }

    fn api_args(&self, database: &str) -> Vec<String> {
        let own = [
            "--api-listen=127.0.0.1:0".to_owned(),
            "--api-internal-listen=127.0.0.1:0".to_owned(),
            format!("--client-api-secret={SECRET}"),
            format!("--platform-url={}", self.simulators.url("/platform")),
            format!(
                "--jwt-keys-file={}",
                concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/demo-platform-keys.json")
            ),
            "--jwt-issuers=http://127.0.0.1:8090/oauth2".to_owned(),
            "--jwt-audiences=openedx".to_owned(),
            "--allowed-origins=http://store.test".to_owned(),
            // Most tests send bursts of requests.
            "--rate-limit-per-minute=0".to_owned(),
            // On a machine that many tests share, a worker may take longer to start than a caller of a shop waits.
            "--ask-deadline=60s".to_owned(),
            "--failed-credentials-per-minute=0".to_owned(),
            format!("--identity-keys={IDENTITY_KEY}"),
            format!("--registration-hint-token={HINT_TOKEN}"),
            format!("--notification-keys={NOTIFICATION_KEY}"),
            format!("--stripe-script-url={}", self.simulators.url("/stripe/v3/")),
            format!("--razorpay-script-url={}", self.simulators.url("/razorpay/v1/checkout.js")),
        ];
        [&self.common(database)[..], &own].concat()
    }

    fn worker_args(&self, database: &str) -> Vec<String> {
        let own = [
            "--worker-internal-listen=127.0.0.1:0".to_owned(),
            format!("--platform-url={}", self.simulators.url("/platform")),
            "--platform-client-id=storefront-worker".to_owned(),
            "--platform-client-secret=demo-platform-secret".to_owned(),
            format!("--smtp-url=smtp://{}", self.simulators.smtp),
            "--mail-from=Storefront <no-reply@store.test>".to_owned(),
            "--platform-calls-per-minute=0".to_owned(),
            "--webhook-allow-private=true".to_owned(),
            // Its calls would use up the faults that tests set.
            "--erase-retired-every=0s".to_owned(),
            "--read-payouts-every=0s".to_owned(),
            format!("--gateway-keys={GATEWAY_KEY}"),
            format!("--notification-keys={NOTIFICATION_KEY}"),
            format!("--stripe-url={}", self.simulators.url("/stripe")),
            format!("--mollie-url={}", self.simulators.url("/mollie/v2")),
            format!("--razorpay-url={}", self.simulators.url("/razorpay/v1")),
            format!("--curlec-url={}", self.simulators.url("/curlec/v1")),
            format!("--vies-url={}", self.simulators.url("/vies/rest-api")),
        ];
        [&self.common(database)[..], &own].concat()
    }
}

/// Parses settings as the command line does. All values are given, so that no environment variable has an effect.
fn parse<C: Args>(args: &[String]) -> C {
    let command =
        C::augment_args(clap::Command::new("service").no_binary_name(true).args_override_self(true));
    let matches = command.try_get_matches_from(args).unwrap_or_else(|e| panic!("{e}"));
    C::from_arg_matches(&matches).unwrap_or_else(|e| panic!("{e}"))
}
