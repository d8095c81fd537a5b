//! Pages of the console for finance and managers: reports, vouchers, seats and batches, for the role alone.

use chrono::{TimeDelta, Timelike};
use harness::steps::console::{OWN, get, key, post, upload, with_console};
use harness::steps::demo::{FREE_KEY, PAID_KEY, UNKNOWN_ID};
use harness::steps::events::{endpoint, received};
use harness::steps::invoices::{sell_with_tax, sold};
use harness::steps::payments::{EMAIL, count};
use harness::steps::refunds::bought;
use harness::steps::seats;
use harness::steps::staff::staff;
use harness::{ORGANISATIONS, Reply, World, world};
use serde_json::json;
use texts::Texts;
use uuid::Uuid;

const VOUCHERS: &str = "/console/northwind/vouchers/";
const BATCHES: &str = "/console/northwind/batches/";

/// A manager and a member of the staff in every other role; a manager of another organisation.
async fn people(world: &World) -> (String, String, String) {
    let noor = staff(world, "northwind", "noor@example.com", &["manager"]).await;
    let sam = staff(world, "northwind", "sam@example.com", &["support", "finance"]).await;
    let eve = staff(world, "lindgren", "eve@lindgren.example", &["manager", "finance"]).await;
    (noor, sam, eve)
}

/// Where a form has led, below a path.
fn led(reply: &Reply, path: &str) -> String {
    assert_eq!(reply.status, 303, "{}", reply.text);
    reply.header("location").strip_prefix(path).unwrap_or_default().to_owned()
}

async fn text(world: &World, sql: &'static str) -> String {
    sqlx::query_scalar(sql).fetch_one(&world.db).await.unwrap()
}

#[tokio::test]
async fn each_page_opens_for_its_role_alone() {
    world(with_console(), async |world| {
        let (noor, sam, eve) = people(world).await;
        for (part, manages) in [
            ("reports", false),
            ("month", false),
            ("payouts", false),
            ("vouchers", true),
            ("seats", true),
            ("batches", true),
            ("events", true),
        ] {
            let path = format!("/console/northwind/{part}/");
            for (cookie, allowed) in [(&noor, manages), (&sam, !manages), (&eve, false)] {
                let page = get(world, cookie, &path).await;
                assert_eq!(page.status, if allowed { 200 } else { 403 }, "{part}: {}", page.text);
                let linked = page.text.replace("&#x2f;", "/").contains(&format!("href=\"{path}\""));
                assert_eq!(linked, allowed, "{part}: {}", page.text);
                assert!(!page.text.contains("<script") && !page.text.contains(" style="), "{part}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn finance_sees_what_moved_with_its_taxes_and_downloads_the_ledger() {
    world(with_console(), async |world| {
        sell_with_tax(world).await;
        let cart = sold(world, EMAIL, json!({ "name": "Ada Lovelace", "country": "DE" })).await;
        world.drain().await;
        let (noor, sam, eve) = people(world).await;
        let path = "/console/northwind/reports/";
        let page = get(world, &sam, path).await;
        assert!(page.text.contains("payment") && page.text.contains("19%"), "{}", page.text);
        assert!(page.text.contains(&cart) && page.text.contains("Download"), "{}", page.text);
        let empty = get(world, &sam, &format!("{path}?from=2020-01-01&to=2020-01-31")).await;
        assert!(
            empty.text.contains("No money moved")
                && empty.text.contains("No invoice or credit note")
                && !empty.text.contains(&cart),
            "{}",
            empty.text
        );
        let turned = get(world, &sam, &format!("{path}?from=2020-02-01&to=2020-01-31")).await;
        assert!(turned.status == 400 && turned.text.contains("is before from"), "{}", turned.text);
        let day = world.clock.now().date_naive();
        let ledger = format!("{path}ledger/?from={day}&to={day}");
        let csv = get(world, &sam, &ledger).await;
        assert!(csv.text.starts_with("seq,") && csv.text.contains(&cart), "{}", csv.text);
        assert!(csv.header("content-disposition").contains(".csv"));
        assert!(get(world, &sam, &format!("{ledger}&format=json")).await.json[0]["cart_id"] == json!(cart));
        assert_eq!(get(world, &noor, &ledger).await.status, 403);
        see_taxes(world, [&noor, &sam, &eve], &page.text, &format!("{path}taxes/?from={day}&to={day}")).await;
        let other = get(world, &eve, &ledger.replace("northwind", "lindgren")).await;
        assert!(other.status == 200 && !other.text.contains(&cart), "{}", other.text);
    })
    .await;
}

/// Looks at the taxes of an invoice over 199.00 with 19 percent in it: on the page of finance, and in its files.
async fn see_taxes(world: &World, [noor, sam, eve]: [&str; 3], page: &str, file: &str) {
    for shown in ["Invoices less credit notes", "$167.23", "$31.77", "Download the taxes as CSV"] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let csv = get(world, sam, file).await;
    let rows = "country,state,rate,category,currency,net,tax,count\r\nDE,,19,S,USD,167.23,31.77,1\r\n";
    assert_eq!(csv.text, rows);
    assert!(csv.header("content-disposition").contains("taxes-"));
    let json = get(world, sam, &format!("{file}&format=json")).await.json;
    assert_eq!((&json[0]["tax"], &json[0]["state"]), (&json!(31.77), &json!(null)), "{json}");
    assert_eq!(get(world, noor, file).await.status, 403);
    let other = get(world, eve, &file.replace("northwind", "lindgren")).await;
    assert!(other.status == 200 && other.text.lines().count() == 1, "{}", other.text);
}

#[tokio::test]
async fn the_figures_count_the_days_of_the_organisation() {
    world(with_console(), async |world| {
        sell_with_tax(world).await;
        // So that the day there is another one than in UTC.
        let (zone, hours) = if world.clock.now().hour() >= 11 { ("Pacific/Kiritimati", 14) } else { ("Pacific/Niue", -11) };
        let update = "UPDATE organisations SET seller = jsonb_set(seller, '{time_zone}', to_jsonb($1::text)) WHERE seller IS NOT NULL";
        sqlx::query(update).bind(zone).execute(&world.db).await.unwrap();
        sold(world, EMAIL, json!({ "name": "Ada Lovelace", "country": "DE" })).await;
        let sam = staff(world, "northwind", "sam@example.com", &["support", "finance"]).await;
        let page = get(world, &sam, "/console/northwind/").await.text;
        let day = (world.clock.now() + TimeDelta::hours(hours)).date_naive();
        let texts = Texts::bundled().unwrap();
        let day = texts.localizer(&"en".parse().unwrap(), &[]).day_of_year(day);
        assert!(page.contains(&format!("{day}: 1 paid")) && page.contains("$199.00"), "{day}: {page}");
    })
    .await;
}

#[tokio::test]
async fn a_manager_creates_changes_and_ends_a_voucher() {
    world(with_console(), async |world| {
        let (noor, sam, eve) = people(world).await;
        let form_key = key(&get(world, &noor, VOUCHERS).await);
        let fields = [
            ("key", form_key.as_str()),
            ("code", "SPRING-26"),
            ("kind", "percent"),
            ("value", "12,5"),
            ("max_uses", "5"),
            ("max_uses_per_buyer", ""),
            ("valid_until", "2030-01-31T12:00"),
            ("courses", PAID_KEY),
            ("campaign", "spring <b>"),
        ];
        for (cookie, origin) in [(&sam, OWN), (&noor, "http://elsewhere.test"), (&eve, OWN)] {
            assert_eq!(post(world, cookie, VOUCHERS, origin, &fields).await.status, 403);
        }
        assert_eq!(count(world, "SELECT count(*) FROM vouchers").await, 0);
        let created = led(&post(world, &noor, VOUCHERS, OWN, &fields).await, VOUCHERS);
        // The same form again, by a double click.
        assert_eq!(led(&post(world, &noor, VOUCHERS, OWN, &fields).await, VOUCHERS), created);
        assert_eq!(count(world, "SELECT count(*) FROM vouchers").await, 1);
        let own = format!("{VOUCHERS}{}", created.split_once('?').unwrap().0);
        let page = get(world, &noor, &own).await;
        for shown in ["12.5%", "0 of 5", "no limit", "Jan 31, 2030, 12:00", "spring &lt;b&gt;", "1 course<"] {
            assert!(page.text.contains(shown), "{shown}: {}", page.text);
        }
        let list = get(world, &noor, &format!("{VOUCHERS}?code=spring-26")).await;
        assert!(list.text.contains("SPRING-26") && list.text.contains("12.5%"), "{}", list.text);
        assert!(get(world, &noor, &format!("{VOUCHERS}?code=other")).await.text.contains("No voucher has"));
        change_and_end(world, [&noor, &sam, &eve], &own).await;
        let page = get(world, &noor, &own).await;
        assert!(page.text.contains("0 of 9") && page.text.contains("fair"), "{}", page.text);
        assert!(page.text.contains(">ended<") && !page.text.contains("End SPRING-26 now"), "{}", page.text);
        let acts = "SELECT string_agg(DISTINCT split_part(actor, ':', 1), ' ') FROM audit_log WHERE entity = 'voucher'";
        assert_eq!(text(world, acts).await, "staff");
    })
    .await;
}

/// Changes a voucher of five uses, which ends in 2030, as its manager alone may; then ends it twice, and changes it on a page that
/// was opened before that.
async fn change_and_end(world: &World, [noor, sam, eve]: [&str; 3], own: &str) {
    let other = own.replace("northwind", "lindgren");
    let at = world.clock.now().to_rfc3339();
    let ending = Uuid::now_v7().to_string();
    let other_key = || Uuid::now_v7().to_string();
    for (cookie, path, key, end, uses, status) in [
        (sam, own, other_key(), "", "9", 403),
        (eve, own, other_key(), "", "9", 403),
        (eve, other.as_str(), other_key(), "", "9", 404),
        (noor, own, other_key(), "", "many", 400),
        (noor, own, other_key(), "", "9", 303),
        (noor, own, ending.clone(), "yes", "", 303),
        // A double click; then a page that was opened before the end.
        (noor, own, ending.clone(), "yes", "", 303),
        (noor, own, other_key(), "", "9", 303),
    ] {
        let until = "2030-01-31T12:00:00";
        let fields = [
            ("key", key.as_str()),
            ("end", end),
            ("at", at.as_str()),
            ("was_max_uses", "5"),
            ("max_uses", uses),
            ("was_valid_until", until),
            ("valid_until", until),
            ("note", "fair"),
        ];
        let reply = post(world, cookie, path, OWN, &fields).await;
        assert_eq!(reply.status, status, "{end} {uses}: {}", reply.text);
        if status == 400 {
            assert!(reply.text.contains("Uses in all is not a number"), "{}", reply.text);
        }
        if status == 303 && end.is_empty() && key != ending {
            let page = get(world, noor, own).await.text;
            assert!(page.contains("0 of 9") && page.contains("fair"), "{page}");
        }
    }
}

#[tokio::test]
async fn a_form_for_vouchers_that_is_wrong_comes_back_as_it_was_filled() {
    world(with_console(), async |world| {
        let (noor, ..) = people(world).await;
        let form_key = key(&get(world, &noor, VOUCHERS).await);
        for (field, value, said) in [
            ("value", "much", "How much is not a number"),
            ("value", "101", "How much must be a percentage"),
            ("courses", "course-v1:Lindgren+NO+1", "Courses has no course"),
            ("code", "a b", "Code must"),
            ("max_uses", "1,000", "Uses in all is not clear"),
            ("count", "2", "generated codes only"),
        ] {
            let mut fields =
                vec![("key", form_key.as_str()), ("code", "FAIR"), ("kind", "percent"), ("value", "10")];
            fields.retain(|(name, _)| *name != field);
            fields.push((field, value));
            let page = post(world, &noor, VOUCHERS, OWN, &fields).await;
            assert!(page.status == 400 && page.text.contains(said), "{field}: {}", page.text);
            let written = page.text.replace("&#x2f;", "/");
            assert!(
                written.contains(value) && written.contains("Send this form again"),
                "{field}: {written}"
            );
        }
        assert_eq!(count(world, "SELECT count(*) FROM vouchers").await, 0);
    })
    .await;
}

#[tokio::test]
async fn long_lists_have_pages_that_keep_their_filter() {
    world(with_console(), async |world| {
        let (noor, ..) = people(world).await;
        let form_key = key(&get(world, &noor, VOUCHERS).await);
        let fields = [
            ("key", form_key.as_str()),
            ("kind", "amount"),
            ("value", "5"),
            ("count", "53"),
            ("campaign", "fair & square"),
        ];
        let led = led(&post(world, &noor, VOUCHERS, OWN, &fields).await, VOUCHERS);
        assert!(led.starts_with("codes/?with=") && led.ends_with("&done=vouchers&n=53"), "{led}");
        let rows = |page: &Reply| page.text.matches("fair &amp; square</bdi></td>").count();
        let first = get(world, &noor, &format!("{VOUCHERS}?campaign=fair+%26+square")).await;
        assert_eq!(rows(&first), 50, "{}", first.text);
        let (_, rest) = first.text.split_once("<a href=\"?page=2").expect("a second page");
        let rest = rest.split_once('"').unwrap().0.replace("&amp;", "&");
        assert!(rest.contains("campaign=fair"), "{rest}");
        assert_eq!(rows(&get(world, &noor, &format!("{VOUCHERS}?page=2{rest}")).await), 3);
    })
    .await;
}

/// Waits until a page shows these words.
async fn shows(world: &World, cookie: &str, path: &str, words: &str) {
    world.eventually(words, async |world| get(world, cookie, path).await.text.contains(words)).await;
}

#[tokio::test]
async fn a_manager_gives_seats_and_takes_them_back() {
    world(with_console(), async |world| {
        world.sell().await;
        seats::bought(world, &ORGANISATIONS[0], "buyer@example.com", 3).await;
        let (noor, sam, eve) = people(world).await;
        let list = get(world, &noor, "/console/northwind/seats/").await;
        assert!(list.text.contains("0 of 3"), "{}", list.text);
        let id = text(world, "SELECT id::text FROM vouchers WHERE kind = 'seat'").await;
        let own = format!("/console/northwind/seats/{id}/");
        let other = own.replace("northwind", "lindgren");
        assert_eq!(get(world, &eve, &other).await.status, 404);
        let form_key = key(&get(world, &noor, &own).await);
        let fields = [("key", form_key.as_str()), ("emails", "new@example.com\n no address;new@example.com")];
        for (cookie, path, status) in [(&sam, &own, 403), (&eve, &own, 403), (&eve, &other, 404)] {
            for action in ["assign", "revoke", "remind"] {
                let reply = post(world, cookie, &format!("{path}{action}/"), OWN, &fields).await;
                assert_eq!(reply.status, status, "{action}: {}", reply.text);
            }
        }
        let next = led(&post(world, &noor, &format!("{own}assign/"), OWN, &fields).await, &own);
        let path = format!("{own}{next}");
        shows(world, &noor, &path, "1 of 4 done, 3 failed").await;
        world.drain().await;
        let page = get(world, &noor, &path).await;
        for shown in ["The addresses are stored", "repeats row 1", "new@example.com"] {
            assert!(page.text.contains(shown), "{shown}: {}", page.text);
        }
        let page = get(world, &noor, &own).await;
        assert!(
            page.text.contains("1 of 3 seats") && page.text.contains("waits for registration"),
            "{}",
            page.text
        );
        for email in ["new@example.com", "buyer@example.com"] {
            let person = get(world, &noor, &format!("/console/northwind/person/?email={email}")).await.text;
            assert!(person.replace("&#x2f;", "/").contains(&own), "{person}");
        }
        let form_key = key(&page);
        let reply = post(world, &noor, &format!("{own}remind/"), OWN, &[("key", form_key.as_str())]).await;
        assert_eq!(led(&reply, &own), "?done=none-reminded", "it got its invitation just now");
        let form_key = Uuid::now_v7().to_string();
        let fields = [("key", form_key.as_str()), ("emails", "new@example.com")];
        let reply = post(world, &noor, &format!("{own}revoke/"), OWN, &fields).await;
        assert_eq!(led(&reply, &own), "?done=freed");
        let page = get(world, &noor, &own).await;
        assert!(
            page.text.contains("0 of 3 seats") && page.text.contains("No address has a seat"),
            "{}",
            page.text
        );
        let form_key = Uuid::now_v7().to_string();
        let fields = [("key", form_key.as_str()), ("emails", "new@example.com")];
        let reply = post(world, &noor, &format!("{own}revoke/"), OWN, &fields).await;
        assert_eq!(led(&reply, &own), "?done=no-seat");
        let empty = post(world, &noor, &format!("{own}assign/"), OWN, &[("key", form_key.as_str())]).await;
        assert!(empty.status == 400 && empty.text.contains("Addresses must not be empty"), "{}", empty.text);
        world.drain().await;
    })
    .await;
}

#[tokio::test]
async fn a_file_is_shown_with_its_faults_before_it_is_submitted() {
    world(with_console(), async |world| {
        let (noor, sam, eve) = people(world).await;
        let csv = format!("email,mode\n{EMAIL},audit\nno address,audit\n{EMAIL},\n");
        let defaults = [("course", FREE_KEY), ("mode", "audit"), ("action", "enroll")];
        let sent = async |cookie: &str, path: &str, origin: &str| {
            upload(world, cookie, path, origin, &defaults, csv.as_bytes()).await
        };
        for (cookie, origin) in [(&sam, OWN), (&noor, "http://elsewhere.test"), (&eve, OWN)] {
            assert_eq!(sent(cookie, BATCHES, origin).await.status, 403);
        }
        let page = sent(&noor, BATCHES, OWN).await;
        for shown in ["Submit 3 rows?", "email is not", "repeated in row 3", EMAIL] {
            assert!(page.status == 200 && page.text.contains(shown), "{shown}: {}", page.text);
        }
        assert_eq!(count(world, "SELECT count(*) FROM batches").await, 0, "it is only shown");
        let form_key = key(&page_of(world, &noor, &csv).await);
        let fields = [("key", form_key.as_str()), defaults[0], defaults[1], defaults[2]];
        let submit = format!("{BATCHES}submit/");
        assert_eq!(upload(world, &sam, &submit, OWN, &fields, csv.as_bytes()).await.status, 403);
        let next = led(&upload(world, &noor, &submit, OWN, &fields, csv.as_bytes()).await, BATCHES);
        // Sent twice, it is one batch.
        assert_eq!(led(&upload(world, &noor, &submit, OWN, &fields, csv.as_bytes()).await, BATCHES), next);
        let own = format!("{BATCHES}{}", next.split_once('?').unwrap().0);
        world
            .eventually("the batch is done", async |world| {
                get(world, &noor, &own).await.text.contains("1 of 3 done, 2 failed")
            })
            .await;
        let failed = get(world, &noor, &format!("{own}rows/?status=failed")).await;
        assert!(failed.text.lines().count() == 3 && failed.text.contains("no address"), "{}", failed.text);
        assert!(failed.header("content-disposition").starts_with("attachment"));
        assert!(get(world, &noor, BATCHES).await.text.contains("done"));
        // The failed rows can be sent again as they were shown.
        assert_eq!(page_of(world, &noor, &failed.text).await.status, 200);
        let other = own.replace("northwind", "lindgren");
        for path in [other.clone(), format!("{other}rows/")] {
            assert_eq!(get(world, &eve, &path).await.status, 404);
        }
        world.drain().await;
    })
    .await;
}

#[tokio::test]
async fn a_file_that_is_no_batch_is_refused_and_comes_back() {
    world(with_console(), async |world| {
        let (noor, ..) = people(world).await;
        let csv = format!("email,mode\n{EMAIL},audit\n");
        let defaults = [("course", FREE_KEY), ("mode", "audit"), ("action", "enroll")];
        for (file, said) in [
            (&b""[..], "The file is wrong: email is a required column"),
            (b"email\n", "The file must not be empty"),
            (b"name\nAda\n", "The file is wrong: name is not a column"),
            (b"email\n\xff\n", "is not UTF-8 text"),
            (b"\x50\x4b\x03\x04\0", "NUL"),
        ] {
            let page = upload(world, &noor, BATCHES, OWN, &defaults, file).await;
            assert!(page.status == 400 && page.text.contains(said), "{said}: {}", page.text);
        }
        let large = vec![b'a'; 2 * 1024 * 1024];
        assert_eq!(upload(world, &noor, BATCHES, OWN, &defaults, &large).await.status, 413);
        let wrong = [("course", "course-v1:Lindgren+NO+1"), ("mode", "audit")];
        let page = upload(world, &noor, BATCHES, OWN, &wrong, csv.as_bytes()).await;
        assert!(page.status == 400 && page.text.contains("Course has no course"), "{}", page.text);
        assert!(
            page.text.contains(EMAIL) && page.text.contains("multipart"),
            "the rows come back: {}",
            page.text
        );

        let foreign = format!("email,course_id\n{EMAIL},{UNKNOWN_ID}\n");
        let page = page_of(world, &noor, &foreign).await;
        assert!(page.text.contains("not of a course of your organisation"), "{}", page.text);
        assert_eq!(count(world, "SELECT count(*) FROM batches").await, 0);
    })
    .await;
}

/// The page that shows the rows of a file.
async fn page_of(world: &World, cookie: &str, csv: &str) -> Reply {
    let defaults = [("course", FREE_KEY), ("mode", "audit"), ("action", "enroll")];
    upload(world, cookie, BATCHES, OWN, &defaults, csv.as_bytes()).await
}

#[tokio::test]
async fn a_manager_sends_an_event_again_and_enables_its_receiver() {
    world(with_console(), async |world| {
        world.sell().await;
        let (id, _) = endpoint(world, "northwind", "erp").await;
        let (noor, sam, eve) = people(world).await;
        let (path, start) = ("/console/northwind/events/", "/console/northwind/");
        assert!(get(world, &noor, path).await.text.contains("No event was for this endpoint yet"));
        bought(world, &ORGANISATIONS[0], EMAIL).await;
        let has_order = "SELECT count(*) FROM webhook_deliveries JOIN events e ON e.id = event_id
             WHERE e.type IN ('order.paid', 'order.fulfilled') AND delivered_at IS NOT NULL";
        world
            .eventually("the receiver has the order", async |world| {
                count(world, has_order).await == 2 && get(world, &noor, path).await.text.contains("order.fulfilled")
            })
            .await;
        let event = text(
            world,
            "SELECT event_id::text FROM webhook_deliveries JOIN events e ON e.id = event_id WHERE e.type = 'order.paid'",
        )
        .await;
        let (again, other) = (format!("{start}deliveries/"), "/console/lindgren/deliveries/".to_owned());
        for (cookie, form, status) in [(&sam, &again, 403), (&eve, &other, 400), (&noor, &again, 303)] {
            let form_key = Uuid::now_v7().to_string();
            let fields =
                [("key", form_key.as_str()), ("endpoint_id", id.as_str()), ("event_id", event.as_str())];
            assert_eq!(post(world, cookie, form, "http://elsewhere.test", &fields).await.status, 403);
            let reply = post(world, cookie, form, OWN, &fields).await;
            assert_eq!(reply.status, status, "{}", reply.text);
        }
        world
            .eventually("it has the event again", async |world| {
                let got = received(world, "erp").await;
                got.iter().filter(|delivery| delivery.to_string().contains(&event)).count() == 2
            })
            .await;
        let disabled = "UPDATE webhook_endpoints SET disabled_at = now(), disabled_reason = 'answered <i>410</i>'";
        sqlx::query(disabled).execute(&world.db).await.unwrap();
        let page = get(world, &noor, start).await.text.replace("&#x2f;", "/");
        assert!(page.contains(path) && page.contains("Open the events"), "{page}");
        let page = get(world, &noor, path).await;
        assert!(page.text.contains("answered &lt;i&gt;410") && !page.text.contains("Send again"), "{}", page.text);
        let form_key = key(&page);
        let fields = [("key", form_key.as_str()), ("endpoint_id", id.as_str())];
        assert_eq!(post(world, &eve, "/console/lindgren/endpoints/", OWN, &fields).await.status, 400);
        let reply = post(world, &noor, &format!("{start}endpoints/"), OWN, &fields).await;
        assert_eq!(led(&reply, path), "?done=endpoints");
        assert!(get(world, &noor, path).await.text.contains(">enabled<"));
        let acts = "SELECT count(*) FROM audit_log WHERE entity = 'endpoint' AND actor LIKE 'staff:%'";
        assert_eq!(count(world, acts).await, 2);
        world.drain().await;
    })
    .await;
}

#[tokio::test]
async fn what_an_organisation_has_of_a_person_is_a_file() {
    world(with_console(), async |world| {
        world.sell().await;
        seats::bought(world, &ORGANISATIONS[0], "buyer@example.com", 3).await;
        let (noor, _, eve) = people(world).await;
        let id = text(world, "SELECT id::text FROM vouchers WHERE kind = 'seat'").await;
        let file = "/console/northwind/person/file/?email=buyer@example.com";
        let known = get(world, &noor, file).await;
        assert_eq!(
            (&known.json["orders"][0]["email"], &known.json["seats"]["pools"][0]["voucher_id"]),
            (&json!("buyer@example.com"), &json!(id))
        );
        assert!(known.header("content-disposition").starts_with("attachment"));
        // Its reader can open nothing with it: not every role sees pools, and their codes are as good as seats.
        let code = text(world, "SELECT code FROM vouchers WHERE kind = 'seat'").await;
        for secret in [code.as_str(), "\"code\"", "\"url\"", "token="] {
            assert!(!known.text.contains(secret), "{secret} is in {}", known.text);
        }
        let none = get(world, &eve, &file.replace("northwind", "lindgren")).await.json;
        assert_eq!((&none["orders"], &none["access"]), (&json!([]), &json!([])));
    })
    .await;
}
