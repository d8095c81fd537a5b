//! What a killed test leaves behind: queues, exchanges and a database; its cache keys expire by themselves. Each world locks a file
//! that names them. The kernel releases the lock however the process ends, and the next process with tests removes what the file names.

use std::fs::{self, File};
use std::path::PathBuf;

use super::queue_sets::Broker;
use super::{amqp_url, database, proxy};

/// The beginning of the files' names.
const NAMED: &str = "storefront-world-";

/// A world's lock.
pub(crate) struct Claim {
    path: PathBuf,
    #[expect(dead_code, reason = "holds the lock")]
    locked: File,
}

impl Claim {
    /// Claims what a world is about to create.
    pub(crate) fn new(name: &str, queue_prefix: &str) -> Self {
        let folder = std::env::temp_dir();
        // Nobody sees the file before it is locked.
        let (hidden, path) = (folder.join(format!(".{NAMED}{name}")), folder.join(format!("{NAMED}{name}")));
        fs::write(&hidden, [&broker(), name, queue_prefix].join("\n")).expect("a file");
        let locked = File::open(&hidden).expect("a file");
        locked.lock().expect("a lock");
        fs::rename(hidden, &path).expect("a file");
        Self { path, locked }
    }

    /// Ends a claim on what no longer exists.
    pub(crate) fn release(self) {
        fs::remove_file(self.path).expect("a file");
    }
}

/// Removes what killed tests have left at this broker, and their databases if they are at this PostgreSQL.
pub async fn sweep() {
    let files = fs::read_dir(std::env::temp_dir()).expect("a folder").flatten();
    for path in
        files.filter(|file| file.file_name().to_string_lossy().starts_with(NAMED)).map(|file| file.path())
    {
        let Ok(file) = File::open(&path) else { continue };
        // The test is alive, or another process sweeps up after it.
        if file.try_lock().is_err() {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap_or_default();
        let [at, name, queue_prefix] = text.lines().collect::<Vec<_>>()[..] else { continue };
        if at == broker() {
            Broker::default().delete_set(queue_prefix).await;
            database::drop(name).await;
            let _ = fs::remove_file(&path);
        }
    }
}

fn broker() -> String {
    proxy::address_of(&amqp_url(), 5672)
}
