//! Addresses beyond ASCII: each has one stored form, the services refuse an address that no mail can reach, and the
//! worker never retries such a mail.

use harness::steps::demo::{FREE_COURSE, PAID_COURSE, organisation};
use harness::{GUEST_CHECKOUT, Setup, World, world};
use serde_json::{Value, json};

const ASCII: &str = "ada@xn--mnchen-3ya.example";
const LETTERS: &str = "Ada@München.example";

async fn enrollments(world: &World) -> Vec<String> {
    sqlx::query_scalar("SELECT email FROM enrollments ORDER BY id").fetch_all(&world.db).await.unwrap()
}

#[tokio::test]
async fn an_international_domain_is_one_address_and_is_mailed_to_in_punycode() {
    world(Setup::default(), async |world| {
        for email in [LETTERS, ASCII] {
            let reply = world.enroll(email, PAID_COURSE, "verified").await;
            assert_eq!(reply.json["enrollment_state"], "pending_registration", "{}", reply.text);
        }
        assert_eq!(enrollments(world).await, [ASCII]);
        world.eventually("the invitation arrives", async |world| world.emails(ASCII).await.len() == 1).await;
        let removed = world.unenroll(LETTERS, PAID_COURSE).await;
        assert_eq!(removed.json["enrollment_state"], "cancelled");
    })
    .await;
}

fn accents(setup: Setup) -> Setup {
    Setup { api_args: vec!["--mail-smtputf8=true".into()], ..setup }
}

#[tokio::test]
async fn a_local_part_beyond_ascii_is_refused_unless_the_mail_server_can_deliver_to_it() {
    let buy = async |world: &World| {
        let northwind = organisation(world, "northwind").await;
        let items = json!([{ "type": "course", "id": FREE_COURSE, "mode": "audit" }]);
        json!({ "email": "josé@example.com", "organisation_id": northwind, "items": items })
    };
    world(Setup::default(), async |world| {
        let enroll = world.enroll("josé@example.com", FREE_COURSE, "audit").await;
        let checkout = world.post(GUEST_CHECKOUT, &buy(world).await).await;
        for reply in [enroll, checkout] {
            assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields(), ["email"]);
        }
        // Access granted earlier can still be removed.
        assert_eq!(world.unenroll("josé@example.com", FREE_COURSE).await.status, 200);
        assert!(enrollments(world).await.is_empty());
    })
    .await;
    world(accents(Setup::default()), async |world| {
        // The worker sends no mail to an address that has an account.
        world.platform_user("josé@example.com").await;
        let reply = world.enroll("josé@example.com", FREE_COURSE, "audit").await;
        assert_eq!(reply.json["enrollment_state"], "enrolled", "{}", reply.text);
        let reply = world.post(GUEST_CHECKOUT, &buy(world).await).await;
        assert_eq!(reply.json["status"], "free", "{}", reply.text);
    })
    .await;
}

/// Local parts as RFC 6531 allows them, in the composed form that RFC 6532 recommends.
#[tokio::test]
async fn a_local_part_of_any_script_is_one_address_however_its_marks_are_encoded() {
    world(accents(Setup::default()), async |world| {
        for email in ["josé@example.com", "प्रिया@example.com", "i\u{307}smail@example.com"] {
            // The worker sends no mail to an address that has an account.
            world.platform_user(email).await;
        }
        for email in
            ["jose\u{301}@example.com", "JOSÉ@example.com", "प्रिया@example.com", "İsmail@example.com"]
        {
            let reply = world.enroll(email, FREE_COURSE, "audit").await;
            assert_eq!(reply.json["enrollment_state"], "enrolled", "{email}: {}", reply.text);
        }
        assert_eq!(
            enrollments(world).await,
            ["josé@example.com", "प्रिया@example.com", "i\u{307}smail@example.com"]
        );
        for bad in ["\u{301}jose@example.com", "a\u{200b}da@example.com"] {
            let refused = world.enroll(bad, FREE_COURSE, "audit").await;
            assert_eq!(refused.assert_problem(400, "invalid_request").faulty_fields(), ["email"]);
        }
    })
    .await;
}

#[tokio::test]
async fn a_mail_that_cannot_be_made_is_buried_with_its_reason() {
    world(accents(Setup::default()), async |world| {
        world.expected_dead = 1;
        // The simulated mail server offers no SMTPUTF8.
        world.enroll("josé@example.com", PAID_COURSE, "verified").await;
        let dead = world.topology().dead();
        world
            .eventually("the mail is in the dead-letter queue", async |world| {
                world.ready_messages(&dead).await == 1
            })
            .await;
        let (why, kept) = world.take_message(&dead).await.unwrap();
        world.expected_dead = 0;
        assert!(why.contains("SMTPUTF8") && !why.contains("josé"), "{why}");
        let mail: Value = serde_json::from_slice(&kept).unwrap();
        let to: String = sqlx::query_scalar("SELECT recipient FROM mails WHERE id = $1::uuid")
            .bind(mail["mail_id"].as_str())
            .fetch_one(&world.db)
            .await
            .unwrap();
        assert_eq!(to, "josé@example.com");
    })
    .await;
}
