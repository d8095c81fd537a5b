//! Measures how many messages wait in each queue, over the consumers' connection. It declares the queues passively, which
//! changes nothing and needs no permission. The broker tells no age this way: `metrics::waited` measures how long a message
//! has waited when its job starts.

use std::convert::Infallible;
use std::time::Duration;

use lapin::Connection;
use shared::queue::{LinkError, Topology};

use super::ACK_TIMEOUT;
use crate::metrics;

/// Measures after each interval `every`, for as long as the connection is used.
pub(super) async fn measure(connection: &Connection, topology: &Topology, every: Duration) -> Infallible {
    loop {
        let Err(error) = keep_measuring(connection, topology, every).await;
        tracing::debug!(%error, "cannot measure the queues; trying again");
        tokio::time::sleep(every).await;
    }
}

/// Measures on a channel of its own, until that fails: the broker closes the channel if a queue does not exist.
async fn keep_measuring(
    connection: &Connection,
    topology: &Topology,
    every: Duration,
) -> Result<Infallible, LinkError> {
    let channel = answered(connection.create_channel()).await?;
    loop {
        for (queue, ready) in answered(topology.depths(&channel)).await? {
            metrics::ready(queue, ready);
        }
        tokio::time::sleep(every).await;
    }
}

async fn answered<T>(asking: impl Future<Output = Result<T, lapin::Error>>) -> Result<T, LinkError> {
    Ok(tokio::time::timeout(ACK_TIMEOUT, asking).await.map_err(|_| LinkError::Timeout)??)
}
