//! Razorpay's and Curlec's settlements, and the movements of each, which the provider lists by day. The tax is in the fee. Shapes as in
//! razorpay-node 2.9, whose answers differ from its types, and <https://razorpay.com/docs/api/settlements/fetch-recon>.

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use rust_decimal::prelude::ToPrimitive;
use serde_json::Value;
use shared::money::Currency;
use store::model::payout::{About, Kind, Movement, Payout, State};

use super::{AMOUNTS, Razorpay};
use crate::gateways::books::{Books, Page, PayoutPlace, all, minor, seconds};
use crate::gateways::{GatewayError, text, unreadable};

/// Objects on a page: the most that the provider gives.
const PAGE: usize = 1_000;

/// A settlement names no currency: that of the account, which is the provider's country's.
pub struct RazorpayBooks {
    pub(super) calls: Razorpay,
    pub(super) currency: &'static str,
}

#[async_trait]
impl Books for RazorpayBooks {
    async fn payouts(
        &self,
        since: Option<DateTime<Utc>>,
        page: Option<&str>,
    ) -> Result<Page<Payout>, GatewayError> {
        let skip = page.unwrap_or("0");
        let from = since.map_or(0, |since| since.timestamp()).to_string();
        let (count, currency) = (PAGE.to_string(), self.currency.parse().ok());
        let query = [("count", count.as_str()), ("skip", skip), ("from", &from)];
        let list = self.calls.get("/settlements", &query).await?;
        let items = all(list.get("items"), |settlement| payout(settlement, currency?))?;
        Ok(Page { next: next(skip, items.len()), items })
    }

    /// A page names the day and how many of its movements came before: `2026-11-28 1000`. Days are those of the provider's country,
    /// which are read with the day before and after, for other settlements of the day are left out anyway.
    async fn movements(
        &self,
        payout: &PayoutPlace,
        page: Option<&str>,
    ) -> Result<Page<Movement>, GatewayError> {
        let made_on = payout.made_at.date_naive();
        let (first, last) = (made_on - TimeDelta::days(1), made_on + TimeDelta::days(1));
        let page = page.and_then(|page| page.split_once(' '));
        let (day, skip) = match page.and_then(|(day, skip)| Some((day.parse::<NaiveDate>().ok()?, skip))) {
            Some(place) => place,
            None => (first, "0"),
        };
        let (year, month, of_month) =
            (day.format("%Y").to_string(), day.format("%-m").to_string(), day.format("%-d").to_string());
        let count = PAGE.to_string();
        let query = [
            ("year", year.as_str()),
            ("month", &month),
            ("day", &of_month),
            ("count", &count),
            ("skip", skip),
        ];
        let list = self.calls.get("/settlements/recon/combined", &query).await?;
        let read = all(list.get("items"), |row| {
            let is_own = text(row, "/settlement_id") == Some(payout.reference.as_str());
            if is_own { movement(row).map(Some) } else { Some(None) }
        })?;
        let next = match next(skip, read.len()) {
            Some(skip) => Some(format!("{day} {skip}")),
            None if day < last => {
                Some(format!("{} 0", day.succ_opt().ok_or_else(|| unreadable("next day"))?))
            }
            None => None,
        };
        Ok(Page { items: read.into_iter().flatten().collect(), next })
    }
}

/// The number of objects before the next page; None after the last one.
fn next(skip: &str, found: usize) -> Option<String> {
    let skipped: usize = skip.parse().ok()?;
    (found == PAGE).then(|| (skipped + found).to_string())
}

/// Reads a settlement, whose own `fees` and `tax` are 0.
fn payout(settlement: &Value, currency: Currency) -> Option<Payout> {
    let made_at = seconds(settlement, "created_at")?;
    Some(Payout {
        reference: text(settlement, "/id")?.to_owned(),
        state: match text(settlement, "/status")? {
            "processed" => State::Paid,
            // It is tried again: `processed` can follow.
            "failed" => State::Failed,
            _ => State::Pending,
        },
        minor: minor(&AMOUNTS, settlement.get("amount")?.as_i64()?, currency)?.to_i64()?,
        currency,
        made_at,
        bank_day: Some(made_at.date_naive()),
        bank_reference: text(settlement, "/utr").map(str::to_owned),
        is_itemised: true,
    })
}

/// Reads a movement: what is credited or debited is the amount less the fee, or with it.
fn movement(row: &Value) -> Option<Movement> {
    let currency: Currency = text(row, "/currency")?.parse().ok()?;
    let exact = |name: &str| {
        let subunits = row.get(name).filter(|value| !value.is_null());
        minor(&AMOUNTS, subunits.map_or(Some(0), Value::as_i64)?, currency)
    };
    let (net, fee) = (exact("credit")? - exact("debit")?, exact("fee")?);
    let provider_kind = text(row, "/type")?;
    let entity = text(row, "/entity_id")?;
    let order = text(row, "/order_id").map(str::to_owned);
    let dispute = text(row, "/dispute_id").map(str::to_owned);
    let kind = match provider_kind {
        "payment" => Kind::Payment,
        "refund" => Kind::Refund,
        "adjustment" if dispute.is_some() => Kind::Dispute,
        // An adjustment of nothing but a fee is one.
        "adjustment" if (net + fee).is_zero() => Kind::Fee,
        _ => Kind::Other,
    };
    Some(Movement {
        // A movement of one entity can be followed by its reversal.
        reference: format!("{entity} {provider_kind} {}", net.normalize()),
        kind,
        provider_kind: provider_kind.to_owned(),
        balance: None,
        items: 1,
        gross: (net + fee).normalize(),
        fee,
        fee_tax: exact("tax")?,
        currency,
        moved_at: seconds(row, "created_at"),
        about: About {
            payment: order,
            refund: Some(entity.to_owned()).filter(|_| kind == Kind::Refund),
            dispute,
        },
    })
}

#[cfg(test)]
mod tests {
    use rust_decimal::Decimal;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_fee_is_taken_off_a_credit_and_added_to_a_debit() {
        // From Razorpay's documentation, with what its answers leave out.
        let transfer = json!({ "entity_id": "trf_1", "type": "transfer", "debit": 100_296, "credit": 0, "amount": 100_000,
            "currency": "INR", "fee": 296, "tax": 46, "created_at": 1_567_692_556, "notes": "{}", "method": null,
            "payment_id": "pay_1", "order_id": null, "dispute_id": null, "posted_at": null, "settlement_id": "setl_1" });
        let read = movement(&transfer).unwrap();
        assert_eq!((read.gross, read.fee, read.fee_tax), ((-100_000).into(), 296.into(), 46.into()));
        assert_eq!(read.kind, Kind::Other);
        let mut payment = transfer;
        for (name, value) in [
            ("type", json!("payment")),
            ("debit", json!(0)),
            ("credit", json!(49_000)),
            ("fee", json!(1_000)),
            ("tax", Value::Null),
        ] {
            payment[name] = value;
        }
        let read = movement(&payment).unwrap();
        assert_eq!(
            (read.kind, read.gross, read.fee, read.fee_tax),
            (Kind::Payment, 50_000.into(), 1_000.into(), Decimal::ZERO)
        );
    }
}
