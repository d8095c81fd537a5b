//! The pages for people in all languages: what they say, without markup.

use axum::response::Response;
use clap::Parser;
use futures_util::FutureExt;
use shared::access_period::AccessPeriod;
use shared::course_mode::CourseMode;
use shared::ids::{CartId, DocumentId, OrganisationId};
use shared::messages::{CartItem, FieldError, ItemKind, Labels, LineTax, QuotedBasket, QuotedVoucher};
use shared::money::Money;
use shared::settings::LinkSettings;
use shared::voucher::Inapplicable;
use shared::withdrawal::Consent;
use texts::{Language, Localizer, Texts};
use url::Url;
use uuid::Uuid;

use super::buy::{self, Halt, Offer};
use super::order_history;
use super::pages::Shop;
use super::withdraw::{self, Entered, Fault, Line, Step};
use crate::error::ApiError;
use crate::queries::carts::PaymentFacts;
use crate::queries::orders::{Order, OrderDocument, OrderLine};
use crate::queries::organisations::SellerPages;
use crate::words::{DocumentKind, OrderStatus};

fn dollars(minor: i64) -> Money {
    Money::from_minor(minor, "USD".parse().unwrap()).unwrap()
}

fn item(upgrade_from: Option<CourseMode>) -> CartItem {
    CartItem {
        kind: ItemKind::Course,
        id: Uuid::nil(),
        openedx_course_id: None,
        name: "Statistics You Can Defend".into(),
        mode: "verified".parse().unwrap(),
        seats: None,
        price_name: None,
        access: AccessPeriod::default(),
        original: dollars(119_900),
        discount_pct: 0.into(),
        price: dollars(99_900),
        voucher_discount: None,
        tax: Some(LineTax { amount: dollars(1_990), is_included: false }),
        upgrade_from,
    }
}

/// Returns what a page says, line by line, after its status.
fn said(page: Response, language: &Language) -> String {
    let status = page.status().as_u16();
    let body = axum::body::to_bytes(page.into_body(), usize::MAX).now_or_never().unwrap().unwrap();
    let html = String::from_utf8(body.to_vec()).unwrap();
    let begins = format!("<html lang=\"{language}\" dir=\"{}\">", language.direction());
    assert!(html.contains(&begins), "{html}");
    let (_, shown) = html.split_once("<main>").unwrap();
    let mut text = String::new();
    for part in shown.split('<') {
        let (tag, words) = part.split_once('>').unwrap_or(("", part));
        text.push_str(if tag.starts_with("bdi") || tag.starts_with("/bdi") { "" } else { "\n" });
        text.push_str(words);
    }
    for (escaped, character) in
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#x27;", "'"), ("&#x2f;", "/"), ("&amp;", "&")]
    {
        text = text.replace(escaped, character);
    }
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    format!("{status}\n{}\n", lines.join("\n"))
}

fn withdrawal(localizer: &Localizer<'_>) -> Vec<Response> {
    let line = |position, name: &str, is_chosen| Line { position, name: name.into(), is_chosen };
    let lines = [line(0, "Statistics You Can Defend", true), line(1, "Träets hantverk", false)];
    let entered = |is_proved| Entered {
        order: "NW26-000001",
        name: "Ada",
        email: "ada@example.com",
        lines: &lines,
        is_proved,
    };
    let steps = [
        Step::Form { is_link_expired: false, faults: &[] },
        Step::Form {
            is_link_expired: true,
            faults: &[Fault::Order, Fault::Name, Fault::Email, Fault::Items],
        },
        Step::Confirm,
        Step::Received { at: "2026-11-04T09:12:44Z".parse().unwrap() },
        Step::Object,
        Step::Objected,
        Step::ObjectLate,
    ];
    let page =
        |step, is_proved| withdraw::page(step, &entered(is_proved), "/", Shop(None), localizer).unwrap();
    let typed = steps.iter().map(|step| page(step, false));
    typed.chain(steps.iter().take(3).map(|step| page(step, true))).collect()
}

fn offers(localizer: &Localizer<'_>) -> Vec<Response> {
    let seller = SellerPages {
        id: OrganisationId(Uuid::nil()),
        short_name: "northwind".into(),
        name: "Northwind Institute".into(),
        buy_url: None,
        terms_url: Some("https://store.example/terms".into()),
        languages: Vec::new(),
    };
    let fields = ["name", "line1", "line2", "city", "state", "postal_code", "country"];
    let voucher = |inapplicable| Some(QuotedVoucher { code: "SPRING-26".into(), inapplicable });
    let offer = |upgrade_from, total, voucher, is_for_seats| {
        let quoted = QuotedBasket {
            items: vec![item(upgrade_from)],
            total: dollars(total),
            holds_until: None,
            voucher,
            reverse_charge: None,
            missing: fields.map(str::to_owned).to_vec(),
            pay_by: Vec::new(),
            consents_required: vec![Consent::Terms, Consent::BeginNow, Consent::LosesRight],
            terms_url: None,
        };
        let offer = Offer { seller: &seller, quoted: &quoted, is_for_seats, action: "/".into() };
        buy::page(&offer, localizer).unwrap()
    };
    vec![
        offer(Some("audit".parse().unwrap()), 101_890, voucher(None), false),
        offer(None, 0, voucher(Some(Inapplicable::Unknown)), true),
    ]
}

fn halts(localizer: &Localizer<'_>) -> Vec<Response> {
    let fault = |field: &str| FieldError::new(field, "is wrong");
    let faults = ["seats", "consents.terms", "billing_address.country", "mode"].map(fault);
    let halts = [
        Halt::NotSold,
        Halt::Apart,
        Halt::Inactive,
        Halt::Held,
        Halt::Unseen,
        Halt::Problem(ApiError::InvalidItems(vec![fault("items[0]")])),
        Halt::Problem(ApiError::InvalidRequest(faults.to_vec())),
        Halt::Problem(ApiError::Unauthenticated),
        Halt::Problem(ApiError::Forbidden("no")),
        Halt::Problem(ApiError::NotConfigured("no".into())),
        Halt::Problem(ApiError::RateLimited { retry_after: 1 }),
        Halt::Problem(ApiError::Unavailable),
    ];
    let courses: Url = "https://lms.example/dashboard".parse().unwrap();
    halts.into_iter().map(|halt| buy::halted(halt, true, &courses, localizer).unwrap()).collect()
}

#[derive(Parser)]
struct Settings {
    #[command(flatten)]
    links: LinkSettings,
}

fn history(localizer: &Localizer<'_>) -> Vec<Response> {
    let links = Settings::parse_from(["api", "--link-secret=0123456789abcdef0123456789abcdef"]).links;
    let placed_at = "2026-11-04T09:12:44Z".parse().unwrap();
    let document = |number: &str, kind| OrderDocument {
        id: DocumentId(Uuid::nil()),
        number: number.into(),
        kind,
        issued_at: placed_at,
        total: dollars(99_900),
        link_version: 0,
    };
    let order = |state, refunded| Order {
        transfer: None,
        payment: PaymentFacts { has_price: true, has_refund: refunded > 0, ..PaymentFacts::default() },
        reverse_charge: None,
        id: CartId(Uuid::nil()),
        state,
        placed_at,
        placed_on: placed_at.date_naive(),
        paid_at: None,
        gateway: None,
        total: dollars(99_900),
        tax: None,
        voucher: None,
        refunded: dollars(refunded),
        lost: dollars(0),
        email: "ada@example.com".into(),
        language: "en".into(),
        labels: Labels::default(),
        former_shop: None,
        billing_address: None,
        consents: None,
        withdrawable_until: None,
        gift: None,
        lines: vec![OrderLine {
            position: 0,
            item: item(None),
            refunded: dollars(0),
            refundable_until: None,
            enrollments: Vec::new(),
            moved_to: None,
            access_ends_at: None,
        }],
        refunds: Vec::new(),
        documents: vec![
            document("NW26-000001", DocumentKind::Invoice),
            document("NWC26-000001", DocumentKind::CreditNote),
        ],
    };
    let orders = vec![
        order(OrderStatus::PendingPayment, 0),
        order(OrderStatus::Held, 0),
        order(OrderStatus::Paid, 0),
        order(OrderStatus::Fulfilled, 1_000),
        order(OrderStatus::Expired, 0),
        order(OrderStatus::Refunded, 99_900),
    ];
    let page = |orders| order_history::page(orders, &links, placed_at, localizer).unwrap();
    let halted = |error| order_history::halted(error, true, localizer).unwrap();
    let errors = [ApiError::Unauthenticated, ApiError::Unavailable];
    [page(orders), page(Vec::new())].into_iter().chain(errors.map(halted)).collect()
}

#[test]
fn each_page_reads_in_each_language_as_it_was_reviewed() {
    let texts = Texts::bundled().unwrap();
    for language in texts.languages() {
        let localizer = texts.localizer(language, &[]);
        let pages = [withdrawal, offers, halts, history].map(|pages| pages(&localizer));
        let all: Vec<String> = pages.into_iter().flatten().map(|page| said(page, language)).collect();
        insta::assert_snapshot!(format!("pages_{language}"), all.join("----\n"));
    }
}
