//! Managers who change the staff: whom they can name, and that a manager stays.

use harness::steps::console::{OWN, post, with_console};
use harness::steps::demo::PAID_COURSE;
use harness::steps::refunds::bought;
use harness::steps::staff::staff;
use harness::{ORGANISATIONS, Reply, World, world};
use uuid::Uuid;

const NOOR: &str = "noor@example.com";

async fn send(world: &World, cookie: &str, action: &str, email: &str, role: Option<&str>) -> Reply {
    let key = Uuid::now_v7().to_string();
    let fields = [("key", key.as_str()), ("email", email)];
    let fields: Vec<_> = fields.into_iter().chain(role.map(|role| ("roles", role))).collect();
    post(world, cookie, &format!("/console/northwind/staff/{action}/"), OWN, &fields).await
}

#[tokio::test]
async fn a_manager_names_only_who_has_bought_or_enrolled_here() {
    world(with_console(), async |world| {
        world.sell().await;
        let noor = staff(world, "northwind", NOOR, &["manager"]).await;
        let elsewhere = world.platform_user("elsewhere@example.com").await;
        assert_eq!(world.learner_checkout(&ORGANISATIONS[1], &elsewhere).await.status, 200);
        bought(world, &ORGANISATIONS[1], "elsewhere@example.com").await;
        world.platform_agrees("elsewhere@example.com", ORGANISATIONS[1].key, "verified", true).await;
        let said = async |email: &str| {
            let reply = send(world, &noor, "set", email, Some("support")).await;
            (
                reply.status,
                reply.text.replace(email, "…").split_once("<main").map(|(_, main)| main.to_owned()),
            )
        };
        let (known_elsewhere, unknown) =
            (said("elsewhere@example.com").await, said("nobody@example.com").await);
        assert_eq!(known_elsewhere.0, 400);
        let without_keys = |text: Option<String>| {
            let text = text.unwrap_or_default();
            let parts = text
                .split("name=\"key\" value=\"")
                .map(|part| part.trim_start_matches(|c: char| c.is_ascii_hexdigit() || c == '-'));
            parts.collect::<String>()
        };
        assert_eq!(without_keys(known_elsewhere.1), without_keys(unknown.1));
        world.platform_user("here@example.com").await;
        world.enroll("here@example.com", PAID_COURSE, "verified").await;
        assert_eq!(said("here@example.com").await.0, 303);
    })
    .await;
}

#[tokio::test]
async fn the_last_manager_stays_under_a_new_address_too() {
    world(with_console(), async |world| {
        let noor = staff(world, "northwind", NOOR, &["manager"]).await;
        // As the worker stores it once it has heard of it.
        sqlx::query("UPDATE learners SET email = 'haddad@example.com' WHERE email = $1")
            .bind(NOOR)
            .execute(&world.db)
            .await
            .unwrap();
        for (action, email, role) in [
            ("set", "haddad@example.com", Some("support")),
            ("set", NOOR, Some("support")),
            ("remove", "haddad@example.com", None),
            ("remove", NOOR, None),
        ] {
            let reply = send(world, &noor, action, email, role).await;
            assert!(
                reply.status == 400 && reply.text.contains("last manager"),
                "{action} {email}: {}",
                reply.text
            );
        }
        // A second manager lets the first one go, by either address.
        staff(world, "northwind", "sam@example.com", &["manager"]).await;
        assert_eq!(send(world, &noor, "set", NOOR, Some("support")).await.status, 303);
        let roles: Vec<(String, Vec<String>)> =
            sqlx::query_as("SELECT email, roles FROM staff ORDER BY email")
                .fetch_all(&world.db)
                .await
                .unwrap();
        assert_eq!(roles[0], ("haddad@example.com".to_owned(), vec!["support".to_owned()]));
    })
    .await;
}
