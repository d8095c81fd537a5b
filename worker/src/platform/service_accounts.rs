//! The service accounts that the settings list. No I/O but their files.

use std::fs;
use std::path::PathBuf;

use secrecy::{ExposeSecret, SecretString};

use crate::config::PlatformSettings;

/// The OAuth client of a user of the platform.
#[derive(Clone, Debug)]
pub struct ServiceAccount {
    pub client_id: String,
    pub client_secret: SecretString,
}

/// The service accounts of the settings.
#[derive(Clone, Debug, Default)]
pub struct ServiceAccounts {
    /// Those that enroll, in the order of the settings; then the one for look-ups, if the settings name one.
    pub all: Vec<ServiceAccount>,
    /// The number of those that enroll.
    pub enrolling: usize,
}

impl ServiceAccounts {
    /// Moves the account for look-ups behind the others.
    fn new(mut all: Vec<ServiceAccount>, lookup: Option<&str>) -> Result<Self, String> {
        const SETTING: &str = "PLATFORM_LOOKUP_CLIENT_ID";
        if let Some(lookup) = lookup.filter(|lookup| !lookup.is_empty()) {
            let place = all.iter().position(|account| account.client_id == lookup);
            let place =
                place.ok_or_else(|| format!("{SETTING}: PLATFORM_CLIENT_ID does not list {lookup}"))?;
            if all.len() == 1 {
                return Err(format!(
                    "{SETTING}: {lookup} is the only service account, and none is left that enrolls"
                ));
            }
            let account = all.remove(place);
            let enrolling = all.len();
            all.push(account);
            return Ok(Self { all, enrolling });
        }
        Ok(Self { enrolling: all.len(), all })
    }

    /// The index of the account for look-ups.
    pub fn lookup(&self) -> Option<usize> {
        (self.enrolling < self.all.len()).then_some(self.enrolling)
    }
}

/// Reads the service accounts of the settings; none if ids or secrets are missing altogether.
///
/// # Errors
/// The lists do not match, a file cannot be read, or the account for look-ups is not one of several; the text names the setting,
/// and no secret.
pub fn read(settings: &PlatformSettings) -> Result<ServiceAccounts, String> {
    let (ids, secrets) = ("PLATFORM_CLIENT_ID", "PLATFORM_CLIENT_SECRET");
    let from_file = |name: &str, file: &Option<PathBuf>| {
        let Some(path) = file else { return Ok(None) };
        let text = fs::read_to_string(path);
        text.map(Some).map_err(|error| format!("{name}_FILE ({}): {error}", path.display()))
    };
    let id_text = from_file(ids, &settings.platform_client_id_file)?;
    let secret_text = from_file(secrets, &settings.platform_client_secret_file)?;
    let id_list = entries(ids, id_text.as_deref().unwrap_or(&settings.platform_client_id))?;
    let secret_list =
        entries(secrets, secret_text.as_deref().unwrap_or(settings.platform_client_secret.expose_secret()))?;
    if id_list.is_empty() || secret_list.is_empty() {
        return Ok(ServiceAccounts::default());
    }
    if id_list.len() != secret_list.len() {
        return Err(format!(
            "{ids} has {} entries and {secrets} {}: each service account needs both (a comma or a line break ends an entry)",
            id_list.len(),
            secret_list.len()
        ));
    }
    if let Some(twice) =
        id_list.iter().enumerate().find_map(|(n, id)| id_list.get(..n)?.contains(id).then_some(id))
    {
        return Err(format!(
            "{ids} names {twice} twice: each service account is a user with a client of its own"
        ));
    }
    let accounts = id_list.into_iter().zip(secret_list);
    let accounts = accounts
        .map(|(id, secret)| ServiceAccount { client_id: id.into(), client_secret: secret.into() })
        .collect();
    ServiceAccounts::new(accounts, settings.platform_lookup_client_id.as_deref())
}

/// The entries of a list, without the line break that ends a file.
fn entries<'a>(setting: &str, text: &'a str) -> Result<Vec<&'a str>, String> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let text = text.strip_suffix('\n').unwrap_or(text);
    let entries: Vec<&str> = text.split([',', '\n']).map(str::trim).collect();
    match entries.iter().position(|entry| entry.is_empty()) {
        Some(empty) => Err(format!("{setting}: entry {} of {} is empty", empty + 1, entries.len())),
        None => Ok(entries),
    }
}
