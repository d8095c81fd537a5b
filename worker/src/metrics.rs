//! The metrics of the worker: the name, unit and meaning of each, and how it is recorded. No other module names a metric.

use std::time::Duration;

use metrics::{Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use shared::messages::Queue;

const JOB_SECONDS: &str = "storefront_job_seconds";
const JOBS_TOTAL: &str = "storefront_jobs_total";
const DEAD_TOTAL: &str = "storefront_dead_total";
const ALARMS_TOTAL: &str = "storefront_alarms_total";
const WAITING: &str = "storefront_waiting";
const WAITING_OLDEST_SECONDS: &str = "storefront_waiting_oldest_seconds";

/// Describes every metric to the recorder, so that `/metrics` says what each one is. Call it once the recorder is
/// installed.
pub fn describe() {
    describe_histogram!(JOB_SECONDS, Unit::Seconds, "Duration of jobs, by message type");
    describe_counter!(JOBS_TOTAL, Unit::Count, "Finished deliveries of messages, by queue and outcome");
    describe_counter!(DEAD_TOTAL, Unit::Count, "Dead-lettered messages, by queue");
    describe_counter!(ALARMS_TOTAL, Unit::Count, "Alerts: situations that an operator has to look at");
    describe_gauge!(WAITING, Unit::Count, "Waiting work, by kind");
    describe_gauge!(WAITING_OLDEST_SECONDS, Unit::Seconds, "Age of the oldest waiting work, by kind");
}

/// Records how long a job took for a message of this type.
pub fn job(kind: &str, duration: Duration) {
    histogram!(JOB_SECONDS, "type" => kind.to_owned()).record(duration.as_secs_f64());
}

/// Counts a finished delivery; the outcome is `done`, `retry` or `rejected`.
pub fn delivery(queue: Queue, outcome: &'static str) {
    counter!(JOBS_TOTAL, "queue" => queue.name(), "outcome" => outcome).increment(1);
}

/// Counts a dead-lettered message.
pub fn dead_letter(queue: Queue) {
    counter!(DEAD_TOTAL, "queue" => queue.name()).increment(1);
}

/// Counts an alert of this kind.
pub fn alert(what: &'static str) {
    counter!(ALARMS_TOTAL, "what" => what).increment(1);
}

/// Sets how much work of one kind waits, and for how many seconds the oldest of it has waited.
pub fn waiting(what: String, count: i64, oldest_seconds: i64) {
    gauge!(WAITING, "what" => what.clone()).set(count as f64);
    gauge!(WAITING_OLDEST_SECONDS, "what" => what).set(oldest_seconds as f64);
}
