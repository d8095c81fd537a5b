//! `move-in csv`: orders and codes of any other shop, from files that its operator makes.

use harness::steps::former_shop::{DATA, SITE, WRITING, section};
use harness::steps::payments::count;
use harness::steps::worker_program::operator;
use harness::{Setup, World, world};
use serde_json::json;

const ORDERS: &str = "number,placed_at,platform_user_id,currency,course,mode,quantity,price,paid,processor,reference,refunded,refunded_at";
const CODES: &str = "code,percent,amount,uses_left,once_per_buyer,valid_from,valid_until,courses,campaign";

/// Runs the command on the lines of both files.
async fn move_in(world: &World, orders: &[String], codes: &[String], options: &[&str]) -> (bool, String) {
    move_in_with(world, ORDERS, orders, codes, options).await
}

/// As [`move_in`], with this heading of the orders.
async fn move_in_with(
    world: &World,
    heading: &str,
    orders: &[String],
    codes: &[String],
    options: &[&str],
) -> (bool, String) {
    let path =
        |name: &str| std::env::temp_dir().join(format!("{}.{name}", world.name)).to_str().unwrap().to_owned();
    let (orders_file, codes_file, platform_file) = (path("orders"), path("codes"), path("platform"));
    std::fs::write(&orders_file, [&[heading.to_owned()], orders].concat().join("\n")).unwrap();
    std::fs::write(&codes_file, [&[CODES.to_owned()], codes].concat().join("\n")).unwrap();
    let platform = [
        json!({ "t": "begin_platform", "format": 1 }),
        json!({ "t": "account", "id": 5007, "username": "ada", "email": "ada@example.com", "name": "Ada", "retired": 0 }),
        json!({ "t": "end_platform" }),
    ];
    std::fs::write(&platform_file, platform.map(|line| line.to_string()).join("\n")).unwrap();
    let files = ["--orders", &orders_file, "--codes-file", &codes_file, &platform_file];
    let words = ["move-in", "csv", "--site", SITE, "--organisation", "northwind", "--json"];
    let answer = operator(world, &[&words, &files[..], options].concat(), &["database-url"]).await;
    for file in [orders_file, codes_file, platform_file] {
        std::fs::remove_file(file).unwrap();
    }
    answer
}

#[tokio::test]
async fn rows_become_orders_with_their_lines_refunds_people_and_codes() {
    world(Setup::without_workers(), async |world| {
        let (data, writing) = (DATA.0, WRITING.0);
        let orders = [
            format!("WC-1,2022-05-01T10:00:00Z,5007,USD,{data},verified,1,149.00,111.75,paypal,PAY-1,,"),
            format!("WC-1,2022-05-01T10:00:00Z,5007,USD,{writing},verified,1,69,69,paypal,PAY-1,69.00,2022-05-03T10:00:00Z"),
            format!("WC-2,2022-06-01T10:00:00Z,,USD,{writing},verified,3,207.00,207.00,,,,"),
        ];
        let codes = [
            format!("spring,25,,40,true,2022-01-01T00:00:00Z,2035-01-01T00:00:00Z,{data} {writing},Spring 2022"),
            "TEN,,10.50,5,,2022-01-01T00:00:00Z,,,".to_owned(),
        ];
        let (done, said) = move_in(world, &orders, &codes, &["--apply", "--codes"]).await;
        assert!(done && said.contains("2 orders were written") && said.contains("1 codes were written"), "{said}");
        let sums = &section(&said, "orders")[0];
        assert_eq!((&sums["orders"], &sums["total"], &sums["discount"]), (&json!("2"), &json!("387.75"), &json!("37.25")));
        let rows: Vec<(String, String, i64, i64, i64)> = sqlx::query_as(
            "SELECT c.reference, c.buyer, c.total, t.refunded_amount, (SELECT count(*) FROM cart_items i WHERE i.cart_id = c.id)
             FROM carts c JOIN transactions t ON t.cart_id = c.id ORDER BY 1",
        )
        .fetch_all(&world.db)
        .await
        .unwrap();
        assert_eq!(rows[0], ("WC-1".to_owned(), "5007".to_owned(), 18_075, 6_900, 2));
        assert!(rows[1].1.starts_with("erased-") && rows[1].2 == 20_700, "{rows:?}");
        assert_eq!(count(world, "SELECT sum(seats)::bigint FROM cart_items").await, 3);
        let voucher = "SELECT count(*) FROM vouchers v WHERE code = 'SPRING' AND max_uses = 40 AND max_uses_per_buyer = 1 AND percent = 25
                       AND (SELECT count(*) FROM voucher_scope s WHERE s.voucher_id = v.id) = 2";
        assert_eq!(count(world, voucher).await, 1);
        // A code names its courses.
        assert!(said.contains("it names no courses"), "{said}");
        let (done, said) = move_in(world, &orders, &codes, &["--apply", "--codes"]).await;
        assert!(done && said.contains("0 orders were written") && said.contains("0 codes were written"), "{said}");
    })
    .await;
}

#[tokio::test]
async fn a_reference_of_its_own_refunds_at_the_same_account() {
    world(Setup::without_workers(), async |world| {
        world.sell().await;
        let course = DATA.0;
        let heading = format!("{ORDERS},refund_reference");
        let orders = [
            format!("WC-1,2022-05-01T10:00:00Z,5007,USD,{course},verified,1,149,149,stripe,INV-1,,,ch_1Old"),
            format!("WC-2,2022-05-01T10:00:00Z,5007,USD,{course},verified,1,149,149,stripe,pi_2Old,,,"),
            format!("WC-3,2022-05-01T10:00:00Z,5007,USD,{course},verified,1,149,149,paypal,PAY-3,,,ch_3Old"),
        ];
        let (done, said) =
            move_in_with(world, &heading, &orders, &[], &["--apply", "--same-account", "stripe"]).await;
        assert!(done, "{said}");
        let rows: Vec<(String, String, String, String)> = sqlx::query_as(
            "SELECT c.reference, t.gateway::text, t.provider_reference, l.provider_reference
             FROM carts c JOIN transactions t ON t.cart_id = c.id JOIN ledger l ON l.cart_id = c.id ORDER BY 1",
        )
        .fetch_all(&world.db)
        .await
        .unwrap();
        let expected = [
            ("WC-1", "stripe", "ch_1Old", "INV-1"),
            ("WC-2", "stripe", "pi_2Old", "pi_2Old"),
            ("WC-3", "external", "ch_3Old", "PAY-3"),
        ];
        let expected = expected.map(|(number, gateway, payment, booked)| {
            (number.to_owned(), gateway.to_owned(), payment.to_owned(), booked.to_owned())
        });
        assert_eq!(rows, expected);
        let (done, said) = move_in_with(world, &format!("{heading},more"), &orders, &[], &[]).await;
        assert!(!done && said.contains("line 1: the columns are not number"), "{said}");
    })
    .await;
}

#[tokio::test]
async fn a_fault_names_its_file_and_line_and_nothing_is_written() {
    world(Setup::without_workers(), async |world| {
        let course = DATA.0;
        let good =
            format!("WC-1,2022-05-01T10:00:00Z,5007,USD,{course},verified,1,149.00,149.00,paypal,PAY-1,,");
        let with = |at: usize, cell: &str| {
            let mut cells: Vec<&str> = good.split(',').collect();
            cells[at] = cell;
            cells.join(",")
        };
        let other = with(0, "WC-2");
        for (lines, reason) in [
            (vec![with(1, "yesterday")], "orders, line 2: placed_at: \"yesterday\" is not a time"),
            (vec![other.clone(), with(4, "no course")], "orders, line 3: \"no course\" is not a course key"),
            (vec![with(7, "1,5")], "line 2"),
            (vec![with(8, "much")], "line 2: paid: \"much\" is not an amount"),
            (vec![with(8, "-1")], "line 2: paid: -1 is negative"),
            (vec![with(11, "10")], "line 2: refunded needs refunded_at"),
            (vec![with(6, "some")], "line 2: column 7"),
            (vec![with(6, "0")], "line 2: number is empty, or quantity is 0"),
            (
                vec![good.clone(), other.clone(), good.clone()],
                "line 4: order WC-1 has lines above, apart from this one",
            ),
        ] {
            let (done, said) = move_in(world, &lines, &[], &["--apply"]).await;
            assert!(!done && said.contains(reason), "{reason}: {said}");
        }
        for (code, reason) in [
            ("A,10,5,1,,2022-01-01T00:00:00Z,,,", "codes, line 2: needs either percent or amount"),
            ("A,10,,1,,2022-01-01T00:00:00Z,,nowhere,", "codes, line 2: \"nowhere\" is not a course key"),
        ] {
            let (done, said) =
                move_in(world, std::slice::from_ref(&good), &[code.to_owned()], &["--apply"]).await;
            assert!(!done && said.contains(reason), "{reason}: {said}");
        }
        let (done, said) = move_in(world, &[with(3, "ZZZ")], &[], &["--apply"]).await;
        assert!(!done && said.contains("its currency ZZZ is not one of ISO 4217"), "{said}");
        assert_eq!(count(world, "SELECT count(*) FROM carts").await, 0);
    })
    .await;
}
