//! Numbers, money, percentages and dates as a language writes them, by ICU4X and CLDR.

use chrono::{Datelike, NaiveDate, NaiveDateTime, Timelike};
use fixed_decimal::Decimal as FixedDecimal;
use icu_calendar::Gregorian;
use icu_datetime::fieldsets::{MD, YM, YMD};
use icu_datetime::input::{Date, DateTime as Moment, Time};
use icu_datetime::{DateTimeFormatterPreferences, FixedCalendarDateTimeFormatter};
use icu_decimal::provider::{Baked as DecimalData, DecimalDigitsV1, DecimalSymbolsV1};
use icu_decimal::{DecimalFormatter, DecimalFormatterPreferences};
use icu_experimental::dimension::currency::CurrencyType;
use icu_experimental::dimension::currency::formatter::{CurrencyFormatter, CurrencyFormatterPreferences};
use icu_experimental::dimension::percent::formatter::{PercentFormatter, PercentFormatterPreferences};
use icu_experimental::dimension::provider::currency::{
    essentials::CurrencyEssentialsV1,
    fractions::{CurrencyFractions, CurrencyFractionsV1, FractionInfo},
    no_currency::CurrencyPatternsNoCurrencyV1,
    symbols::{CurrencyDecimalSymbolsV1, CurrencySymbolsV1},
};
use icu_experimental::displaynames::multi::RegionDisplayNames;
use icu_experimental::provider::Baked as CurrencyData;
use icu_locale::preferences::extensions::unicode::keywords::HourCycle;
use icu_locale::{LanguageIdentifier, Locale};
use icu_plurals::{PluralCategory, PluralRules, PluralRulesPreferences};
use icu_provider::prelude::{
    DataError, DataIdentifierBorrowed, DataLocale, DataPayload, DataProvider, DataRequest, DataResponse,
};
use rust_decimal::Decimal;

/// A whole number, in the language's digits and groups.
pub(crate) fn whole(language: &LanguageIdentifier, number: i64) -> Option<String> {
    let formatter =
        DecimalFormatter::try_new(DecimalFormatterPreferences::from(&locale(language)), Default::default());
    Some(formatter.ok()?.format(&number.into()).to_string())
}

/// The name of a number's plural form, as CLDR spells it.
pub(crate) fn plural(language: &LanguageIdentifier, number: i64) -> &'static str {
    let rules = PluralRules::try_new_cardinal(PluralRulesPreferences::from(&locale(language)));
    match rules.map_or(PluralCategory::Other, |rules| rules.category_for(number)) {
        PluralCategory::Zero => "zero",
        PluralCategory::One => "one",
        PluralCategory::Two => "two",
        PluralCategory::Few => "few",
        PluralCategory::Many => "many",
        PluralCategory::Other => "other",
    }
}

/// An amount with its currency's symbol and exactly its own digits.
pub(crate) fn money(language: &LanguageIdentifier, amount: Decimal, currency: &str) -> Option<String> {
    let (preferences, currency) = (CurrencyFormatterPreferences::from(&locale(language)), code(currency)?);
    let data = ExactAmounts::of(amount);
    let formatter = CurrencyFormatter::<DecimalFormatter>::try_new_symbol_unstable(
        &data,
        preferences,
        currency,
        Default::default(),
    );
    Some(formatter.ok()?.format_fixed_decimal(&exact(amount)?).to_string())
}

/// An amount for a column whose heading names the currency, with exactly its own digits.
pub(crate) fn plain_money(language: &LanguageIdentifier, amount: Decimal, currency: &str) -> Option<String> {
    let (preferences, currency) = (CurrencyFormatterPreferences::from(&locale(language)), code(currency)?);
    let data = ExactAmounts::of(amount);
    let formatter = CurrencyFormatter::<DecimalFormatter>::try_new_no_currency_unstable(
        &data,
        preferences,
        currency,
        Default::default(),
    );
    Some(formatter.ok()?.format_fixed_decimal(&exact(amount)?).to_string())
}

/// A rate in percent: 25 is `25 %` in German and `25%` in English.
pub(crate) fn percent(language: &LanguageIdentifier, rate: Decimal) -> Option<String> {
    let preferences = PercentFormatterPreferences::from(&locale(language));
    let formatter = PercentFormatter::<DecimalFormatter>::try_new(preferences, Default::default()).ok()?;
    Some(formatter.format(&exact(rate.normalize())?).to_string())
}

/// A day of the Gregorian calendar, with its month as a word.
pub(crate) fn date(language: &LanguageIdentifier, day: NaiveDate) -> Option<String> {
    let formatter = FixedCalendarDateTimeFormatter::try_new(dates(language), YMD::long()).ok()?;
    Some(formatter.format(&gregorian(day)?).to_string())
}

/// A month of a year, as a word.
pub(crate) fn month(language: &LanguageIdentifier, day: NaiveDate) -> Option<String> {
    let formatter = FixedCalendarDateTimeFormatter::try_new(dates(language), YM::long()).ok()?;
    Some(formatter.format(&gregorian(day)?).to_string())
}

/// A day without its year, as short as it is clear.
pub(crate) fn day_of_year(language: &LanguageIdentifier, day: NaiveDate) -> Option<String> {
    let formatter = FixedCalendarDateTimeFormatter::try_new(dates(language), MD::medium()).ok()?;
    Some(formatter.format(&gregorian(day)?).to_string())
}

/// A day with the time of day, in 24 hours everywhere.
pub(crate) fn moment(language: &LanguageIdentifier, at: NaiveDateTime) -> Option<String> {
    let mut preferences = dates(language);
    preferences.hour_cycle = Some(HourCycle::H23);
    let fields = YMD::medium().with_time_hm();
    let formatter = FixedCalendarDateTimeFormatter::try_new(preferences, fields).ok()?;
    let (hour, minute) = (at.hour().try_into().ok()?, at.minute().try_into().ok()?);
    let time = Time::try_new(hour, minute, 0, 0).ok()?;
    Some(formatter.format(&Moment { date: gregorian(at.date())?, time }).to_string())
}

/// The name of a country, by its code of ISO 3166-1.
pub(crate) fn country(language: &LanguageIdentifier, code: &str) -> Option<String> {
    let names = RegionDisplayNames::try_new((&locale(language)).into(), Default::default()).ok()?;
    names.of(code.parse().ok()?).map(str::to_owned)
}

fn gregorian(day: NaiveDate) -> Option<Date<Gregorian>> {
    Date::try_new_gregorian(day.year(), day.month().try_into().ok()?, day.day().try_into().ok()?).ok()
}

fn dates(language: &LanguageIdentifier) -> DateTimeFormatterPreferences {
    DateTimeFormatterPreferences::from(&locale(language))
}

fn locale(language: &LanguageIdentifier) -> Locale {
    language.clone().into()
}

fn code(currency: &str) -> Option<CurrencyType> {
    CurrencyType::try_from_str(currency).ok()
}

fn exact(number: Decimal) -> Option<FixedDecimal> {
    FixedDecimal::try_from_str(&number.to_string()).ok()
}

/// A locale whose numbers have the separators that amounts of money have in this one: CLDR's `currencyGroup` and
/// `currencyDecimal`, which ICU4X ignores. CLDR 48 has them for these two.
fn of_money(locale: &DataLocale) -> Option<DataLocale> {
    match locale.to_string().as_str() {
        "de-AT" => Some(icu_locale::locale!("de").into()),
        "fr-CH" => Some(icu_locale::locale!("de-CH").into()),
        _ => None,
    }
}

/// CLDR's data of currencies, except for their digits: CLDR rounds some currencies to whole units (IQD, LBP) where ISO 4217
/// has smaller ones, and nobody is charged a rounded amount.
struct ExactAmounts(FractionInfo);

impl ExactAmounts {
    fn of(amount: Decimal) -> Self {
        let digits = u8::try_from(amount.scale()).unwrap_or(u8::MAX);
        Self(FractionInfo { digits, ..FractionInfo::default() })
    }
}

impl DataProvider<CurrencyFractionsV1> for ExactAmounts {
    fn load(&self, _: DataRequest<'_>) -> Result<DataResponse<CurrencyFractionsV1>, DataError> {
        let fractions = CurrencyFractions { fractions: Default::default(), default: self.0 };
        Ok(DataResponse { metadata: Default::default(), payload: DataPayload::from_owned(fractions) })
    }
}

impl DataProvider<CurrencyEssentialsV1> for ExactAmounts {
    fn load(&self, request: DataRequest<'_>) -> Result<DataResponse<CurrencyEssentialsV1>, DataError> {
        CurrencyData.load(request)
    }
}

impl DataProvider<CurrencySymbolsV1> for ExactAmounts {
    fn load(&self, mut request: DataRequest<'_>) -> Result<DataResponse<CurrencySymbolsV1>, DataError> {
        // A debug build writes a warning for each currency without a symbol, which is shown by its code.
        request.metadata.silent = true;
        CurrencyData.load(request)
    }
}

impl DataProvider<CurrencyDecimalSymbolsV1> for ExactAmounts {
    fn load(&self, request: DataRequest<'_>) -> Result<DataResponse<CurrencyDecimalSymbolsV1>, DataError> {
        CurrencyData.load(request)
    }
}

impl DataProvider<CurrencyPatternsNoCurrencyV1> for ExactAmounts {
    fn load(
        &self,
        request: DataRequest<'_>,
    ) -> Result<DataResponse<CurrencyPatternsNoCurrencyV1>, DataError> {
        CurrencyData.load(request)
    }
}

impl DataProvider<DecimalSymbolsV1> for ExactAmounts {
    fn load(&self, request: DataRequest<'_>) -> Result<DataResponse<DecimalSymbolsV1>, DataError> {
        let Some(locale) = of_money(request.id.locale) else { return DecimalData.load(request) };
        let attributes = request.id.marker_attributes;
        let id = DataIdentifierBorrowed::for_marker_attributes_and_locale(attributes, &locale);
        DecimalData.load(DataRequest { id, ..request })
    }
}

impl DataProvider<DecimalDigitsV1> for ExactAmounts {
    fn load(&self, request: DataRequest<'_>) -> Result<DataResponse<DecimalDigitsV1>, DataError> {
        DecimalData.load(request)
    }
}
