//! The pages of withdrawal: the form, its second step, what follows them, and the objection of an address's holder.

use axum::response::Response;
use chrono::{DateTime, FixedOffset};
use minijinja::{Value, context};
use texts::Localizer;
use uuid::Uuid;

use super::pages::{self, Shop};
use crate::error::ApiResult;

/// Step that a page shows.
pub enum Step<'a> {
    Form {
        is_link_expired: bool,
        faults: &'a [Fault],
    },
    /// The second step, whose button declares the withdrawal.
    Confirm,
    Received {
        at: DateTime<FixedOffset>,
    },
    /// The button of an objection.
    Object,
    Objected,
    ObjectLate,
}

/// A field of the form that is wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    Order,
    Name,
    Email,
    Items,
}

impl Fault {
    fn field(self) -> &'static str {
        match self {
            Self::Order => "order",
            Self::Name => "name",
            Self::Email => "email",
            Self::Items => "items",
        }
    }

    fn message(self) -> &'static str {
        match self {
            Self::Order => "withdraw-no-order",
            Self::Name => "withdraw-no-name",
            Self::Email => "withdraw-no-email",
            Self::Items => "withdraw-no-item",
        }
    }
}

/// A line that the holder of a link can choose.
pub struct Line {
    pub position: u32,
    pub name: String,
    pub is_chosen: bool,
}

/// Values that a visitor or a link has entered.
#[derive(Default)]
pub struct Entered<'a> {
    pub order: &'a str,
    pub name: &'a str,
    pub email: &'a str,
    pub lines: &'a [Line],
    /// Indicates whether a link proves the order and the address, which are then not asked for.
    pub is_proved: bool,
}

/// A page whose form, if it has one, leads to `action`.
pub fn page(
    step: &Step<'_>,
    entered: &Entered<'_>,
    action: &str,
    shop: Shop<'_>,
    localizer: &Localizer<'_>,
) -> ApiResult<Response> {
    let nonce = Uuid::new_v4().simple().to_string();
    pages::page(pages::own_style(&nonce), html(step, entered, action, shop, localizer, &nonce)?)
}

/// The messages of the template.
const WORDS: [&str; 12] = [
    "withdraw-correct",
    "withdraw-order",
    "withdraw-order-hint",
    "withdraw-name",
    "withdraw-email",
    "withdraw-email-hint",
    "withdraw-items",
    "withdraw-item",
    "withdraw-continue",
    "withdraw-confirm",
    "withdraw-change",
    "withdrawal-object",
];

fn html(
    step: &Step<'_>,
    entered: &Entered<'_>,
    action: &str,
    shop: Shop<'_>,
    localizer: &Localizer<'_>,
    nonce: &str,
) -> ApiResult<String> {
    let (kind, title) = match step {
        Step::Form { .. } => ("form", "withdraw-here"),
        Step::Confirm => ("confirm", "withdraw-here"),
        Step::Received { .. } => ("done", "withdraw-received"),
        Step::Object => ("object", "withdraw-objection"),
        Step::Objected | Step::ObjectLate => ("done", "withdraw-objection"),
    };
    let faults: &[Fault] = if let Step::Form { faults, .. } = step { faults } else { &[] };
    let error =
        |fault: &Fault| context! { field => fault.field(), text => localizer.message(fault.message(), &[]) };
    let line = |line: &Line| context! { position => line.position, name => line.name.as_str(), chosen => line.is_chosen };
    let values = context! {
        nonce,
        style => concat!(include_str!("../pages/pay.css"), include_str!("../pages/withdraw.css")),
        step => kind,
        title => localizer.message(title, &[]),
        text => paragraphs(step, shop, localizer),
        t => pages::messages(localizer, &WORDS),
        action,
        order => entered.order,
        name => entered.name,
        email => entered.email,
        proved => entered.is_proved,
        once => Uuid::new_v4().to_string(),
        lines => entered.lines.iter().map(line).collect::<Vec<Value>>(),
        errors => faults.iter().map(error).collect::<Vec<Value>>(),
        faulty => faults.iter().map(|fault| fault.field()).collect::<Vec<&str>>(),
        ..shop.way_back(localizer, pages::words(localizer))
    };
    pages::render("withdraw.html", include_str!("../pages/withdraw.html"), values)
}

fn paragraphs(step: &Step<'_>, shop: Shop<'_>, localizer: &Localizer<'_>) -> Vec<String> {
    let message = |key| localizer.message(key, &[]);
    match step {
        Step::Form { is_link_expired, .. } => {
            let expired = is_link_expired.then(|| message("withdraw-link-expired"));
            let intro = match shop.name() {
                Some(name) => localizer.message("withdraw-intro-shop", &[("organisation", name.into())]),
                None => message("withdraw-intro"),
            };
            expired.into_iter().chain([intro]).collect()
        }
        Step::Confirm => vec![message("withdraw-check")],
        Step::Received { at } => {
            // Without a link, nothing has shown yet that there is such an order.
            let acknowledged = message(match shop.name() {
                Some(_) => "withdraw-confirmed",
                None => "withdraw-acknowledged",
            });
            let when =
                [("date", localizer.date(at.date_naive()).into()), ("time", localizer.time(*at).into())];
            vec![localizer.message("withdraw-received-at", &when), acknowledged]
        }
        Step::Object => vec![message("withdraw-objection-text")],
        Step::Objected => vec![message("withdraw-objected")],
        Step::ObjectLate => vec![message("withdraw-object-late")],
    }
}
