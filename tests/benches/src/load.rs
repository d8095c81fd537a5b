//! Runs wrk and parses its output.

use std::process::Stdio;

use harness::SECRET;
use tokio::process::Command;

/// One run's figures; latencies in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub per_second: f64,
    pub p50: f64,
    pub p99: f64,
}

/// Four seconds of requests over 32 connections, authenticated with the client secret.
pub async fn wrk(url: &str) -> Load {
    wrk_with(url, &format!("clientapisecret: {SECRET}")).await
}

/// The same load, authenticated with another header.
pub async fn wrk_with(url: &str, header: &str) -> Load {
    run(url, header, 32).await
}

/// The same load over another number of connections.
pub async fn wrk_connections(url: &str, connections: usize) -> Load {
    run(url, &format!("clientapisecret: {SECRET}"), connections).await
}

async fn run(url: &str, header: &str, connections: usize) -> Load {
    let output = Command::new("wrk")
        .args(["-t1", &format!("-c{connections}"), "-d4s", "--latency", "-H"])
        .arg(header)
        .arg(url)
        .stderr(Stdio::inherit())
        .output()
        .await
        .expect("wrk, as tests/bench installs it");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(!text.contains("Non-2xx"), "{text}");
    let after = |label: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with(label)).expect("a line of wrk's");
        line.split_whitespace().last().expect("a figure").to_owned()
    };
    Load {
        per_second: after("Requests/sec").parse().expect("a number"),
        p50: milliseconds(&after("50%")),
        p99: milliseconds(&after("99%")),
    }
}

fn milliseconds(text: &str) -> f64 {
    let digits = text.trim_end_matches(|c: char| c.is_alphabetic());
    let value: f64 = digits.parse().expect("a number");
    match &text[digits.len()..] {
        "us" => value / 1000.0,
        "ms" => value,
        "s" => value * 1000.0,
        unit => unreachable!("wrk's unit {unit}"),
    }
}

/// Five rounds in which both targets take turns; returns the round with the median ratio of rates.
pub async fn compare(url: &str, baseline: &str) -> (Load, Load) {
    let mut rounds = Vec::new();
    for _ in 0..5 {
        rounds.push((wrk(url).await, wrk(baseline).await));
    }
    let ratio = |(ours, theirs): &(Load, Load)| ours.per_second / theirs.per_second;
    rounds.sort_by(|a, b| ratio(a).total_cmp(&ratio(b)));
    rounds[rounds.len() / 2]
}

/// The middle one of the values.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
