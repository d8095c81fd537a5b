//! The order of the top-level modules of each crate, as `docs/architecture.md` has it. Reads the sources and that page; starts nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The crates of the page's table.
const CRATES: [&str; 5] = ["api", "worker", "worker/store", "shared", "texts"];

/// The module of a crate's root: `lib.rs`, and what other modules import from it.
const ROOT: &str = "lib";

/// The modules that each module imports.
type Imports = BTreeMap<String, BTreeSet<String>>;

#[test]
fn every_module_imports_only_those_that_come_after_it() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(repository.join("docs/architecture.md")).unwrap();
    let faults = CRATES.map(|name| {
        let faults = faults(&row(&page, name), &imports(&repository.join(name).join("src")));
        faults.into_iter().map(move |fault| format!("{name}: {fault}"))
    });
    let faults: Vec<String> = faults.into_iter().flatten().collect();
    assert!(faults.is_empty(), "docs/architecture.md differs from the sources:\n{}", faults.join("\n"));
}

/// The modules in the row of a crate, such as ``| api | `cli`, `server` |``.
fn row(page: &str, name: &str) -> Vec<String> {
    let row = page.lines().find_map(|line| line.strip_prefix(&format!("| {name} | `")));
    let row = row.unwrap_or_else(|| panic!("no row of {name}"));
    row.split('`').step_by(2).map(str::to_owned).collect()
}

/// Where the row of a crate and its sources disagree.
fn faults(row: &[String], found: &Imports) -> Vec<String> {
    let place = |module: &String| row.iter().position(|other| other == module);
    let gone = row.iter().filter(|module| !found.contains_key(*module));
    let mut faults: Vec<String> = gone.map(|module| format!("`{module}` does not exist")).collect();
    for (module, imported) in found {
        match place(module) {
            None => faults.push(format!("`{module}` has no place in the row")),
            Some(own) => {
                let above = imported.iter().filter(|other| place(other).is_some_and(|other| other < own));
                faults.extend(
                    above.map(|other| format!("`{module}` may not import `{other}`, which comes before it")),
                );
            }
        }
    }
    faults
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
fn an_import_from_below_and_each_difference_is_a_fault() {
    let page = "| crate | modules |\n|---|---|\n| api | `a`, `b`, `c` |\n| worker | `d` |\n";
    let row = row(page, "api");
    let found = |imports: &[(&str, &str)]| -> Imports {
        let to = |text: &str| text.split_whitespace().map(str::to_owned).collect();
        imports.iter().map(|(module, imported)| ((*module).to_owned(), to(imported))).collect()
    };
    assert!(faults(&row, &found(&[("a", "b c"), ("b", "c"), ("c", "")])).is_empty());
    assert_eq!(
        faults(&row, &found(&[("a", ""), ("b", ""), ("c", "a")])),
        ["`c` may not import `a`, which comes before it"]
    );
    assert_eq!(faults(&row, &found(&[("a", ""), ("b", "")])), ["`c` does not exist"]);
    assert_eq!(
        faults(&row, &found(&[("a", ""), ("b", ""), ("c", ""), ("e", "")])),
        ["`e` has no place in the row"]
    );
}
