//! The code of a bank transfer in euro, read as a banking app reads it: from the page and the mail. The invoice has its caption.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use harness::steps::organisation_keys::key;
use harness::steps::payments::{EMAIL, cart_id};
use harness::steps::refunds::order;
use harness::steps::tax::{import, rate, seller};
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::link::{Purpose, sign};
use shared::organisation_key::Scope;
use uuid::Uuid;

use crate::invoices::{download, text};
use crate::on_account::report;

const SHOP: &Organisation = &ORGANISATIONS[1];
const CAPTION: &str = "Scan this code with your banking app";

/// The text of a code of dark and light pixels.
fn scanned(side: usize, is_dark: impl Fn(usize, usize) -> bool) -> String {
    let shade = |x: usize, y: usize| if is_dark(x, y) { 0 } else { u8::MAX };
    let mut image = rqrr::PreparedImage::prepare_from_greyscale(side, side, shade);
    let grids = image.detect_grids();
    assert_eq!(grids.len(), 1, "codes");
    grids[0].decode().unwrap().1
}

/// The text of the code on a page, whose modules are the bars of a path.
fn on_page(page: &str) -> String {
    const MODULE: usize = 4;
    let between = |text: &str, from: &str, to: &str| {
        let after = text.split_once(from).unwrap_or_else(|| panic!("{from:?} is not in {text}")).1;
        after.split_once(to).unwrap().0.to_owned()
    };
    let figure = between(page, "<figure class=\"transfer-code\">", "</figure>");
    let side: usize = between(&figure, "viewBox=\"0 0 ", " ").parse().unwrap();
    let mut dark = vec![vec![false; side]; side];
    for bar in between(&figure, "<path d=\"M", "\"").split('M') {
        let numbers: Vec<usize> =
            bar.split(|letter: char| !letter.is_ascii_digit()).flat_map(str::parse).collect();
        dark[numbers[1]][numbers[0]..numbers[0] + numbers[2]].fill(true);
    }
    scanned(side * MODULE, |x, y| dark[y / MODULE][x / MODULE])
}

/// The text of the code in a mail.
fn in_mail(mail: &Value) -> String {
    let html = mail["html"].as_str().unwrap();
    let picture =
        html.split_once("src=\"data:image/png;base64,").unwrap_or_else(|| panic!("no picture in {html}")).1;
    let png = STANDARD.decode(picture.split_once('"').unwrap().0).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let side = reader.next_frame(&mut pixels).unwrap().width as usize;
    scanned(side, |x, y| pixels[y * side + x] < 128)
}

async fn shown(world: &World, cart: &str) -> String {
    let until = world.clock.now() + chrono::TimeDelta::minutes(5);
    let token =
        sign(&world.api_config.links.link_secret, Purpose::Payment, cart.parse::<Uuid>().unwrap(), until);
    let path = world.url(&format!("/storeapi/payment/status/{cart}/?token={token}"));
    Reply::read(world.http.get(path).header("accept", "text/html")).await.text
}

#[tokio::test]
async fn a_transfer_in_euro_has_a_code_on_its_page_in_its_mail_and_on_its_invoice() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        import(world, &[seller(SHOP, "SE", json!({})), rate(SHOP, "SE", &[("Moms", 25.0)])]).await.unwrap();
        let lines = ["Lärarförbundets Akademi", "IBAN SE45 5000 0000 0583 9825 7466"];
        sqlx::query("UPDATE organisations SET bank_transfer = $1 WHERE short_name = $2")
            .bind(json!({ "lines": lines, "on_account": { "grant": "now", "due_days": 20 } }))
            .bind(SHOP.short_name)
            .execute(&world.db)
            .await
            .unwrap();
        let own = key(world, SHOP.short_name, &[Scope::Payments, Scope::Orders, Scope::Support]).await;
        world.platform_user(EMAIL).await;
        let mut body = world.basket(SHOP).await;
        (body["email"], body["pay_by"]) = (json!(EMAIL), json!("invoice"));
        body["billing_address"] = json!({ "company": "Engines AB", "line1": "Storgatan 7", "city": "Stockholm", "country": "SE" });
        let answer = world.post(GUEST_CHECKOUT, &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let cart = cart_id(&answer).to_owned();
        world.cart_becomes(&cart, "fulfilled").await;
        world.drain().await;

        let reference = answer.json["payment_reference"].as_str().unwrap();
        let expected = |euros: &str| {
            format!("BCD\n002\n1\nSCT\n\nLaerarfoerbundets Akademi\nSE4550000000058398257466\nEUR{euros}\n\n{reference}")
        };
        let page = shown(world, &cart).await;
        assert!(page.contains(CAPTION), "{page}");
        assert_eq!(on_page(&page), expected("240.00"));
        let is_invoice = |mail: &Value| mail["subject"].as_str().unwrap().starts_with("Your invoice from");
        world.eventually("the mail", async |world| world.emails(EMAIL).await.iter().any(is_invoice)).await;
        let mail = world.emails(EMAIL).await.into_iter().find(is_invoice).unwrap();
        assert_eq!(in_mail(&mail), expected("240.00"));
        assert!(!mail["text"].as_str().unwrap().contains(CAPTION), "a text has no picture: {mail}");
        assert_eq!(mail["attachments"].as_array().unwrap().len(), 1, "the invoice");
        let url = order(world, &own, &cart).await["documents"][0]["url"].as_str().unwrap().to_owned();
        let invoice = text(&download(world, &url).await.1);
        assert!(invoice.contains(CAPTION), "{invoice}");

        // What is still open, once a part has arrived; and none for what is paid.
        assert_eq!(report(world, &own, &cart, 100.0, "one").await.status, 200);
        assert_eq!(on_page(&shown(world, &cart).await), expected("140.00"));
        let path = format!("/storeapi/support/orders/{cart}/receipt/");
        let again = world.request(Method::POST, &path).header("organisationapikey", &own);
        assert_eq!(Reply::read(again.header("Idempotency-Key", "again")).await.status, 204);
        let says_the_rest = |mail: &Value| mail["text"].as_str().unwrap().contains("€140.00 by");
        world.eventually("the mail", async |world| world.emails(EMAIL).await.iter().any(says_the_rest)).await;
        let mail = world.emails(EMAIL).await.into_iter().find(says_the_rest).unwrap();
        assert_eq!(in_mail(&mail), expected("140.00"));
        report(world, &own, &cart, 140.0, "two").await;
        assert!(!shown(world, &cart).await.contains("<figure"));
    })
    .await;
}
