//! What sends the storefront's mails and reports what became of them.

use clap::ValueEnum;
use uuid::Uuid;

/// What is behind `SMTP_URL`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MailService {
    /// Mailgun, by Sinch.
    Mailgun,
    /// Postmark, by ActiveCampaign.
    Postmark,
    /// SendGrid, by Twilio.
    Sendgrid,
    /// A mail server whose reports of non-delivery are sent on to the api.
    Server,
    /// Amazon SES.
    Ses,
}

/// The name under which the services return the id of a mail.
pub const MAIL_ID: &str = "mail_id";

impl MailService {
    /// Returns whether the envelope's sender is replaced by an address at the service's domain, or at one below the sender's that is set up at the service.
    pub fn has_own_return_path(self) -> bool {
        !matches!(self, Self::Server)
    }

    /// Header of a mail whose value the service returns with each report about it: it can replace the Message-ID. None for a mail server.
    pub fn tag(self, mail: Uuid) -> Option<(&'static str, String)> {
        Some(match self {
            Self::Mailgun => ("X-Mailgun-Variables", format!(r#"{{"{MAIL_ID}": "{mail}"}}"#)),
            Self::Postmark => ("X-PM-Metadata-mail_id", mail.to_string()),
            Self::Sendgrid => ("X-SMTPAPI", format!(r#"{{"unique_args": {{"{MAIL_ID}": "{mail}"}}}}"#)),
            Self::Ses => ("X-SES-MESSAGE-TAGS", format!("{MAIL_ID}={mail}")),
            Self::Server => return None,
        })
    }
}
