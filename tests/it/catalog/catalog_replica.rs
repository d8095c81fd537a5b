//! Catalog reads from a replica of the database, which lags behind at times.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use harness::steps::generation::{course_name as name, raise_in_redis, rename_course as rename};
use harness::{ReplicaDatabase, Setup, World, free_port, world};

#[tokio::test]
async fn the_catalog_is_read_from_the_replica_unless_it_lags_behind_or_is_unavailable() {
    world(Setup { apis: 0, ..Setup::without_workers() }, async |world| {
        let replica = ReplicaDatabase::create().await;
        world.configure(vec![format!("--catalog-database-url={}", replica.api_url)], Vec::new());
        world.start_api().await;
        let sees = async |world: &World, expected: &str| {
            world.eventually(expected, async |world| name(world).await == expected).await;
        };
        // The names differ, to show which database was read.
        let change = async |name: &str| raise_in_redis(world, rename(&world.db, name).await).await;
        rename(&replica.db, "at the replica").await;
        change("at the primary").await;
        sees(world, "at the replica").await;
        change("changed at the primary").await;
        sees(world, "changed at the primary").await;
        rename(&replica.db, "replicated").await;
        rename(&replica.db, "replicated").await;
        change("changed again").await;
        sees(world, "replicated").await;
        replica.drop().await;
        change("without the replica").await;
        sees(world, "without the replica").await;
    })
    .await;
}

/// As where it has replayed the lock of a migration, which waits for a dump: other tables are read as ever.
#[tokio::test]
async fn a_replica_that_holds_up_some_reads_slows_none_down_for_long() {
    world(Setup { apis: 0, ..Setup::without_workers() }, async |world| {
        let replica = ReplicaDatabase::create().await;
        world.configure(vec![format!("--catalog-database-url={}", replica.api_url)], Vec::new());
        world.start_api().await;
        rename(&replica.db, "at the replica").await;
        raise_in_redis(world, rename(&world.db, "at the primary").await).await;
        world.eventually("the replica is read", async |world| name(world).await == "at the replica").await;
        let mut migration = replica.db.begin().await.unwrap();
        sqlx::query("LOCK TABLE courses, programs").execute(&mut *migration).await.unwrap();
        let begun = Instant::now();
        for size in 1..=5 {
            for list in ["courses", "programs"] {
                let reply = world.get(&format!("/storeapi/discovery/{list}/?limit={size}")).await;
                assert_eq!(reply.status, 200, "{}", reply.text);
            }
        }
        assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
        drop(migration);
        replica.drop().await;
    })
    .await;
}

/// As after a restore of the database: Redis remembers the catalog that was lost, under a number that is still to come.
#[tokio::test]
async fn a_catalog_that_is_older_than_the_one_in_redis_replaces_it() {
    let worker_args = vec!["--reconcile-every=200ms".to_owned()];
    world(Setup { workers: 0, worker_args, ..Setup::default() }, async |world| {
        let lost = rename(&world.db, "lost").await + 3;
        raise_in_redis(world, lost).await;
        world.eventually("the lost one is cached", async |world| name(world).await == "lost").await;
        let restored = rename(&world.db, "restored").await;
        assert!(restored < lost);
        world.start_worker().await;
        // An api that Redis keeps waiting reads the database at once, before the worker has raised the number.
        world
            .eventually("the restored one has a newer number", async |world| {
                let stored = sqlx::query_scalar("SELECT generation FROM catalog_generation");
                stored.fetch_one(&world.db).await.is_ok_and(|stored: i64| stored == lost + 1)
            })
            .await;
        world.eventually("the restored one is read", async |world| name(world).await == "restored").await;
    })
    .await;
}

#[tokio::test]
async fn a_replica_that_is_unavailable_or_hangs_slows_no_reads_down() {
    // Connections to it are opened, and never answered.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    for port in [free_port(), silent.local_addr().unwrap().port()] {
        world(Setup { apis: 0, ..Setup::without_workers() }, async |world| {
            let away = format!("--catalog-database-url=postgres://x@127.0.0.1:{port}/x");
            world.configure(vec![away], Vec::new());
            world.start_api().await;
            name(world).await;
            let begun = Instant::now();
            // Each is a read that no cache has.
            for size in 1..=5 {
                let list = format!("/storeapi/discovery/courses/?limit={size}");
                assert_eq!(world.get(&list).await.status, 200);
            }
            assert!(begun.elapsed() < Duration::from_millis(1500), "{:?}", begun.elapsed());
        })
        .await;
    }
}
