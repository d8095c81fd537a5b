//! The names of operators: which commands ask for one, and where it is on record.

use clap::Command;
use harness::steps::demo::UNKNOWN_ID;
use harness::steps::worker_program::{command, operator};
use harness::{Setup, World, world};
use serde_json::{Value, json};

const NAME: [&str; 2] = ["--by", "Noor B."];

/// Returns what operators did according to the audit log, in order: entity, new state, detail.
async fn recorded(world: &World, name: &str) -> Vec<(String, String, Value)> {
    sqlx::query_as(
        "SELECT entity, to_state, detail FROM audit_log WHERE actor = 'operator:' || $1 ORDER BY id",
    )
    .bind(name)
    .fetch_all(&world.db)
    .await
    .unwrap()
}

/// The commands without subcommands, by their words.
fn leaves(parent: &Command, path: &str, found: &mut Vec<(String, bool)>) {
    for command in parent.get_subcommands() {
        let path = format!("{path} {}", command.get_name()).trim().to_owned();
        if command.has_subcommands() {
            leaves(command, &path, found);
        } else {
            let takes_name = command.get_arguments().any(|arg| arg.get_long() == Some("by"));
            found.push((path, takes_name));
        }
    }
}

#[test]
fn each_command_that_changes_records_takes_a_name() {
    let mut found = Vec::new();
    leaves(&worker::cli::command(), "", &mut found);
    let without: Vec<&str> =
        found.iter().filter(|(_, takes_name)| !takes_name).map(|(path, _)| path.as_str()).collect();
    // They read, do what the running worker does by itself, or change no record.
    let expected = [
        "run",
        "migrate",
        "books list",
        "catalog export",
        "documents verify",
        "documents export",
        "enrollments show",
        "gateways show",
        "gateways check",
        "keys list",
        "learners export",
        "members list",
        "move-in statements",
        "payments list",
        "payments show",
        "payments check",
        "payments compare-page",
        "staff list",
        "vat-exchange-rates list",
        "webhooks list",
        "webhooks test",
        "withdrawals list",
        "dead list",
        "dead show",
        "doctor",
        "reconcile",
        "queues delete",
        "cache clear",
    ];
    assert_eq!(without, expected);
}

#[tokio::test]
async fn a_command_without_a_name_does_nothing() {
    world(Setup::without_workers(), async |world| {
        for words in [
            vec!["keys", "create", "northwind", "--name", "x", "--scopes", "orders"],
            vec!["keys", "revoke", "000000000000"],
            vec!["members", "remove", "northwind", "ada@example.com"],
            vec!["payments", "restore", UNKNOWN_ID, "--reason", "x"],
            vec!["gateways", "set", "northwind", "stripe"],
            vec!["dead", "drop", "--all"],
        ] {
            let mut command = command(world, &words, &["database-url"]);
            let output = command.env_remove("OPERATOR").output().await.unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(!output.status.success() && said.contains("--by <BY>"), "{words:?}: {said}");
        }
        let unusable = ["keys", "revoke", "000000000000", "--by", " "];
        let (done, said) = operator(world, &unusable, &["database-url"]).await;
        assert!(!done && said.contains("is not a name"), "{said}");
        let keys: i64 =
            sqlx::query_scalar("SELECT count(*) FROM organisation_keys").fetch_one(&world.db).await.unwrap();
        assert_eq!(keys, 0);
    })
    .await;
}

#[tokio::test]
async fn what_an_operator_does_is_on_record_under_the_name() {
    world(Setup::default(), async |world| {
        let run = async |words: &[&str], settings: &[&str]| {
            let (done, said) = operator(world, &[words, &NAME].concat(), settings).await;
            assert!(done, "{words:?}: {said}");
        };
        run(&["keys", "create", "northwind", "--name", "x", "--scopes", "orders"], &["database-url"]).await;
        let file = std::env::temp_dir().join(format!("{}.jsonl", world.name));
        let rate = r#"{"kind":"exchange_rate","base":"USD","quote":"SEK","rate":10.5}"#;
        std::fs::write(&file, rate).unwrap();
        let settings = ["database-url", "redis-url", "redis-prefix"];
        run(&["catalog", "import", file.to_str().unwrap()], &settings).await;
        std::fs::remove_file(&file).unwrap();
        let dead = world.topology().dead();
        let id = uuid::Uuid::now_v7().to_string();
        world.publish_raw("email.send.v1", &id, b"{\"mail_id\":\"ada@example.com\"}").await;
        world
            .eventually("the message is dead-lettered", async |world| world.ready_messages(&dead).await == 1)
            .await;
        let queue = ["database-url", "amqp-url", "queue-prefix"];
        run(&["dead", "drop", &id], &queue).await;

        let kept = recorded(world, "Noor B.").await;
        let done: Vec<(&str, &str)> =
            kept.iter().map(|(entity, to, _)| (entity.as_str(), to.as_str())).collect();
        assert_eq!(
            done,
            [("key", "valid"), ("catalog", "imported"), ("message", "asked"), ("message", "dropped")]
        );
        assert_eq!(kept[1].2, json!({ "records": 1, "changed": 1 }));
        // No personal data of the message.
        assert_eq!(kept[2].2, json!({ "asked": "dropped", "messages": [id] }));
        let detail = &kept[3].2;
        assert_eq!((&detail["message"], &detail["kind"]), (&json!(id), &json!("email.send.v1")));
        assert!(!detail.to_string().contains("ada@"), "{detail}");
    })
    .await;
}

#[tokio::test]
async fn a_reader_that_closes_the_pipe_is_not_an_error() {
    world(Setup::without_workers(), async |world| {
        for words in
            [&["catalog", "export"][..], &["payments", "list"], &["members", "list", "northwind", "--json"]]
        {
            let mut child = command(world, words, &["database-url"]).spawn().unwrap();
            drop(child.stdout.take());
            let output = child.wait_with_output().await.unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(output.status.success() && said.is_empty(), "{words:?}: {said}");
        }
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let full = command(world, &["payments", "list"], &["database-url"]).stdout(full).spawn();
        let output = full.unwrap().wait_with_output().await.unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            !output.status.success() && said.contains("cannot write the result: No space left"),
            "{said}"
        );
    })
    .await;
}

#[tokio::test]
async fn the_usage_of_a_command_names_what_it_needs_beside_its_settings() {
    world(Setup::without_workers(), async |world| {
        let (done, help) = operator(world, &["payments", "refund", "--help"], &[]).await;
        let usage = "Usage: storefront-worker payments refund [OPTIONS] <CART> --reason <REASON>\n";
        assert!(done && help.contains(usage), "{help}");
        assert!(help.contains("needs --amount") && help.contains("needs --line or --keep-access"), "{help}");
    })
    .await;
}
