//! What the tests and the demo run against: simulators of the servers outside, generated catalogs, and a harness that
//! runs the real api and worker.

pub mod generator;
pub mod harness;
pub mod simulators;
