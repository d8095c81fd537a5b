//! Turns lines of CSV files into the rows that ecommerce's statements print. Checks each field: a fault is `Incomplete`, to which the
//! caller adds the line.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::{Value, json};
use shared::course_mode::CourseMode;
use shared::ids::CourseKey;

use super::{ExportError, Rows};

/// The columns of the orders' file: one row for each line of an order, those of one order in sequence.
pub const ORDERS: &[&str] = &[
    "number",
    "placed_at",
    "platform_user_id",
    "currency",
    "course",
    "mode",
    "quantity",
    "price",
    "paid",
    "processor",
    "reference",
    "refunded",
    "refunded_at",
];

/// A column that the orders' file may have after these.
pub const REFUND_REFERENCE: &str = "refund_reference";

/// The columns of the codes' file.
pub const CODES: &[&str] = &[
    "code",
    "percent",
    "amount",
    "uses_left",
    "once_per_buyer",
    "valid_from",
    "valid_until",
    "courses",
    "campaign",
];

/// The site and its partner in the rows.
const SITE: i64 = 1;

#[derive(Deserialize)]
pub struct OrderLine {
    number: String,
    placed_at: String,
    platform_user_id: Option<i64>,
    currency: String,
    course: String,
    mode: String,
    quantity: u32,
    price: String,
    paid: String,
    processor: Option<String>,
    reference: Option<String>,
    refunded: Option<String>,
    refunded_at: Option<String>,
    #[serde(default)]
    refund_reference: Option<String>,
}

#[derive(Deserialize)]
pub struct CodeLine {
    code: String,
    percent: Option<String>,
    amount: Option<String>,
    uses_left: u32,
    once_per_buyer: Option<bool>,
    valid_from: String,
    valid_until: Option<String>,
    courses: String,
    campaign: Option<String>,
}

/// The order whose lines are being read.
struct Order {
    id: i64,
    number: String,
    placed: DateTime<Utc>,
    total: Decimal,
    first: OrderLine,
}

/// Turns lines of CSV into rows.
pub struct Converter<'a, 'b> {
    rows: &'a mut Rows<'b>,
    numbers: HashSet<String>,
    people: HashSet<i64>,
    /// By class, course and mode.
    products: HashMap<(&'static str, String, String), i64>,
    order: Option<Order>,
    lines: i64,
    codes: i64,
}

/// A fault of the line that is being read.
fn wrong(reason: impl Into<String>) -> ExportError {
    ExportError::Incomplete(reason.into())
}

fn amount(name: &str, text: &str) -> Result<Decimal, ExportError> {
    let amount =
        Decimal::from_str_exact(text).map_err(|_| wrong(format!("{name}: {text:?} is not an amount")))?;
    if amount.is_sign_negative() { Err(wrong(format!("{name}: {text} is negative"))) } else { Ok(amount) }
}

fn moment(name: &str, text: &str) -> Result<DateTime<Utc>, ExportError> {
    text.parse().map_err(|_| wrong(format!("{name}: {text:?} is not a time as RFC 3339 writes it")))
}

fn course_key(text: &str) -> Result<CourseKey, ExportError> {
    text.parse().map_err(|_| wrong(format!("{text:?} is not a course key")))
}

impl<'a, 'b> Converter<'a, 'b> {
    /// Begins with the row of the site.
    pub fn begin(site: &str, rows: &'a mut Rows<'b>) -> Result<Self, ExportError> {
        let shop =
            json!({ "id": SITE, "domain": site, "partner_id": SITE, "short_code": "csv", "name": site });
        rows.push("site", &shop)?;
        Ok(Self {
            rows,
            numbers: HashSet::new(),
            people: HashSet::new(),
            products: HashMap::new(),
            order: None,
            lines: 0,
            codes: 0,
        })
    }

    pub fn line(&mut self, line: OrderLine) -> Result<(), ExportError> {
        if line.number.is_empty() || line.quantity == 0 {
            return Err(wrong("number is empty, or quantity is 0"));
        }
        if self.order.as_ref().is_none_or(|order| order.number != line.number) {
            self.end_order()?;
            if !self.numbers.insert(line.number.clone()) {
                return Err(wrong(format!("order {} has lines above, apart from this one", line.number)));
            }
        }
        let (course, placed) = (course_key(&line.course)?, moment("placed_at", &line.placed_at)?);
        let (price, paid) = (amount("price", &line.price)?, amount("paid", &line.paid)?);
        self.lines += 1;
        let (id, order_id) = (self.lines, self.order.as_ref().map_or(self.lines, |order| order.id));
        let class = if line.quantity > 1 { "enrollment-code" } else { "seat" };
        let terms = json!({ "price": price.to_string(), "currency": line.currency });
        let product = self.product(class, &course, &line.mode, &terms)?;
        let row = json!({
            "id": id, "order_id": order_id, "product_id": product, "sku": "", "title": course.as_str(), "quantity": line.quantity,
            "before": price.to_string(), "paid": paid.to_string(),
        });
        self.push("line", &row)?;
        self.refund(id, order_id, &line)?;
        match &mut self.order {
            Some(order) => order.total += paid,
            None => {
                self.order = Some(Order {
                    id: order_id,
                    number: line.number.clone(),
                    placed,
                    total: paid,
                    first: line,
                });
            }
        }
        Ok(())
    }

    fn refund(&mut self, id: i64, order_id: i64, line: &OrderLine) -> Result<(), ExportError> {
        let Some(text) = &line.refunded else { return Ok(()) };
        let refunded = amount("refunded", text)?;
        if refunded.is_zero() {
            return Ok(());
        }
        let at = line.refunded_at.as_deref().ok_or_else(|| wrong("refunded needs refunded_at"))?;
        let at = moment("refunded_at", at)?;
        let refunded = refunded.to_string();
        let refund = json!({ "id": id, "order_id": order_id, "status": "Complete", "amount": refunded, "created": at, "changed": at });
        self.push("refund", &refund)?;
        self.push("refund_line", &json!({ "refund_id": id, "line_id": id, "amount": refunded }))
    }

    /// The id of a product of a class. `terms` has the price and the currency of one that is sold.
    fn product(
        &mut self,
        class: &'static str,
        course: &CourseKey,
        mode: &str,
        terms: &Value,
    ) -> Result<i64, ExportError> {
        let key = (class, course.as_str().to_owned(), mode.to_owned());
        if let Some(id) = self.products.get(&key) {
            return Ok(*id);
        }
        let id = i64::try_from(self.products.len()).unwrap_or_default() + 1;
        let row = json!({
            "id": id, "class": class, "title": course.as_str(), "course": course.as_str(), "partner_id": SITE, "sku": "",
            "price": terms.get("price"), "currency": terms.get("currency"), "seat_type": mode, "verified_id": 1,
        });
        self.push("product", &row)?;
        self.products.insert(key, id);
        Ok(id)
    }

    /// Ends the order whose lines were the last.
    pub fn end_order(&mut self) -> Result<(), ExportError> {
        let Some(Order { id, number, placed, total, first }) = self.order.take() else { return Ok(()) };
        if let Some(person) = first.platform_user_id
            && self.people.insert(person)
        {
            let user = json!({ "id": person, "username": person.to_string(), "lms_id": person });
            self.push("user", &user)?;
        }
        let order = json!({
            "id": id, "number": number, "site_id": SITE, "partner_id": SITE, "user_id": first.platform_user_id, "status": "Complete",
            "currency": first.currency, "total": total.to_string(), "placed": placed, "invoiced": 0,
        });
        self.push("order", &order)?;
        if total.is_zero() {
            return Ok(());
        }
        let payment = json!({
            "id": id, "order_id": id, "processor": first.processor.as_deref().unwrap_or("other"), "reference": first.reference,
            "refund_reference": first.refund_reference, "currency": first.currency, "debited": total.to_string(), "refunded": "0",
        });
        self.push("payment", &payment)
    }

    pub fn code(&mut self, line: &CodeLine) -> Result<(), ExportError> {
        let (kind, value) = match (&line.percent, &line.amount) {
            (Some(percent), None) => ("Percentage", amount("percent", percent)?),
            (None, Some(off)) => ("Absolute", amount("amount", off)?),
            _ => return Err(wrong("needs either percent or amount")),
        };
        let from = moment("valid_from", &line.valid_from)?;
        let until = line.valid_until.as_deref().map(|until| moment("valid_until", until)).transpose()?;
        let usage = if line.once_per_buyer == Some(true) { "Once per customer" } else { "Multi-use" };
        self.codes += 1;
        let id = self.codes;
        let row = json!({
            "id": id, "code": line.code, "usage": usage, "from": from, "until": until, "orders": 0, "offer_id": id,
            "applications": 0, "most": line.uses_left, "kind": kind, "value": value.to_string(), "range_id": id, "coupon": line.campaign,
            "partner_id": SITE,
        });
        self.push("code", &row)?;
        for course in line.courses.split_whitespace() {
            let course = course_key(course)?;
            for mode in CourseMode::slugs() {
                let product = self.product("scope", &course, mode, &json!({}))?;
                self.push("range", &json!({ "id": id, "product_id": product }))?;
            }
        }
        Ok(())
    }

    fn push(&mut self, kind: &str, row: &Value) -> Result<(), ExportError> {
        self.rows.push(kind, row)
    }
}
