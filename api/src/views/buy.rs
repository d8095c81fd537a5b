//! The page to which the course platform's upgrade buttons lead, and the pages that say why it cannot sell.

use axum::response::Response;
use minijinja::{Value, context};
use shared::course_mode::CourseMode;
use shared::messages::{CartItem, FieldError, MOST_SEATS, QuotedBasket};
use shared::withdrawal::Consent;
use texts::Localizer;
use url::Url;
use uuid::Uuid;

use super::carts::tax_on_top;
use super::pages;
use crate::error::{ApiError, ApiResult};
use crate::queries::organisations::SellerPages;

/// Offer that the page shows.
pub struct Offer<'a> {
    pub seller: &'a SellerPages,
    pub quoted: &'a QuotedBasket,
    pub is_for_seats: bool,
    /// URL to which the button sends the form.
    pub action: String,
}

/// Reason why the page cannot sell what the link names.
pub enum Halt {
    /// The link names nothing, or nothing that is sold.
    NotSold,
    /// Several organisations sell what it names.
    Apart,
    /// The learner has not confirmed the account's address.
    Inactive,
    /// The learner holds all of it.
    Held,
    /// The visitor has signed in, and the browser does not send the session here.
    Unseen,
    Problem(ApiError),
}

impl From<ApiError> for Halt {
    fn from(error: ApiError) -> Self {
        Self::Problem(error)
    }
}

impl Halt {
    /// The messages that are the title and the text of its page.
    fn messages(&self) -> (&'static str, &'static str) {
        match self {
            Self::NotSold => ("buy-not-sold", "buy-not-sold-text"),
            Self::Apart => ("buy-apart", "buy-apart-text"),
            Self::Inactive => ("buy-inactive", "buy-inactive-text"),
            Self::Held => ("buy-held", "buy-held-text"),
            Self::Unseen => ("problem-unseen", "problem-unseen-text"),
            Self::Problem(ApiError::InvalidItems(_)) => ("buy-refused", "buy-refused-text"),
            Self::Problem(ApiError::InvalidRequest(_)) => ("buy-faulty", "buy-faulty-text"),
            Self::Problem(ApiError::Unauthenticated) => ("buy-signed-out", "buy-signed-out-text"),
            Self::Problem(ApiError::Forbidden(_)) => ("buy-not-admitted", "buy-not-admitted-text"),
            Self::Problem(ApiError::NotConfigured(_)) => ("buy-no-payments", "buy-no-payments-text"),
            Self::Problem(ApiError::RateLimited { .. }) => ("problem-too-many", "problem-too-many-text"),
            Self::Problem(_) => ("problem-other", "buy-failed-text"),
        }
    }

    /// Returns what to correct in the form.
    fn faults(&self, localizer: &Localizer<'_>) -> Vec<String> {
        match self {
            Self::Problem(ApiError::InvalidRequest(errors)) => {
                errors.iter().map(|error| fault(error, localizer)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn error(self) -> ApiError {
        let invalid = |message: &str| ApiError::InvalidItems(vec![FieldError::new("sku", message)]);
        match self {
            Self::NotSold => ApiError::NotFound("Item"),
            Self::Apart => invalid("names items of several organisations"),
            Self::Inactive => ApiError::Forbidden("The account's email address is not confirmed."),
            Self::Held => invalid("names what the learner has already"),
            Self::Unseen => ApiError::Unauthenticated,
            Self::Problem(error) => error,
        }
    }
}

/// A field as the form names it. One that is not in the form was in the link.
fn fault(error: &FieldError, localizer: &Localizer<'_>) -> String {
    let name = error.field.trim_start_matches("billing_address.").trim_start_matches("consents.");
    let consent = [Consent::Terms, Consent::BeginNow, Consent::LosesRight]
        .into_iter()
        .find(|consent| name == <&str>::from(*consent));
    let label = consent.map(consent_message).or_else(|| field_message(name));
    match (name, label) {
        ("seats", Some(label)) => {
            let most = localizer.number(MOST_SEATS.into());
            let label = localizer.message(label, &[]);
            localizer.message("buy-faulty-seats", &[("label", label.into()), ("most", most.into())])
        }
        (_, Some(label)) => localizer.message(label, &[]),
        (_, None) => format!("{}: {}", error.field, error.message),
    }
}

/// The answer to a visitor who cannot buy: a page for browsers, which leads to the learner's `courses`, else the problem.
pub fn halted(halt: Halt, wants_page: bool, courses: &Url, localizer: &Localizer<'_>) -> ApiResult<Response> {
    let ((title, text), faults) = (halt.messages(), halt.faults(localizer));
    let error = halt.error();
    if !wants_page {
        return Err(error);
    }
    Ok(pages::as_page(error, |_| {
        context! {
            title => localizer.message(title, &[]),
            text => localizer.message(text, &[]),
            faults,
            kind => "bad",
            back => courses.as_str(),
            back_to => localizer.message("buy-back", &[]),
            ..pages::words(localizer)
        }
    }))
}

/// Returns whether the learner holds everything in the basket already.
pub fn is_held(quoted: &QuotedBasket) -> bool {
    quoted.items.iter().all(|item| item.upgrade_from.is_some() && item.original.minor() == 0)
}

/// The page with the price and the button.
pub fn page(offer: &Offer<'_>, localizer: &Localizer<'_>) -> ApiResult<Response> {
    let nonce = Uuid::new_v4().simple().to_string();
    pages::page(pages::own_style(&nonce), html(offer, localizer, &nonce)?)
}

/// The messages of the template.
const WORDS: [&str; 5] = ["buy-seats-offer", "buy-seats", "buy-terms", "buy-enroll", "buy-continue"];

fn html(offer: &Offer<'_>, localizer: &Localizer<'_>, nonce: &str) -> ApiResult<String> {
    let quoted = offer.quoted;
    let voucher = quoted.voucher.as_ref().map(|voucher| {
        let key = if voucher.inapplicable.is_some() { "buy-voucher-refused" } else { "buy-voucher-accepted" };
        let text = localizer.message(key, &[("code", voucher.code.as_str().into())]);
        context! { text, is_refused => voucher.inapplicable.is_some() }
    });
    let values = context! {
        nonce,
        style => pages::STYLE,
        title => offer.seller.name.as_str(),
        t => pages::messages(localizer, &WORDS),
        terms_url => offer.seller.terms_url.as_deref(),
        consents => quoted.consents_required.iter().map(|consent| consent_box(*consent, localizer)).collect::<Vec<Value>>(),
        items => quoted.items.iter().map(|item| line(item, localizer)).collect::<Vec<Value>>(),
        tax => tax_on_top(quoted.items.iter()).map(|tax| pages::amount(localizer, tax)),
        total => pages::amount(localizer, quoted.total),
        is_free => quoted.total.minor() == 0,
        seats => offer.is_for_seats,
        most_seats => MOST_SEATS,
        voucher,
        fields => quoted.missing.iter().map(|name| field(name, localizer)).collect::<Vec<Value>>(),
        action => offer.action.as_str(),
        ..pages::words(localizer)
    };
    pages::render("buy.html", include_str!("../pages/buy.html"), values)
}

fn line(item: &CartItem, localizer: &Localizer<'_>) -> Value {
    let is_reduced = item.price.minor() < item.original.minor();
    let upgrade = |from: CourseMode| localizer.message("buy-upgrade", &[("mode", from.slug().into())]);
    context! {
        name => item.name.as_str(),
        mode => item.mode.slug(),
        price => pages::amount(localizer, item.price),
        original => is_reduced.then(|| pages::amount(localizer, item.original)),
        upgrade => item.upgrade_from.map(upgrade),
    }
}

/// A box for what the buyer must agree to; never ticked before.
fn consent_box(consent: Consent, localizer: &Localizer<'_>) -> Value {
    let text = localizer.message(consent_message(consent), &[]);
    context! { name => <&str>::from(consent), text, is_terms => consent == Consent::Terms }
}

fn consent_message(consent: Consent) -> &'static str {
    match consent {
        Consent::Terms => "buy-consent-terms",
        Consent::BeginNow => "buy-consent-begin-now",
        Consent::LosesRight => "buy-consent-loses-right",
    }
}

/// An input for a field of the billing address.
fn field(name: &str, localizer: &Localizer<'_>) -> Value {
    let autocomplete = match name {
        "name" => "billing name",
        "line1" => "billing address-line1",
        "line2" => "billing address-line2",
        "city" => "billing address-level2",
        "state" => "billing address-level1",
        "postal_code" => "billing postal-code",
        "country" => "billing country",
        _ => "on",
    };
    let label = field_message(name).map_or_else(|| name.to_owned(), |label| localizer.message(label, &[]));
    context! { name, label, autocomplete, is_country => name == "country" }
}

/// The message that is the label of a field.
fn field_message(name: &str) -> Option<&'static str> {
    Some(match name {
        "seats" => "buy-seats",
        "name" => "buy-name",
        "line1" => "buy-line1",
        "line2" => "buy-line2",
        "city" => "buy-city",
        "state" => "buy-state",
        "postal_code" => "buy-postal-code",
        "country" => "buy-country",
        _ => return None,
    })
}
