//! The CPU time of the processes that take part in a measurement, read from `/proc`.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::process::{Command, Stdio};

/// Groups of processes, by the name that Linux keeps: at most 15 characters.
const GROUPS: [(&str, &str); 7] = [
    ("storefront-api", "api"),
    ("storefront-work", "worker"),
    ("postgres", "postgres"),
    ("beam.smp", "broker"),
    ("redis-server", "redis"),
    ("storefront-benc", "load"),
    ("wrk", "load"),
];

/// The groups as they are shown; `load` is the callers with the simulated platform, providers and SMTP server.
pub const SHOWN: [&str; 6] = ["api", "worker", "postgres", "broker", "redis", "load"];

/// Linux reports CPU time in ticks of this many milliseconds.
const TICK: f64 = 10.0;

/// The resident memory of a process in MiB.
pub fn memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("status");
    let line = status.lines().find(|line| line.starts_with("VmRSS")).expect("a line");
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).expect("a number") / 1024
}

/// Has the kernel prefer a thread, as the nodes of Kubernetes do with what has requested more of a processor. Needs root.
pub fn prefer(thread: &OsStr) {
    let done = Command::new("renice").args(["-n", "-10", "-p"]).arg(thread).stdout(Stdio::null()).status();
    assert!(done.is_ok_and(|done| done.success()), "renice needs root");
}

/// CPU milliseconds by group, of all processes of this machine since they started, with those of ended children.
pub fn cpu() -> BTreeMap<&'static str, f64> {
    let mut times = BTreeMap::new();
    for entry in std::fs::read_dir("/proc").expect("/proc").flatten() {
        // A process may end while this reads.
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        let Some((name, rest)) = stat.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')')) else {
            continue;
        };
        if let Some((_, group)) = GROUPS.iter().find(|(known, _)| *known == name) {
            // utime, stime, cutime and cstime: fields 14 to 17 of the line, of which two come before the rest.
            let ticks: f64 =
                rest.split_whitespace().skip(11).take(4).filter_map(|field| field.parse::<f64>().ok()).sum();
            *times.entry(*group).or_insert(0.0) += ticks * TICK;
        }
    }
    times
}

/// CPU milliseconds since an earlier reading, for each of `count` requests.
pub fn cpu_per(before: &BTreeMap<&'static str, f64>, count: f64) -> BTreeMap<&'static str, f64> {
    let spent = |(group, now): (&'static str, f64)| {
        let earlier = before.get(group).copied().unwrap_or_default();
        (group, (now - earlier).max(0.0) / count)
    };
    cpu().into_iter().map(spent).collect()
}
