//! The checks that a record of a catalog file must pass by itself. `references` checks references between records.

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use shared::access_period::AccessPeriod;
use shared::dated_price::DatedPrice;
use shared::gateway::Gateway;
use shared::money::Currency;
use shared::region::Country;
use shared::service_code::ServiceCode;
use shared::tax_id::TaxId;
use shared::territory;
use shared::withdrawal::Terms;
use store::model::seller::{BankTransfer, OnAccount};
use url::Url;

use super::prices::{ExchangeRate, PricingPolicy, TaxComponent, TaxRate};
use super::record::{Course, Organisation, Program, Record, Review};
use super::seller::check_seller;

/// The most characters and lines of a text at the end of an invoice.
const LONGEST_NOTE: usize = 1_000;
const MOST_LINES: usize = 10;

impl Record {
    /// Checks the record's own values.
    ///
    /// # Errors
    /// The first invalid value.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self {
            Self::Organisation(organisation) => organisation.check(),
            Self::PlatformOrganisation(mapping) => {
                (!mapping.org.trim().is_empty()).then_some(()).ok_or("org is empty".into())
            }
            Self::PricingPolicy(policy) => policy.check(),
            Self::TaxRate(rate) => rate.check(),
            Self::ExchangeRate(rate) => rate.check(),
            Self::Tag(tag) => (!tag.name.trim().is_empty()).then_some(()).ok_or("name is empty".into()),
            Self::Course(course) => course.check(),
            Self::Program(program) => program.check(),
            Self::Banner(banner) => check_order(banner.starts_at, banner.ends_at, "starts_at", "ends_at"),
        }
    }
}

fn check_short_name(name: &str) -> Result<(), String> {
    let fits = (1..=64).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "._~-".contains(c));
    fits.then_some(()).ok_or(format!("short_name {name:?} is not 1 to 64 letters, digits or ._~-"))
}

fn check_order(
    start: Option<DateTime<Utc>>,
    end: Option<DateTime<Utc>>,
    start_name: &str,
    end_name: &str,
) -> Result<(), String> {
    match (start, end) {
        (Some(start), Some(end)) if end <= start => Err(format!("{end_name} is not after {start_name}")),
        _ => Ok(()),
    }
}

fn check_reviews(reviews: &[Review]) -> Result<(), String> {
    match reviews.iter().find(|review| !(1..=5).contains(&review.rating)) {
        Some(review) => Err(format!("review {} has rating {}, not 1 to 5", review.id, review.rating)),
        None => Ok(()),
    }
}

impl Organisation {
    fn check(&self) -> Result<(), String> {
        check_short_name(&self.short_name)?;
        check_currency(self.currency)?;
        if let Some(days) = self.refund_days.filter(|days| !(0..=3650).contains(days)) {
            return Err(format!("refund_days {days} is not 0 to 3650"));
        }
        if let Some(days) = self.move_days.filter(|days| !(0..=3650).contains(days)) {
            return Err(format!("move_days {days} is not 0 to 3650"));
        }
        if let Some(moves) = self.moves_allowed.filter(|moves| !(1..=100).contains(moves)) {
            return Err(format!("moves_allowed {moves} is not 1 to 100"));
        }
        let pages =
            [("seats_url", &self.seats_url), ("buy_url", &self.buy_url), ("orders_url", &self.orders_url)];
        for (field, page) in pages {
            if page.as_ref().is_some_and(|url| !url.parse().is_ok_and(|url| is_web(&url))) {
                return Err(format!("{field} is not an http or https URL"));
            }
        }
        if let Some(terms) = &self.withdrawal {
            check_withdrawal(terms).map_err(|error| format!("withdrawal: {error}"))?;
        }
        if self.languages.len() > MOST_LANGUAGES {
            return Err(format!("languages has more than {MOST_LANGUAGES}"));
        }
        if self.colour.as_ref().is_some_and(|colour| !is_colour(colour)) {
            return Err("colour is not six hexadecimal digits after a #, such as #1c4f9c".to_owned());
        }
        if self.gateway == Some(Gateway::External) && self.bank_transfer.is_none() {
            return Err("gateway external needs a bank_transfer, to which buyers pay".to_owned());
        }
        if let Some(account) = &self.bank_transfer {
            check_account(account).map_err(|error| format!("bank_transfer: {error}"))?;
        }
        self.seller
            .as_ref()
            .map_or(Ok(()), |seller| check_seller(seller).map_err(|error| format!("seller: {error}")))
    }
}

/// The longest line of a bank account, and the most days until a payment is due.
const LONGEST_LINE: usize = 70;
const MOST_DUE_DAYS: u16 = 365;

fn check_account(account: &BankTransfer) -> Result<(), String> {
    if !(1..=MOST_LINES).contains(&account.lines.len()) {
        return Err(format!("lines are not 1 to {MOST_LINES}"));
    }
    let is_line = |line: &String| {
        (1..=LONGEST_LINE).contains(&line.trim().chars().count()) && !line.contains(char::is_control)
    };
    if !account.lines.iter().all(is_line) {
        return Err(format!("a line is not 1 to {LONGEST_LINE} visible characters"));
    }
    check_due_days(account.due_days)?;
    account
        .on_account
        .as_ref()
        .map_or(Ok(()), |terms| check_on_account(terms).map_err(|error| format!("on_account: {error}")))
}

fn check_due_days(days: u16) -> Result<(), String> {
    match days > MOST_DUE_DAYS {
        true => Err(format!("due_days {days} is not 0 to {MOST_DUE_DAYS}")),
        false => Ok(()),
    }
}

fn check_on_account(terms: &OnAccount) -> Result<(), String> {
    check_due_days(terms.due_days)?;
    if terms.grant.is_none() && terms.companies.is_empty() {
        return Err("needs a grant, or companies".to_owned());
    }
    for company in &terms.companies {
        check_tax_id(&company.tax_id)?;
        company.due_days.map_or(Ok(()), check_due_days)?;
    }
    Ok(())
}

/// The longest text that names a version of the terms of sale.
const LONGEST_VERSION: usize = 64;

fn check_withdrawal(terms: &Terms) -> Result<(), String> {
    if !(1..=366).contains(&terms.days) {
        return Err(format!("days {} is not 1 to 366", terms.days));
    }
    let countries = terms.countries.as_deref();
    if countries.is_some_and(<[Country]>::is_empty) {
        return Err("countries is empty; leave it out for all countries".to_owned());
    }
    countries.into_iter().flatten().try_for_each(|country| check_country(*country))?;
    if terms.terms_url.as_ref().is_some_and(|url| !url.parse().is_ok_and(|url| is_web(&url))) {
        return Err("terms_url is not an http or https URL".to_owned());
    }
    if terms.terms_version.is_some() && terms.terms_url.is_none() {
        return Err("terms_version needs terms_url".to_owned());
    }
    if terms
        .terms_version
        .as_ref()
        .is_some_and(|version| !(1..=LONGEST_VERSION).contains(&version.trim().len()))
    {
        return Err(format!("terms_version is not 1 to {LONGEST_VERSION} characters"));
    }
    Ok(())
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}

/// Most languages of an organisation.
const MOST_LANGUAGES: usize = 20;

fn is_colour(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|digits| {
        digits.len() == 6 && digits.chars().all(|digit| matches!(digit, '0'..='9' | 'a'..='f'))
    })
}

pub(super) fn check_service_code(code: Option<&ServiceCode>) -> Result<(), String> {
    code.map_or(Ok(()), |code| code.check().map_err(|error| format!("service_code: {error}")))
}

pub(super) fn check_tax_id(id: &TaxId) -> Result<(), String> {
    if id.is_blank() { Err(format!("tax_id {:?} has no letter or digit", id.as_str())) } else { Ok(()) }
}

pub(super) fn check_country(country: Country) -> Result<(), String> {
    country.check().map_err(|error| format!("country {country} {error}"))
}

pub(super) fn check_currency(currency: Currency) -> Result<(), String> {
    currency.check().map_err(|error| format!("currency {currency} {error}"))
}

/// Documents print it, on a page with others.
pub(super) fn check_note(field: &str, text: Option<&str>) -> Result<(), String> {
    let text = text.unwrap_or_default();
    if text.chars().count() > LONGEST_NOTE || text.lines().count() > MOST_LINES {
        return Err(format!("{field} is longer than {LONGEST_NOTE} characters or {MOST_LINES} lines"));
    }
    Ok(())
}

impl TaxRate {
    fn check(&self) -> Result<(), String> {
        check_country(self.country)?;
        if self.country.of_vat() != self.country {
            let charged = self.country.of_vat();
            return Err(format!("country {} has the VAT of {charged}: its rates apply", self.country));
        }
        if self.state.as_ref().is_some_and(|state| state.trim().is_empty()) {
            return Err("state is empty; leave it out for the whole country".into());
        }
        if !self.postal_codes.is_empty() && self.state.is_none() {
            return Err("postal_codes are of a state, which is missing; any name will do".into());
        }
        if let Some(code) = self.postal_codes.iter().find(|code| territory::plain(code).is_empty()) {
            return Err(format!("{code:?} is not the beginning of a postal code"));
        }
        if !(1..=3).contains(&self.components.len()) {
            return Err(format!("components has {} entries, not 1 to 3", self.components.len()));
        }
        for TaxComponent { name, rate } in &self.components {
            if name.trim().is_empty() {
                return Err("the name of a component is empty".into());
            }
            if *rate < Decimal::ZERO || rate.normalize().scale() > 4 {
                return Err(format!("rate {rate} is not a percentage with at most four decimals"));
            }
        }
        check_note("note", self.note.as_deref())?;
        let sum: Decimal = self.components.iter().map(|component| component.rate).sum();
        if sum > Decimal::ONE_HUNDRED {
            return Err(format!("the components add up to {} percent, more than 100", sum.normalize()));
        }
        Ok(())
    }
}

impl PricingPolicy {
    fn check(&self) -> Result<(), String> {
        for (index, terms) in self.countries.iter().enumerate() {
            check_country(terms.country)?;
            let percent = terms.percent_off;
            if !(Decimal::ZERO..=Decimal::ONE_HUNDRED).contains(&percent) || percent.normalize().scale() > 2 {
                return Err(format!("percent_off {percent} is not 0 to 100 with two decimals"));
            }
            if self.countries.iter().take(index).any(|earlier| earlier.country == terms.country) {
                return Err(format!("country {} appears twice", terms.country));
            }
        }
        Ok(())
    }
}

impl ExchangeRate {
    /// The catalog stores ten digits before and ten after the decimal point.
    fn check(&self) -> Result<(), String> {
        [self.base, self.quote].into_iter().try_for_each(check_currency)?;
        let fits = self.rate > Decimal::ZERO && self.rate < Decimal::from(10_i64.pow(10));
        let kept = self.rate.normalize().scale() <= 10;
        if fits && kept {
            Ok(())
        } else {
            Err(format!("rate {} is not positive with ten digits either side", self.rate))
        }
    }
}

impl Course {
    fn check(&self) -> Result<(), String> {
        if self.display_name.trim().is_empty() {
            return Err("display_name is empty".into());
        }
        if let Some(capacity) = self.capacity.filter(|capacity| *capacity < 1) {
            return Err(format!("capacity {capacity} is not positive"));
        }
        check_service_code(self.service_code.as_ref())?;
        check_order(self.start, self.end, "start", "end")?;
        check_order(self.enrollment_start, self.enrollment_end, "enrollment_start", "enrollment_end")?;
        for (index, mode) in self.modes.iter().enumerate() {
            let price =
                mode.price().map_err(|error| format!("minPrice of mode {} {error}", mode.mode_slug))?;
            DatedPrice::check_all(&mode.dated_prices, price)
                .map_err(|error| format!("mode {}: datedPrices: {error}", mode.mode_slug))?;
            let access = AccessPeriod { days: mode.access_days, until: mode.access_until };
            access.check().map_err(|error| format!("mode {}: {error}", mode.mode_slug))?;
            check_currency(mode.currency).map_err(|error| format!("mode {}: {error}", mode.mode_slug))?;
            if self.modes.iter().take(index).any(|earlier| earlier.mode_slug == mode.mode_slug) {
                return Err(format!("mode {} appears twice", mode.mode_slug));
            }
        }
        check_reviews(&self.reviews)?;
        if i32::try_from(self.minutes()).is_err() {
            return Err("the course has more minutes than the catalog can hold".into());
        }
        self.outline.as_ref().map_or(Ok(()), |outline| outline.check(&self.openedx_course_id))
    }
}

impl Program {
    fn check(&self) -> Result<(), String> {
        match self.money()? {
            None if !self.dated_prices.is_empty() => return Err("dated_prices need a price".into()),
            None => {}
            Some(price) => {
                let checked = DatedPrice::check_all(&self.dated_prices, price);
                checked.map_err(|error| format!("dated_prices: {error}"))?;
            }
        }
        AccessPeriod { days: self.access_days, until: self.access_until }.check()?;
        self.currency.map_or(Ok(()), check_currency)?;
        if self.duration.is_some_and(|duration| duration <= 0) {
            return Err("duration is not positive".into());
        }
        check_service_code(self.service_code.as_ref())?;
        check_reviews(&self.reviews)
    }
}
