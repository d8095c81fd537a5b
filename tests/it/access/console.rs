//! The console: every page for each role, its forms, and what a hostile visitor gets.

use harness::steps::console::{OWN, get, key, post, with_console};
use harness::steps::learner_cart::learner;
use harness::steps::payments::{EMAIL, count};
use harness::steps::refunds::bought;
use harness::steps::staff::staff;
use harness::steps::withdrawals::{declaration, declare, declare_as, declared, waits};
use harness::{ORGANISATIONS, Setup, unknown_session, world};
use uuid::Uuid;

const NOOR: &str = "noor@example.com";

fn of(cart: &str, part: &str) -> String {
    format!("/console/northwind/orders/{cart}/{part}")
}

#[tokio::test]
async fn without_the_setting_there_is_no_console() {
    world(Setup::without_workers(), async |world| {
        let noor = staff(world, "northwind", NOOR, &["support"]).await;
        for path in ["/console/", "/console/northwind/", "/console/assets/pico.css/"] {
            get(world, &noor, path).await.assert_problem(404, "not_found");
        }
    })
    .await;
}

#[tokio::test]
async fn every_page_opens_for_each_role_and_runs_no_script() {
    world(with_console(), async |world| {
        world.sell().await;
        let (cart, _) = bought(world, &ORGANISATIONS[0], EMAIL).await;
        sqlx::query("UPDATE transactions SET alert = 'bought <b>twice</b>'")
            .execute(&world.db)
            .await
            .unwrap();
        for role in ["support", "finance", "manager"] {
            let cookie = staff(world, "northwind", &format!("{role}@example.com"), &[role]).await;
            let refund = of(&cart, "refund/?items=0&reason=phone");
            for (path, shown) in [
                ("/console/northwind/", "bought &lt;b&gt;twice"),
                ("/console/northwind/search/?q=ada", "Nothing of Northwind"),
                ("/console/northwind/search/", "at least 2 characters"),
                ("/console/northwind/search/?q=%3Cscript%3E", "&lt;script&gt;"),
                ("/console/northwind/person/?email=ada@example.com", cart.as_str()),
                ("/console/northwind/staff/", "Noor Haddad"),
                (of(&cart, "").as_str(), "The payment arrived."),
                (refund.as_str(), if role == "finance" { "What will happen" } else { "role finance" }),
            ] {
                let page = get(world, &cookie, path).await;
                let expected = if path == refund && role != "finance" { 403 } else { 200 };
                assert_eq!(page.status, expected, "{path} by {role}: {}", page.text);
                assert!(page.text.contains(shown), "{path} by {role} lacks {shown}: {}", page.text);
                let policy = page.header("content-security-policy");
                assert!(policy.contains("default-src 'none'") && !policy.contains("script-src"), "{policy}");
                assert!(!page.text.contains("<script") && !page.text.contains(" style="), "{path}");
                assert_eq!(page.header("cache-control"), "no-store");
            }
            let order = get(world, &cookie, &of(&cart, "")).await.text;
            assert_eq!(order.contains("Send the receipt again"), role == "support", "{role}");
            assert_eq!(order.contains("Refund …"), role == "finance", "{role}");
            assert_eq!(order.contains("Move …"), role == "support", "{role}");
        }
        let entry = get(world, &staff(world, "northwind", NOOR, &["support"]).await, "/console/").await;
        assert_eq!((entry.status, entry.header("location")), (303, "/console/northwind/"));
    })
    .await;
}

#[tokio::test]
async fn a_refund_takes_effect_once_and_shows_its_author() {
    world(with_console(), async |world| {
        world.sell().await;
        let (cart, _) = bought(world, &ORGANISATIONS[0], EMAIL).await;
        let noor = staff(world, "northwind", NOOR, &["finance"]).await;
        let sam = staff(world, "northwind", "sam@example.com", &["finance"]).await;
        let asked = get(world, &noor, &of(&cart, "refund/?reason=phone")).await;
        assert!(
            asked.text.contains("All that is left") && asked.text.contains("end the access"),
            "{}",
            asked.text
        );
        let (path, key) = (of(&cart, "refund/"), key(&asked));
        let other = Uuid::now_v7().to_string();
        let fields = |key| [("key", key), ("all", "yes"), ("amount", ""), ("reason", "phone")];
        let (mine, mine_other) = (fields(&key), fields(&other));
        let (one, two) =
            tokio::join!(post(world, &noor, &path, OWN, &mine), post(world, &sam, &path, OWN, &mine_other));
        let mut statuses = [one.status, two.status];
        statuses.sort_unstable();
        assert!(statuses[0] == 303 && [400, 409].contains(&statuses[1]), "{} {}", one.text, two.text);
        world.cart_becomes(&cart, "refunded").await;
        // The same form again, by a double click or the back button.
        post(world, &noor, &path, OWN, &mine).await;
        assert_eq!(count(world, "SELECT count(*) FROM refunds").await, 1);
        let page = get(world, &noor, &of(&cart, "?done=refund")).await;
        assert!(
            page.text.contains("by Noor Haddad") && page.text.contains("The refund is under way"),
            "{}",
            page.text
        );
    })
    .await;
}

#[tokio::test]
async fn a_form_of_another_site_does_nothing_and_is_not_shown_again() {
    world(with_console(), async |world| {
        world.sell().await;
        let (cart, _) = bought(world, &ORGANISATIONS[0], EMAIL).await;
        let noor = staff(world, "northwind", NOOR, &["support", "finance", "manager"]).await;
        let key = Uuid::now_v7().to_string();
        for cookie in [noor.as_str(), &unknown_session(), ""] {
            for (path, field) in [
                (of(&cart, "refund/"), ("all", "yes")),
                (of(&cart, "address/"), ("email", "mallory@example.com")),
                ("/console/northwind/staff/set/".to_owned(), ("email", "mallory@example.com")),
            ] {
                let fields = [("key", key.as_str()), ("reason", "x"), ("roles", "manager"), field];
                for origin in ["http://elsewhere.test", "null", "http://store.test.elsewhere.test"] {
                    let reply = post(world, cookie, &path, origin, &fields).await;
                    assert_eq!(reply.status, 403, "{path} from {origin}: {}", reply.text);
                    assert!(!reply.text.contains("mallory"), "{}", reply.text);
                }
            }
        }
        assert_eq!(count(world, "SELECT count(*) FROM refunds").await, 0);
        assert_eq!(count(world, "SELECT count(*) FROM staff").await, 1);
    })
    .await;
}

#[tokio::test]
async fn another_organisations_ids_open_nothing_in_any_url_or_form() {
    world(with_console(), async |world| {
        world.sell().await;
        let (cart, _) = bought(world, &ORGANISATIONS[0], EMAIL).await;
        let all = ["support", "finance", "manager"];
        let eve = staff(world, "lindgren", "eve@lindgren.example", &all).await;
        staff(world, "northwind", NOOR, &["support"]).await;
        for path in ["/console/northwind/", "/console/northwind/staff/", &of(&cart, ""), "/console/nowhere/"]
        {
            let page = get(world, &eve, path).await;
            assert_eq!(page.status, 403, "{path}: {}", page.text);
            assert!(!page.text.contains(EMAIL) && !page.text.contains(NOOR), "{path}");
        }
        let key = Uuid::now_v7().to_string();
        let mail = Uuid::now_v7().to_string();
        for part in ["", "refund/?reason=x"] {
            let page = get(world, &eve, &format!("/console/lindgren/orders/{cart}/{part}")).await;
            assert_eq!(page.status, 404, "{part}: {}", page.text);
            assert!(!page.text.contains(EMAIL));
        }
        let page = get(world, &eve, "/console/lindgren/orders/%FF/").await;
        assert_eq!((page.status, page.header("content-type")), (404, "text/html; charset=utf-8"));
        for (part, field) in [
            ("receipt/", ("x", "")),
            ("refund/", ("all", "yes")),
            ("alert/", ("x", "")),
            ("address/", ("email", "mallory@example.com")),
        ] {
            let fields = [("key", key.as_str()), ("reason", "x"), field];
            let path = format!("/console/lindgren/orders/{cart}/{part}");
            let reply = post(world, &eve, &path, OWN, &fields).await;
            assert_eq!(reply.status, 404, "{path}: {}", reply.text);
        }
        let fields = [("key", key.as_str()), ("mail_id", mail.as_str())];
        assert_eq!(post(world, &eve, "/console/lindgren/mails/", OWN, &fields).await.status, 400);
        let fields = [("key", key.as_str()), ("email", NOOR)];
        assert_eq!(post(world, &eve, "/console/lindgren/staff/remove/", OWN, &fields).await.status, 400);
        assert_eq!(count(world, "SELECT count(*) FROM staff").await, 2);
        assert_eq!(count(world, "SELECT count(*) FROM audit_log WHERE actor LIKE 'staff:%'").await, 0);
    })
    .await;
}

#[tokio::test]
async fn who_is_signed_out_in_mid_form_gets_it_back_as_it_was_filled() {
    world(with_console(), async |world| {
        world.sell().await;
        let (cart, _) = bought(world, &ORGANISATIONS[0], "adda@example.com").await;
        let page = get(world, &unknown_session(), "/console/northwind/").await;
        assert!(page.status == 401 && page.text.contains("Sign in"), "{}", page.text);
        let (path, sent) = (of(&cart, "address/"), Uuid::now_v7().to_string());
        let fields = [("key", sent.as_str()), ("email", EMAIL)];
        let page = post(world, &unknown_session(), &path, OWN, &fields).await;
        assert_eq!(page.status, 401);
        assert!(page.text.contains(&format!(r#"value="{EMAIL}""#)) && key(&page) == sent, "{}", page.text);
        let written = page.text.replace("&#x2f;", "/");
        assert!(written.contains(&format!(r#"action="{path}""#)), "{written}");
        // Signed in again, the form that came back does what was meant.
        let noor = staff(world, "northwind", NOOR, &["support"]).await;
        let reply = post(world, &noor, &path, OWN, &[("key", &key(&page)), ("email", EMAIL)]).await;
        assert_eq!(reply.status, 303, "{}", reply.text);
        // What is wrong is named, and the form comes back under a new key.
        let fields = [("key", sent.as_str()), ("email", "no address")];
        let page = post(world, &noor, &path, OWN, &fields).await;
        assert!(page.status == 400 && page.text.contains("The address"), "{}", page.text);
        assert_ne!(key(&page), sent);
    })
    .await;
}

#[tokio::test]
async fn a_manager_changes_the_staff_but_leaves_one_manager() {
    world(with_console(), async |world| {
        let noor = staff(world, "northwind", NOOR, &["manager"]).await;
        let support = staff(world, "northwind", "sam@example.com", &["support"]).await;
        let path = "/console/northwind/staff/set/";
        let form = |email: &'static str, role: &'static str| {
            [
                ("key".to_owned(), Uuid::now_v7().to_string()),
                ("email".to_owned(), email.to_owned()),
                ("roles".to_owned(), role.to_owned()),
            ]
        };
        for (cookie, email, role, status) in [
            (&support, "sam@example.com", "manager", 403),
            (&noor, "sam@example.com", "finance", 303),
            (&noor, "stranger@example.com", "support", 400),
            (&noor, "sam@example.com", "owner", 400),
        ] {
            let form = form(email, role);
            let fields: Vec<(&str, &str)> =
                form.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            let reply = post(world, cookie, path, OWN, &fields).await;
            assert_eq!(reply.status, status, "{email} {role}: {}", reply.text);
        }
        let key = Uuid::now_v7().to_string();
        let fields = [("key", key.as_str()), ("email", NOOR)];
        let reply = post(world, &noor, "/console/northwind/staff/remove/", OWN, &fields).await;
        assert!(reply.status == 400 && reply.text.contains("last manager"), "{}", reply.text);
        let page = get(world, &noor, "/console/northwind/staff/").await;
        assert!(page.text.contains("finance"), "{}", page.text);
    })
    .await;
}

#[tokio::test]
async fn finance_decides_a_withdrawal_on_the_page_of_its_order() {
    world(with_console(), async |world| {
        world.sell().await;
        let (cart, _) = bought(world, &ORGANISATIONS[0], EMAIL).await;
        let ada = learner(world, EMAIL).await;
        declare_as(world, &ada, &declaration(&cart, EMAIL)).await;
        waits(world, &cart).await;
        let noor = staff(world, "northwind", NOOR, &["finance"]).await;
        let support = staff(world, "northwind", "sam@example.com", &["support"]).await;
        let id = declared(world, &cart).await[0]["id"].as_str().unwrap().to_owned();
        let own = format!("/console/northwind/withdrawals/{id}/");
        let start = get(world, &noor, "/console/northwind/").await.text.replace("&#x2f;", "/");
        assert!(start.contains(&own) && start.contains("Open the withdrawal"), "{start}");
        assert!(!get(world, &support, "/console/northwind/").await.text.contains("Open the withdrawal"));
        assert_eq!(get(world, &support, &own).await.status, 403);
        let page = get(world, &noor, &of(&cart, "")).await;
        assert!(page.text.contains("Pay back a part"), "{}", page.text);
        let seen = get(world, &support, &of(&cart, "")).await;
        assert!(seen.text.contains("without terms") && !seen.text.contains("Pay back a part"));
        let key = key(&page);
        let form = |amount: &'static str, reason: &'static str| {
            [
                ("key", key.clone()),
                ("order", cart.clone()),
                ("amount", amount.into()),
                ("reason", reason.into()),
            ]
        };
        for (cookie, action, amount, reason, status) in [
            (&support, "part/", "50", "", 403),
            (&noor, "part/", "", "", 400),
            (&noor, "refuse/", "", "", 400),
            (&noor, "elsewhere/", "", "x", 404),
            (&noor, "part/", "12,50", "half of it was held", 303),
        ] {
            let form = form(amount, reason);
            let fields: Vec<(&str, &str)> =
                form.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let reply = post(world, cookie, &format!("{own}{action}"), OWN, &fields).await;
            assert_eq!(reply.status, status, "{action}: {}", reply.text);
        }
        assert_eq!(declared(world, &cart).await[0]["state"], "accepted");
        world
            .eventually("it is on record", async |world| {
                let page = get(world, &noor, &of(&cart, "?done=withdrawal")).await.text;
                page.contains("The withdrawal was accepted.") && page.contains("$12.50")
            })
            .await;
    })
    .await;
}

#[tokio::test]
async fn a_withdrawal_under_another_address_has_a_page_of_its_own_where_finance_closes_it() {
    world(with_console(), async |world| {
        world.sell().await;
        let (cart, _) = bought(world, &ORGANISATIONS[0], EMAIL).await;
        declare(world, &declaration(&cart, "stranger@example.com")).await;
        let unmatched = "SELECT count(*) FROM withdrawals WHERE state = 'unmatched'";
        world.eventually("it is stored", async |world| count(world, unmatched).await == 1).await;
        let id: String =
            sqlx::query_scalar("SELECT id::text FROM withdrawals").fetch_one(&world.db).await.unwrap();
        let noor = staff(world, "northwind", NOOR, &["finance"]).await;
        let eve = staff(world, "lindgren", "eve@lindgren.example", &["finance"]).await;
        // A stranger who knows the order's id can declare under any addresses: all of that is one matter on the start page.
        for nth in 0..3 {
            declare(world, &declaration(&cart, &format!("mallory{nth}@example.com"))).await;
        }
        world.eventually("they are stored", async |world| count(world, unmatched).await == 4).await;
        let start = get(world, &noor, "/console/northwind/").await;
        assert_eq!(start.text.matches("bought under another address").count(), 1, "{}", start.text);
        assert!(
            start.text.contains("3 more like it") && start.text.contains("stranger@example.com"),
            "{}",
            start.text
        );
        let own = format!("/console/northwind/withdrawals/{id}/");
        let page = get(world, &noor, &own).await;
        assert!(page.status == 200 && page.text.contains("stranger@example.com"), "{}", page.text);
        assert!(page.text.contains("another address") && !page.text.contains("Pay back"), "{}", page.text);
        let other = own.replace("northwind", "lindgren");
        assert_eq!(get(world, &eve, &other).await.status, 404);
        let key = key(&page);
        let fields = [("key", key.as_str()), ("reason", "no buyer of ours")];
        assert_eq!(post(world, &eve, &format!("{other}refuse/"), OWN, &fields).await.status, 404);
        assert_eq!(
            post(world, &noor, &format!("{own}refuse/"), "http://elsewhere.test", &fields).await.status,
            403
        );
        let reply = post(world, &noor, &format!("{own}refuse/"), OWN, &fields).await;
        assert_eq!(
            (reply.status, reply.header("location")),
            (303, format!("{own}?done=withdrawal").as_str()),
            "{}",
            reply.text
        );
        let page = get(world, &noor, &own).await;
        assert!(
            page.text.contains("no buyer of ours") && !page.text.contains("Close the withdrawal"),
            "{}",
            page.text
        );
        assert!(world.emails("stranger@example.com").await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_manager_drops_a_dead_letter_on_the_start_page() {
    world(with_console(), async |world| {
        harness::steps::notifications::set(world, "stripe", "northwind", "whsec_one", None).await;
        let noor = staff(world, "northwind", NOOR, &["manager"]).await;
        let support = staff(world, "northwind", "sam@example.com", &["support"]).await;
        let signed = harness::steps::notifications::signature(world, "stripe", "whsec_one", "not json");
        harness::steps::notifications::send(world, "stripe", "northwind", signed, "not json").await;
        world
            .eventually("it is listed", async |world| {
                count(world, "SELECT count(*) FROM dead_letters").await == 1
            })
            .await;
        let start = "/console/northwind/";
        assert!(!get(world, &support, start).await.text.contains("Process it again"));
        let page = get(world, &noor, start).await;
        assert!(
            page.text.contains("Process it again") && page.text.contains("on record under your name"),
            "{}",
            page.text
        );
        let id: String =
            sqlx::query_scalar("SELECT id::text FROM dead_letters").fetch_one(&world.db).await.unwrap();
        let (form, key) = (format!("{start}dead-letters/"), key(&page));
        let fields = [("key", key.as_str()), ("message_id", id.as_str()), ("decision", "drop")];
        assert_eq!(post(world, &support, &form, OWN, &fields).await.status, 403);
        assert_eq!(post(world, &noor, &form, "http://elsewhere.test", &fields).await.status, 403);
        let reply = post(world, &noor, &form, OWN, &fields).await;
        assert_eq!(
            (reply.status, reply.header("location")),
            (303, "/console/northwind/?done=dead-letters"),
            "{}",
            reply.text
        );
        assert!(!get(world, &noor, start).await.text.contains("Process it again"));
    })
    .await;
}
