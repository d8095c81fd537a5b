//! The QR code of a bank transfer in euro, from which banking apps fill in the transfer: EPC069-12 of the European Payments Council,
//! version 2 of its content.

use qrcodegen::Version;
use rust_decimal::Decimal;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::bank_account::BankAccount;
use crate::money::Money;
use crate::qr::Qr;

/// The most characters of a holder's name.
const NAME: usize = 70;

/// The version of the largest code: it holds 331 bytes at the level M, which the guideline asks for.
const LARGEST: u8 = 13;

/// Replacements that banks use for umlauts, and for letters that do not decompose into a letter and a mark.
const WRITTEN: [(char, &str); 18] = [
    ('ä', "ae"),
    ('ö', "oe"),
    ('ü', "ue"),
    ('Ä', "Ae"),
    ('Ö', "Oe"),
    ('Ü', "Ue"),
    ('ß', "ss"),
    ('ẞ', "SS"),
    ('æ', "ae"),
    ('Æ', "Ae"),
    ('œ', "oe"),
    ('Œ', "Oe"),
    ('ø', "o"),
    ('Ø', "O"),
    ('ł', "l"),
    ('Ł', "L"),
    ('đ', "d"),
    ('Đ', "D"),
];

/// Makes the code of a transfer in euro with a creditor reference of ISO 11649. None if the guideline does not cover it: another
/// currency, an amount out of range, an account without a holder or outside of SEPA, or without the BIC that its country requires.
pub fn of(bank_lines: &[String], open: Money, reference: &str) -> Option<Qr> {
    let content = content(&BankAccount::read(bank_lines)?, open, reference)?;
    Qr::of(&content, Version::new(LARGEST))
}

/// The lines of the code, without the empty ones at the end.
fn content(account: &BankAccount, open: Money, reference: &str) -> Option<String> {
    let (largest, smallest) = (Decimal::new(99_999_999_999, 2), Decimal::new(1, 2));
    let amount = open.major();
    let has_code = open.currency().code() == "EUR" && (smallest..=largest).contains(&amount);
    let is_reached = account.is_sepa() && (account.bic.is_some() || !account.needs_bic());
    let holder: String = in_ascii(account.holder.as_deref()?).chars().take(NAME).collect();
    let bic = account.bic.as_deref().unwrap_or_default();
    let lines =
        ["BCD", "002", "1", "SCT", bic, &holder, account.iban(), &format!("EUR{amount:.2}"), "", reference];
    (has_code && is_reached).then(|| lines.join("\n"))
}

/// Converts a name to ASCII where that is possible; else returns it unchanged.
fn in_ascii(name: &str) -> String {
    let written = |letter: char| {
        let known = WRITTEN.iter().find(|(other, _)| *other == letter);
        known.map_or_else(|| letter.to_string(), |(_, written)| (*written).to_owned())
    };
    let plain: String = name
        .nfc()
        .map(written)
        .collect::<String>()
        .nfd()
        .filter(|letter| !is_combining_mark(*letter))
        .collect();
    if plain.is_ascii() { plain } else { name.nfc().collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qr::QUIET;

    const REFERENCE: &str = "RF18539007547034";

    fn lines(account: &[&str]) -> Vec<String> {
        account.iter().map(|line| (*line).to_owned()).collect()
    }

    fn money(minor: i64, currency: &str) -> Money {
        Money::from_minor(minor, currency.parse().unwrap()).unwrap()
    }

    #[test]
    fn the_content_is_what_the_guideline_says() {
        for (account, cents, expected) in [
            (
                ["Lindgren Akademi AB", "IBAN SE45 5000 0000 0583 9825 7466"],
                201_200,
                ["", "Lindgren Akademi AB", "SE4550000000058398257466", "EUR2012.00"],
            ),
            (
                ["Müller & Søn Größe", "DE89 3704 0044 0532 0130 00 BIC COBADEFFXXX"],
                1,
                ["COBADEFFXXX", "Mueller & Son Groesse", "DE89370400440532013000", "EUR0.01"],
            ),
            // Not possible in ASCII: UTF-8, which the third line says.
            (
                ["Училище", "BG80 BNBG 9661 1020 3456 78"],
                1_050,
                ["", "Училище", "BG80BNBG96611020345678", "EUR10.50"],
            ),
        ] {
            let (account, open) = (lines(&account), money(cents, "EUR"));
            let expected = format!("BCD\n002\n1\nSCT\n{}\n\n{REFERENCE}", expected.join("\n"));
            assert_eq!(content(&BankAccount::read(&account).unwrap(), open, REFERENCE).unwrap(), expected);
            assert!(of(&account, open, REFERENCE).is_some());
        }
    }

    #[test]
    fn a_transfer_that_no_app_could_make_has_no_code() {
        const SHOP: [&str; 2] = ["Shop", "DE89 3704 0044 0532 0130 00"];
        for (account, open, has_code) in [
            (&SHOP[..], money(1, "EUR"), true),
            (&SHOP, money(99_999_999_999, "EUR"), true),
            (&SHOP, money(0, "EUR"), false),
            (&SHOP, money(100_000_000_000, "EUR"), false),
            (&SHOP, money(100, "SEK"), false),
            (&SHOP[1..], money(100, "EUR"), false),
            (&["Shop", "Account 0331 2345 6789 0123"], money(100, "EUR"), false),
            (&["Shop", "TR33 0006 1005 1978 6457 8413 26"], money(100, "EUR"), false),
            (&["Shop", "GB29 NWBK 6016 1331 9268 19"], money(100, "EUR"), false),
            (&["Shop", "GB29 NWBK 6016 1331 9268 19, BIC NWBKGB2L"], money(100, "EUR"), true),
        ] {
            let code = of(&lines(account), open, REFERENCE);
            assert_eq!(code.is_some(), has_code, "{account:?} {open:?}");
        }
    }

    #[test]
    fn the_longest_content_fits() {
        let account = ["Ж".repeat(200), "MT84 MALT 0110 0001 2345 MTLC AST0 01S BIC MALTMTMTXXX".into()];
        let code = of(&account, money(99_999_999_999, "EUR"), "RF712348231ABCDEFGHIJKLMN").unwrap();
        let (side, largest) = (code.side(), 17 + 4 * u16::from(LARGEST) + 2 * u16::from(QUIET));
        assert!(side <= largest && code.bars().all(|bar| bar.column < side && bar.row < side), "{side}");
    }
}
