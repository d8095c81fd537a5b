//! Moves in the console: a run is chosen from a list, and what cannot be is refused before the last button.

use harness::steps::console::{OWN, get, key, post, with_console};
use harness::steps::payments::EMAIL;
use harness::steps::staff::staff;
use harness::{ORGANISATIONS, Organisation, Reply, world};

use crate::moves::{same_price, sold};

const SHOP: &Organisation = &ORGANISATIONS[0];

#[tokio::test]
async fn a_move_chooses_a_run_from_a_list_and_the_buyer_gets_a_mail() {
    world(with_console(), async |world| {
        let (cart, noor) = sold(world).await;
        let new = same_price(world).await;
        let page = format!("/console/northwind/orders/{cart}/move/");
        let order = get(world, &noor, &format!("/console/northwind/orders/{cart}/")).await;
        assert!(order.text.replace("&#x2f;", "/").contains(&format!("{page}?position=0")), "{}", order.text);
        let list = get(world, &noor, &format!("{page}?position=0")).await.text;
        let choice = |key: &str| format!("name=\"course\" value=\"{key}\"");
        assert!(list.contains(&choice(&new)) && !list.contains(&choice(SHOP.key)), "{list}");
        // A + that is not escaped arrives as a blank.
        let by_key = get(world, &noor, &format!("{page}?position=0&text={new}")).await.text;
        assert!(by_key.contains(&choice(&new)), "{by_key}");
        let none = get(world, &noor, &format!("{page}?position=0&text=nothing+has+this")).await.text;
        assert!(none.contains("No other course is on sale") && !none.contains(&choice(&new)), "{none}");
        let preview =
            get(world, &noor, &format!("{page}?position=0&course={}", new.replace('+', "%2B"))).await;
        for words in ["What will happen", "gets a mail once the move is done", "role=\"search\""] {
            assert!(preview.text.contains(words), "{words}: {}", preview.text);
        }
        let form_key = key(&preview);
        let fields =
            [("key", form_key.as_str()), ("position", "0"), ("course", &new), ("reason", "Wrong run")];
        assert_eq!(post(world, &noor, &page, OWN, &fields).await.status, 303);
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, false).await;
        let name: String =
            sqlx::query_scalar("SELECT display_name FROM courses WHERE openedx_course_id = $1")
                .bind(&new)
                .fetch_one(&world.db)
                .await
                .unwrap();
        world
            .eventually("the buyer is told", async |world| {
                world.emails(EMAIL).await.iter().any(|mail| {
                    let text = mail.to_string();
                    text.contains("A change of your order") && text.contains(&name)
                })
            })
            .await;
    })
    .await;
}

#[tokio::test]
async fn other_runs_of_the_course_come_first() {
    world(with_console(), async |world| {
        let (cart, noor) = sold(world).await;
        let other = same_price(world).await;
        let run = format!("{}+2031_T1", SHOP.key.rsplit_once('+').unwrap().0);
        sqlx::query("UPDATE courses SET openedx_course_id = $1, display_name = 'zz last by name', starts_at = NULL WHERE openedx_course_id = $2")
            .bind(&run)
            .bind(&other)
            .execute(&world.db)
            .await
            .unwrap();
        let list = get(world, &noor, &format!("/console/northwind/orders/{cart}/move/?position=0")).await.text;
        let (_, first) = list.split_once("name=\"course\" value=\"").unwrap();
        assert!(first.starts_with(&format!("{run}\"")) && list.contains("other run"), "{list}");
    })
    .await;
}

#[tokio::test]
async fn nonsense_is_refused_at_the_preview_in_the_readers_language() {
    world(with_console(), async |world| {
        let (cart, noor) = sold(world).await;
        let order = format!("/console/northwind/orders/{cart}/");
        let ask = async |query: &str, language: &str| {
            let request = world.http.get(world.url(&format!("{order}move/?position=0&{query}")));
            Reply::read(request.header("cookie", &noor).header("accept-language", language)).await
        };
        let own = SHOP.key.replace('+', "%2B");
        for (query, language, said) in [
            ("course=Ethik+Herbst", "en", "Your organisation has no course with this key."),
            ("course=Ethik+Herbst", "de", "Ihre Organisation hat keinen Kurs mit dieser ID."),
            (&*format!("course={own}"), "en", "or the buyer has it already"),
            ("email=nobody", "sv", "Det är ingen e-postadress"),
        ] {
            let page = ask(query, language).await;
            assert!(page.status == 400 && page.text.contains(said), "{query}: {}", page.text);
            // Search and the way back.
            let text = page.text.replace("&#x2f;", "/");
            assert!(text.contains("role=\"search\"") && text.contains(&order), "{text}");
        }
        let beyond = get(world, &noor, &format!("{order}move/?position=7")).await;
        assert!(
            beyond.status == 400 && beyond.text.contains("gives no access that can be moved"),
            "{}",
            beyond.text
        );
        let fay = staff(world, "northwind", "fay@example.com", &["finance"]).await;
        let refused = Reply::read(
            world
                .http
                .get(world.url(&format!("{order}move/?position=0")))
                .header("cookie", &fay)
                .header("accept-language", "fr"),
        )
        .await;
        assert!(
            refused.status == 403 && refused.text.contains("n’a pas le rôle service client"),
            "{}",
            refused.text
        );
    })
    .await;
}
