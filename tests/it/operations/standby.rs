//! A name that leads to a standby while the primary is unavailable, as a proxy's, a pooler's or a cloud's does.

use std::time::Duration;

use harness::certificates::Authority;
use harness::servers::PostgreSql;
use harness::steps::demo::FREE_COURSE;
use harness::steps::worker_program::operator;
use harness::{Proxy, Reply, Setup, World, world};
use reqwest::StatusCode;

use crate::doctor::{detail, failed, worker as doctor};

/// A primary with a standby, and a name that leads to one of them.
struct Servers {
    primary: PostgreSql,
    standby: PostgreSql,
    name: Proxy,
}

impl Servers {
    /// The primary has the demo catalog.
    async fn start(world: &World) -> Self {
        let primary = PostgreSql::start(&Authority::new().certify("localhost"));
        primary.psql("postgres", &["-c", "CREATE DATABASE shop OWNER storefront_owner"]);
        let standby = primary.standby();
        let name = Proxy::start(&primary.address()).await;
        let servers = Self { primary, standby, name };
        let catalog = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/demo-catalog/catalog.jsonl");
        let (owner, worker) = (servers.setting("storefront_owner"), servers.setting("storefront_worker"));
        let redis = ["redis-url", "redis-prefix"];
        for words in [&["migrate", &owner][..], &["catalog", "import", catalog, &worker]] {
            let settings = if words.len() > 2 { &redis[..] } else { &[] };
            let (done, said) = operator(world, words, settings).await;
            assert!(done, "{words:?}: {said}");
        }
        servers
    }

    fn setting(&self, role: &str) -> String {
        let port = self.name.address.port();
        format!("--database-url=postgres://{role}:storefront@127.0.0.1:{port}/shop?sslmode=require")
    }
}

async fn is_ready(world: &World) -> bool {
    let ready = world.http.get(format!("http://{}/readyz", world.workers[0].internal)).send().await;
    ready.unwrap().status() == StatusCode::OK
}

async fn grant(world: &World) -> Reply {
    world.enroll("ada@example.com", FREE_COURSE, "audit").await
}

/// Before, connections to the standby stayed in the pool for half an hour, and were the first to be used.
#[tokio::test]
#[ignore = "slow"]
async fn a_worker_that_was_led_to_a_standby_writes_again_soon_after_the_primary_is_back() {
    world(Setup { apis: 0, workers: 0, ..Setup::default() }, async |world| {
        let servers = Servers::start(world).await;
        world.configure(vec![servers.setting("storefront_api")], vec![servers.setting("storefront_worker")]);
        world.start_worker().await;
        world.start_api().await;
        world.platform_user("ada@example.com").await;
        assert_eq!(grant(world).await.status, 200);
        let well = doctor(world, &[]).await;
        assert!(failed(&well).is_empty(), "{well:?}");

        servers.name.lead_to(&servers.standby.address());
        servers.name.cut();
        tokio::time::sleep(Duration::from_millis(100)).await;
        servers.name.restore();
        world.eventually("the worker is not ready", async |world| !is_ready(world).await).await;
        let replies = futures_util::future::join_all((0..8).map(|_| grant(world))).await;
        assert!(replies.iter().all(|reply| reply.status >= 409), "nothing can be written");
        let courses = world.get("/storeapi/discovery/courses/?limit=3").await;
        assert_eq!(courses.status, 200, "the catalog is read from the standby meanwhile");
        let ill = doctor(world, &[]).await;
        assert!(detail(&ill, "database").contains("is a standby"), "{ill:?}");
        assert!(detail(&ill, "database writes").contains("read-only transaction"), "{ill:?}");

        servers.name.lead_to(&servers.primary.address());
        world.eventually("the worker is ready", is_ready).await;
        // Connections that were opened meanwhile live for a second.
        tokio::time::sleep(Duration::from_secs(2)).await;
        for _ in 0..30 {
            let reply = grant(world).await;
            assert_eq!(reply.status, 200, "{}", reply.text);
        }
        world.eventually("all is done", async |world| world.all_ready_messages().await == 0).await;
        world.stop().await;
    })
    .await;
}
