//! Prices that hold for a time: what lists, pages and quotes say before, while and after they do.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use harness::steps::demo::PAID_KEY;
use harness::steps::payments::count;
use harness::steps::tax::{import, seller};
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

use crate::catalog::{paid_course, record_of};

const QUOTE: &str = "/storeapi/discovery/quote/";

/// The demo's paid course with these dated prices of its modes verified, at 199, and professional, at 349.
fn course(verified: Value, professional: Value) -> Value {
    let mut course = paid_course();
    for mode in course["modes"].as_array_mut().unwrap() {
        match mode["modeSlug"].as_str() {
            Some("verified") => mode["datedPrices"] = verified.clone(),
            Some("professional") => mode["datedPrices"] = professional.clone(),
            _ => {}
        }
    }
    course
}

fn cents(value: &Value) -> i64 {
    harness::steps::tax::cents(value)
}

/// The entry of an array whose field has this value.
fn entry<'a>(array: &'a Value, field: &str, value: &str) -> &'a Value {
    let found = array.as_array().unwrap().iter().find(|entry| entry[field] == value);
    found.unwrap_or_else(|| panic!("no {field} {value} in {array}"))
}

/// What an answer shows of a price.
type Shown = (i64, i64, Value);

fn shown(fields: &Value) -> Shown {
    let original = fields.get("originalPrice").unwrap_or(&fields["original_price"]);
    let dated = fields.get("datedPrice").or(fields.get("dated_price")).cloned().unwrap_or_default();
    (cents(&fields["price"]), cents(original), dated)
}

/// The price of the course's cheapest mode in each answer that has one.
async fn everywhere(world: &World) -> Vec<(&'static str, Shown)> {
    let list = world.get("/storeapi/discovery/courses/?limit=100").await.json;
    let full = world.get("/storeapi/discovery/courses/?fields=full&limit=100").await.json;
    let detail = world.get(&format!("/storeapi/discovery/course/{PAID_KEY}/")).await.json;
    let tags = world.get("/storeapi/discovery/tags/?include_programs=false").await.json;
    let key = PAID_KEY.replace('+', "%2B");
    let offers = world.get(&format!("/storeapi/discovery/offers/?course={key}")).await.json;
    let tagged = tags["tags"].as_array().unwrap().iter().flat_map(|tag| tag["courses"].as_array().unwrap());
    let tagged = tagged.filter(|course| course["openedx_course_id"] == PAID_KEY).map(shown).next();
    let full_course = entry(&full["courses"], "openedx_course_id", PAID_KEY);
    vec![
        ("list", shown(entry(&list["courses"], "openedx_course_id", PAID_KEY))),
        ("full list", shown(full_course)),
        ("mode", shown(&full_course["available_course_modes"][0])),
        ("detail", shown(&detail)),
        ("tag", tagged.unwrap()),
        ("offer", shown(&offers["offers"][0]["modes"][0])),
    ]
}

async fn quote(world: &World) -> Value {
    let reply = world.post(QUOTE, &world.basket(&ORGANISATIONS[0]).await).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json
}

fn in_seconds(world: &World, seconds: i64) -> DateTime<Utc> {
    world.clock.now() + TimeDelta::seconds(seconds)
}

/// Waits until just after an instant.
async fn passed(world: &World, at: DateTime<Utc>) {
    let rest = (at - world.clock.now()).to_std().unwrap_or_default();
    tokio::time::sleep(rest + Duration::from_millis(20)).await;
}

#[tokio::test]
async fn every_answer_turns_at_the_second_although_it_is_cached() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (from, until) = (in_seconds(world, 8), in_seconds(world, 13));
        let early = json!([{ "name": "Early bird", "from": from, "until": until, "percent_off": 25 }]);
        import(world, &[course(early, json!([]))]).await.unwrap();
        let full = (19_900, 19_900, Value::Null);
        let dated = (14_925, 19_900, json!({ "name": "Early bird", "until": until }));
        world
            .eventually("the import is known", async |world| quote(world).await["holds_until"] == json!(from))
            .await;
        for (answer, price) in everywhere(world).await {
            assert_eq!(price, full, "{answer}");
        }
        assert!(world.clock.now() < from, "the answers were cached before the turn");
        passed(world, from).await;
        for (answer, price) in everywhere(world).await {
            assert_eq!(price, dated, "{answer}");
        }
        let quoted = quote(world).await;
        assert_eq!((cents(&quoted["total_price"]), &quoted["holds_until"]), (14_925, &json!(until)));
        assert_eq!(cents(&quoted["items_detail"][0]["originalPrice"]), 19_900, "{quoted}");
        // A browser or a proxy keeps the answer no longer than the price holds.
        let path = format!("/storeapi/discovery/course/{PAID_KEY}/");
        let kept = Reply::read(world.request(Method::GET, &path)).await;
        let seconds = kept.header("cache-control").trim_start_matches("private, max-age=").parse::<i64>();
        assert!(seconds.unwrap() <= (until - from).num_seconds(), "{}", kept.header("cache-control"));
        passed(world, until).await;
        let closes = paid_course()["enrollment_end"].clone();
        for (answer, price) in everywhere(world).await {
            assert_eq!(price, full, "{answer}");
        }
        let quoted = quote(world).await;
        assert_eq!(
            (cents(&quoted["total_price"]), &quoted["holds_until"]),
            (19_900, &closes),
            "its enrollment closes then"
        );
    })
    .await;
}

#[tokio::test]
async fn the_mode_that_is_cheapest_at_present_comes_first_and_orders_the_list() {
    let setup = Setup { worker_args: vec!["--reconcile-every=200ms".into()], ..Setup::default() };
    world(setup, async |world| {
        let until = in_seconds(world, 4);
        let prices = json!([{ "name": "Team week", "until": until, "price": "0.50" }]);
        import(world, &[course(json!([]), prices)]).await.unwrap();
        let slugs = async || {
            let course = world.get(&format!("/storeapi/discovery/course/{PAID_KEY}/")).await;
            assert_eq!(course.status, 200, "{}", course.text);
            let course = course.json;
            let modes = course["available_course_modes"].as_array().unwrap();
            let slugs: Vec<Value> = modes.iter().map(|mode| mode["modeSlug"].clone()).collect();
            (course["course_mode"].clone(), cents(&course["price"]), slugs)
        };
        let place = async || {
            let list = world.get("/storeapi/discovery/courses/?order_by=price.asc&limit=100").await;
            assert_eq!(list.status, 200, "{}", list.text);
            let list = list.json;
            let prices = list["courses"].as_array().unwrap().iter();
            let prices: Vec<(Value, f64)> = prices
                .map(|course| {
                    (course["openedx_course_id"].clone(), course["price"].as_f64().unwrap_or(f64::MAX))
                })
                .collect();
            (prices.is_sorted_by_key(|(_, price)| *price), prices.iter().position(|(key, _)| key == PAID_KEY))
        };
        world
            .eventually("the professional mode is the cheapest", async |_| {
                slugs().await == (json!("professional"), 50, vec![json!("professional"), json!("verified")])
            })
            .await;
        let (is_sorted, while_it_holds) = place().await;
        assert!(is_sorted);
        passed(world, until).await;
        assert_eq!(
            slugs().await,
            (json!("verified"), 19_900, vec![json!("verified"), json!("professional")])
        );
        world
            .eventually("the list is ordered by the price that holds", async |_| {
                let (is_sorted, place) = place().await;
                is_sorted && place > while_it_holds
            })
            .await;
    })
    .await;
}

#[tokio::test]
async fn a_buyer_pays_the_total_that_was_quoted_or_is_told_before_paying() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let until = in_seconds(world, 4);
        let early = json!([{ "name": "Early bird", "until": until, "price": 99.5 }]);
        import(world, &[course(early, json!([]))]).await.unwrap();
        let mut basket = world.basket(&ORGANISATIONS[0]).await;
        basket["email"] = json!("ada@example.com");
        basket["expected_total"] = json!(199);
        let refused = world.post(GUEST_CHECKOUT, &basket).await;
        refused.assert_problem(400, "invalid_request");
        assert!(
            refused.text.contains("expected_total") && refused.text.contains("99.50 USD"),
            "{}",
            refused.text
        );
        basket["expected_total"] = json!(99.5);
        let begun = world.post(GUEST_CHECKOUT, &basket).await;
        assert_eq!((begun.status, cents(&begun.json["total_price"])), (200, 9_950), "{}", begun.text);
        assert_eq!(cents(&begun.json["items_detail"][0]["originalPrice"]), 19_900);
        passed(world, until).await;
        // The attempt that has begun keeps its price; another buyer's is told.
        assert_eq!(count(world, "SELECT count(*) FROM transactions").await, 1);
        basket["email"] = json!("bob@example.com");
        world.post(GUEST_CHECKOUT, &basket).await.assert_problem(400, "invalid_request");
        assert_eq!(count(world, "SELECT count(*) FROM carts").await, 1, "nothing is written");
        basket["expected_total"] = json!(199);
        let begun = world.post(GUEST_CHECKOUT, &basket).await;
        assert_eq!((begun.status, cents(&begun.json["total_price"])), (200, 19_900), "{}", begun.text);
    })
    .await;
}

#[tokio::test]
async fn a_program_has_dated_prices_of_its_own() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let mut program = record_of(|record| {
            record["kind"] == "program" && record["organisation"] == "northwind" && !record["price"].is_null()
        });
        let full = cents(&program["price"]);
        let id = program["id"].as_str().unwrap().to_owned();
        let until = in_seconds(world, 5);
        program["dated_prices"] = json!([{ "name": "Launch", "until": until, "percent_off": "33.33" }]);
        import(world, std::slice::from_ref(&program)).await.unwrap();
        let reduced = full - (full * 3_333 + 5_000) / 10_000;
        let see = async || {
            let detail = world.get(&format!("/storeapi/discovery/program/{id}/")).await.json;
            let list = world.get("/storeapi/discovery/programs/?limit=100").await.json;
            (shown(&detail["programs"][0]), shown(entry(&list["programs"], "id", &id)))
        };
        let launch = (reduced, full, json!({ "name": "Launch", "until": until }));
        world
            .eventually("the import is known", async |_| see().await == (launch.clone(), launch.clone()))
            .await;
        passed(world, until).await;
        let after = (full, full, Value::Null);
        assert_eq!(see().await, (after.clone(), after));
    })
    .await;
}

#[tokio::test]
async fn dated_prices_are_checked_kept_and_exported() {
    world(Setup::without_workers(), async |world| {
        let refused = async |prices: Value, fault: &str| {
            let error = import(world, &[course(prices, json!([]))]).await.unwrap_err();
            assert!(error.contains(fault), "{error}");
        };
        let at = |day: u32| format!("2030-01-{day:02}T00:00:00Z");
        refused(json!([{ "name": "x", "price": 199 }]), r#"line 1: mode verified: datedPrices: "x" has a price that is not below the full one of 199"#).await;
        refused(json!([{ "name": "x", "price": 1.001 }]), "has more digits than its currency").await;
        refused(json!([{ "name": "x", "price": 1, "from": at(2), "until": at(1) }]), "until that is not after its from").await;
        refused(json!([{ "name": "x", "price": 1 }, { "name": "x", "price": 2 }]), "overlaps with another of its name").await;
        refused(json!([{ "name": "x", "price": 1, "percent_off": 5 }]), "needs either a price or a percent_off").await;
        refused(json!([{ "name": "x", "prize": 1 }]), "unknown field").await;
        let prices = json!([
            { "name": "a", "until": at(2), "price": 1.5 }, { "name": "a", "from": at(2), "percent_off": 12.5 },
        ]);
        import(world, &[course(prices.clone(), json!([]))]).await.unwrap();
        let mut exported = Vec::new();
        worker::catalog::export(&world.db, &mut exported).await.unwrap();
        let exported = String::from_utf8(exported).unwrap();
        let lines: Vec<Value> = exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let line = lines.iter().find(|line| line["openedx_course_id"] == PAID_KEY).unwrap();
        assert_eq!(entry(&line["modes"], "modeSlug", "verified")["datedPrices"], prices);
        assert_eq!(entry(&line["modes"], "modeSlug", "professional").get("datedPrices"), None);
        import(world, &lines).await.unwrap();
        let generation = "SELECT generation FROM catalog_generation";
        let before: i64 = sqlx::query_scalar(generation).fetch_one(&world.db).await.unwrap();
        import(world, &lines).await.unwrap();
        let after: i64 = sqlx::query_scalar(generation).fetch_one(&world.db).await.unwrap();
        assert_eq!(after, before, "importing an export changes nothing");
    })
    .await;
}

#[tokio::test]
async fn sellers_in_the_eu_state_the_lowest_price_of_the_30_days_before() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let northwind = &ORGANISATIONS[0];
        let lowest = async || {
            let detail = world.get(&format!("/storeapi/discovery/course/{PAID_KEY}/")).await.json;
            (detail["datedPrice"]["name"].clone(), detail["datedPrice"]["lowest_before"].clone())
        };
        let priced = |price: Value, dated: Value| {
            let mut course = course(dated, json!([]));
            for mode in course["modes"].as_array_mut().unwrap() {
                if mode["modeSlug"] == "verified" {
                    mode["minPrice"] = price.clone();
                }
            }
            course
        };
        // Sold at 149, then at 199, and now at 99.
        import(world, &[seller(northwind, "DE", json!({})), priced(json!(149), json!([]))]).await.unwrap();
        import(world, &[priced(json!(199), json!([]))]).await.unwrap();
        let sale = json!([{ "name": "Sale", "price": 99 }]);
        import(world, &[priced(json!(199), sale.clone())]).await.unwrap();
        world.eventually("the lowest price", async |_| lowest().await == (json!("Sale"), json!(149))).await;
        let key = PAID_KEY.replace('+', "%2B");
        let offers = world.get(&format!("/storeapi/discovery/offers/?course={key}")).await.json;
        assert_eq!(offers["offers"][0]["modes"][0]["dated_price"]["lowest_before"], json!(149), "{offers}");
        // Switzerland's law does not ask for it.
        import(world, &[seller(northwind, "CH", json!({}))]).await.unwrap();
        world.eventually("no lowest price", async |_| lowest().await == (json!("Sale"), Value::Null)).await;
    })
    .await;
}
