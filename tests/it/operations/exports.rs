//! Exports of a big shop, beside the memory that the api has as it is deployed.

use std::path::Path;

use harness::steps::organisation_keys::key;
use harness::steps::staff::staff;
use harness::{ApiProcess, Setup, world};
use reqwest::RequestBuilder;
use shared::organisation_key::Scope;

use crate::big_shop::{administrator, fill};

const API: &str = env!("CARGO_BIN_EXE_storefront-api-under-test");

/// The limit of the api's container, in MiB.
fn limit() -> u64 {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/kubernetes/base/api.yaml");
    let deployed = std::fs::read_to_string(file).unwrap();
    let (_, limit) = deployed.split_once("limits: {memory: ").unwrap();
    limit.split_once("Mi").unwrap().0.parse().unwrap()
}

/// The number of bytes of an answer.
async fn length(request: RequestBuilder) -> usize {
    let mut answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let mut length = 0;
    while let Some(chunk) = answer.chunk().await.unwrap() {
        length += chunk.len();
    }
    length
}

#[tokio::test]
#[ignore = "slow"]
async fn two_long_exports_at_once_stay_within_the_memory_of_the_api() {
    world(Setup { apis: 0, ..Setup::without_workers() }, async |world| {
        let mut db = administrator(world).await;
        fill(&mut db).await;
        // 140,000 movements within a year, which add up to nothing.
        let movements = "SET session_replication_role = replica;
            INSERT INTO ledger (at, organisation_id, kind, cart_id, transaction_id, amount, currency, gateway, received_at)
            SELECT now() - interval '300 days' + n * interval '1 hour', organisation_id,
                   CASE n % 2 WHEN 0 THEN 'chargeback' ELSE 'chargeback_reversed' END, cart_id, transaction_id,
                   CASE n % 2 WHEN 0 THEN -1 ELSE 1 END, currency, gateway, now() - interval '300 days' + n * interval '1 hour'
            FROM ledger, generate_series(1, 14) n";
        sqlx::raw_sql(movements).execute(&mut db).await.unwrap();
        sqlx::raw_sql("VACUUM ANALYZE").execute(&mut db).await.unwrap();
        let reports = key(world, "northwind", &[Scope::Reports]).await;
        let fay = staff(world, "northwind", "fay@example.com", &["support", "finance"]).await;
        let api = ApiProcess::start(world, API, &["--console=true"]).await;
        let today = world.clock.now().date_naive();
        let (from, base) = (today - chrono::Days::new(364), &api.base);
        let report = format!("{base}/storeapi/reports/ledger/?format=json&from={from}&to={today}");
        let report = || length(world.http.get(&report).header("organisationapikey", &reports));
        let person = format!("{base}/console/northwind/person/file/?email=l19000@big.example");
        let person = || length(world.http.get(&person).header("cookie", &fay));
        let (one, other, file, copy) = tokio::join!(report(), report(), person(), person());
        assert_eq!((one, file), (other, copy));
        assert!(one > 50_000_000 && file > 500_000, "{one} and {file} bytes");
        let (most, limit) = (api.memory("VmHWM"), limit());
        assert!(most < limit, "{most} of {limit} MiB");
    })
    .await;
}
