//! The code of a bank transfer in euro, read as a banking app reads it: from the page and the mail. The invoice has its caption.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use harness::steps::organisation_keys::key;
use harness::steps::payments::{EMAIL, cart_id};
use harness::steps::refunds::order;
use harness::steps::tax::{import, rate, seller};
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Reply, Setup, World, world};
use pdf_extract::Document;
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

/// The text of the only code in a PDF, whose modules are the closed paths on its pages.
pub fn in_pdf(pdf: &[u8]) -> String {
    let document = Document::load_mem(pdf).unwrap();
    let (mut bars, mut path) = (Vec::new(), Vec::new());
    for page in document.get_pages().into_values() {
        for operation in document.get_and_decode_page_content(page).unwrap().operations {
            let numbers: Vec<f32> =
                operation.operands.iter().filter_map(|operand| operand.as_float().ok()).collect();
            match operation.operator.as_str() {
                "m" => path = vec![(numbers[0], numbers[1])],
                "l" => path.push((numbers[0], numbers[1])),
                "h" => bars.push(std::mem::take(&mut path)),
                "re" => bars
                    .push(vec![(numbers[0], numbers[1]), (numbers[0] + numbers[2], numbers[1] + numbers[3])]),
                _ => {}
            }
        }
    }
    let edge = |of: fn(&(f32, f32)) -> f32, bar: &[(f32, f32)]| {
        let (low, high) = (f32::min, f32::max);
        bar.iter()
            .map(of)
            .fold((f32::INFINITY, f32::NEG_INFINITY), |so_far, at| (low(so_far.0, at), high(so_far.1, at)))
    };
    let boxes: Vec<_> = bars.iter().map(|bar| (edge(|at| at.0, bar), edge(|at| at.1, bar))).collect();
    let module = boxes.iter().map(|(_, y)| y.1 - y.0).fold(f32::INFINITY, f32::min);
    let left = boxes.iter().map(|(x, _)| x.0).fold(f32::INFINITY, f32::min);
    let top = boxes.iter().map(|(_, y)| y.0).fold(f32::INFINITY, f32::min);
    let right = boxes.iter().map(|(x, _)| x.1).fold(f32::NEG_INFINITY, f32::max);
    const PIXELS: f32 = 4.0;
    const QUIET: f32 = 4.0;
    let side = ((right - left) / module + 2.0 * QUIET) * PIXELS;
    scanned(side.round() as usize, |x, y| {
        let at = |pixel: usize, from: f32| ((pixel as f32 + 0.5) / PIXELS - QUIET) * module + from;
        let (x, y) = (at(x, left), at(y, top));
        boxes.iter().any(|(across, down)| across.0 <= x && x <= across.1 && down.0 <= y && y <= down.1)
    })
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
