//! Gifts: an order of one seat for a recipient, who gets it on a day.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use texts::Language;

use crate::email::Email;
use crate::ids::CartId;

/// Maximum length of a gift's message in characters.
pub const GIFT_MESSAGE: usize = 500;

/// Person who gets the seat of an order, and what the buyer says to them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Gift {
    /// The recipient's address. It need not have an account.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = Email, example = "grace@example.com"))]
    pub email: Email,
    /// The buyer's name, as the recipient reads it. Without it, the mail names the buyer's address.
    #[cfg_attr(
        feature = "openapi",
        schema(
            nullable = false,
            max_length = 100,
            pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$",
            example = "Ada"
        )
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub giver: Option<String>,
    /// What the recipient reads in the mail, in one or more lines.
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, max_length = 500, example = "Happy birthday!\nSee you in class.")
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The day at the organisation on which the recipient gets the seat and the mail, at 8 o'clock in the morning: today or later, within
    /// a year. Without it, as soon as the order is paid.
    #[cfg_attr(feature = "openapi", schema(nullable = false, example = "2026-12-24"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<NaiveDate>,
    /// In which the recipient reads: a tag of BCP 47. Without it, the language that the course platform knows of the recipient, else that
    /// of the order.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, nullable = false, max_length = 35, example = "de"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
}

/// Assigns the seat of an order that is a gift to its recipient.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GiveGift {
    pub cart_id: CartId,
}

/// What the mail about a seat says if it is a gift.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GiftNote {
    pub giver: Option<String>,
    pub message: Option<String>,
}

/// What the buyer of a gift is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedGift {
    pub recipient: Email,
    /// The day at the organisation; None: at once.
    pub on: Option<NaiveDate>,
}
