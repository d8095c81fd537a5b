//! The enrollment API, in the version that the platform has.

use reqwest::{Method, RequestBuilder, StatusCode};
use serde::{Deserialize, Serialize};

use super::throttle::Slot;
use super::version::{Call, Version};
use super::{Platform, PlatformError, encode, retry_after};

/// The platform's record of a learner in a course.
#[derive(Clone, Debug, Deserialize)]
pub struct PlatformEnrollment {
    pub mode: String,
    pub is_active: bool,
}

/// The body of a call that creates or changes an enrollment.
#[derive(Clone, Debug, Serialize)]
pub struct EnrollmentChange<'a> {
    pub user: &'a str,
    /// None keeps the mode of an existing record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<&'a str>,
    pub is_active: bool,
    pub course_details: CourseDetails<'a>,
    /// Enrolls despite a closed enrollment window, an invite-only course and, in a first enrollment, an expired mode.
    pub force_enrollment: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct CourseDetails<'a> {
    pub course_id: &'a str,
}

impl Platform {
    /// Asks the platform for the version of its enrollment API, whatever the settings say.
    ///
    /// # Errors
    /// The platform does not answer.
    pub async fn enrollment_api(&self) -> Result<Version, PlatformError> {
        self.versions.ask().await
    }

    /// A turn of the first service account that waits for nothing.
    pub fn turn_at_once(&self) -> Turn {
        Turn::new(self.clone(), Slot { account: 0, is_trial: false })
    }
}

/// The right to make enrollment calls now, by the account whose turn it is.
pub struct Turn {
    platform: Platform,
    slot: Slot,
}

impl Turn {
    pub(super) fn new(platform: Platform, slot: Slot) -> Self {
        Self { platform, slot }
    }

    /// The account, for a call that only this one can make.
    pub fn account(&self) -> usize {
        self.slot.account
    }

    /// The record of a username in a course. None also for an unknown username or course: the LMS does not distinguish
    /// them. It answers only a caller with the rights to change the record.
    ///
    /// # Errors
    /// The platform does not answer, or refuses.
    pub async fn enrollment(
        &self,
        username: &str,
        course: &str,
    ) -> Result<Option<PlatformEnrollment>, PlatformError> {
        let record = format!("/{},{}", encode(username), encode(course));
        let body = self.call_enrollments(Call::Record, &record, |request| request).await?;
        // The LMS answers 200 with an empty body.
        if body.is_empty() {
            return Ok(None);
        }
        serde_json::from_slice(&body).map(Some).map_err(PlatformError::unreadable)
    }

    /// Enrolls, changes the mode, or deactivates. Not always idempotent: the LMS answers 400 to a repeat for a full
    /// course, and to a repeat without force for a closed or invite-only course.
    ///
    /// # Errors
    /// `Refused` if the platform's rules forbid the change, or the username is unknown (404, 406). A service account without
    /// rights can get the same 403 and 404: [`Self::enrollment`] tells.
    pub async fn change_enrollment(&self, change: &EnrollmentChange<'_>) -> Result<(), PlatformError> {
        let body = self.call_enrollments(Call::Change, "", |request| request.json(change)).await?;
        // Proves that the enrollment API has answered, and not something in front of it.
        serde_json::from_slice::<PlatformEnrollment>(&body).map(drop).map_err(PlatformError::unreadable)
    }

    /// Returns whether the course has a mode, expired or not.
    ///
    /// # Errors
    /// The platform does not answer, or does not know the course.
    pub async fn has_mode(&self, course: &str, mode: &str) -> Result<bool, PlatformError> {
        #[derive(Deserialize)]
        struct Course {
            course_modes: Vec<Mode>,
        }
        #[derive(Deserialize)]
        struct Mode {
            slug: String,
        }
        let query = [("include_expired", "1")];
        let course = format!("/{}", encode(course));
        let body = self.call_enrollments(Call::Course, &course, |request| request.query(&query)).await?;
        let course: Course = serde_json::from_slice(&body).map_err(PlatformError::unreadable)?;
        Ok(course.course_modes.iter().any(|offered| offered.slug == mode))
    }

    /// Makes a call, and notes what the answer says of the account.
    async fn call_enrollments(
        &self,
        call: Call,
        rest: &str,
        build: impl Fn(RequestBuilder) -> RequestBuilder,
    ) -> Result<Vec<u8>, PlatformError> {
        let called = self.call(call, rest, build).await;
        match &called {
            // Course details need no rights.
            Ok(_) if self.slot.is_trial && call != Call::Course => {
                self.platform.throttle.accept(self.slot.account).await;
            }
            Err(PlatformError::Rejected(reason)) => {
                self.platform.note_rejected(self.slot.account, reason).await;
            }
            _ => {}
        }
        called
    }

    /// Makes a call in the platform's version, and returns the body of its success. A platform without the route has done
    /// nothing, so the call is repeated if it has another version now.
    async fn call(
        &self,
        call: Call,
        rest: &str,
        build: impl Fn(RequestBuilder) -> RequestBuilder,
    ) -> Result<Vec<u8>, PlatformError> {
        let platform = &self.platform;
        let method = if call == Call::Change { Method::POST } else { Method::GET };
        let mut version = platform.versions.get().await?;
        let mut is_repeated = false;
        loop {
            let endpoint = version.endpoint(call);
            let sent = platform.send_as(self.slot.account, method.clone(), endpoint, rest, &build);
            let response = sent.await?;
            let status = response.status();
            // Course details have a limit of their own, which counts the caller's address.
            if status == StatusCode::TOO_MANY_REQUESTS && call != Call::Course && platform.is_shared {
                platform.throttle.hold(self.slot.account, retry_after(&response)).await;
            }
            if status.is_redirection() {
                return Err(PlatformError::from_answer(endpoint, response).await);
            }
            let body = response.bytes().await.map_err(PlatformError::sending)?;
            if status.is_success() {
                return Ok(body.into());
            }
            let text = String::from_utf8_lossy(&body);
            if has_no_route(status, &text) && !std::mem::replace(&mut is_repeated, true) {
                let current = platform.versions.instead_of(version).await?;
                if current != version {
                    version = current;
                    continue;
                }
            }
            return Err(failure(call, endpoint, status, &text));
        }
    }
}

/// The LMS answers a path that it does not have with 404 and a page; everything else that is 404 is empty or JSON.
fn has_no_route(status: StatusCode, body: &str) -> bool {
    status == StatusCode::NOT_FOUND && !body.is_empty() && reason(body).is_none()
}

/// The failure that an answer other than success and redirection means, the same in both versions. What only the enrollment
/// API says, it says in JSON; a page is a proxy's, or that of an LMS that does not accept the name by which it is called.
fn failure(call: Call, endpoint: &str, status: StatusCode, body: &str) -> PlatformError {
    let about_learner =
        [StatusCode::BAD_REQUEST, StatusCode::FORBIDDEN, StatusCode::NOT_FOUND, StatusCode::NOT_ACCEPTABLE];
    let verdicts = match call {
        Call::Change => &about_learner[..],
        Call::Course => &[StatusCode::BAD_REQUEST, StatusCode::NOT_FOUND],
        Call::Record => &[],
    };
    match (status, reason(body)) {
        (_, Some(message)) if verdicts.contains(&status) => PlatformError::refused(status, &message),
        (StatusCode::NOT_FOUND, None) if !body.is_empty() => PlatformError::Misconfigured(format!(
            "{endpoint} is not there (404): PLATFORM_URL is not the LMS, or a proxy does not pass the path"
        )),
        (StatusCode::NOT_FOUND, _) => PlatformError::Rejected(format!(
            "{endpoint} answered 404: the service account's user is not staff"
        )),
        (StatusCode::BAD_REQUEST | StatusCode::NOT_ACCEPTABLE, _) => PlatformError::Misconfigured(format!(
            "{endpoint} answered {status} without a reason of the LMS: ALLOWED_HOSTS of the LMS lacks the host of \
             PLATFORM_URL, or a proxy refuses the call"
        )),
        _ => PlatformError::from_status(endpoint, status, body),
    }
}

/// The text of an error: `message` in v1, `detail` in v2 and where the framework answers. None if the body is not such an error.
fn reason(body: &str) -> Option<String> {
    let json: serde_json::Value = serde_json::from_str(body).ok()?;
    let text = json.get("message").or_else(|| json.get("detail"))?;
    text.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HTML: &str = "<html><title>Not Found</title></html>";
    const MESSAGE: &str = r#"{"message": "not with us"}"#;
    const DETAIL: &str = r#"{"detail": "You do not have permission to perform this action."}"#;
    const PROBLEM: &str = r#"{"type": "https://docs.openedx.org/errors/authz", "title": "Permission Denied",
        "status": 403, "detail": "not with us", "instance": "/api/enrollment/v2/enrollments/ada,course-v1:A+B+C/"}"#;

    const REFUSED: &str = "refused";
    const REJECTED: &str = "account rejected";
    const WRONG: &str = "misconfigured";
    const LATER: &str = "later";
    const FAILED: &str = "failed";
    const NO_ROUTE: &str = "no route: asks for the version";

    /// Source, status, body, and what it means for a change, a record and a course. The source is a row of `platform_calls`,
    /// `v2_…` of Willow, or who else gives such an answer.
    const ANSWERS: [(&str, u16, &str, [&str; 3]); 31] = [
        ("enroll_missing_course, course_missing", 400, MESSAGE, [REFUSED, WRONG, REFUSED]),
        ("enroll_bad_json", 400, DETAIL, [REFUSED, WRONG, REFUSED]),
        ("v2_enroll_missing_course, v2_enroll_bad_json", 400, PROBLEM, [REFUSED, WRONG, REFUSED]),
        ("an LMS without the host in ALLOWED_HOSTS", 400, HTML, [WRONG; 3]),
        ("a proxy without a body", 400, "", [WRONG; 3]),
        ("enroll_anonymous", 401, DETAIL, [REJECTED; 3]),
        ("v2_enroll_anonymous", 401, PROBLEM, [REJECTED; 3]),
        // The record that is read next tells a refusal of a change from a rejection.
        ("enroll_vetoed, enroll_embargoed", 403, MESSAGE, [REFUSED, REJECTED, REJECTED]),
        ("enroll_restricted", 403, DETAIL, [REFUSED, REJECTED, REJECTED]),
        ("v2_enroll_vetoed, v2_enroll_restricted", 403, PROBLEM, [REFUSED, REJECTED, REJECTED]),
        ("a firewall", 403, HTML, [REJECTED; 3]),
        ("enroll_nonstaff, enrollment_nonstaff", 404, "", [REJECTED; 3]),
        ("v2_enroll_unknown_user, v2_enroll_nonstaff", 404, PROBLEM, [REFUSED, REJECTED, REFUSED]),
        ("a gateway without the route", 404, MESSAGE, [REFUSED, REJECTED, REFUSED]),
        ("without_v1_post, without_v2_post", 404, HTML, [NO_ROUTE; 3]),
        ("v2_enroll_put", 405, PROBLEM, [WRONG; 3]),
        ("enroll_unknown_user", 406, MESSAGE, [REFUSED, WRONG, WRONG]),
        ("v2's words with v1's status", 406, PROBLEM, [REFUSED, WRONG, WRONG]),
        ("a proxy", 406, HTML, [WRONG; 3]),
        ("a proxy", 408, "", [LATER; 3]),
        ("v2_enroll_text_plain", 415, PROBLEM, [WRONG; 3]),
        ("throttled_post", 429, DETAIL, [LATER; 3]),
        ("v2_throttled_post", 429, PROBLEM, [LATER; 3]),
        ("enroll_without_profile", 500, HTML, [FAILED; 3]),
        ("v2_enroll_without_profile", 500, PROBLEM, [FAILED; 3]),
        ("an LMS that says nothing", 500, "", [FAILED; 3]),
        ("a proxy without its LMS", 502, HTML, [LATER; 3]),
        ("an LMS that is being replaced", 503, HTML, [LATER; 3]),
        ("an LMS that is being replaced", 503, PROBLEM, [LATER; 3]),
        ("an LMS that is being replaced", 503, "", [LATER; 3]),
        ("a proxy that waits no longer", 504, HTML, ["unanswered"; 3]),
    ];

    fn outcome(call: Call, status: u16, body: &str) -> &'static str {
        let status = StatusCode::from_u16(status).unwrap();
        if has_no_route(status, body) {
            return NO_ROUTE;
        }
        match failure(call, Version::V1.endpoint(call), status, body) {
            PlatformError::Refused { .. } => REFUSED,
            PlatformError::Misconfigured(_) => WRONG,
            PlatformError::Rejected(_) => REJECTED,
            PlatformError::Unavailable(_) => LATER,
            PlatformError::Failed(_) => FAILED,
            PlatformError::Unanswered(_) => "unanswered",
            PlatformError::NotConfigured => "not configured",
        }
    }

    #[test]
    fn each_answer_has_one_meaning_in_both_versions() {
        for (source, status, body, expected) in ANSWERS {
            let calls = [Call::Change, Call::Record, Call::Course];
            let found = calls.map(|call| outcome(call, status, body));
            assert_eq!(found, expected, "{source}: {status} {body}");
        }
    }

    #[test]
    fn a_refusal_has_the_reason_and_not_the_path_which_names_the_learner() {
        for body in [MESSAGE, PROBLEM] {
            let failure = failure(Call::Change, "/api/enrollment", StatusCode::FORBIDDEN, body);
            let PlatformError::Refused { status: 403, message } = failure else { panic!("{failure}") };
            assert_eq!(message, "not with us");
        }
    }
}
