//! Exports of a former shop, as its database's client prints them, and the command that moves them in.

use reqwest::Method;
use serde_json::{Value, json};

use crate::World;
use crate::steps::payments::EMAIL;
use crate::steps::worker_program::operator;

/// The site of the former shop.
pub const SITE: &str = "old.example.com";

/// The paid courses of the demo catalog's organisation `northwind`: key and product of the former shop.
pub const DATA: (&str, i64) = ("course-v1:Northwind+DS101+2026", 11);
/// As [`DATA`].
pub const WRITING: (&str, i64) = ("course-v1:Northwind+WRT105+2026", 12);

/// Rows of an export.
pub struct Export {
    rows: Vec<Value>,
    platform: Vec<Value>,
}

/// An order of one line, of a user, with a payment.
pub struct OldOrder {
    pub id: i64,
    pub user: i64,
    pub product: i64,
    pub before: &'static str,
    pub paid: &'static str,
    pub quantity: i64,
    pub placed: &'static str,
}

impl OldOrder {
    /// An order of [`DATA`] for 149.00.
    pub const fn of(id: i64, user: i64) -> Self {
        let (before, paid, placed) = ("149.00", "149.00", "2021-03-04T10:00:00.000000Z");
        Self { id, user, product: DATA.1, before, paid, quantity: 1, placed }
    }

    /// Its number in the former shop.
    pub fn number(&self) -> String {
        format!("OLD-{}", 100_000 + self.id)
    }
}

impl Default for Export {
    fn default() -> Self {
        let site = json!({ "t": "site", "id": 2, "domain": SITE, "partner_id": 1, "short_code": "old", "name": "Old" });
        let other = json!({ "t": "site", "id": 3, "domain": "other.example.com", "partner_id": 2, "short_code": "oth", "name": "Other" });
        let mut export = Self { rows: vec![site, other], platform: Vec::new() };
        for ((course, id), class) in [(DATA, "seat"), (WRITING, "seat"), ((WRITING.0, 13), "enrollment-code")]
        {
            export.row(json!({
                "t": "product", "id": id, "class": class, "title": format!("Seat in {course}"), "course": course, "course_name": "A course",
                "partner_id": 1, "sku": format!("SKU{id}"), "price": "149.00", "currency": "USD", "certificate": "verified", "verified_id": 1,
                "seat_type": if class == "seat" { Value::Null } else { json!("verified") },
            }));
        }
        export
    }
}

impl Export {
    pub fn row(&mut self, row: Value) {
        self.rows.push(row);
    }

    /// A row of the course platform.
    pub fn platform(&mut self, row: Value) {
        self.platform.push(row);
    }

    /// A user of the former shop with an account at the course platform.
    pub fn user(&mut self, id: i64, lms_id: i64, email: &str) {
        self.row(json!({ "t": "user", "id": id, "username": format!("user{id}"), "lms_id": lms_id }));
        self.platform(json!({ "t": "account", "id": lms_id, "username": format!("user{id}"), "email": email, "name": format!("User {id}"), "retired": 0 }));
    }

    /// An order, its line and, unless it is free, its payment.
    pub fn order(&mut self, order: &OldOrder) {
        let OldOrder { id, user, product, before, paid, quantity, placed } = order;
        self.row(json!({
            "t": "order", "id": id, "number": order.number(), "site_id": 2, "partner_id": 1, "user_id": user, "status": "Complete",
            "currency": "USD", "total": paid, "placed": placed, "invoiced": 0, "vouchers": null,
        }));
        self.row(json!({
            "t": "line", "id": id * 10, "order_id": id, "product_id": product, "sku": format!("SKU{product}"), "title": "Seat in a course",
            "quantity": quantity, "before": before, "paid": paid,
        }));
        if *paid != "0.00" {
            self.payment(*id, paid, "0.00");
        }
    }

    /// A payment of an order by PayPal.
    pub fn payment(&mut self, order: i64, debited: &str, refunded: &str) {
        self.row(json!({
            "t": "payment", "id": order, "order_id": order, "processor": "paypal", "reference": format!("PAYID-{order}"), "currency": "USD",
            "debited": debited, "refunded": refunded,
        }));
    }

    /// A refund of an order's line; the payment's row is changed to what it gave back.
    pub fn refund(&mut self, order: i64, status: &str, amount: &str) {
        let at = "2021-03-10T10:00:00.000000Z";
        self.row(json!({ "t": "refund", "id": order * 100, "order_id": order, "status": status, "amount": amount, "created": at, "changed": at }));
        self.row(
            json!({ "t": "refund_line", "refund_id": order * 100, "line_id": order * 10, "amount": amount }),
        );
        if ["Complete", "Payment Refunded", "Revocation Error"].contains(&status) {
            self.row(json!({ "t": "refunded", "id": order, "order_id": order, "amount": amount, "reference": format!("RF-{order}"), "at": at }));
            for row in &mut self.rows {
                if row["t"] == "payment" && row["order_id"] == order {
                    row["refunded"] = json!(amount);
                }
            }
        }
    }

    /// Changes the rows of a kind.
    pub fn change(&mut self, kind: &str, change: impl Fn(&mut Value)) {
        self.rows.iter_mut().filter(|row| row["t"] == kind).for_each(change);
    }

    /// Sets fields of an order's row, or of its rows of another kind.
    pub fn set(&mut self, order: i64, kind: &str, fields: &Value) {
        let of = if kind == "order" { "id" } else { "order_id" };
        for row in self.rows.iter_mut().filter(|row| row["t"] == kind && row[of] == order) {
            row.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        }
    }

    /// The lines of both databases.
    pub fn lines(&self) -> Vec<String> {
        let shop = [
            &[json!({ "t": "begin", "format": 1, "missing": null })][..],
            &self.rows,
            &[json!({ "t": "end" })],
        ];
        let platform = [
            &[json!({ "t": "begin_platform", "format": 1, "missing": null })][..],
            &self.platform,
            &[json!({ "t": "end_platform" })],
        ];
        shop.concat().iter().chain(&platform.concat()).map(Value::to_string).collect()
    }
}

/// Makes Stripe's account `northwind` the one that has charged an order, in US dollars and under this reference.
pub async fn charged_with_stripe(world: &World, export: &mut Export, order: i64, reference: &str) {
    export.set(order, "payment", &json!({ "processor": "stripe", "reference": reference }));
    let payment = json!({ "gateway": "stripe", "organisation": "northwind", "reference": reference, "amount": 14_900, "currency": "USD",
        "metadata": { "order_number": format!("OLD-{}", 100_000 + order) } });
    world.sim(Method::POST, "/_sim/payments", Some(payment)).await;
}

/// One paid order of a person, one discounted and paid back, one of which a refund is open, and a free one.
pub fn sales(user_id: i64) -> Export {
    let mut export = Export::default();
    export.user(7, user_id, EMAIL);
    export.order(&OldOrder::of(1, 7));
    export.order(&OldOrder { paid: "111.75", ..OldOrder::of(2, 7) });
    export.refund(2, "Complete", "111.75");
    export.order(&OldOrder { placed: "2016-12-31T23:30:00.000000Z", ..OldOrder::of(3, 7) });
    export.refund(3, "Open", "149.00");
    export.order(&OldOrder { paid: "0.00", ..OldOrder::of(4, 7) });
    export
}

/// Runs the command on lines. Returns whether it succeeded, and its output with its errors.
pub async fn move_in_lines(world: &World, lines: &[String], options: &[&str]) -> (bool, String) {
    let file = std::env::temp_dir().join(format!("{}.export", world.name));
    std::fs::write(&file, lines.join("\n")).unwrap();
    let path = file.to_str().unwrap();
    let words = ["move-in", "ecommerce", "--site", SITE, "--organisation", "northwind", "--json", path];
    let answer = operator(world, &[&words, options].concat(), &["database-url"]).await;
    std::fs::remove_file(file).unwrap();
    answer
}

/// Runs the command on an export.
pub async fn move_in(world: &World, export: &Export, options: &[&str]) -> (bool, String) {
    move_in_lines(world, &export.lines(), options).await
}

/// The rows of a section of the report.
pub fn section(said: &str, name: &str) -> Vec<Value> {
    let rows = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    rows.filter(|row| row["section"] == name).collect()
}

/// The reason of a finding about a key.
pub fn finding(said: &str, kind: &str, key: &str) -> Option<String> {
    let findings = section(said, "findings");
    let found = findings.iter().find(|row| row["kind"] == kind && row["key"] == key)?;
    Some(found["reason"].as_str().unwrap().to_owned())
}

/// The cart of an order of the former shop.
pub async fn moved_cart(world: &World, number: &str) -> String {
    let id = sqlx::query_scalar("SELECT id::text FROM carts WHERE former_shop = $1 AND reference = $2");
    id.bind(SITE).bind(number).fetch_one(&world.db).await.unwrap()
}
