//! `catalog sync --skus`: each mode of the platform gets a sku by which the platform's buttons name it.

use harness::steps::payments::EMAIL;
use harness::steps::worker_program::{SETTINGS, command};
use harness::{Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

use super::catalog_sync::{KEY, count, course, import, platform, report, run_sync, sync};

async fn sku_calls(world: &World) -> Value {
    world.sim(Method::GET, "/_sim/catalog", None).await["calls"]["skus"].clone()
}

/// The skus of a course's modes in the catalog, audit first.
async fn skus(world: &World, key: &str) -> Vec<Value> {
    let course = course(world, key).await;
    course["modes"].as_array().unwrap().iter().map(|mode| mode["sku"].clone()).collect()
}

#[tokio::test]
async fn each_mode_without_a_sku_gets_its_own_once() {
    world(Setup::without_workers(), async |world| {
        platform(world, json!({ "count": 2 })).await;
        sync(world).await;
        assert_eq!(sku_calls(world).await, 0, "only with the option");
        let dry = report(&run_sync(world, &["--skus", "--dry-run"]).await);
        assert_eq!((count(&dry, "skus"), sku_calls(world).await), (4, json!(0)));

        let first = report(&run_sync(world, &["--skus"]).await);
        assert_eq!((count(&first, "skus"), count(&first, "failed")), (4, 0), "{first}");
        let id = course(world, KEY).await["id"].as_str().unwrap().to_owned();
        assert_eq!(skus(world, KEY).await, [format!("{id}.audit"), format!("{id}.verified")]);
        assert_eq!(sku_calls(world).await, 4);

        let again = report(&run_sync(world, &["--catalog-sync-skus=true"]).await);
        assert_eq!((count(&again, "skus"), count(&again, "changed")), (0, 0), "{again}");
        assert_eq!(sku_calls(world).await, 4, "the platform has them all");
    })
    .await;
}

#[tokio::test]
async fn an_operators_own_sku_is_learned_and_stays() {
    world(Setup::without_workers(), async |world| {
        let modes = json!([{ "slug": "audit" }, { "slug": "verified", "min_price": 49, "sku": "8CF08E5", "bulk_sku": "A5B6DBE" }]);
        platform(world, json!({ "courses": [{ "course_id": KEY, "modes": modes }] })).await;
        let done = report(&run_sync(world, &["--skus"]).await);
        assert_eq!(done["skus"][0]["mode"], "audit");
        assert_eq!(count(&done, "skus"), 1);
        let course = course(world, KEY).await;
        assert_eq!((&course["modes"][1]["sku"], &course["modes"][1]["bulkSku"]), (&json!("8CF08E5"), &json!("A5B6DBE")));
    })
    .await;
}

#[tokio::test]
async fn a_sku_that_the_platform_does_not_take_is_reported_and_written_by_the_next_sync() {
    world(Setup::without_workers(), async |world| {
        platform(world, json!({ "count": 1 })).await;
        world
            .fault(json!({ "target": "platform", "path": "2026/verified",
                "kind": "status", "status": 403, "count": 1 }))
            .await;
        let output = run_sync(world, &["--skus"]).await;
        assert!(!output.status.success());
        let first = report(&output);
        assert_eq!((count(&first, "skus"), count(&first, "created")), (1, 1), "{first}");
        assert!(first["failed"][0]["reason"].as_str().unwrap().contains("the sku of verified"), "{first}");
        let second = report(&run_sync(world, &["--skus"]).await);
        assert_eq!((count(&second, "skus"), count(&second, "failed")), (1, 0), "{second}");
        assert_eq!(skus(world, KEY).await.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn a_course_without_modes_at_the_platform_gets_none() {
    world(Setup::without_workers(), async |world| {
        platform(world, json!({ "courses": [{ "course_id": KEY, "modes": [] }] })).await;
        let done = report(&run_sync(world, &["--skus"]).await);
        assert_eq!((count(&done, "skus"), count(&done, "failed")), (0, 0), "{done}");
        assert_eq!(skus(world, KEY).await, [Value::Null]);
    })
    .await;
}

#[tokio::test]
async fn a_capacity_that_the_platform_shows_is_learned_and_an_operators_stays() {
    world(Setup::without_workers(), async |world| {
        platform(
            world,
            json!({ "courses": [{ "course_id": KEY, "modes": [{ "slug": "audit" }], "capacity": 40 }] }),
        )
        .await;
        sync(world).await;
        assert_eq!(course(world, KEY).await["capacity"], 40);
        platform(world, json!({ "courses": [{ "course_id": KEY, "modes": [{ "slug": "audit" }] }] })).await;
        let mut own = course(world, KEY).await;
        own["capacity"] = json!(25);
        import(world, &[own]).await;
        sync(world).await;
        assert_eq!(course(world, KEY).await["capacity"], 25);
    })
    .await;
}

/// What doctor says of the platform's upgrade buttons: the status and the detail.
async fn button(world: &World) -> (String, String) {
    doctor(world, "upgrade button").await.unwrap()
}

async fn doctor(world: &World, name: &str) -> Option<(String, String)> {
    let mut doctor = command(world, &["doctor", "--json"], &[SETTINGS, &["platform-url"]].concat());
    let checks: Vec<Value> = serde_json::from_slice(&doctor.output().await.unwrap().stdout).unwrap();
    let check = checks.iter().find(|check| check["name"] == name)?;
    let text = |name: &str| check[name].as_str().unwrap().to_owned();
    Some((text("status"), text("detail")))
}

#[tokio::test]
async fn doctor_follows_the_upgrade_button_of_a_learner() {
    world(Setup::default(), async |world| {
        platform(world, json!({ "count": 1 })).await;
        run_sync(world, &["--skus"]).await;
        assert_eq!(button(world).await.0, "ok", "no learner can upgrade yet");

        world.platform_user(EMAIL).await;
        let id = course(world, KEY).await["id"].as_str().unwrap().to_owned();
        world.enroll(EMAIL, &id, "audit").await;
        world.platform_agrees(EMAIL, KEY, "audit", true).await;
        world
            .eventually("the platform shows no button", async |world| {
                let (status, detail) = button(world).await;
                status == "warning" && detail.contains("checkout_on_ecommerce_service")
            })
            .await;
        platform(world, json!({ "upgrade_page": "http://store.test/basket/add/" })).await;
        let (status, detail) = button(world).await;
        assert!(
            status == "warning" && detail.contains("leads to http://store.test/basket/add/: set"),
            "{detail}"
        );
        platform(world, json!({ "upgrade_page": "http://store.test/storeapi/payment/buy/" })).await;
        assert_eq!(doctor(world, "order history").await, None, "the platform does not show it");
        platform(world, json!({ "order_history": "http://orders.test/" })).await;
        let (status, detail) = doctor(world, "order history").await.unwrap();
        assert!(
            status == "warning" && detail.contains("leads to http://orders.test/: set MFE_CONFIG"),
            "{detail}"
        );
        platform(world, json!({ "order_history": "http://store.test/storeapi/payment/history/" })).await;
        assert_eq!(doctor(world, "order history").await.unwrap().0, "ok");
        assert_eq!(
            button(world).await,
            ("ok".into(), "leads to http://store.test/storeapi/payment/buy/".into())
        );
    })
    .await;
}
