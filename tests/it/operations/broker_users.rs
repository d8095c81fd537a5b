//! The accounts at the broker that docs/operations.md describes, at a broker of the test's own.

use harness::servers::RabbitMq;
use harness::steps::demo::{FREE_COURSE, PAID_COURSE};
use harness::steps::payments::EMAIL;
use harness::steps::refunds::bought;
use harness::{ORGANISATIONS, Setup, World, world};
use lapin::options::{BasicConsumeOptions, BasicGetOptions, ConfirmSelectOptions, QueueDeclareOptions};
use lapin::types::FieldTable;
use lapin::{BasicProperties, Channel, Connection, ConnectionProperties};
use serde_json::{Value, json};
use shared::messages::Kind;

/// The names of the messages that the api sends, or of those that only the worker sends, to itself.
fn kinds(are_from_api: bool) -> impl Iterator<Item = &'static str> {
    Kind::all().filter(move |kind| kind.is_from_api == are_from_api).map(|kind| kind.name)
}

#[test]
fn the_tutor_plugin_gives_the_accounts_that_the_document_sets_up() {
    let template =
        include_str!("../../../deploy/tutor/tutorstorefront/templates/storefront/rabbitmq/definitions.json");
    // The template's expressions name the virtual host and the passwords.
    let rendered = template
        .split("{{")
        .map(|part| part.split_once("}}").map_or(part.to_owned(), |(_, rest)| format!("\"/\"{rest}")));
    let plugin: Value = serde_json::from_str(&rendered.collect::<String>()).unwrap();
    let document = definitions("storefront");
    for part in ["permissions", "topic_permissions", "exchanges"] {
        assert_eq!(plugin[part], document[part], "{part}");
    }
}

/// Returns what the document's commands set up, for queues with this prefix, as definitions that a broker loads. From RabbitMQ 4.3
/// on, a topic permission needs its exchange, here as the worker declares it.
pub fn definitions(prefix: &str) -> Value {
    let document = include_str!("../../../docs/operations.md").lines();
    let (mut users, mut permissions, mut topics) = (Vec::new(), Vec::new(), Vec::new());
    for command in document.filter_map(|line| line.strip_prefix("rabbitmqctl ")) {
        let command = command.replace("storefront.cmd", &format!("{prefix}.cmd"));
        let command = command.replace(r"storefront\.", &format!(r"{prefix}\."));
        let words: Vec<&str> = command.split_whitespace().map(|word| word.trim_matches('\'')).collect();
        match words[..] {
            ["add_user", name, _] => {
                users.push(json!({ "name": name, "password": "storefront", "tags": "" }))
            }
            ["set_permissions", user, configure, write, read] => permissions.push(
                json!({ "user": user, "vhost": "/", "configure": configure, "write": write, "read": read }),
            ),
            ["set_topic_permissions", user, exchange, write, read] => topics.push(
                json!({ "user": user, "vhost": "/", "exchange": exchange, "write": write, "read": read }),
            ),
            _ => panic!("unknown: {command}"),
        }
    }
    assert_eq!((users.len(), permissions.len(), topics.len()), (2, 2, 1));
    json!({
        "users": users, "vhosts": [{ "name": "/" }], "permissions": permissions, "topic_permissions": topics,
        "exchanges": [{
            "name": format!("{prefix}.cmd"), "vhost": "/", "type": "topic", "durable": true, "auto_delete": false,
            "internal": false, "arguments": { "alternate-exchange": format!("{prefix}.unrouted") }
        }]
    })
}

/// Sends the api and the worker of a world to the broker, each as its own user.
fn use_broker(world: &mut World, broker: &RabbitMq) {
    let url = |user| vec![format!("--amqp-url={}", broker.url("amqp", user))];
    world.configure(url("storefront_api"), url("storefront_worker"));
}

#[tokio::test]
#[ignore = "slow"]
async fn the_api_and_the_worker_do_a_checkout_with_accounts_of_their_own() {
    let setup = Setup { apis: 0, workers: 0, ..Setup::selling() };
    world(setup, async |world| {
        let broker = RabbitMq::start(None, &definitions(&world.queue_prefix));
        use_broker(world, &broker);
        // The api may declare nothing. Before a worker has done so, it refuses writes and serves reads.
        let api =
            api::start(world.api_config.clone(), world.clock.clone(), harness::prometheus()).await.unwrap();
        world.apis.push(api);
        assert_eq!(world.enroll(EMAIL, FREE_COURSE, "audit").await.status, 503);
        assert_eq!(world.get("/storeapi/discovery/courses/?limit=2").await.status, 200);
        world.start_worker().await;
        let can_write = async |world: &World| {
            world.enroll("new@example.com", PAID_COURSE, "verified").await.status == 200
        };
        world.eventually("the api sends commands", can_write).await;
        world.sell().await;
        bought(world, &ORGANISATIONS[0], EMAIL).await;
        world.stop().await;
    })
    .await;
}

/// Fails the test unless the broker denies the user what is done on the channel.
async fn refused<T>(what: &str, done: impl Future<Output = lapin::Result<T>>) {
    let Err(error) = done.await else { panic!("{what} is allowed") };
    assert!(error.to_string().contains("ACCESS") && error.to_string().contains("REFUSED"), "{what}: {error}");
}

pub async fn publish(channel: Channel, exchange: &str, key: &str) -> lapin::Result<()> {
    channel.confirm_select(ConfirmSelectOptions::default()).await?;
    let (options, properties) = (Default::default(), BasicProperties::default());
    let sent = channel.basic_publish(exchange.into(), key.into(), options, b"{}", properties).await?;
    sent.await.map(drop)
}

#[tokio::test]
#[ignore = "slow"]
async fn the_apis_account_only_publishes_commands_and_reads_its_replies() {
    let setup = Setup { apis: 0, workers: 0, ..Setup::default() };
    world(setup, async |world| {
        let broker = RabbitMq::start(None, &definitions(&world.queue_prefix));
        use_broker(world, &broker);
        world.start_worker().await;
        let url = broker.url("amqp", "storefront_api");
        let api = Connection::connect(&url, ConnectionProperties::default()).await.unwrap();
        let channel = async || api.create_channel().await.unwrap();
        let topology = world.topology();
        let (commands, dead) = (topology.commands(), topology.dead());
        for queue in topology.queues() {
            let (name, arguments) = (queue.as_str(), FieldTable::default());
            let consuming = channel().await;
            refused(
                &format!("consuming {queue}"),
                consuming.basic_consume(name.into(), "".into(), BasicConsumeOptions::default(), arguments),
            )
            .await;
            refused(
                &format!("taking from {queue}"),
                channel().await.basic_get(name.into(), BasicGetOptions::default()),
            )
            .await;
            refused(
                &format!("purging {queue}"),
                channel().await.queue_purge(name.into(), Default::default()),
            )
            .await;
            refused(
                &format!("deleting {queue}"),
                channel().await.queue_delete(name.into(), Default::default()),
            )
            .await;
            refused(&format!("sending to {queue}"), publish(channel().await, "", name)).await;
        }
        let new = format!("{}.new", world.queue_prefix);
        let declaring = channel().await;
        refused(
            "declaring a queue",
            declaring.queue_declare(
                new.as_str().into(),
                QueueDeclareOptions::default(),
                FieldTable::default(),
            ),
        )
        .await;
        refused("sending to the dead letters", publish(channel().await, &dead, "")).await;
        for kind in kinds(false) {
            refused(kind, publish(channel().await, &commands, kind)).await;
        }
        for kind in kinds(true) {
            publish(channel().await, &commands, kind).await.unwrap_or_else(|error| panic!("{kind}: {error}"));
        }
        world.stop().await;
    })
    .await;
}
