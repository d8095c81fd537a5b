//! The worker's program, built for tests that kill it as a process.

fn main() -> std::process::ExitCode {
    worker::cli::main()
}
