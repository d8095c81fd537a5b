//! Identities that the replicas share through Redis, which is no authority: what other programs write there is not believed.

use harness::steps::credentials::session;
use harness::{IDENTITY_KEY, Reply, SECRET, Setup, World, world};
use redis::Commands;
use serde_json::{Value, json};
use shared::seal::SealKey;

const PROBE: &str = "/storeapi/discovery/user/";

fn redis_connection() -> redis::Connection {
    redis::Client::open(harness::redis_url()).unwrap().get_connection().unwrap()
}

fn entries(world: &World) -> Vec<String> {
    redis_connection().keys(format!("{}:identity:*", world.name)).unwrap()
}

async fn who(world: &World, replica: usize, user: &Value) -> Value {
    let url = format!("http://{}{PROBE}", world.apis[replica].public);
    let request = world.http.get(url).header("clientapisecret", SECRET).header("cookie", session(user));
    Reply::read(request).await.json["email"].clone()
}

/// The entry of the user's session: the one that asking for the user adds.
async fn entry(world: &World, user: &Value) -> String {
    let before = entries(world);
    who(world, 0, user).await;
    entries(world).into_iter().find(|entry| !before.contains(entry)).unwrap()
}

/// Returns the learner for whom the second replica takes Ada, after another program has overwritten her fresh entry.
async fn after_forging(
    world: &World,
    ada: &Value,
    bob: &Value,
    of_ada: &str,
    forged: &dyn Fn() -> Vec<u8>,
) -> Value {
    world.clock.advance(chrono::TimeDelta::seconds(61));
    for (user, email) in [(ada, "ada@example.com"), (bob, "bob@example.com")] {
        assert_eq!(who(world, 0, user).await, email);
    }
    let _: () = redis_connection().set(of_ada, forged()).unwrap();
    who(world, 1, ada).await
}

/// Counts the entries that the api has refused.
async fn refused(world: &World) -> u32 {
    let metrics =
        Reply::read(world.http.get(format!("http://{}/metrics", world.apis[1].internal))).await.text;
    let counter = "storefront_refused_identities_total ";
    metrics.lines().find_map(|line| line.strip_prefix(counter)).map_or(0, |count| count.parse().unwrap())
}

#[tokio::test]
async fn what_was_changed_moved_or_written_by_another_program_is_not_believed() {
    world(Setup { apis: 2, ..Setup::without_workers() }, async |world| {
        let (ada, bob) =
            (world.platform_user("ada@example.com").await, world.platform_user("bob@example.com").await);
        let (of_ada, of_bob) = (entry(world, &ada).await, entry(world, &bob).await);
        let place = format!("identity {}", of_ada.rsplit(':').next().unwrap());
        let clock = world.clock.clone();
        let claimed = || {
            json!({
                "user_id": 1, "username": "eve", "email": "eve@example.com", "name": "Eve", "administrator": true,
                "is_active": true, "is_limited": false,
                "believed_until": clock.now() + chrono::TimeDelta::seconds(30),
            })
        };
        let sealed = |key: &str| {
            let sealed =
                key.parse::<SealKey>().unwrap().seal(&place, claimed().to_string().as_bytes()).unwrap();
            [sealed.key_id.as_bytes(), b" ", &sealed.bytes].concat()
        };
        let renewed = |changed: fn(&mut Vec<u8>)| {
            let mut entry: Vec<u8> = redis_connection().get(&of_ada).unwrap();
            changed(&mut entry);
            entry
        };
        let forgeries: [(&str, &dyn Fn() -> Vec<u8>); 6] = [
            ("moved", &|| redis_connection().get(&of_bob).unwrap()),
            ("changed", &|| renewed(|entry| *entry.last_mut().unwrap() ^= 1)),
            ("cut", &|| renewed(|entry| entry.truncate(20))),
            ("plain", &|| claimed().to_string().into_bytes()),
            ("sealed under another key", &|| sealed(&"4".repeat(64))),
            ("empty", &Vec::new),
        ];
        for (name, forged) in forgeries {
            let before = refused(world).await;
            // On a busy machine Redis may not answer in time, and then the replica does not look at the entry.
            let refuses = async |world: &World| {
                assert_eq!(
                    after_forging(world, &ada, &bob, &of_ada, forged).await,
                    "ada@example.com",
                    "{name}"
                );
                refused(world).await > before
            };
            world.eventually(&format!("the api refuses the entry ({name})"), refuses).await;
        }
        // What the installation's own key has sealed is believed: the seal decides, and nothing else.
        let believes = async |world: &World| {
            after_forging(world, &ada, &bob, &of_ada, &|| sealed(IDENTITY_KEY)).await == "eve@example.com"
        };
        world.eventually("the api believes the sealed entry", believes).await;
    })
    .await;
}

#[tokio::test]
async fn without_a_key_each_replica_asks_the_platform_itself() {
    let setup = Setup { apis: 2, api_args: vec!["--identity-keys=".into()], ..Setup::without_workers() };
    world(setup, async |world| {
        let ada = world.platform_user("ada@example.com").await;
        assert_eq!(who(world, 0, &ada).await, "ada@example.com");
        assert_eq!(entries(world), Vec::<String>::new());
        world.sim(reqwest::Method::POST, "/_sim/reset", None).await;
        assert_eq!(
            (who(world, 0, &ada).await, who(world, 1, &ada).await),
            (json!("ada@example.com"), Value::Null)
        );
    })
    .await;
}

/// Before, an account that was disabled kept its access for as long as the clock had gone back.
#[tokio::test]
async fn an_identity_that_a_later_clock_has_noted_is_asked_again() {
    world(Setup { apis: 2, ..Setup::without_workers() }, async |world| {
        let ada = world.platform_user("ada@example.com").await;
        world.clock.advance(chrono::TimeDelta::hours(1));
        world
            .eventually("it is noted", async |world| {
                who(world, 0, &ada).await;
                !entries(world).is_empty()
            })
            .await;
        world.clock.advance(chrono::TimeDelta::hours(-1));
        world.sim(reqwest::Method::POST, "/_sim/reset", None).await;
        for replica in [0, 1] {
            assert_eq!(who(world, replica, &ada).await, Value::Null, "{replica}");
        }
    })
    .await;
}
