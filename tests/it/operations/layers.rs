//! The top-level modules of each crate: `docs/architecture.md` says which of them each one imports. Reads the
//! sources and that page; starts nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The sources of each crate, and the heading of its table.
const CRATES: [(&str, &str); 5] = [
    ("api/src", "### Modules of api\n"),
    ("worker/src", "### Modules of worker\n"),
    ("worker/store/src", "### Modules of worker/store\n"),
    ("shared/src", "### Modules of shared\n"),
    ("texts/src", "### Modules of texts\n"),
];

/// The module of a crate's root: `lib.rs`, and what other modules import from it.
const ROOT: &str = "lib";

/// The modules that each module imports.
type Imports = BTreeMap<String, BTreeSet<String>>;

#[test]
fn every_room_imports_what_the_map_says_and_no_two_import_each_other() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(repository.join("docs/architecture.md")).unwrap();
    let faults = CRATES.map(|(folder, heading)| {
        let stated = table(&page, heading);
        let faults = differences(&stated, &imports(&repository.join(folder)));
        faults.into_iter().chain(cycle(&stated)).map(move |fault| format!("{folder}: {fault}"))
    });
    let faults: Vec<String> = faults.into_iter().flatten().collect();
    assert!(faults.is_empty(), "docs/architecture.md differs from the sources:\n{}", faults.join("\n"));
}

/// The first table after a heading, of rows such as ``| `state` | `cache`, `config` |``.
fn table(page: &str, heading: &str) -> Imports {
    let (_, section) = page.split_once(heading).unwrap_or_else(|| panic!("no heading {heading:?}"));
    let rows =
        section.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let names =
        |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<BTreeSet<String>>();
    let row = |row: &str| {
        let mut cells = row.split('|').skip(1);
        let (modules, imported) = (names(cells.next().unwrap()), names(cells.next().unwrap()));
        modules.into_iter().map(move |module| (module, imported.clone())).collect::<Vec<_>>()
    };
    rows.flat_map(row).collect()
}

/// What the table and the sources do not agree on.
fn differences(stated: &Imports, found: &Imports) -> Vec<String> {
    let mut faults = Vec::new();
    for module in stated.keys().filter(|module| !found.contains_key(*module)) {
        faults.push(format!("the table has the module `{module}`, which does not exist"));
    }
    for (module, imported) in found {
        let Some(may) = stated.get(module) else {
            faults.push(format!("the table lacks the module `{module}`, which imports {imported:?}"));
            continue;
        };
        faults.extend(imported.difference(may).map(|other| format!("`{module}` may not import `{other}`")));
        faults.extend(may.difference(imported).map(|other| format!("`{module}` does not import `{other}`")));
    }
    faults
}

/// A fault if some modules import each other: those that are left without the modules that import, or are imported by, no other.
fn cycle(imports: &Imports) -> Option<String> {
    let mut left = imports.clone();
    loop {
        let all = left.clone();
        left.retain(|module, imported| {
            imported.iter().any(|other| all.contains_key(other))
                && all.values().any(|others| others.contains(module))
        });
        if left.len() == all.len() {
            return (!left.is_empty()).then(|| format!("a cycle among {:?}", left.keys()));
        }
    }
}

/// The imports of each module below a folder.
fn imports(source: &Path) -> Imports {
    let mut found = Imports::new();
    let files = files(source);
    let paths: Vec<Vec<String>> =
        files.iter().map(|file| module(file.strip_prefix(source).unwrap())).collect();
    let modules: BTreeSet<String> = paths.iter().filter_map(|path| path.first().cloned()).collect();
    for (file, path) in files.iter().zip(paths) {
        let module = path.first().map_or(ROOT, String::as_str);
        let mut imported = imported(&fs::read_to_string(file).unwrap(), path.len(), &modules);
        imported.remove(module);
        found.entry(module.to_owned()).or_default().extend(imported);
    }
    found
}

/// All files of a crate except `main.rs`, which is a crate of its own.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let below = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    let is_source = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "rs");
    entries.flat_map(below).filter(|path| is_source(path) && !path.ends_with("main.rs")).collect()
}

/// The path of a file's module: none for `lib.rs`, `cache` and `bodies` for `cache/bodies.rs`.
fn module(file: &Path) -> Vec<String> {
    let path = file.with_extension("");
    let names = path.iter().map(|name| name.to_str().unwrap().to_owned());
    names.filter(|name| name != "mod" && name != ROOT).collect()
}

/// The modules that a file imports, whose module is so deep below the crate's root.
fn imported(source: &str, depth: usize, modules: &BTreeSet<String>) -> BTreeSet<String> {
    let code: Vec<&str> = source.lines().flat_map(|line| tokens(line.split("//").next().unwrap())).collect();
    let mut imported = BTreeSet::new();
    for (at, token) in code.iter().enumerate() {
        let (before, after) = (&code[..at], &code[at + 1..]);
        let path = after.strip_prefix(&["::"]);
        let names = match (*token, path) {
            ("crate", Some(path)) => first_names(path),
            ("super", Some(path)) if supers(before) + 1 == depth => first_names(path),
            (name, Some(_)) if depth == 0 && before.last() != Some(&"::") => vec![name],
            _ => continue,
        };
        let module = |name: &str| match modules.get(name) {
            Some(module) => Some(module.clone()),
            // Otherwise a name of the file itself, which its tests import, or of another crate.
            None => (*token == "crate").then(|| ROOT.to_owned()),
        };
        imported.extend(names.into_iter().filter_map(module));
    }
    imported
}

/// The number of `super::` right before a token.
fn supers(before: &[&str]) -> usize {
    before.rchunks_exact(2).take_while(|pair| **pair == ["super", "::"]).count()
}

/// The first names of a path, or of each path in braces: `a` and `c` of `{a::b, c::{d, e}}`.
fn first_names<'a>(path: &[&'a str]) -> Vec<&'a str> {
    if path.first() != Some(&"{") {
        return path.first().copied().into_iter().collect();
    }
    let (mut names, mut open) = (Vec::new(), 0);
    for pair in path.windows(2) {
        open += i32::from(pair[0] == "{") - i32::from(pair[0] == "}");
        match (open, pair[0]) {
            (0, _) => break,
            (1, "{" | ",") if pair[1] != "}" => names.push(pair[1]),
            _ => {}
        }
    }
    names
}

/// The names, the `::` and each other character of a line.
fn tokens(line: &str) -> Vec<&str> {
    let (mut tokens, mut rest) = (Vec::new(), line.trim_start());
    while let Some(first) = rest.chars().next() {
        let name = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let length = if rest.starts_with("::") { 2 } else { name.max(first.len_utf8()) };
        let (token, after) = rest.split_at(length);
        tokens.push(token);
        rest = after.trim_start();
    }
    tokens
}

#[test]
fn imports_are_found_however_they_are_written() {
    let modules = ["cache", "error", "state", "views"].map(str::to_owned).into();
    let found =
        |source: &str, depth| imported(source, depth, &modules).into_iter().collect::<Vec<_>>().join(" ");
    assert_eq!(
        found("use crate::{\n    cache::{self, state},\n    error::ApiError, Root,\n};", 1),
        "cache error lib"
    );
    assert_eq!(
        found("/// See [`crate::state`].\nfn a() -> crate::views::B { $crate::error!() }", 2),
        "error views"
    );
    assert_eq!(found("use super::cache;", 1), "cache");
    assert_eq!(found("use super::cache;\nuse super::super::{error, views::C};", 2), "error views");
    assert_eq!(found("mod tests {\n    use super::*;\n    use super::find;\n}", 1), "");
    assert_eq!(found("pub use cache::Cache;\nuse shared::state;\nmod error;", 0), "cache");
}

#[test]
fn a_cycle_of_modules_and_each_difference_is_a_fault() {
    let rows =
        "### Modules\n\n| module | may import |\n|---|---|\n| `a` | `b` |\n| `b` | `c` |\n| `c` | – |\n";
    let read = |rows: &str| table(rows, "### Modules");
    let (straight, circular) = (read(rows), read(&rows.replace('–', "`a`")));
    assert!(cycle(&straight).is_none() && cycle(&circular).is_some());
    assert_eq!(differences(&straight, &circular), ["`c` may not import `a`"]);
    assert_eq!(differences(&circular, &straight), ["`c` does not import `a`"]);
    let short = read(&rows.replace("| `c` | – |\n", ""));
    assert_eq!((differences(&short, &straight).len(), differences(&straight, &short).len()), (1, 1));
}
