//! QR codes to print, and to show on pages and in mails. Pure: what one says is up to its maker.

use qrcodegen::{QrCode, QrCodeEcc, QrSegment, Version};

/// Number of modules that stay light on each side (ISO/IEC 18004).
pub const QUIET: u8 = 4;

/// Number of UTF-8 among the extended channel interpretations: without it, some readers take the bytes for Kanji or Latin-1.
const UTF_8: u32 = 26;

/// A code to scan.
pub struct Qr(QrCode);

impl Qr {
    /// Makes the code of a text, no larger than a version of the standard, at [`QrCodeEcc::Medium`]. None if that is too small for it.
    pub fn of(text: &str, largest: Version) -> Option<Self> {
        let bytes = QrSegment::make_bytes(text.as_bytes());
        let segments = if text.is_ascii() { vec![bytes] } else { vec![QrSegment::make_eci(UTF_8), bytes] };
        let encoded = QrCode::encode_segments_advanced(
            &segments,
            QrCodeEcc::Medium,
            Version::MIN,
            largest,
            None,
            false,
        );
        encoded.ok().map(Self)
    }

    /// Makes the code of a text of any length that a code can hold.
    pub fn of_any(text: &str) -> Option<Self> {
        Self::of(text, Version::MAX)
    }

    /// Number of modules of a side, with those that stay light.
    pub fn side(&self) -> u16 {
        u16::try_from(self.0.size()).unwrap_or_default() + 2 * u16::from(QUIET)
    }

    /// The dark modules as bars, with those that stay light counted in their places.
    pub fn bars(&self) -> impl Iterator<Item = Bar> {
        let size = self.0.size();
        let at = |place: i32| u16::try_from(place).unwrap_or_default() + u16::from(QUIET);
        (0..size).flat_map(move |row| {
            let dark: Vec<i32> = (0..size).filter(|column| self.0.get_module(*column, row)).collect();
            let runs = dark.chunk_by(|one, next| one + 1 == *next);
            let bar = |run: &[i32]| Some(Bar { column: at(*run.first()?), row: at(row), width: run.len() });
            runs.filter_map(bar).collect::<Vec<_>>()
        })
    }

    /// The dark modules as the path of an SVG whose unit is a module.
    pub fn svg_path(&self) -> String {
        self.bars().map(|Bar { column, row, width }| format!("M{column} {row}h{width}v1h-{width}z")).collect()
    }
}

/// Dark modules beside each other in a row.
pub struct Bar {
    /// The column of the first one.
    pub column: u16,
    /// Their row.
    pub row: u16,
    /// Their number.
    pub width: usize,
}
