//! The simulators' state: accounts, enrollments, certificates, courses, mail and faults. Plain data and look-ups
//! behind one lock; the rules of each system live beside its endpoints.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use chrono::{DateTime, SecondsFormat, Utc};
use rand::{RngExt, distr::Alphanumeric};
use tokio_util::sync::CancellationToken;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use super::{
    SimulatorsConfig,
    faults::Faults,
    hooks::Received,
    mail::Email,
    partner::Partner,
    payments::{Account, Payments},
    platform::{catalog::Catalog, throttles::Throttles, v2::Versions},
    vies::Vies,
};

/// 2025-01-01. Account ids start at the seconds since then, so that a restarted simulator never reuses an id that a
/// service has stored.
const ID_EPOCH: i64 = 1_735_689_600;

/// Everything that the endpoints share.
pub(super) struct Simulation {
    pub config: SimulatorsConfig,
    pub stop: CancellationToken,
    hint_url: Mutex<Option<String>>,
    notification_url: Mutex<Option<String>>,
    state: Mutex<State>,
}

impl Simulation {
    pub fn new(config: SimulatorsConfig, stop: CancellationToken) -> Self {
        let hint_url = Mutex::new(config.hint_url.clone());
        let notification_url = Mutex::new(config.notification_url.clone());
        let state = Mutex::new(State::new(now().timestamp() - ID_EPOCH, &config));
        Self { config, stop, hint_url, notification_url, state }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    pub fn hint_url(&self) -> Option<String> {
        lock(&self.hint_url).clone()
    }

    pub fn set_hint_url(&self, url: Option<String>) {
        *lock(&self.hint_url) = url;
    }

    pub fn notification_url(&self) -> Option<String> {
        lock(&self.notification_url).clone()
    }

    pub fn set_notification_url(&self, url: Option<String>) {
        *lock(&self.notification_url) = url;
    }

    /// Clears everything except the next account id, which the services must not have seen before.
    pub fn reset(&self) {
        let mut state = self.state();
        *state = State::new(state.last_user_id + 1, &self.config);
    }
}

/// The state stays usable after a failed assertion elsewhere: it is only test data.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) struct State {
    pub users: Vec<User>,
    pub enrollments: Vec<Enrollment>,
    pub certificates: Vec<Certificate>,
    /// Only the courses that a test described; any other valid key is an ordinary open course.
    pub courses: HashMap<String, Course>,
    /// Opaque access tokens, by value.
    pub bearers: HashMap<String, Bearer>,
    pub clients: Vec<Client>,
    pub throttles: Throttles,
    pub enrollment_api: Versions,
    pub emails: Vec<Email>,
    pub hooks: Vec<Received>,
    /// The organisations' accounts with the payment providers.
    pub accounts: Vec<Account>,
    pub payments: Payments,
    pub faults: Faults,
    pub catalog: Catalog,
    pub jwks: Option<String>,
    pub vies: Vies,
    pub partner: Partner,
    last_user_id: i64,
}

/// An account of the platform.
#[derive(Clone)]
pub(super) struct User {
    pub id: i64,
    pub username: String,
    pub email: String,
    pub name: String,
    pub is_active: bool,
    pub staff: bool,
    /// Disabled by the platform's staff: the platform refuses the account's sessions, but not its tokens.
    pub disabled: bool,
    /// The former address of a retired account; `email` then receives no mail.
    pub retired_email: Option<String>,
    /// Indicates whether the days are over in which the owner can take the retirement back.
    pub retired_for_good: bool,
    /// Indicates whether the account has a profile. One created by another system may lack it, and the platform cannot
    /// enroll such an account.
    pub profile: bool,
    /// For the password grant; `None` allows no sign-in.
    pub password: Option<String>,
    /// `None` leaves the claim out of the JWT.
    pub organisations: Option<Vec<String>>,
    /// The code of the first language in the profile.
    pub language: Option<String>,
    /// The anonymous id in the JWT's `sub`.
    pub sub: String,
    pub sessionid: String,
    pub joined: DateTime<Utc>,
}

/// An OAuth2 application of the platform.
#[derive(Clone)]
pub(super) struct Client {
    pub id: String,
    /// `None` makes the client public: its learners sign in with their passwords.
    pub secret: Option<String>,
    /// The account that its client credentials belong to.
    pub user_id: i64,
    /// Registered as a RestrictedApplication: its tokens carry the claim, and the platform refuses them everywhere.
    pub restricted: bool,
    /// Adds `user_id` to its tokens.
    pub user_id_scope: bool,
    /// The filters of its ApplicationAccess; each of its JWTs carries them.
    pub filters: Vec<String>,
}

/// The account that an opaque access token belongs to.
#[derive(Clone, Copy)]
pub(super) struct Bearer {
    pub user_id: i64,
    /// Tokens of a restricted application are expired from the start.
    pub expired: bool,
}

#[derive(Clone)]
pub(super) struct Enrollment {
    pub user_id: i64,
    pub course_id: String,
    pub mode: String,
    pub is_active: bool,
    pub created: DateTime<Utc>,
    /// Number of accepted write calls for this record, repeats included.
    pub calls: u32,
}

#[derive(Clone)]
pub(super) struct Certificate {
    pub user_id: i64,
    pub course_id: String,
    pub status: String,
    pub mode: String,
    /// Indicates whether the course can show web certificates; without it the platform hides the certificate.
    pub web_view: bool,
    pub created: DateTime<Utc>,
}

/// Deviations of a course from an ordinary open one.
#[derive(Clone, Default)]
pub(super) struct Course {
    /// `None` offers every mode; an empty list offers `audit` alone.
    pub modes: Option<Vec<Mode>>,
    pub invitation_only: bool,
    pub closed: bool,
    pub full: bool,
    /// The course is full once this many learners are enrolled.
    pub seats: Option<usize>,
    pub veto: bool,
    /// Closed to the country of every learner.
    pub embargo: bool,
    pub missing: bool,
}

#[derive(Clone)]
pub(super) struct Mode {
    pub slug: String,
    pub expires_at: Option<DateTime<Utc>>,
}

impl State {
    fn new(first_user_id: i64, config: &SimulatorsConfig) -> Self {
        let mut state = Self {
            users: Vec::new(),
            enrollments: Vec::new(),
            certificates: Vec::new(),
            courses: HashMap::new(),
            bearers: HashMap::new(),
            clients: Vec::new(),
            throttles: Throttles::default(),
            enrollment_api: Versions::V1,
            emails: Vec::new(),
            hooks: Vec::new(),
            accounts: config.accounts.clone(),
            payments: Payments::default(),
            faults: Faults::default(),
            catalog: Catalog::default(),
            jwks: None,
            vies: Vies::default(),
            partner: Partner::default(),
            last_user_id: first_user_id - 1,
        };
        let service = User { staff: true, ..state.blank_user("storefront_worker") };
        state.clients.push(Client {
            id: config.client_id.clone(),
            secret: Some(config.client_secret.clone()),
            user_id: service.id,
            restricted: false,
            user_id_scope: false,
            filters: Vec::new(),
        });
        state.users.push(service);
        state
    }

    /// An active account with fresh credentials, not yet added to the state.
    pub fn blank_user(&mut self, username: &str) -> User {
        self.last_user_id += 1;
        User {
            id: self.last_user_id,
            username: username.into(),
            email: format!("{username}@example.com"),
            name: username.into(),
            is_active: true,
            staff: false,
            disabled: false,
            retired_email: None,
            retired_for_good: false,
            profile: true,
            password: None,
            organisations: None,
            language: None,
            sub: format!("{:032x}", rand::random::<u128>()),
            // The format of the platform's signed session cookie: version, key, salt, signature.
            sessionid: format!("1|{}|{}|{}:{}:{}", random(32), random(12), random(88), random(6), random(27)),
            joined: now(),
        }
    }

    /// The client that the simulators were configured with.
    pub fn own_client(&mut self) -> Option<&mut Client> {
        self.clients.first_mut()
    }

    pub fn client(&self, id: &str) -> Option<&Client> {
        self.clients.iter().find(|client| client.id == id)
    }

    pub fn user(&self, id: i64) -> Option<&User> {
        self.users.iter().find(|user| user.id == id)
    }

    pub fn user_named(&self, username: &str) -> Option<&User> {
        let wanted = collated(username);
        self.users.iter().find(|user| collated(&user.username) == wanted)
    }

    pub fn user_with_email(&self, email: &str) -> Option<&User> {
        let wanted = collated(email);
        self.users.iter().find(|user| collated(&user.email) == wanted)
    }

    pub fn retired(&self, email: &str) -> Option<&User> {
        let wanted = collated(email);
        let had = |user: &&User| user.retired_email.as_deref().is_some_and(|email| collated(email) == wanted);
        self.users.iter().find(had)
    }

    pub fn course(&self, course_id: &str) -> Course {
        self.courses.get(course_id).cloned().unwrap_or_default()
    }

    pub fn enrollment(&self, user_id: i64, course_id: &str) -> Option<&Enrollment> {
        self.enrollments.iter().find(|one| one.user_id == user_id && one.course_id == course_id)
    }

    pub fn certificate(&self, user_id: i64, course_id: &str) -> Option<&Certificate> {
        self.certificates.iter().find(|one| one.user_id == user_id && one.course_id == course_id)
    }
}

/// The collation of the platform's database for names and addresses: it ignores case, accents and trailing spaces.
pub(super) fn collated(text: &str) -> String {
    let base = text.trim_end_matches(' ').nfd().filter(|c| !is_combining_mark(*c));
    base.flat_map(char::to_lowercase).collect()
}

/// The simulators' only clock: external systems do not follow a test's clock.
pub(super) fn now() -> DateTime<Utc> {
    SystemTime::now().into()
}

/// `2026-01-02T03:04:05Z`
pub(super) fn seconds(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// `2026-01-02T03:04:05.123456Z`
pub(super) fn micros(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Micros, true)
}

pub(super) fn random(length: usize) -> String {
    rand::rng().sample_iter(Alphanumeric).take(length).map(char::from).collect()
}
