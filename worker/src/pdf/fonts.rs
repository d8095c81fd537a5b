//! The fonts of documents.

use std::path::PathBuf;

use parley::fontique::{Blob, Collection, CollectionOptions};

/// Reason why a font cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FontError {
    /// A file cannot be read.
    #[error("DOCUMENT_FONTS: cannot read {0}: {1}")]
    Unreadable(String, std::io::Error),
    /// A file is not a font.
    #[error("DOCUMENT_FONTS: {0} is not a font file")]
    NotAFont(String),
}

/// The fonts of documents, in the order in which they are tried for each character.
#[derive(Clone)]
pub struct Fonts {
    pub(super) collection: Collection,
    pub(super) families: Vec<String>,
}

impl Fonts {
    /// Reads Noto Sans, which has Latin, Greek, Cyrillic and Devanagari letters, and these font files for others.
    ///
    /// # Errors
    /// A file cannot be read, or is not a font.
    pub fn read(more: &[PathBuf]) -> Result<Self, FontError> {
        let read = |path: &PathBuf| {
            let name = path.display().to_string();
            match std::fs::read(path) {
                Ok(bytes) => Ok((name, bytes)),
                Err(error) => Err(FontError::Unreadable(name, error)),
            }
        };
        Self::new(more.iter().map(read).collect::<Result<_, _>>()?)
    }

    pub(super) fn new(more: Vec<(String, Vec<u8>)>) -> Result<Self, FontError> {
        let bundled: [(&str, &'static [u8]); 3] = [
            ("NotoSans-Regular.ttf", include_bytes!("../../fonts/NotoSans-Regular.ttf")),
            ("NotoSans-Bold.ttf", include_bytes!("../../fonts/NotoSans-Bold.ttf")),
            ("NotoSansDevanagari-Regular.ttf", include_bytes!("../../fonts/NotoSansDevanagari-Regular.ttf")),
        ];
        let bundled = bundled.map(|(name, bytes)| (name.to_owned(), bytes.to_vec()));
        let mut collection = Collection::new(CollectionOptions { shared: false, system_fonts: false });
        let mut families: Vec<String> = Vec::new();
        for (name, bytes) in bundled.into_iter().chain(more) {
            let registered = collection.register_fonts(Blob::from(bytes), None);
            if registered.is_empty() {
                return Err(FontError::NotAFont(name));
            }
            for (family, _) in registered {
                let family = collection.family_name(family).unwrap_or_default().to_owned();
                if !families.contains(&family) {
                    families.push(family);
                }
            }
        }
        Ok(Self { collection, families })
    }
}
