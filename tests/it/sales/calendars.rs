//! The calendar file of mails about courses that begin later.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, TimeDelta, Utc};
use harness::steps::demo::PAID_KEY;
use harness::steps::invoices::{SHOP, paid};
use harness::steps::organisation_keys::key;
use harness::steps::seats::{assigned, bought, pool};
use harness::steps::tax::{import, seller};
use harness::{Setup, World, world};
use serde_json::{Value, json};
use shared::organisation_key::Scope;

/// Lets a course begin at a time, and advertise a text.
async fn begin(world: &World, at: DateTime<Utc>, advertised: Option<&str>) {
    let update = "UPDATE courses SET starts_at = $2, advertised_start = $3 WHERE openedx_course_id = $1";
    let query = sqlx::query(update).bind(PAID_KEY).bind(at).bind(advertised);
    query.execute(&world.db).await.unwrap();
}

async fn buy(world: &World, email: &str) {
    let mut body = world.basket(SHOP).await;
    body["email"] = json!(email);
    paid(world, &body).await;
    world.drain().await;
}

/// The texts and the calendar files of the mails to an address, each file as its lines.
async fn mailed(world: &World, email: &str) -> (String, Vec<Vec<String>>) {
    let mails = world.emails(email).await;
    let texts = mails.iter().map(|mail| mail["text"].as_str().unwrap()).collect();
    let attached = mails.iter().flat_map(|mail| mail["attachments"].as_array().unwrap());
    let files = attached.filter(|one| one["content_type"].as_str().unwrap().starts_with("text/calendar"));
    let lines = |file: &Value| {
        assert_eq!(file["name"], "calendar.ics");
        let content = STANDARD.decode(file["base64"].as_str().unwrap()).unwrap();
        String::from_utf8(content).unwrap().replace("\r\n ", "").lines().map(str::to_owned).collect()
    };
    (texts, files.map(lines).collect())
}

#[tokio::test]
async fn mails_about_a_course_that_begins_later_have_its_time_as_a_calendar_file() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        import(world, &[seller(SHOP, "SE", json!({ "time_zone": "Asia/Kathmandu" }))]).await.unwrap();
        let at = world.clock.now() + TimeDelta::days(30);
        begin(world, at, None).await;
        buy(world, "later@example.com").await;
        let (text, files) = mailed(world, "later@example.com").await;
        let [file] = <[_; 1]>::try_from(files).unwrap();
        assert!(file.contains(&format!("DTSTART:{}", at.format("%Y%m%dT%H%M%SZ"))), "{file:#?}");
        let local = (at + TimeDelta::minutes(5 * 60 + 45)).format("%Y, %H:%M (Asia/Kathmandu)").to_string();
        assert!(text.contains(&local) && text.contains("calendar file"), "{local}: {text}");

        let key = key(world, SHOP.short_name, &[Scope::Seats]).await;
        bought(world, SHOP, "boss@example.com", 2).await;
        let pool = pool(world, &key).await;
        assigned(world, &key, &pool, &["seat@example.com"]).await;
        world.drain().await;
        assert!(mailed(world, "boss@example.com").await.1.is_empty(), "the buyer has no place");
        assert_eq!(mailed(world, "seat@example.com").await.1.len(), 1);

        begin(world, at, Some("Spring 2027")).await;
        buy(world, "advertised@example.com").await;
        begin(world, world.clock.now() - TimeDelta::days(1), None).await;
        buy(world, "begun@example.com").await;
        for email in ["advertised@example.com", "begun@example.com"] {
            let (text, files) = mailed(world, email).await;
            assert!(files.is_empty() && !text.contains("Kathmandu"), "{email}: {files:?} {text}");
        }
    })
    .await;
}
