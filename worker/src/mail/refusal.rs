//! Refusals of a mail server: whether one is of the mail and its recipient, or of all that we send.

use std::fmt;

/// The codes of a refusal: the reply's, and the enhanced one (RFC 3463) if the text begins with one.
#[derive(Clone, Copy)]
pub struct Refusal {
    code: u16,
    /// Class, subject and detail.
    enhanced: Option<(u16, u16, u16)>,
}

impl Refusal {
    pub fn of(code: u16, text: &str) -> Self {
        Self { code, enhanced: enhanced(text).filter(|(class, ..)| *class == code / 100) }
    }

    /// True if no retry of this mail to this recipient can succeed. What a server refuses for a reason of its own, for the sender's
    /// or for a limit's sake says nothing about the mail, whatever its code calls permanent. The subjects and details are those of
    /// IANA's registry *SMTP Enhanced Status Codes*.
    pub fn is_of_mail(self) -> bool {
        match (self.code, self.enhanced) {
            (..500 | 600.., _) => false,
            // The sender's address; unlike all other addresses, which are recipients'.
            (_, Some((_, 1, 7 | 8))) => false,
            // Addresses, mailboxes, and what the mail is made of.
            (_, Some((_, 1 | 2 | 6, _))) => true,
            // Too large for the server. Other failures of a server are its own.
            (_, Some((_, 3, detail))) => detail == 4,
            // No way to the recipient's server. 5.4.5 is congestion, and a sender's daily limit.
            (_, Some((_, 4, detail))) => detail != 5,
            // Undefined, as large providers refuse an unknown mailbox. The others are faults of the conversation.
            (_, Some((_, 5, detail))) => detail == 0,
            // A policy: lists of senders, signatures, rates, and sometimes the content.
            (_, Some((_, 7, _))) => false,
            // Without a subject. 553 and 554 are also what a server answers to every sender, or to the connection itself.
            (550 | 551 | 552 | 556, _) => true,
            _ => false,
        }
    }
}

/// The codes alone, as they stand in logs.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.code)?;
        match self.enhanced {
            Some((class, subject, detail)) => write!(f, " {class}.{subject}.{detail}"),
            None => Ok(()),
        }
    }
}

/// The enhanced code at the beginning of a reply's text.
fn enhanced(text: &str) -> Option<(u16, u16, u16)> {
    let mut numbers = text.split_whitespace().next()?.split('.').map(|number| number.parse().ok());
    let code = (numbers.next()??, numbers.next()??, numbers.next()??);
    numbers.next().is_none().then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Replies as real servers send them; those of Debian's Postfix 3.7.11, Exim 4.96 and Dovecot 2.3.19 were seen.
    const REPLIES: [(u16, &str, bool); 24] = [
        // Recipients and mailboxes.
        (
            550,
            "5.1.1 <gone@example.com>: Recipient address rejected: User unknown in local recipient table",
            true,
        ), // Postfix
        (550, "Unrouteable address", true), // Exim
        (550, "5.4.1 Recipient address rejected: Access denied.", true), // Exchange Online, unknown recipient
        (550, "5.5.0 Requested action not taken: mailbox unavailable", true), // Outlook.com
        (550, "5.2.1 The email account that you tried to reach is disabled.", true), // Gmail
        (552, "5.2.2 <full@example.com> Quota exceeded (mailbox for user is full)", true), // Dovecot
        (556, "5.1.10 Recipient address has null MX", true), // RFC 7505
        // The mail.
        (552, "5.3.4 Message size exceeds fixed limit", true), // Postfix
        (554, "5.6.0 Message content rejected", true),         // Postfix
        (552, "message too large", true),                      // Exim
        // The server, or the address that it is called from.
        (554, "5.7.1 Service unavailable; Client host [192.0.2.1] blocked using a list", false), // Postfix, rejected at the greeting or RCPT
        (554, "No SMTP service here", false), // RFC 5321, greeting
        (521, "mail.example.com does not accept mail from you", false), // RFC 7504
        (554, "5.3.2 System not accepting network messages", false), // RFC 3463
        // The sender.
        (553, "sender address rejected", false), // at MAIL FROM
        (553, "5.1.8 <no-reply@example.com>: Sender address rejected: Domain not found", false),
        (550, "5.1.7 <no-reply@>: Sender address rejected", false),
        (550, "5.7.26 This mail has been blocked because the sender is unauthenticated.", false), // Gmail
        (550, "5.7.1 Relaying denied", false),
        // A limit.
        (550, "5.4.5 Daily user sending limit exceeded.", false), // Gmail
        (554, "5.7.0 Too many messages in this hour", false),
        // The conversation.
        (503, "5.5.1 Error: need RCPT command", false), // Postfix
        // What can pass.
        (452, "4.2.2 Mailbox full", false),
        (451, "4.7.1 Greylisted, try again in 300 seconds", false),
    ];

    #[test]
    fn only_what_is_said_of_the_mail_or_its_recipient_is_final() {
        for (code, text, is_final) in REPLIES {
            assert_eq!(Refusal::of(code, text).is_of_mail(), is_final, "{code} {text}");
        }
    }

    #[test]
    fn a_refusal_is_told_by_its_codes_alone() {
        for (code, text, told) in [
            (550, "5.1.1 <ada@example.com>: unknown", "550 5.1.1"),
            (550, "ada@example.com is unknown", "550"),
            (550, "5.1 ada@example.com", "550"),
            (550, "5.1.1.1 no code", "550"),
            // A code of another class contradicts the reply, which decides.
            (550, "4.2.1 try again", "550"),
            (550, "", "550"),
        ] {
            assert_eq!(Refusal::of(code, text).to_string(), told, "{text}");
        }
    }
}
