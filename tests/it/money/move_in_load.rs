//! What a move-in costs the buyers of a shop that sells beside it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use harness::steps::former_shop::{Export, OldOrder, move_in_lines};
use harness::steps::invoices::SHOP;
use harness::steps::payments::count;
use harness::{Setup, World, world};

/// Orders of one move-in.
const ORDERS: i64 = 20_000;

/// Buyers who check out at the same time, each as often as this.
const BUYERS: usize = 4;
const PACE: Duration = Duration::from_millis(250);

/// Time of a turn without a move-in.
const ALONE: Duration = Duration::from_secs(30);

/// Checks out at a pace until the end. Returns how long each checkout took.
async fn buyer(world: &World, name: &str, has_ended: &AtomicBool) -> Vec<Duration> {
    let mut took = Vec::new();
    while !has_ended.load(Ordering::Relaxed) {
        let begun = Instant::now();
        let answer = world.guest_checkout(SHOP, &format!("{name}-{}@example.com", took.len())).await;
        assert!(answer.status < 300, "{}", answer.text);
        took.push(begun.elapsed());
        tokio::time::sleep(PACE.saturating_sub(begun.elapsed())).await;
    }
    took
}

/// Lets buyers check out while something else happens. Returns the 99th percentile of the checkouts' times.
async fn beside(world: &World, name: &str, other: impl Future<Output = ()>) -> Duration {
    let has_ended = AtomicBool::new(false);
    let names: Vec<String> = (0..BUYERS).map(|buyer| format!("{name}-{buyer}")).collect();
    let buyers = names.iter().map(|name| buyer(world, name, &has_ended));
    let other = async {
        other.await;
        has_ended.store(true, Ordering::Relaxed);
    };
    let (took, ()) = tokio::join!(futures_util::future::join_all(buyers), other);
    let mut took = took.concat();
    took.sort_unstable();
    took[took.len() * 99 / 100]
}

/// Measures the 99th percentile of checkouts in turns, without and with a move-in beside them, and prints how they compare.
#[tokio::test]
#[ignore = "takes some minutes"]
async fn full_a_move_in_beside_a_shop_that_sells() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let mut ratios = Vec::new();
        for turn in 0..3 {
            let alone = beside(world, &format!("alone-{turn}"), tokio::time::sleep(ALONE)).await;
            let mut export = Export::default();
            export.user(7, 5007, "ada@example.com");
            for id in 0..ORDERS {
                export.order(&OldOrder::of(1 + turn * ORDERS + id, 7));
            }
            // Made before the buyers come, who share this thread.
            let lines = export.lines();
            let begun = Instant::now();
            let with = beside(world, &format!("beside-{turn}"), async {
                let (done, said) = move_in_lines(world, &lines, &["--apply"]).await;
                assert!(done, "{said}");
            })
            .await;
            let ratio = with.as_secs_f64() / alone.as_secs_f64();
            println!("p99 of checkouts: {alone:.0?} alone, {with:.0?} beside {ORDERS} orders in {:.0?}: {ratio:.2} times", begun.elapsed());
            ratios.push(ratio);
        }
        ratios.sort_by(f64::total_cmp);
        println!("beside a move-in, the p99 of checkouts is {:.2} times that without, the middle one of {ratios:.2?}", ratios[1]);
        assert_eq!(count(world, "SELECT count(*) FROM carts WHERE former_shop IS NOT NULL").await, 3 * ORDERS);
    })
    .await;
}
