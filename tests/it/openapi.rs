//! The description of the interface, and the page to try it.

use tests::harness::{Reply, Setup, world};

#[tokio::test]
async fn the_openapi_document_is_as_reviewed() {
    world(Setup { workers: 0, ..Setup::default() }, async |world| {
        let reply = Reply::read(world.http.get(world.url("/storeapi/openapi.json"))).await;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.json["openapi"].as_str().map(|version| &version[..3]), Some("3.1"));
        insta::assert_json_snapshot!(reply.json);
    })
    .await;
}

#[tokio::test]
async fn the_docs_page_loads_everything_from_here() {
    world(Setup { workers: 0, ..Setup::default() }, async |world| {
        let get = async |path: &str| Reply::read(world.http.get(world.url(path))).await;
        let page = get("/storeapi/docs/").await;
        assert_eq!(page.status, 200);
        assert!(page.header("content-security-policy").starts_with("default-src 'self'"));
        let assets: Vec<&str> =
            page.text.split('"').filter(|part| part.ends_with(".js") || part.ends_with(".css")).collect();
        assert!(assets.len() >= 3, "{assets:?}");
        for asset in assets {
            assert!(!asset.contains("//"), "{asset}");
            let name = asset.trim_start_matches("./");
            let reply = get(&format!("/storeapi/docs/{name}")).await;
            assert_eq!(reply.status, 200, "{asset}");
        }
        assert!(get("/storeapi/docs/swagger-initializer.js").await.text.contains("/storeapi/openapi.json"));
        get("/storeapi/docs/nothing.js").await.assert_problem(404, "not_found");
    })
    .await;
}
