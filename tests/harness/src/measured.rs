//! Figures that the programs of a world show under `/metrics`.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use metrics_exporter_prometheus::PrometheusHandle;
use shared::telemetry;

use super::{Reply, World, has_its_thread};

thread_local! {
    /// The metrics of a test that has its thread: no other test sees what the programs of its worlds record. The recorder is
    /// leaked, since it must live as long as the thread.
    static OF_THREAD: PrometheusHandle = {
        let recorder = Box::leak(Box::new(telemetry::recorder().expect("a recorder")));
        std::mem::forget(metrics::set_default_local_recorder(recorder));
        recorder.handle()
    };
}

/// The metrics of this test, or of the process if its runtime has several threads.
pub fn prometheus() -> PrometheusHandle {
    static OF_PROCESS: OnceLock<PrometheusHandle> = OnceLock::new();
    if has_its_thread() {
        return OF_THREAD.with(Clone::clone);
    }
    OF_PROCESS.get_or_init(|| telemetry::start_metrics().expect("no other recorder")).clone()
}

impl World {
    /// Reads how much work of a kind waits, by the first worker's gauge.
    pub async fn waiting(&self, what: &str) -> u64 {
        let waiting = self.metric(&format!("storefront_waiting{{what=\"{what}\"}}")).await;
        waiting.map_or(u64::MAX, |waiting| waiting as u64)
    }

    /// Reads `/metrics`. All programs of a test share its metrics.
    pub async fn metrics(&self) -> String {
        let apis = self.apis.iter().map(|api| api.internal);
        let internal = apis.chain(self.workers.iter().map(|worker| worker.internal)).next();
        let internal = internal.expect("a running program");
        Reply::read(self.http.get(format!("http://{internal}/metrics"))).await.text
    }

    /// The value of a metric with exactly these labels, such as `storefront_dead_total{queue="email"}`.
    pub async fn metric(&self, series: &str) -> Option<f64> {
        let metrics = self.metrics().await;
        let mut lines = metrics.lines().filter_map(|line| line.rsplit_once(' '));
        lines.find_map(|(name, value)| (name == series).then(|| value.parse().expect("a number")))
    }

    /// Counts the webhooks of a gateway that had this outcome in the worker.
    pub async fn processed(&self, gateway: &str, outcome: &str) -> f64 {
        let labels = format!(r#"gateway="{gateway}",outcome="{outcome}""#);
        let series = format!("storefront_webhooks_processed_total{{{labels}}}");
        self.metric(&series).await.expect("it begins at 0")
    }

    /// Remembers the counters of a program that has just started.
    pub(super) async fn note_counters(&mut self) {
        let counters = counters(&self.metrics().await);
        self.counters.extend(counters);
    }

    /// Asserts that each counter was there when its program started: Prometheus cannot see a rise of one that appears with
    /// its first event.
    pub(super) async fn check_counters(&self) {
        let mut late = counters(&self.metrics().await);
        late.retain(|counter| !self.counters.contains(counter));
        assert!(late.is_empty(), "counters that did not begin at 0: {late:?}");
    }

    /// Asserts that no metric contains a secret.
    pub(super) async fn check_metrics(&self) {
        let secrets = self.secrets.lock().expect("secrets").clone();
        let internals =
            self.apis.iter().map(|api| api.internal).chain(self.workers.iter().map(|worker| worker.internal));
        for internal in internals {
            let metrics = Reply::read(self.http.get(format!("http://{internal}/metrics"))).await.text;
            assert!(
                !secrets.iter().any(|secret| metrics.contains(secret)),
                "metrics contain a secret: {metrics}"
            );
        }
    }
}

/// The names and labels of all counters.
fn counters(metrics: &str) -> BTreeSet<String> {
    let types = metrics.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
    let names: BTreeSet<&str> = types.filter(|(_, kind)| *kind == "counter").map(|(name, _)| name).collect();
    let series = metrics.lines().filter_map(|line| Some(line.rsplit_once(' ')?.0));
    series
        .filter(|series| names.contains(series.split('{').next().unwrap_or_default()))
        .map(str::to_owned)
        .collect()
}
