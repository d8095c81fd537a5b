//! Sends an endpoint the events that are due: the faster it takes them, the more at once. An attempt that fails does not fail the job: the
//! next one is on record, and the relay writes another message when it is due.

use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::future::join_all;
use rand::RngExt;
use reqwest::StatusCode;
use secrecy::SecretSlice;
use shared::event::EventBody;
use shared::messages::DeliverEvents;
use shared::queue::Envelope;
use store::alert::Alert;
use store::error::JobResult;
use store::events::deliveries::{self, Attempt, Delivery};
use store::events::endpoints;
use store::plumbing::audit::{Actor, Cause};
use tracing::instrument;
use uuid::Uuid;

use crate::metrics::{self, EventDelivery};
use crate::runtime::context::Context;
use crate::webhooks::Answer;

/// Pauses between the attempts, as Standard Webhooks recommends them; after the last one, the event stays in the feed alone.
const PAUSES: [TimeDelta; 9] = [
    TimeDelta::seconds(5),
    TimeDelta::minutes(5),
    TimeDelta::minutes(30),
    TimeDelta::hours(2),
    TimeDelta::hours(5),
    TimeDelta::hours(10),
    TimeDelta::hours(14),
    TimeDelta::hours(20),
    TimeDelta::hours(24),
];

/// The longest pause that a receiver can ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(24 * 3600);

/// Attempts at one endpoint at once, at first.
const AT_ONCE: i64 = 4;

/// The most attempts at once, at an endpoint that takes all of them within [`SOON`].
const MOST_AT_ONCE: i64 = 32;

const SOON: Duration = Duration::from_millis(100);

/// After this time the job ends and the endpoint queues up again behind the others, if more is due.
const TURN: Duration = Duration::from_secs(60);

/// An endpoint that has taken nothing for this long is disabled.
const DEAD_AFTER: TimeDelta = TimeDelta::days(5);

#[instrument(name = "job.deliver_events", skip_all, fields(endpoint = %message.endpoint_id))]
pub async fn run(ctx: &Context, message: &DeliverEvents, envelope: &Envelope) -> JobResult<()> {
    let (begun, mut at_once) = (Instant::now(), AT_ONCE);
    // The tracker is closed while the worker stops, or has lost the broker.
    while begun.elapsed() < TURN && !ctx.tasks.is_closed() {
        let due = deliveries::take(&ctx.db, message, ctx.clock.now(), at_once).await?;
        if due.is_empty() {
            break;
        }
        let stored = endpoints::signing_secrets(&ctx.db, message.endpoint_id, ctx.clock.now()).await?;
        let opened = stored.iter().map(|stored| ctx.webhooks.unseal(message.endpoint_id, &stored.sealed));
        let secrets: Result<Vec<_>, _> = opened.collect();
        let secrets = secrets.map_err(|error| format!("the secret cannot be used: {error}"));
        let sent_at = Instant::now();
        let sent = join_all(due.iter().map(|delivery| send(ctx, delivery, &secrets))).await;
        let (taken, refused): (Vec<_>, Vec<_>) =
            due.iter().zip(sent).partition(|(_, outcome)| is_taken(outcome));
        at_once = next_at_once(at_once, refused.is_empty() && sent_at.elapsed() < SOON);
        delivered(ctx, message.endpoint_id, &taken).await?;
        for (delivery, outcome) in refused {
            failed(ctx, message.endpoint_id, delivery, outcome, envelope.id).await?;
        }
    }
    deliveries::release(&ctx.db, message).await
}

async fn send(ctx: &Context, delivery: &Delivery, secrets: &Result<Vec<SecretSlice<u8>>, String>) -> Outcome {
    match (secrets, body(delivery)) {
        (Ok(secrets), Ok(body)) => {
            ctx.webhooks.send(&delivery.url, secrets, delivery.event_id, body, ctx.clock.now()).await
        }
        (Err(fault), _) => Err(fault.clone()),
        (_, Err(fault)) => Err(fault),
    }
}

/// The receiver's answer, or why there is none.
type Outcome = Result<Answer, String>;

fn is_taken(outcome: &Outcome) -> bool {
    outcome.as_ref().is_ok_and(|answer| answer.status.is_success())
}

/// Twice as many attempts after some that were all taken soon.
fn next_at_once(at_once: i64, are_taken_soon: bool) -> i64 {
    if are_taken_soon { (at_once * 2).min(MOST_AT_ONCE) } else { AT_ONCE }
}

/// Records what the receiver has taken, in one statement.
async fn delivered(ctx: &Context, endpoint: Uuid, taken: &[(&Delivery, Outcome)]) -> JobResult<()> {
    let attempts: Vec<_> = taken
        .iter()
        .filter_map(|(delivery, outcome)| Some((delivery.event_id, attempt(outcome.as_ref().ok()?))))
        .collect();
    if attempts.is_empty() {
        return Ok(());
    }
    deliveries::delivered(&ctx.db, endpoint, &attempts, ctx.clock.now()).await?;
    for _ in attempts {
        metrics::event_delivery(EventDelivery::Delivered);
    }
    Ok(())
}

fn attempt(answer: &Answer) -> Attempt<'_> {
    Attempt { status: Some(answer.status.as_u16().into()), answer: &answer.text }
}

fn body(delivery: &Delivery) -> Result<Vec<u8>, String> {
    let Delivery { kind, at, organisation, email, data, .. } = delivery;
    let body = EventBody::new(kind.clone(), *at, organisation.clone(), email.clone(), data.clone());
    serde_json::to_vec(&body.map_err(|error| error.to_string())?).map_err(|error| error.to_string())
}

async fn failed(
    ctx: &Context,
    endpoint: Uuid,
    delivery: &Delivery,
    outcome: Outcome,
    id: Uuid,
) -> JobResult<()> {
    let now = ctx.clock.now();
    let next = next_attempt(delivery.attempts, outcome.as_ref().ok(), now);
    let attempt = match &outcome {
        Ok(answer) => attempt(answer),
        Err(fault) => Attempt { status: None, answer: fault },
    };
    let (event, next_at) = (delivery.event_id, next.map(|at| at.to_rfc3339()));
    tracing::info!(%event, status = attempt.status, next_at, "event not delivered");
    let mut tx = ctx.transaction().await?;
    deliveries::failed(&mut tx, endpoint, delivery, &attempt, next, now).await?;
    let is_gone = outcome.is_ok_and(|answer| answer.status == StatusCode::GONE);
    let (reason, failing_before) = match is_gone {
        true => ("it answered 410 Gone", now),
        false => ("it has taken no event for five days", now - DEAD_AFTER),
    };
    let cause = Cause { actor: Actor::System, command_id: id, now };
    let is_disabled = endpoints::disable(&mut tx, endpoint, failing_before, reason, cause).await?;
    tx.alert(is_disabled.then(|| Alert::Endpoint { endpoint, reason: reason.to_owned() }));
    tx.commit().await?;
    metrics::event_delivery(next.map_or(EventDelivery::GivenUp, |_| EventDelivery::Failed));
    Ok(())
}

/// Returns when the next attempt is, give or take a fifth, after this many and the one that has failed; None after the last.
fn next_attempt(before: i32, answer: Option<&Answer>, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let pause = PAUSES.get(usize::try_from(before).ok()?)?.to_std().ok()?;
    let pause = pause.mul_f64(rand::rng().random_range(0.8..1.2));
    let asked = answer.and_then(|answer| answer.retry_after).unwrap_or_default();
    Some(now + pause.max(asked.min(LONGEST_PAUSE)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_further_and_further_apart_and_end_after_ten() {
        let now = DateTime::UNIX_EPOCH;
        for (before, pause) in PAUSES.iter().enumerate() {
            let next = next_attempt(i32::try_from(before).unwrap(), None, now).unwrap() - now;
            let (least, most) = (*pause * 4 / 5, *pause * 6 / 5);
            assert!((least..=most).contains(&next), "{before}: {next}");
        }
        assert_eq!(next_attempt(9, None, now), None);
    }

    #[test]
    fn a_receiver_that_takes_all_soon_gets_more_at_once() {
        let taken: Vec<i64> =
            std::iter::successors(Some(AT_ONCE), |n| Some(next_at_once(*n, true))).take(5).collect();
        assert_eq!(taken, [4, 8, 16, 32, 32]);
        assert_eq!(next_at_once(32, false), AT_ONCE);
    }

    #[test]
    fn a_receiver_can_ask_for_a_pause_of_a_day_at_most() {
        let (now, hour) = (DateTime::UNIX_EPOCH, Duration::from_secs(3600));
        let asked = |retry_after| {
            let (status, text) = (StatusCode::SERVICE_UNAVAILABLE, String::new());
            next_attempt(0, Some(&Answer { status, text, retry_after }), now).unwrap() - now
        };
        assert_eq!(asked(Some(hour)), TimeDelta::hours(1));
        assert_eq!(asked(Some(hour * 100)), TimeDelta::hours(24));
        assert!(asked(Some(Duration::ZERO)) >= TimeDelta::seconds(4));
    }
}
