//! The harness itself: what a killed run of tests leaves behind, and what belongs to one that is alive.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use harness::{Setup, World, leftovers, world};

/// Set in a run that the test starts: the file for the name of its world.
const CHILD: &str = "TEST_LEFTOVERS_CHILD";

#[tokio::test]
async fn a_killed_run_is_swept_up_after_and_a_live_one_keeps_its_own() {
    if let Ok(file) = std::env::var(CHILD) {
        let setup = Setup { own_queues: true, ..Setup::default() };
        return world(setup, async |world| {
            fs::write(file, &world.name).unwrap();
            std::future::pending().await
        })
        .await;
    }
    world(Setup::without_workers(), async |world| {
        let (mut killed, mut alive) = (Run::start(world, "killed"), Run::start(world, "alive"));
        for run in [&killed, &alive] {
            // A process of its own migrates its first database, which takes longer than a test otherwise waits.
            let begun = Instant::now();
            while run.has(world).await != (true, true) {
                assert!(begun.elapsed() < Duration::from_secs(300), "a run has its world");
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        }
        killed.kill();
        leftovers::sweep().await;
        assert_eq!(killed.has(world).await, (false, false));
        assert_eq!(alive.has(world).await, (true, true));
        alive.kill();
        leftovers::sweep().await;
        assert_eq!(alive.has(world).await, (false, false));
    })
    .await;
}

/// A run of this test in a process of its own, which lives until it is killed.
struct Run {
    process: Child,
    file: PathBuf,
}

impl Run {
    fn start(world: &World, name: &str) -> Self {
        let file = std::env::temp_dir().join(format!("{}-{name}", world.name));
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "leftovers::a_killed_run_is_swept_up_after_and_a_live_one_keeps_its_own"]);
        let process = command.env(CHILD, &file).stdout(Stdio::null()).spawn().unwrap();
        Self { process, file }
    }

    /// Returns whether its database exists, and its queues.
    async fn has(&self, world: &World) -> (bool, bool) {
        let name = fs::read_to_string(&self.file).unwrap_or_default();
        let database = sqlx::query_scalar("SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)");
        let database = database.bind(&name).fetch_one(&world.db).await.unwrap();
        (database, world.has_queue(&format!("{name}.dead")).await)
    }

    fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.kill();
        let _ = fs::remove_file(&self.file);
    }
}
