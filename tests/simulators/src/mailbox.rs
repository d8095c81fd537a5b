//! The mails on `GET /_sim/`, as a mail client shows them: a list, and one of them with its sender and its parts.

use std::fmt::{self, Display, Formatter};

use super::{
    mail::Email,
    page::{Escaped, push},
    state::seconds,
};

/// The most mails in the list.
const LISTED: usize = 100;

/// The mail to show and how, from the query.
pub(super) struct View {
    /// Its number, in the order of arrival; None: the newest.
    mail: Option<usize>,
    as_text: bool,
    is_wide: bool,
}

impl View {
    pub fn new(given: impl Fn(&str) -> Option<String>) -> Self {
        Self {
            mail: given("mail").and_then(|number| number.parse().ok()),
            as_text: given("as").as_deref() == Some("text"),
            is_wide: given("width").as_deref() == Some("wide"),
        }
    }
}

/// A link to a mail, as it is or shown in another way.
struct Link {
    number: usize,
    as_text: bool,
    is_wide: bool,
}

impl Display for Link {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (part, width) = (
            if self.as_text { "&amp;as=text" } else { "" },
            if self.is_wide { "&amp;width=wide" } else { "" },
        );
        write!(f, "/_sim/?mail={}{part}{width}#mail", self.number)
    }
}

/// `is_reported`: a mail can be let come back.
pub(super) fn show(page: &mut String, emails: &[Email], view: &View, is_reported: bool) {
    let number = view.mail.unwrap_or_else(|| emails.len().saturating_sub(1));
    let open = if view.mail.is_some() { " open" } else { "" };
    push(page, format_args!("<section class=\"mailbox{open}\" id=\"mail\" aria-label=\"Mails\">\n"));
    if emails.is_empty() {
        page.push_str("<p class=\"soft\">No mail yet. Whatever the storefront sends arrives here.</p>\n");
    } else {
        list(page, emails, number, view);
    }
    if let Some(email) = emails.get(number) {
        mail(page, email, number, view, is_reported);
    }
    page.push_str("</section>\n");
}

fn list(page: &mut String, emails: &[Email], shown: usize, view: &View) {
    page.push_str("<ol>\n");
    for (number, email) in emails.iter().enumerate().rev().take(LISTED) {
        let link = Link { number, as_text: view.as_text, is_wide: view.is_wide };
        let current = if number == shown { " aria-current=\"true\"" } else { "" };
        let (name, time) = (Escaped(sender(email).0), email.received_at.format("%H:%M"));
        let (subject, to) = (Escaped(&email.subject), Escaped(&email.to));
        push(
            page,
            format_args!(
                "<li><a href=\"{link}\"{current}><strong>{name}</strong><time datetime=\"{}\">{time}</time>\
                 <span class=\"subject\" dir=\"auto\">{subject}</span><span class=\"soft\">to {to}</span></a></li>\n",
                seconds(email.received_at)
            ),
        );
    }
    page.push_str("</ol>\n");
}

/// The sender's name and address; a name alone stands for both.
fn sender(email: &Email) -> (&str, &str) {
    match &email.from {
        Some((name, address)) if !name.is_empty() => (name, address),
        Some((_, address)) => (address, address),
        None => ("unknown sender", ""),
    }
}

fn mail(page: &mut String, email: &Email, number: usize, view: &View, is_reported: bool) {
    let (name, address) = sender(email);
    let initial = name.chars().next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    push(
        page,
        format_args!(
            "<article class=\"mail\">\n<p class=\"back\"><a href=\"/_sim/#mail\">All mails</a></p>\n\
             <h2 dir=\"auto\">{}</h2>\n<div class=\"who\"><i aria-hidden=\"true\">{}</i>\
             <div><strong>{}</strong><small>{}</small><small>to {}</small></div><time>{}</time></div>\n",
            Escaped(&email.subject),
            Escaped(&initial),
            Escaped(name),
            Escaped(address),
            Escaped(&email.to),
            email.received_at.format("%-d %b %Y, %H:%M"),
        ),
    );
    let as_text = view.as_text && email.text.is_some() || email.html.is_none();
    switches(page, email, &Link { number, as_text, is_wide: view.is_wide }, is_reported);
    body(page, email, as_text, view.is_wide);
    page.push_str("</article>\n");
}

/// The switches between the parts and the widths, the attachments, and what lets the mail come back.
fn switches(page: &mut String, email: &Email, shown: &Link, is_reported: bool) {
    page.push_str("<ul class=\"tools\">\n");
    let number = shown.number;
    let mut entry = |label: &str, link: Link| {
        let is_current = (link.as_text, link.is_wide) == (shown.as_text, shown.is_wide);
        let current = if is_current { " aria-current=\"true\"" } else { "" };
        push(page, format_args!("<li><a href=\"{link}\"{current}>{label}</a></li>\n"));
    };
    if email.html.is_some() {
        entry("On a phone", Link { number, as_text: false, is_wide: false });
        entry("Wide", Link { number, as_text: false, is_wide: true });
    }
    if email.text.is_some() {
        entry("Text part", Link { number, as_text: true, is_wide: shown.is_wide });
    }
    for (position, attachment) in email.attachments.iter().enumerate() {
        let name = Escaped(&attachment.name);
        push(page, format_args!("<li><a href=\"/_sim/mails/{number}/{position}\">📎 {name}</a></li>\n"));
    }
    if is_reported {
        push(
            page,
            format_args!(
                "<li><form method=\"post\" action=\"/_sim/mails/{number}/bounce\"><button>Let it come back</button></form></li>\n"
            ),
        );
    }
    page.push_str("</ul>\n");
}

fn body(page: &mut String, email: &Email, as_text: bool, is_wide: bool) {
    match (&email.html, &email.text) {
        (Some(html), _) if !as_text => {
            // Sandboxed: a mail's HTML can be shown and its links opened, but no script runs.
            let html = format!("<base target=\"_blank\">{html}");
            let class = if is_wide { "wide" } else { "phone" };
            push(
                page,
                format_args!(
                    "<div class=\"{class}\"><iframe title=\"The mail\" sandbox=\"allow-popups allow-popups-to-escape-sandbox\" \
                     srcdoc=\"{}\"></iframe></div>\n",
                    Escaped(&html)
                ),
            );
        }
        (_, Some(text)) => push(page, format_args!("<pre dir=\"auto\">{}</pre>\n", Escaped(text))),
        (_, None) => page.push_str("<p class=\"soft\">It has no text.</p>\n"),
    }
}
