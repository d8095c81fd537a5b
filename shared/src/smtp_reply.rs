//! Replies of mail servers: which of them are about the mail or its recipient, and which addresses do not exist.

use std::fmt;

/// The codes of a reply: its own, and the enhanced one (RFC 3463) if the text begins with one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// None in a report that has the enhanced code alone.
    code: Option<u16>,
    /// Class, subject and detail.
    enhanced: Option<(u16, u16, u16)>,
}

impl Reply {
    /// The codes of a reply with this code and text.
    pub fn of(code: u16, text: &str) -> Self {
        Self { code: Some(code), enhanced: enhanced(text).filter(|(class, ..)| *class == code / 100) }
    }

    /// Reads the codes of a reply as reports quote it: `smtp; 550 5.1.1 <ada@example.com>: unknown`, `550-5.1.1 unknown` or `5.1.1`.
    /// None without a code.
    pub fn read(quoted: &str) -> Option<Self> {
        let words = match quoted.split_once(';') {
            Some((kind, words)) if !kind.trim().contains(' ') => words,
            _ => quoted,
        };
        let words = words.trim();
        let (first, rest) = words.split_at(words.find([' ', '-']).unwrap_or(words.len()));
        let is_code = first.len() == 3 && first.starts_with(['2', '4', '5']);
        match first.parse() {
            Ok(code) if is_code => Some(Self::of(code, &rest[rest.len().min(1)..])),
            _ => enhanced(words).map(|enhanced| Self { code: None, enhanced: Some(enhanced) }),
        }
    }

    /// True if no retry of this mail to this recipient can succeed. What a server refuses for a reason of its own, for the sender's
    /// or for a limit's sake says nothing about the mail, whatever its code calls permanent. The subjects and details are those of
    /// IANA's registry *SMTP Enhanced Status Codes*.
    pub fn is_of_mail(self) -> bool {
        match (self.code, self.enhanced) {
            (Some(..500 | 600..), _) | (None, None | Some((..5, ..))) => false,
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
            (Some(550 | 551 | 552 | 556), _) => true,
            _ => false,
        }
    }

    /// True if no mail can ever reach the address. A full mailbox, a mail that is too large and a policy say nothing about the next mail, nor
    /// does a code without a subject, or one that can pass, such as Gmail's 4.2.1 for an address that gets too many mails.
    pub fn is_of_address(self) -> bool {
        self.code.is_none_or(|code| code >= 500)
            && matches!(self.enhanced, Some((5, 1, 1 | 2 | 3 | 10) | (5, 2, 1)))
    }

    /// True if the enhanced code says what the reply is about.
    pub fn is_specific(self) -> bool {
        self.enhanced.is_some_and(|(_, subject, _)| subject != 0)
    }

    /// The reply with the enhanced code that a report names beside it, if its own text has none.
    pub fn beside(self, named: Option<&str>) -> Self {
        let named = named.and_then(Self::read).and_then(|named| named.enhanced);
        let fitting = named.filter(|(class, ..)| self.code.is_none_or(|code| *class == code / 100));
        Self { enhanced: self.enhanced.or(fitting), ..self }
    }

    /// What the codes mean, and the codes.
    pub fn explained(self) -> String {
        let meaning = match self.enhanced {
            _ if self.is_of_address() => "the address does not exist",
            Some((4, 1 | 2, 1)) => "the mailbox takes no mails at present",
            Some((_, 2, 2)) => "the mailbox is full",
            Some((_, 3, 4)) => "the mail is too large",
            Some((_, 4, 7)) => "no server has taken it in time",
            Some((_, 7, _)) => "the recipient's server refuses it by its policy",
            _ => "the recipient's server refuses it",
        };
        format!("{meaning} ({self})")
    }
}

/// The codes alone, as they stand in logs.
impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = self.code.map(|code| code.to_string());
        let enhanced = self.enhanced.map(|(class, subject, detail)| format!("{class}.{subject}.{detail}"));
        let codes: Vec<String> = code.into_iter().chain(enhanced).collect();
        f.write_str(&codes.join(" "))
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
            assert_eq!(Reply::of(code, text).is_of_mail(), is_final, "{code} {text}");
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
            assert_eq!(Reply::of(code, text).to_string(), told, "{text}");
        }
    }

    /// As Postfix, Exim, sendmail, Amazon SES and Mailgun quote them in reports.
    #[test]
    fn a_quoted_reply_is_read_and_only_what_is_said_of_the_address_ends_all_mails_to_it() {
        for (quoted, codes, is_of_address) in [
            (
                "smtp; 550 5.1.1 <gone@example.com>: Recipient address rejected: User unknown",
                "550 5.1.1",
                true,
            ),
            ("SMTP; 550-5.1.1 The email account that you tried to reach does not exist.", "550 5.1.1", true),
            ("smtp; 556 5.1.10 Recipient address has null MX", "556 5.1.10", true),
            ("550 5.2.1 The email account that you tried to reach is disabled", "550 5.2.1", true),
            ("5.1.1", "5.1.1", true),
            ("smtp; 550 Unrouteable address", "550", false),
            ("smtp; 552 5.2.2 Mailbox full", "552 5.2.2", false),
            ("smtp; 550 5.7.26 unauthenticated", "550 5.7.26", false),
            ("4.4.7", "4.4.7", false),
            (
                "smtp; 450-4.2.1 The user you are trying to contact is receiving mail at a rate",
                "450 4.2.1",
                false,
            ),
            ("smtp; 450 4.1.1 <ada@example.com>: unverified address", "450 4.1.1", false),
        ] {
            let reply = Reply::read(quoted).unwrap();
            assert_eq!(
                (reply.to_string().as_str(), reply.is_of_address()),
                (codes, is_of_address),
                "{quoted}"
            );
            assert_eq!(reply.explained().contains("does not exist"), is_of_address, "{quoted}");
        }
        let unnamed = Reply::of(550, "No such user here");
        assert!(
            unnamed.beside(Some("5.1.1")).is_of_address() && !unnamed.beside(Some("4.1.1")).is_of_address()
        );
        assert!(!Reply::of(550, "5.7.1 spam").beside(Some("5.1.1")).is_of_address());
        for nothing in
            ["", "X-Postfix; message size 1 exceeds size limit", "smtp; unknown", "5", "5.1", "700 5.x"]
        {
            assert_eq!(Reply::read(nothing), None, "{nothing}");
        }
    }
}
