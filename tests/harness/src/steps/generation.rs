//! The catalog's generation in Redis.

use crate::{World, redis_url};

/// Tells the apis of a catalog generation, as the worker does.
pub async fn raise_in_redis(world: &World, generation: i64) {
    let (mut redis, key) = generation_key(world).await;
    redis::cmd("SET").arg(key).arg(generation).query_async::<()>(&mut redis).await.unwrap();
}

/// The catalog's generation as the apis read it.
pub async fn generation_in_redis(world: &World) -> i64 {
    let (mut redis, key) = generation_key(world).await;
    redis::cmd("GET").arg(key).query_async(&mut redis).await.unwrap()
}

async fn generation_key(world: &World) -> (redis::aio::MultiplexedConnection, String) {
    let client = redis::Client::open(redis_url()).unwrap();
    (client.get_multiplexed_async_connection().await.unwrap(), format!("{}:catalog:generation", world.name))
}
