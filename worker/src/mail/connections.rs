//! Connections to the mail server. They are kept for the next mails; and where the server takes commands at once (PIPELINING, RFC 2920), a
//! mail waits for two replies instead of four.
//!
//! Why: `docs/decisions/mail-connections.md`

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use lettre::Address;
use lettre::address::Envelope;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, Certificate, Tls, TlsParameters};
use lettre::transport::smtp::commands::{Data, Ehlo, Mail, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use percent_encoding::percent_decode_str;
use secrecy::{ExposeSecret, SecretString};
use shared::causes;
use shared::tls::{TlsSettings, UrlError};
use url::Url;

const SETTING: &str = "SMTP_URL";

/// Time to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Time that the server may take to say goodbye.
const QUIT_TIMEOUT: Duration = Duration::from_secs(1);

/// Time for which a connection without mails is kept: shorter than servers keep it, which is five minutes by RFC 5321 (4.5.3.2.7).
const KEPT: Duration = Duration::from_secs(60);

/// One mail server's connections.
#[derive(Clone)]
pub(super) struct Connections(Arc<Server>);

struct Server {
    host: String,
    port: u16,
    tls: Tls,
    credentials: Option<Credentials>,
    own_name: ClientId,
    kept: Mutex<Kept>,
}

/// Connections that no mail is sent over now, with the time of the last one.
#[derive(Default)]
struct Kept {
    connections: Vec<(Instant, Connection)>,
    /// True while a task ends the old ones.
    is_watched: bool,
}

struct Connection {
    smtp: AsyncSmtpConnection,
    takes_commands_at_once: bool,
    /// True once the server has said that it takes the mail's content.
    waits_for_content: bool,
}

/// Reason why a mail was not sent.
#[derive(Debug, thiserror::Error)]
pub(super) enum SendError {
    #[error(transparent)]
    Smtp(#[from] Error),
    /// The server does not offer an extension that the mail needs.
    #[error("the {0} needs {1}, which the mail server does not offer")]
    Unoffered(&'static str, Extension),
}

impl Connections {
    /// Reads `SMTP_URL`: `smtps://`, or `smtp://` with `?tls=required` or `?tls=opportunistic` for STARTTLS, or without TLS; a path is the name
    /// in EHLO. Opens no connection.
    ///
    /// # Errors
    /// The URL is invalid, or names another machine without TLS.
    pub fn new(url: &SecretString, tls: &TlsSettings) -> Result<Self, UrlError> {
        let url = Url::parse(url.expose_secret()).map_err(|error| UrlError::unusable(SETTING, error))?;
        let unusable = |reason: &str| UrlError::unusable(SETTING, reason);
        let host = causes::host(&url);
        if host.is_empty() {
            return Err(unusable("it has no host"));
        }
        let upgrade = url.query_pairs().find(|(name, _)| name == "tls").map(|(_, value)| value.into_owned());
        let parameters = || parameters(&host, tls).map_err(|error| UrlError::unusable(SETTING, error));
        let (standard_port, encryption) = match (url.scheme(), upgrade.as_deref()) {
            ("smtps", _) => (465, Tls::Wrapper(parameters()?)),
            ("smtp", Some("required")) => (587, Tls::Required(parameters()?)),
            ("smtp", Some("opportunistic")) => (587, Tls::Opportunistic(parameters()?)),
            ("smtp", None) => (25, Tls::None),
            _ => {
                return Err(unusable(
                    "it must begin with smtps:// or smtp://, and tls be required, opportunistic or absent",
                ));
            }
        };
        if !matches!(encryption, Tls::Wrapper(_) | Tls::Required(_)) {
            tls.check(SETTING, &host, "smtps://, or ?tls=required for STARTTLS")?;
        }
        let decoded = |text: &str| {
            let text =
                percent_decode_str(text).decode_utf8().map_err(|_| unusable("its credentials are not UTF-8"));
            text.map(String::from)
        };
        let credentials = match url.password() {
            Some(password) => Some(Credentials::new(decoded(url.username())?, decoded(password)?)),
            None => None,
        };
        let own_name = match url.path().trim_matches('/') {
            "" => ClientId::default(),
            name => ClientId::Domain(name.to_owned()),
        };
        let server = Arc::new(Server {
            host,
            port: url.port().unwrap_or(standard_port),
            tls: encryption,
            credentials,
            own_name,
            kept: Mutex::default(),
        });
        Ok(Self(server))
    }

    /// Hands a mail to the server.
    ///
    /// # Errors
    /// The server has refused it, or has not said that it has taken it.
    pub async fn send(&self, mail: &lettre::Message) -> Result<(), SendError> {
        let (envelope, content) = (mail.envelope(), mail.formatted());
        let mut connection = match self.0.offer_over_kept(envelope, &content).await? {
            Some(kept) => kept,
            None => {
                let mut new = self.0.connect().await?;
                if let Err(refusal) = new.offer(envelope, &content).await {
                    new.leave();
                    return Err(refusal);
                }
                new
            }
        };
        connection.smtp.message(&content).await?;
        self.keep(connection);
        Ok(())
    }

    /// Returns the setting with the server's address, for messages.
    pub fn place(&self) -> String {
        format!("{SETTING} ({}:{})", self.0.host, self.0.port)
    }

    /// Connects and signs in.
    ///
    /// # Errors
    /// The server does not let the worker in.
    pub async fn check(&self) -> Result<(), Error> {
        let mut connection = self.0.connect().await?;
        // It has let the worker in, whatever it answers now.
        let _ = tokio::time::timeout(QUIT_TIMEOUT, connection.smtp.quit()).await;
        Ok(())
    }

    /// Keeps a connection for the next mail, and ends it if there is none.
    fn keep(&self, connection: Connection) {
        let is_watched = {
            let mut kept = self.0.kept();
            kept.connections.push((Instant::now(), connection));
            std::mem::replace(&mut kept.is_watched, true)
        };
        if !is_watched {
            tokio::spawn(end_old(Arc::downgrade(&self.0)));
        }
    }
}

/// Ends the connections that no mail has needed for long, until none is left.
async fn end_old(server: Weak<Server>) {
    loop {
        tokio::time::sleep(KEPT / 4).await;
        let Some(server) = server.upgrade() else { break };
        let (old, is_last) = server.take_old();
        for mut connection in old {
            // It is over, whatever the server answers.
            let _ = tokio::time::timeout(QUIT_TIMEOUT, connection.smtp.quit()).await;
        }
        if is_last {
            break;
        }
    }
}

fn parameters(host: &str, tls: &TlsSettings) -> Result<TlsParameters, Error> {
    let mut parameters = TlsParameters::builder(host.to_owned());
    if let Some(authorities) = tls.authorities() {
        parameters = parameters.add_root_certificate(Certificate::from_pem(authorities.as_bytes())?);
    }
    parameters.build_rustls()
}

impl Server {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the connections that no mail has needed for long. True if none is left to be watched.
    fn take_old(&self) -> (Vec<Connection>, bool) {
        let mut kept = self.kept();
        let old = kept.connections.extract_if(.., |(since, _)| since.elapsed() >= KEPT);
        let old = old.map(|(_, old)| old).collect();
        kept.is_watched = !kept.connections.is_empty();
        (old, !kept.is_watched)
    }

    /// Offers a mail over a kept connection. None if there is none that the server has not closed meanwhile.
    async fn offer_over_kept(
        &self,
        envelope: &Envelope,
        content: &[u8],
    ) -> Result<Option<Connection>, SendError> {
        loop {
            let Some((_, mut kept)) = self.kept().connections.pop() else { return Ok(None) };
            match kept.offer(envelope, content).await {
                Ok(()) => return Ok(Some(kept)),
                // The server has closed it without a reply, as it may have closed the others.
                Err(SendError::Smtp(error)) if error.status().is_none() => {}
                // It closes it with a reply, 421 or of Amazon SES 451, or refuses the mail for a time: over a new one it says which.
                Err(SendError::Smtp(error)) if !error.is_permanent() => {
                    kept.leave();
                    return Ok(None);
                }
                Err(error) => {
                    kept.leave();
                    return Err(error);
                }
            }
        }
    }

    async fn connect(&self) -> Result<Connection, Error> {
        let wrapper = match &self.tls {
            Tls::Wrapper(parameters) => Some(parameters.clone()),
            _ => None,
        };
        let address = (self.host.as_str(), self.port);
        let mut smtp = AsyncSmtpConnection::connect_tokio1(
            address,
            Some(CONNECT_TIMEOUT),
            &self.own_name,
            wrapper,
            None,
        )
        .await?;
        match &self.tls {
            Tls::Required(parameters) => smtp.starttls(parameters.clone(), &self.own_name).await?,
            Tls::Opportunistic(parameters) if smtp.can_starttls() => {
                smtp.starttls(parameters.clone(), &self.own_name).await?;
            }
            _ => {}
        }
        // The library does not keep what it does not know, so the server is asked again. It may refuse that.
        let takes_commands_at_once = match smtp.command(Ehlo::new(self.own_name.clone())).await {
            Ok(offers) => offers.message().any(|line| line.eq_ignore_ascii_case("PIPELINING")),
            Err(error) if error.status().is_some() => false,
            Err(error) => return Err(error),
        };
        if let Some(credentials) = &self.credentials {
            smtp.auth(&[Mechanism::Plain, Mechanism::Login], credentials).await?;
        }
        Ok(Connection { smtp, takes_commands_at_once, waits_for_content: false })
    }
}

impl Connection {
    /// Has the server agree to take a mail.
    async fn offer(&mut self, envelope: &Envelope, content: &[u8]) -> Result<(), SendError> {
        let commands = self.commands(envelope, content)?;
        self.waits_for_content = false;
        if !self.takes_commands_at_once {
            for command in commands {
                self.smtp.command(command).await?;
            }
            return Ok(());
        }
        let mut refusal = None;
        for nth in 0..commands.len() {
            let reply = match nth {
                0 => self.smtp.command(commands.concat()).await,
                _ => self.smtp.read_response().await,
            };
            match reply {
                // What follows a refusal is refused because of it, or the server closes.
                Err(error) if error.status().is_none() => return Err(refusal.unwrap_or(error).into()),
                Err(error) => refusal = refusal.or(Some(error)),
                Ok(reply) => self.waits_for_content = reply.has_code(354),
            }
        }
        refusal.map_or(Ok(()), |refusal| Err(refusal.into()))
    }

    /// Says goodbye to a server that has refused a mail, and does not wait for it. A server that waits for the content would take it for that.
    fn leave(mut self) {
        if !self.waits_for_content {
            tokio::spawn(async move { tokio::time::timeout(QUIT_TIMEOUT, self.smtp.quit()).await.map(drop) });
        }
    }

    fn commands(&self, envelope: &Envelope, content: &[u8]) -> Result<Vec<String>, SendError> {
        let mut parameters = Vec::new();
        let is_ascii = |address: &Address| AsRef::<str>::as_ref(address).is_ascii();
        for (what, is_needed, extension, parameter) in [
            (
                "address",
                !envelope.to().iter().chain(envelope.from()).all(is_ascii),
                Extension::SmtpUtfEight,
                MailParameter::SmtpUtfEight,
            ),
            (
                "content",
                !content.is_ascii(),
                Extension::EightBitMime,
                MailParameter::Body(MailBodyParameter::EightBitMime),
            ),
        ] {
            if is_needed && !self.smtp.server_info().supports_feature(extension) {
                return Err(SendError::Unoffered(what, extension));
            }
            parameters.extend(is_needed.then_some(parameter));
        }
        let recipients = envelope.to().iter().map(|to| Rcpt::new(to.clone(), Vec::new()).to_string());
        let mail = Mail::new(envelope.from().cloned(), parameters).to_string();
        Ok([mail].into_iter().chain(recipients).chain([Data.to_string()]).collect())
    }
}

#[cfg(test)]
mod tests;
