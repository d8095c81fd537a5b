//! The catalog's generation, and a course whose name shows which one is read.

use sqlx::PgPool;

use super::demo::{PAID_COURSE, PAID_KEY};
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

/// The name of the demo's paid course, as the api shows it.
pub async fn course_name(world: &World) -> String {
    let reply = world.get(&format!("/storeapi/discovery/course/{PAID_KEY}/")).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json["display_name"].as_str().unwrap().to_owned()
}

/// Renames the course in a database. Returns the generation that this makes.
pub async fn rename_course(db: &PgPool, name: &str) -> i64 {
    let rename = "UPDATE courses SET display_name = $1 WHERE id = $2::uuid";
    sqlx::query(rename).bind(name).bind(PAID_COURSE).execute(db).await.unwrap();
    let raise = "UPDATE catalog_generation SET generation = generation + 1 RETURNING generation";
    sqlx::query_scalar(raise).fetch_one(db).await.unwrap()
}
