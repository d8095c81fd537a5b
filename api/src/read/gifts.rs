//! Gifts, as checkouts write them.

use serde_json::Value;
use shared::messages::{FieldError, GIFT_MESSAGE, Gift};
use shared::typed::given;

use crate::extract::{FieldValue, Fields, ReadFields};

/// Maximum length of a giver's name in characters.
const GIVER: usize = 100;

impl FieldValue for Gift {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        Fields::read_object(value, path)
    }
}

impl ReadFields for Gift {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (email, giver) = (fields.required("email"), fields.optional_text("giver", GIVER));
        let message = fields.optional::<Message>("message");
        let (on, language) = (fields.optional_unless_blank("on"), fields.optional_unless_blank("language"));
        Some(Self {
            email: email?,
            giver: given(giver?),
            message: given(message?.map(|Message(text)| text)),
            on: on?,
            language: language?,
        })
    }
}

/// A text of several lines.
struct Message(String);

impl FieldValue for Message {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        let fault = |message: String| Err(vec![FieldError::new(path, message)]);
        let Value::String(text) = value else { return fault("must be a string".to_owned()) };
        // Forms end lines so.
        let text = text.replace("\r\n", "\n");
        if text.chars().count() > GIFT_MESSAGE {
            return fault(format!("is longer than {GIFT_MESSAGE} characters"));
        }
        if text.chars().any(|letter| letter.is_control() && letter != '\n') {
            return fault("holds a control character that does not end a line".to_owned());
        }
        Ok(Self(text))
    }
}
