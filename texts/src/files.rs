//! The languages of the programs, and an operator's own files of messages.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use crate::language::Language;
use crate::localizer::Localizer;
use crate::messages::{Messages, TextsError, arguments, check, parse};

/// The languages of the programs, each with its file of what buyers and learners read. The first has every message, and says
/// which arguments each has.
pub(crate) const BUNDLED: &[(&str, &str)] = &[
    ("en", include_str!("../messages/en.ftl")),
    ("ar", include_str!("../messages/ar.ftl")),
    ("de", include_str!("../messages/de.ftl")),
    ("es", include_str!("../messages/es.ftl")),
    ("fr", include_str!("../messages/fr.ftl")),
    ("hi", include_str!("../messages/hi.ftl")),
    ("ms", include_str!("../messages/ms.ftl")),
    ("pt-BR", include_str!("../messages/pt-BR.ftl")),
    ("sv", include_str!("../messages/sv.ftl")),
];

/// The same for what the staff reads in the console.
pub(crate) const CONSOLE: &[(&str, &str)] = &[
    ("en", include_str!("../messages/console/en.ftl")),
    ("ar", include_str!("../messages/console/ar.ftl")),
    ("de", include_str!("../messages/console/de.ftl")),
    ("es", include_str!("../messages/console/es.ftl")),
    ("fr", include_str!("../messages/console/fr.ftl")),
    ("hi", include_str!("../messages/console/hi.ftl")),
    ("ms", include_str!("../messages/console/ms.ftl")),
    ("pt-BR", include_str!("../messages/console/pt-BR.ftl")),
    ("sv", include_str!("../messages/console/sv.ftl")),
];

/// The folder of the console's files, in an operator's folder.
const CONSOLE_FOLDER: &str = "console";

/// The messages of all languages: those for buyers and learners, and those for the staff. A language may have one of them alone.
#[derive(Clone)]
pub struct Texts {
    languages: Arc<Languages>,
    console: Arc<Languages>,
}

/// Messages by the shortest tag of their language.
type Languages = BTreeMap<String, Messages>;

impl Texts {
    /// The languages of the programs.
    ///
    /// # Errors
    /// A file is broken, which a test rules out.
    pub fn bundled() -> Result<Self, TextsError> {
        Self::read(None)
    }

    /// The languages of the programs, corrected and extended by the files `<language>.ftl` of a folder, and those of its folder
    /// `console` for what the staff reads. A file may hold some of the messages; those that it lacks stay as they are, or come
    /// from the organisation's language or English.
    ///
    /// # Errors
    /// The folder cannot be read; a file is broken, names no language, or has a message or an argument that English lacks.
    pub fn read(folder: Option<&Path>) -> Result<Self, TextsError> {
        // Parsed once: each start of a program needs them, and a process of tests starts many.
        static BUNDLED_ALONE: OnceLock<Texts> = OnceLock::new();
        if folder.is_some() {
            return Self::parse(folder);
        }
        if let Some(texts) = BUNDLED_ALONE.get() {
            return Ok(texts.clone());
        }
        let texts = Self::parse(None)?;
        Ok(BUNDLED_ALONE.get_or_init(|| texts).clone())
    }

    fn parse(folder: Option<&Path>) -> Result<Self, TextsError> {
        let console = folder.map(|folder| folder.join(CONSOLE_FOLDER)).filter(|folder| folder.is_dir());
        let languages = Arc::new(read(BUNDLED, folder)?);
        Ok(Self { languages, console: Arc::new(read(CONSOLE, console.as_deref())?) })
    }

    /// The languages that have messages.
    pub fn languages(&self) -> impl Iterator<Item = &Language> {
        self.languages.values().map(|messages| &messages.language)
    }

    /// Texts for readers of a language; where it has none, in the first of the organisation's languages that has some, else
    /// in English.
    pub fn localizer(&self, wanted: &Language, organisation: &[Language]) -> Localizer<'_> {
        localizer(&self.languages, [wanted].into_iter().chain(organisation))
    }

    /// Texts of the console in the first of these languages that has some, else in English. What buyers read as well, such as an order's
    /// standing, is worded as for them.
    pub fn console(&self, wanted: &[Language]) -> Localizer<'_> {
        let mut console = localizer(&self.console, wanted);
        console.messages.extend(localizer(&self.languages, wanted).messages);
        console
    }
}

/// Texts in the first of these languages that has some, else in English.
fn localizer<'a, 'l>(
    languages: &'a Languages,
    wanted: impl IntoIterator<Item = &'l Language>,
) -> Localizer<'a> {
    let mut wanted: Vec<Language> = wanted.into_iter().cloned().collect();
    wanted.push(Language::english());
    let mut found: Vec<(Language, &Messages)> = Vec::new();
    for language in wanted {
        let tags = language.candidates().into_iter();
        let messages = tags.filter_map(|tag| languages.get(&tag.to_string()));
        found.extend(messages.map(|messages| (language.clone(), messages)));
    }
    let language = found.first().map_or_else(Language::english, |(language, _)| language.clone());
    Localizer { language, messages: found.into_iter().map(|(_, messages)| messages).collect() }
}

/// The messages of the bundled files and of a folder.
fn read(bundled: &[(&str, &str)], folder: Option<&Path>) -> Result<Languages, TextsError> {
    let mut sources: Vec<(Language, String, String)> = Vec::new();
    for (tag, source) in bundled {
        let language = tag.parse().map_err(|_| TextsError::Name(tag.into()))?;
        sources.push((language, format!("{tag}.ftl"), (*source).to_owned()));
    }
    sources.extend(folder.map(read_folder).transpose()?.unwrap_or_default());
    let mut languages = Languages::new();
    let mut english = BTreeMap::new();
    for (language, file, source) in sources {
        let resource = parse(&file, source)?;
        if english.is_empty() {
            english = arguments(&resource);
        }
        check(&english, &file, &resource)?;
        let key = language.shortest().to_string();
        let messages = languages.entry(key).or_insert_with(|| Messages::new(language));
        messages.add(resource);
    }
    Ok(languages)
}

/// The files of a folder, by name.
fn read_folder(folder: &Path) -> Result<Vec<(Language, String, String)>, TextsError> {
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        |error| TextsError::Unreadable(path, error)
    };
    let entries = std::fs::read_dir(folder).map_err(unreadable(folder))?;
    let mut paths = BTreeSet::new();
    for entry in entries {
        paths.insert(entry.map_err(unreadable(folder))?.path());
    }
    let files = paths.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "ftl"));
    files
        .map(|path| {
            let tag = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse().ok());
            let language = tag.ok_or_else(|| TextsError::Name(path.clone()))?;
            let source = std::fs::read_to_string(&path).map_err(unreadable(&path))?;
            Ok((language, path.display().to_string(), source))
        })
        .collect()
}
