//! `storefront-worker payments …`, through the real program.

use crate::World;
use crate::steps::worker_program::operator;

/// A command that reads or changes the database alone.
pub async fn payments(world: &World, words: &[&str]) -> (bool, String) {
    operator(world, &[&["payments"], words].concat(), &["database-url"]).await
}

/// A command that also calls the provider, with all settings of the world's workers.
pub async fn payments_calling(world: &World, words: &[&str]) -> (bool, String) {
    let names = world.worker_args.iter().filter_map(|arg| arg.strip_prefix("--")?.split_once('='));
    let names: Vec<&str> = names.map(|(name, _)| name).collect();
    operator(world, &[&["payments"], words].concat(), &names).await
}

/// Asserts that a command fails and says why.
pub fn refuses(reply: &(bool, String), why: &str) {
    assert!(!reply.0 && reply.1.contains(why), "expected a refusal with {why:?}: {}", reply.1);
}
