//! What becomes of mails: reports of the services that send them, and mails that come back.

use chrono::TimeDelta;
use harness::steps::mail_services::{Report, Request, SECRET, key, report};
use harness::steps::organisation_keys::key as organisation_key;
use harness::steps::payments::{EMAIL, begun, count, reference};
use harness::steps::seats;
use harness::steps::staff::{act, look, staff};
use harness::steps::worker_program::operator;
use harness::{ORGANISATIONS, Reply, Setup, World, world};
use serde_json::{Value, json};
use shared::organisation_key::Scope;

const GUEST: &str = "guest@example.com";
const REPORTS: &str = "/storeapi/mail/reports/";

fn setup(service: &str) -> Setup {
    Setup {
        api_args: vec![format!("--mail-service={service}"), format!("--mail-report-key={}", key(service))],
        worker_args: vec![format!("--mail-service={service}")],
        ..Setup::default()
    }
}

/// The same for worlds with gateways.
fn setup_of_sales(service: &str) -> Setup {
    let (own, mut selling) = (setup(service), Setup::selling());
    selling.api_args.extend(own.api_args);
    selling.worker_args.extend(own.worker_args);
    selling
}

async fn send(world: &World, request: Request) -> Reply {
    let sent = world.http.post(world.url(REPORTS)).header("content-type", "application/json");
    let sent = request.headers.into_iter().fold(sent, |sent, (name, value)| sent.header(name, value));
    Reply::read(sent.body(request.body)).await
}

/// Sends what a service says of a mail.
async fn tell(world: &World, service: &str, told: Report, mail: &str) {
    let reply = send(world, report(service, told, mail, GUEST, world.clock.now())).await;
    assert_eq!(reply.status, 200, "{told:?}: {}", reply.text);
    world.drain().await;
}

/// The ids of the mails to the guest, the oldest first: those in their Message-IDs.
async fn mailed(world: &World, mails: usize) -> Vec<String> {
    world.eventually("the mail arrives", async |world| world.emails(GUEST).await.len() >= mails).await;
    world.drain().await;
    let mails = world.emails(GUEST).await;
    let id = |mail: &Value| mail["message_id"].as_str().unwrap().split_once('@').unwrap().0.to_owned();
    mails.iter().map(id).collect()
}

/// The id, the fate and whether it has failed, of each mail on record.
async fn kept(world: &World) -> Vec<(String, Option<String>, Option<String>)> {
    sqlx::query_as("SELECT id::text, fate, failed_reason FROM mails ORDER BY id")
        .fetch_all(&world.db)
        .await
        .unwrap()
}

async fn suppressed(world: &World) -> i64 {
    count(world, "SELECT count(*) FROM suppressed_addresses WHERE address = 'guest@example.com'").await
}

/// Goes from an invitation that came back to the one that is sent again.
async fn a_bounce_is_seen_and_corrected(service: &str) {
    let gone = "the address does not exist (550 5.1.1)";
    world(setup(service), async |world| {
        let shop = &ORGANISATIONS[0];
        world.enroll(GUEST, shop.course, shop.mode).await;
        let first = mailed(world, 1).await.remove(0);
        assert_eq!(kept(world).await, [(first.clone(), None, None)]);

        // One that overtakes the mail server's answer counts as well.
        sqlx::query("UPDATE mails SET sent_at = NULL").execute(&world.db).await.unwrap();
        for told in [Report::Opened, Report::Deferred, Report::Delivered, Report::Deferred] {
            tell(world, service, told, &first).await;
        }
        assert_eq!(kept(world).await, [(first.clone(), Some("delivered".into()), None)]);

        // Servers also give back what they have taken. Repeats change nothing, nor does a mail of others.
        for mail in [&first, &first, "0198c0de-0000-7000-8000-000000000000", "14c5d75ce93"] {
            tell(world, service, Report::Gone, mail).await;
        }
        tell(world, service, Report::Delivered, &first).await;
        assert_eq!(kept(world).await, [(first.clone(), Some("bounced".into()), Some(gone.into()))]);
        assert_eq!(suppressed(world).await, 1);
        let noor = staff(world, "northwind", "noor@example.com", &["support"]).await;
        let entries = look(world, &noor, "/storeapi/support/attention/").await.json["entries"].clone();
        assert_eq!((&entries[0]["kind"], &entries[0]["reason"]), (&json!("mail"), &json!(gone)));
        let event = "SELECT data FROM events WHERE type = 'mail.bounced'";
        let events: Vec<Value> = sqlx::query_scalar(event).fetch_all(&world.db).await.unwrap();
        assert_eq!(events.len(), 1, "{events:?}");
        assert_eq!((&events[0]["mail_id"], &events[0]["reason"]), (&json!(first), &json!(gone)));

        // The address gets no further mail, and the list of what needs a person says why.
        let other = &ORGANISATIONS[1];
        world.enroll(GUEST, other.course, other.mode).await;
        let unsent = "SELECT count(*) FROM mails WHERE failed_reason LIKE 'not sent: %'";
        world
            .eventually("the second invitation is not sent", async |world| count(world, unsent).await == 1)
            .await;
        assert_eq!(mailed(world, 1).await, std::slice::from_ref(&first));

        // It exists now.
        let again = json!({ "mail_id": first });
        assert_eq!(act(world, &noor, "/storeapi/support/mails/", &again).await.status, 204);
        let second = mailed(world, 2).await.remove(1);
        assert_ne!(second, first);
        assert_eq!(suppressed(world).await, 0);
        tell(world, service, Report::Gone, &first).await;
        tell(world, service, Report::Full, &second).await;
        let full = Some("the mailbox is full (552 5.2.2)".to_owned());
        assert!(kept(world).await.contains(&(second.clone(), Some("bounced".into()), full)));
        assert_eq!(suppressed(world).await, 0);
        tell(world, service, Report::Complained, &second).await;
        assert_eq!(suppressed(world).await, 1);
    })
    .await;
}

#[tokio::test]
async fn a_bounce_that_mailgun_reports_is_seen_and_corrected() {
    a_bounce_is_seen_and_corrected("mailgun").await;
}

#[tokio::test]
async fn a_bounce_that_postmark_reports_is_seen_and_corrected() {
    a_bounce_is_seen_and_corrected("postmark").await;
}

#[tokio::test]
async fn a_bounce_that_sendgrid_reports_is_seen_and_corrected() {
    a_bounce_is_seen_and_corrected("sendgrid").await;
}

#[tokio::test]
async fn forged_and_unreadable_reports_are_refused_and_change_nothing() {
    world(setup("sendgrid"), async |world| {
        world.enroll(GUEST, ORGANISATIONS[0].course, ORGANISATIONS[0].mode).await;
        let id = mailed(world, 1).await.remove(0);
        let now = world.clock.now();
        let of = |service, at| report(service, Report::Gone, &id, GUEST, at);
        let mut altered = of("sendgrid", now);
        altered.body = altered.body.replace("5.1.1", "5.2.2");
        let unsigned = Request { headers: Vec::new(), body: of("sendgrid", now).body };
        let (old, early) =
            (of("sendgrid", now - TimeDelta::hours(25)), of("sendgrid", now + TimeDelta::hours(1)));
        for forged in [altered, unsigned, old, early, of("mailgun", now), of("postmark", now)] {
            send(world, forged).await.assert_problem(400, "invalid_request");
        }
        world.drain().await;
        assert_eq!(kept(world).await, [(id, None, None)]);
    })
    .await;
    world(setup("mailgun"), async |world| {
        let good =
            report("mailgun", Report::Gone, "0198c0de-0000-7000-8000-000000000000", GUEST, world.clock.now());
        for body in
            [good.body.replace("\"token\":\"d", "\"token\":\"e"), "[]".into(), "{}".into(), String::new()]
        {
            send(world, Request { headers: Vec::new(), body }).await.assert_problem(400, "invalid_request");
        }
    })
    .await;
    world(Setup::default(), async |world| {
        let good =
            report("mailgun", Report::Gone, "0198c0de-0000-7000-8000-000000000000", GUEST, world.clock.now());
        send(world, good).await.assert_problem(404, "not_found");
    })
    .await;
}

#[tokio::test]
async fn what_the_law_demands_goes_to_an_address_that_was_given_up() {
    world(setup_of_sales("mailgun"), async |world| {
        world.sell().await;
        sqlx::query("INSERT INTO suppressed_addresses VALUES ($1, 'the address does not exist (550 5.1.1)', now())")
            .bind(EMAIL)
            .execute(&world.db)
            .await
            .unwrap();
        let (cart, payment) = begun(world, &ORGANISATIONS[0], EMAIL).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        world.eventually("the receipt arrives", async |world| !world.emails(EMAIL).await.is_empty()).await;
        world.drain().await;
        let subjects: Vec<String> = world.emails(EMAIL).await.iter().map(|mail| mail["subject"].to_string()).collect();
        assert_eq!(subjects.len(), 1, "{subjects:?}");
        let unsent = "SELECT count(*) FROM mails WHERE template = 'registration_invitation' AND failed_reason LIKE 'not sent%'";
        assert_eq!(count(world, unsent).await, 1);
        let noor = staff(world, "northwind", "noor@example.com", &["support"]).await;
        let shown = look(world, &noor, &format!("/storeapi/support/orders/{cart}/")).await.json;
        let mail = &shown["mails"][0];
        assert!(mail["sent_at"].is_string() && mail["fate"].is_null(), "{shown}");
    })
    .await;
}

#[tokio::test]
async fn a_mail_that_comes_back_to_its_own_address_is_recorded() {
    let mut setup = setup("server");
    setup.worker_args.push("--mail-return-path=bounces@store.test".into());
    world(setup, async |world| {
        world.enroll(GUEST, ORGANISATIONS[0].course, ORGANISATIONS[0].mode).await;
        let id = mailed(world, 1).await.remove(0);
        let mail = world.emails(GUEST).await.remove(0);
        let own = format!("bounces+{}@store.test", id.replace('-', ""));
        assert_eq!(mail["return_path"], json!(own));

        let come_back = async |mail: String, password: &str| {
            let sent = world.http.post(world.url(REPORTS)).header("content-type", "message/rfc822");
            Reply::read(sent.basic_auth("storefront", Some(password)).body(mail)).await
        };
        let away = format!("From: {GUEST}\r\nTo: {own}\r\nSubject: Away\r\n\r\nI am away.\r\n");
        for none_of_ours in [away, returned("bounces@store.test"), "no mail".into()] {
            assert_eq!(come_back(none_of_ours, SECRET).await.status, 200);
        }
        come_back(returned(&own), "another-password-of-32-bytes-or-more")
            .await
            .assert_problem(400, "invalid_request");
        world.drain().await;
        assert_eq!(kept(world).await, [(id.clone(), None, None)]);

        assert_eq!(come_back(returned(&own), SECRET).await.status, 200);
        world.drain().await;
        let gone = "the address does not exist (550 5.1.1)";
        assert_eq!(kept(world).await, [(id, Some("bounced".into()), Some(gone.into()))]);
        assert_eq!(suppressed(world).await, 1);
    })
    .await;
}

/// A report as Postfix writes it.
fn returned(to: &str) -> String {
    format!(
        "From: MAILER-DAEMON@mx.store.test\r\nTo: {to}\r\nSubject: Undelivered Mail Returned to Sender\r\nAuto-Submitted: auto-replied\r\n\
         MIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=\"b\"\r\n\r\n\
         --b\r\nContent-Description: Notification\r\nContent-Type: text/plain\r\n\r\nIt could not be delivered.\r\n\r\n\
         --b\r\nContent-Description: Delivery report\r\nContent-Type: message/delivery-status\r\n\r\n\
         Reporting-MTA: dns; mx.store.test\r\nX-Postfix-Sender: rfc822; {to}\r\n\r\n\
         Final-Recipient: rfc822; guest@example.com\r\nAction: failed\r\nStatus: 5.1.1\r\n\
         Diagnostic-Code: smtp; 550 5.1.1 <guest@example.com>: Recipient address rejected:\r\n    User unknown\r\n\r\n\
         --b\r\nContent-Type: text/rfc822-headers\r\n\r\nSubject: Your place\r\n\r\n--b--\r\n"
    )
}

#[tokio::test]
async fn a_mailbox_that_the_server_itself_does_not_know_gets_no_further_mail() {
    world(Setup::default(), async |world| {
        world.fault(refusal("5.1.1 <guest@example.com>: User unknown")).await;
        world.enroll(GUEST, ORGANISATIONS[0].course, ORGANISATIONS[0].mode).await;
        world.expected_dead = 1;
        world.eventually("the address is given up", async |world| suppressed(world).await == 1).await;
        world.enroll(GUEST, ORGANISATIONS[1].course, ORGANISATIONS[1].mode).await;
        let unsent = "SELECT count(*) FROM mails WHERE failed_reason LIKE 'not sent: %'";
        world.eventually("no second mail is sent", async |world| count(world, unsent).await == 1).await;
        assert!(world.emails(GUEST).await.is_empty());

        // An erasure finds an address by this alone, and forgets it.
        let alone = "UPDATE suppressed_addresses SET address = 'alone@example.com'";
        sqlx::query(alone).execute(&world.db).await.unwrap();
        let (exported, person) = learners(world, &["export", "alone@example.com"]).await;
        assert!(exported && person.contains("550 5.1.1"), "{person}");
        let (erased, said) = learners(world, &["erase", "alone@example.com", "--by", "Mira"]).await;
        assert!(erased, "{said}");
        assert_eq!(count(world, "SELECT count(*) FROM suppressed_addresses").await, 0);
    })
    .await;
}

/// Has the mail server refuse the next mail.
fn refusal(text: &str) -> Value {
    json!({ "target": "smtp", "kind": "status", "status": 550, "text": text, "count": 1 })
}

async fn learners(world: &World, words: &[&str]) -> (bool, String) {
    operator(world, &[&["learners"], words].concat(), &["database-url"]).await
}

#[tokio::test]
async fn what_is_reported_of_the_mails_to_a_mistyped_address_says_nothing_about_the_right_one() {
    world(setup_of_sales("mailgun"), async |world| {
        world.sell().await;
        let (cart, payment) = begun(world, &ORGANISATIONS[0], GUEST).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        mailed(world, 2).await;
        // The answer of the mail server to the receipt is lost.
        let receipt = "UPDATE mails SET sent_at = NULL WHERE template = 'receipt' RETURNING id::text";
        let receipt: String = sqlx::query_scalar(receipt).fetch_one(&world.db).await.unwrap();
        let invitation = "SELECT id::text FROM mails WHERE template = 'registration_invitation'";
        let invitation: String = sqlx::query_scalar(invitation).fetch_one(&world.db).await.unwrap();
        tell(world, "mailgun", Report::Full, &invitation).await;
        let failed = async |world: &World| {
            count(world, "SELECT count(*) FROM mails WHERE failed_at IS NOT NULL").await
        };
        world.eventually("the invitation has failed", async |world| failed(world).await == 1).await;
        let noor = staff(world, "northwind", "noor@example.com", &["support"]).await;
        let path = format!("/storeapi/support/orders/{cart}/address/");
        assert_eq!(act(world, &noor, &path, &json!({ "email": EMAIL })).await.status, 204);
        // Nothing waits for the wrong one any more.
        assert_eq!(failed(world).await, 0);
        tell(world, "mailgun", Report::Gone, &receipt).await;
        assert_eq!(count(world, "SELECT count(*) FROM suppressed_addresses").await, 0);
        let receipts = async |world: &World| {
            let mails = world.emails(EMAIL).await;
            mails.iter().filter(|mail| mail["text"].as_str().unwrap().contains(&cart)).count()
        };
        // The one that waited, and the one that a correction sends.
        world.eventually("the right one gets both", async |world| receipts(world).await == 2).await;
    })
    .await;
}

#[tokio::test]
async fn a_pool_names_the_seats_whose_mail_failed_until_one_arrives() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let key = organisation_key(world, "northwind", &[Scope::Seats]).await;
        seats::bought(world, &ORGANISATIONS[0], EMAIL, 3).await;
        let pool = seats::pool(world, &key).await;
        world.drain().await;
        world.fault(refusal("5.2.2 <guest@example.com>: Mailbox full")).await;
        seats::assigned(world, &key, &pool, &[GUEST]).await;
        world.expected_dead = 1;
        let failed = async |world: &World| {
            let read = world.http.get(world.url(&seats::path(&pool, ""))).header("organisationapikey", &key);
            Reply::read(read).await.json["assignments"][0]["mail_failed"].clone()
        };
        world.eventually("the seat's mail has failed", async |world| failed(world).await.is_string()).await;
        assert!(
            failed(world).await.as_str().unwrap().contains("552")
                || failed(world).await.as_str().unwrap().contains("5.2.2")
        );
        world.clock.advance(TimeDelta::days(2));
        let remind =
            world.http.post(world.url(&seats::path(&pool, "remind/"))).header("organisationapikey", &key);
        let reply = Reply::read(remind.json(&json!({ "emails": [GUEST] }))).await;
        assert_eq!(reply.json["reminded"], json!([GUEST]), "{}", reply.text);
        world.eventually("the reminder arrives", async |world| !world.emails(GUEST).await.is_empty()).await;
        world.eventually("nothing has failed", async |world| failed(world).await.is_null()).await;
    })
    .await;
}
