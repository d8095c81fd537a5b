//! OpenAPI schemas of what no type describes by itself: texts, numbers and objects with rules of their own.

use shared::event::TYPES;
use shared::words::{EnrollmentStatus, MovementKind};
use strum::VariantNames;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// One of a few words.
pub fn one_of(description: &str, words: impl Iterator<Item = &'static str>) -> RefOr<Schema> {
    let words = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words.collect::<Vec<_>>()));
    words.description(Some(description)).into()
}

/// Type of an event.
pub struct EventType;

impl PartialSchema for EventType {
    fn schema() -> RefOr<Schema> {
        one_of("What an event tells.", TYPES.into_iter())
    }
}

impl ToSchema for EventType {}

/// Status of an enrollment in an event.
pub struct ChangedEnrollment;

impl PartialSchema for ChangedEnrollment {
    fn schema() -> RefOr<Schema> {
        one_of(
            "Status of an enrollment after a change. `cancelled`: it was removed while it waited for a registration.",
            EnrollmentStatus::VARIANTS.iter().copied().chain(["cancelled"]),
        )
    }
}

impl ToSchema for ChangedEnrollment {}

/// An object whose properties are not fixed.
pub fn any_object(description: &str) -> RefOr<Schema> {
    let free = AdditionalProperties::FreeForm(true);
    let object = ObjectBuilder::new().schema_type(Type::Object).additional_properties(Some(free));
    object.description(Some(description)).into()
}

/// The same, as the body of a request or an answer.
pub struct AnyObject;

impl PartialSchema for AnyObject {
    fn schema() -> RefOr<Schema> {
        any_object("An object whose properties are not fixed.")
    }
}

impl ToSchema for AnyObject {}

/// Such an object, or a list of them.
pub struct AnyObjects;

impl PartialSchema for AnyObjects {
    fn schema() -> RefOr<Schema> {
        let any = ObjectBuilder::new().schema_type(SchemaType::AnyValue);
        any.description(Some("An object whose properties are not fixed, or a list of them.")).into()
    }
}

impl ToSchema for AnyObjects {}

/// Maximum length of a text of a query, as `extract::Params` reads it.
pub const LONGEST_TEXT: usize = 1_000;

/// A text to search for, or names to filter by.
pub struct SearchText;

impl PartialSchema for SearchText {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new().schema_type(Type::String).max_length(Some(LONGEST_TEXT));
        text.pattern(Some("^[^\\x00]*$")).into()
    }
}

impl ToSchema for SearchText {}

/// Kinds of movements, with a comma between two.
pub struct MovementKinds;

impl PartialSchema for MovementKinds {
    fn schema() -> RefOr<Schema> {
        let one = MovementKind::VARIANTS.join("|");
        let text =
            ObjectBuilder::new().schema_type(Type::String).pattern(Some(format!("^({one})(,({one}))*$")));
        text.examples(["chargeback,chargeback_reversed"]).into()
    }
}

impl ToSchema for MovementKinds {}

/// A month of a year.
pub struct CalendarMonth;

impl PartialSchema for CalendarMonth {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new().schema_type(Type::String).pattern(Some("^[0-9]{4}-(0[1-9]|1[0-2])$"));
        text.examples(["2026-11"]).into()
    }
}

impl ToSchema for CalendarMonth {}

/// The code of a currency.
pub struct CurrencyCode;

impl PartialSchema for CurrencyCode {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new().schema_type(Type::String).pattern(Some("^[A-Z]{3}$"));
        text.examples(["USD"]).into()
    }
}

impl ToSchema for CurrencyCode {}

/// A text of the caller's own systems.
pub struct Reference;

impl PartialSchema for Reference {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new().schema_type(Type::String).max_length(Some(64));
        text.pattern(Some(VISIBLE)).examples(["PO-2026-0117"]).into()
    }
}

impl ToSchema for Reference {}

/// Names with texts of the caller's own systems.
pub struct Metadata;

impl PartialSchema for Metadata {
    fn schema() -> RefOr<Schema> {
        let text = |most| {
            let text = ObjectBuilder::new().schema_type(Type::String).pattern(Some(VISIBLE));
            text.max_length(Some(most))
        };
        let name = text(40).min_length(Some(1)).pattern(Some("^[^\\x00-\\x1f\\x7f-\\x9f\\[\\]]*$"));
        let value = text(200).build();
        let object = ObjectBuilder::new().schema_type(Type::Object).max_properties(Some(20));
        let object = object.property_names(Some(name)).additional_properties(Some(RefOr::T(value.into())));
        object.examples([serde_json::json!({ "utm_campaign": "spring" })]).into()
    }
}

impl ToSchema for Metadata {}

/// The pattern of texts without control characters.
const VISIBLE: &str = "^[^\\x00-\\x1f\\x7f-\\x9f]*$";

/// A whole number. It has no format, because the service accepts numbers of any length.
pub struct WholeNumber<const DEFAULT: i64>;

impl<const DEFAULT: i64> PartialSchema for WholeNumber<DEFAULT> {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(Type::Integer).default(Some(DEFAULT.into())).into()
    }
}

impl<const DEFAULT: i64> ToSchema for WholeNumber<DEFAULT> {}

/// A query parameter that takes one of a few words.
pub fn choice<T: Into<serde_json::Value>>(
    words: impl IntoIterator<Item = T>,
    default: &str,
) -> RefOr<Schema> {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(words.into_iter().map(Into::into).collect::<Vec<_>>()))
        .default(Some(default.into()))
        .into()
}
