//! Statements and commits of a sale, from its checkout until nothing is left to do.

use harness::steps::invoices::{SHOP, sell_with_tax};
use harness::steps::payments::{cart_id, reference};
use harness::{GUEST_CHECKOUT, Setup, Statement, World, world};
use serde_json::json;
use uuid::Uuid;

/// Sales before those that are counted: in them, the programs prepare statements and open connections.
const WARM_UP: usize = 2;

/// Sales of which the cheapest counts: the others may have a timer's statements, too, more often on a busy machine.
const COUNTED: usize = 48;

async fn sale(world: &World, buyer: &str) -> Vec<Statement> {
    world.platform_user(buyer).await;
    let mut body = world.basket(SHOP).await;
    body["email"] = json!(buyer);
    world.postgres().statements.take();
    let reply = world.post(GUEST_CHECKOUT, &body).await;
    let payment = world.payment(cart_id(&reply)).await;
    world.at_provider("pay", reference(&payment), json!({})).await;
    let cart: Uuid = cart_id(&reply).parse().unwrap();
    world
        .eventually("the order is fulfilled", async |world| {
            // Not by the api, whose statements would count.
            let state = sqlx::query_scalar("SELECT state FROM carts WHERE id = $1").bind(cart);
            state.fetch_one(&world.db).await.is_ok_and(|state: String| state == "fulfilled")
        })
        .await;
    world.drain().await;
    world.postgres().statements.take()
}

/// Fails with the statements of a sale that costs more.
async fn assert_costs(world: &World, most_statements: usize, most_commits: usize) {
    let commits = |sale: &[Statement]| sale.iter().filter(|statement| statement.commits()).count();
    let costs_little = |sale: &[Statement]| sale.len() <= most_statements && commits(sale) <= most_commits;
    for number in 0..WARM_UP {
        sale(world, &format!("early{number}@example.org")).await;
    }
    let mut cheapest = sale(world, "buyer@example.org").await;
    for number in 1..COUNTED {
        if costs_little(&cheapest) {
            break;
        }
        let next = sale(world, &format!("buyer{number}@example.org")).await;
        cheapest = std::cmp::min_by_key(cheapest, next, Vec::len);
    }
    let text: Vec<String> = cheapest.iter().map(ToString::to_string).collect();
    assert!(
        costs_little(&cheapest),
        "{} statements and {} commits:\n{}",
        cheapest.len(),
        commits(&cheapest),
        text.join("\n")
    );
}

#[tokio::test]
async fn a_sale_costs_few_statements() {
    world(Setup { proxied: true, ..Setup::default() }, async |world| {
        world.sell().await;
        assert_costs(world, 42, 20).await;
    })
    .await;
}

#[tokio::test]
async fn a_sale_with_an_invoice_costs_few_statements() {
    world(Setup { proxied: true, ..Setup::default() }, async |world| {
        sell_with_tax(world).await;
        assert_costs(world, 51, 23).await;
    })
    .await;
}
