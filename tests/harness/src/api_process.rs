//! The api as a separate process.

use std::collections::HashMap;
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::process::{Child, Command};

use super::{Reply, World};

/// The api in a separate process; dropping it ends it.
pub struct ApiProcess {
    process: Child,
    /// The base URLs of its public interface, and of its probes and metrics.
    pub base: String,
    pub internal: String,
}

impl ApiProcess {
    /// Starts a program with a world's settings, of which these arguments replace some, and waits until it is ready and connected to
    /// the broker.
    pub async fn start(world: &World, program: &str, arguments: &[&str]) -> Self {
        let (public, internal) = (free_port(), free_port());
        let mut all = world.api_args.clone();
        all.push(format!("--api-listen=127.0.0.1:{public}"));
        all.push(format!("--api-internal-listen=127.0.0.1:{internal}"));
        all.extend(arguments.iter().map(|argument| (*argument).to_owned()));
        // The program takes each setting once: of several values, the last one counts.
        let name = |argument: &str| argument.split('=').next().map(str::to_owned);
        let last: HashMap<_, _> = all.iter().map(|argument| (name(argument), argument)).collect();
        let process = Command::new(program)
            .args(last.values())
            .env("HOSTNAME", "pod-1")
            // As in the image.
            .env("MIMALLOC_ALLOW_THP", "0")
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("the api's program");
        let (base, internal) = (format!("http://127.0.0.1:{public}"), format!("http://127.0.0.1:{internal}"));
        let ready = format!("{internal}/readyz");
        loop {
            // A replica is ready without the broker, but a test's first command is not.
            if let Ok(answer) = Reply::try_read(world.http.get(&ready)).await
                && answer.status == 200
                && answer.json["broker"] == true
            {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Self { process, base, internal }
    }

    /// Waits until the program has ended. Whether it succeeded.
    pub async fn ended(&mut self) -> bool {
        self.process.wait().await.expect("a process").success()
    }

    /// Stops the program as an orchestrator does.
    pub fn terminate(&self) {
        terminate(self.id());
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.process.id().expect("it runs")
    }

    /// A line of `/proc/PID/status`, in MiB.
    pub fn memory(&self, line: &str) -> u64 {
        let path = format!("/proc/{}/status", self.id());
        let status = std::fs::read_to_string(path).expect("status");
        let line = status.lines().find(|known| known.starts_with(line)).expect("a line");
        let kib: u64 = line.split_whitespace().nth(1).expect("a figure").parse().expect("a number");
        kib / 1024
    }
}

/// Sends SIGTERM.
pub fn terminate(process: u32) {
    let sent = std::process::Command::new("kill").arg(process.to_string()).status();
    assert!(sent.expect("kill").success(), "no process {process}");
}

/// Ports below those that the kernel gives to connections by itself, which could take one between its choice and its use.
const PORTS: std::ops::Range<u32> = 12_000..32_000;

/// A port of the loopback interface that no program listens on, and no other test of this process was given.
pub fn free_port() -> u16 {
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    loop {
        let nth = std::process::id().wrapping_mul(97).wrapping_add(TAKEN.fetch_add(1, Ordering::Relaxed));
        let port = PORTS.start + nth % (PORTS.end - PORTS.start);
        let port = u16::try_from(port).expect("a port");
        if std::net::TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}
