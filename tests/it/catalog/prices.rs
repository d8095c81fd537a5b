//! Regional prices in every answer that shows one: each item follows the policy of the organisation that owns it.

use std::collections::BTreeMap;

use harness::steps::demo::PAID_KEY;
use harness::{Reply, Setup, World, world};
use reqwest::Method;
use rust_decimal::{Decimal, RoundingStrategy};
use serde_json::Value;

async fn seen_from(world: &World, country: &str, path: &str) -> Value {
    let request = world.request(Method::GET, path).header("X-Visitor-Country", country);
    let reply = Reply::read(request).await;
    assert_eq!(reply.status, 200, "{path}: {}", reply.text);
    reply.json
}

/// Every priced object of an answer, by item id and, for a course's mode, the mode's slug (else empty).
type Priced = BTreeMap<(String, String), Value>;

fn priced(json: &Value, item: &str, found: &mut Priced) {
    match json {
        Value::Array(items) => items.iter().for_each(|one| priced(one, item, found)),
        Value::Object(fields) => {
            let item = fields.get("id").map_or(item.to_owned(), Value::to_string);
            if fields.contains_key("originalPrice") {
                let slug = fields.get("modeSlug").map(Value::to_string).unwrap_or_default();
                found.insert((item.clone(), slug), json.clone());
            }
            fields.values().for_each(|field| priced(field, &item, found));
        }
        _ => {}
    }
}

fn decimal(value: &Value) -> Decimal {
    value.to_string().parse().unwrap()
}

fn rounded(amount: Decimal, currency: &str) -> Decimal {
    let digits = if ["JPY", "KRW"].contains(&currency) { 0 } else { 2 };
    amount.round_dp_with_strategy(digits, RoundingStrategy::MidpointAwayFromZero)
}

/// An item's terms in the database: the discount of its organisation, in percent, and the rate into the display
/// currency.
async fn terms(
    world: &World,
    id: &str,
    currency: &str,
    country: &str,
) -> (Decimal, Option<(String, Decimal)>) {
    let row: Option<(Decimal, Option<String>, Option<Decimal>)> = sqlx::query_as(
        "SELECT t.percent_off, t.display_currency::text, r.rate
         FROM (SELECT id, organisation_id FROM courses UNION ALL SELECT id, organisation_id FROM programs) item
         JOIN pricing_policies p USING (organisation_id)
         JOIN pricing_policy_countries t USING (organisation_id)
         LEFT JOIN exchange_rates r ON r.base = $2 AND r.quote = t.display_currency AND r.as_of >= $4
         WHERE item.id = $1::uuid AND p.enabled AND t.country = $3",
    )
    .bind(id.trim_matches('"'))
    .bind(currency)
    .bind(country)
    .bind((world.clock.now() - chrono::TimeDelta::days(7)).date_naive())
    .fetch_optional(&world.db)
    .await
    .unwrap();
    row.map_or((Decimal::ZERO, None), |(percent, display, rate)| (percent, display.zip(rate)))
}

#[tokio::test]
async fn every_shown_price_follows_its_organisations_policy() {
    world(Setup::without_workers(), async |world| {
        // One organisation no longer gives discounts.
        sqlx::query("UPDATE pricing_policies SET enabled = false FROM organisations o WHERE o.id = organisation_id AND short_name = 'kinabalu'")
            .execute(&world.db)
            .await
            .unwrap();
        let program: uuid::Uuid =
            sqlx::query_scalar("SELECT id FROM programs WHERE is_published AND price > 0 ORDER BY id LIMIT 1").fetch_one(&world.db).await.unwrap();
        let (mut discounted, mut native, mut modes) = (0, 0, 0);
        for path in [
            "/storeapi/discovery/courses/?limit=100".to_owned(),
            "/storeapi/discovery/courses/?limit=100&fields=full".to_owned(),
            format!("/storeapi/discovery/course/{PAID_KEY}/"),
            "/storeapi/discovery/programs/?limit=100".to_owned(),
            format!("/storeapi/discovery/program/{program}/"),
            "/storeapi/discovery/tags/".to_owned(),
        ] {
            for country in ["IN", "NG", "BR", "SE"] {
                let mut items = BTreeMap::new();
                priced(&seen_from(world, country, &path).await, "", &mut items);
                assert!(!items.is_empty(), "{path}");
                for ((id, mode), item) in items {
                    if !mode.is_empty() {
                        assert_eq!(item["minPrice"], item["originalPrice"], "{path} {item}");
                        modes += 1;
                    }
                    let Some(currency) = item["currency"].as_str() else {
                        assert_eq!((&item["price"], &item["originalPrice"]), (&Value::Null, &Value::Null));
                        continue;
                    };
                    let (percent, display) = terms(world, &id, currency, country).await;
                    let original = decimal(&item["originalPrice"]);
                    let price = rounded(original * (Decimal::ONE_HUNDRED - percent) / Decimal::ONE_HUNDRED, currency);
                    assert_eq!((decimal(&item["price"]), decimal(&item["discountPct"]).normalize()), (price, percent.normalize()), "{path} {country} {item}");
                    let shown = item.get("nativeCurrency").map(|code| (code.as_str().unwrap().to_owned(), decimal(&item["nativeAmount"])));
                    let expected = display.map(|(code, rate)| (code.clone(), rounded(price * rate, &code)));
                    assert_eq!(shown, expected, "{path} {country} {item}");
                    discounted += i32::from(!percent.is_zero());
                    native += i32::from(shown.is_some());
                }
            }
        }
        assert!(discounted > 100 && native > 100 && modes > 100, "{discounted} {native} {modes}");
        // Only exchange rates of the last week count.
        let eight_days = chrono::TimeDelta::days(8);
        world.clock.advance(eight_days);
        let mut items = BTreeMap::new();
        priced(&seen_from(world, "IN", "/storeapi/discovery/programs/?limit=99").await, "", &mut items);
        assert!(items.values().all(|item| item.get("nativeCurrency").is_none()));
    })
    .await;
}
