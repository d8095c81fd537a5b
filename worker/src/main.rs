//! The worker's program.

fn main() -> std::process::ExitCode {
    worker::cli::main()
}
