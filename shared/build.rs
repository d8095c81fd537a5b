//! `sqlx::migrate!` reads a folder that cargo does not watch by itself: without this, a program lacks migrations that were
//! added since it was compiled.

fn main() {
    println!("cargo:rerun-if-changed=../migrations");
}
