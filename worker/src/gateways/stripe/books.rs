//! Stripe's payouts and balance transactions. Shapes as in stripe-python 16.1 and
//! <https://docs.stripe.com/reports/reporting-categories>, whose lists of words are open.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use reqwest::{Method, RequestBuilder};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;
use serde_json::Value;
use shared::money::Currency;
use store::model::payout::{About, Kind, Movement, Payout, State};

use super::{Stripe, amounts::AMOUNTS};
use crate::gateways::books::{Books, Page, PayoutPlace, all, minor, seconds};
use crate::gateways::{GatewayError, text};

#[async_trait]
impl Books for Stripe {
    async fn payouts(
        &self,
        since: Option<DateTime<Utc>>,
        page: Option<&str>,
    ) -> Result<Page<Payout>, GatewayError> {
        let mut query = Vec::new();
        query.extend(since.map(|since| ("created[gte]", since.timestamp().to_string())));
        let list = self.page("/v1/payouts", query, page).await?;
        read_page(&list, payout)
    }

    async fn movements(
        &self,
        payout: &PayoutPlace,
        page: Option<&str>,
    ) -> Result<Page<Movement>, GatewayError> {
        let query = vec![("payout", payout.reference.clone()), ("expand[]", "data.source".to_owned())];
        let list = self.page("/v1/balance_transactions", query, page).await?;
        let read =
            read_page(&list, |moved| Some((text(moved, "/id")?.to_owned(), movement(moved, payout)?)))?;
        Ok(Page { items: read.items.into_iter().filter_map(|(_, moved)| moved).collect(), next: read.next })
    }
}

impl Stripe {
    async fn page(
        &self,
        path: &str,
        mut query: Vec<(&str, String)>,
        after: Option<&str>,
    ) -> Result<Value, GatewayError> {
        query.push(("limit", "100".to_owned()));
        query.extend(after.map(|after| ("starting_after", after.to_owned())));
        let build = |request: RequestBuilder| self.signed(request).query(&query);
        self.caller.repeat(Method::GET, path, build).await
    }
}

/// Reads a page, which continues after its last object.
fn read_page<T>(list: &Value, read: impl Fn(&Value) -> Option<T>) -> Result<Page<T>, GatewayError> {
    let items = all(list.get("data"), read)?;
    let last = list.get("data").and_then(Value::as_array).and_then(|data| text(data.last()?, "/id"));
    let has_more = list.get("has_more").and_then(Value::as_bool) == Some(true);
    Ok(Page { items, next: last.filter(|_| has_more).map(str::to_owned) })
}

fn payout(payout: &Value) -> Option<Payout> {
    let currency = Currency::read(text(payout, "/currency")?).ok()?;
    Some(Payout {
        reference: text(payout, "/id")?.to_owned(),
        state: match text(payout, "/status")? {
            "paid" => State::Paid,
            "failed" | "canceled" => State::Failed,
            _ => State::Pending,
        },
        minor: minor(&AMOUNTS, payout.get("amount")?.as_i64()?, currency)?.to_i64()?,
        currency,
        made_at: seconds(payout, "created")?,
        bank_day: seconds(payout, "arrival_date").map(|at| at.date_naive()),
        // Pending for up to ten days after the arrival.
        bank_reference: text(payout, "/trace_id/value").map(str::to_owned),
        // Stripe says what is in automatic payouts alone, once it has worked that out.
        is_itemised: text(payout, "/reconciliation_status") != Some("not_applicable"),
    })
}

/// Reads a balance transaction; the payout's own one is no movement in it. `amount` less `fee` is `net`, and the tax is in the fee.
/// Fees that are billed apart are an amount.
fn movement(moved: &Value, payout: &PayoutPlace) -> Option<Option<Movement>> {
    let provider_kind = text(moved, "/reporting_category")?;
    let source = |name: &str| text(moved, &format!("/source/{name}")).map(str::to_owned);
    let source_id = text(moved, "/source").map(str::to_owned).or_else(|| source("id"));
    if provider_kind == "payout" && source_id.as_deref() == Some(payout.reference.as_str()) {
        return Some(None);
    }
    let currency = Currency::read(text(moved, "/currency")?).ok()?;
    let exact = |subunits: i64| minor(&AMOUNTS, subunits, currency);
    let (amount, fee) = (exact(moved.get("amount")?.as_i64()?)?, exact(moved.get("fee")?.as_i64()?)?);
    let kind = kind(provider_kind);
    let is_fee = kind == Kind::Fee;
    let fee_tax = match provider_kind {
        "tax" => fee - amount,
        _ => exact(fee_tax(moved)?)?,
    };
    Some(Some(Movement {
        reference: text(moved, "/id")?.to_owned(),
        kind,
        provider_kind: provider_kind.to_owned(),
        balance: text(moved, "/balance_type").filter(|balance| *balance != "payments").map(str::to_owned),
        items: 1,
        gross: if is_fee { Decimal::ZERO } else { amount },
        fee: if is_fee { fee - amount } else { fee },
        fee_tax,
        currency,
        moved_at: seconds(moved, "created"),
        about: About {
            payment: source("payment_intent").or_else(|| source("charge")).or_else(|| source("id")),
            refund: source_id.clone().filter(|_| kind == Kind::Refund),
            dispute: source_id.filter(|_| kind == Kind::Dispute),
        },
    }))
}

/// The categories of Stripe; every other one is `other`.
fn kind(category: &str) -> Kind {
    match category {
        "charge" | "charge_failure" | "partial_capture_reversal" => Kind::Payment,
        "refund" | "refund_failure" => Kind::Refund,
        "dispute" | "dispute_reversal" => Kind::Dispute,
        "fee" | "network_cost" | "tax" => Kind::Fee,
        "payout" | "payout_reversal" => Kind::Payout,
        _ => Kind::Other,
    }
}

fn fee_tax(moved: &Value) -> Option<i64> {
    let details = moved.get("fee_details").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let taxes = details.iter().filter(|detail| matches!(text(detail, "/type"), Some("tax" | "withheld_tax")));
    taxes.map(|detail| detail.get("amount")?.as_i64()).sum()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(mut moved: Value) -> Option<Movement> {
        let defaults = json!({ "id": "txn_1", "currency": "usd", "fee": 0, "fee_details": [], "created": 1, "source": null });
        for (name, value) in defaults.as_object().unwrap() {
            moved.as_object_mut().unwrap().entry(name).or_insert(value.clone());
        }
        let place = PayoutPlace { reference: "po_1".to_owned(), made_at: DateTime::UNIX_EPOCH };
        movement(&moved, &place).unwrap()
    }

    #[test]
    fn the_tax_is_in_the_fee_and_a_fee_billed_apart_is_one() {
        let details = json!([{ "type": "stripe_fee", "amount": 275 }, { "type": "tax", "amount": 25 }, { "type": "withheld_tax", "amount": 5 }]);
        let charge = json!({ "reporting_category": "charge", "amount": 5_000, "fee": 305, "fee_details": details,
            "source": { "id": "ch_1", "payment_intent": "pi_1" } });
        let charge = read(charge).unwrap();
        assert_eq!((charge.gross, charge.fee, charge.fee_tax), (5_000.into(), 305.into(), 30.into()));
        assert_eq!((charge.kind, charge.about.payment.as_deref()), (Kind::Payment, Some("pi_1")));
        for (category, tax) in [("fee", 0), ("tax", 200)] {
            let fee = read(json!({ "reporting_category": category, "amount": -200 })).unwrap();
            assert_eq!(
                (fee.kind, fee.gross, fee.fee, fee.fee_tax),
                (Kind::Fee, 0.into(), 200.into(), tax.into())
            );
        }
    }

    #[test]
    fn the_payout_itself_is_no_movement_and_an_unknown_word_is_other() {
        assert_eq!(read(json!({ "reporting_category": "payout", "amount": -9, "source": "po_1" })), None);
        let back =
            read(json!({ "reporting_category": "payout_reversal", "amount": 9, "source": "po_0" })).unwrap();
        assert_eq!(back.kind, Kind::Payout);
        let new =
            read(json!({ "reporting_category": "brand_new", "amount": -1, "balance_type": "risk_reserved" }))
                .unwrap();
        assert_eq!(
            (new.kind, new.provider_kind.as_str(), new.balance.as_deref()),
            (Kind::Other, "brand_new", Some("risk_reserved"))
        );
    }
}
