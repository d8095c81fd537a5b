//! Free and paid checkouts over HTTP, beside the bare echo of `enroll`. The simulated providers run in the same
//! process, on the same cores.

use std::sync::atomic::{AtomicUsize, Ordering};

use harness::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Setup, World, world};
use serde_json::{Value, json};

use crate::enroll::{Echo, Figures, measure};

/// A free course of the demo catalog.
pub const FREE: Organisation =
    Organisation { course: "28b0b164-7eb3-4aba-aac1-d7498b344ed4", mode: "audit", ..ORGANISATIONS[0] };

pub async fn run() {
    world(Setup { own_queues: true, ..Setup::default() }, async |world| {
        world.sell().await;
        let echo = Echo::start(world).await;
        let nth = AtomicUsize::new(0);
        println!("{:>8}  {:>8}  {:>32}  {:>32}  rate  p99", "callers", "basket", "checkouts", "echo");
        for callers in [1, 16, 64] {
            for (name, organisations) in [("free", [FREE; 4]), ("paid", ORGANISATIONS)] {
                let baskets = futures_util::future::join_all(
                    organisations.iter().map(|organisation| world.basket(organisation)),
                )
                .await;
                let mut rounds = Vec::new();
                for _ in 0..3 {
                    let checkouts = measure(callers, async || {
                        let nth = nth.fetch_add(1, Ordering::Relaxed);
                        check_out(world, baskets[nth % 4].clone(), nth).await;
                    });
                    let checkouts = checkouts.await;
                    rounds.push((checkouts, measure(callers, async || echo.ask().await).await));
                }
                rounds.sort_by(|a, b| (a.0.0 / a.1.0).total_cmp(&(b.0.0 / b.1.0)));
                let (checkouts, echoes) = rounds[1];
                let show = |(rate, p50, p99): Figures| format!("{rate:.0}/s p50 {p50:.1} p99 {p99:.1} ms");
                let (rate, p99) = (checkouts.0 / echoes.0, checkouts.2 / echoes.2);
                println!(
                    "{callers:>8}  {name:>8}  {:>32}  {:>32}  {rate:.2}  {p99:.1}",
                    show(checkouts),
                    show(echoes)
                );
            }
        }
        echo.stop.cancel();
    })
    .await;
}

/// Each checkout has a new guest: a free basket is held for the address, and a paid one creates a payment at the
/// provider.
pub async fn check_out(world: &World, mut body: Value, nth: usize) {
    body["email"] = json!(format!("guest{nth}@example.com"));
    let reply = world.post(GUEST_CHECKOUT, &body).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
}
