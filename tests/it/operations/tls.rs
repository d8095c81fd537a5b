//! TLS to every server, with a private authority: all works with it, and a connection that is not verified is refused.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use harness::certificates::{Authority, Front, Opening};
use harness::servers::{PostgreSql, RabbitMq, Redis};
use harness::steps::demo::{FREE_COURSE, FREE_KEY, PAID_COURSE, organisation};
use harness::steps::worker_program::{SETTINGS, operator};
use harness::{Setup, World, world};
use serde_json::json;
use tokio::process::Command;

use crate::broker_users::definitions;

const API: &str = env!("CARGO_BIN_EXE_storefront-api-under-test");
const WORKER: &str = env!("CARGO_BIN_EXE_storefront-worker-under-test");

/// A file of authorities, which goes with its value.
pub struct AuthorityFile(PathBuf);

impl AuthorityFile {
    pub fn new(authority: &Authority) -> Self {
        let path = std::env::temp_dir().join(format!("{}.pem", uuid::Uuid::now_v7()));
        std::fs::write(&path, authority.pem()).unwrap();
        Self(path)
    }

    pub fn setting(&self) -> String {
        format!("--tls-ca-file={}", self.0.display())
    }
}

impl Drop for AuthorityFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The servers of a storefront, which talk TLS alone.
struct Servers {
    postgresql: PostgreSql,
    redis: Redis,
    rabbitmq: RabbitMq,
    platform: Front,
    mail: Front,
}

impl Servers {
    async fn start(world: &World, authority: &Authority) -> Self {
        let certificate = authority.certify("localhost");
        let postgresql = PostgreSql::start(&certificate);
        postgresql.psql("postgres", &["-c", "CREATE DATABASE shop OWNER storefront_owner"]);
        Self {
            postgresql,
            redis: Redis::start(&certificate),
            rabbitmq: RabbitMq::start(Some(&certificate), &definitions(&world.queue_prefix)),
            platform: Front::start(&certificate, world.simulators.http, Opening::Tls).await,
            mail: Front::start(&certificate, world.simulators.smtp, Opening::StartTls).await,
        }
    }

    fn database(&self, role: &str) -> String {
        format!("--database-url={}?sslmode=verify-full", self.postgresql.url(role, "shop"))
    }

    fn redis(&self) -> String {
        format!("--redis-url={}", self.redis.url())
    }

    fn broker(&self, user: &str) -> String {
        format!("--amqp-url={}", self.rabbitmq.url("amqps", user))
    }

    fn platform(&self) -> String {
        format!("--platform-url=https://localhost:{}/platform", self.platform.address.port())
    }

    /// Settings that both programs need, with the database's role and the broker's user of one of them.
    fn settings(&self, account: &str, file: &AuthorityFile) -> Vec<String> {
        vec![self.database(account), self.redis(), self.broker(account), self.platform(), file.setting()]
    }
}

#[tokio::test]
#[ignore = "slow"]
async fn everything_works_over_tls_with_a_private_authority_and_nothing_without_it() {
    world(Setup { apis: 0, workers: 0, ..Setup::default() }, async |world| {
        let (authority, stranger) = (Authority::new(), Authority::new());
        let (file, other_file) = (AuthorityFile::new(&authority), AuthorityFile::new(&stranger));
        let servers = Servers::start(world, &authority).await;
        let catalog = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/demo-catalog/catalog.jsonl");
        let (owner, worker) = (servers.database("storefront_owner"), servers.database("storefront_worker"));
        for words in [
            &["migrate", &owner, &file.setting()][..],
            &["catalog", "import", catalog, &worker, &servers.redis(), &file.setting()],
        ] {
            let (done, said) = operator(world, words, &[]).await;
            assert!(done, "{words:?}: {said}");
        }
        let mail = format!("--smtp-url=smtp://localhost:{}?tls=required", servers.mail.address.port());
        let worker_settings = [servers.settings("storefront_worker", &file), vec![mail]].concat();
        world.configure(servers.settings("storefront_api", &file), worker_settings);
        world.start_worker().await;
        world.start_api().await;
        sells(world).await;
        trusts_no_other_server(world, &servers, &file, &other_file).await;
        world.stop().await;
    })
    .await;
}

/// A catalog read with the api's own account of its servers, a checkout whose enrollment reaches the platform, and a mail.
async fn sells(world: &World) {
    let courses = world.get("/storeapi/discovery/courses/?limit=2").await;
    assert_eq!(courses.json["courses"].as_array().map(Vec::len), Some(2), "{}", courses.text);
    // The first read waits for Redis less than a handshake may take.
    let has_redis = async |world: &World| {
        world.get("/storeapi/discovery/courses/?limit=3").await;
        let ready = world.http.get(format!("http://{}/readyz", world.apis[0].internal));
        let ready: serde_json::Value = ready.send().await.unwrap().json().await.unwrap();
        ["database", "broker", "redis"].iter().all(|server| ready[server] == true)
    };
    world.eventually("the api reads Redis", has_redis).await;
    world.platform_user("ada@example.com").await;
    let basket = json!({
        "email": "ada@example.com",
        "organisation_id": organisation(world, "northwind").await,
        "items": [{ "type": "course", "id": FREE_COURSE, "mode": "audit" }],
    });
    let checkout = world.post(harness::GUEST_CHECKOUT, &basket).await;
    assert_eq!((checkout.status, &checkout.json["status"]), (200, &json!("free")), "{}", checkout.text);
    world.platform_agrees("ada@example.com", FREE_KEY, "audit", true).await;
    assert_eq!(world.enroll("new@example.com", PAID_COURSE, "verified").await.status, 200);
    let is_invited = async |world: &World| world.emails("new@example.com").await.len() == 1;
    world.eventually("a mail", is_invited).await;
}

/// Each server with the right authority, with another one, and under a name that its certificate does not have.
async fn trusts_no_other_server(
    world: &World,
    servers: &Servers,
    file: &AuthorityFile,
    other_file: &AuthorityFile,
) {
    let prefix = format!("--queue-prefix={}", world.queue_prefix);
    let none: &[&str] = &[];
    for (words, setting, others) in [
        (&["catalog", "export"][..], servers.database("storefront_worker"), none),
        (&["cache", "clear"], servers.redis(), none),
        (
            &["dead", "list", &prefix, "--retry-delays=100ms,300ms,1s"],
            servers.broker("storefront_worker"),
            none,
        ),
        (&["doctor"], servers.platform(), SETTINGS),
    ] {
        let under_its_address = setting.replace("localhost", "127.0.0.1");
        for (setting, file, trusted) in
            [(&setting, file, true), (&setting, other_file, false), (&under_its_address, file, false)]
        {
            let (done, said) = operator(world, &[words, &[setting, &file.setting()]].concat(), others).await;
            assert_eq!(done, trusted, "{words:?} {setting}: {said}");
        }
    }
}

#[tokio::test]
async fn a_mail_server_whose_certificate_is_not_valid_gets_no_mail() {
    world(Setup { workers: 0, ..Setup::default() }, async |world| {
        let (authority, stranger) = (Authority::new(), Authority::new());
        let file = AuthorityFile::new(&authority);
        let smtp = world.simulators.smtp;
        let front = Front::start(&stranger.certify("localhost"), smtp, Opening::Tls).await;
        let url = format!("--smtp-url=smtps://localhost:{}", front.address.port());
        world.configure(Vec::new(), vec![url, file.setting()]);
        world.start_worker().await;
        assert_eq!(world.enroll("new@example.com", PAID_COURSE, "verified").await.status, 200);
        let refused = async |count: u32| {
            world.eventually("the worker has hung up", async |_| front.refused() > count).await;
        };
        refused(0).await;
        front.show(&authority.certify("elsewhere.test"));
        // One more for a connection that was under way when the certificate changed.
        refused(front.refused() + 1).await;
        assert_eq!(world.emails("new@example.com").await.len(), 0);
        front.show(&authority.certify("localhost"));
        let is_invited = async |world: &World| world.emails("new@example.com").await.len() == 1;
        world.eventually("a mail", is_invited).await;
    })
    .await;
}

/// Runs a program that must not start, and returns what it says.
async fn refusal(program: &str, words: &[String]) -> String {
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let output = tokio::time::timeout(Duration::from_secs(30), command.output()).await;
    let output = output.unwrap_or_else(|_| panic!("{program} has started with {:?}", words.last())).unwrap();
    assert!(!output.status.success(), "{:?}", words.last());
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

#[tokio::test]
#[ignore = "slow"]
async fn another_machine_is_not_reached_without_tls() {
    world(Setup { apis: 0, workers: 0, ..Setup::default() }, async |world| {
        let worker = [vec!["run".to_owned()], world.worker_args.clone()].concat();
        for (setting, urls) in [
            (
                "DATABASE_URL",
                &[
                    "postgres://a:b@db.test/x",
                    "postgres://a:b@db.test/x?sslmode=require",
                    "postgres://a:b@10.0.0.1/x?sslmode=verify-ca",
                ][..],
            ),
            ("REDIS_URL", &["redis://cache.test", "redis://[fd00::1]:6379/0"]),
            ("AMQP_URL", &["amqp://a:b@broker.test/%2f"]),
            ("PLATFORM_URL", &["http://lms.test/"]),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", &["http://collector.test:4318"]),
            ("SMTP_URL", &["smtp://mail.test:25", "smtp://mail.test?tls=opportunistic"]),
            ("STRIPE_URL", &["http://stripe.test"]),
            ("MOLLIE_URL", &["http://mollie.test"]),
            ("RAZORPAY_URL", &["http://razorpay.test"]),
            ("CURLEC_URL", &["http://curlec.test"]),
            ("VIES_URL", &["http://vies.test"]),
            ("EVENT_BUS_REDIS_URL", &["redis://bus.test"]),
        ] {
            let both =
                ["DATABASE_URL", "REDIS_URL", "AMQP_URL", "PLATFORM_URL", "OTEL_EXPORTER_OTLP_ENDPOINT"];
            let is_apis = both.contains(&setting);
            for url in urls {
                let argument = format!("--{}={url}", setting.to_lowercase().replace('_', "-"));
                let mut programs = vec![(WORKER, [&worker[..], &["--event-bus-stream=x".into()]].concat())];
                if is_apis {
                    programs.push((API, world.api_args.clone()));
                }
                for (program, words) in programs {
                    let words: Vec<String> = words
                        .into_iter()
                        .filter(|word| !word.starts_with("--event-bus") || setting == "EVENT_BUS_REDIS_URL")
                        .filter(|word| word.split('=').next() != argument.split('=').next())
                        .chain([argument.clone()])
                        .collect();
                    let said = refusal(program, &words).await;
                    assert!(said.contains(setting) && said.contains("ALLOW_PLAINTEXT=true"), "{url}: {said}");
                    assert!(!said.contains("a:b"), "{said}");
                }
            }
        }
    })
    .await;
}

#[tokio::test]
async fn an_operator_may_allow_plaintext_but_no_unverified_certificate() {
    world(Setup { apis: 0, workers: 0, ..Setup::default() }, async |world| {
        for (url, refused) in
            [("redis://cache.test", "ALLOW_PLAINTEXT"), ("rediss://cache.test/#insecure", "#insecure")]
        {
            let url = format!("--redis-url={url}");
            let (done, said) = operator(world, &["cache", "clear", &url], &[]).await;
            assert!(!done && said.contains(refused), "{said}");
            let (done, said) =
                operator(world, &["cache", "clear", &url, "--allow-plaintext=true"], &[]).await;
            assert_eq!((done, said.contains("REDIS_URL")), (false, refused == "#insecure"), "{said}");
        }
        let (done, said) = operator(world, &["cache", "clear", "--tls-ca-file=/dev/null"], &[]).await;
        assert!(!done && said.contains("tls-ca-file") && said.contains("no certificate"), "{said}");
    })
    .await;
}

#[tokio::test]
async fn the_platforms_url_is_asked_for_where_it_is_used() {
    world(Setup { apis: 0, workers: 0, ..Setup::default() }, async |world| {
        let without = |words: &[String]| -> Vec<String> {
            words.iter().filter(|word| !word.starts_with("--platform-url")).cloned().collect()
        };
        let worker = without(&[vec!["run".to_owned()], world.worker_args.clone()].concat());
        for (program, words) in [(API, without(&world.api_args)), (WORKER, worker)] {
            assert!(refusal(program, &words).await.contains("--platform-url"));
        }
        let (done, said) = operator(world, &["catalog", "export"], &["database-url"]).await;
        assert!(done, "{said}");
    })
    .await;
}
