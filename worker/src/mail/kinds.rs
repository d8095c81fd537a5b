//! What each kind of mail says. The letter has its parts and what several kinds say.

use chrono::{DateTime, FixedOffset, NaiveDate};
use shared::messages::{
    AccessEnds, AccessMoved, PlaceOffered, Places, PlannedGift, Receipt, RefundIssued, SeatAssigned,
    SeatsReady, WaitingListed, WithdrawalReceived, WithdrawalRefused,
};
use shared::money::Money;
use store::model::document;
use texts::Value;

use super::letter::{Attached, Block, Letter, Link, Writer};

/// The days of a purchase at the organisation.
#[derive(Clone, Copy)]
pub struct BoughtOn {
    pub paid: NaiveDate,
    /// Day on which the buyer agreed; None if there was nothing to agree to.
    pub agreed: Option<NaiveDate>,
}

impl Writer<'_> {
    /// Confirms a purchase. `course`: the page of a course that the reader is enrolled in; `withdraw`: the page on which the buyer
    /// withdraws.
    pub fn receipt(
        &self,
        receipt: &Receipt,
        on: BoughtOn,
        attached: Option<Attached>,
        course: Option<String>,
        withdraw: Option<String>,
    ) -> Letter {
        let date = self.to.date(on.paid);
        let key = if receipt.due.is_some() { "invoice-ordered" } else { "receipt-bought" };
        let mut blocks =
            vec![Block::Text(self.text(key, &[("date", date.into())])), Block::Sums(self.charged(receipt))];
        blocks.extend(receipt.due.iter().flat_map(|due| self.due(due, receipt.total)));
        if let Some((code, discount)) = &receipt.voucher {
            let values = [("code", code.as_str().into()), ("amount", self.money(*discount).into())];
            blocks.push(Block::Muted(self.text("receipt-voucher", &values)));
        }
        let agreed = receipt.consents.iter().zip(on.agreed);
        blocks.extend(agreed.flat_map(|(agreed, on)| self.agreed(agreed, on)));
        match course {
            Some(url) => {
                blocks.push(Block::Button(Link { text: self.text("mail-open-course", &[]), url }));
                blocks.extend(attached.map(|invoice| self.link("mail-invoice-attached", invoice)));
            }
            None => {
                // An order on account may wait for its payment.
                if receipt.due.is_none() {
                    blocks.push(Block::Text(self.text("receipt-courses", &[])));
                }
                blocks.extend(
                    attached
                        .map(|invoice| self.open("mail-invoice-attached", "mail-open-invoice", invoice))
                        .into_iter()
                        .flatten(),
                );
            }
        }
        blocks.extend(withdraw.map(|url| Block::Link(Link { text: self.text("withdraw-here", &[]), url })));
        blocks.push(self.order(&receipt.cart_id.to_string()));
        let (subject, heading) = match &receipt.due {
            Some(_) => ("invoice-subject", "invoice-heading"),
            None => ("receipt-subject", "receipt-heading"),
        };
        self.letter(subject, self.text(heading, &[]), blocks)
    }

    /// Says how an order is to be paid that waits for a transfer.
    pub fn transfer(&self, ordered: &Receipt, on: NaiveDate) -> Letter {
        let date = self.to.date(on);
        let mut blocks = vec![
            Block::Text(self.text("invoice-ordered", &[("date", date.into())])),
            Block::Sums(self.charged(ordered)),
        ];
        blocks.extend(ordered.due.iter().flat_map(|due| self.due(due, ordered.total)));
        blocks.push(Block::Text(self.text("page-transfer-later", &[])));
        blocks.push(self.order(&ordered.cart_id.to_string()));
        self.letter("transfer-subject", self.text("invoice-heading", &[]), blocks)
    }

    /// Delivers a document again, whose link had ended.
    pub fn document_again(&self, cart_id: &str, kind: document::Kind, attached: Option<Attached>) -> Letter {
        let blocks = self.delivered("document-again-text", cart_id, kind, attached);
        self.letter("document-again-subject", self.text("document-again-heading", &[]), blocks)
    }

    /// Delivers the document that an earlier mail went without.
    pub fn document_follows(
        &self,
        cart_id: &str,
        kind: document::Kind,
        attached: Option<Attached>,
    ) -> Letter {
        let blocks = self.delivered("document-follows-text", cart_id, kind, attached);
        self.letter("document-follows-subject", self.text("document-follows-heading", &[]), blocks)
    }

    fn delivered(
        &self,
        text: &str,
        cart_id: &str,
        kind: document::Kind,
        attached: Option<Attached>,
    ) -> Vec<Block> {
        let (says, opens) = match kind {
            document::Kind::Invoice => ("mail-invoice-attached", "mail-open-invoice"),
            document::Kind::CreditNote => ("mail-credit-note-attached", "mail-open-credit-note"),
        };
        let mut blocks = vec![Block::Text(self.text(text, &[]))];
        blocks.extend(attached.map(|document| self.open(says, opens, document)).into_iter().flatten());
        blocks.push(self.order(cart_id));
        blocks
    }

    /// Says that an invoice was cancelled, and is not to be paid.
    pub fn invoice_cancelled(&self, cart_id: &str, attached: Option<Attached>) -> Letter {
        let mut blocks = vec![Block::Text(self.text("cancelled-text", &[]))];
        let open = |note| self.open("mail-credit-note-attached", "mail-open-credit-note", note);
        blocks.extend(attached.map(open).into_iter().flatten());
        blocks.push(self.order(cart_id));
        self.letter("cancelled-subject", self.text("cancelled-heading", &[]), blocks)
    }

    /// Gives the buyer the invoice that takes the place of another one.
    pub fn invoice_corrected(&self, cart_id: &str, attached: Option<Attached>) -> Letter {
        let mut blocks = vec![Block::Text(self.text("corrected-text", &[]))];
        let open = |invoice| self.open("mail-invoice-attached", "mail-open-invoice", invoice);
        blocks.extend(attached.map(open).into_iter().flatten());
        blocks.push(self.order(cart_id));
        self.letter("corrected-subject", self.text("corrected-heading", &[]), blocks)
    }

    /// Tells the buyer where the access of a line has gone. `course`: as of a receipt.
    pub fn access_moved(&self, moved: &AccessMoved, course: Option<String>) -> Letter {
        let values = || [("from", moved.from.as_str().into()), ("to", moved.to.as_str().into())];
        // The same course: another person has the place.
        let is_given = moved.from == moved.to;
        let key = if is_given { "moved-to-person" } else { "moved-to-course" };
        let mut blocks = vec![Block::Text(self.text(key, &values()))];
        let button = |url| Block::Button(Link { text: self.text("mail-open-course", &[]), url });
        blocks.extend(course.filter(|_| !is_given).map(button));
        blocks.push(self.order(&moved.cart_id.to_string()));
        self.letter("moved-subject", self.text("moved-heading", &values()), blocks)
    }

    /// Tells a learner of access that ends with a day, or has ended with it. `buy`: the page on which it is bought again.
    pub fn access_ends(&self, ends: &AccessEnds, last: NaiveDate, buy: String) -> Letter {
        let values = [("course", ends.name.as_str().into()), ("date", self.to.date(last).into())];
        let (subject, heading, text) = match ends.is_over {
            true => ("access-over-subject", "access-over-heading", "access-over-text"),
            false => ("access-ends-subject", "access-ends-heading", "access-ends-text"),
        };
        let mut blocks = vec![Block::Text(self.text(text, &values))];
        if ends.is_buyer {
            if !ends.is_over {
                blocks.push(Block::Text(self.text("access-ends-again", &[])));
            }
            blocks.push(Block::Button(Link { text: self.text("access-buy-again", &[]), url: buy }));
            blocks.push(self.order(&ends.cart_id.to_string()));
        }
        self.letter(subject, self.text(heading, &[]), blocks)
    }

    /// Asks an address whether it wants to wait for a place, or says that it does. `page`: on which it confirms that, or leaves.
    pub fn waiting_listed(&self, listed: &WaitingListed, page: String) -> Letter {
        let values = [("course", listed.course.as_str().into())];
        if !listed.is_confirmed {
            let blocks = vec![
                Block::Text(self.text("waiting-confirm-text", &values)),
                Block::Button(Link { text: self.text("waiting-confirm", &[]), url: page }),
            ];
            return self.letter("waiting-confirm-subject", self.text("waiting-confirm-heading", &[]), blocks);
        }
        let blocks = vec![
            Block::Text(self.text("waiting-listed-text", &values)),
            Block::Muted(self.text("waiting-leave-hint", &[])),
            Block::Link(Link { text: self.text("waiting-leave", &[]), url: page }),
        ];
        self.letter("waiting-listed-subject", self.text("waiting-listed-heading", &[]), blocks)
    }

    /// Offers a place to an address that has waited for it. `page`: on which it declines.
    pub fn place_offered(
        &self,
        offered: &PlaceOffered,
        until: DateTime<FixedOffset>,
        buy: String,
        page: String,
    ) -> Letter {
        let values = [
            ("course", offered.course.as_str().into()),
            ("date", self.to.date(until.date_naive()).into()),
            ("time", self.to.time(until).into()),
            ("zone", until.format("UTC%:z").to_string().into()),
        ];
        let blocks = vec![
            Block::Text(self.text("waiting-offered-text", &values)),
            Block::Button(Link { text: self.text("waiting-buy", &[]), url: buy }),
            Block::Muted(self.text("waiting-code", &[("code", offered.code.as_str().into())])),
            Block::Link(Link { text: self.text("waiting-decline", &[]), url: page }),
        ];
        self.letter("waiting-offered-subject", self.text("waiting-offered-heading", &[]), blocks)
    }

    /// Reports money on its way back.
    pub fn refund(&self, refund: &RefundIssued, attached: Option<Attached>) -> Letter {
        let amount = || [("amount", self.money(refund.amount).into())];
        let row = |(name, amount): &(String, Money)| self.row(name.clone(), *amount, None);
        let mut blocks = vec![
            Block::Text(self.text("refund-lines", &amount())),
            Block::Sums(refund.items.iter().map(row).collect()),
            Block::Text(self.text("refund-time", &[])),
        ];
        let open = |note| self.open("mail-credit-note-attached", "mail-open-credit-note", note);
        blocks.extend(attached.map(open).into_iter().flatten());
        blocks.push(self.order(&refund.cart_id.to_string()));
        self.letter("refund-subject", self.text("refund-heading", &amount()), blocks)
    }

    /// Invites an address to register for its courses, those of others too.
    pub fn invitation(&self, courses: &[String], elsewhere: &[Places], register: String) -> Letter {
        let own = (self.organisation, courses);
        let others = elsewhere.iter().map(|place| (place.organisation.as_str(), place.courses.as_slice()));
        let mut blocks = Vec::new();
        for (organisation, courses) in [own].into_iter().chain(others) {
            let values = [("organisation", organisation.into())];
            blocks.push(Block::Text(self.to.message("invitation-courses", &values)));
            blocks.push(self.list(courses));
        }
        blocks.push(Block::Text(self.text("invitation-how", &[])));
        blocks.push(self.register(register));
        blocks.push(Block::Text(self.text("invitation-afterwards", &[])));
        blocks.push(Block::Muted(self.text("invitation-unexpected", &[])));
        self.letter("invitation-subject", self.text("invitation-heading", &[]), blocks)
    }

    /// Gives a buyer the code of the seats, and the page on which they are managed.
    pub fn seats_ready(&self, ready: &SeatsReady, page: Option<String>) -> Letter {
        let values = || [("seats", ready.seats.into()), ("item", ready.item.as_str().into())];
        let with_page = page.is_some();
        let about = match &ready.gift {
            Some(gift) => self.planned(gift, with_page),
            None => self.text("seats-ready", &values()),
        };
        let mut blocks = vec![Block::Text(about)];
        if let Some(url) = page {
            if ready.gift.is_none() {
                blocks.push(Block::Text(self.text("seats-manage", &[])));
            }
            blocks.push(Block::Button(Link { text: self.text("seats-open", &[]), url }));
            blocks.push(Block::Muted(self.text("seats-link", &[])));
        }
        if ready.gift.is_some() {
            return self.letter("seats-subject", self.text("gift-planned-heading", &values()), blocks);
        }
        let key = if with_page { "seats-code-too" } else { "seats-code" };
        blocks.push(Block::Text(self.text(key, &values())));
        blocks.push(Block::Code(ready.code.clone()));
        self.letter("seats-subject", self.text("seats-heading", &values()), blocks)
    }

    /// Says who gets a gift, and when.
    fn planned(&self, gift: &PlannedGift, with_page: bool) -> String {
        let recipient = || ("recipient", gift.recipient.as_str().into());
        match gift.on {
            None => self.text("gift-given-now", &[recipient()]),
            Some(on) => {
                let planned = self.text("gift-planned", &[recipient(), ("date", self.to.date(on).into())]);
                let change = with_page.then(|| self.text("gift-change", &[]));
                change.map_or(planned.clone(), |change| format!("{planned} {change}"))
            }
        }
    }

    /// Tells an address of its seat. `register`: the page on which one without an account creates it; `course`: as of a receipt.
    pub fn seat_assigned(
        &self,
        seat: &SeatAssigned,
        giver: &str,
        register: Option<String>,
        course: Option<String>,
    ) -> Letter {
        let name = seat.gift.as_ref().and_then(|gift| gift.giver.as_deref()).map(plain);
        let giver = name.as_deref().unwrap_or(giver);
        let values = || [("giver", giver.into()), ("item", seat.item.as_str().into())];
        let mut blocks = vec![Block::Text(self.text("seat-given", &values()))];
        let message = seat.gift.as_ref().and_then(|gift| gift.message.as_deref());
        blocks.extend(message.map(|text| Block::Quote(text.lines().map(str::to_owned).collect())));
        match register {
            Some(url) => {
                blocks.push(Block::Text(self.text("invitation-how", &[])));
                blocks.push(self.register(url));
                blocks.push(Block::Text(self.text("seat-afterwards", &values())));
            }
            None => {
                blocks.push(Block::Text(self.text("seat-in-account", &[])));
                let button = |url| Block::Button(Link { text: self.text("mail-open-course", &[]), url });
                blocks.extend(course.map(button));
            }
        }
        blocks.push(Block::Muted(self.text("seat-unexpected", &[])));
        let (subject, heading) = match (seat.is_reminder, &seat.gift) {
            (true, _) => ("seat-subject", "seat-heading-reminder"),
            (false, Some(_)) => ("gift-subject", "gift-heading"),
            (false, None) => ("seat-subject", "seat-heading"),
        };
        self.letter(subject, self.text(heading, &values()), blocks)
    }

    /// Confirms a withdrawal. `objection`: the page on which the holder of the address disputes it.
    pub fn withdrawal_received(
        &self,
        withdrawal: &WithdrawalReceived,
        declared_at: DateTime<FixedOffset>,
        judged_on: NaiveDate,
        objection: Option<String>,
    ) -> Letter {
        let date = |day| Value::from(self.to.date(day));
        let declared = [("date", date(declared_at.date_naive())), ("time", self.to.time(declared_at).into())];
        let mut blocks = vec![
            Block::Text(self.text("withdrawal-received", &declared)),
            self.list(&withdrawal.items),
            Block::Muted(self.text("withdrawal-name", &[("name", plain(&withdrawal.name).into())])),
            Block::Muted(self.text("withdrawal-email", &[("email", withdrawal.email.as_str().into())])),
            Block::Text(self.text("withdrawal-keep", &[])),
        ];
        if let Some(url) = objection {
            blocks.push(Block::Text(self.text("withdrawal-unproved", &[("date", date(judged_on))])));
            blocks.push(Block::Button(Link { text: self.text("withdrawal-object", &[]), url }));
        }
        blocks.push(self.order(&withdrawal.cart_id.to_string()));
        self.letter("withdrawal-subject", self.text("withdrawal-heading", &[]), blocks)
    }

    /// Says why a withdrawal was not accepted.
    pub fn withdrawal_refused(&self, withdrawal: &WithdrawalRefused, declared_on: NaiveDate) -> Letter {
        let date = self.to.date(declared_on);
        let blocks = vec![
            Block::Text(self.text("withdrawal-refused", &[("date", date.into())])),
            Block::Text(self.to.isolated(&withdrawal.reason)),
            Block::Text(self.text("withdrawal-disagree", &[])),
            self.order(&withdrawal.cart_id.to_string()),
        ];
        self.letter("withdrawal-refused-subject", self.text("withdrawal-refused-heading", &[]), blocks)
    }
}

/// The longest name that a mail shows of those that a stranger may have typed, in characters.
const TYPED_NAME: usize = 60;

/// A name that anyone may have typed, short and without what a mail program makes a link of.
fn plain(name: &str) -> String {
    let characters: Vec<char> = name.chars().take(TYPED_NAME).collect();
    let ends_word = |nth: usize| characters.get(nth + 1).is_none_or(|next| next.is_whitespace());
    let kept = characters.iter().enumerate().filter(|(nth, character)| match character {
        '.' => ends_word(*nth),
        '/' | ':' | '@' | '<' | '>' => false,
        _ => true,
    });
    kept.map(|(_, character)| *character).collect()
}
