//! The month that finance closes: its sums add up, each leads to its rows, and the console closes it.

use chrono::{DateTime, Utc};
use harness::steps::console::{self, OWN, with_console};
use harness::steps::invoices::sell_with_tax;
use harness::steps::orders::{pay, refund};
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{begun, cart_id, count};
use harness::steps::staff::{look, staff};
use harness::steps::tax::cents;
use harness::{ORGANISATIONS, Organisation, Setup, World, world};
use serde_json::{Value, json};
use shared::organisation_key::Scope;
use sqlx::{Connection, PgConnection};
use uuid::Uuid;

use crate::external_payments::takes_payments_itself;
use crate::on_account::{ordered, sells_on_account};

const SHOP: &Organisation = &ORGANISATIONS[0];
const PAGE: &str = "/console/northwind/month/";

/// Worlds with a console, whose reconciler leaves what a test has written as it is.
fn at_rest() -> Setup {
    Setup { worker_args: Vec::new(), ..with_console() }
}

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

/// A guest's order that was paid at Stripe at this time: 199.00 USD.
async fn sold(world: &World, paid_at: &str) -> String {
    let (cart, _) = begun(world, SHOP, &format!("{}@example.com", Uuid::now_v7())).await;
    pay(world, &cart, at(paid_at)).await;
    cart
}

/// A movement in a payout: its kind, gross and fee in minor units, and the order that it is about.
type Row<'a> = (&'a str, i64, i64, Option<&'a str>);

/// A payout at Stripe, as the worker stores one that was paid and read on a day, with its rows of the ledger.
struct Payout<'a> {
    reference: &'a str,
    currency: &'a str,
    day: &'a str,
    difference: i64,
    rows: &'a [Row<'a>],
}

impl Payout<'_> {
    async fn store(&self, world: &World) {
        let Self { reference, currency, day, difference, rows } = self;
        let amount = rows.iter().map(|(_, gross, fee, _)| gross - fee).sum::<i64>() + difference;
        let (id, made_at) = (Uuid::now_v7(), at(&format!("{day}T06:00:00Z")));
        let is_read = !rows.is_empty();
        sqlx::query(
            "INSERT INTO payouts (id, organisation_id, gateway, reference, state, amount, currency, made_at, is_itemised, read_at, difference)
             SELECT $1, id, 'stripe', $2, 'paid', $3, $4, $5, true, CASE WHEN $6 THEN $5 END, CASE WHEN $6 THEN $7 END
             FROM organisations WHERE short_name = 'northwind'",
        )
        .bind(id)
        .bind(reference)
        .bind(if is_read { amount } else { *difference })
        .bind(currency)
        .bind(made_at)
        .bind(is_read)
        .bind(difference)
        .execute(&world.db)
        .await
        .unwrap();
        for (nth, (kind, gross, fee, cart)) in rows.iter().enumerate() {
            sqlx::query(
                "INSERT INTO payout_rows (payout_id, reference, kind, provider_kind, gross, fee, fee_tax, currency, moved_at, transaction_id)
                 VALUES ($1, $2, $3, $3, $4, $5, 0, $6, $7, (SELECT id FROM transactions WHERE cart_id = $8::uuid))",
            )
            .bind(id)
            .bind(nth.to_string())
            .bind(kind)
            .bind(gross)
            .bind(fee)
            .bind(currency)
            .bind(made_at)
            .bind(cart)
            .execute(&world.db)
            .await
            .unwrap();
        }
        let booked = "INSERT INTO ledger (at, organisation_id, kind, payout_id, amount, currency, gateway, provider_reference)
            SELECT made_at, organisation_id, m.kind, id, m.amount, currency, gateway, reference
            FROM payouts CROSS JOIN LATERAL (VALUES ('payout', -payouts.amount), ('fee', -$2::bigint)) m (kind, amount) WHERE id = $1 AND m.amount <> 0";
        let fees: i64 = rows.iter().map(|(_, _, fee, _)| fee).sum();
        sqlx::query(booked).bind(id).bind(fees).execute(&world.db).await.unwrap();
    }
}

/// Takes money of a payment in a dispute.
async fn disputed(world: &World, cart: &str, minor: i64, on: &str) {
    let mut tx = world.db.begin().await.unwrap();
    for statement in [
        "UPDATE transactions SET lost_amount = lost_amount + $2 WHERE cart_id = $1::uuid AND $3::timestamptz IS NOT NULL",
        "INSERT INTO ledger (at, organisation_id, kind, cart_id, transaction_id, amount, currency, gateway)
         SELECT $3, organisation_id, 'chargeback', cart_id, id, -$2, currency, gateway FROM transactions WHERE cart_id = $1::uuid",
    ] {
        sqlx::query(statement).bind(cart).bind(minor).bind(at(on)).execute(&mut *tx).await.unwrap();
    }
    tx.commit().await.unwrap();
}

async fn month(world: &World, key: &str, month: &str) -> Value {
    let reply = get(world, &format!("/storeapi/reports/month/?month={month}"), key).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    for block in reply.json["currencies"].as_array().unwrap() {
        for account in
            block["accounts"].as_array().unwrap().iter().filter(|account| !account["opening"].is_null())
        {
            let parts = ["opening", "paid", "refunded", "disputed", "fees", "paid_out", "other"];
            let sum: i64 = parts.iter().map(|part| cents(&account[*part])).sum();
            assert_eq!(sum, cents(&account["closing"]), "{account}");
        }
    }
    reply.json
}

/// Amounts of the only account of a month with one currency, in cents.
fn sums(month: &Value) -> [i64; 8] {
    assert_eq!(month["currencies"].as_array().unwrap().len(), 1, "{month}");
    let accounts = month["currencies"][0]["accounts"].as_array().unwrap();
    assert_eq!(accounts.len(), 1, "{month}");
    ["opening", "paid", "refunded", "disputed", "fees", "paid_out", "other", "closing"]
        .map(|part| cents(&accounts[0][part]))
}

/// What does not add up in the block of a currency: reasons, payouts and cents.
fn gaps(month: &Value, currency: &str) -> Vec<(String, Value, i64)> {
    let block =
        month["currencies"].as_array().unwrap().iter().find(|block| block["currency"] == currency).unwrap();
    let gaps = block["gaps"].as_array().unwrap();
    assert_eq!(block["adds_up"], gaps.is_empty(), "{block}");
    let gap = |gap: &Value| {
        (gap["reason"].as_str().unwrap().to_owned(), gap["payout"].clone(), cents(&gap["amount"]))
    };
    gaps.iter().map(gap).collect()
}

fn gap(reason: &str, payout: &str, cents: i64) -> (String, Value, i64) {
    (reason.to_owned(), json!(payout), cents)
}

#[tokio::test]
async fn a_month_adds_up_from_what_was_with_the_provider_to_what_still_is() {
    world(Setup::default(), async |world| {
        world.sell().await;
        let own = key(world, "northwind", &[Scope::Reports]).await;
        let early = sold(world, "2026-02-10T12:00:00Z").await;
        let late = sold(world, "2026-03-05T12:00:00Z").await;
        refund(world, &late, 5_000, "goodwill", at("2026-03-10T12:00:00Z")).await;
        disputed(world, &early, 2_000, "2026-03-12T12:00:00Z").await;
        let rows = [
            ("payment", 19_900, 610, Some(&*early)),
            ("payment", 19_900, 610, Some(&*late)),
            ("refund", -5_000, 0, Some(&*late)),
        ];
        Payout { reference: "po_1", currency: "USD", day: "2026-03-20", difference: 0, rows: &rows }
            .store(world)
            .await;
        sold(world, "2026-04-01T00:00:00Z").await;

        let february = month(world, &own, "2026-02").await;
        assert_eq!(sums(&february), [0, 19_900, 0, 0, 0, 0, 0, 19_900]);
        assert_eq!(
            (&february["from"], &february["to"], &february["over"]),
            (&json!("2026-02-01"), &json!("2026-02-28"), &json!(true))
        );
        let march = month(world, &own, "2026-03").await;
        // 199.00 + 199.00 - 50.00 - 20.00 - 12.20 - (398.00 - 50.00 - 12.20) = -20.00: the dispute is not paid out yet.
        assert_eq!(sums(&march), [19_900, 19_900, -5_000, -2_000, -1_220, -33_580, 0, -2_000]);
        assert_eq!((gaps(&march, "USD"), &march["closed"]), (Vec::new(), &Value::Null));
        assert_eq!(sums(&month(world, &own, "2026-04").await), [-2_000, 19_900, 0, 0, 0, 0, 0, 17_900]);
        assert_eq!(month(world, &own, "2026-01").await["currencies"], json!([]));
        // More than a year after the first movement, and nothing is closed.
        let later = month(world, &own, "2027-04").await;
        assert_eq!((&later["currencies"], &later["over"]), (&json!([]), &json!(false)));
        let other = key(world, "lindgren", &[Scope::Reports]).await;
        assert_eq!(month(world, &other, "2026-03").await["currencies"], json!([]));
        for (query, fault) in [
            ("", "month"),
            ("month=2026-13", "month"),
            ("month=2026-3", "month"),
            ("month=2026-03-01", "month"),
        ] {
            let refused = get(world, &format!("/storeapi/reports/month/?{query}"), &own).await;
            assert_eq!(refused.assert_problem(400, "invalid_request").faulty_fields(), [fault], "{query}");
        }
    })
    .await;
}

#[tokio::test]
async fn what_payouts_have_moved_beside_the_books_is_named_with_its_amount() {
    world(Setup::default(), async |world| {
        world.sell().await;
        let own = key(world, "northwind", &[Scope::Reports]).await;
        let (cart, abroad) =
            (sold(world, "2026-03-05T12:00:00Z").await, sold(world, "2026-03-06T12:00:00Z").await);
        for payout in [
            Payout {
                reference: "po_other",
                currency: "USD",
                day: "2026-03-20",
                difference: 0,
                rows: &[
                    ("payment", 19_900, 610, Some(&cart)),
                    ("other", -120, 0, None),
                    ("payment", 4_000, 100, None),
                ],
            },
            Payout {
                reference: "po_wrong",
                currency: "USD",
                day: "2026-03-21",
                difference: -500,
                rows: &[("payout", 700, 0, None)],
            },
            Payout {
                reference: "po_euro",
                currency: "EUR",
                day: "2026-03-22",
                difference: 0,
                rows: &[("payment", 18_100, 500, Some(&abroad))],
            },
            Payout { reference: "po_unread", currency: "USD", day: "2026-03-23", difference: 300, rows: &[] },
        ] {
            payout.store(world).await;
        }
        let march = month(world, &own, "2026-03").await;
        let expected = [
            gap("other", "po_other", -120),
            gap("unknown_payment", "po_other", 4_000),
            gap("difference", "po_wrong", -500),
            gap("other_currency", "po_euro", -19_900),
            gap("unread", "po_unread", 300),
        ];
        assert_eq!(gaps(&march, "USD"), expected);
        assert_eq!(gaps(&march, "EUR"), [gap("other_currency", "po_euro", 18_100)]);
        let closing = |currency: &str| {
            let block = march["currencies"]
                .as_array()
                .unwrap()
                .iter()
                .find(|block| block["currency"] == currency)
                .unwrap();
            cents(&block["accounts"][0]["closing"])
        };
        // Everything was paid out, but for what came back and the payout whose movements are not known.
        assert_eq!((closing("EUR"), closing("USD")), (0, -700 - 300));
    })
    .await;
}

#[tokio::test]
async fn finance_closes_a_month_once_and_the_next_begins_with_what_it_has_left() {
    world(at_rest(), async |world| {
        world.sell().await;
        let own = key(world, "northwind", &[Scope::Reports]).await;
        sold(world, "2026-02-10T12:00:00Z").await;
        sold(world, "2026-03-10T12:00:00Z").await;
        let sam = staff(world, "northwind", "sam@example.com", &["finance"]).await;
        let noor = staff(world, "northwind", "noor@example.com", &["support", "manager"]).await;
        let eve = staff(world, "lindgren", "eve@lindgren.example", &["finance"]).await;
        let page = console::get(world, &sam, &format!("{PAGE}?month=2026-02")).await;
        assert!(page.text.contains("not closed yet") && page.text.contains("It adds up") && page.text.contains("Close February 2026"), "{}", page.text);
        let form_key = console::key(&page);
        let send = async |cookie: &str, origin: &str, form_key: &str, month: &str| {
            console::post(world, cookie, PAGE, origin, &[("key", form_key), ("month", month)]).await
        };
        for (cookie, origin) in [(&noor, OWN), (&eve, OWN), (&sam, "https://evil.example")] {
            assert_eq!(send(cookie, origin, &form_key, "2026-02").await.status, 403);
        }
        assert_eq!(count(world, "SELECT count(*) FROM closed_months").await, 0);
        for _ in 0..2 {
            let closed = send(&sam, OWN, &form_key, "2026-02").await;
            assert_eq!((closed.status, closed.header("location")), (303, "/console/northwind/month/?month=2026-02&done=month"), "{}", closed.text);
        }
        let again = send(&sam, OWN, &Uuid::now_v7().to_string(), "2026-01").await;
        assert!(again.status == 400 && again.text.contains("The month is closed already."), "{}", again.text);
        let present = world.clock.now().format("%Y-%m").to_string();
        let early = send(&sam, OWN, &Uuid::now_v7().to_string(), &present).await;
        assert!(early.status == 400 && early.text.contains("The month is not over yet."), "{}", early.text);
        assert_eq!(send(&sam, OWN, &Uuid::now_v7().to_string(), "2026-2").await.status, 400);
        let record = "SELECT count(*) FROM audit_log a JOIN closed_months c ON c.organisation_id = a.entity_id AND c.closed_by = a.actor
                      WHERE a.entity = 'books' AND a.to_state = 'closed' AND a.detail ->> 'month' = '2026-02' AND a.actor LIKE 'staff:%'";
        assert_eq!((count(world, record).await, count(world, "SELECT count(*) FROM closed_months").await), (1, 1));
        let page = console::get(world, &sam, &format!("{PAGE}?month=2026-02")).await;
        assert!(page.text.contains("Closed on") && page.text.contains("by Noor Haddad.") && !page.text.contains("name=\"key\""), "{}", page.text);
        let january = console::get(world, &sam, &format!("{PAGE}?month=2026-01")).await;
        assert!(january.text.contains("It was closed with February 2026."), "{}", january.text);

        let february = month(world, &own, "2026-02").await;
        assert_eq!((&february["closed"]["month"], gaps(&february, "USD")), (&json!("2026-02"), Vec::new()));
        assert!(february["closed"]["by"].as_str().unwrap().starts_with("staff:"), "{february}");
        assert_eq!(sums(&month(world, &own, "2026-03").await), [19_900, 19_900, 0, 0, 0, 0, 0, 39_800]);
        // No program changes it; the page would name it.
        let mut owner = PgConnection::connect(&world.owner_url).await.unwrap();
        sqlx::query("UPDATE closed_balances SET amount = amount + 100").execute(&mut owner).await.unwrap();
        assert_eq!(gaps(&month(world, &own, "2026-02").await, "USD"), [("closed".to_owned(), Value::Null, 100)]);
        let page = console::get(world, &sam, &format!("{PAGE}?month=2026-02")).await;
        assert!(page.text.contains("This does not add up") && page.text.contains("$1.00"), "{}", page.text);
    })
    .await;
}

#[tokio::test]
async fn each_sum_of_a_month_leads_to_the_rows_that_add_up_to_it() {
    world(at_rest(), async |world| {
        world.sell().await;
        let (first, second) =
            (sold(world, "2026-03-01T00:00:00Z").await, sold(world, "2026-03-31T23:59:59Z").await);
        sold(world, "2026-04-01T00:00:00Z").await;
        refund(world, &first, 5_000, "goodwill", at("2026-03-10T12:00:00Z")).await;
        disputed(world, &second, 2_000, "2026-03-12T12:00:00Z").await;
        let rows = [("payment", 19_900, 610, Some(&*first))];
        Payout { reference: "po_1", currency: "USD", day: "2026-03-20", difference: 0, rows: &rows }
            .store(world)
            .await;
        let sam = staff(world, "northwind", "sam@example.com", &["finance"]).await;
        let page = console::get(world, &sam, &format!("{PAGE}?month=2026-03")).await;
        let text = page.text.replace("&#x2f;", "/").replace("&amp;", "&");
        let links: Vec<&str> = text
            .split("href=\"")
            .skip(1)
            .filter_map(|rest| rest.split_once('"'))
            .map(|(link, _)| link)
            .collect();
        let march = look(world, &sam, "/storeapi/reports/month/?month=2026-03").await.json;
        for (part, kinds, rows, minor) in [
            ("paid", "captured", 2, 39_800),
            ("refunded", "refunded,refund_failed", 1, -5_000),
            ("disputed", "chargeback,chargeback_reversed", 1, -2_000),
            ("fees", "fee", 1, -610),
            ("paid_out", "payout", 1, -19_290),
        ] {
            assert_eq!(cents(&march["currencies"][0]["accounts"][0][part]), minor, "{part}: {march}");
            let query =
                format!("from=2026-03-01&to=2026-03-31&by=received&currency=USD&gateway=stripe&kind={kinds}");
            let link = format!("/console/northwind/reports/?{query}");
            assert!(links.contains(&&*link), "{part}: {links:?}");
            let shown = console::get(world, &sam, &link).await.text;
            assert!(shown.contains("Show all movements") && shown.contains("Only:"), "{part}: {shown}");
            let ledger =
                look(world, &sam, &format!("/storeapi/reports/ledger/?{query}&format=json")).await.json;
            let ledger = ledger.as_array().unwrap();
            let sum: i64 = ledger.iter().map(|row| cents(&row["amount"])).sum();
            assert_eq!((ledger.len(), sum), (rows, minor), "{part}: {ledger:?}");
        }
        for wrong in ["kind=paid", "kind=captured,paid", "currency=usd", "gateway=bank"] {
            let path = format!("/storeapi/reports/ledger/?from=2026-03-01&to=2026-03-31&{wrong}");
            let field = wrong.split_once('=').unwrap().0;
            assert_eq!(
                look(world, &sam, &path).await.assert_problem(400, "invalid_request").faulty_fields(),
                [field]
            );
        }
    })
    .await;
}

#[tokio::test]
async fn money_that_is_open_leads_to_its_orders() {
    world(at_rest(), async |world| {
        sells_on_account(world, json!({ "grant": "now" })).await;
        let invoiced = ordered(world, "eng@example.com").await;
        takes_payments_itself(world).await;
        world.guest_checkout(SHOP, "grace@example.com").await;
        let pending = cart_id(&world.guest_checkout(SHOP, "ada@example.com").await).to_owned();
        sqlx::query("UPDATE transactions SET gateway = 'stripe', due_on = NULL, provider_pending_since = now() WHERE cart_id = $1::uuid")
            .bind(&pending)
            .execute(&world.db)
            .await
            .unwrap();
        let sam = staff(world, "northwind", "sam@example.com", &["finance"]).await;
        let present = world.clock.now().format("%Y-%m").to_string();
        let now = look(world, &sam, &format!("/storeapi/reports/month/?month={present}")).await.json;
        let block = &now["currencies"][0];
        assert_eq!((&block["unpaid"], &block["pending"]), (&json!({ "number": 2, "amount": 398 }), &json!({ "number": 1, "amount": 199 })), "{now}");
        let page = console::get(world, &sam, &format!("{PAGE}?month={present}")).await;
        assert!(page.text.contains("can be closed after"), "{}", page.text);
        let owed = async |query: &str| console::get(world, &sam, &format!("/console/northwind/owed/?{query}")).await.text;
        let list = owed(&format!("month={present}&currency=USD")).await;
        assert!(list.contains(&invoiced) && list.contains("$398.00") && !list.contains(&pending), "{list}");
        let list = owed(&format!("pending=true&month={present}&currency=USD")).await;
        assert!(list.contains(&pending) && list.contains("at the provider") && !list.contains(&invoiced), "{list}");
        for query in ["month=2026-01", "pending=true&month=2026-01", "currency=EUR", "pending=true&currency=EUR"] {
            assert!(owed(query).await.contains("Nothing is unpaid"), "{query}");
        }
        assert_eq!(console::get(world, &sam, "/console/northwind/owed/?month=2026-1").await.status, 400);
    })
    .await;
}

/// The documents that orders lack whose money moved in a month: order, kind and cents.
async fn missing(world: &World, key: &str, name: &str) -> Vec<(Value, Value, i64)> {
    let report = month(world, key, name).await;
    let rows = report["missing_documents"].as_array().unwrap().clone();
    let sum: i64 = rows.iter().map(|row| cents(&row["amount"])).sum();
    let said = &report["currencies"][0]["missing_documents"];
    assert_eq!(
        (said["number"].as_u64().unwrap(), cents(&said["amount"])),
        (rows.len() as u64, sum),
        "{report}"
    );
    rows.into_iter().map(|row| (row["cart_id"].clone(), row["kind"].clone(), cents(&row["amount"]))).collect()
}

#[tokio::test]
async fn documents_that_orders_lack_are_listed_until_they_are_issued() {
    world(at_rest(), async |world| {
        sell_with_tax(world).await;
        let since = "UPDATE organisations SET seller_since = '2026-02-15' WHERE short_name = 'northwind'";
        sqlx::query(since).execute(&world.db).await.unwrap();
        let own = key(world, "northwind", &[Scope::Reports]).await;
        sold(world, "2026-02-10T12:00:00Z").await;
        let cart = sold(world, "2026-02-20T12:00:00Z").await;
        let kept = sold(world, "2026-03-05T12:00:00Z").await;
        refund(world, &cart, 5_000, "goodwill", at("2026-03-10T12:00:00Z")).await;
        let invoice = |cart: &str| (json!(cart), json!("invoice"), 19_900);
        let credit_note = (json!(cart), json!("credit_note"), 5_000);
        // What was sold before the organisation was a seller has no documents.
        assert_eq!(missing(world, &own, "2026-02").await, [credit_note.clone(), invoice(&cart)]);
        assert_eq!(missing(world, &own, "2026-03").await, [credit_note, invoice(&cart), invoice(&kept)]);
        let sam = staff(world, "northwind", "sam@example.com", &["finance"]).await;
        let page = console::get(world, &sam, &format!("{PAGE}?month=2026-03")).await.text;
        assert!(
            page.replace("&#x2f;", "/").contains(&format!("/console/northwind/orders/{kept}/")),
            "{page}"
        );
        sqlx::query("UPDATE documents_due SET next_attempt_at = since").execute(&world.db).await.unwrap();
        world.configure(Vec::new(), vec!["--reconcile-every=200ms".to_owned()]);
        world.start_worker().await;
        world
            .eventually("all is issued", async |world| missing(world, &own, "2026-03").await.is_empty())
            .await;
        assert!(
            console::get(world, &sam, &format!("{PAGE}?month=2026-03"))
                .await
                .text
                .contains("No document is missing.")
        );
    })
    .await;
}
