//! The api's program.

use mimalloc::MiMalloc;

/// After thousands of slow connections, the C library's allocator keeps more memory than it uses again.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> std::process::ExitCode {
    storefront_api::cli::main()
}
