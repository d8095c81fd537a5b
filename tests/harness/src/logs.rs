//! Captures what the services log, to search it for secrets. Each test has its own lines, also where tests share a process.

use std::cell::{Cell, RefCell};
use std::io;
use std::sync::{Mutex, Once};

use tracing_subscriber::EnvFilter;

use super::has_its_thread;

static CAPTURE: Once = Once::new();

/// The lines of all threads that are not a test's: of runtimes with several threads, of blocking calls and of libraries.
static SHARED: Mutex<Vec<u8>> = Mutex::new(Vec::new());

thread_local! {
    /// The lines of a test that has its thread.
    static OWN: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
    /// How many of the shared bytes were there before the thread's first world.
    static BEFORE: Cell<Option<usize>> = const { Cell::new(None) };
}

struct Writer;

impl io::Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        OWN.with_borrow_mut(|own| match own {
            Some(own) => own.extend_from_slice(bytes),
            None => SHARED.lock().expect("logs").extend_from_slice(bytes),
        });
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Captures every log line of the storefront's code, and of other crates what a production log would hold.
pub fn capture() {
    CAPTURE.call_once(|| {
        let filter =
            EnvFilter::new("info,storefront_api=trace,storefront_worker=trace,storefront_shared=trace");
        let capture =
            tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(|| Writer);
        // The benchmarks install a subscriber that discards everything.
        drop(capture.try_init());
    });
    if BEFORE.get().is_none() {
        BEFORE.set(Some(SHARED.lock().expect("logs").len()));
    }
    if has_its_thread() {
        OWN.with_borrow_mut(|own| _ = own.get_or_insert_default());
    }
}

/// The captured lines of this test for which the condition holds.
fn lines(holds: impl Fn(&str) -> bool) -> Vec<String> {
    let select = |logged: &[u8]| {
        String::from_utf8_lossy(logged).lines().filter(|line| holds(line)).map(str::to_owned).collect()
    };
    OWN.with_borrow(|own| match own {
        Some(own) => select(own),
        None => select(&SHARED.lock().expect("logs")),
    })
}

/// The last 20 warnings and errors, for the report of a failed test.
pub fn complaints() -> String {
    let complaints = lines(|line| line.contains(" WARN ") || line.contains(" ERROR "));
    complaints[complaints.len().saturating_sub(20)..].join("\n")
}

/// The captured lines that contain this text.
pub fn logged(text: &str) -> Vec<String> {
    lines(|line| line.contains(text))
}

/// The first line that contains one of these secrets, of those captured since the first world of this test, on whichever thread it
/// was written.
pub fn telling(secrets: &[String]) -> Option<String> {
    let tells = |line: &str| secrets.iter().any(|secret| line.contains(secret.as_str()));
    let own = lines(tells).into_iter().next();
    let shared = || {
        let shared = SHARED.lock().expect("logs");
        let shared = String::from_utf8_lossy(&shared[BEFORE.get().unwrap_or_default()..]);
        shared.lines().find(|line| tells(line)).map(str::to_owned)
    };
    own.or_else(shared)
}
