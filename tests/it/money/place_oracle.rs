//! Places of courses after any history: as many are taken as the course platform has learners, addresses wait for their account,
//! pools have free seats, and orders are yet to open.

use std::collections::HashSet;

use chrono::TimeDelta;
use harness::World;

use crate::machine_market::Shop;

/// The first violation found, as text; `None` if all is consistent. `people` are the addresses with an account that buy at the shop.
pub async fn disagreement(world: &World, shop: &Shop, people: &[String]) -> Option<String> {
    for (course, key) in [(shop.organisation.course, shop.organisation.key), (&shop.other, &shop.other_key)] {
        let mut present: HashSet<String> = HashSet::new();
        for email in people {
            let seen = world.on_platform(email, key).await;
            // A seat that is not sold: the platform gave it.
            if seen.is_some_and(|seen| seen["is_active"] == true && seen["mode"] != "audit") {
                present.insert(email.clone());
            }
        }
        let waiting: Vec<String> = of(world, WAITING, course).await;
        let people = present.len() + waiting.len();
        let has_one = |email: &String| present.contains(email) || waiting.contains(email);
        let to_open =
            of::<String>(world, TO_OPEN, course).await.iter().filter(|email| !has_one(email)).count();
        let free: i64 = of::<i64>(world, FREE_SEATS, course).await.into_iter().sum();
        let taken: i64 = sqlx::query_scalar("SELECT places_taken($1::uuid, $2, NULL)")
            .bind(course)
            .bind(world.clock.now() - TimeDelta::hours(1))
            .fetch_one(&world.db)
            .await
            .unwrap();
        if taken != i64::try_from(people + to_open).unwrap() + free {
            return Some(format!(
                "{taken} places of {key} are taken, by {present:?}, {waiting:?}, {to_open} orders and {free} seats"
            ));
        }
    }
    None
}

async fn of<T>(world: &World, query: &'static str, course: &str) -> Vec<T>
where
    (T,): for<'r> sqlx::FromRow<'r, sqlx::postgres::PgRow>,
    T: Send + Unpin,
{
    let rows: Vec<(T,)> =
        sqlx::query_as(query).bind(course).bind(world.clock.now()).fetch_all(&world.db).await.unwrap();
    rows.into_iter().map(|(value,)| value).collect()
}

const WAITING: &str = "SELECT email FROM enrollments WHERE course_id = $1::uuid AND state = 'pending_registration' AND $2::timestamptz IS NOT NULL";

/// What is paid or that a provider works on: all other unpaid orders are older than an hour.
const TO_OPEN: &str = "
    SELECT c.email FROM cart_courses a JOIN carts c ON c.id = a.cart_id JOIN transactions t ON t.cart_id = c.id
    JOIN cart_items i ON (i.cart_id, i.position) = (a.cart_id, a.position)
    WHERE a.course_id = $1::uuid AND i.access_ended_at IS NULL
      AND (c.state = 'paid' OR c.state = 'pending_payment' AND t.provider_pending_since IS NOT NULL)
      AND $2::timestamptz IS NOT NULL";

const FREE_SEATS: &str = "
    SELECT (v.max_uses - v.uses)::bigint FROM vouchers v JOIN voucher_scope s ON s.voucher_id = v.id
    WHERE v.kind = 'seat' AND s.course_id = $1::uuid AND coalesce(v.valid_until > $2, true)
    UNION ALL
    SELECT i.seats::bigint FROM cart_items i JOIN carts c ON c.id = i.cart_id JOIN transactions t ON t.cart_id = c.id
    WHERE i.course_id = $1::uuid AND i.seats > 0 AND i.access_ended_at IS NULL
      AND (c.state = 'paid' OR c.state = 'pending_payment' AND t.provider_pending_since IS NOT NULL)
      AND NOT EXISTS (SELECT FROM vouchers v WHERE (v.cart_id, v.position) = (i.cart_id, i.position))";
