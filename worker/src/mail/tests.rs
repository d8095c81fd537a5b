//! The mails in all languages, and what they look like.

use clap::Parser;
use shared::email::Email;
use shared::ids::{CartId, OrganisationId, RefundId, VoucherId};
use shared::messages::{
    AccessEnds, AccessMoved, GiftNote, LineTax, PaymentDue, PlaceOffered, Places, PlannedGift, Receipt,
    RefundIssued, SeatAssigned, SeatsReady, WaitingListed, WithdrawalReceived, WithdrawalRefused,
};
use shared::money::Money;
use shared::withdrawal::{Agreed, Kind};
use store::model::document::Kind as DocumentKind;
use store::model::seller::Contact;
use store::plumbing::mails::Beginning;
use texts::Texts;
use uuid::Uuid;

use super::kinds::BoughtOn;
use super::letter::{Attached, Block, Writer};
use super::*;

fn dollars(minor: i64) -> Money {
    Money::from_minor(minor, "USD".parse().unwrap()).unwrap()
}

/// What mails repeat of sellers, courses and people.
struct Names {
    organisation: &'static str,
    course: &'static str,
    next: &'static str,
    /// Of another seller.
    other: &'static str,
    seller: &'static str,
    person: &'static str,
    reason: &'static str,
    account: &'static str,
}

const NAMES: Names = Names {
    organisation: "Northwind Institute",
    course: "Statistics You Can Defend",
    next: "SQL from First Query",
    other: "Träets hantverk",
    seller: "Lindgren Akademi",
    person: "Ada Example",
    reason: "The course was finished before the declaration.",
    account: "IBAN GB33BUKB20201555555555",
};

/// Names that UAX #9 mixes with what stands beside them, and turns around in a text of the other direction.
const OF_BOTH_DIRECTIONS: [Names; 2] = [
    Names {
        organisation: "Northwind, Inc.",
        course: "Programming in C++",
        next: "50%–60%: what A/B tests say?",
        other: "#1 – 100 days, 3.5 hours!",
        seller: "1st Academy!",
        person: "Ada L.",
        reason: "Finished on 12/11, 14:30 – see § 3.2.",
        account: "0331 2345 6789 0123",
    },
    Names {
        organisation: "أكاديمية النور.",
        course: "البرمجة بلغة C++",
        next: "50%–60%: ماذا تقول الأرقام؟",
        other: "תכנות ב־C++, חלק 3!",
        seller: "معهد «الأفق»!",
        person: "آدا ل.",
        reason: "انتهت الدورة في 12/11 – انظر § 3.2.",
        account: "حساب 0331 2345 6789 0123",
    },
];

/// A receipt of two courses, whose consents go with a tax in the prices.
fn receipt(of: &Names, seats: &[Option<i32>], is_included: bool) -> Receipt {
    Receipt {
        periods: Vec::new(),
        organisation_id: OrganisationId(Uuid::nil()),
        cart_id: CartId(Uuid::nil()),
        paid_at: "2026-11-04T09:12:44Z".parse().unwrap(),
        total: dollars(1_024_900),
        items: vec![(of.course.into(), dollars(19_900)), (of.other.into(), dollars(995_000))],
        seats: seats.to_vec(),
        voucher: Some(("SPRING-26".into(), dollars(1_250))),
        tax: Some(LineTax { amount: dollars(10_000), is_included }),
        consents: is_included.then(|| Agreed {
            terms: true,
            begin_now: true,
            loses_right: true,
            at: "2026-11-04T09:12:44Z".parse().unwrap(),
            kind: Kind::DigitalContent,
            days: 14,
            terms_url: Some("https://store.example/terms/".into()),
            terms_version: Some("2026-06".into()),
        }),
        due: None,
    }
}

/// A letter of each kind, and of each of its forms.
fn letters(writer: &Writer<'_>, of: &Names) -> Vec<Letter> {
    let url = |name: &str| format!("https://store.example/{name}/");
    let attached = |number: &str| Some(Attached { number: number.to_owned(), url: url("document") });
    let due = PaymentDue {
        due_on: "2026-12-04".parse().unwrap(),
        reference: "RF18539007547034".into(),
        bank_lines: vec![of.organisation.into(), of.account.into()],
        open: None,
    };
    let invoice = Receipt { due: Some(due), ..receipt(of, &[None], false) };
    let refund = RefundIssued {
        organisation_id: OrganisationId(Uuid::nil()),
        cart_id: CartId(Uuid::nil()),
        refund_id: RefundId(Uuid::nil()),
        amount: dollars(12_050),
        items: vec![(of.course.into(), dollars(12_050))],
    };
    let elsewhere = [Places { organisation: of.seller.into(), courses: vec![of.other.into()] }];
    let courses = [of.course.to_owned(), of.next.to_owned()];
    let on = BoughtOn { paid: "2026-11-04".parse().unwrap(), agreed: "2026-11-04".parse().ok() };
    let periods =
        [(courses[0].clone(), Some(30), "2026-12-31".parse().ok()), (courses[1].clone(), None, None)];
    let bought = writer.receipt(
        &receipt(of, &[None, Some(5)], true),
        on,
        attached("NW26-000001"),
        Some(url("course")),
        Some(url("withdraw")),
    );
    let mut letters = vec![
        writer.periods(bought, &periods),
        writer.receipt(&receipt(of, &[], false), on, attached("NW26-000001"), None, None),
        writer.receipt(&invoice, on, attached("NW26-000002"), None, None),
        writer.transfer(&invoice, on.paid),
        writer.document_again(
            &CartId(Uuid::nil()).to_string(),
            DocumentKind::Invoice,
            attached("NW26-000001"),
        ),
        writer.document_follows(
            &CartId(Uuid::nil()).to_string(),
            DocumentKind::CreditNote,
            attached("NWC26-000001"),
        ),
        writer.invoice_cancelled(&CartId(Uuid::nil()).to_string(), attached("NWC26-000002")),
        writer.refund(&refund, attached("NWC26-000001")),
        writer.invitation(&courses, &elsewhere, url("register")),
    ];
    letters.extend(letters_about_changes(writer, of).into_iter().chain(letters_about_seats(writer, of)));
    letters.extend(letters_about_withdrawals(writer, of));
    letters.extend(letters_about_waiting_lists(writer, of));
    letters
}

fn letters_about_changes(writer: &Writer<'_>, of: &Names) -> Vec<Letter> {
    let attached = Attached { number: "NW26-000003".into(), url: "https://store.example/document/".into() };
    let moved = |to: &str| AccessMoved {
        organisation_id: OrganisationId(Uuid::nil()),
        cart_id: CartId(Uuid::nil()),
        from: of.course.into(),
        to: to.into(),
    };
    let ends = |is_over| {
        let ends = AccessEnds {
            organisation_id: OrganisationId(Uuid::nil()),
            cart_id: CartId(Uuid::nil()),
            name: of.course.into(),
            program_id: None,
            openedx_course_id: "course-v1:Northwind+DS210+2026".into(),
            mode: "verified".parse().unwrap(),
            ends_at: "2026-04-01T00:00:00Z".parse().unwrap(),
            is_over,
            is_buyer: true,
        };
        writer.access_ends(&ends, "2026-03-31".parse().unwrap(), "https://store.example/buy/".into())
    };
    vec![
        writer.invoice_corrected(&CartId(Uuid::nil()).to_string(), Some(attached)),
        writer.access_moved(&moved(of.next), Some("https://store.example/course/".into())),
        writer.access_moved(&moved(of.course), None),
        ends(false),
        ends(true),
    ]
}

fn letters_about_seats(writer: &Writer<'_>, of: &Names) -> Vec<Letter> {
    let url = |name: &str| format!("https://store.example/{name}/");
    let ready = |seats| SeatsReady {
        organisation_id: OrganisationId(Uuid::nil()),
        voucher_id: VoucherId(Uuid::nil()),
        code: "SEAT-7KQ2-MX4P".into(),
        item: of.course.into(),
        seats,
        gift: None,
    };
    let gift = |on| SeatsReady {
        gift: Some(PlannedGift { recipient: Email::parse("grace@example.com").unwrap(), on }),
        ..ready(1)
    };
    let seat = |is_registered, is_reminder| SeatAssigned {
        organisation_id: OrganisationId(Uuid::nil()),
        voucher_id: VoucherId(Uuid::nil()),
        item: of.course.into(),
        is_registered,
        is_reminder,
        gift: None,
    };
    let note = GiftNote {
        giver: Some(of.person.into()),
        message: Some("Happy birthday, Grace!\n\nSee you in class: it starts at 8:00.".into()),
    };
    let given = SeatAssigned { gift: Some(note), ..seat(false, false) };
    vec![
        writer.seats_ready(&ready(30), Some(url("seats"))),
        writer.seats_ready(&gift(chrono::NaiveDate::from_ymd_opt(2026, 12, 24)), Some(url("seats"))),
        writer.seats_ready(&gift(None), None),
        writer.seat_assigned(&given, "ada@example.com", Some(url("register")), None),
        writer.seats_ready(&ready(1), None),
        writer.seat_assigned(&seat(false, true), "boss@example.com", Some(url("register")), None),
        writer.beginning(
            writer.seat_assigned(&seat(true, false), "boss@example.com", None, Some(url("course"))),
            vec![Beginning {
                course_id: Uuid::nil(),
                name: of.course.into(),
                at: "2027-03-29T07:00:00Z".parse().unwrap(),
                local: "2027-03-29T09:00:00".parse().unwrap(),
                zone: "Europe/Berlin".into(),
                url: None,
            }],
        ),
    ]
}

fn letters_about_waiting_lists(writer: &Writer<'_>, of: &Names) -> Vec<Letter> {
    let url = |name: &str| format!("https://store.example/{name}/");
    let listed = |is_confirmed| WaitingListed {
        organisation_id: OrganisationId(Uuid::nil()),
        entry_id: Uuid::nil(),
        course: of.course.into(),
        is_confirmed,
    };
    let offered = PlaceOffered {
        organisation_id: OrganisationId(Uuid::nil()),
        entry_id: Uuid::nil(),
        course: of.course.into(),
        openedx_course_id: "course-v1:Northwind+DS210+2026".into(),
        mode: "verified".parse().unwrap(),
        code: "7KQ2MX4P9ABC".into(),
        until: "2026-11-06T08:30:00Z".parse().unwrap(),
    };
    let until = "2026-11-06T09:30:00+01:00".parse().unwrap();
    vec![
        writer.waiting_listed(&listed(false), url("waiting-list")),
        writer.waiting_listed(&listed(true), url("waiting-list")),
        writer.place_offered(&offered, until, url("buy"), url("waiting-list")),
    ]
}

fn letters_about_withdrawals(writer: &Writer<'_>, of: &Names) -> Vec<Letter> {
    let url = |name: &str| format!("https://store.example/{name}/");
    let declared_at = "2026-11-04T23:12:44Z".parse().unwrap();
    let received = WithdrawalReceived {
        organisation_id: OrganisationId(Uuid::nil()),
        cart_id: CartId(Uuid::nil()),
        withdrawal_id: Uuid::nil(),
        email: Email::parse("ada@example.com").unwrap(),
        name: of.person.into(),
        items: vec![of.course.into()],
        declared_at,
        is_proved: false,
        judged_at: "2026-11-05T23:12:44Z".parse().unwrap(),
    };
    let refused = WithdrawalRefused {
        organisation_id: OrganisationId(Uuid::nil()),
        cart_id: CartId(Uuid::nil()),
        reason: of.reason.into(),
        declared_at,
    };
    // Where the clock is an hour ahead of UTC.
    let declared = "2026-11-05T00:12:44+01:00".parse().unwrap();
    let day = |text: &str| text.parse().unwrap();
    vec![
        writer.withdrawal_received(&received, declared, day("2026-11-06"), Some(url("objection"))),
        writer.withdrawal_refused(&refused, day("2026-11-05")),
    ]
}

fn mailer() -> Mailer {
    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        mail: MailSettings,
        #[command(flatten)]
        tls: TlsSettings,
    }
    let _ = rustls::crypto::ring::default_provider().install_default();
    let Line { mail, tls } = Line::parse_from(["worker"]);
    Mailer::new(&mail, &tls).unwrap()
}

fn contact() -> Contact {
    let contact = serde_json::json!({
        "legal_name": "Northwind Institute Ltd.", "line1": "12 Harbour Street", "city": "Portland", "state": "OR",
        "postal_code": "97201", "country": "US", "email": "courses@northwind.example", "of_a_newer_version": true,
    });
    serde_json::from_value(contact).unwrap()
}

const ORGANISATION: &str = "Northwind <Institute>";

const LOOK: Look<'_> =
    Look { logo_url: Some("https://assets.example.org/northwind/logo.png"), colour: Some("#0b6e4f") };

/// Leaves each mail in each language in the folder that MAIL_RECORDS names, without its PDF, for `tests/mail-filters` and
/// `tests/webmail`; and in `names` in it, those with names that are hard to show beside others, in a language of each direction.
#[tokio::test]
#[ignore = "writes files for suites"]
async fn full_records() {
    let folder =
        std::path::PathBuf::from(std::env::var_os("MAIL_RECORDS").expect("MAIL_RECORDS names a folder"));
    let (texts, mailer) = (Texts::bundled().unwrap(), mailer());
    let of_names = folder.join("names");
    std::fs::create_dir_all(&of_names).unwrap();
    for language in texts.languages() {
        record(&texts.localizer(language, &[]), &mailer, &NAMES, &folder.join(language.to_string()));
    }
    let mut shown = Vec::new();
    for (nth, names) in OF_BOTH_DIRECTIONS.iter().enumerate() {
        for language in ["en", "ar"] {
            let localizer = texts.localizer(&language.parse().unwrap(), &[]);
            record(&localizer, &mailer, names, &of_names.join(format!("{language}-{nth}")));
        }
        let Names { organisation, course, next, other, seller, person, reason, account } = names;
        shown.push([organisation, course, next, other, seller, person, reason, account]);
    }
    std::fs::write(of_names.join("names.json"), serde_json::to_vec(&shown).unwrap()).unwrap();
}

/// Writes each mail to a file whose name begins with this path.
fn record(localizer: &texts::Localizer, mailer: &Mailer, names: &Names, path: &std::path::Path) {
    let contact = contact();
    let to = Email::parse("ada@example.com").unwrap();
    let writer = Writer { to: localizer, organisation: names.organisation, contact: Some(&contact) };
    for (nth, letter) in letters(&writer, names).into_iter().enumerate() {
        let now = "2026-11-30T10:00:00Z".parse().unwrap();
        let attachments = calendar::file(&letter.beginnings, localizer, now).into_iter().collect();
        let message = Message {
            letter: &letter,
            language: localizer.language(),
            look: LOOK,
            reply_to: contact.email.as_ref(),
            attachments,
        };
        let built = mailer.build(Uuid::now_v7(), &to, message).unwrap();
        std::fs::write(format!("{}-{nth:02}.eml", path.display()), built.formatted()).unwrap();
    }
}

#[tokio::test]
async fn each_mail_reads_in_each_language_as_it_was_reviewed() {
    let (texts, mailer) = (Texts::bundled().unwrap(), mailer());
    let contact = contact();
    let mut languages: Vec<&Language> = texts.languages().collect();
    languages.sort_by_key(|language| language.to_string());
    for language in languages {
        let localizer = texts.localizer(language, &[]);
        let writer = Writer { to: &localizer, organisation: ORGANISATION, contact: Some(&contact) };
        let mut all = String::new();
        for letter in letters(&writer, &NAMES) {
            let (text, html) = mailer.parts(&letter, localizer.language(), LOOK).unwrap();
            all.push_str(&format!("Subject: {}\n\n{text}\n----\n\n", letter.subject));
            // Webmail shows the card alone, or the body.
            let attributes = format!("lang=\"{language}\" dir=\"{}\"", language.direction());
            assert_eq!(html.matches(&attributes).count(), 3, "{html}");
            // The HTML says the same as the text.
            assert!(html.contains(&format!("<html lang=\"{language}\" dir=\"{}\">", language.direction())));
            let said = unescaped(&html);
            for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
                for part in line.trim_start_matches("- ").trim_end_matches(':').split(": ") {
                    assert!(said.contains(part), "{language}: {part:?} is not in {said}");
                }
            }
            assert!(html.matches("display:inline-block").count() <= 1, "at most one button: {html}");
        }
        insta::assert_snapshot!(format!("mails_{language}"), all);
    }
}

/// Names and numbers as UAX #9 would otherwise mix them with what surrounds them.
#[test]
fn what_is_of_another_direction_is_isolated_wherever_it_stands() {
    let texts = Texts::bundled().unwrap();
    for (language, text, is_isolated) in [
        ("ar", "0331 2345 6789 0123", true),
        ("ar", "Programming in C++", true),
        ("ar", "(c) Northwind", true),
        ("en", "البرمجة", true),
        ("en", "עברית!", true),
        ("en", "Programming in C++", false),
        ("hi", "0331 2345 6789 0123", false),
    ] {
        let localizer = texts.localizer(&language.parse().unwrap(), &[]);
        let expected = if is_isolated { format!("\u{2068}{text}\u{2069}") } else { text.to_owned() };
        assert_eq!(localizer.isolated(text), expected, "{language}");
        let seats = localizer.message("item-seats", &[("item", text.into()), ("seats", 5.into())]);
        assert!(seats.contains(&expected), "{language}: {seats}");
        assert_eq!(seats.contains('\u{2068}'), is_isolated, "{language}: {seats}");
        let writer = Writer { to: &localizer, organisation: text, contact: None };
        let refused = WithdrawalRefused {
            organisation_id: OrganisationId(Uuid::nil()),
            cart_id: CartId(Uuid::nil()),
            reason: text.into(),
            declared_at: "2026-11-04T09:12:44Z".parse().unwrap(),
        };
        let letter = writer.withdrawal_refused(&refused, refused.declared_at.date_naive());
        assert!(letter.blocks.iter().any(|block| matches!(block, Block::Text(shown) if *shown == expected)));
        assert_eq!(letter.organisation, expected);
        assert!(letter.subject.contains(&expected) && letter.reason.contains(&expected), "{letter:?}");
    }
}

/// A page with its characters as they are shown.
fn unescaped(html: &str) -> String {
    let words = html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    words.replace("&#x27;", "'").replace("&#x2f;", "/").replace("&amp;", "&")
}

/// Who has both in the mailbox tells them apart, also on a phone that shows the subject alone.
#[test]
fn the_answers_to_a_withdrawal_have_subjects_of_their_own() {
    let texts = Texts::bundled().unwrap();
    for language in texts.languages() {
        let localizer = texts.localizer(language, &[]);
        let writer = Writer { to: &localizer, organisation: ORGANISATION, contact: None };
        let letters = letters_about_withdrawals(&writer, &NAMES);
        assert_ne!(letters[0].subject, letters[1].subject, "{language}");
    }
}

#[test]
fn words_on_a_button_are_readable_in_any_colour() {
    for (colour, ink) in [
        (None, "#ffffff"),
        (Some("#ffd400"), "#000000"),
        (Some("#0b6e4f"), "#ffffff"),
        (Some("#ffffff"), "#000000"),
        (Some("#000000"), "#ffffff"),
    ] {
        assert_eq!(Look { logo_url: None, colour }.colours().1, ink, "{colour:?}");
    }
}

#[test]
fn the_sender_has_its_domain_in_punycode_and_keeps_its_name() {
    for (given, sent) in [
        ("Akademi <No-Reply@münchen.example>", "No-Reply@xn--mnchen-3ya.example"),
        ("no-reply@store.test", "no-reply@store.test"),
        ("Storefront <no-reply@localhost.localdomain>", "no-reply@localhost.localdomain"),
    ] {
        let sender = sender(given).unwrap();
        assert_eq!(sender.email.to_string(), sent);
        assert_eq!(sender.name.as_deref(), given.split_once(" <").map(|(name, _)| name));
    }
    assert!(sender("no address").is_err());
}
