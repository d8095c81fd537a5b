//! VIES, the EU's register of VAT IDs: whether one is valid, with a consultation number that proves the answer. Its answers are
//! shared by all workers for some minutes, so that a checkout is priced as its quote was.
//!
//! Paths and shapes are those of its public description, `swagger_publicVAT.yaml` at
//! <https://ec.europa.eu/taxation_customs/vies/#/technical-information>. VIES asks the register of the member state, and says which one
//! does not answer; errors come with the status 200, too.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use redis::AsyncCommands;
use redis::aio::ConnectionManager;
use reqwest::redirect::Policy;
use serde::Deserialize;
use serde_json::{Value, json};
use shared::breaker::{Breaker, Tolerance};
use shared::causes::causes;
use shared::keys::Keys;
use shared::messages::ReverseChargeStatus;
use shared::settings::under;
use shared::tax_id::{MEMBER_STATES, VatId};
use shared::tls::{TlsSettings, UrlError};
use shared::traces;
use store::model::vat::{VatCheck, VatIds};

use crate::config::VatSettings;
use crate::http_client;
use crate::metrics::{self, RedisUse};

/// A buyer waits for the price meanwhile. While one member state's register is slow, only its own businesses are not asked about.
const TOLERANCE: Tolerance =
    Tolerance { timeout: Duration::from_millis(1_500), failures: 5, pause: Duration::from_secs(10) };

/// Time that an answer is used again, in seconds.
const KEPT: u64 = 600;

/// The longest time that Redis may delay a check.
const REDIS_TIMEOUT: Duration = Duration::from_millis(200);

/// A client of VIES. Clones share the breakers.
#[derive(Clone)]
pub struct Vies {
    http: reqwest::Client,
    base: String,
    breakers: Arc<HashMap<&'static str, Breaker>>,
    redis: ConnectionManager,
    keys: Keys,
}

/// The answer about a VAT ID, or the reason why there is none.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    valid: Option<bool>,
    country_code: Option<String>,
    vat_number: Option<String>,
    request_identifier: Option<String>,
    #[serde(default)]
    error_wrappers: Vec<ErrorWrapper>,
}

#[derive(Deserialize)]
struct ErrorWrapper {
    error: String,
}

/// Answer of VIES about a VAT ID.
enum Verdict {
    /// With the consultation number.
    Valid(String),
    Invalid,
    /// It cannot answer now.
    Unavailable,
}

impl Vies {
    /// The HTTP client for VIES; it follows no redirects.
    ///
    /// # Errors
    /// The URL names another machine without TLS, or the TLS configuration of this machine is unusable.
    pub fn client(settings: &VatSettings, tls: &TlsSettings) -> Result<reqwest::Client, UrlError> {
        const SETTING: &str = "VIES_URL";
        tls.check_http(SETTING, &settings.vies_url)?;
        let http = || http_client::builder(tls)?.redirect(Policy::none()).build();
        http().map_err(|error| UrlError::caused(SETTING, &error))
    }

    /// VIES as the settings name it. Sends nothing.
    pub fn new(settings: &VatSettings, http: reqwest::Client, redis: ConnectionManager, keys: Keys) -> Self {
        let breaker = |state| (state, Breaker::new("vies", format!("VIES for {state}"), TOLERANCE));
        Self {
            http,
            base: under(&settings.vies_url, ""),
            breakers: Arc::new(MEMBER_STATES.into_iter().map(breaker).collect()),
            redis,
            keys,
        }
    }

    /// Checks the buyer's VAT ID, by an answer of the last minutes or a new one.
    pub async fn check(&self, ids: &VatIds, now: DateTime<Utc>) -> VatCheck {
        let vat_id = ids.buyer.to_string();
        let key = self.keys.vat_check(&ids.seller.to_string(), &vat_id);
        if let Some(check) = self.kept(&key).await {
            return check;
        }
        let verdict = match self.breakers.get(&*ids.buyer.prefix) {
            Some(breaker) => breaker.call(self.ask(ids)).await,
            None => None,
        };
        let (status, consultation_number) = match verdict {
            Some(Verdict::Valid(number)) => (ReverseChargeStatus::Applied, Some(number)),
            Some(Verdict::Invalid) => (ReverseChargeStatus::Invalid, None),
            Some(Verdict::Unavailable) | None => (ReverseChargeStatus::Unavailable, None),
        };
        let check = VatCheck { status, vat_id, consultation_number, checked_at: now };
        if status != ReverseChargeStatus::Unavailable {
            self.keep(&key, &check).await;
        }
        check
    }

    /// Asks VIES.
    ///
    /// # Errors
    /// It does not answer, or unreadably.
    async fn ask(&self, ids: &VatIds) -> Result<Verdict, String> {
        const PATH: &str = "/check-vat-number";
        let VatIds { seller, buyer } = ids;
        let request = self.http.post(format!("{}{PATH}", self.base)).json(&json!({
            "countryCode": buyer.prefix, "vatNumber": buyer.number,
            "requesterMemberStateCode": seller.prefix, "requesterNumber": seller.number,
        }));
        let response = traces::send(request, PATH).await.map_err(|error| causes(&error.without_url()))?;
        let status = response.status();
        if status.is_server_error() {
            return Err(format!("status {status}"));
        }
        let body = response.bytes().await.map_err(|error| causes(&error.without_url()))?;
        // A parser's error can quote the answer.
        let answer: Answer =
            serde_json::from_slice(&body).map_err(|_| format!("status {status}, an unreadable answer"))?;
        Ok(verdict(answer, buyer))
    }

    /// Asks whether VIES is available, as `doctor` does.
    ///
    /// # Errors
    /// It does not answer, or says that it is not.
    pub async fn check_status(&self) -> Result<(), String> {
        const PATH: &str = "/check-status";
        let request = self.http.get(format!("{}{PATH}", self.base)).timeout(Duration::from_secs(5));
        let response = traces::send(request, PATH).await.map_err(|error| causes(&error.without_url()))?;
        let status = response.status();
        let answer: Value =
            response.json().await.map_err(|_| format!("status {status}, an unreadable answer"))?;
        match answer.pointer("/vow/available") == Some(&Value::Bool(true)) {
            true => Ok(()),
            false => Err(format!("status {status}, not available")),
        }
    }

    async fn kept(&self, key: &str) -> Option<VatCheck> {
        let mut redis = self.redis.clone();
        let kept = tokio::time::timeout(REDIS_TIMEOUT, redis.get::<_, Option<String>>(key)).await;
        let Ok(Ok(kept)) = kept else {
            metrics::redis_failure(RedisUse::VatChecks);
            return None;
        };
        // What another version wrote may be unreadable.
        serde_json::from_str(&kept?).ok()
    }

    async fn keep(&self, key: &str, check: &VatCheck) {
        let Ok(text) = serde_json::to_string(check) else { return };
        let mut redis = self.redis.clone();
        let stored = tokio::time::timeout(REDIS_TIMEOUT, redis.set_ex::<_, _, ()>(key, text, KEPT)).await;
        if !matches!(stored, Ok(Ok(()))) {
            metrics::redis_failure(RedisUse::VatChecks);
        }
    }
}

/// The verdict of an answer about a VAT ID. An answer that proves nothing counts as none, for this VAT ID only.
fn verdict(answer: Answer, asked: &VatId) -> Verdict {
    let member_state = &*asked.prefix;
    if let Some(ErrorWrapper { error }) = answer.error_wrappers.first() {
        return match error.as_str() {
            "INVALID_INPUT" => Verdict::Invalid,
            "INVALID_REQUESTER_INFO" | "VAT_BLOCKED" | "IP_BLOCKED" => {
                tracing::error!(error, "VIES refuses the seller's VAT ID, or calls from here");
                Verdict::Unavailable
            }
            _ => {
                tracing::warn!(error, member_state, "VIES cannot check a VAT ID now");
                Verdict::Unavailable
            }
        };
    }
    let is_asked = answer.country_code.as_deref() == Some(member_state)
        && answer.vat_number.as_deref() == Some(asked.number.as_str());
    let number = answer.request_identifier.filter(|number| !number.is_empty());
    let reason = match (answer.valid, number) {
        _ if !is_asked => "is about another VAT ID",
        (Some(false), _) => return Verdict::Invalid,
        (Some(true), Some(number)) => return Verdict::Valid(number),
        (Some(true), None) => "confirms a VAT ID without a consultation number",
        (None, _) => "has no verdict",
    };
    tracing::warn!(member_state, "an answer of VIES {reason}");
    Verdict::Unavailable
}
