//! Baskets of the buyers of `payment_machine`: courses and seats with and without a voucher, from organisations that
//! sell in currencies of no, two and three digits, with tax in the prices or on top.

use std::collections::HashMap;

use chrono::TimeDelta;
use harness::steps::events::endpoint_at;
use harness::steps::organisation_keys::key;
use harness::steps::refunds::other_course;
use harness::steps::tax::{import, rate, seller};
use harness::steps::vouchers::{VOUCHERS, keyed};
use harness::steps::withdrawals::{all_consents, offer, service};
use harness::{ORGANISATIONS, Organisation, World};
use proptest::prelude::*;
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

/// Takes 20 % off, which leaves every price of a market divisible by ten: no provider charges the last of three digits.
const CODE: &str = "MACHINE";

/// Sales terms of one organisation.
#[derive(Clone, Copy, Debug)]
pub struct Market {
    /// An index of the currencies that its gateway charges.
    currency: usize,
    prices_include_tax: bool,
    /// The limits of its voucher: for all buyers, and whether each has but one use.
    uses: Option<i32>,
    is_once_per_buyer: bool,
    /// Places of the organisation's course.
    capacity: Option<i32>,
    /// Who issues its documents.
    issuer: &'static str,
    /// Seconds for which the organisation's course has half its price.
    half_price_for: Option<i64>,
    /// Access to the organisation's course ends before the machine does.
    ends: bool,
}

pub fn market() -> impl Strategy<Value = Market> {
    let uses = prop_oneof![1 => Just(None), 2 => (1..4_i32).prop_map(Some)];
    let capacity = prop_oneof![Just(None), (1..12_i32).prop_map(Some)];
    let issuer = prop::sample::select(&["own", "cleared", "external"][..]);
    // Until the price turns meanwhile, or after the machine.
    let seconds = prop_oneof![Just(None), (1..15_i64).prop_map(Some), Just(Some(1_000_000))];
    let in_time = (seconds, any::<bool>());
    (0..3_usize, any::<bool>(), uses, any::<bool>(), capacity, issuer, in_time).prop_map(
        |(currency, prices_include_tax, uses, is_once_per_buyer, capacity, issuer, in_time)| Market {
            currency,
            prices_include_tax,
            uses,
            is_once_per_buyer,
            capacity,
            issuer,
            half_price_for: in_time.0,
            ends: in_time.1,
        },
    )
}

/// Wishes of a buyer beside the organisation's course, or instead of it.
#[derive(Clone, Copy, Debug)]
pub struct Basket {
    another_course: bool,
    seats: Option<i32>,
    is_seats_alone: bool,
    /// A single seat alone is for a recipient without an account.
    is_gift: bool,
    has_voucher: bool,
}

pub fn basket() -> impl Strategy<Value = Basket> {
    let seats = prop_oneof![2 => Just(None), 1 => (1..6_i32).prop_map(Some)];
    (any::<bool>(), seats, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(another_course, seats, is_seats_alone, is_gift, has_voucher)| Basket {
            another_course,
            seats: seats.map(|seats| if is_gift { 1 } else { seats }),
            is_seats_alone: is_seats_alone || is_gift,
            is_gift,
            has_voucher,
        },
    )
}

/// An organisation of the market.
pub struct Shop {
    pub organisation: &'static Organisation,
    /// Refunds, assigns and adds seats, and corrects addresses.
    pub key: String,
    /// The service id and the key of the other course.
    pub other: String,
    pub other_key: String,
}

fn currencies(organisation: &Organisation) -> [&'static str; 3] {
    match organisation.short_name {
        "northwind" => ["USD", "JPY", "KWD"],
        "lindgren" => ["EUR", "JPY", "EUR"],
        "saraswati" => ["INR", "JPY", "KWD"],
        // Curlec charges in currencies of two digits alone.
        _ => ["MYR", "MYR", "SGD"],
    }
}

/// Adds a mode without a price, so that what the platform gave is upgraded.
async fn offer_audit(world: &World, organisation: &Organisation) {
    sqlx::query(
        "INSERT INTO course_modes (course_id, slug, display_name, price, currency, price_order, visible)
         SELECT course_id, 'audit', 'Audit', 0, currency, 0, false FROM course_modes
         WHERE course_id = $1::uuid AND slug = 'verified' ON CONFLICT DO NOTHING",
    )
    .bind(organisation.course)
    .execute(&world.db)
    .await
    .unwrap();
}

/// Sells an organisation's course at half its price for a time, and with access that ends.
async fn sell_in_time(world: &World, organisation: &Organisation, market: &Market) {
    let now = world.clock.now();
    if let Some(seconds) = market.half_price_for {
        let until = now + TimeDelta::seconds(seconds);
        let rules = json!([{ "name": "Early", "until": until, "percent_off": "50" }]);
        let sql = "UPDATE course_modes SET dated_prices = $2 WHERE course_id = $1::uuid AND price > 0";
        sqlx::query(sql).bind(organisation.course).bind(rules).execute(&world.db).await.unwrap();
    }
    if market.ends {
        let sql = "UPDATE course_modes SET access_until = $2 WHERE course_id = $1::uuid AND price > 0";
        let until = now + TimeDelta::hours(10);
        sqlx::query(sql).bind(organisation.course).bind(until).execute(&world.db).await.unwrap();
    }
}

/// Opens the shops of a world.
pub async fn open(world: &World, markets: &[Market]) -> Vec<Shop> {
    let mut shops = Vec::new();
    for (organisation, market) in ORGANISATIONS.iter().zip(markets) {
        let currency = currencies(organisation)[market.currency];
        // A tax on top would make prices that end in another digit than 0.
        let is_included = market.prices_include_tax || currency == "KWD";
        let terms = json!({ "prices_include_tax": is_included, "documents": market.issuer });
        let mut record = seller(organisation, "DE", terms);
        record["currency"] = json!(currency);
        import(world, &[record, rate(organisation, "DE", &[("A", 18.0), ("B", 0.75)])]).await.unwrap();
        sqlx::query("UPDATE organisations SET refund_days = 14").execute(&world.db).await.unwrap();
        offer_audit(world, organisation).await;
        sqlx::query("UPDATE courses SET capacity = $2 WHERE id = $1::uuid")
            .bind(organisation.course)
            .bind(market.capacity)
            .execute(&world.db)
            .await
            .unwrap();
        sqlx::query(
            "UPDATE course_modes SET currency = $1, price = (price + 99) / 100 * 100 WHERE course_id IN (
                 SELECT c.id FROM courses c JOIN organisations o ON o.id = c.organisation_id WHERE o.short_name = $2)",
        )
        .bind(currency)
        .bind(organisation.short_name)
        .execute(&world.db)
        .await
        .unwrap();
        sell_in_time(world, organisation, market).await;
        offer(world, organisation, service()).await;
        let key = key(
            world,
            organisation.short_name,
            &[Scope::Refunds, Scope::Seats, Scope::Vouchers, Scope::Support, Scope::Documents],
        )
        .await;
        let mut terms = json!({ "code": CODE, "kind": "percent", "value": 20, "max_uses": market.uses });
        if market.is_once_per_buyer {
            terms["max_uses_per_buyer"] = json!(1);
        }
        world
            .eventually("the voucher is created, once a worker has started", async |world| {
                keyed(world, Method::POST, VOUCHERS, &key, &terms).await;
                let made = "SELECT count(*) FROM vouchers v JOIN organisations o ON o.id = v.organisation_id WHERE o.short_name = $1";
                let made = sqlx::query_scalar::<_, i64>(made).bind(organisation.short_name);
                made.fetch_one(&world.db).await.unwrap() == 1
            })
            .await;
        let other = other_course(world, organisation).await;
        let named = sqlx::query_scalar("SELECT openedx_course_id FROM courses WHERE id = $1::uuid");
        let other_key = named.bind(&other).fetch_one(&world.db).await.unwrap();
        shops.push(Shop { organisation, key, other, other_key });
        endpoint_at(world, organisation.short_name, "/_sim/partner/events").await;
    }
    tell_partner(world, &shops).await;
    shops
}

/// Has the partner report, who clears and issues documents: twice, and it is told of some twice.
async fn tell_partner(world: &World, shops: &[Shop]) {
    let keys: HashMap<&str, &str> =
        shops.iter().map(|shop| (shop.organisation.short_name, shop.key.as_str())).collect();
    let partner = json!({ "store": world.url(""), "keys": keys, "repeats": 1 });
    world.sim(Method::POST, "/_sim/partner", Some(partner)).await;
    world.fault(json!({ "target": "partner", "kind": "lost_answer", "count": 3 })).await;
}

/// As a guest mistypes an address: nobody has this one.
pub fn mistyped(email: &str) -> String {
    format!("typo-{email}")
}

impl Shop {
    /// The learner joins the course at the platform itself.
    pub async fn join(&self, world: &World, user: &Value) {
        let token = world.sim_service_token().await;
        let url = world.simulators.url("/platform/api/enrollment/v1/enrollment");
        let course = json!({ "course_id": self.organisation.key });
        let body =
            json!({ "user": user["username"], "mode": "audit", "is_active": true, "course_details": course });
        let request = world.http.post(url).header("authorization", format!("JWT {token}")).json(&body);
        assert_eq!(request.send().await.unwrap().status(), 200);
    }

    /// A basket as a request, with the organisation's course in this mode.
    pub async fn request(&self, world: &World, buyer: &str, basket: Basket, mode: &str) -> Value {
        let mut body = world.basket(&Organisation { mode: "", ..*self.organisation }).await;
        let course = |id: &str, mode: &str| json!({ "type": "course", "id": id, "mode": mode });
        let mut items = Vec::new();
        if basket.seats.is_none() || !basket.is_seats_alone {
            items.push(course(self.organisation.course, mode));
            if basket.another_course {
                items.push(course(&self.other, "verified"));
            }
        }
        if let Some(seats) = basket.seats {
            let mut item = course(self.organisation.course, self.organisation.mode);
            // The other mode is another basket also of seats alone, and another gift.
            item["seats"] =
                json!(if basket.is_gift { 1 } else { seats + i32::from(mode != self.organisation.mode) });
            items.push(item);
        }
        (body["items"], body["consents"]) = (json!(items), all_consents());
        if basket.has_voucher {
            body["voucher"] = json!(CODE);
        }
        if basket.is_gift && basket.seats.is_some() {
            body["gift"] = json!({ "email": format!("gift-{buyer}"), "message": mode });
        }
        body
    }

    /// The buyer's newest pool, bought or by contract, with its seats.
    async fn pool(&self, world: &World, buyer: &str) -> Option<(String, i32)> {
        let newest = "SELECT id::text, max_uses FROM vouchers WHERE kind = 'seat' AND email IN ($1, $2) ORDER BY id DESC LIMIT 1";
        sqlx::query_as(newest).bind(buyer).bind(mistyped(buyer)).fetch_optional(&world.db).await.unwrap()
    }

    /// Gives the buyer seats that were paid elsewhere.
    pub async fn contract(&self, world: &World, buyer: &str, seats: i32) {
        let item =
            json!({ "type": "course", "id": self.organisation.course, "mode": self.organisation.mode });
        let body = json!({ "kind": "seat", "item": item, "email": buyer, "max_uses": seats });
        let reply = keyed(world, Method::POST, VOUCHERS, &self.key, &body).await;
        assert!([201, 409, 503, 504].contains(&reply.status), "{buyer}: {}", reply.text);
    }

    /// Adds a seat to the buyer's newest pool, if there is one.
    pub async fn add_seat(&self, world: &World, buyer: &str) {
        let Some((pool, seats)) = self.pool(world, buyer).await else { return };
        let path = format!("{VOUCHERS}{pool}/");
        let reply = keyed(world, Method::PUT, &path, &self.key, &json!({ "max_uses": seats + 1 })).await;
        // 400: more are taken already.
        assert!([200, 400, 409, 503, 504].contains(&reply.status), "{buyer}: {}", reply.text);
    }

    /// Corrects the address of an order.
    pub async fn correct(&self, world: &World, cart: &str, email: &str) {
        let path = format!("/storeapi/support/orders/{cart}/address/");
        let reply = keyed(world, Method::POST, &path, &self.key, &json!({ "email": email })).await;
        // 400: it waits for its payment, has ended, or has the address already.
        assert!([204, 400, 409, 503, 504].contains(&reply.status), "{email}: {}", reply.text);
    }

    /// Assigns a seat of the buyer's newest pool, if there is one.
    pub async fn assign(&self, world: &World, buyer: &str, email: &str) {
        let Some((pool, _)) = self.pool(world, buyer).await else { return };
        let path = format!("/storeapi/seats/{pool}/assign/");
        let body = json!({ "emails": [email] });
        let reply = keyed(world, Method::POST, &path, &self.key, &body).await;
        assert!([202, 409, 503, 504].contains(&reply.status), "{buyer}: {}", reply.text);
    }
}
