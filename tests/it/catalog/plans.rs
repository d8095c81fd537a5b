//! Query plans at the planned size of 100,000 courses: every read of the catalog uses indexes.

use std::time::Duration;

use harness::steps::payments::waiting_for;
use harness::steps::staff::staff;
use harness::{Reply, SECRET, Setup, World, world};

/// Tables that grow with the catalog. The other tables (organisations, tags, policies) are small enough for a full
/// scan.
const LARGE: &str = "'courses', 'course_modes', 'course_contents', 'course_tags', 'reviews'";

/// Inserts 100,000 courses with one statement for each table: the import command would take minutes.
const COURSES: &str = "
    INSERT INTO courses (id, organisation_id, openedx_course_id, display_name, short_description, overview, number,
        self_paced, is_published, hidden, is_invite_only, flagged_new, starts_at, ends_at, has_any_active_web_certificate,
        created_at, price, currency, course_mode, price_order, avg_rating, review_count, language, tag_ids)
    SELECT gen_random_uuid(), o.ids[1 + n % cardinality(o.ids)], 'course-v1:Plan+C' || n || '+R',
        md5(n::text) || ' in ' || md5((n % 400)::text), 'Short text ' || n, 'Overview ' || md5((n * 7)::text), 'C' || n, true, n % 50 <> 0,
        n % 97 = 0, false, false, now() - n * interval '1 minute', now() + n * interval '1 minute', false,
        now() - n * interval '1 minute', n % 500 * 100, 'USD', 'verified', n % 500, (n % 40 + 10) / 10.0, 3,
        CASE WHEN n % 20 = 0 THEN 'pt-BR' ELSE 'en' END,
        array(SELECT t.id FROM tags t WHERE hashtext('course-v1:Plan+C' || n || '+R') % 20 = t.id % 20 ORDER BY t.id)
    FROM generate_series(1, 100000) AS n, (SELECT array_agg(id) AS ids FROM organisations) AS o;
    INSERT INTO course_modes (course_id, slug, display_name, price, currency, price_order, visible)
    SELECT id, 'verified', 'Verified', price, 'USD', price_order, true FROM courses WHERE openedx_course_id LIKE 'course-v1:Plan+%';
    INSERT INTO course_tags (course_id, tag_id)
    SELECT c.id, t.id FROM courses c JOIN tags t ON hashtext(c.openedx_course_id) % 20 = t.id % 20 WHERE openedx_course_id LIKE 'course-v1:Plan+%';
    INSERT INTO course_contents (course_id) SELECT id FROM courses WHERE openedx_course_id LIKE 'course-v1:Plan+%';
    INSERT INTO reviews (id, course_id, rating, title, comment, author_name, created_at)
    SELECT gen_random_uuid(), id, 4, 't', 'c', 'a', now() FROM courses WHERE openedx_course_id LIKE 'course-v1:Plan+%';
    UPDATE catalog_generation SET generation = generation + 1, listed_courses = (SELECT count(*) FROM courses WHERE is_published AND NOT hidden)";

/// Tables that grow with what is sold, and that the support desk searches.
const SOLD: &str = "'carts', 'cart_items', 'transactions', 'received_payments', 'vouchers', 'courses'";

/// Inserts 20,000 orders of the plan's courses, each with a transfer and a voucher.
const ORDERS: &str = "
    INSERT INTO carts (id, kind, buyer, email, organisation_id, state, basket_hash, currency, total, created_at, reference, billing_address)
    SELECT gen_random_uuid(), 'discovery', 'guest:b' || n || '@example.com', 'b' || n || '@example.com', o.id, 'cancelled', decode(md5(n::text), 'hex'),
        'USD', 100, now() - n * interval '1 minute', 'PO-' || n, jsonb_build_object('name', 'Name ' || md5(n::text),
        'company', 'Company ' || md5((n * 3)::text), 'tax_id', 'DE' || n)
    FROM generate_series(1, 20000) AS n, organisations o WHERE o.short_name = 'northwind';
    INSERT INTO transactions (id, cart_id, organisation_id, gateway, state, amount, currency, discount_pct, original_price, provider_request,
        provider_reference, created_at, updated_at)
    SELECT gen_random_uuid(), id, organisation_id, 'external', 'cancelled', 100, 'USD', 0, 100, '{}', 'RF' || reference, created_at, created_at
    FROM carts WHERE reference LIKE 'PO-%';
    INSERT INTO received_payments (id, transaction_id, amount, received_at, reference, actor, request_key, request_hash, created_at)
    SELECT gen_random_uuid(), id, 1, created_at, 'KTO-' || provider_reference, 'x', id::text, '', created_at FROM transactions WHERE gateway = 'external';
    ANALYZE carts, courses;
    INSERT INTO cart_items (cart_id, position, course_id, name, mode, original_price, discount_pct, price)
    SELECT k.id, 0, c.id, c.display_name, 'verified', 100, 0, 100
    FROM (SELECT id, row_number() OVER () AS n FROM carts WHERE reference LIKE 'PO-%') k
    JOIN (SELECT id, display_name, row_number() OVER () AS n FROM courses WHERE openedx_course_id LIKE 'course-v1:Plan+%') c ON c.n = k.n;
    INSERT INTO vouchers (id, organisation_id, code, kind, percent, currency, valid_from, created_at)
    SELECT gen_random_uuid(), organisation_id, 'V' || replace(reference, '-', ''), 'percent', 10, 'USD', created_at, created_at
    FROM carts WHERE reference LIKE 'PO-%'";

/// Number of full scans of each large table. A backend reports its statistics when it ends, so this ends all of them.
async fn whole_scans(world: &World, tables: &str) -> Vec<(String, i64)> {
    world.postgres().cut();
    let backends = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND usename = 'storefront_api'";
    world
        .eventually("the api's backends have ended", async |world| {
            sqlx::query_scalar::<_, i64>(backends).fetch_one(&world.db).await.unwrap() == 0
        })
        .await;
    world.postgres().restore();
    // The api takes a connection untested within 20 ms of its last use.
    tokio::time::sleep(Duration::from_millis(30)).await;
    let sql = format!(
        "SELECT relname::text, seq_scan FROM pg_stat_user_tables WHERE relname IN ({tables}) ORDER BY 1"
    );
    sqlx::query_as(sqlx::AssertSqlSafe(sql)).fetch_all(&world.db).await.unwrap()
}

#[tokio::test]
#[ignore = "slow"]
async fn no_read_scans_a_large_table_at_a_hundred_thousand_courses() {
    world(Setup { proxied: true, ..Setup::without_workers() }, async |world| {
        sqlx::raw_sql(COURSES).execute(&world.db).await.unwrap();
        sqlx::raw_sql("VACUUM ANALYZE").execute(&world.db).await.unwrap();
        let list = "/storeapi/discovery/courses/";
        let rare = "search=c4ca4238a0b923";
        let mut reads = vec![
            format!("{list}?{rare}"),
            format!("{list}?fields=full&limit=100&{rare}&tags=history,film"),
            format!("{list}?org=northwind"),
            format!("{list}?org=northwind&tags=history"),
            format!("{list}?tags=history"),
            format!("{list}?language=pt-br"),
            // The language of nearly all courses.
            format!("{list}?language=en"),
            format!("{list}?language=en&org=northwind"),
            format!("{list}?language=en,pt-br&tags=history"),
            "/storeapi/discovery/course/course-v1:Plan+C77+R/".to_owned(),
            "/storeapi/discovery/course-outline/course-v1:Plan+C77+R/".to_owned(),
            "/storeapi/discovery/programs/?limit=100".to_owned(),
        ];
        for field in ["created_at", "display_name", "start", "end", "price", "avg_rating"] {
            reads.extend(
                ["asc", "desc"].map(|direction| format!("{list}?fields=full&order_by={field}.{direction}")),
            );
        }
        let mut before = whole_scans(world, LARGE).await;
        for read in reads {
            let reply = world.get(&read).await;
            assert_eq!(reply.status, 200, "{read}: {}", reply.text);
            assert_ne!(reply.json["total_count"], 0, "{read} finds something");
            let after = whole_scans(world, LARGE).await;
            assert_eq!(after, before, "{read} scanned a whole table");
            before = after;
        }
        // No index serves a search without three letters in a row: the count and the pages end at the thousandth match.
        for (search, most) in [("1", 1000), ("a1", 1000), ("zq", 0), ("- -", 0)] {
            let found = world.get(&format!("{list}?search={search}&limit=100&page=10")).await;
            assert_eq!(found.json["total_count"], most, "{search}: {}", found.text);
            let beyond = world.get(&format!("{list}?search={search}&limit=100&page=11")).await;
            assert_eq!(
                (&beyond.json["courses"], &beyond.json["has_more"]),
                (&serde_json::json!([]), &false.into())
            );
        }
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn no_search_of_the_support_desk_scans_a_large_table() {
    world(Setup { proxied: true, ..Setup::without_workers() }, async |world| {
        let noor = staff(world, "northwind", "noor@example.com", &["support"]).await;
        for statement in [COURSES, ORDERS, "VACUUM ANALYZE"] {
            sqlx::raw_sql(statement).execute(&world.db).await.unwrap();
        }
        let sold = "SELECT display_name FROM courses c WHERE EXISTS (SELECT FROM cart_items i WHERE i.course_id = c.id)
                      AND organisation_id = (SELECT id FROM organisations WHERE short_name = 'northwind') LIMIT 1";
        let course: String = sqlx::query_scalar(sold).fetch_one(&world.db).await.unwrap();
        let mut before = whole_scans(world, SOLD).await;
        for (text, found) in [
            ("po 77", "reference"),
            ("kto rf po 77", "transfer"),
            ("DE-77", "tax_id"),
            ("b77@example.com", "address"),
            ("company eccbc87e4b5ce2", "company"),
            ("name c4ca4238a0b923", "name"),
            ("RFPO-77", "payment"),
            (&*course, "course"),
        ] {
            let request = world.http.get(world.url("/storeapi/support/search/")).query(&[("q", text)]);
            let reply = Reply::read(request.header("cookie", &noor)).await;
            let orders = reply.json["orders"].as_array().unwrap();
            assert!(orders.iter().any(|order| order["found_by"] == found), "{text}: {}", reply.text);
            let after = whole_scans(world, SOLD).await;
            assert_eq!(after, before, "{text} scanned a whole table");
            before = after;
        }
    })
    .await;
}

#[tokio::test]
async fn two_replicas_asked_at_once_load_a_page_once() {
    world(Setup { apis: 2, ..Setup::without_workers() }, async |world| {
        // The cache holds the rest of what the page needs, so that the page's own statement is the first to wait.
        world.get("/storeapi/discovery/courses/?limit=3").await;
        let mut lock = world.db.begin().await.unwrap();
        sqlx::query("LOCK TABLE courses IN ACCESS EXCLUSIVE MODE").execute(&mut *lock).await.unwrap();
        let asked: Vec<_> = world
            .apis
            .iter()
            .map(|api| {
                let url = format!("http://{}/storeapi/discovery/courses/?limit=4", api.public);
                tokio::spawn(Reply::read(world.http.get(url).header("clientapisecret", SECRET)))
            })
            .collect();
        world.eventually("a replica loads", async |world| waiting_for(world, "courses").await > 0).await;
        // Shorter than the half second for which a replica waits for another one's load.
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        assert_eq!(waiting_for(world, "courses").await, 1);
        lock.rollback().await.unwrap();
        let mut bodies = Vec::new();
        for reply in asked {
            let reply = reply.await.unwrap();
            assert_eq!(reply.status, 200, "{}", reply.text);
            bodies.push(reply.text);
        }
        assert_eq!(bodies[0], bodies[1]);
    })
    .await;
}
