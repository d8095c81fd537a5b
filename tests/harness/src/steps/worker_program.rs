//! The worker's program in a process of its own: commands that an operator runs, and workers that a test kills.

use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::Duration;

use tokio::process::Command;

use crate::{World, terminate};

/// The path of the worker's program, which cargo builds beside the tests of `tests/it`.
pub fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.ancestors().nth(2).unwrap().join("storefront-worker-under-test")
}

/// The operator of all commands that do not name another one.
pub const OPERATOR: &str = "Mira";

/// The settings of `run` that a world gives, but for the addresses of its listeners and `--platform-url`.
pub const SETTINGS: &[&str] = &[
    "database-url",
    "redis-url",
    "redis-prefix",
    "amqp-url",
    "queue-prefix",
    "retry-delays",
    "link-secret",
    "public-base-url",
    "platform-client-id",
    "platform-client-secret",
    "smtp-url",
    "mail-from",
    "gateway-keys",
    "notification-keys",
    "stripe-url",
    "mollie-url",
    "razorpay-url",
    "curlec-url",
    "vies-url",
];

/// A command of the program, with those settings of the world that are named.
pub fn command(world: &World, words: &[&str], settings: &[&str]) -> Command {
    // Of several values, the last one counts.
    let last =
        |name: &&str| world.worker_args.iter().rfind(|setting| setting.starts_with(&format!("--{name}=")));
    let mut command = Command::new(program());
    command.env("OPERATOR", OPERATOR).args(words).args(settings.iter().filter_map(last));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs an operator command. Returns whether it succeeded, and its output with its errors.
pub async fn operator(world: &World, words: &[&str], settings: &[&str]) -> (bool, String) {
    let words = [&["--log-filter=off"], words].concat();
    let output = command(world, &words, settings).output().await.unwrap();
    (output.status.success(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

/// A running worker; dropping it sends SIGKILL.
pub struct WorkerProcess(Child);

impl WorkerProcess {
    /// Starts a worker with a world's settings.
    pub fn start(world: &World) -> Self {
        let mut command = std::process::Command::new(program());
        command.args(["--log-filter=off", "run"]).args(&world.worker_args).stdout(Stdio::null());
        Self(command.spawn().unwrap())
    }
}

impl WorkerProcess {
    /// Stops the worker as an orchestrator does, and waits until it has finished its jobs.
    pub async fn end(mut self) {
        terminate(self.0.id());
        while self.0.try_wait().unwrap().is_none() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        self.0.wait().unwrap();
    }
}
