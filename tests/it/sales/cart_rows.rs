//! The writer of carts: each column keeps its value through each of its statements.

use chrono::{DateTime, Utc};
use harness::{Setup, World, world};
use serde_json::{Value, json};
use shared::access_period::AccessPeriod;
use shared::course_mode::CourseMode;
use shared::email::Email;
use shared::ids::{CartId, LearnerId, OrganisationId, VoucherId};
use shared::messages::{BasketItem, BillingAddress, ItemKind, Labels, LineTax};
use shared::money::Money;
use shared::pricing::RegionalPrice;
use shared::withdrawal::Agreed;
use sqlx::Connection;
use store::model::line::{CartVoucher, NewContents, NewLine};
use store::model::tax::TaxTerms;
use store::plumbing::audit::{Actor, Cause};
use store::sales::carts::{Kind, NewCart, State};
use store::sales::{cart_rows, carts};
use texts::Language;
use uuid::Uuid;

/// What a cart refers to.
struct Referred {
    organisation: Uuid,
    learners: [Uuid; 2],
    vouchers: [Uuid; 2],
    courses: [Uuid; 2],
    program: Uuid,
    grant: Uuid,
}

impl Referred {
    async fn new(world: &World) -> Self {
        let sql = "WITH o AS (SELECT id FROM organisations WHERE short_name = 'northwind'),
                       l AS (
                           INSERT INTO learners (id, platform_user_id, username, email, name, created_at, updated_at)
                           SELECT gen_random_uuid(), n, 'user' || n, n || '@example.com', '', now(), now()
                           FROM generate_series(901, 902) n RETURNING id),
                       v AS (
                           INSERT INTO vouchers (id, organisation_id, code, kind, percent, currency, valid_from, created_at)
                           SELECT gen_random_uuid(), o.id, 'CODE' || n, 'percent', 10, 'USD', now(), now()
                           FROM generate_series(1, 2) n, o RETURNING id),
                       c AS (SELECT id FROM courses ORDER BY id LIMIT 2),
                       e AS (
                           INSERT INTO enrollments (id, email, course_id, state, mode, created_at, updated_at)
                           SELECT gen_random_uuid(), 'x@example.com', id, 'pending_registration', 'audit', now(), now()
                           FROM c LIMIT 1 RETURNING id),
                       g AS (
                           INSERT INTO enrollment_grants (id, enrollment_id, source, mode, granted_at)
                           SELECT gen_random_uuid(), id, 'partner', 'audit', now() FROM e RETURNING id)
                   SELECT (SELECT id FROM o), ARRAY(SELECT id FROM l), ARRAY(SELECT id FROM v), ARRAY(SELECT id FROM c),
                          (SELECT id FROM programs ORDER BY id LIMIT 1), (SELECT id FROM g)";
        type Row = (Uuid, Vec<Uuid>, Vec<Uuid>, Vec<Uuid>, Uuid, Uuid);
        let row: Row = sqlx::query_as(sql).fetch_one(&world.db).await.unwrap();
        let two = |ids: Vec<Uuid>| <[Uuid; 2]>::try_from(ids).unwrap();
        let (organisation, learners, vouchers, courses, program, grant) = row;
        let [learners, vouchers, courses] = [learners, vouchers, courses].map(two);
        Self { organisation, learners, vouchers, courses, program, grant }
    }

    /// A line of a course, and one of a program. No two values are equal.
    fn lines(&self, number: usize) -> [NewLine; 2] {
        let usd = |minor| Money::from_minor(minor, "USD".parse().unwrap()).unwrap();
        let base = 10_000 * i64::try_from(number + 1).unwrap();
        let line = |kind, id, at: i64, seats| NewLine {
            price_name: Some(format!("price {at} of {number}")),
            access: AccessPeriod {
                days: Some(i32::try_from(base / 10 + at).unwrap()),
                until: Some(DateTime::UNIX_EPOCH + chrono::TimeDelta::seconds(base + at)),
            },
            item: BasketItem { kind, id, mode: "verified".parse().unwrap(), seats },
            openedx_course_id: None,
            name: format!("line {at} of {number}"),
            price: RegionalPrice {
                price: usd(base + at),
                original: usd(base + 2000 + at),
                discount_pct: format!("{}.5", base / 1000 + at).parse().unwrap(),
            },
            voucher_discount: base / 100 + at,
            tax: Some(LineTax { amount: usd(base / 50 + at), is_included: false }),
            upgrade_from: Some(if number == 0 { "audit" } else { "honor" }.parse().unwrap()),
            rests_on: (number == 0).then_some(self.grant),
        };
        [
            line(ItemKind::Course, self.courses[number], 1, None),
            line(ItemKind::Program, self.program, 2, Some(3)),
        ]
    }

    /// The rows that such lines are, as JSON.
    fn expected_lines(&self, number: usize) -> Value {
        let base = 10_000 * i32::try_from(number + 1).unwrap();
        let line = |at: i32, course: Option<Uuid>, program: Option<Uuid>, seats: Option<i32>| {
            json!({
                "position": at - 1, "course_id": course, "program_id": program, "name": format!("line {at} of {number}"),
                "mode": "verified", "seats": seats, "price_name": format!("price {at} of {number}"), "access_days": base / 10 + at,
                "access_until": (DateTime::UNIX_EPOCH + chrono::TimeDelta::seconds((base + at).into())).to_rfc3339(), "original_price": base + 2000 + at,
                "discount_pct": f64::from(base / 1000 + at) + 0.5, "price": base + at, "voucher_discount": base / 100 + at,
                "tax": base / 50 + at, "tax_on_top": base / 50 + at, "upgrade_from": (["audit", "honor"][number]),
                "rests_on": (number == 0).then_some(self.grant),
            })
        };
        json!([line(1, Some(self.courses[number]), None, None), line(2, None, Some(self.program), Some(3))])
    }
}

/// The JSON columns of a cart, and its texts: those of one cart differ from each other and from those of the other.
struct Contents {
    email: Email,
    language: Language,
    billing: BillingAddress,
    tax: TaxTerms,
    consents: Agreed,
    labels: Labels,
}

impl Contents {
    fn new(number: usize) -> Self {
        let text = |name: &str| format!("{name} {number}");
        let billing =
            json!({ "name": text("name"), "line1": text("line1"), "country": (["DE", "FR"][number]) });
        let tax = json!({
            "is_included": false, "country": (["AT", "BE"][number]), "state": text("state"), "components": [],
            "note": text("note"), "evidence": { "billing": null, "visitor": null },
        });
        let consents = json!({
            "terms": true, "begin_now": number == 0, "loses_right": number == 1, "at": "2026-01-02T03:04:05Z",
            "kind": "service", "days": 14 + number,
        });
        let labels = json!({ "reference": text("reference"), "metadata": { text("key"): text("value") } });
        Self {
            email: Email::parse(&format!("buyer{number}@example.com")).unwrap(),
            language: ["pt-BR", "de"][number].parse().unwrap(),
            billing: serde_json::from_value(billing).unwrap(),
            tax: serde_json::from_value(tax).unwrap(),
            consents: serde_json::from_value(consents).unwrap(),
            labels: serde_json::from_value(labels).unwrap(),
        }
    }
}

fn new_cart<'a>(
    id: CartId,
    number: usize,
    referred: &Referred,
    contents: &'a Contents,
    lines: &'a [NewLine],
    courses: &'a [(usize, (Uuid, CourseMode))],
) -> NewCart<'a> {
    let total = lines.iter().map(|line| line.price.price.minor() + line.tax_on_top()).sum();
    NewCart {
        id,
        kind: Kind::Learner,
        buyer: "4711".into(),
        email: &contents.email,
        learner_id: Some(LearnerId(referred.learners[number])),
        organisation_id: OrganisationId(referred.organisation),
        country: Some(["IN", "JP"][number].parse().unwrap()),
        billing_address: Some(&contents.billing),
        language: Some(&contents.language),
        contents: NewContents {
            total: Money::from_minor(total, "USD".parse().unwrap()).unwrap(),
            voucher: Some(CartVoucher {
                place: None,
                id: VoucherId(referred.vouchers[number]),
                discount: 1,
                is_seat: false,
            }),
            tax_terms: Some(&contents.tax),
            consents: Some(&contents.consents),
            labels: Some(&contents.labels),
            gift: None,
            basket_hash: vec![0xab, u8::try_from(number).unwrap()],
            lines,
            courses,
        },
    }
}

fn at(number: usize) -> DateTime<Utc> {
    format!("2026-03-0{}T12:00:00.123456Z", number + 1).parse().unwrap()
}

/// The row of such a cart, as JSON.
fn expected(number: usize, state: &str, referred: &Referred, contents: &Contents) -> Value {
    let lines = referred.expected_lines(number);
    let amount = |line: &Value, name: &str| line[name].as_i64().unwrap();
    let sum = |line: &Value| amount(line, "price") + amount(line, "tax_on_top");
    let total: i64 = lines.as_array().unwrap().iter().map(sum).sum();
    json!({
        "cart": {
            "kind": "learner", "buyer": "4711", "email": contents.email, "learner_id": referred.learners[number],
            "organisation_id": referred.organisation, "state": state, "basket_hash": format!("\\xab0{number}"),
            "country": (["IN", "JP"][number]), "currency": "USD", "total": total, "billing_address": contents.billing,
            "voucher_id": referred.vouchers[number], "tax_terms": contents.tax, "consents": contents.consents,
            "language": contents.language, "reference": format!("reference {number}"),
            "metadata": { format!("key {number}"): format!("value {number}") },
        },
        "lines": lines,
        "courses": [{ "course_id": referred.courses[number], "mode": "honor", "position": number }],
    })
}

/// What is stored of the buyer's carts, with their times: the newest first.
async fn stored(world: &World) -> Vec<(Value, DateTime<Utc>, Uuid)> {
    let sql = "SELECT jsonb_build_object(
                       'cart', to_jsonb(c) - ARRAY['id', 'created_at', 'paid_at', 'fulfilled_at', 'fulfil_requested_at',
                                                   'grant_blocked_at', 'link_version', 'asked_invoice', 'former_shop'],
                       'lines', (SELECT jsonb_agg(to_jsonb(i) - ARRAY['id', 'cart_id', 'charged', 'refunded', 'access_ended_at']
                                                  ORDER BY position)
                                 FROM cart_items i WHERE cart_id = c.id),
                       'courses', (SELECT jsonb_agg(to_jsonb(k) - 'cart_id') FROM cart_courses k WHERE cart_id = c.id)),
                   created_at, id FROM carts c WHERE buyer = '4711' ORDER BY created_at DESC";
    sqlx::query_as(sql).fetch_all(&world.db).await.unwrap()
}

#[tokio::test]
async fn each_column_of_a_cart_keeps_its_value_when_it_is_inserted_rewritten_and_reopened() {
    world(Setup::without_workers(), async |world| {
        let referred = Referred::new(world).await;
        let contents = [Contents::new(0), Contents::new(1)];
        let lines = [referred.lines(0), referred.lines(1)];
        let mode = "honor".parse().unwrap();
        let courses = [0, 1].map(|number| [(number, (referred.courses[number], mode))]);
        let id = CartId::generate();
        let carts = [0, 1].map(|number| {
            new_cart(id, number, &referred, &contents[number], &lines[number], &courses[number])
        });
        let cause = |number| Cause { actor: Actor::System, command_id: Uuid::now_v7(), now: at(number) };
        let mut connection = world.db.acquire().await.unwrap();
        let mut db = connection.begin().await.unwrap();

        cart_rows::insert(&mut db, &carts[0], State::Open, cause(0)).await.unwrap();
        cart_rows::insert(&mut db, &carts[0], State::Open, cause(0)).await.expect_err("it exists");
        db.commit().await.unwrap();
        let shown = stored(world).await;
        assert_eq!(shown, [(expected(0, "open", &referred, &contents[0]), at(0), id.0)]);

        let mut db = connection.begin().await.unwrap();
        cart_rows::rewrite(&mut db, &carts[1], at(1)).await.unwrap();
        db.commit().await.unwrap();
        let shown = stored(world).await;
        assert_eq!(shown, [(expected(1, "open", &referred, &contents[1]), at(1), id.0)]);

        let mut db = connection.begin().await.unwrap();
        carts::move_to(&mut db, id, State::Open, State::PendingPayment, cause(1)).await.unwrap();
        carts::move_to(&mut db, id, State::PendingPayment, State::Cancelled, cause(1)).await.unwrap();
        cart_rows::reopen(&mut db, id, cause(2)).await.unwrap();
        cart_rows::reopen(&mut db, id, cause(3)).await.unwrap();
        db.commit().await.unwrap();
        let shown = stored(world).await;
        assert_eq!(shown.len(), 2, "a learner has one open cart");
        let (row, created_at, new_id) = &shown[0];
        assert_eq!((row, created_at), (&expected(1, "open", &referred, &contents[1]), &at(2)));
        assert_ne!(*new_id, id.0);
        assert_eq!(shown[1].0, expected(1, "cancelled", &referred, &contents[1]));
    })
    .await;
}
