//! Buyers who arrive whether or not the ones before them are served.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use harness::{GUEST_CHECKOUT, ORGANISATIONS, SECRET, World};
use reqwest::Client;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::seconds::{Kind, Seconds};

/// A buyer's patience with one request.
const TIMEOUT: Duration = Duration::from_secs(15);

/// Requests of one buyer, the first one included.
const TRIES: u32 = 5;

pub struct Buyers {
    http: Client,
    checkout: String,
    provider: String,
    baskets: Vec<Value>,
    /// Number of addresses that have an account; later buyers have none.
    accounts: usize,
    next: AtomicUsize,
    seconds: Arc<Seconds>,
    /// The name of buyers without an account.
    guest: &'static str,
}

impl Buyers {
    pub async fn new(
        world: &World,
        base: &str,
        (guest, accounts): (&'static str, usize),
        seconds: &Arc<Seconds>,
    ) -> Self {
        let baskets = ORGANISATIONS.iter().map(|organisation| world.basket(organisation));
        Self {
            http: Client::new(),
            checkout: format!("{base}{GUEST_CHECKOUT}"),
            provider: world.simulators.url("/_sim/payments"),
            baskets: futures_util::future::join_all(baskets).await,
            accounts,
            next: AtomicUsize::new(0),
            seconds: Arc::clone(seconds),
            guest,
        }
    }

    /// Lets buyers arrive at this rate for a while, and returns when the last one has been served or has given up.
    pub async fn arrive(self: &Arc<Self>, per_second: f64, time: Duration) {
        let (start, mut buyers, mut arrived) = (Instant::now(), JoinSet::new(), 0.0);
        while start.elapsed() < time {
            arrived += 1.0;
            let buyer = Arc::clone(self);
            buyers.spawn(async move { buyer.buy(true).await });
            tokio::time::sleep_until((start + Duration::from_secs_f64(arrived / per_second)).into()).await;
        }
        buyers.join_all().await;
    }

    /// Buys one basket, and pays. One half gives up at the first error; of the others, one half waits before it tries again, as told
    /// and ever longer, and one half does not.
    pub async fn buy(&self, may_retry: bool) {
        let nth = self.next.fetch_add(1, Ordering::Relaxed);
        let mut body = self.baskets[nth % self.baskets.len()].clone();
        body["email"] = json!(self.address(nth));
        let key = format!("{}-{nth}", self.guest);
        for attempt in 0..TRIES {
            let begun = Instant::now();
            let request = self.http.post(&self.checkout).header("clientapisecret", SECRET);
            let request = request.header("idempotency-key", &key).timeout(TIMEOUT).json(&body);
            let reply = request.send().await;
            let told = reply
                .as_ref()
                .ok()
                .and_then(|reply| reply.headers().get("retry-after")?.to_str().ok()?.parse().ok());
            let kind = match &reply {
                Ok(reply) if reply.status() == 200 => Kind::Checkout,
                Ok(reply) if reply.status() == 503 && reply.headers().contains_key("retry-after") => {
                    Kind::Refused
                }
                Ok(reply) if reply.status() != 504 => Kind::OtherError,
                _ => Kind::TimedOut,
            };
            self.seconds.add(kind, begun.elapsed());
            if let (Kind::Checkout, Ok(reply)) = (kind, reply) {
                return self.pay(&reply.json().await.expect("an answer in JSON")).await;
            }
            // Apart from the choice of a provider.
            match nth / self.baskets.len() % 4 {
                _ if !may_retry => return,
                0 => {
                    let longer = Duration::from_secs(1) * 2_u32.pow(attempt);
                    tokio::time::sleep(longer.max(Duration::from_secs(told.unwrap_or_default()))).await;
                }
                1 => {}
                _ => return,
            }
        }
    }

    fn address(&self, nth: usize) -> String {
        if nth < self.accounts { account(nth) } else { format!("{}{nth}@example.com", self.guest) }
    }

    async fn pay(&self, told: &Value) {
        let reference = [&told["order_id"], &told["payment_id"]].into_iter().find_map(Value::as_str);
        let secret = told["client_secret"].as_str().and_then(|secret| secret.split("_secret").next());
        let reference = reference.or(secret).expect("something to pay");
        let paid = self.http.post(format!("{}/{reference}/pay", self.provider)).json(&json!({})).send().await;
        assert!(paid.is_ok_and(|paid| paid.status().is_success()), "the provider takes the payment");
    }
}

/// The address of a buyer with an account.
pub fn account(nth: usize) -> String {
    format!("buyer{nth}@example.com")
}
