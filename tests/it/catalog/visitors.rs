//! The visitors of a backend, whom only the client secret can name: they have limits of their own.

use harness::steps::credentials::session;
use harness::steps::organisation_keys::key;
use harness::steps::payments::count;
use harness::steps::vouchers::voucher;
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

const QUOTE: &str = "/storeapi/discovery/quote/";
const ENROLL: &str = "/storeapi/enrollments/client/enroll/";

type Headers<'a> = &'a [(&'a str, &'a str)];

/// A backend's command for a visitor.
async fn send(world: &World, path: &str, body: &Value, visitor: Headers<'_>) -> Reply {
    let request = world.request(Method::POST, path).json(body);
    Reply::read(visitor.iter().fold(request, |request, (name, value)| request.header(*name, *value))).await
}

fn limited(per_minute: u32) -> Setup {
    Setup { api_args: vec![format!("--rate-limit-per-minute={per_minute}")], ..Setup::default() }
}

#[tokio::test]
async fn the_commands_of_one_visitor_are_limited_whatever_address_the_guest_makes_up() {
    world(limited(3), async |world| {
        world.sell().await;
        let basket = world.basket(&ORGANISATIONS[0]).await;
        let buy = async |guest: &str, visitor: Headers<'_>| {
            let mut body = basket.clone();
            body["email"] = json!(format!("{guest}@example.com"));
            send(world, GUEST_CHECKOUT, &body, visitor).await
        };
        let stranger = [("X-Visitor-Address", "192.0.2.1")];
        for guest in ["a", "b"] {
            assert_eq!(buy(guest, &stranger).await.status, 200);
        }
        // A quote is a command like any other.
        assert_eq!(send(world, QUOTE, &basket, &stranger).await.status, 200);
        let carts = count(world, "SELECT count(*) FROM carts").await;
        let refused = buy("c", &stranger).await;
        refused.assert_problem(429, "rate_limited");
        assert!((1..=20).contains(&refused.header("retry-after").parse::<u64>().unwrap()));
        send(world, QUOTE, &basket, &stranger).await.assert_problem(429, "rate_limited");
        assert_eq!(count(world, "SELECT count(*) FROM carts").await, carts);
        // Neither other visitors, nor a backend that names none, have come any nearer to a limit.
        assert_eq!(buy("d", &[("X-Visitor-Address", "192.0.2.2")]).await.status, 200);
        for guest in ["e", "f", "g", "h"] {
            assert_eq!(buy(guest, &[]).await.status, 200);
        }
    })
    .await;
}

#[tokio::test]
async fn a_visitor_counts_by_the_address_and_by_the_id() {
    world(limited(2), async |world| {
        world.sell().await;
        let basket = world.basket(&ORGANISATIONS[0]).await;
        let status = async |address: &str, id: &str| {
            let visitor = [("X-Visitor-Address", address), ("X-Visitor-Id", id)];
            let given: Vec<_> = visitor.into_iter().filter(|(_, value)| !value.is_empty()).collect();
            send(world, QUOTE, &basket, &given).await.status
        };
        // Without its cookie a visitor has another id, and with another address of its network still the same network.
        assert_eq!(status("2001:db8::1", "first").await, 200);
        assert_eq!(status("[2001:db8::2]:443", "second").await, 200);
        assert_eq!(status("2001:db8::3", "third").await, 429);
        // Many visitors behind one address that is not sent are told apart by their ids.
        assert_eq!(
            (status("", "ada").await, status("", "ada").await, status("", "bea").await),
            (200, 200, 200)
        );
        assert_eq!(status("192.0.2.1", "ada").await, 429);
    })
    .await;
}

#[tokio::test]
async fn a_malformed_name_of_a_visitor_is_refused_by_its_header_and_starts_nothing() {
    world(limited(1), async |world| {
        world.sell().await;
        let mut body = world.basket(&ORGANISATIONS[0]).await;
        body["email"] = json!("ada@example.com");
        let long = "x".repeat(256);
        for (name, value) in [
            ("X-Visitor-Address", "localhost"),
            ("X-Visitor-Address", ""),
            ("X-Visitor-Address", "192.0.2.256"),
            ("X-Visitor-Address", "192.0.2.1, 192.0.2.2"),
            ("X-Visitor-Id", ""),
            ("X-Visitor-Id", "two words"),
            ("X-Visitor-Id", &long),
        ] {
            let reply = send(world, GUEST_CHECKOUT, &body, &[(name, value)]).await;
            assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields(), [name], "{value}");
        }
        for name in ["X-Visitor-Address", "X-Visitor-Id"] {
            let twice = send(world, GUEST_CHECKOUT, &body, &[(name, "192.0.2.1"), (name, "192.0.2.2")]).await;
            assert_eq!(twice.assert_problem(400, "invalid_request").faulty_fields(), [name]);
        }
        let grant =
            json!({ "email": "ada@example.com", "course_id": ORGANISATIONS[0].course, "mode": "verified" });
        let refused = send(world, ENROLL, &grant, &[("X-Visitor-Address", "x")]).await;
        assert_eq!(refused.assert_problem(400, "invalid_request").faulty_fields(), ["X-Visitor-Address"]);
        assert_eq!(count(world, "SELECT count(*) FROM carts").await, 0);
        assert_eq!(count(world, "SELECT count(*) FROM enrollments").await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_visitor_is_named_only_with_the_client_secret() {
    world(limited(2), async |world| {
        world.sell().await;
        let basket = world.basket(&ORGANISATIONS[0]).await;
        let quote = async |user: &Value, address: &str| {
            let request = world.http.post(world.url(QUOTE)).header("cookie", session(user));
            let request = request.header("origin", "http://store.test").header("X-Visitor-Address", address);
            Reply::read(request.json(&basket)).await.status
        };
        let (ada, bea) =
            (world.platform_user("ada@example.com").await, world.platform_user("bea@example.com").await);
        assert_eq!((quote(&ada, "192.0.2.1").await, quote(&ada, "no address").await), (200, 200));
        // A learner has the learner's own limit, and uses up no other caller's.
        assert_eq!((quote(&ada, "192.0.2.2").await, quote(&bea, "192.0.2.1").await), (429, 200));
        let stranger = [("X-Visitor-Address", "192.0.2.1")];
        for expected in [200, 200, 429] {
            assert_eq!(send(world, QUOTE, &basket, &stranger).await.status, expected);
        }
    })
    .await;
}

#[tokio::test]
async fn a_visitor_who_tries_codes_is_limited_and_one_whose_codes_apply_is_not() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let key = key(world, "northwind", &[Scope::Vouchers]).await;
        voucher(world, &key, json!({ "code": "SPRING", "kind": "percent", "value": 20 })).await;
        let basket = world.basket(&ORGANISATIONS[0]).await;
        let with = |code: &str| {
            let mut body = basket.clone();
            body["voucher"] = json!(code);
            body
        };
        let guesser = [("X-Visitor-Address", "192.0.2.1")];
        for _ in 0..25 {
            let reply = send(world, QUOTE, &with("spring"), &guesser).await;
            assert_eq!((reply.status, &reply.json["voucher"]["accepted"]), (200, &json!(true)));
        }
        for guess in 0..19 {
            let reply = send(world, QUOTE, &with(&format!("GUESS-{guess}")), &guesser).await;
            assert_eq!((reply.status, &reply.json["voucher"]["reason"]), (200, &json!("unknown")));
        }
        // A checkout would tell as much.
        let mut checkout = with("GUESS-19");
        checkout["email"] = json!("ada@example.com");
        let reply = send(world, GUEST_CHECKOUT, &checkout, &guesser).await;
        assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields(), ["voucher"]);
        send(world, QUOTE, &with("GUESS-20"), &guesser).await.assert_problem(429, "rate_limited");
        send(world, GUEST_CHECKOUT, &checkout, &guesser).await.assert_problem(429, "rate_limited");
        // Not even a code that applies, which would tell the guesser that it does.
        send(world, QUOTE, &with("SPRING"), &guesser).await.assert_problem(429, "rate_limited");
        assert_eq!(send(world, QUOTE, &basket, &guesser).await.status, 200, "without a code");
        let other = [("X-Visitor-Address", "192.0.2.2")];
        assert_eq!(send(world, QUOTE, &with("GUESS-21"), &other).await.status, 200);
    })
    .await;
}
