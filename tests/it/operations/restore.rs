//! A dump that is restored: what the shop was at its time, and what others remember of the time after it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use harness::steps::generation::{course_name, generation_in_redis, raise_in_redis, rename_course};
use harness::steps::invoices::{sell_with_tax, sold};
use harness::steps::organisation_keys::{get, key};
use harness::steps::worker_program::operator;
use harness::{Setup, World, database, servers, world};
use serde_json::json;
use shared::organisation_key::Scope;
use sqlx::{AssertSqlSafe, PgPool};

use crate::doctor::{failed, worker as doctor};
use crate::events::{FEED, read_feed, settled};

/// The number of rows of each table, and a digest of them.
async fn contents(db: &PgPool) -> BTreeMap<String, (i64, String)> {
    let tables: Vec<String> =
        sqlx::query_scalar("SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'")
            .fetch_all(db)
            .await
            .unwrap();
    let mut contents = BTreeMap::new();
    for table in tables {
        let rows = format!(
            "SELECT count(*), md5(coalesce(string_agg(t::text, chr(10) ORDER BY t::text), '')) FROM {table} t"
        );
        let rows = sqlx::query_as(AssertSqlSafe(rows)).fetch_one(db).await.unwrap();
        contents.insert(table, rows);
    }
    contents
}

/// As docs/operations.md says.
fn dump(world: &World, file: &Path) {
    servers::run(
        Command::new(servers::postgresql_programs().join("pg_dump"))
            .args(["-Fc", "--no-owner", &world.owner_url, "-f"])
            .arg(file),
    );
}

async fn restore(world: &mut World, file: &Path) {
    world.db.close().await;
    database::replace_by_empty(&world.name).await;
    let mut restore = Command::new(servers::postgresql_programs().join("pg_restore"));
    servers::run(restore.args(["--no-owner", "--exit-on-error", "-d", &world.owner_url]).arg(file));
    world.db = PgPool::connect(&world.owner_url).await.unwrap();
    let owner = format!("--database-url={}", world.owner_url);
    let (done, said) = operator(world, &["migrate", &owner], &[]).await;
    assert!(done, "{said}");
}

/// Changes the catalog, and waits until it is shown.
async fn rename(world: &World, name: &str) {
    raise_in_redis(world, rename_course(&world.db, name).await).await;
    world.eventually("the catalog is current", async |world| course_name(world).await == name).await;
}

async fn start(world: &mut World) {
    world.start_worker().await;
    world.start_api().await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_restored_shop_is_that_of_its_dump_and_what_came_after_is_lost_for_all() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        let key = key(world, "northwind", &[Scope::Events]).await;
        let germany = json!({ "name": "Ada", "country": "DE" });
        sold(world, "kept@example.com", germany.clone()).await;
        rename(world, "of the dump").await;
        world.drain().await;
        settled(world).await;
        let (seen, kept) = read_feed(world, &key, String::new(), 100).await;
        world.stop().await;
        let file = std::env::temp_dir().join(format!("{}.dump", world.name));
        let of_the_dump = contents(&world.db).await;
        dump(world, &file);

        start(world).await;
        sold(world, "lost@example.com", germany.clone()).await;
        rename(world, "lost").await;
        rename(world, "lost, too").await;
        world.drain().await;
        settled(world).await;
        let (_, lost) = read_feed(world, &key, kept.clone(), 100).await;
        world.stop().await;
        restore(world, &file).await;
        std::fs::remove_file(&file).unwrap();
        assert_eq!(contents(&world.db).await, of_the_dump);

        let ahead = generation_in_redis(world).await;
        start(world).await;
        world.eventually("no cache is ahead", async |world| course_name(world).await == "of the dump").await;
        assert!(generation_in_redis(world).await > ahead);
        assert_eq!(failed(&doctor(world, &[]).await), [""; 0]);
        sold(world, "later@example.com", germany).await;
        world.drain().await;
        settled(world).await;
        let refused = get(world, &format!("{FEED}?after={lost}"), &key).await;
        refused.assert_problem(400, "invalid_request");
        let (later, _) = read_feed(world, &key, kept, 100).await;
        let (all, _) = read_feed(world, &key, String::new(), 100).await;
        assert_eq!(all, [seen, later].concat());
        assert!(all.iter().any(|event| event["type"] == "document.issued"), "{all:?}");
    })
    .await;
}
