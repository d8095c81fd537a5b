//! Statements and commits of a sale, from its checkout until nothing is left to do.

use harness::steps::invoices::{SHOP, sell_with_tax};
use harness::steps::payments::{cart_id, reference};
use harness::{GUEST_CHECKOUT, Setup, Statement, World, world};
use serde_json::json;
use uuid::Uuid;

/// Sales before those that are counted: in them, the programs prepare statements and open connections.
const WARM_UP: usize = 2;

/// Sales of which the cheapest counts: the others may have a timer's statements, too.
const COUNTED: usize = 4;

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
    let mut sales = Vec::new();
    for number in 0..WARM_UP + COUNTED {
        sales.push(sale(world, &format!("buyer{number}@example.org")).await);
    }
    let cheapest = sales.split_off(WARM_UP).into_iter().min_by_key(Vec::len).unwrap();
    let commits = cheapest.iter().filter(|statement| statement.commits()).count();
    let text: Vec<String> = cheapest.iter().map(ToString::to_string).collect();
    assert!(
        cheapest.len() <= most_statements && commits <= most_commits,
        "{} statements and {commits} commits:\n{}",
        cheapest.len(),
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
