//! `doctor` of both programs: what it says of servers that are well, and of each that is not.

use std::process::{Child, Stdio};

use harness::servers::RabbitMq;
use harness::steps::invoices::{report, requested, sell_through, sold};
use harness::steps::organisation_keys::key;
use harness::steps::payments::EMAIL;
use harness::steps::tax::{import, seller};
use harness::steps::worker_program::{SETTINGS, command};
use harness::{Setup, World, free_port, logged, world};
use lapin::ConnectionProperties;
use serde_json::{Value, json};
use shared::organisation_key::Scope;
use sqlx::{Connection as _, PgConnection};
use tokio::process::Command;

use crate::broker_users::{definitions, publish};

const API: &str = env!("CARGO_BIN_EXE_storefront-api-under-test");

/// The checks, by their names: what each says.
pub type Checks = Vec<(String, String, String)>;

async fn checks(mut doctor: Command) -> Checks {
    let output = doctor.output().await.unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let checks: Vec<Value> =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"));
    let text = |check: &Value, name: &str| check[name].as_str().unwrap().to_owned();
    let checks: Checks = checks
        .iter()
        .map(|check| (text(check, "name"), text(check, "status"), text(check, "detail")))
        .collect();
    assert_eq!(output.status.success(), failed(&checks).is_empty(), "{said}");
    checks
}

pub fn failed(checks: &Checks) -> Vec<&str> {
    checks.iter().filter(|check| check.1 == "failed").map(|check| check.0.as_str()).collect()
}

pub fn detail<'a>(checks: &'a Checks, name: &str) -> &'a str {
    &checks.iter().find(|check| check.0 == name).unwrap_or_else(|| panic!("{name}: {checks:?}")).2
}

/// A setting as an argument of the command line.
fn argument(setting: &str, value: &str) -> String {
    format!("--{}={value}", setting.to_lowercase().replace('_', "-"))
}

/// The worker's doctor, with other values of these settings.
pub async fn worker(world: &World, others: &[&str]) -> Checks {
    let is_other = |name: &&&str| others.iter().any(|other| other.starts_with(&format!("--{name}=")));
    let all = [SETTINGS, &["platform-url"]].concat();
    let settings: Vec<&str> = all.iter().filter(|name| !is_other(name)).copied().collect();
    checks(command(world, &[&["doctor", "--json"], others].concat(), &settings)).await
}

/// The api's doctor, with other values of these settings.
async fn api(world: &World, others: &[&str]) -> Checks {
    let mut doctor = Command::new(API);
    let name = |argument: &str| argument.split('=').next().map(str::to_owned);
    let is_other = |argument: &&String| others.iter().any(|other| name(other) == name(argument));
    doctor.args(others);
    doctor.args(world.api_args.iter().filter(|argument| !is_other(argument))).args(["doctor", "--json"]);
    checks(doctor).await
}

#[tokio::test]
async fn documents_that_wait_for_another_system_are_told() {
    world(Setup::selling(), async |world| {
        sell_through(world, "cleared").await;
        let own = key(world, "northwind", &[Scope::Events, Scope::Documents]).await;
        sold(world, EMAIL, Value::Null).await;
        world.drain().await;
        let said = async |world: &World| {
            let all = worker(world, &[]).await;
            let (_, status, detail) =
                all.into_iter().find(|check| check.0 == "documents of northwind").unwrap();
            (status, detail.split(" since ").next().unwrap().to_owned())
        };
        let waiting = |status: &str, detail: &str| (status.to_owned(), detail.to_owned());
        assert_eq!(said(world).await, waiting("ok", "1 wait for another system, the oldest"));
        let refused = json!({ "status": "refused", "reason": "tax number unknown" });
        let asked = requested(world, &own).await[0].clone();
        assert_eq!(report(world, &own, &asked, &refused).await.status, 200);
        assert_eq!(
            said(world).await,
            waiting("warning", "1 wait for another system, 1 of them refused, the oldest")
        );
    })
    .await;
}

#[tokio::test]
async fn servers_that_are_well_are_said_to_be() {
    world(Setup::default(), async |world| {
        world.sell().await;
        let worker = worker(world, &[]).await;
        assert!(failed(&worker).is_empty(), "{worker:?}");
        for name in [
            "database",
            "schema",
            "database role",
            "database writes",
            "broker",
            "broker permissions",
            "redis",
            "redis keys",
            "platform token",
            "platform accounts",
            "platform email search",
            "platform enrollments",
            "platform certificates",
            "mail server",
            "mail records",
            "VIES",
            "time zones",
            "account of northwind at stripe",
            "webhook secret of northwind, current",
            "clock",
        ] {
            assert!(worker.iter().any(|check| check.0 == name && check.1 == "ok"), "{name}: {worker:?}");
        }
        let accounts = worker.iter().filter(|check| check.0.starts_with("account of")).count();
        assert_eq!(accounts, harness::ORGANISATIONS.len());
        let api = api(world, &[]).await;
        assert!(failed(&api).is_empty(), "{api:?}");
        for name in [
            "database role",
            "broker permissions",
            "redis keys",
            "redis client tracking",
            "JWT keys",
            "platform",
        ] {
            assert!(api.iter().any(|check| check.0 == name && check.1 == "ok"), "{name}: {api:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_time_zone_that_the_database_does_not_know_is_named() {
    world(Setup::default(), async |world| {
        let shop = &harness::ORGANISATIONS[0];
        import(world, &[seller(shop, "DE", json!({ "time_zone": "Europe/Berlin" }))]).await.unwrap();
        let update = "UPDATE organisations SET seller = jsonb_set(seller, '{time_zone}', '\"Asia/Gone\"') WHERE short_name = 'northwind'";
        sqlx::query(update).execute(&world.db).await.unwrap();
        let checks = worker(world, &[]).await;
        assert!(failed(&checks).contains(&"time zones"), "{checks:?}");
        assert!(detail(&checks, "time zones").contains("does not know Asia/Gone of northwind"), "{checks:?}");
    })
    .await;
}

#[tokio::test]
async fn the_service_account_needs_its_rights() {
    world(Setup::default(), async |world| {
        for (client, fix) in [
            (json!({ "restricted": true, "staff": true }), "RestrictedApplication"),
            (json!({ "restricted": false, "staff": false }), "not staff"),
        ] {
            world.sim(reqwest::Method::POST, "/_sim/client", Some(client)).await;
            let checks = worker(world, &[]).await;
            assert_eq!(failed(&checks).len(), 4, "{checks:?}");
            assert!(checks.iter().any(|check| check.2.contains(fix)), "{fix}: {checks:?}");
        }
        let checks = worker(world, &["--platform-client-secret=wrong"]).await;
        assert!(detail(&checks, "platform token").contains("PLATFORM_CLIENT_SECRET"), "{checks:?}");
    })
    .await;
}

#[tokio::test]
async fn each_service_account_is_checked_and_lists_that_do_not_match_are_refused() {
    world(Setup::default(), async |world| {
        for (id, user, staff) in
            [("second", "second", true), ("third", "second", true), ("weak", "weak", false)]
        {
            let client = json!({ "client_id": id, "client_secret": id, "username": user, "staff": staff });
            world.sim(reqwest::Method::POST, "/_sim/clients", Some(client)).await;
        }
        let ids = "--platform-client-id=storefront-worker,second,third,weak,wrong";
        let secrets = "--platform-client-secret=demo-platform-secret,second,third,weak,x";
        let said = worker(world, &[ids, secrets]).await;
        let rights = ["accounts", "email search", "enrollments", "certificates"];
        let mut faults: Vec<String> = rights.iter().map(|check| format!("platform {check}, weak")).collect();
        faults.push("platform token, wrong".to_owned());
        assert_eq!(failed(&said), faults, "{said:?}");
        assert!(detail(&said, "platform enrollments, weak").contains("not staff"));
        assert!(detail(&said, "platform user, third").starts_with("second, as of second: "), "{said:?}");
        assert_eq!(said.iter().filter(|check| check.2.contains("a user of its own")).count(), 1);

        // Kubernetes gives secrets as files.
        let file = |name: &str| std::env::temp_dir().join(format!("{}-{name}", world.name));
        let (ids, secrets) = (file("ids"), file("secrets"));
        std::fs::write(&ids, "storefront-worker\nsecond\n").unwrap();
        std::fs::write(&secrets, "demo-platform-secret\r\nsecond\r\n").unwrap();
        let (id_file, secret_file) = (
            format!("--platform-client-id-file={}", ids.display()),
            format!("--platform-client-secret-file={}", secrets.display()),
        );
        let by_files = async || {
            let settings: Vec<&str> = [SETTINGS, &["platform-url"]]
                .concat()
                .into_iter()
                .filter(|name| !name.contains("-client-"))
                .collect();
            command(world, &["doctor", "--json", &id_file, &secret_file], &settings)
        };
        let good = checks(by_files().await).await;
        assert!(
            failed(&good).is_empty() && detail(&good, "platform token, second").contains("gets a token"),
            "{good:?}"
        );

        for (ids_text, secrets_text, fault) in [
            ("a\nb\na\n", "x\ny\nz\n", "PLATFORM_CLIENT_ID names a twice"),
            ("a\n\nb\n", "x\ny\nz\n", "PLATFORM_CLIENT_ID: entry 2 of 3 is empty"),
            ("a,b\n", "x,\n", "PLATFORM_CLIENT_SECRET: entry 2 of 2 is empty"),
            ("a,b\n", "x\n", "PLATFORM_CLIENT_ID has 2 entries and PLATFORM_CLIENT_SECRET 1"),
            ("a\n", "hidden,secret\n", "PLATFORM_CLIENT_ID has 1 entries and PLATFORM_CLIENT_SECRET 2"),
        ] {
            std::fs::write(&ids, ids_text).unwrap();
            std::fs::write(&secrets, secrets_text).unwrap();
            let output = by_files().await.output().await.unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(!output.status.success() && said.contains(fault) && !said.contains("hidden"), "{said}");
        }
        std::fs::remove_file(&secrets).unwrap();
        let said = String::from_utf8(by_files().await.output().await.unwrap().stderr).unwrap();
        assert!(said.contains("PLATFORM_CLIENT_SECRET_FILE (") && said.contains("No such file"), "{said}");
        std::fs::remove_file(&ids).unwrap();
    })
    .await;
}

#[tokio::test]
async fn an_account_for_look_ups_is_named_and_must_be_one_of_several() {
    world(Setup::default(), async |world| {
        let client =
            json!({ "client_id": "second", "client_secret": "second", "username": "second", "staff": true });
        world.sim(reqwest::Method::POST, "/_sim/clients", Some(client)).await;
        let ids = "--platform-client-id=storefront-worker,second";
        let secrets = "--platform-client-secret=demo-platform-secret,second";
        let lookups = worker(world, &[ids, secrets, "--platform-lookup-client-id=second"]).await;
        assert!(
            detail(&lookups, "platform account for look-ups").starts_with("second makes look-ups"),
            "{lookups:?}"
        );
        assert!(failed(&lookups).is_empty(), "{lookups:?}");
        for (ids, secrets, lookup, fault) in [
            (ids, secrets, "unlisted", "PLATFORM_CLIENT_ID does not list unlisted"),
            (
                "--platform-client-id=alone",
                "--platform-client-secret=x",
                "alone",
                "alone is the only service account",
            ),
        ] {
            let lookup = format!("--platform-lookup-client-id={lookup}");
            let settings: Vec<&str> = [SETTINGS, &["platform-url"]]
                .concat()
                .into_iter()
                .filter(|name| !name.contains("-client-"))
                .collect();
            let output = command(world, &["doctor", "--json", ids, secrets, &lookup], &settings)
                .output()
                .await
                .unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(!output.status.success() && said.contains(fault), "{said}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_version_of_the_enrollment_api_is_named_with_a_warning_of_the_one_that_goes() {
    world(Setup::default(), async |world| {
        let name = "platform enrollment API";
        let (v1, v2) = (Some("--platform-enrollment-api=v1"), Some("--platform-enrollment-api=v2"));
        for (versions, setting, status, part, failures) in [
            ("v1", None, "warning", "v1, the oldest", 0),
            ("both", None, "ok", "v2", 0),
            ("v2", None, "ok", "v2", 0),
            ("v2", v2, "ok", "v2", 0),
            ("both", v1, "warning", "the platform has v2: unset it", 0),
            ("v1", v2, "warning", "the platform has v1: unset it", 1),
        ] {
            let versions = json!({ "enrollment_api": versions });
            world.sim(reqwest::Method::POST, "/_sim/platform", Some(versions)).await;
            let checks = worker(world, setting.as_slice()).await;
            assert!(checks.iter().any(|check| check.0 == name && check.1 == status), "{checks:?}");
            assert!(detail(&checks, name).contains(part), "{checks:?}");
            assert_eq!(failed(&checks), vec!["platform enrollments"; failures], "{checks:?}");
        }
        let away =
            json!({ "target": "platform", "path": "/enrollment/v2/", "kind": "status", "status": 503 });
        world.fault(away).await;
        let checks = worker(world, &[]).await;
        assert!(failed(&checks).contains(&name), "{checks:?}");
    })
    .await;
}

#[tokio::test]
async fn each_server_that_is_unavailable_or_refuses_is_named_with_what_to_change() {
    world(Setup::default(), async |world| {
        world.sell().await;
        let nowhere = free_port();
        let refused = |checks: &Checks, setting: &str, name: &str| {
            let said = detail(checks, name);
            assert!(failed(checks).contains(&name), "{setting}: {checks:?}");
            let place = format!("{setting} (127.0.0.1:{nowhere}): ");
            assert!(said.starts_with(&place) && said.to_lowercase().contains("connection refused"), "{said}");
        };
        for (setting, url, name) in [
            ("DATABASE_URL", "postgres://x:secret@HERE/x", "database"),
            ("REDIS_URL", "redis://:secret@HERE/0", "redis"),
            ("AMQP_URL", "amqp://x:secret@HERE/%2f", "broker"),
            ("SMTP_URL", "smtp://x:secret@HERE", "mail server"),
            ("PLATFORM_URL", "http://HERE", "platform token"),
            ("STRIPE_URL", "http://HERE", "account of northwind at stripe"),
            ("MOLLIE_URL", "http://HERE", "account of lindgren at mollie"),
        ] {
            let url = url.replace("HERE", &format!("127.0.0.1:{nowhere}"));
            let checks = worker(world, &[&argument(setting, &url)]).await;
            refused(&checks, setting, name);
            assert!(checks.iter().all(|check| !check.2.contains("secret@")), "{checks:?}");
        }
        for (setting, url, name) in [
            ("DATABASE_URL", "postgres://x:secret@HERE/x", "database"),
            ("CATALOG_DATABASE_URL", "postgres://x:secret@HERE/x", "catalog replica"),
            ("PLATFORM_URL", "http://HERE", "platform"),
            ("JWT_KEYS_URL", "http://HERE/jwks.json", "JWT keys"),
        ] {
            let url = url.replace("HERE", &format!("127.0.0.1:{nowhere}"));
            let issuers = "--jwt-issuers=https://lms.example/oauth2";
            refused(&api(world, &[&argument(setting, &url), issuers]).await, setting, name);
        }
        let other_key = "--gateway-keys=".to_owned() + &"9".repeat(64);
        let checks = worker(world, &[&other_key]).await;
        assert!(detail(&checks, "account of northwind at stripe").contains("key"), "{checks:?}");
        // The simulated mail server, as many in a data centre, lets everyone in and offers no way to sign in.
        let smtp = world.worker_args.iter().find(|argument| argument.starts_with("--smtp-url=")).unwrap();
        let checks = worker(world, &[&smtp.replace("smtp://", "smtp://user:secret@")]).await;
        let said = detail(&checks, "mail server");
        assert!(
            said.contains("does not offer what SMTP_URL needs") && said.contains("authentication"),
            "{said}"
        );
        for target in ["stripe", "mollie", "razorpay"] {
            world.fault(json!({ "target": target, "kind": "status", "status": 401, "count": 5 })).await;
        }
        let checks = worker(world, &[]).await;
        let refused = checks.iter().filter(|check| check.2.contains("gateways set")).count();
        assert_eq!(refused, 3, "{checks:?}");
        world.no_faults().await;

        sqlx::query(
            "DELETE FROM _sqlx_migrations WHERE version = (SELECT max(version) FROM _sqlx_migrations)",
        )
        .execute(&world.db)
        .await
        .unwrap();
        assert!(detail(&worker(world, &[]).await, "schema").contains("lacks 1 migration"));
        assert!(detail(&api(world, &[]).await, "schema").contains("storefront-worker migrate"));
    })
    .await;
}

#[tokio::test]
async fn a_role_that_may_do_more_or_less_than_it_has_to_is_named() {
    world(Setup::default(), async |world| {
        let url = |arguments: &[String]| {
            arguments.iter().find(|argument| argument.starts_with("--database-url=")).unwrap().clone()
        };
        let (of_api, of_worker) = (url(&world.api_args), url(&world.worker_args));
        let of_owner = format!("--database-url={}", world.owner_url);
        let role = "database role";
        for (checks, part, own) in [
            (api(world, &[&of_worker]).await, "can write", "storefront_api"),
            (worker(world, &[&of_api]).await, "cannot write", "storefront_worker"),
            (worker(world, &[&of_owner]).await, "owns the tables", "storefront_worker"),
        ] {
            let said = detail(&checks, role);
            let fix = format!("DATABASE_URL names the wrong role; this program connects as {own}");
            assert!(said.contains(part) && said.ends_with(&fix), "{said}");
        }
        let mut owner = PgConnection::connect(&world.owner_url).await.unwrap();
        sqlx::query("GRANT SELECT (email) ON learners TO storefront_api").execute(&mut owner).await.unwrap();
        let said = api(world, &[]).await;
        assert!(detail(&said, role).contains("reads learners' addresses"), "{said:?}");
        assert!(detail(&said, role).contains("run deploy/roles.sql again"), "{said:?}");
    })
    .await;
}

#[tokio::test]
async fn an_account_of_the_broker_without_permissions_is_named() {
    world(Setup { apis: 0, workers: 0, ..Setup::default() }, async |world| {
        let broker = RabbitMq::start(None, &definitions(&world.queue_prefix));
        let of = |user| format!("--amqp-url={}", broker.url("amqp", user));
        assert!(
            failed(&api(world, &[&of("storefront_api")]).await).contains(&"broker"),
            "there are no queues yet"
        );
        assert!(failed(&worker(world, &[&of("storefront_worker")]).await).is_empty());
        assert!(failed(&api(world, &[&of("storefront_api")]).await).is_empty());
        let refused = worker(world, &[&of("storefront_api")]).await;
        assert_eq!(failed(&refused), ["broker permissions"], "{refused:?}");
        let url = broker.url("amqp", "storefront_worker");
        let connection = lapin::Connection::connect(&url, ConnectionProperties::default()).await.unwrap();
        let channel = connection.create_channel().await.unwrap();
        publish(channel, &world.topology().commands(), "platform.sync_enrollment.v1").await.unwrap();
        let waits = worker(world, &[&of("storefront_worker")]).await;
        assert!(
            detail(&waits, "broker permissions").contains(".platform") && failed(&waits).is_empty(),
            "{waits:?}"
        );
    })
    .await;
}

#[tokio::test]
async fn an_account_that_may_not_reply_retry_or_dead_letter_is_named() {
    world(Setup { apis: 0, workers: 0, ..Setup::default() }, async |world| {
        let mut definitions = definitions(&world.queue_prefix);
        let prefix = &world.queue_prefix;
        let limited = [("amq.default", "cmd|retry.*|dead"), ("retry", "cmd|dead"), ("dead", "cmd|retry.*")];
        for (without, may_write) in limited {
            let replies = if without == "amq.default" { "" } else { r"|amq\.default" };
            let (own, write) = (format!(r"^{prefix}\."), format!(r"^({prefix}\.({may_write}){replies})$"));
            let user = json!({ "name": without, "password": "storefront", "tags": "" });
            definitions["users"].as_array_mut().unwrap().push(user);
            definitions["permissions"].as_array_mut().unwrap().push(json!({
                "user": without, "vhost": "/", "configure": own, "write": write, "read": own
            }));
        }
        let broker = RabbitMq::start(None, &definitions);
        let of = |user| format!("--amqp-url={}", broker.url("amqp", user));
        // Declares the queues, which the others may not.
        assert!(failed(&worker(world, &[&of("storefront_worker")]).await).is_empty());
        for (without, _) in limited {
            let refused = worker(world, &[&of(without)]).await;
            assert_eq!(failed(&refused), ["broker permissions"], "{without}: {refused:?}");
            assert!(detail(&refused, "broker permissions").contains(without), "{without}: {refused:?}");
        }
    })
    .await;
}

/// Before, a limit passed for other arguments, and an alarm for missing permissions.
#[tokio::test]
#[ignore = "slow"]
async fn a_broker_that_takes_no_queue_or_no_message_is_said_to_do_so() {
    world(Setup { apis: 0, workers: 0, ..Setup::default() }, async |world| {
        let mut limited = definitions(&world.queue_prefix);
        limited["parameters"] = json!([{
            "component": "vhost-limits", "vhost": "/", "name": "limits", "value": { "max-queues": 3 },
        }]);
        let broker = RabbitMq::start(None, &limited);
        let url = format!("--amqp-url={}", broker.url("amqp", "storefront_worker"));
        let said = worker(world, &[&url]).await;
        assert!(detail(&said, "broker").contains("limit"), "{said:?}");
        drop(broker);

        let low = "vm_memory_high_watermark.absolute = 1MB\n";
        let broker = RabbitMq::start_with(None, &definitions(&world.queue_prefix), low);
        let url = format!("--amqp-url={}", broker.url("amqp", "storefront_worker"));
        let said = worker(world, &[&url]).await;
        assert_eq!(failed(&said), ["broker permissions"], "{said:?}");
        let detail = detail(&said, "broker permissions");
        assert!(detail.contains("low on memory") && !detail.contains("permissions of"), "{detail}");
    })
    .await;
}

/// Each command that a user of Redis may lack, and keys of another installation.
#[tokio::test]
async fn a_user_of_redis_who_may_not_use_the_keys_or_a_command_is_named() {
    world(Setup { apis: 0, workers: 0, ..Setup::default() }, async |world| {
        let (user, own) = (format!("user{}", world.name), format!("~{}:*", world.name));
        let client = redis::Client::open(harness::redis_url()).unwrap();
        let mut connection = client.get_multiplexed_async_connection().await.unwrap();
        let url = harness::redis_url().replace("redis://", &format!("redis://{user}:secret@"));
        let url = format!("--redis-url={url}");
        for (rules, of_api, of_worker) in [
            (vec!["~other:*", "+@all"], "EVALSHA", "EVALSHA"),
            (vec![own.as_str(), "+@all", "-pttl"], "PTTL", ""),
            (vec![own.as_str(), "+@all", "-mget"], "MGET", ""),
            (vec![own.as_str(), "+@all", "-evalsha"], "EVALSHA", "EVALSHA"),
            (vec![own.as_str(), "+@all", "-set"], "EVALSHA", "EVALSHA"),
            (vec![own.as_str(), "+@all", "-del"], "DEL", "DEL"),
            (vec![own.as_str(), "+@all"], "", ""),
        ] {
            let mut set = redis::cmd("ACL");
            set.arg("SETUSER").arg(&user).arg("reset").arg("on").arg(">secret").arg("&*").arg(&rules);
            set.query_async::<()>(&mut connection).await.unwrap();
            for (checks, refused) in
                [(api(world, &[&url]).await, of_api), (worker(world, &[&url]).await, of_worker)]
            {
                let said = detail(&checks, "redis keys");
                match refused {
                    "" => assert!(failed(&checks).is_empty(), "{rules:?}: {checks:?}"),
                    _ => assert!(
                        failed(&checks) == ["redis keys"] && said.starts_with(refused),
                        "{rules:?}: {checks:?}"
                    ),
                }
            }
        }
        redis::cmd("ACL").arg("DELUSER").arg(&user).query_async::<()>(&mut connection).await.unwrap();
    })
    .await;
}

/// A Redis server in cluster mode, which ends with its value.
struct RedisCluster(Child);

impl Drop for RedisCluster {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[tokio::test]
async fn a_redis_cluster_is_refused() {
    world(Setup::default(), async |world| {
        let port = free_port().to_string();
        let file = format!("/tmp/nodes-{}.conf", world.name);
        let cluster = std::process::Command::new("redis-server")
            .args(["--port", &port, "--cluster-enabled", "yes", "--cluster-port", &free_port().to_string()])
            .args(["--save", "", "--cluster-config-file", &file])
            .stdout(Stdio::null())
            .spawn();
        let _cluster = RedisCluster(cluster.unwrap());
        let url = format!("--redis-url=redis://127.0.0.1:{port}/0");
        world
            .eventually("the doctor refuses it", async |world| {
                detail(&worker(world, &[&url]).await, "redis").contains("is a Redis Cluster")
            })
            .await;
        assert!(detail(&api(world, &[&url]).await, "redis").contains("is a Redis Cluster"));
        // A program that starts says it, too.
        world.configure(vec![url.clone()], vec![url]);
        for program in ["api", "worker"] {
            let before = logged("is a Redis Cluster").len();
            match program {
                "api" => world.start_api().await,
                _ => world.start_worker().await,
            }
            world.eventually(program, async |_| logged("is a Redis Cluster").len() == before + 1).await;
        }
        std::fs::remove_file(file).unwrap();
    })
    .await;
}
