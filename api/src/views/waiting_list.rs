//! The page of an entry of a waiting list.

use axum::response::Response;
use minijinja::{Value, context};
use texts::Localizer;
use url::form_urlencoded;
use uuid::Uuid;

use super::pages;
use crate::error::ApiResult;
use crate::queries::waiting_list::{Entry, Standing};

/// The page of an entry, whose forms lead to `action`; of None, that of one that has ended.
pub fn page(entry: Option<&Entry>, action: &str, localizer: &Localizer<'_>) -> ApiResult<Response> {
    let nonce = Uuid::new_v4().simple().to_string();
    let course = entry.map(|entry| ("course", entry.course.as_str().into()));
    let said = |key: &str| localizer.message(key, course.as_slice());
    let button = |answer: &str, key: &str| context! { answer, text => localizer.message(key, &[]) };
    let (text, buttons, buy): (String, Vec<Value>, Option<String>) = match entry
        .map(|entry| (entry, &entry.standing))
    {
        Some((_, Standing::Unconfirmed)) => {
            (said("waiting-page-full"), vec![button("confirm", "waiting-confirm")], None)
        }
        Some((_, Standing::Waiting)) => {
            (said("waiting-page-listed"), vec![button("leave", "waiting-leave")], None)
        }
        Some((entry, Standing::Offered { code, mode, until })) => {
            let values = [
                ("course", entry.course.as_str().into()),
                ("date", localizer.date(until.date_naive()).into()),
                ("time", localizer.time(*until).into()),
                ("zone", until.format("UTC%:z").to_string().into()),
            ];
            let mut query = form_urlencoded::Serializer::new(String::new());
            query.append_pair("course", &entry.openedx_course_id).append_pair("voucher", code);
            query.extend_pairs(mode.iter().map(|mode| ("mode", mode)));
            let query = query.finish();
            let text = localizer.message("waiting-page-offered", &values);
            (text, vec![button("leave", "waiting-decline")], Some(format!("/storeapi/payment/buy/?{query}")))
        }
        Some((_, Standing::Ended)) | None => (localizer.message("waiting-page-ended", &[]), Vec::new(), None),
    };
    let values = context! {
        nonce => nonce.as_str(),
        style => concat!(include_str!("../pages/pay.css"), include_str!("../pages/withdraw.css")),
        title => localizer.message("waiting-page-title", &[]),
        text,
        action,
        buttons,
        buy,
        take => localizer.message("waiting-buy", &[]),
        ..pages::words(localizer)
    };
    pages::page(
        pages::own_style(&nonce),
        pages::render("waiting.html", include_str!("../pages/waiting.html"), values)?,
    )
}
