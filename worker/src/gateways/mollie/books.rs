//! Mollie's settlements. What is in them is added up by month and method, with four decimals. An organisation's access token reads them;
//! the API key of a profile does not. Shapes as in @mollie/api-client 4.6 and <https://docs.mollie.com/reference/get-settlement>.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;
use serde_json::{Map, Value};
use shared::money::Currency;
use store::model::payout::{About, Kind, Movement, Payout, State};

use super::Mollie;
use crate::gateways::books::{Books, Page, PayoutPlace, all, in_minor_units};
use crate::gateways::{GatewayError, text, unreadable};

#[async_trait]
impl Books for Mollie {
    /// Mollie has no filter by time: the caller ends the list.
    async fn payouts(
        &self,
        _since: Option<DateTime<Utc>>,
        page: Option<&str>,
    ) -> Result<Page<Payout>, GatewayError> {
        let from = page.map(|page| format!("&from={page}")).unwrap_or_default();
        let list = self.get(&format!("/settlements?limit=250{from}")).await?;
        let settlements = all(list.pointer("/_embedded/settlements"), payout)?;
        let next = text(&list, "/_links/next/href").and_then(|next| next.parse::<reqwest::Url>().ok());
        let from =
            next.and_then(|next| Some(next.query_pairs().find(|(name, _)| name == "from")?.1.into_owned()));
        Ok(Page { items: settlements.into_iter().flatten().collect(), next: from })
    }

    async fn movements(
        &self,
        payout: &PayoutPlace,
        _page: Option<&str>,
    ) -> Result<Page<Movement>, GatewayError> {
        let settlement = self.get(&format!("/settlements/{}", payout.reference)).await?;
        let items = movements(&settlement).ok_or_else(|| unreadable("readable settlement"))?;
        Ok(Page { items, next: None })
    }
}

/// Reads a settlement. None within: the open one, which is not a payout yet.
fn payout(settlement: &Value) -> Option<Option<Payout>> {
    let state = match text(settlement, "/status")? {
        "open" => return Some(None),
        "paidout" => State::Paid,
        "failed" => State::Failed,
        _ => State::Pending,
    };
    let amount = settlement.get("amount")?;
    let (minor, currency) = exact(amount)?;
    let day = |name: &str| Some(DateTime::parse_from_rfc3339(text(settlement, name)?).ok()?.to_utc());
    let settled_at = day("/settledAt");
    Some(Some(Payout {
        reference: text(settlement, "/id")?.to_owned(),
        state,
        minor: minor.to_i64().filter(|whole| Decimal::from(*whole) == minor)?,
        currency,
        made_at: day("/createdAt").or(settled_at)?,
        bank_day: settled_at.map(|at| at.date_naive()),
        bank_reference: text(settlement, "/reference").map(str::to_owned),
        is_itemised: true,
    }))
}

/// Reads what is in a settlement: for each month, revenue and costs.
fn movements(settlement: &Value) -> Option<Vec<Movement>> {
    let object = |value: &Value| value.as_object().cloned();
    // Without any period, PHP's JSON is a list.
    let years: Map<String, Value> = settlement.get("periods").and_then(object).unwrap_or_default();
    let mut movements = Vec::new();
    for (year, months) in &years {
        for (month, period) in months.as_object()? {
            for name in ["revenue", "costs"] {
                let lines = period.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
                for (nth, line) in lines.iter().enumerate() {
                    let reference = format!("{year}-{month} {name} {nth}");
                    movements.push(if name == "costs" {
                        cost(line, reference)?
                    } else {
                        revenue(line, reference)?
                    });
                }
            }
        }
    }
    Some(movements)
}

/// Refunds and chargebacks are revenue with a negative net, and their gross may be positive: the net is what counts.
fn revenue(line: &Value, reference: String) -> Option<Movement> {
    let (net, currency) = exact(line.get("amountNet")?)?;
    let word = text(line, "/method").or_else(|| text(line, "/description")).unwrap_or_default();
    let said = format!("{word} {}", text(line, "/description").unwrap_or_default()).to_ascii_lowercase();
    let kind = match said.as_str() {
        said if said.contains("chargeback") => Kind::Dispute,
        said if said.contains("refund") => Kind::Refund,
        _ if net.is_sign_negative() => Kind::Other,
        _ => Kind::Payment,
    };
    Some(Movement { gross: net, ..of_line(line, reference, kind, currency) })
}

/// A cost is a fee with its tax, whatever it is for.
fn cost(line: &Value, reference: String) -> Option<Movement> {
    let (gross, currency) = exact(line.get("amountGross")?)?;
    let tax = line.get("amountVat").and_then(exact).map_or(Decimal::ZERO, |(tax, _)| tax);
    Some(Movement { fee: gross, fee_tax: tax, ..of_line(line, reference, Kind::Fee, currency) })
}

fn of_line(line: &Value, reference: String, kind: Kind, currency: Currency) -> Movement {
    let word = text(line, "/description").or_else(|| text(line, "/method"));
    Movement {
        reference,
        kind,
        provider_kind: word.unwrap_or_default().to_owned(),
        balance: None,
        items: line.get("count").and_then(Value::as_i64).unwrap_or(1),
        gross: Decimal::ZERO,
        fee: Decimal::ZERO,
        fee_tax: Decimal::ZERO,
        currency,
        moved_at: None,
        about: About::default(),
    }
}

/// Reads an amount of any number of decimals in minor units.
fn exact(money: &Value) -> Option<(Decimal, Currency)> {
    let currency: Currency = text(money, "/currency")?.parse().ok()?;
    Some((in_minor_units(text(money, "/value")?.parse().ok()?, currency)?, currency))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A settlement that spans two months, with amounts of Mollie's documentation: it adds up to 39.754.
    fn settlement() -> Value {
        let money = |value: &str| json!({ "currency": "EUR", "value": value });
        json!({ "id": "stl_1", "status": "paidout", "reference": "1234567.1804.03", "createdAt": "2026-04-06T06:00:01.0Z",
            "settledAt": "2026-04-06T09:41:44.0Z", "amount": money("39.75"), "periods": { "2026": {
                "04": { "revenue": [
                        { "description": "iDEAL", "method": "ideal", "count": 6, "amountNet": money("86.1000"), "amountVat": null, "amountGross": money("86.1000") },
                        { "description": "Refunds iDEAL", "method": "refund", "count": 2, "amountNet": money("-43.2000"), "amountVat": null, "amountGross": money("43.2000") }],
                    "costs": [{ "description": "iDEAL", "method": "ideal", "count": 6, "rate": { "fixed": money("0.3500"), "percentage": null },
                        "amountNet": money("2.1000"), "amountVat": money("0.4410"), "amountGross": money("2.5410") }] },
                "03": { "revenue": [], "costs": [{ "description": "Withdrawal", "method": null, "count": 1,
                        "amountNet": money("0.6050"), "amountVat": null, "amountGross": money("0.6050") }] } } } })
    }

    #[test]
    fn a_settlement_keeps_four_decimals_and_counts_the_net_of_refunds() {
        let payout = payout(&settlement()).unwrap().unwrap();
        assert_eq!((payout.minor, payout.state), (3_975, State::Paid));
        let moved = movements(&settlement()).unwrap();
        let sum: Decimal = moved.iter().map(|moved| moved.gross - moved.fee).sum();
        assert_eq!(sum.normalize().to_string(), "3975.4");
        let fee_tax: Decimal = moved.iter().map(|moved| moved.fee_tax).sum();
        assert_eq!(fee_tax.normalize().to_string(), "44.1");
        let kinds: Vec<_> = moved.iter().map(|moved| (moved.kind, moved.items)).collect();
        assert_eq!(kinds, [(Kind::Fee, 1), (Kind::Payment, 6), (Kind::Refund, 2), (Kind::Fee, 6)]);
    }

    #[test]
    fn the_open_settlement_is_no_payout_and_an_empty_period_is_a_list() {
        let mut open = settlement();
        open["status"] = json!("open");
        assert!(payout(&open).unwrap().is_none());
        open["periods"] = json!([]);
        assert!(movements(&open).unwrap().is_empty());
    }
}
