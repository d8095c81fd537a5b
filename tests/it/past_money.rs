//! Money from before the ledger: how the migration books it, and how it is matched with what the providers list.

use harness::{ORGANISATIONS, Organisation, Setup, World, blank_database, migrations, world};
use serde_json::json;
use sqlx::{AssertSqlSafe, PgPool};

use crate::payment_commands::payments_calling;
use crate::payments::{EMAIL, count};
use crate::refunds::{bought, entry, ledger};

/// The last migration before the ledger.
const BEFORE: i64 = 20_261_123_090_000;

/// The lines of each cart of the past, in minor units: their shares of a refund do not divide.
const PRICES: [i64; 4] = [3_333, 0, 1_999, 4_667];
const TOTAL: i64 = 9_999;

/// A cart of the past, by its name: the states of cart and transaction, what was given back, and whether by a dispute.
const PAST: [(&str, &str, &str, i64, bool); 9] = [
    ("paid", "paid", "succeeded", 0, false),
    ("fulfilled", "fulfilled", "succeeded", 0, false),
    ("partly refunded", "fulfilled", "succeeded", 5_000, false),
    ("refunded", "refunded", "refunded", TOTAL, false),
    ("disputed", "fulfilled", "succeeded", 0, true),
    ("lost in part", "fulfilled", "succeeded", 700, true),
    ("lost", "refunded", "refunded", TOTAL, true),
    ("pending", "pending_payment", "processing", 0, false),
    ("cancelled", "cancelled", "cancelled", 0, false),
];

async fn run(db: &PgPool, sql: String) {
    sqlx::raw_sql(AssertSqlSafe(sql.clone()))
        .execute(db)
        .await
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
}

async fn insert_past(db: &PgPool) {
    run(
        db,
        "INSERT INTO organisations (id, short_name, name, registration_url, return_url, gateway, currency, created_at)
         VALUES (gen_random_uuid(), 'northwind', 'Northwind', 'http://a', 'http://a', 'stripe', 'USD', now());
         INSERT INTO courses (id, organisation_id, openedx_course_id, display_name, short_description, overview, number,
             self_paced, is_published, hidden, is_invite_only, flagged_new, has_any_active_web_certificate, created_at)
         SELECT gen_random_uuid(), id, 'course-v1:N+' || n || '+1', 'C', '', '', 'C', true, true, false, false, false, false, now()
         FROM organisations, generate_series(0, 3) n"
            .to_owned(),
    )
    .await;
    for (name, cart, transaction, given_back, is_disputed) in PAST {
        let paid = if transaction == "succeeded" || transaction == "refunded" {
            "'2026-10-01T00:00:00Z'"
        } else {
            "NULL"
        };
        let disputed = if is_disputed { "'2026-10-02T00:00:00Z'" } else { "NULL" };
        let email = format!("{}@example.com", name.replace(' ', "-"));
        run(
            db,
            format!(
                "INSERT INTO carts (id, kind, buyer, email, organisation_id, state, basket_hash, currency, total, created_at, paid_at)
                 SELECT gen_random_uuid(), 'discovery', 'guest:{email}', '{email}', id, '{cart}', '\\x00', 'USD', {TOTAL},
                        '2026-10-01T00:00:00Z', {paid} FROM organisations;
                 INSERT INTO transactions (id, cart_id, organisation_id, gateway, provider_reference, state, amount, currency,
                     discount_pct, original_price, refunded_amount, disputed_at, provider_request, created_at, updated_at)
                 SELECT gen_random_uuid(), id, organisation_id, 'stripe', 'pi_{cart}_' || id, '{transaction}', {TOTAL}, 'USD', 0,
                        {TOTAL}, {given_back}, {disputed}, '{{}}', created_at, '2026-10-03T00:00:00Z'
                 FROM carts WHERE email = '{email}';
                 INSERT INTO cart_items (cart_id, position, course_id, name, mode, original_price, discount_pct, price)
                 SELECT c.id, n - 1, o.id, 'C', 'verified', p.price, 0, p.price
                 FROM carts c, unnest(ARRAY{PRICES:?}::bigint[]) WITH ORDINALITY AS p (price, n)
                 JOIN courses o ON o.openedx_course_id = 'course-v1:N+' || n - 1 || '+1' WHERE c.email = '{email}';
                 INSERT INTO cart_courses (cart_id, course_id, mode, position)
                 SELECT cart_id, course_id, mode, position FROM cart_items JOIN carts c ON c.id = cart_id WHERE c.email = '{email}';
                 INSERT INTO enrollments (id, email, course_id, state, mode, created_at, updated_at)
                 SELECT gen_random_uuid(), c.email, i.course_id, CASE c.state WHEN 'refunded' THEN 'removed' ELSE 'pending_registration' END,
                        'verified', c.created_at, c.created_at
                 FROM cart_items i JOIN carts c ON c.id = i.cart_id
                 WHERE c.email = '{email}' AND c.state IN ('fulfilled', 'refunded');
                 INSERT INTO enrollment_grants (id, enrollment_id, source, cart_id, mode, granted_at, ended_at, ended_reason)
                 SELECT gen_random_uuid(), e.id, 'cart', c.id, 'verified', c.created_at,
                        CASE c.state WHEN 'refunded' THEN now() END, CASE c.state WHEN 'refunded' THEN 'refunded' END
                 FROM enrollments e JOIN carts c ON c.email = e.email WHERE c.email = '{email}'"
            ),
        )
        .await;
    }
}

/// Bookings of one cart of the past, according to the schema.
#[derive(Debug, PartialEq, sqlx::FromRow)]
struct Booked {
    refunded: i64,
    lost: i64,
    /// Kinds and amounts of the ledger.
    ledger: Vec<String>,
    /// The lines' refunded sums.
    lines: Vec<i64>,
    ended: i64,
    reasons: Vec<String>,
}

async fn booked(db: &PgPool, email: &str) -> Booked {
    sqlx::query_as(
        "SELECT t.refunded_amount AS refunded, t.lost_amount AS lost,
                ARRAY(SELECT kind || ' ' || amount FROM ledger l WHERE l.transaction_id = t.id ORDER BY seq) AS ledger,
                ARRAY(SELECT refunded FROM cart_items i WHERE i.cart_id = c.id ORDER BY position) AS lines,
                (SELECT count(*) FROM cart_items i WHERE i.cart_id = c.id AND access_ended_at IS NOT NULL) AS ended,
                ARRAY(SELECT DISTINCT ended_reason FROM enrollment_grants g WHERE g.cart_id = c.id AND ended_at IS NOT NULL)
                    AS reasons
         FROM carts c JOIN transactions t ON t.cart_id = c.id WHERE c.email = $1",
    )
    .bind(email)
    .fetch_one(db)
    .await
    .unwrap()
}

#[tokio::test]
async fn the_migration_books_every_kind_of_past_payment() {
    blank_database(async |db| {
        let migrations = migrations().await;
        migrations.run_to(BEFORE, db).await.unwrap();
        insert_past(db).await;
        migrations.run(db).await.unwrap();
        let captured = format!("captured {TOTAL}");
        let nothing = || Booked { refunded: 0, lost: 0, ledger: vec![captured.clone()], lines: vec![0; 4], ended: 0, reasons: vec![] };
        for (name, cart, _, _, _) in PAST {
            let expected = match name {
                "pending" | "cancelled" => Booked { ledger: vec![], ..nothing() },
                "partly refunded" => Booked {
                    refunded: 5_000,
                    ledger: vec![captured.clone(), "refunded -5000".into()],
                    // 1666.7, 0, 999.6 and 2333.7: each within a unit, and all of it together.
                    lines: vec![1_666, 0, 1_000, 2_334],
                    ..nothing()
                },
                "refunded" => Booked {
                    refunded: TOTAL,
                    ledger: vec![captured.clone(), format!("refunded -{TOTAL}")],
                    lines: PRICES.to_vec(),
                    ended: 4,
                    reasons: vec!["refunded".into()],
                    ..nothing()
                },
                "lost in part" => {
                    Booked { lost: 700, ledger: vec![captured.clone(), "chargeback -700".into()], ..nothing() }
                }
                "lost" => Booked {
                    lost: TOTAL,
                    ledger: vec![captured.clone(), format!("chargeback -{TOTAL}")],
                    ended: 4,
                    reasons: vec!["charged back".into()],
                    ..nothing()
                },
                _ => nothing(),
            };
            let email = format!("{}@example.com", name.replace(' ', "-"));
            assert_eq!(booked(db, &email).await, expected, "{name}, {cart}");
        }
        let wrong: Vec<String> = sqlx::query_scalar(
            "SELECT r.id::text FROM refunds r WHERE amount <> (SELECT sum(amount) FROM refund_lines l WHERE l.refund_id = r.id)
             UNION ALL
             SELECT i.cart_id::text FROM cart_items i JOIN transactions t ON t.cart_id = i.cart_id
             WHERE i.refunded <> coalesce((SELECT sum(l.amount) FROM refund_lines l JOIN refunds r ON r.id = l.refund_id
                                           WHERE r.transaction_id = t.id AND l.position = i.position), 0)",
        )
        .fetch_all(db)
        .await
        .unwrap();
        assert!(wrong.is_empty(), "{wrong:?}");
        // From now on the sums and the ledger move together.
        let apart = "UPDATE transactions SET refunded_amount = refunded_amount + 1 WHERE state = 'succeeded'";
        let error = sqlx::query(apart).execute(db).await.unwrap_err();
        assert_eq!(error.as_database_error().unwrap().constraint(), Some("ledger_balance"));
    })
    .await;
}

/// Books what went back as the migration does: without the provider's ids, and without rows of disputes.
async fn age(world: &World, cart: &str, refunded: i64, lost: i64) {
    run(
        &world.db,
        format!(
            "BEGIN;
             UPDATE transactions SET refunded_amount = {refunded}, lost_amount = {lost},
                 state = CASE WHEN {refunded} + {lost} = amount THEN 'refunded' ELSE state END,
                 disputed_at = CASE WHEN {lost} > 0 THEN now() END WHERE cart_id = '{cart}';
             INSERT INTO refunds (id, transaction_id, origin, amount, currency, state, actor, asked_at, accepted_at, ended_at)
             SELECT gen_random_uuid(), id, 'provider', {refunded}, currency, 'succeeded', 'system', now(), now(), now()
             FROM transactions WHERE cart_id = '{cart}' AND {refunded} > 0;
             INSERT INTO refund_lines SELECT r.id, 0, r.amount, t.state = 'refunded'
             FROM refunds r JOIN transactions t ON t.id = r.transaction_id WHERE t.cart_id = '{cart}';
             UPDATE cart_items SET refunded = {refunded} WHERE cart_id = '{cart}';
             INSERT INTO ledger (at, organisation_id, kind, cart_id, transaction_id, refund_id, amount, currency, gateway)
             SELECT now(), t.organisation_id, 'refunded', t.cart_id, t.id, r.id, -r.amount, t.currency, t.gateway
             FROM transactions t JOIN refunds r ON r.transaction_id = t.id WHERE t.cart_id = '{cart}'
             UNION ALL
             SELECT now(), organisation_id, 'chargeback', cart_id, id, NULL, -lost_amount, currency, gateway
             FROM transactions WHERE cart_id = '{cart}' AND lost_amount > 0;
             UPDATE carts SET state = 'refunded' FROM transactions t
             WHERE t.cart_id = carts.id AND carts.id = '{cart}' AND t.state = 'refunded';
             UPDATE enrollment_grants g SET ended_at = now(), ended_reason = CASE WHEN {lost} > 0 THEN 'charged back' ELSE 'refunded' END
             FROM carts c WHERE c.id = g.cart_id AND c.id = '{cart}' AND c.state = 'refunded';
             UPDATE cart_items i SET access_ended_at = now() FROM carts c
             WHERE c.id = i.cart_id AND c.id = '{cart}' AND c.state = 'refunded';
             COMMIT"
        ),
    )
    .await;
}

/// Asks the provider about a payment.
async fn check(world: &World, cart: &str) {
    let (done, said) = payments_calling(world, &["check", cart]).await;
    assert!(done, "{said}");
}

async fn refund_mails(world: &World) -> usize {
    let mails = world.emails(EMAIL).await;
    mails.iter().filter(|mail| mail["subject"].as_str().unwrap().contains("refund")).count()
}

async fn silently(world: &World, what: &str, reference: &str, mut how: serde_json::Value) {
    how["notify"] = json!(false);
    world.at_provider(what, reference, how).await;
}

#[tokio::test]
async fn refunds_of_the_past_are_found_in_the_providers_list_and_not_booked_again() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        for organisation in &ORGANISATIONS {
            let Organisation { subunits, .. } = *organisation;
            let (cart, reference) = bought(world, organisation, EMAIL).await;
            for amount in [300, 700] {
                silently(world, "refund", &reference, json!({ "amount": amount })).await;
            }
            age(world, &cart, 1_000, 0).await;
            // The dashboard's next one is new.
            silently(world, "refund", &reference, json!({ "amount": 500 })).await;
            check(world, &cart).await;
            check(world, &cart).await;
            let booked = [entry("captured", subunits), entry("refunded", -1_000), entry("refunded", -500)];
            assert_eq!(ledger(world, &cart).await, booked);
            let told_apart: Vec<(i64, i64, bool)> = sqlx::query_as(
                "SELECT r.amount, (SELECT sum(amount) FROM refund_lines l WHERE l.refund_id = r.id)::bigint,
                        r.provider_reference IS NOT NULL
                 FROM refunds r JOIN transactions t ON t.id = r.transaction_id WHERE t.cart_id = $1::uuid ORDER BY r.amount",
            )
            .bind(&cart)
            .fetch_all(&world.db)
            .await
            .unwrap();
            assert_eq!(told_apart, [(300, 300, true), (500, 500, true), (700, 700, true)]);

            let (whole, reference) = bought(world, organisation, EMAIL).await;
            silently(world, "refund", &reference, json!({})).await;
            age(world, &whole, subunits, 0).await;
            check(world, &whole).await;
            assert_eq!(ledger(world, &whole).await, [entry("captured", subunits), entry("refunded", -subunits)]);
            assert_eq!(world.status(&whole).await["status"], "refunded");
        }
        // One each for the refunds that are new.
        world.eventually("four mails", async |world| refund_mails(world).await == 4).await;
        assert_eq!(count(world, "SELECT count(*) FROM refunds").await, 4 * 4);
    })
    .await;
}

#[tokio::test]
async fn disputes_of_the_past_are_found_in_the_providers_list_and_can_still_be_won() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        let (stripe, mollie) = (&ORGANISATIONS[0], &ORGANISATIONS[1]);
        let (cart, reference) = bought(world, stripe, EMAIL).await;
        silently(world, "refund", &reference, json!({ "amount": 400 })).await;
        silently(world, "dispute", &reference, json!({ "outcome": "opened" })).await;
        silently(world, "dispute", &reference, json!({ "outcome": "lost", "amount": 700 })).await;
        // Both counted as lost then.
        age(world, &cart, 0, 1_100).await;
        check(world, &cart).await;
        check(world, &cart).await;
        let kinds = [
            entry("captured", stripe.subunits),
            entry("chargeback", -1_100),
            entry("refunded", -400),
            entry("chargeback_reversed", 400),
        ];
        assert_eq!(ledger(world, &cart).await, kinds);
        assert_eq!(world.transaction(&cart).await, ("succeeded".to_owned(), 400, None));

        let (cart, reference) = bought(world, mollie, EMAIL).await;
        world.platform_agrees(EMAIL, mollie.key, mollie.mode, true).await;
        silently(world, "dispute", &reference, json!({ "outcome": "opened" })).await;
        age(world, &cart, 0, mollie.subunits).await;
        check(world, &cart).await;
        assert_eq!(ledger(world, &cart).await.len(), 2);
        assert_eq!(world.status(&cart).await["status"], "refunded");
        silently(world, "dispute", &reference, json!({ "outcome": "won" })).await;
        check(world, &cart).await;
        world.cart_becomes(&cart, "fulfilled").await;
        assert_eq!(ledger(world, &cart).await.last(), Some(&entry("chargeback_reversed", mollie.subunits)));
        assert_eq!(
            count(world, "SELECT count(*) FROM enrollment_grants WHERE ended_at IS NOT NULL").await,
            0
        );
    })
    .await;
}
