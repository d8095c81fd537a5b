//! The console in the language of its reader: the account's, else the browser's, else English.

use std::collections::BTreeSet;
use std::path::PathBuf;

use harness::steps::console::{OWN, get, key, post, with_console};
use harness::steps::credentials::session;
use harness::steps::demo::PAID_KEY;
use harness::steps::events::endpoint;
use harness::steps::payments::EMAIL;
use harness::steps::refunds::bought;
use harness::steps::seats;
use harness::steps::staff;
use harness::steps::withdrawals::{declaration, declare};
use harness::{ORGANISATIONS, Reply, Setup, World, unknown_session, world};
use serde_json::json;
use uuid::Uuid;

const ENGLISH: &str = include_str!("../../../texts/messages/console/en.ftl");

/// What buyers read, and the staff as well: an order's standing.
const FOR_BUYERS: &str = include_str!("../../../texts/messages/en.ftl");

/// An operator's folder with files of what the staff reads.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let path = std::env::temp_dir().join(format!("console-{}-{name}", std::process::id()));
        std::fs::create_dir_all(path.join("console")).unwrap();
        for (file, content) in files {
            std::fs::write(path.join("console").join(file), content).unwrap();
        }
        Self(path)
    }

    fn setup(&self) -> Setup {
        let mut setup = with_console();
        setup.api_args.push(format!("--mail-texts={}", self.0.display()));
        setup
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A member of the staff in every role, with a language in the profile of the account.
async fn member(world: &World, language: &str) -> String {
    let account =
        json!({ "email": "noor@example.com", "name": "Noor Haddad", "hint": false, "language": language });
    let user = world.new_platform_user(account).await;
    staff::add(world, "northwind", &user, &["support", "finance", "manager"]).await;
    session(&user)
}

/// GETs a page as the person of a cookie with a browser of some languages.
async fn open_in(world: &World, cookie: &str, path: &str, languages: &str) -> Reply {
    let request = world.http.get(world.url(path)).header("cookie", cookie);
    Reply::read(request.header("accept-language", languages)).await
}

#[tokio::test]
async fn a_page_is_in_the_language_of_the_account_else_of_the_browser_else_english() {
    let folder = Folder::new(
        "languages",
        &[
            ("de.ftl", "start-heading = Zu entscheiden\nproblem-signed-out = Sie sind abgemeldet\n"),
            ("fi.ftl", "start-heading = Päätettävää\nproblem-signed-out = Olet kirjautunut ulos\n"),
            ("he.ftl", "start-heading = דרוש אדם\n"),
        ],
    );
    world(folder.setup(), async |world| {
        let start = "/console/northwind/";
        let german = member(world, "de").await;
        let other = staff::staff(world, "northwind", "sam@example.com", &["support"]).await;
        for (cookie, browser, begins, heading) in [
            (&german, "fi", r#"<html lang="de" dir="ltr">"#, "Zu entscheiden"),
            (&other, "fi-FI,de;q=0.5", r#"<html lang="fi-FI" dir="ltr">"#, "Päätettävää"),
            (&other, "he", r#"<html lang="he" dir="rtl">"#, "דרוש אדם"),
            (&other, "ja", r#"<html lang="en" dir="ltr">"#, "Needs a person"),
        ] {
            let page = open_in(world, cookie, start, browser).await;
            assert!(page.text.contains(begins) && page.text.contains(heading), "{browser}: {}", page.text);
        }
        let signed_out = open_in(world, &unknown_session(), start, "fi").await;
        assert!(
            signed_out.status == 401 && signed_out.text.contains("Olet kirjautunut"),
            "{}",
            signed_out.text
        );
        // Known by name, but not allowed to see the page.
        let refused = open_in(world, &german, "/console/lindgren/", "fi").await;
        assert!(refused.status == 403 && refused.text.contains(r#"lang="de""#), "{}", refused.text);
    })
    .await;
}

/// A language whose messages have no Latin letter left.
fn greek(english: &str) -> String {
    let mut file = String::new();
    for line in english.lines().filter(|line| !line.starts_with('#')) {
        let end = line.find(if line.starts_with(' ') { ']' } else { '=' });
        let (kept, text) = line.split_at(end.map_or(line.len(), |end| end + 1));
        file.push_str(kept);
        let mut depth = 0;
        for letter in text.chars() {
            depth += i32::from(letter == '{') - i32::from(letter == '}');
            file.push(if depth == 0 && letter.is_ascii_alphabetic() { 'ω' } else { letter });
        }
        file.push('\n');
    }
    file
}

/// The words in Latin letters that a person reads on a page, without those that are marked as English, and without addresses,
/// keys, codes and numbers.
fn latin(html: &str) -> BTreeSet<String> {
    let mut read = String::new();
    for piece in html.split('<') {
        let (tag, text) = piece.split_once('>').unwrap_or(("", piece));
        for name in ["aria-label", "title", "placeholder", "alt", "data-label"] {
            let value = tag.split_once(&format!(" {name}=\"")).and_then(|(_, rest)| rest.split_once('"'));
            value.into_iter().for_each(|(value, _)| read.extend([value, "\n"]));
        }
        if !tag.contains(r#"lang="en""#) && tag != "code" {
            read.extend([text, "\n"]);
        }
    }
    for (entity, letter) in [
        ("&amp;", "&"),
        ("&quot;", " "),
        ("&#x27;", "'"),
        ("&#x2f;", "/"),
        ("&#10;", " "),
        ("&lt;", " "),
        ("&gt;", " "),
    ] {
        read = read.replace(entity, letter);
    }
    let words =
        read.split_whitespace().map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()));
    let is_code = |word: &str| word.len() > 7 && word.chars().all(|letter| letter.is_ascii_uppercase());
    let words =
        words.filter(|word| word.len() > 2 && word.chars().all(|letter| letter.is_ascii_alphabetic()));
    words.filter(|word| !is_code(word)).map(str::to_owned).collect()
}

/// Names, currencies and examples, which are the same in every language.
const NAMES: &str = "Noor Haddad Northwind Institute Ada Lovelace Stripe USD EUR JPY UTC email audit honor professional verified fair";

/// Sells, changes and declares what the pages show. Returns their paths.
async fn pages(world: &World, noor: &str) -> Vec<String> {
    world.sell().await;
    endpoint(world, "northwind", "erp").await;
    let (cart, _) = bought(world, &ORGANISATIONS[0], EMAIL).await;
    seats::bought(world, &ORGANISATIONS[0], "buyer@example.com", 3).await;
    declare(world, &declaration(&cart, "stranger@example.com")).await;
    let root = "/console/northwind";
    let vouchers = format!("{root}/vouchers/");
    let form_key = key(&get(world, noor, &vouchers).await);
    let fields = [
        ("key", form_key.as_str()),
        ("code", "SPRING-26"),
        ("kind", "percent"),
        ("value", "10"),
        ("campaign", "fair"),
    ];
    let created = post(world, noor, &vouchers, OWN, &fields).await;
    assert_eq!(created.status, 303, "{}", created.text);
    world.drain().await;
    let pool: String = sqlx::query_scalar("SELECT id::text FROM vouchers WHERE kind = 'seat'")
        .fetch_one(&world.db)
        .await
        .unwrap();
    let withdrawal: String =
        sqlx::query_scalar("SELECT id::text FROM withdrawals").fetch_one(&world.db).await.unwrap();
    let mut paths = vec![created.header("location").to_owned()];
    for page in [
        "",
        "search/?q=course-v1:Northwind",
        "owed/",
        "person/?email=ada@example.com",
        "staff/",
        "reports/",
        "vouchers/",
        "seats/",
        "batches/",
        "catalog/",
        "events/",
    ] {
        paths.push(format!("{root}/{page}"));
    }
    paths.push(format!("{root}/vouchers/codes/?campaign=fair"));
    for part in [
        "",
        "refund/?reason=x",
        "refund/?items=0&reason=x",
        "move/?position=0",
        "move/?position=0&email=x@example.com",
        "invoice/",
    ] {
        paths.push(format!("{root}/orders/{cart}/{part}"));
    }
    paths.push(format!("{root}/seats/{pool}/?done=reminded"));
    paths.push(format!("{root}/withdrawals/{withdrawal}/"));
    paths
}

#[tokio::test]
async fn no_page_has_english_words_for_who_reads_another_language() {
    let folder = Folder::new("greek", &[("el.ftl", &greek(ENGLISH)), ("../el.ftl", &greek(FOR_BUYERS))]);
    world(folder.setup(), async |world| {
        let noor = member(world, "el").await;
        let paths = pages(world, &noor).await;
        let courses: String = sqlx::query_scalar("SELECT string_agg(display_name, ' ') FROM courses")
            .fetch_one(&world.db)
            .await
            .unwrap();
        let names: BTreeSet<String> = latin(&courses).into_iter().chain(latin(NAMES)).collect();
        for path in &paths {
            let page = get(world, &noor, path).await;
            assert!(page.status == 200 && page.text.contains(r#"lang="el""#), "{path}: {}", page.text);
            let left: Vec<String> = latin(&page.text).difference(&names).cloned().collect();
            assert_eq!(left, Vec::<String>::new(), "{path}: {}", page.text);
        }
        // The routes keep their English, which the test would see on a page.
        let attention = staff::look(world, &noor, "/storeapi/support/attention/").await;
        assert!(attention.text.contains("A buyer has withdrawn."), "{}", attention.text);
        assert!(latin(&attention.text).is_superset(&latin("buyer has withdrawn")));
    })
    .await;
}

#[tokio::test]
async fn a_form_that_is_wrong_comes_back_in_its_readers_language() {
    let folder = Folder::new(
        "form",
        &[(
            "de.ftl",
            "problem-invalid = Das ging nicht\nconsole-uses-in-all = Verwendungen insgesamt\n\
             problem-fault = { $field }: { $fault }\ndone-vouchers = Die Gutscheine sind fertig.\n",
        )],
    );
    world(folder.setup(), async |world| {
        let noor = member(world, "de").await;
        let path = "/console/northwind/vouchers/";
        let form_key = Uuid::now_v7().to_string();
        let mut fields = vec![
            ("key", form_key.as_str()),
            ("code", "FAIR"),
            ("kind", "amount"),
            ("value", "1234.5"),
            ("courses", PAID_KEY),
        ];
        let right = post(world, &noor, path, OWN, &fields).await;
        assert_eq!(right.status, 303, "{}", right.text);
        let page = get(world, &noor, right.header("location")).await.text;
        for shown in ["Die Gutscheine sind fertig.", "1.234,50\u{a0}$"] {
            assert!(page.contains(shown), "{shown}: {page}");
        }
        fields.push(("max_uses", "many"));
        let wrong = post(world, &noor, path, OWN, &fields).await;
        for shown in
            ["Das ging nicht", "„Verwendungen insgesamt“ ist keine Zahl wie 12,50.", "value=\"many\""]
        {
            assert!(wrong.status == 400 && wrong.text.contains(shown), "{shown}: {}", wrong.text);
        }
    })
    .await;
}
