//! Number of invitations that an address without an account gets.

use chrono::TimeDelta;
use harness::steps::demo::{FREE_COURSE, PAID_COURSE, organisation};
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Setup, World, world};
use serde_json::{Value, json};

const EMAIL: &str = "new@example.com";

fn setup() -> Setup {
    Setup { worker_args: vec!["--reconcile-every=100ms".into()], ..Setup::default() }
}

async fn grant(world: &World, sold: &Organisation) {
    let reply = world.enroll(EMAIL, sold.course, sold.mode).await;
    assert_eq!(reply.json["enrollment_state"], "pending_registration", "{}", reply.text);
}

async fn name_of(world: &World, course: &str) -> String {
    sqlx::query_scalar("SELECT display_name FROM courses WHERE id = $1::uuid")
        .bind(course)
        .fetch_one(&world.db)
        .await
        .unwrap()
}

/// Waits for this many mails, and makes sure that no further one is sent.
async fn mails(world: &World, count: usize) -> Vec<Value> {
    world
        .eventually(&format!("{count} mails have come"), async |world| {
            world.emails(EMAIL).await.len() >= count
        })
        .await;
    world.drain().await;
    tokio::time::sleep(std::time::Duration::from_millis(400)).await;
    let mails = world.emails(EMAIL).await;
    assert_eq!(mails.len(), count, "{mails:?}");
    mails
}

#[tokio::test]
async fn mails_go_over_the_connections_of_those_before_them() {
    world(setup(), async |world| {
        grant(world, &ORGANISATIONS[0]).await;
        mails(world, 1).await;
        grant(world, &ORGANISATIONS[1]).await;
        let mails = mails(world, 2).await;
        assert_eq!(mails[0]["connection"], mails[1]["connection"]);
    })
    .await;
}

#[tokio::test]
async fn an_address_gets_three_invitations_a_day_and_the_rest_in_one_mail() {
    world(setup(), async |world| {
        let mut courses: Vec<(&str, &str)> = ORGANISATIONS.iter().map(|o| (o.course, o.mode)).collect();
        courses.push((FREE_COURSE, "audit"));
        let grants = courses.iter().map(|(course, mode)| world.enroll(EMAIL, course, mode));
        for reply in futures_util::future::join_all(grants).await {
            assert_eq!(reply.status, 200, "{}", reply.text);
        }
        mails(world, 3).await;
        // A repeated grant is no reason for another mail.
        for (course, mode) in &courses {
            world.enroll(EMAIL, course, mode).await;
        }
        world.clock.advance(TimeDelta::hours(23));
        mails(world, 3).await;
        world.clock.advance(TimeDelta::hours(2));
        let mails = mails(world, 4).await;
        let mut named = Vec::new();
        for (course, _) in &courses {
            let name = name_of(world, course).await;
            let naming: Vec<usize> = (0..4)
                .filter(|nth| {
                    let (text, html) = (mails[*nth]["text"].as_str(), mails[*nth]["html"].as_str());
                    assert_eq!(text.unwrap().contains(&name), html.unwrap().contains(&name));
                    text.unwrap().contains(&name)
                })
                .collect();
            assert_eq!(naming.len(), 1, "{name} is in {naming:?}");
            named.extend(naming);
        }
        let most = (0..4).map(|nth| named.iter().filter(|mail| **mail == nth).count()).max();
        assert_eq!(most, Some(2), "two courses were gathered: {named:?}");
    })
    .await;
}

#[tokio::test]
async fn a_held_cart_waits_for_the_next_mail_and_a_removed_grant_is_not_in_it() {
    world(setup(), async |world| {
        for sold in &ORGANISATIONS[1..] {
            grant(world, sold).await;
        }
        mails(world, 3).await;
        let items = json!([{ "type": "course", "id": FREE_COURSE, "mode": "audit" }]);
        let northwind = organisation(world, "northwind").await;
        let body = json!({ "email": EMAIL, "organisation_id": northwind, "items": items });
        assert_eq!(world.post(GUEST_CHECKOUT, &body).await.json["status"], "free");
        grant(world, &ORGANISATIONS[0]).await;
        world.unenroll(EMAIL, PAID_COURSE).await;
        mails(world, 3).await;
        world.clock.advance(TimeDelta::hours(25));
        let mails = mails(world, 4).await;
        let last = mails.iter().find(|mail| mail["subject"].as_str().unwrap().contains("Northwind")).unwrap();
        let text = last["text"].as_str().unwrap();
        assert!(text.contains(&name_of(world, FREE_COURSE).await), "{text}");
        assert!(!text.contains(&name_of(world, PAID_COURSE).await), "{text}");
        let kept: i64 = sqlx::query_scalar("SELECT count(*) FROM mails").fetch_one(&world.db).await.unwrap();
        assert_eq!(kept, 0, "a mail is kept until it is sent");
    })
    .await;
}
