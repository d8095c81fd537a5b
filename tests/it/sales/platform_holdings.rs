//! What the course platform gave a learner by itself: the end of a purchase falls back to it.

use harness::steps::demo::{FREE_COURSE, FREE_KEY, PAID_COURSE, PAID_KEY};
use harness::steps::payments::{EMAIL, count, reference};
use harness::{ORGANISATIONS, Reply, Setup, World, redis_url, world};
use reqwest::Method;
use serde_json::{Value, json};

/// Enrolls a learner at the platform itself, and deactivates the enrollment unless `is_active`.
pub async fn joined(world: &World, user: &Value, mode: &str, is_active: bool) {
    let token = world.sim_service_token().await;
    let url = world.simulators.url("/platform/api/enrollment/v1/enrollment");
    let states: &[bool] = if is_active { &[true] } else { &[true, false] };
    for is_active in states {
        let body = json!({ "user": user["username"], "mode": mode, "is_active": is_active, "course_details": { "course_id": PAID_KEY } });
        let request = world.http.post(&url).header("authorization", format!("JWT {token}")).json(&body);
        assert_eq!(request.send().await.unwrap().status(), 200);
    }
}

async fn bought(world: &World, user: &Value) -> String {
    let cart =
        world.learner_checkout(&ORGANISATIONS[0], user).await.json["cart_id"].as_str().unwrap().to_owned();
    let payment = world.payment(&cart).await;
    world.at_provider("pay", reference(&payment), json!({})).await;
    world.cart_becomes(&cart, "fulfilled").await;
    world.platform_agrees(EMAIL, PAID_KEY, "verified", true).await;
    reference(&payment).to_owned()
}

/// The platform's event bus, on a stream of its own.
struct Bus {
    stream: String,
    redis: redis::Client,
}

impl Bus {
    fn new() -> Self {
        let redis = redis::Client::open(redis_url()).unwrap();
        Self { stream: format!("bus-{}", uuid::Uuid::now_v7()), redis }
    }

    fn setup(&self) -> Setup {
        let args =
            [format!("--event-bus-redis-url={}", redis_url()), format!("--event-bus-stream={}", self.stream)];
        Setup { worker_args: args.to_vec(), ..Setup::selling() }
    }

    /// Waits until the worker reads the stream, of whose past it takes no notice.
    async fn is_read(&self, world: &World) {
        world
            .eventually("the worker reads the bus", async |_| {
                let mut redis = self.redis.get_connection().unwrap();
                let groups = redis::cmd("XINFO")
                    .arg("GROUPS")
                    .arg(&self.stream)
                    .query::<Vec<redis::Value>>(&mut redis);
                groups.is_ok_and(|groups| groups.len() == 1)
            })
            .await;
    }

    /// A learner whom the storefront has granted another course, once the worker reads the stream.
    async fn learner_on_record(&self, world: &World) -> Value {
        self.is_read(world).await;
        let learner = world.platform_user(EMAIL).await;
        world.enroll(EMAIL, FREE_COURSE, "audit").await;
        world.platform_agrees(EMAIL, FREE_KEY, "audit", true).await;
        learner
    }

    /// Sends an event in the form of openedx-events, which the worker's own tests have from the library.
    fn send(&self, user: &Value, event: &str, mode: &str, is_active: bool) {
        let long = |number: i64| {
            let mut rest = u64::try_from(number * 2).unwrap();
            let mut bytes = Vec::new();
            while rest > 127 {
                bytes.push(u8::try_from(rest % 128).unwrap() | 128);
                rest /= 128;
            }
            [bytes, vec![u8::try_from(rest).unwrap()]].concat()
        };
        let text = |text: &str| [long(i64::try_from(text.len()).unwrap()), text.as_bytes().to_vec()].concat();
        let data = [
            long(user["user_id"].as_i64().unwrap()),
            vec![1],
            text(user["username"].as_str().unwrap()),
            text(EMAIL),
            text("Ada L"),
            text(PAID_KEY),
            text("Data"),
            vec![0, 0],
            text(mode),
            vec![u8::from(is_active)],
            text("2026-03-01T12:00:00+00:00"),
            vec![0],
        ];
        let mut redis = self.redis.get_connection().unwrap();
        let mut add = redis::cmd("XADD");
        add.arg(&self.stream).arg("*").arg("type").arg(format!("org.openedx.learning.course.{event}.v1"));
        add.arg("event_data").arg(data.concat()).query::<String>(&mut redis).unwrap();
    }

    /// Changes an enrollment at the platform itself, which sends an event.
    async fn joined(&self, world: &World, user: &Value, mode: &str, is_active: bool) {
        joined(world, user, mode, is_active).await;
        let event = if is_active { "enrollment.created" } else { "unenrollment.completed" };
        self.send(user, event, mode, is_active);
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        let deleted =
            self.redis.get_connection().map(|mut redis| redis::cmd("DEL").arg(&self.stream).exec(&mut redis));
        drop(deleted);
    }
}

/// What check-enrollment answers a learner about the paid course.
async fn checked(world: &World, user: &Value) -> Value {
    let check = format!("/storeapi/discovery/check-enrollment/{PAID_KEY}/");
    let jwt = format!("JWT {}", user["jwt"].as_str().unwrap());
    Reply::read(world.http.get(world.url(&check)).header("authorization", jwt)).await.json
}

/// Waits until check-enrollment answers this mode, or with None that the learner is not enrolled.
async fn check_becomes(world: &World, user: &Value, mode: Option<&str>) {
    world
        .eventually(&format!("check-enrollment says {mode:?}"), async |world| {
            let checked = checked(world, user).await;
            checked["enrolled"] == mode.is_some() && checked["mode"].as_str() == mode
        })
        .await;
}

/// Number of events that the worker has looked at.
async fn hints(world: &World) -> f64 {
    let done = r#"storefront_jobs_total{queue="registration",type="registration.enrollment_hint.v1",outcome="done"}"#;
    world.metric(done).await.unwrap()
}

async fn holdings(world: &World) -> i64 {
    count(world, "SELECT count(*) FROM enrollment_grants WHERE source = 'platform' AND ended_at IS NULL")
        .await
}

#[tokio::test]
async fn a_refunded_upgrade_falls_back_to_the_audit_that_the_platform_gave() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        joined(world, &ada, "audit", true).await;
        let payment = bought(world, &ada).await;
        assert_eq!(holdings(world).await, 1);
        world.at_provider("refund", &payment, json!({})).await;
        world.platform_agrees(EMAIL, PAID_KEY, "audit", true).await;
        // A second purchase upgrades it again.
        let again = bought(world, &ada).await;
        world.at_provider("refund", &again, json!({})).await;
        world.platform_agrees(EMAIL, PAID_KEY, "audit", true).await;
        assert_eq!(holdings(world).await, 1);
    })
    .await;
}

#[tokio::test]
async fn a_change_of_its_own_is_not_taken_for_the_platforms() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        let down = json!({ "target": "platform", "path": "/api/enrollment", "kind": "status", "status": 503, "count": 10_000 });
        world.fault(down).await;
        let cart = world.learner_checkout(&ORGANISATIONS[0], &ada).await.json["cart_id"].as_str().unwrap().to_owned();
        let payment = world.payment(&cart).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        // The worker had looked, and its first change has reached the platform without an answer. A sync that is under way would
        // still look.
        let seen = "WITH seen AS (UPDATE enrollments SET platform_seen_at = now() WHERE sync_lease_until IS NULL RETURNING id)
                    SELECT count(*) FROM seen";
        world.eventually("no sync is under way", async |world| count(world, seen).await == 1).await;
        world.sim(Method::DELETE, "/_sim/faults", None).await;
        joined(world, &ada, "verified", true).await;
        world
            .eventually("the platform agrees", async |world| {
                count(world, "SELECT count(*) FROM enrollments WHERE platform_state = 'synced'").await == 1
            })
            .await;
        assert_eq!(holdings(world).await, 0);
        world.at_provider("refund", reference(&payment), json!({})).await;
        world.platform_agrees(EMAIL, PAID_KEY, "verified", false).await;
    })
    .await;
}

#[tokio::test]
async fn what_was_over_at_the_platform_does_not_come_back() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        joined(world, &ada, "audit", false).await;
        let payment = bought(world, &ada).await;
        assert_eq!(holdings(world).await, 0);
        world.at_provider("refund", &payment, json!({})).await;
        world.platform_agrees(EMAIL, PAID_KEY, "verified", false).await;
    })
    .await;
}

#[tokio::test]
async fn a_better_mode_of_the_platform_stays() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        joined(world, &ada, "professional", true).await;
        let cart = world.learner_checkout(&ORGANISATIONS[0], &ada).await.json["cart_id"].as_str().unwrap().to_owned();
        let payment = world.payment(&cart).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        world
            .eventually("the platform was asked", async |world| {
                count(world, "SELECT count(*) FROM enrollments WHERE platform_state = 'synced' AND mode = 'professional'").await == 1
            })
            .await;
        world.platform_agrees(EMAIL, PAID_KEY, "professional", true).await;
        assert_eq!(checked(world, &ada).await["mode"], "professional");
    })
    .await;
}

#[tokio::test]
async fn what_the_learner_has_left_at_the_platform_does_not_come_back_after_a_refund() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        joined(world, &ada, "audit", true).await;
        let payment = bought(world, &ada).await;
        assert_eq!(holdings(world).await, 1);
        joined(world, &ada, "verified", false).await;
        world.at_provider("refund", &payment, json!({})).await;
        world
            .eventually("the platform is asked and has nothing", async |world| {
                count(
                    world,
                    "SELECT count(*) FROM enrollments WHERE platform_state = 'synced' AND state = 'removed'",
                )
                .await
                    == 1
            })
            .await;
        assert_eq!(holdings(world).await, 0);
        world.platform_agrees(EMAIL, PAID_KEY, "verified", false).await;
    })
    .await;
}

#[tokio::test]
async fn the_event_bus_keeps_what_the_platform_gave_up_to_date() {
    let bus = Bus::new();
    world(bus.setup(), async |world| {
        world.sell().await;
        bus.is_read(world).await;
        let ada = world.platform_user(EMAIL).await;
        // The learner is not on record yet: nothing is stored.
        let before = hints(world).await;
        bus.joined(world, &ada, "audit", true).await;
        world.eventually("the event is looked at", async |world| hints(world).await > before).await;
        world.enroll(EMAIL, FREE_COURSE, "audit").await;
        world.platform_agrees(EMAIL, FREE_KEY, "audit", true).await;
        assert_eq!(checked(world, &ada).await["enrolled"], false);
        bus.joined(world, &ada, "audit", true).await;
        check_becomes(world, &ada, Some("audit")).await;
        let calls = world.on_platform(EMAIL, PAID_KEY).await.unwrap()["calls"].clone();
        let payment = bought(world, &ada).await;
        world.at_provider("refund", &payment, json!({})).await;
        world.platform_agrees(EMAIL, PAID_KEY, "audit", true).await;
        // One call for the purchase and one for its end: none confirmed what the platform had by itself.
        let after = world.on_platform(EMAIL, PAID_KEY).await.unwrap()["calls"].clone();
        assert_eq!(after.as_i64().unwrap() - calls.as_i64().unwrap(), 2);
        check_becomes(world, &ada, Some("audit")).await;
        bus.joined(world, &ada, "audit", false).await;
        check_becomes(world, &ada, None).await;
        assert_eq!(holdings(world).await, 0);
    })
    .await;
}

#[tokio::test]
async fn what_the_platform_gave_is_not_sold_again() {
    let bus = Bus::new();
    world(bus.setup(), async |world| {
        world.sell().await;
        let ada = bus.learner_on_record(world).await;
        bus.joined(world, &ada, "verified", true).await;
        check_becomes(world, &ada, Some("verified")).await;
        let repeated = world.learner_checkout(&ORGANISATIONS[0], &ada).await;
        assert_eq!(repeated.json["status"], "free", "{}", repeated.text);
    })
    .await;
}

#[tokio::test]
async fn an_event_that_the_platform_does_not_confirm_changes_nothing() {
    let bus = Bus::new();
    world(bus.setup(), async |world| {
        world.sell().await;
        bus.is_read(world).await;
        let ada = world.platform_user(EMAIL).await;
        world.enroll(EMAIL, PAID_COURSE, "verified").await;
        world.platform_agrees(EMAIL, PAID_KEY, "verified", true).await;
        check_becomes(world, &ada, Some("verified")).await;
        let before = hints(world).await;
        // What a grant of verified makes an LMS send.
        bus.send(&ada, "enrollment.changed", "audit", true);
        bus.send(&ada, "enrollment.created", "audit", true);
        bus.send(&ada, "enrollment.changed", "verified", true);
        bus.send(&ada, "enrollment.changed", "professional", true);
        bus.send(&ada, "unenrollment.completed", "verified", false);
        // What the platform has of the storefront's own grant is less: the grant stays.
        bus.joined(world, &ada, "audit", true).await;
        world.eventually("each event is looked at", async |world| hints(world).await >= before + 6.0).await;
        assert_eq!(checked(world, &ada).await["mode"], "verified");
        assert_eq!(holdings(world).await, 0);
    })
    .await;
}

#[tokio::test]
async fn what_the_learner_has_left_unseen_is_granted_again_by_who_asks_for_it() {
    let bus = Bus::new();
    world(bus.setup(), async |world| {
        world.sell().await;
        let ada = bus.learner_on_record(world).await;
        sqlx::query("DELETE FROM organisation_members").execute(&world.db).await.unwrap();
        bus.joined(world, &ada, "verified", true).await;
        check_becomes(world, &ada, Some("verified")).await;
        assert_eq!(
            count(world, "SELECT count(*) FROM organisation_members").await,
            0,
            "the platform gave it alone"
        );

        // The event of this is lost.
        joined(world, &ada, "verified", false).await;
        let again = world.learner_checkout(&ORGANISATIONS[0], &ada).await;
        assert_eq!(again.json["status"], "free", "{}", again.text);
        world.platform_agrees(EMAIL, PAID_KEY, "verified", true).await;
        assert_eq!(count(world, "SELECT count(*) FROM organisation_members").await, 1);
    })
    .await;
}

#[tokio::test]
async fn an_upgrade_of_what_the_learner_has_left_unseen_ends_with_its_refund() {
    let bus = Bus::new();
    world(bus.setup(), async |world| {
        world.sell().await;
        let ada = bus.learner_on_record(world).await;
        bus.joined(world, &ada, "audit", true).await;
        check_becomes(world, &ada, Some("audit")).await;
        joined(world, &ada, "audit", false).await;
        let payment = bought(world, &ada).await;
        assert_eq!(holdings(world).await, 0);
        world.at_provider("refund", &payment, json!({})).await;
        world.platform_agrees(EMAIL, PAID_KEY, "verified", false).await;
    })
    .await;
}

#[tokio::test]
async fn a_partners_grant_of_what_the_platform_gave_reaches_the_platform() {
    let bus = Bus::new();
    world(bus.setup(), async |world| {
        let ada = bus.learner_on_record(world).await;
        bus.joined(world, &ada, "verified", true).await;
        check_becomes(world, &ada, Some("verified")).await;
        joined(world, &ada, "verified", false).await;
        world.enroll(EMAIL, PAID_COURSE, "verified").await;
        world.platform_agrees(EMAIL, PAID_KEY, "verified", true).await;
    })
    .await;
}

#[tokio::test]
async fn a_mode_that_the_platform_has_raised_meanwhile_stays_after_a_refund() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        joined(world, &ada, "audit", true).await;
        let payment = bought(world, &ada).await;
        joined(world, &ada, "professional", true).await;
        world.at_provider("refund", &payment, json!({})).await;
        world
            .eventually("the record has what the platform has", async |world| {
                count(world, "SELECT count(*) FROM enrollments WHERE platform_state = 'synced' AND mode = 'professional'").await == 1
            })
            .await;
        world.platform_agrees(EMAIL, PAID_KEY, "professional", true).await;
    })
    .await;
}

#[tokio::test]
async fn a_learner_who_leaves_is_not_enrolled_again_by_what_else_is_on_record() {
    let bus = Bus::new();
    world(bus.setup(), async |world| {
        bus.is_read(world).await;
        let ada = world.platform_user(EMAIL).await;
        world.enroll(EMAIL, PAID_COURSE, "verified").await;
        world.platform_agrees(EMAIL, PAID_KEY, "verified", true).await;
        bus.joined(world, &ada, "professional", true).await;
        check_becomes(world, &ada, Some("professional")).await;
        bus.joined(world, &ada, "professional", false).await;
        check_becomes(world, &ada, Some("verified")).await;
        world
            .eventually("nothing waits for the platform", async |world| {
                count(world, "SELECT count(*) FROM enrollments WHERE platform_state = 'queued'").await == 0
                    && count(world, "SELECT count(*) FROM outbox").await == 0
            })
            .await;
        world.platform_agrees(EMAIL, PAID_KEY, "professional", false).await;
    })
    .await;
}
