//! Mails that come back: a mail server's report of non-delivery (RFC 3464) or of a reader's complaint (RFC 5965), and which mail it is about. What
//! Postfix 3.7, Exim 4.96, OpenSMTPD 6.8 and sendmail 8.17 write differs in every way that these allow, so each part is looked for wherever it
//! stands.

use std::iter;

use mail_parser::{Message, MessageParser, MessagePart, MimeHeaders, PartType};
use shared::messages::{MailFate, MailReport};
use shared::smtp_reply::Reply;
use uuid::Uuid;

/// Headers that name the address at which a report has arrived.
const ARRIVED_AT: [&str; 3] = ["Delivered-To", "X-Original-To", "To"];

/// Reads a mail that came back; the rest of a long one may be missing. None of a mail that says nothing about delivery, such as an absence
/// notice, or nothing about a mail of ours.
pub fn read(mail: &[u8]) -> Option<MailReport> {
    let message = MessageParser::default().parse(mail)?;
    let parts = parts(&message);
    if is_without_status(&message, &parts) {
        return addressed(&message).map(|mail_id| MailReport::bounced(mail_id, None));
    }
    let other_side = message.header_raw("X-Failed-Recipients").map(|value| value.trim().to_lowercase());
    let verdict = parts
        .into_iter()
        .filter_map(|part| verdict(part, other_side.as_deref()))
        .max_by_key(Verdict::rank)?;
    let mail_id = addressed(&message).or_else(|| returned(&message))?;
    Some(match verdict {
        Verdict::Delayed => MailReport::on_its_way(mail_id, MailFate::Deferred),
        Verdict::Failed { reply, is_of_alias } => {
            let bounced = MailReport::bounced(mail_id, reply);
            MailReport { is_final: bounced.is_final && !is_of_alias, ..bounced }
        }
        Verdict::Complained => MailReport::complained(mail_id),
    })
}

/// True of the reports of old servers, which are texts from the server itself. Answers of machines and warnings of a delay are texts, too.
fn is_without_status(message: &Message<'_>, parts: &[&MessagePart<'_>]) -> bool {
    let name = message.from().and_then(|from| from.first()?.address()?.split('@').next());
    let is_from_server = name
        .is_some_and(|name| ["mailer-daemon", "postmaster"].iter().any(|own| name.eq_ignore_ascii_case(own)));
    let is_answer =
        ["Auto-Submitted", "X-Autoreply", "X-Autorespond"].iter().any(|name| message.header(*name).is_some());
    let subject = message.subject().unwrap_or_default().to_lowercase();
    let is_warning = ["delay", "warning"].iter().any(|word| subject.contains(word));
    is_from_server
        && !is_answer
        && !is_warning
        && !parts.iter().any(|part| is_status(part) || is_complaint(part))
}

/// What a part of a report says.
enum Verdict {
    Delayed,
    Failed {
        reply: Option<Reply>,
        /// True if the address is an alias, which exists whatever became of its members.
        is_of_alias: bool,
    },
    Complained,
}

impl Verdict {
    /// A report about several recipients, of an alias, says the worst of them.
    fn rank(&self) -> (u8, bool) {
        match self {
            Self::Delayed => (0, false),
            Self::Failed { reply, .. } => (1, reply.is_some()),
            Self::Complained => (2, false),
        }
    }
}

/// All parts of a message, those of messages within it included.
fn parts<'a>(message: &'a Message<'a>) -> Vec<&'a MessagePart<'a>> {
    message
        .parts
        .iter()
        .flat_map(|part| match &part.body {
            PartType::Message(within) => parts(within),
            _ => vec![part],
        })
        .collect()
}

/// Returns whether a part has one of these types below `message` or `text`.
fn is_of(part: &MessagePart<'_>, kinds: &[&str]) -> bool {
    let kind = part.content_type().and_then(|kind| kind.subtype());
    kind.is_some_and(|kind| kinds.iter().any(|one| one.eq_ignore_ascii_case(kind)))
}

fn is_status(part: &MessagePart<'_>) -> bool {
    is_of(part, &["delivery-status", "global-delivery-status"])
}

fn is_complaint(part: &MessagePart<'_>) -> bool {
    is_of(part, &["feedback-report"])
}

/// `other_side`: what Exim calls the recipients, on the other side of an alias.
fn verdict(part: &MessagePart<'_>, other_side: Option<&str>) -> Option<Verdict> {
    let groups = groups(&String::from_utf8_lossy(part.contents()));
    if is_status(part) {
        let recipients: Vec<&Fields> =
            groups.iter().filter(|fields| field(fields, "action").is_some()).collect();
        let worst =
            recipients.iter().filter_map(|fields| recipient(fields, other_side)).max_by_key(Verdict::rank)?;
        return Some(match worst {
            Verdict::Failed { reply, is_of_alias } => {
                Verdict::Failed { reply, is_of_alias: is_of_alias || recipients.len() > 1 }
            }
            other => other,
        });
    }
    let is_abuse = |fields: &Fields| {
        field(fields, "feedback-type").is_some_and(|kind| kind.eq_ignore_ascii_case("abuse"))
    };
    (is_complaint(part) && groups.iter().any(is_abuse)).then_some(Verdict::Complained)
}

/// What a report says of one recipient. The action decides: what is given up has failed, also after a reply that is called temporary. The
/// reply itself says more than the report's own status.
fn recipient(fields: &[(String, String)], other_side: Option<&str>) -> Option<Verdict> {
    let action = field(fields, "action")?;
    let action = action.split(['(', ' ', ';']).next().unwrap_or_default().to_ascii_lowercase();
    let reply = || {
        let codes = iter::once(field(fields, "diagnostic-code")).chain([field(fields, "status")]).flatten();
        codes.filter_map(Reply::read).next()
    };
    match action.as_str() {
        "failed" => Some(Verdict::Failed { reply: reply(), is_of_alias: is_of_alias(fields, other_side) }),
        "delayed" => Some(Verdict::Delayed),
        // Handed on, which does not say that it has arrived.
        _ => None,
    }
}

/// Postfix names the address on this side of an alias as the original one, sendmail that on the other side as the actual one.
fn is_of_alias(fields: &[(String, String)], other_side: Option<&str>) -> bool {
    let address = |name| {
        let value = field(fields, name)?;
        let (_, address) = value.rsplit_once(';').unwrap_or(("", value));
        Some(address.trim().trim_matches(['<', '>']).to_ascii_lowercase())
    };
    let last = address("final-recipient");
    let others =
        [address("original-recipient"), address("x-actual-recipient"), other_side.map(str::to_owned)];
    others.into_iter().flatten().any(|other| last.as_ref().is_some_and(|last| *last != other))
}

type Fields = Vec<(String, String)>;

/// The groups of fields that empty lines separate, with names in lower case and values on one line.
fn groups(content: &str) -> Vec<Fields> {
    let mut groups = vec![Fields::new()];
    for line in content.lines() {
        let Some(group) = groups.last_mut() else { break };
        if line.trim().is_empty() {
            groups.push(Fields::new());
        } else if line.starts_with([' ', '\t']) {
            let Some((_, value)) = group.last_mut() else { continue };
            value.push(' ');
            value.push_str(line.trim());
        } else if let Some((name, value)) = line.split_once(':') {
            group.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    groups
}

fn field<'a>(fields: &'a [(String, String)], name: &str) -> Option<&'a str> {
    fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
}

/// The id in the address at which the report has arrived.
fn addressed(message: &Message<'_>) -> Option<Uuid> {
    let values =
        message.headers_raw().filter(|(name, _)| ARRIVED_AT.iter().any(|at| at.eq_ignore_ascii_case(name)));
    values.map(|(_, value)| value).flat_map(|value| value.split(['<', '>', ',', ' '])).find_map(|address| {
        let (_, tag) = address.trim().split_once('@')?.0.rsplit_once('+')?;
        (tag.len() == 32).then(|| Uuid::try_parse(tag).ok())?
    })
}

/// The id in the Message-ID of what the report returns: the mail, or its header alone.
fn returned(message: &Message<'_>) -> Option<Uuid> {
    message.parts.iter().skip(1).find_map(|part| match &part.body {
        PartType::Message(within) => own(within).or_else(|| returned(within)),
        _ if is_of(part, &["rfc822-headers", "global-headers"]) => {
            // The library reads a header to the empty line after it.
            let header = [part.contents(), b"\r\n\r\n"].concat();
            own(&MessageParser::default().parse(&header)?)
        }
        _ => None,
    })
}

fn own(message: &Message<'_>) -> Option<Uuid> {
    Uuid::try_parse(message.message_id()?.split_once('@')?.0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0198c0de-0000-7000-8000-00000000000a";
    const OWN: &str = "bounces+0198c0de00007000800000000000000a@store.test";

    /// A report with these parts, each a type and its content.
    fn report(to: &str, parts: &[(&str, &str)]) -> Vec<u8> {
        let parts: String =
            parts.iter().map(|(kind, content)| format!("--b\nContent-Type: {kind}\n\n{content}\n")).collect();
        let header = format!("From: MAILER-DAEMON@mx.test\nTo: {to}\nMIME-Version: 1.0\n");
        format!("{header}Content-Type: multipart/report; boundary=b\n\n{parts}--b--\n")
            .replace('\n', "\r\n")
            .into()
    }

    fn bounced(quoted: Option<&str>) -> Option<MailReport> {
        Some(MailReport::bounced(ID.parse().unwrap(), quoted.and_then(Reply::read)))
    }

    /// What servers write of a mail that was not taken, as they were seen in November 2026.
    #[test]
    fn the_reports_of_four_servers_are_read() {
        const STATUS: &str = "message/delivery-status";
        let postfix = "Reporting-MTA: dns; mx.test\n\nFinal-Recipient: rfc822; ada@example.com\nOriginal-Recipient: rfc822;ada@example.com\n\
            Action: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 <ada@example.com>: Recipient address\n    rejected: User unknown\n";
        let own_reason = "Reporting-MTA: dns; mx.test\n\nFinal-Recipient: rfc822; ada@example.com\nAction: failed\nStatus: 5.3.4\n\
            Diagnostic-Code: X-Postfix; message size 9 exceeds size limit 8\n";
        let exim = "Reporting-MTA: dns; mx.test\n\nAction: failed\nFinal-Recipient: rfc822;ada@example.com\nStatus: 5.0.0\n\
            Remote-MTA: dns; other.test\nDiagnostic-Code: smtp; 552 5.2.2 full\n";
        let opensmtpd = "Reporting-MTA: dns; mx.test\n\nFinal-Recipient: rfc822; ada@example.com\nAction: failed\nStatus: 5.0.0\n";
        let sendmail = "Reporting-MTA: dns; mx.test\n\nFinal-Recipient: RFC822; ada@example.com\nAction: failed (given up)\n\
            Status: 4.4.7\nDiagnostic-Code: SMTP; 452 4.2.2 full\n";
        for (status, quoted) in [
            (postfix, Some("550 5.1.1")),
            (own_reason, Some("5.3.4")),
            (exim, Some("552 5.2.2")),
            (opensmtpd, Some("5.0.0")),
            (sendmail, Some("452 4.2.2")),
        ] {
            assert_eq!(
                read(&report(OWN, &[("text/plain", "Hello"), (STATUS, status)])),
                bounced(quoted),
                "{status}"
            );
        }
        let global = [("message/global-delivery-status", "a: b\n\nAction: FAILED\nStatus: 5.1.1\n")];
        assert_eq!(read(&report(&OWN.to_uppercase(), &global)), bounced(Some("5.1.1")));
        // The worst of two recipients of an alias.
        let two = "a: b\n\nAction: delayed\nStatus: 4.0.0\n\nAction: failed\nStatus: 5.1.1\n";
        let in_part = bounced(Some("5.1.1")).map(|report| MailReport { is_final: false, ..report });
        assert_eq!(read(&report(OWN, &[(STATUS, two)])), in_part);
        for other_side in
            ["Original-Recipient: rfc822;office@example.com", "X-Actual-Recipient: RFC822; eve@example.com"]
        {
            let one = format!(
                "a: b\n\nFinal-Recipient: rfc822; ada@example.com\n{other_side}\nAction: failed\nStatus: 5.1.1\n"
            );
            assert_eq!(read(&report(OWN, &[(STATUS, &one)])), in_part, "{other_side}");
        }
        let exim = report(
            OWN,
            &[(
                STATUS,
                "a: b\n\nAction: failed\nFinal-Recipient: rfc822;office@example.com\nStatus: 5.1.1\n",
            )],
        );
        let alias = [b"X-Failed-Recipients: ada@example.com\r\n", &exim[..]].concat();
        assert_eq!((read(&exim), read(&alias)), (bounced(Some("5.1.1")), in_part));
        let warned = MailReport::on_its_way(ID.parse().unwrap(), MailFate::Deferred);
        let delayed = [(STATUS, "a: b\n\nAction: delayed\nStatus: 4.4.1\n")];
        assert_eq!(read(&report(OWN, &delayed)), Some(warned));
    }

    #[test]
    fn a_mail_is_known_by_what_is_returned_of_it_and_never_by_an_address() {
        let status = ("message/delivery-status", "a: b\n\nAction: failed\nStatus: 5.1.1\n");
        let header = format!("Subject: Hello\nMessage-ID: <{ID}@store.test>\nTo: ada@example.com");
        let mail = format!("{header}\n\nHello\n");
        for returned in [("text/rfc822-headers", header.as_str()), ("message/rfc822", mail.as_str())] {
            let report = report("no-reply@store.test", &[status, returned]);
            assert_eq!(read(&report), bounced(Some("5.1.1")), "{}", returned.0);
        }
        let foreign =
            ("text/rfc822-headers", "Subject: Hello\nMessage-ID: <1@other.test>\nTo: ada@example.com");
        assert_eq!(read(&report("no-reply@store.test", &[status, foreign])), None);
    }

    #[test]
    fn a_complaint_is_read_and_what_is_no_report_is_none() {
        let complaint = [
            ("message/feedback-report", "Feedback-Type: abuse\nUser-Agent: x/1\nVersion: 1\n"),
            ("message/rfc822", &format!("Message-ID: <{ID}@store.test>\n\nHello\n")),
        ];
        let told = MailReport::complained(ID.parse().unwrap());
        assert_eq!(read(&report("abuse@store.test", &complaint)), Some(told));
        let relayed = ("message/delivery-status", "a: b\n\nAction: relayed\nStatus: 2.0.0\n");
        let away = b"From: Ada <ada@example.com>\r\nTo: bounces@store.test\r\n\r\nI am away.\r\n".to_vec();
        for other in [report(OWN, &[relayed]), away, Vec::new()] {
            assert_eq!(read(&other), None);
        }
        let absent =
            [b"Auto-Submitted: auto-replied (vacation)\r\n", &report(OWN, &[("text/plain", "Away")])[..]]
                .concat();
        assert_eq!(read(&absent), None);
        // An old server's text tells no more than that the mail came back.
        assert_eq!(
            read(&report(OWN, &[("text/plain", "Sorry, no mailbox here by that name.")])),
            bounced(None)
        );
    }
}
