//! A received message, as the control interface and the page show it. Parsing only; no I/O here.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use mail_parser::{MessageParser, MessagePart, MimeHeaders, PartType};

use super::state::now;

#[derive(Clone)]
pub(super) struct Email {
    /// The envelope recipient; a message to several recipients becomes several entries.
    pub to: String,
    /// The envelope's sender.
    pub return_path: String,
    /// The name and the address of the sender's header.
    pub from: Option<(String, String)>,
    pub subject: String,
    pub text: Option<String>,
    pub html: Option<String>,
    pub attachments: Vec<Attachment>,
    pub received_at: DateTime<Utc>,
    pub message_id: Option<String>,
    /// The address to which answers go, unless to the sender.
    pub reply_to: Option<String>,
    /// What RFC 3834 says of a mail that no person has written.
    pub auto_submitted: Option<String>,
    /// The connection that it came over, by the client's port.
    pub connection: u16,
}

#[derive(Clone)]
pub(super) struct Attachment {
    pub name: String,
    pub content_type: String,
    pub body: Vec<u8>,
}

/// Returns one entry per recipient. Data that is no valid mail is kept as text, so that no message is lost.
pub(super) fn read(raw: &[u8], return_path: &str, recipients: &[String], connection: u16) -> Vec<Email> {
    let received_at = now();
    let Some(message) = MessageParser::default().parse(raw) else {
        let text = Some(String::from_utf8_lossy(raw).into_owned());
        return recipients
            .iter()
            .map(|to| Email {
                to: to.clone(),
                return_path: return_path.to_owned(),
                from: None,
                subject: String::new(),
                text: text.clone(),
                html: None,
                attachments: Vec::new(),
                received_at,
                message_id: None,
                reply_to: None,
                auto_submitted: None,
                connection,
            })
            .collect();
    };
    // The parser would convert HTML parts to text and text parts to HTML: only parts of the right type count.
    let text = message.text_bodies().find_map(|part| plain(part));
    let html = message.html_bodies().find_map(|part| html(part));
    let html = html.map(|html| message.attachments().fold(html, |html, part| with_picture(&html, part)));
    let from = message.from().and_then(|from| from.first()).map(|from| {
        let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
        (text(from.name()), text(from.address()))
    });
    let reply_to = message.reply_to().and_then(|to| to.first()?.address().map(str::to_owned));
    let auto_submitted = message.header_raw("Auto-Submitted").map(|value| value.trim().to_owned());
    recipients
        .iter()
        .map(|to| Email {
            to: to.clone(),
            return_path: return_path.to_owned(),
            from: from.clone(),
            subject: message.subject().unwrap_or_default().into(),
            text: text.clone(),
            html: html.clone(),
            attachments: message
                .attachments()
                .filter(|part| part.content_id().is_none())
                .map(attachment)
                .collect(),
            received_at,
            message_id: message.message_id().map(String::from),
            reply_to: reply_to.clone(),
            auto_submitted: auto_submitted.clone(),
            connection,
        })
        .collect()
}

fn plain(part: &MessagePart<'_>) -> Option<String> {
    match &part.body {
        PartType::Text(text) => Some(text.clone().into_owned()),
        _ => None,
    }
}

fn html(part: &MessagePart<'_>) -> Option<String> {
    match &part.body {
        PartType::Html(html) => Some(html.clone().into_owned()),
        _ => None,
    }
}

/// The HTML with a picture of the mail in the places that name its Content-ID (RFC 2392), as mail programs show it.
fn with_picture(html: &str, part: &MessagePart<'_>) -> String {
    let Some(id) = part.content_id() else { return html.to_owned() };
    let Attachment { content_type, body, .. } = attachment(part);
    html.replace(&format!("cid:{id}"), &format!("data:{content_type};base64,{}", STANDARD.encode(body)))
}

fn attachment(part: &MessagePart<'_>) -> Attachment {
    let content_type = part.content_type().map(|kind| match kind.subtype() {
        Some(subtype) => format!("{}/{subtype}", kind.ctype()),
        None => kind.ctype().to_owned(),
    });
    Attachment {
        name: part.attachment_name().unwrap_or_default().to_owned(),
        content_type: content_type.unwrap_or_default(),
        body: part.contents().to_vec(),
    }
}
