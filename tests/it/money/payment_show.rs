//! `storefront-worker payments show`: which cart a text names, and what happened to it.

use harness::steps::demo::PAID_KEY;
use harness::steps::payment_commands::{payments, payments_calling, refuses};
use harness::steps::payments::{EMAIL, begun, count};
use harness::steps::refunds::bought;
use harness::{ORGANISATIONS, Setup, World, world};
use serde_json::{Value, json};

async fn text(world: &World, sql: &'static str) -> String {
    sqlx::query_scalar(sql).fetch_one(&world.db).await.unwrap()
}

/// A cart that was refunded in part and disputed, beside another buyer's: its id, and the provider's reference of its payment.
async fn eventful(world: &World) -> (String, String) {
    world.sell().await;
    world.platform_user(EMAIL).await;
    let (cart, payment) = bought(world, &ORGANISATIONS[0], EMAIL).await;
    bought(world, &ORGANISATIONS[1], "eve@example.com").await;
    let words =
        ["refund", &cart, "--keep-access", "--amount=9.50", "--reason", "a fault of ours", "--by", "Mira"];
    let (done, said) = payments_calling(world, &words).await;
    assert!(done, "{said}");
    world.at_provider("dispute", &payment, json!({ "outcome": "opened", "amount": 700 })).await;
    world
        .eventually("the dispute is on record", async |world| {
            count(world, "SELECT count(*) FROM disputes").await == 1
        })
        .await;
    world.at_provider("dispute", &payment, json!({ "outcome": "lost" })).await;
    world
        .eventually("the loss is booked", async |world| {
            count(world, "SELECT count(*) FROM disputes WHERE state = 'lost'").await == 1
        })
        .await;
    world
        .eventually("each mail is on record, and each event is processed", async |world| {
            count(world, "SELECT count(*) FROM audit_log WHERE to_state = 'mail_sent'").await == 3
                && count(world, "SELECT count(*) FROM inbox WHERE processed_at IS NULL").await == 0
        })
        .await;
    (cart, payment)
}

#[tokio::test]
async fn show_finds_a_cart_by_each_of_its_names() {
    world(Setup::selling(), async |world| {
        let (cart, payment) = eventful(world).await;
        let transaction = "SELECT t.id::text FROM transactions t JOIN refunds r ON r.transaction_id = t.id";
        for name in [
            cart.clone(),
            " ADA@example.com ".to_owned(),
            payment.clone(),
            text(world, transaction).await,
            text(world, "SELECT id::text FROM refunds").await,
            text(world, "SELECT provider_reference FROM refunds").await,
            text(world, "SELECT provider_reference FROM disputes").await,
        ] {
            let (done, said) = payments(world, &["show", &name, "--json"]).await;
            let shown: Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{name}: {said}"));
            let mut carts = shown.as_array().unwrap().iter().map(|one| &one["cart"]["cart_id"]);
            assert!(done && carts.next() == Some(&json!(cart)) && carts.next().is_none(), "{name}: {said}");
        }
        let (done, table) = payments(world, &["show", &cart]).await;
        for part in
            [&cart, &payment, EMAIL, "19900 USD", "950 USD", "700 USD", "History", "receipt", "operator:Mira"]
        {
            assert!(done && table.contains(part), "{part} is missing: {table}");
        }
        // A second cart of the address is shown as well.
        let (second, _) = begun(world, &ORGANISATIONS[3], EMAIL).await;
        let (_, table) = payments(world, &["show", EMAIL]).await;
        let places = [&cart, &second].map(|cart| table.find(&format!("Cart {cart}")));
        assert!(places[0].is_some() && places[0] < places[1], "{table}");
        refuses(&payments(world, &["show", "pi_unknown"]).await, "no cart matches \"pi_unknown\"");
    })
    .await;
}

#[tokio::test]
async fn show_says_that_it_shows_the_newest_fifty_carts_of_an_address() {
    world(Setup::without_workers(), async |world| {
        let sql = "INSERT INTO carts (id, kind, buyer, email, organisation_id, state, basket_hash, currency, total, created_at)
                   SELECT gen_random_uuid(), 'discovery', 'guest:many@example.com', 'many@example.com', o.id, 'cancelled', '', 'USD', n,
                          now() + interval '1 second' * n
                   FROM generate_series(1, 51) n, organisations o WHERE o.short_name = 'northwind'";
        sqlx::query(sql).execute(&world.db).await.unwrap();
        let (done, said) = payments(world, &["show", "many@example.com", "--json"]).await;
        let (shown, note) = said.rsplit_once("]\n").unwrap();
        let shown: Value = serde_json::from_str(&format!("{shown}]")).unwrap();
        let totals: Vec<i64> =
            shown.as_array().unwrap().iter().map(|one| one["cart"]["total"].as_i64().unwrap()).collect();
        assert_eq!(totals, (2..=51).collect::<Vec<_>>());
        assert!(done && note.starts_with("more than 50 carts match"), "{note}");
    })
    .await;
}

#[tokio::test]
async fn show_tells_all_that_happened_to_a_cart() {
    world(Setup::selling(), async |world| {
        let (cart, payment) = eventful(world).await;
        let refund = text(world, "SELECT provider_reference FROM refunds").await;
        let dispute = text(world, "SELECT provider_reference FROM disputes").await;
        let (_, said) = payments(world, &["show", &cart, "--json"]).await;
        let shown: Value = serde_json::from_str(&said).unwrap();
        let summary = &shown[0]["cart"];
        assert_eq!(
            (&summary["total"], &summary["refunded"], &summary["lost"], &summary["payment_state"]),
            (&json!(19_900), &json!(950), &json!(700), &json!("succeeded"))
        );
        let history = shown[0]["history"].as_array().unwrap();
        assert!(history.is_sorted_by_key(|moment| moment["at"].as_str().unwrap()), "{said}");
        for (what, change, detail) in [
            ("cart", "pending_payment → paid", json!({})),
            ("cart", "paid → fulfilled", json!({})),
            ("payment", "created", json!({ "gateway": "stripe" })),
            ("payment", "processing → succeeded", json!({})),
            ("event", "payment_intent.succeeded", json!({})),
            ("event", "charge.refunded", json!({})),
            ("event", "charge.dispute.closed", json!({})),
            ("ledger", "captured", json!({ "minor": 19_900, "currency": "USD", "reference": payment })),
            ("ledger", "refunded", json!({ "minor": -950, "reference": refund })),
            ("ledger", "chargeback", json!({ "minor": -700, "reference": dispute })),
            ("refund", "asked", json!({ "by": "operator:Mira", "reason": "a fault of ours" })),
            ("refund", "asked → accepted", json!({})),
            ("dispute", "lost", json!({ "minor": 700, "lost_minor": 700 })),
            ("grant", PAID_KEY, json!({ "mode": "verified", "enrollment": "enrolled" })),
            ("cart", "mail_sent", json!({ "mail": "receipt" })),
            ("cart", "mail_sent", json!({ "mail": "refund_issued" })),
        ] {
            let details = detail.as_object().unwrap().iter();
            let fits = |moment: &Value| {
                moment["what"] == what
                    && moment["change"].as_str().unwrap().contains(change)
                    && details.clone().all(|(name, value)| moment["detail"][name] == *value)
            };
            assert!(history.iter().any(fits), "no {what} {change} {detail} in {said}");
        }
    })
    .await;
}
