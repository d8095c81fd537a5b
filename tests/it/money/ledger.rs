//! The ledger as the database guards it, whatever a program asks for.

use harness::steps::payments::EMAIL;
use harness::steps::refunds::{bought, entry, ledger};
use harness::{ORGANISATIONS, Setup, World, world};
use sqlx::AssertSqlSafe;

/// Runs statements in one transaction. Returns the error and the constraint that it names.
async fn committed(world: &World, statements: &[&str]) -> Result<(), (String, Option<String>)> {
    let named = |error: sqlx::Error| {
        let constraint = error.as_database_error().and_then(|error| error.constraint());
        (error.to_string(), constraint.map(str::to_owned))
    };
    let mut tx = world.db.begin().await.unwrap();
    for statement in statements {
        sqlx::query(AssertSqlSafe(*statement)).execute(&mut *tx).await.map_err(named)?;
    }
    tx.commit().await.map_err(named)
}

#[tokio::test]
async fn what_is_booked_is_never_changed() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let organisation = &ORGANISATIONS[0];
        let (cart, _) = bought(world, organisation, EMAIL).await;
        for statement in [
            "UPDATE ledger SET amount = amount + 1",
            "UPDATE ledger SET provider_reference = NULL",
            "DELETE FROM ledger",
            "TRUNCATE ledger",
        ] {
            let (why, _) = committed(world, &[statement]).await.unwrap_err();
            assert!(why.contains("ledger is append-only"), "{statement}: {why}");
        }
        assert_eq!(ledger(world, &cart).await, [entry("captured", organisation.subunits)]);
    })
    .await;
}

#[tokio::test]
async fn a_payment_moves_with_its_ledger_row_or_not_at_all() {
    const REFUNDED: &str = "UPDATE transactions SET refunded_amount = refunded_amount + 500";
    const LOST: &str = "UPDATE transactions SET lost_amount = lost_amount + 500";
    const BOOKED: &str =
        "INSERT INTO ledger (at, organisation_id, kind, cart_id, transaction_id, amount, currency, gateway)
        SELECT now(), organisation_id, 'refunded', cart_id, id, -500, currency, gateway FROM transactions";
    world(Setup::selling(), async |world| {
        world.sell().await;
        let organisation = &ORGANISATIONS[0];
        let (cart, _) = bought(world, organisation, EMAIL).await;
        let before = (world.transaction(&cart).await, ledger(world, &cart).await);
        for statements in [&[REFUNDED][..], &[LOST], &[BOOKED], &[REFUNDED, REFUNDED, BOOKED]] {
            let (why, constraint) = committed(world, statements).await.unwrap_err();
            assert_eq!(constraint.as_deref(), Some("ledger_balance"), "{statements:?}: {why}");
        }
        assert_eq!((world.transaction(&cart).await, ledger(world, &cart).await), before);
        committed(world, &[REFUNDED, BOOKED]).await.unwrap();
        assert_eq!(
            ledger(world, &cart).await,
            [entry("captured", organisation.subunits), entry("refunded", -500)]
        );
    })
    .await;
}
