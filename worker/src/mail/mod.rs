//! Mail: renders templates and hands the result to SMTP. The jobs decide what is sent to whom.

use std::error::Error as _;
use std::time::Duration;

use lettre::Address;
use lettre::address::Envelope;
use lettre::message::header::{ContentType, Header, HeaderName, HeaderValue};
use lettre::message::{Attachment, Mailbox, MultiPart, SinglePart};
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, context};
use shared::causes;
use shared::email::{Email, ascii_domain};
use shared::mail_service::MailService;
use shared::smtp_reply::Reply;
use shared::tls::{TlsSettings, UrlError};
use texts::Language;
use uuid::Uuid;

use crate::config::MailSettings;

use self::connections::{Connections, SendError};
use self::letter::Letter;

pub mod calendar;
mod connections;
pub mod kinds;
pub mod letter;
mod picture;
#[cfg(test)]
mod tests;

/// Sends mails from one sender through one SMTP server.
#[derive(Clone)]
pub struct Mailer {
    connections: Connections,
    from: Mailbox,
    /// Names each mail in its reports.
    service: Option<MailService>,
    return_path: Option<Address>,
    templates: Environment<'static>,
}

/// An unusable mail setting or template.
#[derive(Debug, thiserror::Error)]
pub enum MailSetupError {
    #[error(transparent)]
    Url(#[from] UrlError),
    #[error("{setting}: {error}")]
    Address { setting: &'static str, error: lettre::address::AddressError },
    #[error("template: {0}")]
    Template(#[from] minijinja::Error),
}

/// Timeout of sending one mail. Shorter than the lease on the message, so
/// that no other worker sends the mail meanwhile.
const SEND_TIMEOUT: Duration = Duration::from_secs(20);

/// Reason why a mail was not sent.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// A fault that can pass, such as a refusal of all mails: a retry may succeed.
    #[error("smtp: {0}")]
    Later(String),
    /// The server's final refusal of this mail or its recipient.
    #[error("smtp refused the mail: reply {0}")]
    Refused(Reply),
    /// The mail could not be rendered or built.
    #[error("cannot build the mail: {0}")]
    Broken(String),
}

/// The two layouts of all mails.
const HTML: &str = "layout.html";
const TEXT: &str = "layout.txt";

/// Content-ID of a letter's picture.
const PICTURE: &str = "transfer-code";

/// A mail as it is sent.
pub struct Message<'a> {
    pub letter: &'a Letter,
    /// Of the letter.
    pub language: &'a Language,
    pub look: Look<'a>,
    /// Where answers go; None: to the sender.
    pub reply_to: Option<&'a Email>,
    pub attachments: Vec<AttachedFile>,
}

/// A file that goes with a mail.
pub struct AttachedFile {
    pub name: String,
    pub media_type: &'static str,
    pub content: Vec<u8>,
}

/// Appearance of an organisation's mails.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    pub logo_url: Option<&'a str>,
    /// As `#rrggbb`.
    pub colour: Option<&'a str>,
}

/// The colour of organisations that have none.
const COLOUR: &str = "#1c4f9c";

impl Look<'_> {
    /// The colour of the button, and of the words on it.
    fn colours(&self) -> (&str, &'static str) {
        let colour = self.colour.unwrap_or(COLOUR);
        let part = |at: usize| {
            let part = colour.get(at..at + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
            let part = f64::from(part.unwrap_or_default()) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        // Of black and white, the one with the higher contrast, as WCAG computes it.
        let luminance = 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
        (colour, if luminance > 0.179 { "#000000" } else { "#ffffff" })
    }
}

impl Mailer {
    /// Builds a mailer. Opens no connection.
    ///
    /// # Errors
    /// `SMTP_URL` or `MAIL_FROM` is invalid, or `SMTP_URL` names another machine without TLS.
    pub fn new(settings: &MailSettings, tls: &TlsSettings) -> Result<Self, MailSetupError> {
        let connections = Connections::new(&settings.smtp_url, tls)?;
        let mut templates = Environment::new();
        templates.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
        // The engine escapes by file extension: values in the HTML part, not in the text part.
        templates.add_template(HTML, include_str!("templates/layout.html"))?;
        templates.add_template(TEXT, include_str!("templates/layout.txt"))?;
        let address = |setting| move |error| MailSetupError::Address { setting, error };
        let from = sender(&settings.mail_from).map_err(address("MAIL_FROM"))?;
        let return_path = settings.mail_return_path.as_deref().map(sender).transpose();
        let return_path = return_path.map_err(address("MAIL_RETURN_PATH"))?.map(|mailbox| mailbox.email);
        Ok(Self { connections, from, service: settings.mail_service, return_path, templates })
    }

    /// Returns whether reports of what became of a mail can come.
    pub fn is_reported(&self) -> bool {
        self.service.is_some()
    }

    /// Returns the domain of the sender that readers see.
    pub fn domain(&self) -> &str {
        self.from.email.domain()
    }

    /// Returns the domain to which mails come back. None with a service that puts one of its own in its place.
    pub fn envelope_domain(&self) -> Option<&str> {
        let is_replaced = self.service.is_some_and(MailService::has_own_return_path);
        (!is_replaced).then(|| self.return_path.as_ref().unwrap_or(&self.from.email).domain())
    }

    /// Sends a mail as text and HTML. Its Message-ID contains `id`, so that a repeated
    /// mail can be recognised.
    ///
    /// # Errors
    /// `Later` if a retry may succeed; `Refused` or `Broken` if it cannot.
    pub async fn send(&self, id: Uuid, to: &Email, message: Message<'_>) -> Result<(), MailError> {
        let message = self.build(id, to, message)?;
        match tokio::time::timeout(SEND_TIMEOUT, self.connections.send(&message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(SendError::Smtp(error))) => Err(judge(&error)),
            Ok(Err(error @ SendError::Unoffered(..))) => Err(broken(error)),
            Err(_) => Err(MailError::Later("no answer in time".into())),
        }
    }

    fn build(&self, id: Uuid, to: &Email, message: Message<'_>) -> Result<lettre::Message, MailError> {
        let Message { letter, language, look, reply_to, attachments } = message;
        let (text, html) = self.parts(letter, language, look)?;
        let both = match letter.picture() {
            None => MultiPart::alternative_plain_html(text, html),
            Some(picture) => {
                let png = Attachment::new_inline(PICTURE.to_owned())
                    .body(picture.png.clone(), ContentType::parse("image/png").map_err(broken)?);
                let related = MultiPart::related().singlepart(SinglePart::html(html)).singlepart(png);
                MultiPart::alternative().singlepart(SinglePart::plain(text)).multipart(related)
            }
        };
        let mailbox = |email: &Email| Ok(Mailbox::new(None, email.as_str().parse().map_err(broken)?));
        let builder = match reply_to {
            Some(contact) => lettre::Message::builder().reply_to(mailbox(contact)?),
            None => lettre::Message::builder(),
        };
        let builder = match &self.return_path {
            Some(path) => {
                let to = to.as_str().parse().map_err(broken)?;
                builder.envelope(Envelope::new(Some(own_address(path, id)?), vec![to]).map_err(broken)?)
            }
            None => builder,
        };
        let builder = match self.service.and_then(|service| service.tag(id)) {
            Some((name, value)) => {
                builder.raw_header(HeaderValue::new(HeaderName::new_from_ascii_str(name), value))
            }
            None => builder,
        };
        builder
            .message_id(Some(format!("<{id}@{}>", self.from.email.domain())))
            .from(self.from.clone())
            .to(mailbox(to)?)
            .subject(&letter.subject)
            .header(ContentLanguage(language.to_string()))
            .header(AutoSubmitted)
            .multipart(with(both, attachments)?)
            .map_err(broken)
    }

    /// The text and the HTML of a letter.
    fn parts(
        &self,
        letter: &Letter,
        language: &Language,
        look: Look<'_>,
    ) -> Result<(String, String), MailError> {
        let (colour, ink) = look.colours();
        let values = context! {
            lang => language.to_string(),
            dir => language.direction(),
            colour,
            ink,
            logo_url => look.logo_url,
            picture => PICTURE,
            ..minijinja::Value::from(minijinja::value::Serde(letter))
        };
        Ok((self.render(TEXT, &values)?, self.render(HTML, &values)?))
    }

    /// Connects to the mail server and signs in, without sending a mail.
    ///
    /// # Errors
    /// The setting, the address, and why mails would not be sent.
    pub async fn check(&self) -> Result<(), String> {
        let reason = match tokio::time::timeout(SEND_TIMEOUT, self.connections.check()).await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => judge(&error).to_string(),
            Err(_) => "the mail server does not answer".to_owned(),
        };
        Err(format!("{}: {reason}", self.connections.place()))
    }

    fn render(&self, template: &str, values: &minijinja::Value) -> Result<String, MailError> {
        self.templates.get_template(template).and_then(|t| t.render(values)).map_err(broken)
    }
}

/// The content of a mail with the files that go with it.
fn with(content: MultiPart, files: Vec<AttachedFile>) -> Result<MultiPart, MailError> {
    if files.is_empty() {
        return Ok(content);
    }
    files.into_iter().try_fold(MultiPart::mixed().multipart(content), |mail, file| {
        let media_type = ContentType::parse(file.media_type).map_err(broken)?;
        Ok(mail.singlepart(Attachment::new(file.name).body(file.content, media_type)))
    })
}

/// The language of a mail (RFC 3282), which some readers announce.
#[derive(Clone)]
struct ContentLanguage(String);

impl Header for ContentLanguage {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Content-Language")
    }

    fn parse(text: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self(text.to_owned()))
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), self.0.clone())
    }
}

/// Says that no person has written a mail (RFC 3834), so that no machine answers it, such as one that is on holiday.
#[derive(Clone)]
struct AutoSubmitted;

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

/// The sender's mailbox, with an international domain in punycode, as in recipients' addresses.
fn sender(mailbox: &str) -> Result<Mailbox, lettre::address::AddressError> {
    let Mailbox { name, email } = mailbox.parse()?;
    let domain =
        ascii_domain(&email.domain().to_lowercase()).ok_or(lettre::address::AddressError::InvalidDomain)?;
    // Every mail would need SMTPUTF8.
    if !email.user().is_ascii() {
        return Err(lettre::address::AddressError::InvalidUser);
    }
    Ok(Mailbox::new(name, Address::new(email.user(), domain)?))
}

/// The address to which a mail comes back: the id in hexadecimal digits, since a server may change the case of letters.
fn own_address(return_path: &Address, id: Uuid) -> Result<Address, MailError> {
    Address::new(format!("{}+{}", return_path.user(), id.simple()), return_path.domain()).map_err(broken)
}

fn broken(error: impl std::fmt::Display) -> MailError {
    MailError::Broken(error.to_string())
}

/// Classifies a failure by the codes of the reply alone: its text may repeat the address, which must not appear in logs.
fn judge(error: &lettre::transport::smtp::Error) -> MailError {
    let Some(code) = error.status().map(u16::from) else { return unanswered(error) };
    let reply = Reply::of(code, &error.source().map(ToString::to_string).unwrap_or_default());
    match code {
        // An operator has to fix the credentials: until then the mail is retried.
        530 | 534 | 535 => MailError::Later(format!("reply {reply}, check the credentials in SMTP_URL")),
        _ if reply.is_of_mail() => MailError::Refused(reply),
        _ if error.is_permanent() => {
            MailError::Later(format!("reply {reply}, which refuses this server or its sender, not the mail"))
        }
        _ => MailError::Later(format!("reply {reply}")),
    }
}

/// Names a failure that is no refusal.
fn unanswered(error: &lettre::transport::smtp::Error) -> MailError {
    MailError::Later(match () {
        () if error.is_timeout() => "no answer in time".into(),
        // A way to sign in, or STARTTLS.
        () if error.is_client() => format!("the server does not offer what SMTP_URL needs: {}", cause(error)),
        // What the server wrote may repeat the address.
        () if error.is_response() => "unreadable reply".into(),
        () => format!("no connection, or one that broke: {}", cause(error)),
    })
}

/// The causes of a failure, without the library's word for its kind.
fn cause(error: &lettre::transport::smtp::Error) -> String {
    error.source().map_or_else(|| error.to_string(), causes::causes)
}
