//! A seller's bank account, which people write in lines as an invoice shows it.

use iban::{Iban, IbanLike};

/// The lengths that a BIC can have (ISO 9362).
const BIC: [usize; 2] = [8, 11];

/// Territories whose banks have IBANs of another country: theirs, by the countries of the IBANs.
const TERRITORIES: [(&str, &str); 3] = [("GG", "GB"), ("IM", "GB"), ("JE", "GB")];

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
    /// Reads the lines of an account, such as `Lindgren Akademi AB` and `IBAN: DE02 1203 0000 0000 2020 51 BIC …`. The first line with
    /// neither the IBAN nor the BIC is its holder. None without an IBAN.
    pub fn read(lines: &[String]) -> Option<Self> {
        let iban = lines.iter().find_map(|line| iban_in(line))?;
        let bic_in = |line: &String| bic_in(line, iban.country_code());
        let is_holder = |line: &&String| iban_in(line).is_none() && bic_in(line).is_none();
        let (bic, holder) = (lines.iter().find_map(bic_in), lines.iter().find(is_holder).cloned());
        Some(Self { iban, bic, holder })
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

/// The BIC of a bank of this country after the word *BIC* or *SWIFT* in a line.
fn bic_in(line: &str, country: &str) -> Option<String> {
    let is_name = |word: &&str| ["BIC", "SWIFT"].iter().any(|name| word.eq_ignore_ascii_case(name));
    let is_bic = |word: &String| {
        let of = word.get(4..6).unwrap_or_default();
        let is_near = of == country || TERRITORIES.contains(&(of, country));
        let has_letters = word.bytes().take(6).all(|letter| letter.is_ascii_uppercase());
        BIC.contains(&word.len()) && has_letters && is_near
    };
    words(line).skip_while(|word| !is_name(word)).map(str::to_uppercase).find(is_bic)
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

    /// An example of the IBAN registry of SWIFT, as those below.
    const DE: &str = "DE89370400440532013000";

    #[test]
    fn an_account_is_read_as_people_write_it() {
        for (lines, iban, bic, holder) in [
            (&["Studio 54 AB", "IBAN DE89 3704 0044 0532 0130 00"][..], DE, None, Some("Studio 54 AB")),
            (&["IBAN: DE89370400440532013000", "BIC: COBADEFFXXX"], DE, Some("COBADEFFXXX"), None),
            (&["DE89 3704 0044 0532 0130 00, bic cobadeff"], DE, Some("COBADEFF"), None),
            (&["SWIFT/BIC COBADEFF", "Shop", DE], DE, Some("COBADEFF"), Some("Shop")),
            (&["SWIFT code: COBADEFF", "Shop", DE], DE, Some("COBADEFF"), Some("Shop")),
            (&["Shop", DE, "BIC-Code Nr. COBADEFF"], DE, Some("COBADEFF"), Some("Shop")),
            // Words of eight letters, and a bank of another country.
            (&["Swift Learning Training GmbH", DE], DE, None, Some("Swift Learning Training GmbH")),
            (&["Shop", DE, "BIC required: NWBKGB2L"], DE, None, Some("Shop")),
            (
                &["Shop", "GB29 NWBK 6016 1331 9268 19", "BIC NWBKJESH"],
                "GB29NWBK60161331926819",
                Some("NWBKJESH"),
                Some("Shop"),
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
