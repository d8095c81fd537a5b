//! No query makes a list route panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|query: &str| api::fuzzing::queries(query));
