//! `deploy/observability` and the list in `docs/operations.md` name what the programs serve, and the runbook has a heading for
//! each alert. `tests/observability` checks the rules and expressions themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use harness::{Setup, World, world};
use serde_json::Value;

/// Labels that a scrape adds, and the one of histograms' buckets.
const ADDED: [&str; 2] = ["namespace", "le"];

/// A line of `/metrics`: its labels with their values.
type Series = BTreeMap<String, String>;

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).unwrap()
}

/// Selection of a metric: label, operator and value of each condition.
type Selector = (String, Vec<(String, &'static str, String)>);

/// The metrics that expressions name, with their conditions.
fn selectors(expressions: &str) -> Vec<Selector> {
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let rests = expressions.split("storefront_").skip(1);
    let named = rests.map(|rest| rest.split_at(rest.find(|c| !is_name(c)).unwrap_or(rest.len())));
    named
        .map(|(name, rest)| {
            let braces = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
            let conditions = braces.map(|(inside, _)| inside.split(',').map(condition).collect());
            (format!("storefront_{name}"), conditions.unwrap_or_default())
        })
        .collect()
}

fn condition(text: &str) -> (String, &'static str, String) {
    let operator = ["=~", "!~", "!=", "="].into_iter().find(|operator| text.contains(operator)).expect(text);
    let (label, value) = text.split_once(operator).unwrap();
    (label.trim().to_owned(), operator, value.trim().trim_matches('"').to_owned())
}

/// All lines of `/metrics` by metric, after a request and a round of measurements. Buckets, sum and count of a histogram
/// are of one metric.
async fn served(world: &World) -> BTreeMap<String, Vec<Series>> {
    assert_eq!(world.get("/storeapi/discovery/courses/").await.status, 200);
    world.eventually("the worker measures", async |world| world.waiting("outbox").await == 0).await;
    let metrics = world.metrics().await;
    let (mut served, mut family) = (BTreeMap::<String, Vec<Series>>::new(), String::new());
    for line in metrics.lines().filter(|line| !line.is_empty()) {
        if let Some(kind) = line.strip_prefix("# TYPE ") {
            kind.split(' ').next().unwrap().clone_into(&mut family);
        } else if !line.starts_with('#') {
            let inside = line.split_once('{').and_then(|(_, rest)| rest.rsplit_once("\"} "));
            let labels = inside.into_iter().flat_map(|(inside, _)| inside.split("\","));
            let labels = labels.map(|label| label.split_once("=\"").unwrap());
            let labels = labels.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            served.entry(family.clone()).or_default().push(labels);
        }
    }
    served
}

fn setup() -> Setup {
    Setup { worker_args: vec!["--reconcile-every=100ms".into()], ..Setup::default() }
}

/// The metric of a name in an expression, which may be that of a histogram's part.
fn family<'a>(served: &'a BTreeMap<String, Vec<Series>>, name: &str) -> Option<&'a Vec<Series>> {
    let base = || ["_bucket", "_sum", "_count"].into_iter().find_map(|part| name.strip_suffix(part));
    served.get(name).or_else(|| served.get(base()?))
}

#[tokio::test]
async fn rules_and_dashboard_select_only_what_is_served() {
    world(setup(), async |world| {
        let served = served(world).await;
        let dashboard: Value = serde_json::from_str(&read("deploy/observability/dashboard.json")).unwrap();
        let panels = dashboard["panels"].as_array().unwrap().iter();
        let targets = panels.flat_map(|panel| panel["targets"].as_array().into_iter().flatten());
        let shown: String = targets.map(|target| format!("{}\n", target["expr"].as_str().unwrap())).collect();
        let rules = read("deploy/observability/rules.yaml");
        let (of_rules, of_dashboard) = (selectors(&rules), selectors(&shown));
        assert!(of_rules.len() > 30 && of_dashboard.len() > 30);
        for (name, conditions) in of_rules.iter().chain(&of_dashboard) {
            let series = family(&served, name).unwrap_or_else(|| panic!("{name} is not served"));
            for (label, operator, value) in conditions {
                if ADDED.contains(&label.as_str()) {
                    continue;
                }
                for value in value.split('|') {
                    let matches = |shown: &String| match value.strip_suffix(".*") {
                        Some(begin) if operator.ends_with('~') => shown.starts_with(begin),
                        _ => shown == value,
                    };
                    let is_served = series.iter().any(|series| series.get(label).is_some_and(matches));
                    assert!(is_served, "{name}{{{label}=\"{value}\"}} is not served");
                }
            }
        }
        // A metric that nothing shows is no eye on anything.
        let named: BTreeSet<&str> = of_dashboard.iter().map(|(name, _)| name.as_str()).collect();
        for metric in served.keys() {
            assert!(
                named.iter().any(|name| name.starts_with(metric.as_str())),
                "the dashboard lacks {metric}"
            );
        }
    })
    .await;
}

/// `docs/operations.md` lists each metric with its labels.
#[tokio::test]
async fn the_documented_metrics_are_those_that_are_served() {
    world(setup(), async |world| {
        let labels = |series: &Vec<Series>| -> BTreeSet<String> {
            let labels = series.iter().flat_map(|series| series.keys());
            labels.filter(|label| !ADDED.contains(&label.as_str())).cloned().collect()
        };
        let served: BTreeMap<String, BTreeSet<String>> =
            served(world).await.into_iter().map(|(name, series)| (name, labels(&series))).collect();
        let document = read("docs/operations.md");
        let (_, section) = document.split_once("## Probes and metrics\n").unwrap();
        let (section, _) = section.split_once("## Alerts\n").unwrap();
        let rows = section.lines().filter_map(|line| line.strip_prefix("| `storefront_")?.split_once('`'));
        let documented: BTreeMap<String, BTreeSet<String>> = rows
            .map(|(metric, _)| {
                let (name, labels) = metric.trim_end_matches('}').split_once('{').unwrap_or((metric, ""));
                let labels = labels.split(',').filter(|label| !label.is_empty()).map(str::to_owned).collect();
                (format!("storefront_{name}"), labels)
            })
            .collect();
        assert_eq!(documented, served);
    })
    .await;
}

#[test]
fn each_alert_has_a_heading_in_the_runbook_and_each_heading_an_alert() {
    let (rules, runbook) = (read("deploy/observability/rules.yaml"), read("deploy/observability/runbook.md"));
    let alerts: Vec<&str> =
        rules.lines().filter_map(|line| line.trim_start().strip_prefix("- alert: ")).collect();
    let headings: Vec<&str> = runbook.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert!(alerts.len() > 20);
    assert_eq!(alerts, headings);
    let linked = rules.lines().filter_map(|line| line.trim_start().strip_prefix("runbook_url: "));
    let anchors: Vec<&str> = linked.map(|url| url.split_once("runbook.md#").unwrap().1).collect();
    assert_eq!(anchors, headings.iter().map(|heading| heading.to_lowercase()).collect::<Vec<_>>());
}

/// A gauge counts these three, too, until an operator has dealt with them, and the rules watch that.
#[tokio::test]
async fn each_kind_of_alert_that_the_programs_raise_has_a_rule() {
    world(setup(), async |world| {
        let served = served(world).await;
        let watched = [
            ("payment", "payments_alarmed"),
            ("event", "events_parked"),
            ("account", "accounts_refused"),
            ("endpoint", "webhooks_disabled"),
        ];
        let selectors = selectors(&read("deploy/observability/rules.yaml"));
        for series in &served["storefront_alerts_total"] {
            let kind = series["what"].as_str();
            let gauge = watched.iter().find(|(what, _)| *what == kind);
            let (metric, what) =
                gauge.map_or(("storefront_alerts_total", kind), |(_, gauge)| ("storefront_waiting", *gauge));
            let has_rule = selectors.iter().any(|(name, conditions)| {
                name == metric
                    && conditions.iter().any(|(_, _, value)| value.split('|').any(|value| value == what))
            });
            assert!(has_rule, "no rule watches the alert {kind}");
        }
    })
    .await;
}
