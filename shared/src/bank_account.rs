//! A seller's bank account, which people write in lines as an invoice shows it.

use iban::{Iban, IbanLike};

/// The fewest and the most characters of a BIC (ISO 9362).
const BIC: [usize; 2] = [8, 11];

/// Countries whose banks take SEPA credit transfers, by the first letters of their IBANs: the European Payments Council's list EPC409-09 of
/// 2025.
const SEPA: [&str; 42] = [
    "AD", "AL", "AT", "BE", "BG", "CH", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GB", "GI", "GR",
    "HR", "HU", "IE", "IS", "IT", "LI", "LT", "LU", "LV", "MC", "MD", "ME", "MK", "MT", "NL", "NO", "PL",
    "PT", "RO", "RS", "SE", "SI", "SK", "SM", "VA",
];

/// Those of [`SEPA`] outside of the European Economic Area: a transfer to their banks needs the BIC.
const OUTSIDE_OF_EEA: [&str; 12] = ["AD", "AL", "CH", "GB", "GI", "MC", "MD", "ME", "MK", "RS", "SM", "VA"];

/// An account as programs read it.
pub struct BankAccount {
    iban: Iban,
    /// The BIC of its bank, in capitals.
    pub bic: Option<String>,
    /// The name of its holder.
    pub holder: Option<String>,
}

impl BankAccount {
    /// Reads the lines of an account, such as `Lindgren Akademi AB` and `IBAN: DE02 1203 0000 0000 2020 51 BIC …`. The first line that
    /// has no number is its holder. None without an IBAN.
    pub fn read(lines: &[String]) -> Option<Self> {
        let iban = lines.iter().find_map(|line| iban_in(line))?;
        let bic = lines.iter().find_map(|line| bic_in(line));
        let holder = lines.iter().find(|line| !line.chars().any(char::is_numeric) && bic_in(line).is_none());
        Some(Self { iban, bic, holder: holder.cloned() })
    }

    /// The IBAN without spaces.
    pub fn iban(&self) -> &str {
        self.iban.electronic_str()
    }

    /// Returns whether its bank takes SEPA credit transfers.
    pub fn is_sepa(&self) -> bool {
        SEPA.contains(&self.iban.country_code())
    }

    /// Returns whether a SEPA credit transfer to it needs its BIC.
    pub fn needs_bic(&self) -> bool {
        OUTSIDE_OF_EEA.contains(&self.iban.country_code())
    }
}

/// The IBAN in a line: the longest run of words that the IBAN registry of SWIFT knows as one.
fn iban_in(line: &str) -> Option<Iban> {
    let words: Vec<&str> = words(line).collect();
    let runs = (0..words.len()).flat_map(|from| (from + 1..=words.len()).rev().map(move |to| (from, to)));
    runs.filter_map(|(from, to)| words.get(from..to)).find_map(|run| run.concat().to_uppercase().parse().ok())
}

/// The word after *BIC* or *SWIFT* in a line.
fn bic_in(line: &str) -> Option<String> {
    let is_name = |word: &&str| ["BIC", "SWIFT"].iter().any(|name| word.eq_ignore_ascii_case(name));
    let mut words = words(line).skip_while(|word| !is_name(word)).skip_while(is_name);
    let bic = words.next()?.to_uppercase();
    let has_country = bic.chars().take(6).all(|letter| letter.is_ascii_uppercase());
    (BIC.contains(&bic.len()) && has_country).then_some(bic)
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Option<BankAccount> {
        BankAccount::read(&lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn an_account_is_read_as_people_write_it() {
        // Examples of ISO 13616 and of SWIFT's registry.
        for (lines, iban, bic, holder) in [
            (
                &["Shop AB", "IBAN DE89 3704 0044 0532 0130 00"][..],
                "DE89370400440532013000",
                None,
                Some("Shop AB"),
            ),
            (
                &["IBAN: GB29NWBK60161331926819", "BIC: NWBKGB2L"],
                "GB29NWBK60161331926819",
                Some("NWBKGB2L"),
                None,
            ),
            (&["NO93 8601 1117 947, BIC DNBANOKKXXX"], "NO9386011117947", Some("DNBANOKKXXX"), None),
            (&["bic cobadeff", "de89370400440532013000"], "DE89370400440532013000", Some("COBADEFF"), None),
            (
                &["SWIFT/BIC COBADEFF", "Shop", "DE89370400440532013000"],
                "DE89370400440532013000",
                Some("COBADEFF"),
                Some("Shop"),
            ),
            (
                &["BIC of our bank", "DE89370400440532013000"],
                "DE89370400440532013000",
                None,
                Some("BIC of our bank"),
            ),
        ] {
            let account = read(lines).unwrap();
            assert_eq!(
                (account.iban(), account.bic.as_deref(), account.holder.as_deref()),
                (iban, bic, holder)
            );
        }
        assert!(read(&["Shop AB", "IBAN DE89 3704 0044 0532 0130 01"]).is_none(), "wrong check digits");
        assert!(read(&["Account 0331 2345 6789 0123"]).is_none());
    }

    #[test]
    fn the_country_of_an_account_says_how_its_bank_is_reached() {
        for (iban, is_sepa, needs_bic) in [
            ("DE89370400440532013000", true, false),
            ("NO9386011117947", true, false),
            ("GB29NWBK60161331926819", true, true),
            ("CH9300762011623852957", true, true),
            ("TR330006100519786457841326", false, false),
        ] {
            let account = read(&[iban]).unwrap();
            assert_eq!((account.is_sepa(), account.needs_bic()), (is_sepa, needs_bic), "{iban}");
        }
    }
}
