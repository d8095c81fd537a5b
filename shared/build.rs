//! Lists the texts of `migrations/functions` for `src/schema.rs`, so that no list can forget a file. Neither they nor the folder of
//! `sqlx::migrate!` are watched by cargo itself: without this, a program lacks migrations that were added since it was compiled.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=../migrations");
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../migrations/functions");
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let file = entry?.path();
        if file.extension().is_some_and(|extension| extension == "sql") {
            files.push(file);
        }
    }
    files.sort();
    let texts: Vec<String> = files.iter().map(|file| format!("include_str!({file:?})")).collect();
    let list = Path::new(&env::var("OUT_DIR")?).join("functions.rs");
    fs::write(list, format!("[{}]\n", texts.join(",\n")))?;
    Ok(())
}
