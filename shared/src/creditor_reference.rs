//! Creditor references of ISO 11649, by which an organisation that takes payments itself knows them.

use crate::ids::TransactionId;
use crate::typed::capitals;

/// The letters of references: Crockford's Base32, whose letters are not mistaken for one another.
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// The creditor reference of a payment, with the check digits of the standard: banks and accounting programs refuse a mistyped one.
pub fn of(id: TransactionId) -> String {
    // The random half of the id: thirteen letters of five bits.
    let random = id.0.as_u64_pair().1;
    let letter = |shift: u32| {
        let index = usize::try_from(random >> shift & 0b1_1111).unwrap_or_default();
        char::from(LETTERS.get(index).copied().unwrap_or(b'0'))
    };
    let body: String = (0..13).rev().map(|nth| letter(nth * 5)).collect();
    let check = 98 - remainder(&format!("{body}RF00"));
    format!("RF{check:02}{body}")
}

/// Reads a creditor reference as people and banks repeat it: in groups, in any case. None if it is not one.
pub fn read(text: &str) -> Option<String> {
    let reference = capitals(text);
    let is_plain = reference.chars().all(|letter| letter.is_ascii_alphanumeric());
    let body = reference.strip_prefix("RF").filter(|body| is_plain && (3..=23).contains(&body.len()))?;
    let (check, body) = body.split_at_checked(2)?;
    (remainder(&format!("{body}RF{check}")) == 1).then_some(reference)
}

/// A creditor reference as it is printed: in groups of four.
pub fn grouped(reference: &str) -> String {
    let letters: Vec<char> = reference.chars().collect();
    letters.chunks(4).map(String::from_iter).collect::<Vec<_>>().join(" ")
}

/// The remainder of a text by 97, whose letters count as 10 to 35, as ISO 7064 has it.
fn remainder(text: &str) -> u32 {
    text.chars().filter_map(|letter| letter.to_digit(36)).fold(0, |rest, value| match value {
        0..10 => (rest * 10 + value) % 97,
        _ => (rest * 100 + value) % 97,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_read_as_it_is_printed() {
        let (one, other) = (TransactionId::generate(), TransactionId::generate());
        let reference = of(one);
        assert_eq!(reference.len(), 17);
        assert_eq!(of(one), reference);
        assert_ne!(of(other), reference);
        let printed = grouped(&reference);
        assert_eq!(printed.split(' ').map(str::len).collect::<Vec<_>>(), [4, 4, 4, 4, 1]);
        let narrow = printed.replace(' ', "\u{202f}");
        let copied = printed.replace(' ', "\u{200b}\u{a0}");
        for text in
            [&reference, &printed, &narrow, &copied, &reference.to_lowercase(), &format!(" {printed} ")]
        {
            assert_eq!(read(text).as_ref(), Some(&reference), "{text:?}");
        }
    }

    /// The example of the standard, and what differs from it by a digit.
    #[test]
    fn a_reference_has_the_check_digits_of_iso_11649() {
        assert_eq!(read("RF18 5390 0754 7034").as_deref(), Some("RF18539007547034"));
        for text in
            ["RF18 5390 0754 7043", "RF19 5390 0754 7034", "RF", "RF18", "539007547034", "RF18-5390", ""]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
