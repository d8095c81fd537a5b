//! Answers that clients ask for and do not read: what they may take of the memory together, and which ones take none.

use harness::steps::demo::FREE_KEY;
use harness::{Reply, SECRET, Setup, World, world};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpSocket, TcpStream};
use uuid::Uuid;

const SCRIPT: &str = "/storeapi/docs/swagger-ui-bundle.js";

/// A connection that has asked for a path, and reads nothing of the answer.
async fn ask(world: &World, path: &str) -> TcpStream {
    let small = TcpSocket::new_v4().unwrap();
    small.set_recv_buffer_size(4096).unwrap();
    let mut socket = small.connect(world.apis[0].public).await.unwrap();
    let head = format!(
        "GET {path} HTTP/1.1\r\nHost: store.test\r\nclientapisecret: {SECRET}\r\nAccept: text/csv\r\n\r\n"
    );
    socket.write_all(head.as_bytes()).await.unwrap();
    socket
}

/// The path of a batch of enrollments whose rows are about 5 MiB of CSV: more than a socket takes by itself.
async fn large_list(world: &World) -> String {
    let id = Uuid::now_v7();
    sqlx::query("INSERT INTO batches (id, total, created_at, done_at, lease_until) VALUES ($1, 5000, now(), now(), now())")
        .bind(id)
        .execute(&world.db)
        .await
        .unwrap();
    sqlx::query(
        "INSERT INTO batch_rows (batch_id, row, email, action, state, message)
         SELECT $1, n, 'learner' || n || '@example.com', 'enroll', 'failed', repeat('x', 1000) FROM generate_series(1, 5000) n",
    )
    .bind(id)
    .execute(&world.db)
    .await
    .unwrap();
    format!("/storeapi/enrollments/client/batch/{id}/")
}

#[tokio::test]
async fn unread_answers_take_bounded_memory_and_shared_ones_none() {
    let api_args = vec!["--unread-answers-mib=12".to_owned(), "--body-timeout=60s".to_owned()];
    world(Setup { api_args, ..Setup::without_workers() }, async |world| {
        let path = large_list(world).await;
        let read = async |world: &World| {
            Reply::read(world.request(reqwest::Method::GET, &path).header("accept", "text/csv")).await
        };
        // A client that reads gives the memory back, on one connection or several.
        for _ in 0..6 {
            let reply = read(world).await;
            assert_eq!(reply.status, 200);
            assert!((5_000_000..6_000_000).contains(&reply.text.len()), "{}", reply.text.len());
        }
        let mut unread = Vec::new();
        // Some of them may be refused, while earlier answers still hold memory.
        world
            .eventually("the memory is taken", async |world| {
                unread.push(ask(world, &path).await);
                read(world).await.status == 503
            })
            .await;
        let refused = read(world).await;
        assert_eq!(refused.assert_problem(503, "unavailable").header("retry-after"), "1");
        // Small answers, and those of which all clients share one, are sent all the same.
        assert_eq!(world.get("/storeapi/discovery/courses/").await.status, 200);
        assert_eq!(Reply::read(world.http.get(world.url(SCRIPT))).await.status, 200);
        assert_eq!(Reply::read(world.http.get(world.url("/storeapi/openapi.json"))).await.status, 200);
        drop(unread);
        world.eventually("the memory is free", async |world| read(world).await.status == 200).await;
    })
    .await;
}

#[tokio::test]
async fn the_files_of_the_documentation_are_compressed_and_not_sent_twice() {
    world(Setup::without_workers(), async |world| {
        let get = async |path: &str, name: &'static str, value: &str| {
            world.http.get(world.url(path)).header(name, value).send().await.unwrap()
        };
        for path in [
            "/storeapi/docs/",
            SCRIPT,
            "/storeapi/docs/swagger-ui.css",
            "/storeapi/docs/swagger-initializer.js",
        ] {
            let mut tags = Vec::new();
            let plain = Reply::read(world.http.get(world.url(path))).await;
            for (encoding, named) in [("identity", ""), ("gzip", "gzip"), ("br", "br")] {
                let answer = get(path, "accept-encoding", encoding).await;
                let header = |name: &str| {
                    answer.headers().get(name).map_or("", |value| value.to_str().unwrap()).to_owned()
                };
                assert_eq!(
                    (answer.status().as_u16(), header("content-encoding").as_str()),
                    (200, named),
                    "{path}"
                );
                assert_eq!(header("content-type"), plain.header("content-type"), "{path}");
                assert!(header("content-security-policy").starts_with("default-src 'self'"), "{path}");
                let (etag, body) = (header("etag"), answer.bytes().await.unwrap());
                assert!(
                    named.is_empty() || path != SCRIPT || body.len() < plain.text.len() / 3,
                    "{path} {encoding}"
                );
                let request = world.http.get(world.url(path)).header("if-none-match", &etag);
                let again = Reply::read(request.header("accept-encoding", encoding)).await;
                assert_eq!(
                    (again.status, again.text.as_str(), again.header("etag")),
                    (304, "", etag.as_str()),
                    "{path}"
                );
                tags.push(etag);
            }
            tags.dedup();
            assert_eq!(tags.len(), 3, "each encoding is another body: {tags:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn unread_answers_of_the_catalog_take_of_the_same_memory() {
    let api_args = vec!["--unread-answers-mib=12".to_owned(), "--body-timeout=60s".to_owned()];
    world(Setup { api_args, ..Setup::without_workers() }, async |world| {
        sqlx::query("UPDATE courses SET overview = repeat('x', 5000000) WHERE openedx_course_id = $1")
            .bind(FREE_KEY)
            .execute(&world.db)
            .await
            .unwrap();
        let path = format!("/storeapi/discovery/course/{FREE_KEY}/");
        let first = world.get(&path).await;
        assert_eq!(first.status, 200, "{}", first.text);
        assert!(first.text.len() > 5_000_000, "{}", first.text.len());
        let mut unread = Vec::new();
        // Some of them may be refused, while earlier answers still hold memory.
        world
            .eventually("the memory is taken", async |world| {
                unread.push(ask(world, &path).await);
                world.get(&path).await.status == 503
            })
            .await;
        let refused = world.get(&path).await;
        assert_eq!(refused.assert_problem(503, "unavailable").header("retry-after"), "1");
        // A client with a current copy gets no body, and a small answer needs no memory.
        let request =
            world.request(reqwest::Method::GET, &path).header("if-none-match", first.header("etag"));
        assert_eq!(Reply::read(request).await.status, 304);
        assert_eq!(world.get("/storeapi/discovery/courses/?limit=1").await.status, 200);
        drop(unread);
        world.eventually("the memory is free", async |world| world.get(&path).await.status == 200).await;
    })
    .await;
}
