//! Bad input of `move-in ecommerce`: each fault is named with the line, the order or the code that has it, and nothing is written.

use harness::steps::former_shop::{
    DATA, Export, OldOrder, SITE, finding, move_in, move_in_lines, sales, section,
};
use harness::steps::payments::{EMAIL, count};
use harness::steps::worker_program::operator;
use harness::{Setup, world};
use serde_json::json;

/// Everything that a run writes.
const WRITTEN: &str = "SELECT (SELECT count(*) FROM carts) + (SELECT count(*) FROM cart_items) + (SELECT count(*) FROM transactions)
    + (SELECT count(*) FROM refunds) + (SELECT count(*) FROM ledger) + (SELECT count(*) FROM learners) + (SELECT count(*) FROM vouchers)";

/// Changes the rows of an order that is good without it.
type Change = fn(&mut Export, i64);

/// Orders that cannot be moved in, and why.
const REFUSED: &[(Change, &str)] = &[
    (|all, id| all.set(id, "order", &json!({ "site_id": 77 })), "its site is unknown"),
    (
        |all, id| all.set(id, "order", &json!({ "currency": "XXQ" })),
        "its currency XXQ is not one of ISO 4217",
    ),
    (|all, id| all.set(id, "line", &json!({ "order_id": 999 })), "it has no lines"),
    (|all, id| all.set(id, "line", &json!({ "product_id": 20 })), "passport is not a mode of courses"),
    (
        |all, id| all.set(id, "line", &json!({ "product_id": 21 })),
        "the catalog has no course course-v1:Nova+NONE+2020",
    ),
    (
        |all, id| all.set(id, "line", &json!({ "product_id": null, "sku": "SKU77" })),
        "the catalog has no course course-v1:old+SKU77+former",
    ),
    (
        |all, id| all.set(id, "order", &json!({ "total": "150.00" })),
        "its lines add up to 149.00, not to 150.00",
    ),
    (
        |all, id| {
            all.set(id, "order", &json!({ "total": "-149.00" }));
            all.set(id, "line", &json!({ "paid": "-149.00" }));
        },
        "it has a negative amount",
    ),
    (
        |all, id| {
            all.set(id, "order", &json!({ "currency": "JPY", "total": "149.50" }));
            all.set(id, "line", &json!({ "paid": "149.50" }));
            all.set(id, "payment", &json!({ "currency": "JPY", "debited": "149.50" }));
        },
        "an amount has more decimals than JPY",
    ),
    (
        |all, id| all.set(id, "payment", &json!({ "refunded": "1.005" })),
        "an amount has more decimals than USD",
    ),
    (
        |all, id| all.set(id, "line", &json!({ "product_id": 13, "quantity": 1001 })),
        "1001 enrollment codes are more than the 1000 seats of a line",
    ),
    (|all, id| all.set(id, "payment", &json!({ "currency": "EUR" })), "it was paid in EUR"),
    (|all, id| all.set(id, "payment", &json!({ "order_id": 999 })), "no payment is on record"),
    (|all, id| all.set(id, "payment", &json!({ "refunded": "200.00" })), "more was paid back than it cost"),
    (
        |all, id| {
            all.refund(id, "Complete", "100.00");
            all.change("refund_line", |row| row["amount"] = json!("200.00"));
        },
        "a refund gives back more of a line than it cost",
    ),
];

/// What an order is moved in with, although a person must look at it.
const NAMED: &[(Change, &str, &str)] = &[
    (
        |all, id| all.set(id, "payment", &json!({ "processor": "fastspring" })),
        "payment",
        "the shop does not know the processor fastspring",
    ),
    (
        |all, id| all.set(id, "payment", &json!({ "debited": "100.00" })),
        "payment",
        "100.00 USD were debited for a total of 149.00",
    ),
    (
        |all, id| all.set(id, "payment", &json!({ "reference": "PAYID-1" })),
        "payment",
        "the reference PAYID-1 is also that of another order",
    ),
    (
        |all, id| all.set(id, "order", &json!({ "status": "Fulfillment Error" })),
        "not delivered",
        "is Fulfillment Error",
    ),
    (
        |all, id| all.set(id, "line", &json!({ "product_id": 13, "quantity": 5 })),
        "not delivered",
        "line 0: 0 of 5 enrollment codes were made",
    ),
    (
        |all, id| {
            all.refund(id, "Complete", "50.00");
            all.set(id, "payment", &json!({ "processor": "stripe", "reference": "ch_2" }));
        },
        "refund",
        "a part of a charge was given back; up to the release Olive Stripe gave all of it back: compare with Stripe",
    ),
];

/// Good orders from the id 1 on, so many that each change has one, and one of another site.
fn orders(many: usize) -> Export {
    let mut export = Export::default();
    export.user(7, 5007, EMAIL);
    for (id, course, certificate) in [(20, DATA.0, "passport"), (21, "course-v1:Nova+NONE+2020", "verified")]
    {
        export.row(json!({
            "t": "product", "id": id, "class": "seat", "title": "A seat", "course": course, "partner_id": 1, "sku": format!("SKU{id}"),
            "price": "149.00", "currency": "USD", "certificate": certificate, "verified_id": 1,
        }));
    }
    for id in 1..=i64::try_from(many).unwrap() + 1 {
        export.order(&OldOrder::of(id, 7));
    }
    export.order(&OldOrder::of(500, 7));
    export.set(500, "order", &json!({ "site_id": 3 }));
    export
}

fn number(id: i64) -> String {
    OldOrder::of(id, 7).number()
}

#[tokio::test]
async fn an_order_that_cannot_be_moved_in_stops_all_until_it_is_left_out() {
    world(Setup::without_workers(), async |world| {
        let mut export = orders(REFUSED.len());
        for (id, (change, _)) in (2..).zip(REFUSED) {
            change(&mut export, id);
        }
        let long = "N".repeat(65);
        export.order(&OldOrder::of(400, 7));
        export.set(400, "order", &json!({ "number": long }));
        let (done, said) = move_in(world, &export, &["--apply", "--codes"]).await;
        let refused = format!("nothing was written: {} orders cannot be moved in", REFUSED.len() + 1);
        assert!(!done && said.contains(&refused), "{said}");
        for (id, (_, reason)) in (2..).zip(REFUSED) {
            assert_eq!(finding(&said, "left out", &number(id)).as_deref(), Some(*reason), "{said}");
        }
        assert_eq!(
            finding(&said, "left out", &long).as_deref(),
            Some("its number has more than 64 characters")
        );
        assert!(!said.contains(&number(500)), "it belongs to another site: {said}");
        assert_eq!(count(world, WRITTEN).await, 0);
        let (done, said) = move_in(world, &export, &["--apply", "--leave-out"]).await;
        assert!(done && said.contains("1 orders were written"), "{said}");
        assert_eq!(count(world, "SELECT count(*) FROM carts WHERE reference = 'OLD-100001'").await, 1);
        assert_eq!(count(world, "SELECT count(*) FROM carts").await, 1);
    })
    .await;
}

#[tokio::test]
async fn an_order_that_a_person_must_look_at_is_named_and_moved_in() {
    world(Setup::without_workers(), async |world| {
        let mut export = orders(NAMED.len());
        for (id, (change, _, _)) in (2..).zip(NAMED) {
            change(&mut export, id);
        }
        // A currency that is no more stays that of what was sold in it.
        export.order(&OldOrder::of(300, 7));
        for kind in ["order", "payment"] {
            export.set(300, kind, &json!({ "currency": "HRK" }));
        }
        let (done, said) = move_in(world, &export, &["--apply"]).await;
        let written = format!("{} orders were written", NAMED.len() + 2);
        assert!(done && said.contains(&written), "{said}");
        for (id, (_, kind, reason)) in (2..).zip(NAMED) {
            let named = section(&said, "findings");
            let named = named
                .iter()
                .any(|row| row["kind"] == *kind && row["key"] == number(id) && row["reason"] == *reason);
            assert!(named, "{reason}: {said}");
        }
        let kuna = "SELECT count(*) FROM carts WHERE reference = 'OLD-100300' AND currency = 'HRK' AND total = 14900";
        assert_eq!(count(world, kuna).await, 1);
    })
    .await;
}

#[tokio::test]
async fn an_export_that_is_not_whole_is_refused_with_its_line() {
    world(Setup::without_workers(), async |world| {
        let whole = sales(5000).lines();
        let at = |line: usize, text: &str| {
            let mut lines = whole.clone();
            lines[line] = text.to_owned();
            lines
        };
        let end = whole.iter().position(|line| line.contains(r#""end""#)).unwrap();
        let without_end = [&whole[..end], &whole[end + 1..]].concat();
        for (lines, reason) in [
            (at(2, r#"{"t": "order", "id": "#), "line 3: is not a line of an export"),
            (at(2, r#"{"t": "ordre"}"#), "line 3: has the unknown kind \"ordre\""),
            (
                at(0, r#"{"t": "begin", "format": 9}"#),
                "line 1: was printed by the statements of another version",
            ),
            // A column, and each column of a table that is missing.
            (
                at(0, r#"{"t": "begin", "format": 1, "missing": "order_order.partner_id, refund_refund.order_id"}"#),
                "it lacks order_order.partner_id, refund_refund.order_id",
            ),
            (whole[1..].to_vec(), "line 1: comes before the export's first line"),
            (without_end, "\"begin_platform\" comes at the wrong place"),
            (whole[..end].to_vec(), "the export ends early"),
            (whole[end + 1..].to_vec(), "has nothing of the shop"),
            ([&whole[..=end], &whole[..=end]].concat(), "begins a second shop"),
            (at(2, r#"{"t": "order", "id": 1, "number": "a\u0000"}"#), "line 3: holds a NUL character"),
            (
                whole.iter().map(|line| line.replace(r#""total":"111.75""#, r#""total":"much""#)).collect(),
                "a row of the kind \"order\" has a wrong value: column total: \"much\"",
            ),
        ] {
            let (done, said) = move_in_lines(world, &lines, &["--apply"]).await;
            assert!(!done && said.contains(reason), "{reason}: {said}");
        }
        let (done, said) = move_in_lines(world, &whole, &["--site", "new.example.com"]).await;
        assert!(!done, "{said}");
        let (done, said) = move_in_lines(world, &whole[..=end], &["--apply"]).await;
        assert!(!done && said.contains("add what `move-in statements platform` prints"), "{said}");
        let unknown = Export::default();
        let (done, said) = operator(
            world,
            &["move-in", "ecommerce", "--site", "x", "--organisation", "nobody", "/dev/null"],
            &["database-url"],
        )
        .await;
        assert!(!done && said.contains("there is no organisation nobody"), "{said}");
        let mut lines = unknown.lines();
        lines[1] = lines[1].replace(SITE, "new.example.com");
        let (done, said) = move_in_lines(world, &lines, &[]).await;
        assert!(
            !done
                && said.contains(
                    "the export has no site old.example.com; it has new.example.com, other.example.com"
                ),
            "{said}"
        );
        assert_eq!(count(world, WRITTEN).await, 0);
    })
    .await;
}
