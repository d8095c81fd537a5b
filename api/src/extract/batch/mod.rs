//! Reads batches of enrollments and removals, as JSON or CSV. A wrong shape is an error and stores nothing; a wrong row fails by
//! itself, later.

mod csv;

use std::collections::HashMap;

use axum::extract::{FromRequest, Request};
use axum::http::header;
use serde_json::{Map, Value};
use shared::course_mode::CourseMode;
use shared::email::Email;
use shared::messages::{BatchAction, BatchRow, FieldError, MOST_ROWS};
use texts::Language;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use self::csv::from_csv;
use super::body::{is_type, read};
use super::fields::hyphenated;
use super::query::{Params, ReadParams};
use crate::error::{ApiError, ApiResult, MOST_FAULTS};
use crate::listener::BodyKind;
use crate::state::AppState;

/// Maximum size of a batch in bytes.
pub const MAX_UPLOAD: usize = 1024 * 1024;

const WRONG_ACTION: &str = "must be enroll or unenroll";

const COLUMNS: [&str; 5] = ["email", "course_id", "mode", "action", "language"];

/// A cell; None where a row has none. The error is why a value is no text.
type Cell = Option<Result<String, &'static str>>;

/// A batch of enrollments and removals. A row without a course, mode or action has that of the batch.
// It was read in full; its rows are not checked yet.
#[derive(ToSchema)]
#[schema(as = BatchRequest)]
pub struct BatchUpload {
    #[schema(value_type = Option<Uuid>, example = "ad035fc9-afd5-49f2-85d8-8ac83dd05a77")]
    course_id: Cell,
    #[schema(value_type = Option<CourseMode>)]
    mode: Cell,
    #[schema(value_type = Option<BatchAction>)]
    action: Cell,
    /// In which an address without an account is invited: a tag of BCP 47.
    #[schema(value_type = Option<String>, max_length = 35, example = "pt-BR")]
    language: Cell,
    #[schema(min_items = 1, max_items = 5000)]
    rows: Vec<Row>,
}

/// One row of a batch. A wrong one fails by itself.
#[derive(Clone, Default, ToSchema)]
#[schema(as = BatchRequestRow)]
pub struct Row {
    #[schema(value_type = String, example = "ada@example.com")]
    email: Cell,
    #[schema(value_type = Option<String>)]
    course_id: Cell,
    #[schema(value_type = Option<String>)]
    mode: Cell,
    #[schema(value_type = Option<BatchAction>)]
    action: Cell,
    #[schema(value_type = Option<String>, example = "pt-BR")]
    language: Cell,
}

impl Row {
    fn cell(&mut self, column: &str) -> Option<&mut Cell> {
        match column {
            "email" => Some(&mut self.email),
            "course_id" => Some(&mut self.course_id),
            "mode" => Some(&mut self.mode),
            "action" => Some(&mut self.action),
            "language" => Some(&mut self.language),
            _ => None,
        }
    }
}

/// The course, mode and action of rows that name none.
#[derive(Default, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct BatchDefaults {
    /// The course of rows that name none.
    #[param(value_type = Option<Uuid>)]
    pub course_id: Option<String>,
    /// The mode of rows that name none.
    #[param(value_type = Option<CourseMode>)]
    pub mode: Option<String>,
    /// `enroll` or `unenroll`, for rows that name none; without it `enroll`.
    #[param(value_type = Option<BatchAction>)]
    pub action: Option<String>,
    /// The language of rows that name none: a tag of BCP 47.
    #[param(value_type = Option<String>, max_length = 35, example = "pt-BR")]
    pub language: Option<String>,
}

impl ReadParams for BatchDefaults {
    fn read(params: &mut Params) -> Option<Self> {
        let given = |text: String| (!text.is_empty()).then_some(text);
        let [course_id, mode, action, language] = DEFAULTS.map(|name| given(params.text(name)));
        Some(Self { course_id, mode, action, language })
    }
}

impl FromRequest<AppState> for BatchUpload {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &AppState) -> Result<Self, ApiError> {
        let content_type = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let is = |wanted| content_type.is_some_and(|told| is_type(told, wanted));
        let is_csv = is("text/csv");
        if !is_csv && !is("application/json") {
            return Err(ApiError::MediaType("application/json or text/csv"));
        }
        let bytes = read(request, MAX_UPLOAD, BodyKind::Other).await?;
        if is_csv { Self::from_csv(&bytes) } else { from_json(&bytes)?.counted() }
    }
}

fn too_many() -> ApiError {
    ApiError::invalid("rows", format!("must be at most {MOST_ROWS}"))
}

fn from_json(bytes: &[u8]) -> ApiResult<BatchUpload> {
    let body: Value = serde_json::from_slice(bytes)
        .map_err(|error| ApiError::invalid("body", format!("is not valid JSON: {error}")))?;
    let Value::Object(mut fields) = body else {
        return Err(ApiError::invalid("body", "must be a JSON object"));
    };
    let rows = match fields.remove("rows") {
        Some(Value::Array(rows)) if rows.len() > MOST_ROWS => return Err(too_many()),
        Some(Value::Array(rows)) => rows,
        Some(_) => return Err(ApiError::invalid("rows", "must be an array")),
        None => return Err(ApiError::invalid("rows", "is required")),
    };
    let mut errors = Vec::new();
    if fields.remove("email").is_some() {
        errors.push(FieldError::new("email", "is a field of the rows alone"));
    }
    let defaults = cells(fields, "", &mut errors);
    errors.extend(wrong_defaults([
        &defaults.course_id,
        &defaults.mode,
        &defaults.action,
        &defaults.language,
    ]));
    let mut read = Vec::with_capacity(rows.len());
    for (index, row) in rows.into_iter().enumerate() {
        match row {
            Value::Object(row) => read.push(cells(row, &format!("rows[{index}]."), &mut errors)),
            _ => errors.push(FieldError::new(format!("rows[{index}]"), "must be an object")),
        }
    }
    if errors.is_empty() {
        let Row { email: _, course_id, mode, action, language } = defaults;
        Ok(BatchUpload { course_id, mode, action, language, rows: read })
    } else {
        Err(ApiError::InvalidRequest(errors))
    }
}

/// The columns that a batch can have as a whole.
const DEFAULTS: [&str; 4] = ["course_id", "mode", "action", "language"];

/// Takes the cells out of an object, and reports each other field.
fn cells(mut fields: Map<String, Value>, path: &str, errors: &mut Vec<FieldError>) -> Row {
    let mut take = |column| match fields.remove(column)? {
        Value::Null => None,
        Value::String(text) => Some(Ok(text)),
        _ => Some(Err("must be a string")),
    };
    let [email, course_id, mode, action, language] = COLUMNS.map(&mut take);
    let unknown = fields.keys().take(MOST_FAULTS).map(|name| {
        let name: String = name.chars().take(100).collect();
        FieldError::new(format!("{path}{name}"), "is not a field of this request")
    });
    errors.extend(unknown);
    Row { email, course_id, mode, action, language }
}

/// The faults of the values of the batch itself, by column: they are the caller's, not a row's.
fn wrong_defaults(defaults: [&Cell; 4]) -> Vec<FieldError> {
    let fault = |(name, cell): (&str, &Cell)| {
        let message = match (name, cell.as_ref()?) {
            (_, Err(fault)) => (*fault).to_owned(),
            ("course_id", Ok(text)) if hyphenated(text).is_none() => "is not a UUID".to_owned(),
            ("action", Ok(text)) if action(text).is_none() => WRONG_ACTION.to_owned(),
            ("mode", Ok(text)) if text.parse::<CourseMode>().is_err() => {
                "is not an enrollment mode".to_owned()
            }
            ("language", Ok(text)) => text.parse::<Language>().err()?.to_string(),
            _ => return None,
        };
        Some(FieldError::new(name, message))
    };
    DEFAULTS.into_iter().zip(defaults).filter_map(fault).collect()
}

fn action(text: &str) -> Option<BatchAction> {
    match text {
        "enroll" => Some(BatchAction::Enroll),
        "unenroll" => Some(BatchAction::Unenroll),
        _ => None,
    }
}

impl BatchUpload {
    /// Reads a batch from CSV.
    ///
    /// # Errors
    /// `InvalidRequest` if it is no such table, or has no rows or too many.
    pub fn from_csv(bytes: &[u8]) -> ApiResult<Self> {
        from_csv(bytes)?.counted()
    }

    fn counted(self) -> ApiResult<Self> {
        match self.rows.len() {
            0 => Err(ApiError::invalid("rows", "must not be empty")),
            count if count > MOST_ROWS => Err(too_many()),
            _ => Ok(self),
        }
    }

    /// The rows as the worker takes them. A cell that a row lacks is that of the body, or else of the query. `unreachable` says
    /// why the mail server cannot deliver to an address.
    ///
    /// # Errors
    /// Why a value of the query cannot be that of any row.
    pub fn rows(
        self,
        query: BatchDefaults,
        unreachable: impl Fn(&Email) -> Option<String>,
    ) -> ApiResult<Vec<BatchRow>> {
        let BatchDefaults { course_id, mode, action, language } = query;
        let [course_id, mode, action, language] =
            [course_id, mode, action, language].map(|text| text.map(Ok));
        let errors = wrong_defaults([&course_id, &mode, &action, &language]);
        if !errors.is_empty() {
            return Err(ApiError::InvalidRequest(errors));
        }
        // Each row copies it.
        let default = |own: Cell, of_query: Cell| own.or(of_query).map(|cell| cell.map(short));
        let defaults = Row {
            email: None,
            course_id: default(self.course_id, course_id),
            mode: default(self.mode, mode),
            action: default(self.action, action),
            language: default(self.language, language),
        };
        let mut rows: Vec<BatchRow> =
            self.rows.into_iter().map(|row| checked(row, &defaults, &unreachable)).collect();
        refuse_repeated(&mut rows);
        Ok(rows)
    }
}

fn checked(row: Row, defaults: &Row, unreachable: &impl Fn(&Email) -> Option<String>) -> BatchRow {
    let Row { email, course_id, mode, action, language } = row;
    let defaults = defaults.clone();
    let mut faults = Vec::new();
    let mut text = |name: &str, cell: Cell| match cell {
        Some(Ok(text)) => Some(text),
        Some(Err(fault)) => {
            faults.push(format!("{name} {fault}"));
            None
        }
        None => None,
    };
    let sent = text("email", email);
    let course = text("course_id", course_id.or(defaults.course_id));
    let mode = text("mode", mode.or(defaults.mode));
    let action = text("action", action.or(defaults.action));
    let language = text("language", language.or(defaults.language)).map(|text| text.parse::<Language>());
    let address = sent.as_deref().map(Email::parse);
    match &address {
        None => faults.push("email is required".to_owned()),
        Some(Err(error)) => faults.push(format!("email {error}")),
        Some(Ok(_)) => {}
    }
    let course_id: Option<Uuid> = course.as_deref().and_then(hyphenated);
    match course {
        None => faults.push("course_id is required".to_owned()),
        Some(_) if course_id.is_none() => faults.push("course_id is not a UUID".to_owned()),
        Some(_) => {}
    }
    let action = action.as_deref().map_or(Some(BatchAction::Enroll), self::action).unwrap_or_else(|| {
        faults.push(format!("action {WRONG_ACTION}"));
        BatchAction::Enroll
    });
    if let (BatchAction::Enroll, Some(Ok(email))) = (action, &address) {
        faults.extend(unreachable(email).map(|fault| format!("email {fault}")));
    }
    if action == BatchAction::Enroll && mode.is_none() {
        faults.push("mode is required".to_owned());
    }
    let language =
        language.and_then(|language| language.map_err(|error| faults.push(format!("language {error}"))).ok());
    let email = match address {
        Some(Ok(email)) => email.as_str().to_owned(),
        _ => short(sent.unwrap_or_default()),
    };
    let mode = mode.filter(|_| action == BatchAction::Enroll).map(short);
    let fault = (!faults.is_empty()).then(|| faults.join("; "));
    BatchRow { email, action, course_id, mode, language, fault }
}

/// A text without control characters, of at most 255 characters.
fn short(text: String) -> String {
    text.chars().filter(|c| !c.is_control()).take(255).collect()
}

/// Of the rows with the same address and course, the last one wins, even if it is invalid.
fn refuse_repeated(rows: &mut [BatchRow]) {
    let mut last: HashMap<(String, Uuid), usize> = HashMap::new();
    for (index, row) in rows.iter_mut().enumerate().rev() {
        let Some(course_id) = row.course_id.filter(|_| Email::parse(&row.email).is_ok()) else { continue };
        let later = *last.entry((row.email.clone(), course_id)).or_insert(index);
        if later != index && row.fault.is_none() {
            row.fault = Some(format!("repeated in row {}", later + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COURSE: &str = "ad035fc9-afd5-49f2-85d8-8ac83dd05a77";

    fn rows(batch: ApiResult<BatchUpload>) -> Vec<BatchRow> {
        let none = |_: &Email| None;
        let defaults = BatchDefaults {
            course_id: Some(COURSE.into()),
            mode: Some("audit".into()),
            ..BatchDefaults::default()
        };
        batch.unwrap().rows(defaults, none).unwrap()
    }

    fn fields(batch: ApiResult<BatchUpload>) -> Vec<String> {
        match batch.err().unwrap() {
            ApiError::InvalidRequest(errors) => errors.into_iter().map(|error| error.field).collect(),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn a_csv_is_read_with_quotes_a_byte_order_mark_and_defaults() {
        let text = "\u{feff}mode,email\r\n\"verified\",\" Ada@Example.com\"\r\n,bea@example.com\r\n";
        let rows = rows(from_csv(text.as_bytes()));
        let read: Vec<_> =
            rows.iter().map(|row| (row.email.as_str(), row.mode.as_deref(), &row.fault)).collect();
        assert_eq!(
            read,
            [("ada@example.com", Some("verified"), &None), ("bea@example.com", Some("audit"), &None)]
        );
    }

    #[test]
    fn a_wrong_shape_is_refused_by_name() {
        assert_eq!(fields(from_csv(b"email,colour,size\na@example.com,red,1\n")), ["colour", "size"]);
        assert_eq!(fields(from_csv(b"mode\naudit\n")), ["email"]);
        assert_eq!(fields(from_csv(b"email,email\na,b\n")), ["email"]);
        assert_eq!(fields(from_csv(b"email\n\xff\n")), ["body"]);
        assert_eq!(fields(from_csv(b"email;mode,action\n")), ["email;mode"]);
        assert_eq!(
            fields(from_json(br#"{"rows":[{"email":"a","seat":1},7],"x":1}"#)),
            ["x", "rows[0].seat", "rows[1]"]
        );
        assert_eq!(fields(from_json(b"{}")), ["rows"]);
        assert_eq!(fields(from_json(b"[]")), ["body"]);
    }

    #[test]
    fn a_csv_of_a_spreadsheet_is_read_with_its_separator_and_its_spelling() {
        let text = "\u{feff}Email;MODE\r\nada@example.com;verified\r\n\"a;b@example.com\";\r\n";
        let rows = rows(from_csv(text.as_bytes()));
        assert_eq!((rows[0].email.as_str(), rows[0].mode.as_deref()), ("ada@example.com", Some("verified")));
        assert_eq!((rows[1].email.as_str(), rows.len()), ("a;b@example.com", 2));
    }

    #[test]
    fn a_csv_whose_last_quote_is_open_was_cut_off() {
        for cut in
            ["email\r\n\"a@x.example\r\n", "email,mode\na@x.example,\"aud", "\"email", "email\n\"a\"\"\n"]
        {
            assert!(from_csv(cut.as_bytes()).is_err(), "{cut:?}");
        }
        for whole in
            ["email\n\"a@x.example\"", "email\na@x.example", "email\n\"a\n\"\n", "email\na\"b\n", "email\n\0"]
        {
            assert!(from_csv(whole.as_bytes()).is_ok(), "{whole:?}");
        }
        assert!(from_csv(b"email").unwrap().rows.is_empty());
    }

    #[test]
    fn a_wrong_row_fails_alone_with_all_its_faults() {
        let body = format!(
            r#"{{"action":"enroll","rows":[{{}},{{"email":"x","course_id":"y","mode":5}},
               {{"email":"ada@example.com","course_id":"{COURSE}","mode":"audit"}},
               {{"email":"ADA@example.com","course_id":"{COURSE}","action":"unenroll"}},
               {{"email":"ada@example.com","action":"invite"}}]}}"#
        );
        let faults: Vec<_> = rows(from_json(body.as_bytes())).into_iter().map(|row| row.fault).collect();
        assert_eq!(faults[0].as_deref(), Some("email is required"));
        let second = faults[1].as_deref().unwrap();
        assert!(
            second.contains("mode must be a string") && second.contains("course_id is not a UUID"),
            "{second}"
        );
        assert_eq!(faults[2].as_deref(), Some("repeated in row 5"));
        assert_eq!(faults[3].as_deref(), Some("repeated in row 5"));
        assert_eq!(faults[4].as_deref(), Some("action must be enroll or unenroll"));
    }
}
