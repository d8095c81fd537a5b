//! The warm course list beside a bare route that writes the same bytes from memory, with the same allocator.

use axum::Router;
use axum::http::header;
use axum::routing::get;
use bytes::Bytes;
use harness::{ApiProcess, Reply, SECRET, Setup, world};

use crate::load::compare;

pub async fn run() {
    world(Setup { apis: 0, workers: 0, own_queues: true, ..Setup::default() }, async |world| {
        let api = ApiProcess::start(world, crate::API, &[]).await;
        let list = format!("{}/storeapi/discovery/courses/", api.base);
        let body = Reply::read(world.http.get(&list).header("clientapisecret", SECRET)).await;
        let body = Bytes::from(body.text);
        let size = body.len();
        let bare = Router::new().route(
            "/",
            get(move || {
                let body = body.clone();
                async move { ([(header::CONTENT_TYPE, "application/json")], body) }
            }),
        );
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(async move { axum::serve(listener, bare).await });
        let (ours, memory) = compare(&list, &format!("http://{address}/")).await;
        println!("warm list of 8, {size} bytes, 32 connections, median of 5");
        println!("  list    {:>8.0}/s  p50 {:.2} ms  p99 {:.2} ms", ours.per_second, ours.p50, ours.p99);
        println!(
            "  memory  {:>8.0}/s  p50 {:.2} ms  p99 {:.2} ms",
            memory.per_second, memory.p50, memory.p99
        );
        println!("  ratio   {:.2}", ours.per_second / memory.per_second);
    })
    .await;
}
