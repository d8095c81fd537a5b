//! The feed of an organisation's events.

use axum::extract::State;
use axum::response::Response;
use chrono::{DateTime, Utc};
use shared::event::{CURSORS_KEPT, SHOWN, TYPES};
use utoipa::IntoParams;

use crate::error::{ApiError, ApiResult};
use crate::extract::{EventsReader, Params, Query, ReadParams};
use crate::openapi::parameters::OrganisationName;
use crate::openapi::schemas;
use crate::queries::events::{self, FeedFilter, FeedState};
use crate::request_log;
use crate::response::private;
use crate::state::AppState;
use crate::views::events::{EventPage, FeedEvent};

const DEFAULT_PAGE: i64 = 100;
const LARGEST_PAGE: i64 = 1_000;

/// A place in the feed: `next` and `after`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cursor {
    position: i64,
    /// The feed's epoch, without which a position says nothing after a restore of the database. None: the first one.
    epoch: Option<String>,
    /// Time when its page was read or, if more follows, when its last event happened. An older cursor than the oldest
    /// kept event may have missed some.
    at: DateTime<Utc>,
}

impl Cursor {
    const START: Self = Self { position: 0, epoch: None, at: DateTime::<Utc>::MAX_UTC };

    fn text(&self) -> String {
        let epoch = self.epoch.as_ref().map(|epoch| format!("-{epoch}")).unwrap_or_default();
        format!("{:x}-{:x}{epoch}", self.position, self.at.timestamp())
    }

    fn parse(text: &str) -> Option<Self> {
        let hex = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let number = |digits: &str| i64::from_str_radix(digits, 16).ok().filter(|_| hex(digits));
        let (position, rest) = text.split_once('-')?;
        let (seconds, epoch) = match rest.split_once('-') {
            Some((seconds, epoch)) => (seconds, Some(epoch)),
            None => (rest, None),
        };
        if epoch.is_some_and(|epoch| !hex(epoch) || epoch.is_empty()) {
            return None;
        }
        let at = DateTime::from_timestamp(number(seconds)?, 0)?;
        Some(Self { position: number(position)?, epoch: epoch.map(str::to_owned), at })
    }
}

type FeedPageSize = schemas::WholeNumber<DEFAULT_PAGE>;

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FeedQuery {
    /// The `next` of the page before. Without it the feed begins with the oldest event.
    #[param(inline, value_type = Option<schemas::SearchText>)]
    after: Cursor,
    /// Only these types, comma-separated. A page looks through 100,000 events: it can be empty although `has_more` is true.
    #[param(inline, value_type = Option<schemas::SearchText>)]
    types: Vec<String>,
    /// Page size. The service clamps it to 1 to 1,000.
    #[param(inline, value_type = Option<FeedPageSize>)]
    limit: i64,
}

impl ReadParams for FeedQuery {
    fn read(params: &mut Params) -> Option<Self> {
        let (after, types) = (params.text("after"), params.list("types"));
        let limit = params.clamped("limit", DEFAULT_PAGE, 1, LARGEST_PAGE);
        if let Some(unknown) = types.iter().find(|kind| !TYPES.contains(&kind.as_str())) {
            let unknown: String = unknown.chars().take(50).collect();
            params.error("types", format!("{unknown:?} is none of {}", TYPES.join(", ")));
        }
        let after = if after.is_empty() { Some(Cursor::START) } else { Cursor::parse(&after) };
        if after.is_none() {
            params.error("after", NO_CURSOR);
        }
        Some(Self { after: after?, types, limit: limit? })
    }
}

const NO_CURSOR: &str = "is not the `next` of a page of this feed";
const OLD_EPOCH: &str = "is of before the storefront's database was restored, which has lost events that you may have read: start \
     again without it, and compare with the list of orders";

/// Read the events of an organisation
///
/// For a key with the scope `events`, or a manager of the organisation. Lists what has happened to its orders and to enrollments in its courses, in an order that never changes: keep `next`, and ask
/// with it again later. Events are kept for 30 days. Their order is that in which they were recorded; of one order or
/// enrollment, the order route and `version` tell what is newest.
#[utoipa::path(
    get,
    path = "/storeapi/events/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["events"])),
    operation_id = "list_events",
    extensions(("x-problems" = json!(["called", "invalid_request", "organisation_not_found", "forbidden"]))),
    params(FeedQuery, OrganisationName),
    responses(
        (status = 200, body = EventPage, description = "A page of events."),
    )
)]
pub async fn feed(
    EventsReader(desk): EventsReader,
    State(app): State<AppState>,
    Query(query): Query<FeedQuery>,
) -> ApiResult<Response> {
    let now = app.now();
    if query.after.at < now - CURSORS_KEPT {
        return Err(ApiError::invalid("after", "is older than 31 days; events after it are gone"));
    }
    // First: an event that gets its position later belongs to a later page.
    let FeedState { last, epoch, is_known, until } =
        events::state(&app.db, query.after.epoch.as_deref()).await?;
    if !is_known || query.after.position > until {
        let is_of_present = is_known && until == last;
        return Err(ApiError::invalid("after", if is_of_present { NO_CURSOR } else { OLD_EPOCH }));
    }
    let mut filter = FeedFilter {
        organisation_id: desk.organisation_id,
        after: query.after.position,
        until: last,
        since: (query.after == Cursor::START).then_some(now - SHOWN),
        types: query.types,
    };
    let reach = events::reach(&app.db, &filter).await?;
    filter.until = reach.as_ref().map_or(last, |reach| reach.position);
    let mut found = events::page(&app.db, &filter, query.limit + 1).await?;
    let limit = usize::try_from(query.limit).unwrap_or_default();
    let is_full = found.len() > limit;
    found.truncate(limit);
    let has_more = is_full || filter.until < last;
    let (position, at) = match (found.last(), reach) {
        (Some(event), _) if is_full => (event.position, event.at),
        (_, Some(reach)) if has_more => (reach.position, reach.at),
        _ => (last, now),
    };
    let next = Cursor { position, epoch, at };
    let events: Result<Vec<FeedEvent>, _> = found.into_iter().map(FeedEvent::try_from).collect();
    let events = events.map_err(|error| {
        request_log::failed(format_args!("{error}"));
        ApiError::Internal
    })?;
    Ok(private(EventPage { events, next: next.text(), has_more }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_back_and_other_texts_are_none() {
        for epoch in [None, Some("6afd1f40c0de".to_owned())] {
            let cursor =
                Cursor { position: 77, epoch, at: DateTime::from_timestamp(1_795_000_000, 0).unwrap() };
            assert_eq!(Cursor::parse(&cursor.text()), Some(cursor));
        }
        for bad in [
            "",
            "-",
            "4d",
            "4d-",
            "-4d",
            "+4d-6afd1f40",
            "4d-6afd1f40-",
            "4d-6afd1f40-x",
            "4d-6afd1f40-1-1",
            "x-y",
            "ffffffffffffffffff-1",
            "1-fffffffffffffff",
        ] {
            assert_eq!(Cursor::parse(bad), None, "{bad}");
        }
    }
}
