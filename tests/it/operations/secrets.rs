//! Secrets of the settings: how long they must be, and how each of them is replaced without an interruption.

use clap::Args;
use harness::steps::demo::{FREE_COURSE, organisation};
use harness::steps::events::{endpoint, leave_for_libraries, received};
use harness::steps::payments::{EMAIL, begun, count, reference};
use harness::steps::worker_program::{command, operator};
use harness::{
    GATEWAY_KEY, HINT_TOKEN, LINK_SECRET, NOTIFICATION_KEY, ORGANISATIONS, Reply, SECRET, Setup, World, world,
};
use serde_json::json;

const NEW_SECRET: &str = "a-new-secret-a-new-secret-a-new-secret";
const NEW_GATEWAY_KEY: &str = "3333333333333333333333333333333333333333333333333333333333333333";
const NEW_NOTIFICATION_KEY: &str = "4444444444444444444444444444444444444444444444444444444444444444";

#[tokio::test]
async fn a_short_secret_is_refused_at_start_by_its_name_and_is_not_printed() {
    world(Setup { apis: 0, workers: 0, ..Setup::default() }, async |world| {
        let short = "x".repeat(31);
        let settings = ["database-url", "redis-url", "amqp-url"];
        for bad in [String::new(), short.clone(), format!("{SECRET},{short}")] {
            let mut run = command(world, &["run", &format!("--link-secret={bad}")], &settings);
            let output = run.output().await.unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(!output.status.success() && said.contains("LINK_SECRET"), "{said}");
            assert!(!said.contains("xxx"), "{said}");
        }
        let api = || api::config::Config::augment_args(clap::Command::new("api").no_binary_name(true));
        for name in ["link-secret", "client-api-secret", "registration-hint-token"] {
            let others = world.api_args.iter().filter(|arg| !arg.starts_with(&format!("--{name}=")));
            let args = |value: &str| others.clone().cloned().chain([format!("--{name}={value}")]);
            let said = api().try_get_matches_from(args(&short)).unwrap_err().to_string();
            let setting = name.to_uppercase().replace('-', "_");
            assert!(said.contains(&setting) && !said.contains("xxx"), "{said}");
            assert_eq!(api().try_get_matches_from(args("")).is_ok(), name != "link-secret", "{name}");
            assert!(api().try_get_matches_from(args(&"x".repeat(32))).is_ok(), "{name}");
        }
    })
    .await;
}

/// The path of the link in the first mail to an address.
async fn invited(world: &World, email: &str) -> String {
    world.eventually("the invitation has come", async |world| !world.emails(email).await.is_empty()).await;
    let mail = world.emails(email).await.remove(0).to_string();
    let (_, link) = mail.split_once("http://store.test").unwrap();
    link.split(|c: char| c.is_whitespace() || "\"\\<".contains(c)).next().unwrap().to_owned()
}

#[tokio::test]
async fn a_secret_is_accepted_while_it_is_listed_and_not_after() {
    // The worker continues to sign with the old secret, and the backends and the platform continue to send it.
    let setup = Setup {
        api_args: vec![
            format!("--link-secret={NEW_SECRET},{LINK_SECRET}"),
            format!("--client-api-secret={NEW_SECRET},{SECRET}"),
            format!("--registration-hint-token={NEW_SECRET},{HINT_TOKEN}"),
        ],
        ..Setup::default()
    };
    world(setup, async |world| {
        let organisation = organisation(world, "northwind").await;
        let items = json!([{ "type": "course", "id": FREE_COURSE, "mode": "audit" }]);
        let body = json!({ "email": EMAIL, "organisation_id": organisation, "items": items });
        assert_eq!(world.post("/storeapi/discovery/guest/checkout/", &body).await.status, 200);
        let link = invited(world, EMAIL).await;
        // The second replica has the new secrets alone.
        let only_new = [
            format!("--link-secret={NEW_SECRET}"),
            format!("--client-api-secret={NEW_SECRET}"),
            format!("--registration-hint-token={NEW_SECRET}"),
        ];
        world.configure(only_new.to_vec(), Vec::new());
        world.start_api().await;
        let event =
            json!({ "openedx_events.learning.data.UserData": { "pii": { "email": "new@example.com" } } });
        for (api, secret, accepted) in
            [(0, "old", true), (0, NEW_SECRET, true), (1, "old", false), (1, NEW_SECRET, true)]
        {
            let url = |path: &str| format!("http://{}{path}", world.apis[api].public);
            let (client, token) = if secret == "old" { (SECRET, HINT_TOKEN) } else { (secret, secret) };
            let reply = world.http.get(url("/storeapi/discovery/courses/")).header("clientapisecret", client);
            assert_eq!(Reply::read(reply).await.status, if accepted { 200 } else { 401 }, "{api} {secret}");
            let hint = url(&format!("/storeapi/platform/registrations/{token}/"));
            let reply = Reply::read(world.http.post(hint).json(&event)).await;
            assert_eq!(reply.status, if accepted { 202 } else { 404 }, "{api} {secret}");
        }
        for (api, status) in [(0, 302), (1, 404)] {
            let url = format!("http://{}{link}", world.apis[api].public);
            assert_eq!(Reply::read(world.http.get(url)).await.status, status, "{api}");
        }
    })
    .await;
}

/// Runs `gateways` with these keys of credentials and of notification secrets.
async fn gateways(world: &World, word: &str, own: &str, notifications: &str) -> (bool, String) {
    let keys = [format!("--gateway-keys={own}"), format!("--notification-keys={notifications}")];
    operator(world, &["gateways", word, &keys[0], &keys[1]], &["database-url"]).await
}

#[tokio::test]
#[ignore = "slow"]
async fn reseal_moves_all_secrets_to_the_new_keys_and_the_old_ones_can_go() {
    // The programs have the new keys alone.
    let setup = Setup {
        api_args: vec![format!("--notification-keys={NEW_NOTIFICATION_KEY}")],
        worker_args: vec![
            format!("--gateway-keys={NEW_GATEWAY_KEY}"),
            format!("--notification-keys={NEW_NOTIFICATION_KEY}"),
            "--reconcile-every=10m".into(),
        ],
        ..Setup::default()
    };
    world(setup, async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        let refused = world.guest_checkout(&ORGANISATIONS[0], EMAIL).await;
        assert_ne!(refused.status, 200, "{}", refused.text);
        sqlx::query("UPDATE gateway_credentials SET key_id = 'gone' WHERE gateway = 'curlec'")
            .execute(&world.db)
            .await
            .unwrap();
        let own = format!("{NEW_GATEWAY_KEY},{GATEWAY_KEY}");
        let notifications = format!("{NEW_NOTIFICATION_KEY},{NOTIFICATION_KEY}");
        let (done, said) = gateways(world, "reseal", &own, &notifications).await;
        assert!(!done && said.contains("7 moved") && said.contains("kinabalu curlec credentials"), "{said}");
        let restored =
            sqlx::query("UPDATE gateway_credentials SET key_id = substr($1, 1, 8) WHERE key_id = 'gone'")
                .bind(key_id(GATEWAY_KEY))
                .execute(&world.db);
        assert_eq!(restored.await.unwrap().rows_affected(), 1);
        let (done, said) = gateways(world, "reseal", &own, &notifications).await;
        assert!(done && said.contains("1 moved"), "{said}");
        let (done, said) = gateways(world, "reseal", &own, &notifications).await;
        assert!(done && said.contains("0 moved"), "{said}");
        let (done, said) = gateways(world, "check", NEW_GATEWAY_KEY, NEW_NOTIFICATION_KEY).await;
        assert!(done, "{said}");
        let resealed = "SELECT count(*) FROM audit_log WHERE entity = 'gateway' AND to_state = 'resealed'
                        AND actor = 'operator:Mira' AND entity_id IN (SELECT id FROM organisations)";
        assert_eq!(count(world, resealed).await, 8);
        for organisation in &ORGANISATIONS {
            let (cart, payment) = begun(world, organisation, EMAIL).await;
            world.at_provider("pay", reference(&payment), json!({})).await;
            // By the webhook: the reconciler's first look comes later.
            world.cart_becomes(&cart, "fulfilled").await;
        }
    })
    .await;
}

#[tokio::test]
async fn the_secrets_of_endpoints_are_checked_and_move_to_the_new_keys_too() {
    world(Setup::without_workers(), async |world| {
        let (id, secret) = endpoint(world, "northwind", "crm").await;
        let (done, said) = gateways(world, "check", NEW_GATEWAY_KEY, NOTIFICATION_KEY).await;
        assert!(!done && said.contains(&format!("endpoint {id} current")), "{said}");
        let both = format!("{NEW_GATEWAY_KEY},{GATEWAY_KEY}");
        let (done, said) = gateways(world, "reseal", &both, NOTIFICATION_KEY).await;
        assert!(done && said.contains("1 moved"), "{said}");
        let (done, said) = gateways(world, "check", NEW_GATEWAY_KEY, NOTIFICATION_KEY).await;
        assert!(done, "{said}");
        // It is the same secret.
        let key = format!("--gateway-keys={NEW_GATEWAY_KEY}");
        let words = ["webhooks", "test", &id, &key];
        let (done, said) = operator(world, &words, &["database-url", "webhook-allow-private"]).await;
        assert!(done && said.contains("204"), "{said}");
        leave_for_libraries(&secret, &received(world, "crm").await);
        let resealed = "SELECT count(*) FROM audit_log WHERE entity = 'endpoint' AND detail ? 'resealed'";
        assert_eq!(count(world, resealed).await, 1);
    })
    .await;
}

/// As `shared::seal` makes it.
fn key_id(key: &str) -> String {
    use sha2::Digest as _;
    let bytes: Vec<u8> =
        (0..key.len()).step_by(2).map(|at| u8::from_str_radix(&key[at..at + 2], 16).unwrap()).collect();
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
