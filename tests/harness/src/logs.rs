//! Captures everything that the services log in this process, to search it for secrets.

use std::io;
use std::sync::{Mutex, Once};

use tracing_subscriber::EnvFilter;

static CAPTURE: Once = Once::new();
static LOGGED: Mutex<Vec<u8>> = Mutex::new(Vec::new());

struct Writer;

impl io::Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LOGGED.lock().expect("logs").extend_from_slice(bytes);
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
}

/// The last 20 warnings and errors, for the report of a failed test.
pub fn complaints() -> String {
    let logged = LOGGED.lock().expect("logs");
    let text = String::from_utf8_lossy(&logged);
    let complaints: Vec<&str> =
        text.lines().filter(|line| line.contains(" WARN ") || line.contains(" ERROR ")).collect();
    complaints[complaints.len().saturating_sub(20)..].join("\n")
}

/// The captured lines that contain this text.
pub fn logged(text: &str) -> Vec<String> {
    let logged = LOGGED.lock().expect("logs");
    String::from_utf8_lossy(&logged).lines().filter(|line| line.contains(text)).map(str::to_owned).collect()
}

/// The first captured line that contains one of these secrets.
pub fn telling(secrets: &[String]) -> Option<String> {
    let logged = LOGGED.lock().expect("logs");
    let text = String::from_utf8_lossy(&logged);
    text.lines().find(|line| secrets.iter().any(|secret| line.contains(secret.as_str()))).map(str::to_owned)
}
