//! The api's program, built for tests that start it as a process.

fn main() -> std::process::ExitCode {
    api::cli::main()
}
