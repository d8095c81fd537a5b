//! Secrets that a setting lists: the first one signs, all of them are accepted, so that a secret can be replaced without
//! an interruption.

use std::ffi::OsStr;

use clap::builder::TypedValueParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use secrecy::SecretString;

/// The length from which guessing a secret is hopeless: as many bytes as the HMAC-SHA256 that it keys.
pub const MIN_SECRET_BYTES: usize = 32;

/// The secrets of a setting, the current one first.
#[derive(Clone, Debug, Default)]
pub struct Secrets(Vec<SecretString>);

impl Secrets {
    /// All of them, the current one first.
    pub fn iter(&self) -> impl Iterator<Item = &SecretString> {
        self.0.iter()
    }

    /// The one that signs; None if the setting is empty.
    pub fn current(&self) -> Option<&SecretString> {
        self.0.first()
    }
}

/// Reads comma-separated secrets of at least [`MIN_SECRET_BYTES`] each. Clap's own parsers quote a refused value in
/// their error, which would put a secret into the log.
#[derive(Clone, Copy, Debug)]
pub struct SecretsParser {
    /// Indicates whether the setting may be empty, which turns off what it protects.
    pub may_be_empty: bool,
}

impl TypedValueParser for SecretsParser {
    type Value = Secrets;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Secrets, clap::Error> {
        let name = arg.and_then(clap::Arg::get_env).map(OsStr::to_string_lossy).unwrap_or_default();
        let refused = |reason: &str| {
            let text = format!("{name}: {reason}\n");
            let mut error = clap::Error::raw(ErrorKind::ValueValidation, text).with_cmd(command);
            let argument = ContextValue::String(arg.map(ToString::to_string).unwrap_or_default());
            error.insert(ContextKind::InvalidArg, argument);
            error
        };
        let text = value.to_str().ok_or_else(|| refused("is not UTF-8"))?;
        if text.is_empty() {
            return if self.may_be_empty { Ok(Secrets::default()) } else { Err(refused("is empty")) };
        }
        let secrets: Vec<&str> = text.split(',').map(str::trim).collect();
        if secrets.iter().any(|secret| secret.len() < MIN_SECRET_BYTES) {
            return Err(refused(&format!(
                "has a secret of fewer than {MIN_SECRET_BYTES} bytes; a comma separates two secrets"
            )));
        }
        Ok(Secrets(secrets.into_iter().map(SecretString::from).collect()))
    }
}

#[cfg(test)]
impl Secrets {
    /// For tests of what uses secrets.
    pub(crate) fn of(secrets: &[&str]) -> Self {
        Self(secrets.iter().map(|secret| SecretString::from(*secret)).collect())
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    fn parse(text: &str, may_be_empty: bool) -> Result<Secrets, String> {
        let arg = clap::Arg::new("link_secret").env("LINK_SECRET");
        let parsed =
            SecretsParser { may_be_empty }.parse_ref(&clap::Command::new("x"), Some(&arg), text.as_ref());
        parsed.map_err(|error| error.to_string())
    }

    #[test]
    fn each_secret_has_32_bytes_and_an_error_names_the_setting_alone() {
        let (one, two) = ("1".repeat(32), "2".repeat(40));
        let both = parse(&format!("{one}, {two}"), false).unwrap();
        let read: Vec<&str> = both.iter().map(ExposeSecret::expose_secret).collect();
        assert_eq!(read, [one.as_str(), two.as_str()]);
        assert_eq!(both.current().unwrap().expose_secret(), one);
        assert!(parse("", true).unwrap().current().is_none());
        let short = "3".repeat(31);
        for bad in [String::new(), short.clone(), format!("{one},{short}"), format!("{one},"), " ".repeat(40)]
        {
            let error = parse(&bad, false).unwrap_err();
            assert!(error.contains("LINK_SECRET") && !error.contains("333"), "{error}");
        }
    }
}
