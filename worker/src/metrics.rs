//! The metrics of the worker: the name, unit and meaning of each, and how it is recorded. No other module names a metric.

use std::time::Duration;

use chrono::TimeDelta;
use metrics::{Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use shared::gateway::Gateway;
use shared::messages::{Kind, Queue};
use shared::metrics::BrokerConnection;
use store::alert::AlertKind;
use strum::{IntoStaticStr, VariantArray};

const JOB_SECONDS: &str = "storefront_job_seconds";
const JOBS_TOTAL: &str = "storefront_jobs_total";
const DEAD_TOTAL: &str = "storefront_dead_total";
const ALERTS_TOTAL: &str = "storefront_alerts_total";
const WAITING: &str = "storefront_waiting";
const WAITING_OLDEST_SECONDS: &str = "storefront_waiting_oldest_seconds";
const QUEUE_READY: &str = "storefront_queue_ready";
// Names that end in `_wait_seconds` have longer buckets: `shared::telemetry`.
const MESSAGE_WAIT_SECONDS: &str = "storefront_message_wait_seconds";
const THROTTLE_WAIT_SECONDS: &str = "storefront_throttle_wait_seconds";
const THROTTLE_HELD_TOTAL: &str = "storefront_throttle_held_total";
const WEBHOOKS_PROCESSED_TOTAL: &str = "storefront_webhooks_processed_total";
const RECONCILIATIONS_TOTAL: &str = "storefront_reconciliations_total";
const EVENT_DELIVERIES_TOTAL: &str = "storefront_event_deliveries_total";
const REDIS_FAILURES_TOTAL: &str = "storefront_redis_failures_total";
const EVENT_BUS_FAILURES_TOTAL: &str = "storefront_event_bus_failures_total";

/// Outcome of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Outcome {
    Done,
    Retry,
    Rejected,
    /// The caller of the command no longer waited, so the job was not started.
    Expired,
}

/// Outcome of a provider's notification.
#[derive(Clone, Copy, Debug, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum NotificationOutcome {
    /// Its transaction agrees with it.
    Settled,
    /// It says nothing that the storefront needs.
    Ignored,
    /// It was stored before.
    Repeated,
    /// Its transaction is unknown so far.
    Unmatched,
    /// It could not be settled now; a later message tries again.
    Deferred,
    /// It contradicts its transaction and waits for an operator.
    Parked,
    /// Nothing proves that its provider sent it; the provider is asked about the payment.
    Unproved,
    /// No secret of its organisation signed it.
    Forged,
}

/// Outcome of an attempt to deliver an event.
#[derive(Clone, Copy, Debug, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum EventDelivery {
    Delivered,
    /// It is tried again.
    Failed,
    /// It was the last attempt.
    GivenUp,
}

/// Purposes for which the worker uses Redis.
#[derive(Clone, Copy, Debug, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum RedisUse {
    /// The turns of calls to the course platform.
    Throttle,
    /// The catalog generation, which the apis watch.
    Generation,
    /// The answers of VIES, which all workers share for some minutes.
    VatChecks,
}

/// Describes every metric to the recorder, so that `/metrics` says what each one is, and makes the counters begin at 0.
/// Call it once the recorder is installed.
pub fn describe() {
    shared::metrics::describe("worker", &[BrokerConnection::Publisher, BrokerConnection::Consumer]);
    describe_counter!(ALERTS_TOTAL, Unit::Count, "Alerts: situations that an operator has to look at");
    describe_gauge!(WAITING, Unit::Count, "Waiting work, by kind");
    describe_gauge!(WAITING_OLDEST_SECONDS, Unit::Seconds, "Age of the oldest waiting work, by kind");
    describe_counter!(
        WEBHOOKS_PROCESSED_TOTAL,
        Unit::Count,
        "Processed notifications of payment providers, by gateway and outcome"
    );
    describe_counter!(RECONCILIATIONS_TOTAL, Unit::Count, "Rounds of the reconciler, by part and outcome");
    describe_queues();
    describe_servers();
    begin_at_zero();
}

fn describe_queues() {
    describe_histogram!(JOB_SECONDS, Unit::Seconds, "Duration of jobs, by message type");
    describe_counter!(
        JOBS_TOTAL,
        Unit::Count,
        "Finished deliveries of messages, by queue, message type and outcome"
    );
    describe_counter!(DEAD_TOTAL, Unit::Count, "Dead-lettered messages, by queue");
    describe_gauge!(QUEUE_READY, Unit::Count, "Messages that wait in a queue of the broker");
    describe_histogram!(
        MESSAGE_WAIT_SECONDS,
        Unit::Seconds,
        "Time from the sending of a message to its first job, by queue"
    );
}

fn describe_servers() {
    describe_histogram!(
        THROTTLE_WAIT_SECONDS,
        Unit::Seconds,
        "Time that calls to the course platform waited for their turn"
    );
    describe_counter!(
        THROTTLE_HELD_TOTAL,
        Unit::Count,
        "Answers of the course platform that asked for a pause of all calls"
    );
    describe_counter!(
        EVENT_DELIVERIES_TOTAL,
        Unit::Count,
        "Attempts to deliver an event to an organisation's endpoint, by outcome"
    );
    describe_counter!(
        REDIS_FAILURES_TOTAL,
        Unit::Count,
        "Calls to Redis that failed or took too long, by use"
    );
    describe_counter!(
        EVENT_BUS_FAILURES_TOTAL,
        Unit::Count,
        "Interruptions of reading the course platform's event bus"
    );
}

fn begin_at_zero() {
    for kind in Kind::all() {
        let _ = histogram!(JOB_SECONDS, "type" => kind.name);
        Outcome::VARIANTS.iter().for_each(|outcome| deliveries(kind.queue, kind.name, *outcome, 0));
    }
    for queue in Queue::ALL {
        deliveries(*queue, UNKNOWN, Outcome::Retry, 0);
        deliveries(*queue, UNKNOWN, Outcome::Expired, 0);
        counter!(DEAD_TOTAL, "queue" => queue.name()).increment(0);
        let _ = histogram!(MESSAGE_WAIT_SECONDS, "queue" => queue.name());
    }
    for alert in AlertKind::VARIANTS {
        counter!(ALERTS_TOTAL, "what" => <&str>::from(alert)).increment(0);
    }
    for gateway in Gateway::PROVIDERS {
        shared::metrics::breaker(gateway.name());
        for outcome in NotificationOutcome::VARIANTS {
            notifications(*gateway, *outcome, 0);
        }
    }
    for part in ["payments", "others", "erasure"] {
        reconciliations(part, true, 0);
        reconciliations(part, false, 0);
    }
    for outcome in EventDelivery::VARIANTS {
        counter!(EVENT_DELIVERIES_TOTAL, "outcome" => <&str>::from(outcome)).increment(0);
    }
    for used in RedisUse::VARIANTS {
        counter!(REDIS_FAILURES_TOTAL, "use" => <&str>::from(used)).increment(0);
    }
    let _ = histogram!(THROTTLE_WAIT_SECONDS);
    counter!(THROTTLE_HELD_TOTAL).increment(0);
    counter!(EVENT_BUS_FAILURES_TOTAL).increment(0);
}

/// The label of messages whose kind this version does not know.
const UNKNOWN: &str = "unknown";

/// Records how long a job took for a message of this kind.
pub fn job(kind: &str, duration: Duration) {
    histogram!(JOB_SECONDS, "type" => label(kind)).record(duration.as_secs_f64());
}

/// Counts a finished delivery of a message of this kind.
pub fn delivery(queue: Queue, kind: &str, outcome: Outcome) {
    deliveries(queue, label(kind), outcome, 1);
}

fn deliveries(queue: Queue, kind: &'static str, outcome: Outcome, count: u64) {
    let outcome: &str = outcome.into();
    counter!(JOBS_TOTAL, "queue" => queue.name(), "type" => kind, "outcome" => outcome).increment(count);
}

/// The name of a kind. All unknown kinds share one label, because each label creates a permanent time series.
fn label(kind: &str) -> &'static str {
    Kind::named(kind).map_or(UNKNOWN, |kind| kind.name)
}

/// Records how long a message has waited for its first job.
pub fn waited(queue: Queue, wait: TimeDelta) {
    // The broker keeps the time of sending in whole seconds, and clocks differ.
    let seconds = wait.as_seconds_f64().max(0.0);
    histogram!(MESSAGE_WAIT_SECONDS, "queue" => queue.name()).record(seconds);
}

/// Sets how many messages wait in a queue of the broker.
pub fn ready(queue: String, count: u32) {
    gauge!(QUEUE_READY, "queue" => queue).set(count);
}

/// Counts a dead-lettered message.
pub fn dead_letter(queue: Queue) {
    counter!(DEAD_TOTAL, "queue" => queue.name()).increment(1);
}

/// Counts an alert of this kind.
pub fn alert(kind: AlertKind) {
    counter!(ALERTS_TOTAL, "what" => <&str>::from(kind)).increment(1);
}

/// Sets how much work of one kind waits, and for how many seconds the oldest of it has waited.
pub fn waiting(what: String, count: i64, oldest_seconds: i64) {
    gauge!(WAITING, "what" => what.clone()).set(count as f64);
    gauge!(WAITING_OLDEST_SECONDS, "what" => what).set(oldest_seconds as f64);
}

/// Counts a notification with this outcome.
pub fn notification(gateway: Gateway, outcome: NotificationOutcome) {
    notifications(gateway, outcome, 1);
}

fn notifications(gateway: Gateway, outcome: NotificationOutcome, count: u64) {
    let outcome: &str = outcome.into();
    counter!(WEBHOOKS_PROCESSED_TOTAL, "gateway" => gateway.name(), "outcome" => outcome).increment(count);
}

/// Counts an attempt to deliver an event.
pub fn event_delivery(outcome: EventDelivery) {
    counter!(EVENT_DELIVERIES_TOTAL, "outcome" => <&str>::from(outcome)).increment(1);
}

/// Counts a round of a part of the reconciler, and whether all its steps succeeded.
pub fn reconciled(part: &'static str, succeeded: bool) {
    reconciliations(part, succeeded, 1);
}

fn reconciliations(part: &'static str, succeeded: bool, count: u64) {
    let outcome = if succeeded { "done" } else { "failed" };
    counter!(RECONCILIATIONS_TOTAL, "part" => part, "outcome" => outcome).increment(count);
}

/// Records how long a call to the course platform has waited for its turn.
pub fn throttle_waited(wait: Duration) {
    histogram!(THROTTLE_WAIT_SECONDS).record(wait.as_secs_f64());
}

/// Counts an answer of the course platform that asks for a pause of all calls.
pub fn throttle_held() {
    counter!(THROTTLE_HELD_TOTAL).increment(1);
}

/// Counts a call to Redis that failed or took too long.
pub fn redis_failure(used: RedisUse) {
    counter!(REDIS_FAILURES_TOTAL, "use" => <&str>::from(used)).increment(1);
}

/// Counts an interruption of reading the event bus.
pub fn event_bus_failure() {
    counter!(EVENT_BUS_FAILURES_TOTAL).increment(1);
}
