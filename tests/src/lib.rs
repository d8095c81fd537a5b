//! What the tests and the demo run against: simulators of the external servers, generated catalogs, and a harness
//! that runs the real api and worker.

pub mod conformance;
pub mod generator;
pub mod harness;
pub mod simulators;

/// Writes a generated catalog to a temporary file.
#[expect(clippy::expect_used, reason = "test code that is no #[test] itself")]
pub fn catalog_file(name: &str, courses: u32, seed: u64) -> std::path::PathBuf {
    let path = std::env::temp_dir().join(format!("{name}-{courses}.jsonl"));
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).expect("a temporary file"));
    generator::write_catalog(&mut file, courses, seed).expect("written");
    path
}
