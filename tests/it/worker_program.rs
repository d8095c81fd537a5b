//! The worker's program in a process of its own: commands that an operator runs, and workers that a test kills.

use std::process::{Child, Stdio};

use harness::World;
use tokio::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_storefront-worker-under-test");

/// A command of the program, with those settings of the world that are named.
pub fn command(world: &World, words: &[&str], settings: &[&str]) -> Command {
    let named = |setting: &&String| settings.iter().any(|name| setting.starts_with(&format!("--{name}=")));
    let mut command = Command::new(PROGRAM);
    command.arg("--log-filter=off").args(words).args(world.worker_args.iter().filter(named));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs an operator command. Returns whether it succeeded, and its output with its errors.
pub async fn operator(world: &World, words: &[&str], settings: &[&str]) -> (bool, String) {
    let output = command(world, words, settings).output().await.unwrap();
    (output.status.success(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

/// A running worker; dropping it sends SIGKILL.
pub struct WorkerProcess(Child);

impl WorkerProcess {
    pub fn start(world: &World) -> Self {
        let mut command = std::process::Command::new(PROGRAM);
        command.args(["--log-filter=off", "run"]).args(&world.worker_args).stdout(Stdio::null());
        Self(command.spawn().unwrap())
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}
