//! The worker's executable. The command line is in `cli`.

fn main() -> std::process::ExitCode {
    storefront_worker::cli::main()
}
