//! A mail in the words of its reader, as blocks that the layout shows as HTML and as text; and what several kinds of mail say.

use chrono::NaiveDate;
use serde::Serialize;
use shared::messages::{PaymentDue, Receipt};
use shared::money::Money;
use shared::transfer_code;
use shared::withdrawal::{Agreed, Kind};
use store::model::seller::Contact;
use store::plumbing::mails::Beginning;
use texts::{Localizer, Value};

use super::picture;

/// Content of a mail. All of it is plain text.
#[derive(Debug, Serialize)]
pub struct Letter {
    pub subject: String,
    /// The first line: what the mail is about.
    pub heading: String,
    pub blocks: Vec<Block>,
    /// The courses whose beginning the mail tells, and its calendar file has.
    #[serde(skip)]
    pub beginnings: Vec<Beginning>,
    /// Why the reader got the mail.
    pub reason: String,
    /// Address at which the organisation is reached, if it has one for that.
    pub contact: Option<String>,
    /// The organisation's legal name and postal address, if it is a seller.
    pub address: Option<String>,
    /// The organisation's name.
    pub organisation: String,
}

/// A part of a mail.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum Block {
    Text(String),
    Muted(String),
    List(Vec<String>),
    /// What a person says to the reader, in lines of any language.
    Quote(Vec<String>),
    Sums(Vec<Row>),
    /// Something to copy.
    Code(String),
    /// The code of a bank transfer as PNG, and what the reader does with it. Only in the HTML: the text lists the account.
    TransferCode(Picture),
    Link(Link),
    /// Next step of the reader. A mail has at most one.
    Button(Link),
}

/// A line of a table of amounts.
#[derive(Debug, Serialize)]
pub struct Row {
    name: String,
    amount: String,
    weight: Option<Weight>,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Weight {
    Sum,
    Total,
    Muted,
}

/// A picture that a mail brings along.
#[derive(Debug, Serialize)]
pub struct Picture {
    pub caption: String,
    #[serde(skip)]
    pub png: Vec<u8>,
}

/// A place that a mail leads to.
#[derive(Debug, Serialize)]
pub struct Link {
    pub text: String,
    pub url: String,
}

/// An invoice or a credit note that goes with a mail.
pub struct Attached {
    pub number: String,
    pub url: String,
}

/// Writes the mails of one organisation to one reader. Days and times are the organisation's.
pub struct Writer<'a> {
    pub to: &'a Localizer<'a>,
    /// Its name.
    pub organisation: &'a str,
    /// None if it has no record as a seller.
    pub contact: Option<&'a Contact>,
}

impl Letter {
    /// The picture that the letter shows.
    pub fn picture(&self) -> Option<&Picture> {
        self.blocks
            .iter()
            .find_map(|block| if let Block::TransferCode(picture) = block { Some(picture) } else { None })
    }
}

impl Writer<'_> {
    pub(super) fn letter(&self, subject: &str, heading: String, blocks: Vec<Block>) -> Letter {
        Letter {
            subject: self.text(subject, &[]),
            heading,
            blocks,
            beginnings: Vec::new(),
            reason: self.text("mail-reason", &[]),
            contact: self
                .contact
                .and_then(|contact| contact.email.as_ref())
                .map(|email| self.text("mail-contact", &[("email", email.as_str().into())])),
            address: self.contact.map(|contact| {
                let country = self.to.country(&contact.country.to_string());
                self.to.isolated(&contact.clone().lines(country).join(", "))
            }),
            organisation: self.to.isolated(self.organisation),
        }
    }

    /// A message, which may name the organisation.
    pub(super) fn text(&self, key: &str, values: &[(&str, Value<'_>)]) -> String {
        let mut all = vec![("organisation", self.organisation.into())];
        all.extend(values.iter().map(|(name, value)| (*name, value.clone())));
        self.to.message(key, &all)
    }

    pub(super) fn money(&self, amount: Money) -> String {
        self.to.money(amount.major(), amount.currency().code())
    }

    pub(super) fn row(&self, name: String, amount: Money, weight: Option<Weight>) -> Row {
        Row { name: self.to.isolated(&name), amount: self.to.isolated(&self.money(amount)), weight }
    }

    /// Lists names and other texts that are not of the reader's language.
    pub(super) fn list(&self, texts: &[String]) -> Block {
        Block::List(texts.iter().map(|text| self.to.isolated(text)).collect())
    }

    /// The lines of a purchase, its tax and its total.
    pub(super) fn charged(&self, receipt: &Receipt) -> Vec<Row> {
        let seats = receipt.seats.iter().copied().chain(std::iter::repeat(None));
        let line = |((name, price), seats): (&(String, Money), Option<i32>)| {
            let name = match seats {
                None => name.clone(),
                Some(seats) => {
                    let values = [("item", name.as_str().into()), ("seats", seats.into())];
                    self.text("item-seats", &values)
                }
            };
            self.row(name, *price, None)
        };
        let mut rows: Vec<Row> = receipt.items.iter().zip(seats).map(line).collect();
        let tax =
            |key, weight| receipt.tax.map(|tax| self.row(self.text(key, &[]), tax.amount, Some(weight)));
        let is_on_top = receipt.tax.is_some_and(|tax| !tax.is_included);
        rows.extend(tax("order-tax", Weight::Sum).filter(|_| is_on_top));
        rows.push(self.row(self.text("order-total", &[]), receipt.total, Some(Weight::Total)));
        rows.extend(tax("order-tax-included", Weight::Muted).filter(|_| !is_on_top));
        rows
    }

    /// Writes how and until when what is still open is to be paid.
    pub(super) fn due(&self, due: &PaymentDue, total: Money) -> Vec<Block> {
        let open = due.open.unwrap_or(total);
        let values = [
            ("amount", self.money(open).into()),
            ("date", self.to.date(due.due_on).into()),
            ("reference", due.reference.as_str().into()),
        ];
        let code =
            transfer_code::of(&due.bank_lines, open, &due.reference).and_then(|code| picture::png(&code));
        let code =
            code.map(|png| Block::TransferCode(Picture { caption: self.text("transfer-code", &[]), png }));
        let account = [Block::Text(self.text("invoice-pay", &values)), self.list(&due.bank_lines)];
        account.into_iter().chain(code).collect()
    }

    /// Lists what the buyer has agreed to, which the law has the seller confirm.
    pub(super) fn agreed(&self, agreed: &Agreed, on: NaiveDate) -> Vec<Block> {
        let text = |key| self.text(key, &[]);
        let terms = agreed.terms_url.clone().filter(|_| agreed.terms).map(|url| {
            let text = match &agreed.terms_version {
                None => text("receipt-agreed-terms"),
                Some(version) => self.text("receipt-agreed-version", &[("version", version.as_str().into())]),
            };
            Block::Link(Link { text, url })
        });
        let loses = match agreed.kind {
            Kind::Service => "receipt-agreed-service",
            Kind::DigitalContent => "receipt-agreed-content",
        };
        let begin = agreed.begin_now.then(|| text("receipt-agreed-begin"));
        let others: Vec<String> =
            [begin, agreed.loses_right.then(|| text(loses))].into_iter().flatten().collect();
        let date = self.to.date(on);
        let mut blocks = vec![Block::Text(self.text("receipt-agreed", &[("date", date.into())]))];
        blocks.extend(terms);
        if !others.is_empty() {
            blocks.push(Block::List(others));
        }
        blocks
    }

    /// Tells when courses begin, before the letter's last words.
    pub fn beginning(&self, mut letter: Letter, beginnings: Vec<Beginning>) -> Letter {
        if beginnings.is_empty() {
            return letter;
        }
        let lines = beginnings.iter().map(|course| {
            let moment = self.to.moment(course.local);
            let values = [
                ("course", course.name.as_str().into()),
                ("moment", moment.into()),
                ("zone", course.zone.as_str().into()),
            ];
            self.text("mail-begins-at", &values)
        });
        let told = [Block::Text(self.text("mail-begins", &[])), Block::List(lines.collect())];
        let last = letter.blocks.len().saturating_sub(1);
        letter.blocks.splice(last..last, told);
        letter.beginnings = beginnings;
        letter
    }

    /// Tells how long each item gives access, before the letter's last words. `periods`: the item, its days of access, and the last day.
    pub fn periods(
        &self,
        mut letter: Letter,
        periods: &[(String, Option<i32>, Option<NaiveDate>)],
    ) -> Letter {
        let line = |(item, days, last): &(String, Option<i32>, Option<NaiveDate>)| {
            let days = days.map(|days| self.text("shop-access-days", &[("days", days.into())]));
            let last = last.map(|day| self.text("shop-access-until", &[("date", self.to.date(day).into())]));
            let told: Vec<String> = days.into_iter().chain(last).collect();
            (!told.is_empty()).then(|| format!("{}: {}", self.to.isolated(item), told.join(", ")))
        };
        let lines: Vec<String> = periods.iter().filter_map(line).collect();
        if !lines.is_empty() {
            let end = letter.blocks.len().saturating_sub(1);
            letter.blocks.insert(end, Block::List(lines));
        }
        letter
    }

    pub(super) fn order(&self, cart_id: &str) -> Block {
        Block::Muted(self.text("mail-order", &[("order", cart_id.into())]))
    }

    pub(super) fn register(&self, url: String) -> Block {
        Block::Button(Link { text: self.text("mail-create-account", &[]), url })
    }

    /// Says that a document is attached, and leads to it.
    pub(super) fn link(&self, key: &str, document: Attached) -> Block {
        let Attached { number, url } = document;
        Block::Link(Link { text: self.text(key, &[("number", number.into())]), url })
    }

    /// Says that a document is attached, and has a button that opens it.
    pub(super) fn open(&self, key: &str, button: &str, document: Attached) -> [Block; 2] {
        let Attached { number, url } = document;
        let attached = Block::Text(self.text(key, &[("number", number.into())]));
        [attached, Block::Button(Link { text: self.text(button, &[]), url })]
    }
}
