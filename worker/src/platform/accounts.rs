//! Accounts of the LMS: who owns an address, and who is retired.

use std::collections::{BTreeSet, HashSet};

use reqwest::{Method, StatusCode};
use serde::Deserialize;
use shared::email::Email;
use shared::profile::first_language;
use texts::Language;

use super::error::PlatformError;
use super::{ACCOUNTS, Platform, accept, read};

pub(super) const SEARCH_EMAILS: &str = "/api/user/v1/accounts/search_emails";

/// An account of the platform, reduced to the fields that the storefront uses.
#[derive(Clone, Debug, Deserialize)]
pub struct PlatformAccount {
    pub id: i64,
    pub username: String,
    pub email: String,
    #[serde(default)]
    pub name: Option<String>,
    pub is_active: bool,
    /// The first language of the learner's profile.
    #[serde(default, rename = "language_proficiencies", deserialize_with = "first_language")]
    pub language: Option<Language>,
}

impl PlatformAccount {
    /// Returns whether the account is retired, or about to be: the LMS then gives it an address at `RETIRED_EMAIL_DOMAIN`
    /// (`retired.invalid` by default), a domain that no mail reaches.
    pub fn is_retired(&self) -> bool {
        self.email.ends_with(".invalid")
    }
}

impl Platform {
    /// The account that owns an address, active or not. None if the LMS has none, or only a retired one.
    ///
    /// # Errors
    /// The platform does not answer, or its answer does not come from the accounts API.
    pub async fn account(&self, email: &Email) -> Result<Option<PlatformAccount>, PlatformError> {
        let mut accounts = self.accounts(&[("email", email.as_str())]).await?;
        // The LMS stores an international domain as the learner typed it.
        let in_letters = email.in_letters();
        if accounts.is_empty() && in_letters != email.as_str() {
            accounts = self.accounts(&[("email", &in_letters)]).await?;
        }
        // The LMS's database ignores accents: it finds `jose@` for `josé@`, which is a different address.
        let is_meant = |account: &PlatformAccount| Email::parse(&account.email).as_ref() == Ok(email);
        Ok(accounts.into_iter().find(is_meant))
    }

    /// Finds an account by its id, which stays the same when its username or address changes.
    ///
    /// # Errors
    /// As [`Self::account`].
    pub async fn account_by_id(&self, id: i64) -> Result<Option<PlatformAccount>, PlatformError> {
        let accounts = self.accounts(&[("lms_user_id", &id.to_string())]).await?;
        Ok(accounts.into_iter().find(|account| account.id == id))
    }

    /// Returns whether an address belonged to an account that is retired for good: the LMS says so, and also that the
    /// days are over in which its owner can take the retirement back. It answers 404 with `error_msg`,
    /// `can_cancel_retirement` and
    /// `retirement_id` (edx-platform, `user_api/accounts/tests/test_views.py`).
    ///
    /// # Errors
    /// The platform does not answer, or refuses.
    pub async fn is_retired_for_good(&self, email: &Email) -> Result<bool, PlatformError> {
        #[derive(Deserialize)]
        struct Retired {
            can_cancel_retirement: bool,
        }
        let response =
            self.send(Method::GET, ACCOUNTS, "", |r| r.query(&[("email", email.as_str())])).await?;
        if response.status() != StatusCode::NOT_FOUND {
            return accept(ACCOUNTS, response).await.map(|_| false);
        }
        let body = response.bytes().await.map_err(PlatformError::sending)?;
        Ok(serde_json::from_slice::<Retired>(&body).is_ok_and(|retired| !retired.can_cancel_retirement))
    }

    async fn accounts(&self, query: &[(&str, &str)]) -> Result<Vec<PlatformAccount>, PlatformError> {
        let response = self.send(Method::GET, ACCOUNTS, "", |r| r.query(query)).await?;
        if response.status() != StatusCode::NOT_FOUND {
            return read(accept(ACCOUNTS, response).await?).await;
        }
        // An empty body means no account, JSON a retired one. Any other body does not come from the LMS's accounts API.
        let body = response.bytes().await.map_err(PlatformError::sending)?;
        let is_retired = serde_json::from_slice::<serde_json::Value>(&body)
            .is_ok_and(|answer| answer.get("retirement_id").is_some());
        if body.is_empty() || is_retired {
            return Ok(Vec::new());
        }
        Err(PlatformError::Misconfigured(format!("{ACCOUNTS} is not there (404): check PLATFORM_URL")))
    }

    /// Returns those of the addresses that have an account, active or not.
    ///
    /// # Errors
    /// The platform does not answer, or refuses.
    pub async fn search_emails(&self, emails: &[Email]) -> Result<Vec<Email>, PlatformError> {
        #[derive(Deserialize)]
        struct Found {
            email: String,
        }
        // Both spellings of an international domain: the LMS stores the one that the learner typed.
        let spellings = emails.iter().flat_map(|email| [email.as_str().to_owned(), email.in_letters()]);
        let addresses: BTreeSet<String> = spellings.collect();
        let body = serde_json::json!({ "emails": addresses });
        let response = self.send(Method::POST, SEARCH_EMAILS, "", |r| r.json(&body)).await?;
        let found: Vec<Found> = read(accept(SEARCH_EMAILS, response).await?).await?;
        // As in `account`: the LMS also returns addresses that differ only by an accent.
        let asked: HashSet<&Email> = emails.iter().collect();
        let found = found.iter().filter_map(|found| Email::parse(&found.email).ok());
        Ok(found.filter(|email| asked.contains(email)).collect())
    }
}
