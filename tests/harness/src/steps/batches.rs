//! Batches of enrollments and removals, as a partner sends them.

use std::time::Duration;

use reqwest::Method;
use serde_json::Value;

use crate::{Reply, World};

/// The path of batches.
pub const BATCH: &str = "/storeapi/enrollments/client/batch/";

/// Submits a batch as CSV.
pub async fn submit_csv(world: &World, query: &str, csv: String) -> Reply {
    let request = world.request(Method::POST, &format!("{BATCH}?{query}")).header("content-type", "text/csv");
    Reply::read(request.body(csv)).await
}

/// The id of the batch that an answer accepts.
pub fn id_of(reply: &Reply) -> String {
    assert_eq!(reply.status, 202, "{}", reply.text);
    reply.json["batch_id"].as_str().unwrap().to_owned()
}

/// A batch, with the rows that a query selects.
pub async fn shown(world: &World, id: &str, query: &str) -> Value {
    let reply = world.get(&format!("{BATCH}{id}/?{query}")).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json
}

/// Waits until all rows of a batch are done, and returns the batch with them.
pub async fn done(world: &World, id: &str) -> Value {
    let patience = Duration::from_secs(300);
    world
        .eventually_within(patience, "the batch is done", &mut async |world: &World| {
            shown(world, id, "").await["status"] == "done"
        })
        .await;
    shown(world, id, "limit=100").await
}
