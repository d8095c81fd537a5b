//! The sums of a basket, as a receipt shows them: what the API answers for each line, added up.

use serde::Serialize;
use serde_json::Value;

/// Thousandths, in which the amounts of every currency are whole numbers.
const PARTS: f64 = 1_000.0;

/// The sums of a quote, in major units.
#[derive(Debug, PartialEq, Serialize)]
pub struct Sums {
    /// Before all deductions.
    pub subtotal: f64,
    /// What dated prices and the visitor's region take off.
    pub discount: f64,
    /// True if no line has a dated price, so that all of it is the region's.
    pub is_regional: bool,
    pub voucher_discount: f64,
    /// True if the tax is charged beside the prices.
    pub tax_on_top: bool,
}

/// Adds up the lines of a quote.
pub fn sums(quote: &Value) -> Sums {
    let lines = || quote["items_detail"].as_array().into_iter().flatten();
    let sum = |field: &str| lines().map(|line| parts(&line[field])).sum::<i64>();
    let (subtotal, voucher, price) = (sum("originalPrice"), sum("voucher_discount"), sum("price"));
    Sums {
        subtotal: major(subtotal),
        discount: major(subtotal - voucher - price),
        is_regional: lines().all(|line| line["price_name"].is_null()),
        voucher_discount: major(voucher),
        tax_on_top: parts(&quote["tax"]) > 0 && parts(&quote["total_price"]) > price,
    }
}

/// What the courses of a program cost alone, and how much less the program costs. None unless each course has a price in
/// the program's currency, and together they cost more.
pub fn saving(program: &Value, courses: &[Value]) -> Option<(f64, f64)> {
    let price = program["price"].as_f64()?;
    let alone = courses.iter().map(|course| certified(course, &program["currency"]).map(in_parts));
    let alone = alone.sum::<Option<i64>>()?;
    let saved = alone - in_parts(price);
    (saved > 0).then(|| (major(alone), major(saved)))
}

/// The price of a course in its most valuable mode, which a program contains; None in another currency.
pub fn certified(course: &Value, currency: &Value) -> Option<f64> {
    let modes = course["available_course_modes"].as_array()?;
    let mode = modes.iter().find(|mode| mode["modeSlug"] == "verified").or_else(|| modes.last())?;
    mode["price"].as_f64().filter(|_| mode["currency"] == *currency)
}

fn parts(amount: &Value) -> i64 {
    in_parts(amount.as_f64().unwrap_or_default())
}

#[expect(clippy::cast_possible_truncation, reason = "amounts of money are far below 2^53 thousandths")]
fn in_parts(amount: f64) -> i64 {
    (amount * PARTS).round() as i64
}

#[expect(clippy::cast_precision_loss, reason = "amounts of money are far below 2^53 thousandths")]
fn major(parts: i64) -> f64 {
    parts as f64 / PARTS
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn deductions_and_tax_add_up_to_the_total() {
        let line = |original: f64, voucher: f64, price: f64| json!({ "originalPrice": original, "voucher_discount": voucher, "price": price });
        let quote = json!({ "items_detail": [line(100.1, 10.05, 50.0), line(0.2, 0.0, 0.2)], "tax": 12.55, "total_price": 62.75 });
        let sums = sums(&quote);
        assert_eq!(
            sums,
            Sums {
                subtotal: 100.3,
                discount: 40.05,
                is_regional: true,
                voucher_discount: 10.05,
                tax_on_top: true
            }
        );
    }

    #[test]
    fn a_program_saves_the_difference_to_its_courses_in_one_currency() {
        let course = |price: f64, currency: &str| {
            json!({ "available_course_modes": [
            { "modeSlug": "audit", "price": 0, "currency": currency }, { "modeSlug": "verified", "price": price, "currency": currency }] })
        };
        let program = json!({ "price": 349.0, "currency": "USD" });
        assert_eq!(saving(&program, &[course(149.0, "USD"), course(249.99, "USD")]), Some((398.99, 49.99)));
        assert_eq!(saving(&program, &[course(149.0, "USD"), course(249.99, "EUR")]), None);
        assert_eq!(saving(&program, &[course(149.0, "USD")]), None);
    }
}
