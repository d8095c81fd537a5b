//! The documents that can be checked: settings, commands and callers are those of the programs, and each named test exists.
//! Reads the programs' command lines and this repository's files; starts nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, Args, Command};
use serde_json::Value;
use shared::settings::LogSettings;

const BEGIN: &str = "<!-- Generated from the programs' command lines. -->\n";
const END: &str = "<!-- End of the generated part. -->\n";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_documented_settings_and_commands_are_those_of_the_programs() {
    compare("docs/configuration.md", BEGIN, &configuration());
}

#[test]
fn the_documented_callers_are_those_of_the_openapi_document() {
    let begin = "<!-- Generated from the OpenAPI document. -->\n";
    compare("docs/api.md", begin, &format!("\n{}\n", callers(&api::openapi_document())));
}

/// Compares the generated part of a document. With `UPDATE_DOCS=1` in the environment it writes the document instead.
fn compare(name: &str, begin: &str, generated: &str) {
    let file = repository().join(name);
    let document = std::fs::read_to_string(&file).unwrap();
    let (before, rest) = document.split_once(begin).expect("a begin marker");
    let (_, after) = rest.split_once(END).expect("an end marker");
    let current = format!("{before}{begin}{generated}{END}{after}");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(file, current).unwrap();
    } else {
        let command = "UPDATE_DOCS=1 cargo test -p storefront-it --test operations documents::";
        assert!(document == current, "{name} is out of date; renew it with: {command}");
    }
}

/// A table of the routes by what a request must carry.
fn callers(document: &Value) -> String {
    let mut rows: Vec<([String; 4], Vec<String>)> = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let cells = credentials(operation);
            let route = format!("`{} {}`", method.to_uppercase(), path.trim_start_matches("/storeapi"));
            match rows.iter_mut().find(|(known, _)| *known == cells) {
                Some((_, routes)) => routes.push(route),
                None => rows.push((cells, vec![route])),
            }
        }
    }
    let head = "| routes | `clientapisecret` | a learner | `organisationapikey` | `token` |\n|---|---|---|---|---|\n";
    let rows =
        rows.iter().map(|(cells, routes)| format!("| {} | {} |\n", routes.join(", "), cells.join(" | ")));
    head.to_owned() + &rows.collect::<String>()
}

/// Reads what an operation's `security` says of the secret, a learner, a key and a link. A session stands for each
/// proof of a learner.
fn credentials(operation: &Value) -> [String; 4] {
    let alternatives: Vec<_> =
        operation["security"].as_array().unwrap().iter().filter_map(Value::as_object).collect();
    let has = |wanted: &[&str]| {
        alternatives.iter().any(|one| one.keys().map(String::as_str).eq(wanted.iter().copied()))
    };
    let learner = match (has(&["session"]), has(&["clientapisecret", "session"])) {
        (true, _) => "alone",
        (false, true) if has(&["clientapisecret"]) => "beside the secret, or not at all",
        (false, true) => "beside the secret",
        (false, false) => "",
    };
    let secret = match (has(&["clientapisecret"]), has(&["clientapisecret", "session"])) {
        (true, true) => "alone, or beside the learner",
        (true, false) => "alone",
        (false, true) if has(&["session"]) => "accepted beside the learner",
        (false, true) => "beside the learner",
        (false, false) => "",
    };
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let needs_name = parameters.filter(|one| one["in"] == "header").any(|one| one["name"] == "orgName");
    let key = alternatives.iter().find_map(|one| one.get("organisationapikey")?.get(0)?.as_str());
    [
        secret.to_owned(),
        format!("{learner}{}", if needs_name { ", with `orgName`" } else { "" }),
        key.map(|scope| format!("`{scope}`")).unwrap_or_default(),
        if has(&["cart_token"]) { "yes" } else { "" }.to_owned(),
    ]
}

/// clap finds such faults when a command is used, and in builds for development only.
#[test]
fn the_command_lines_are_consistent() {
    api::cli::command().debug_assert();
    worker::cli::command().debug_assert();
}

#[test]
fn every_setting_says_what_it_does() {
    for arg in settings(&api()).into_iter().chain(settings(&run(&worker::cli::command()))) {
        assert!(!help(&arg).is_empty(), "{} has no help text", env(&arg));
    }
}

fn configuration() -> String {
    let worker = worker::cli::command();
    let (api, run) = (settings(&api()), settings(&run(&worker)));
    let has = |all: &[Arg], arg: &Arg| all.iter().any(|other| env(other) == env(arg));
    let (both, api_alone): (Vec<Arg>, Vec<Arg>) = api.into_iter().partition(|arg| has(&run, arg));
    let (_, worker_alone): (Vec<Arg>, Vec<Arg>) = run.iter().cloned().partition(|arg| has(&both, arg));
    let mut text = String::new();
    for (title, args) in [
        ("Both programs", both),
        ("The api", api_alone),
        ("The worker (`storefront-worker run`)", worker_alone),
    ] {
        text += &format!("\n## {title}\n\n| setting | default | what it does |\n|---|---|---|\n");
        for arg in args {
            text += &format!("| `{}` | {} | {} |\n", env(&arg), default(&arg), meaning(&arg, &run));
        }
    }
    text += "\n## Commands\n\n| command | what it does | settings |\n|---|---|---|\n";
    commands(&api::cli::command(), "storefront-api", &run, &mut text);
    commands(&worker, "storefront-worker", &run, &mut text);
    text + "\n"
}

fn api() -> Command {
    LogSettings::augment_args(api::config::Config::augment_args(Command::new("storefront-api")))
}

/// `storefront-worker run`, which takes the settings of logs from the program.
fn run(worker: &Command) -> Command {
    LogSettings::augment_args(worker.find_subcommand("run").unwrap().clone())
}

/// Arguments that an environment variable can give, too.
fn settings(command: &Command) -> Vec<Arg> {
    command.get_arguments().filter(|arg| is_setting(arg)).cloned().collect()
}

/// `OPERATOR` is who calls a command, and no setting of the programs.
fn is_setting(arg: &Arg) -> bool {
    arg.get_env().is_some_and(|name| name != "OPERATOR")
}

fn env(arg: &Arg) -> &str {
    arg.get_env().and_then(|name| name.to_str()).unwrap()
}

fn default(arg: &Arg) -> String {
    let values: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    match values.join(",") {
        _ if arg.is_required_set() => "required".into(),
        value if value.is_empty() => "–".into(),
        value => format!("`{value}`"),
    }
}

fn help(arg: &Arg) -> String {
    arg.get_help().map(ToString::to_string).unwrap_or_default().replace('|', "\\|")
}

/// The help text, followed by the values that can be chosen. Where the worker says something else, both are shown.
fn meaning(arg: &Arg, worker: &[Arg]) -> String {
    let values: Vec<String> =
        arg.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect();
    let mut own =
        if values.is_empty() { help(arg) } else { format!("{}: {}", help(arg), values.join(" or ")) };
    if arg.is_hide_env_values_set() {
        own.push_str(" *(secret)*");
    }
    match worker.iter().find(|other| env(other) == env(arg)).map(help) {
        Some(other) if other != help(arg) => format!("api: {own}; worker: {other}"),
        _ => own,
    }
}

fn commands(parent: &Command, path: &str, run: &[Arg], text: &mut String) {
    for command in parent.get_subcommands() {
        let path = format!("{path} {}", command.get_name());
        if command.has_subcommands() {
            commands(command, &path, run, text);
            continue;
        }
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        text.push_str(&format!("| `{path}{}` | {about} | {} |\n", usage(command), taken(command, run)));
    }
}

/// The arguments that are no settings.
fn usage(command: &Command) -> String {
    let own = command.get_arguments().filter(|arg| !is_setting(arg));
    own.map(|arg| match (arg.get_long(), arg.get_action()) {
        (Some(long), ArgAction::SetTrue) => format!(" [--{long}]"),
        (Some(long), _) if arg.is_required_set() => format!(" --{long} …"),
        (Some(long), _) => format!(" [--{long} …]"),
        (None, ArgAction::Append) => format!(" {}…", arg.get_id().as_str().to_uppercase()),
        (None, _) => format!(" {}", arg.get_id().as_str().to_uppercase()),
    })
    .collect()
}

/// The settings of a command, apart from those of logs, which each one takes.
fn taken(command: &Command, run: &[Arg]) -> String {
    let own = settings(command);
    let names: BTreeSet<&str> = own.iter().map(env).collect();
    let all = run.iter().map(env).filter(|name| !name.starts_with("LOG_"));
    if all.collect::<BTreeSet<_>>() == names {
        return "all of the worker".into();
    }
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Without one of them, cargo builds nothing of the workspace.
#[test]
fn the_context_of_the_images_has_every_member_of_the_workspace() {
    let read = |name: &str| std::fs::read_to_string(repository().join(name)).unwrap();
    let (manifest, ignored) = (read("Cargo.toml"), read(".dockerignore"));
    let (_, members) = manifest.split_once("members = [").unwrap();
    let (members, _) = members.split_once(']').unwrap();
    let members: Vec<&str> = members.split('"').skip(1).step_by(2).collect();
    assert!(members.len() > 8, "{members:?}");
    let allowed: Vec<&str> = ignored.lines().filter_map(|line| line.strip_prefix('!')).collect();
    for member in members {
        let is_below = |folder: &&str| Path::new(member).starts_with(folder);
        assert!(allowed.iter().any(is_below), ".dockerignore leaves out {member}");
    }
}

#[test]
fn every_link_between_documents_leads_to_a_file() {
    let root = repository();
    let folders = ["", "docs", "docs/decisions", "migrations", "deploy/demo-catalog", "deploy/observability"];
    let mut checked = 0;
    for folder in folders.map(|folder| root.join(folder)) {
        let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        for file in files.filter(|file| file.extension().is_some_and(|extension| extension == "md")) {
            for target in links(&std::fs::read_to_string(&file).unwrap()) {
                assert!(folder.join(&target).exists(), "{} links to {target}", file.display());
                checked += 1;
            }
        }
    }
    assert!(checked > 50, "only {checked} links found");
}

/// The files that a document links to or shows, without the part after `#`.
fn links(document: &str) -> Vec<String> {
    let written = document.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let shown = document.split("src=\"").skip(1).filter_map(|rest| rest.split_once('"'));
    let targets = written.chain(shown).map(|(target, _)| target.split('#').next().unwrap_or_default());
    targets.filter(|target| !target.is_empty() && !target.contains("://")).map(str::to_owned).collect()
}

/// `tests/dependencies` checks more, with tools that not every machine has.
#[test]
fn the_dependencies_come_from_one_registry_and_bring_one_cryptography_provider() {
    let lock = std::fs::read_to_string(repository().join("Cargo.lock")).unwrap();
    assert!(lock.contains("name = \"ring\"\n"));
    for banned in ["aws-lc-rs", "aws-lc-sys", "boring", "openssl", "openssl-sys", "native-tls"] {
        assert!(!lock.contains(&format!("name = \"{banned}\"\n")), "{banned}");
    }
    let registry = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";
    let sources = lock.lines().filter(|line| line.starts_with("source = "));
    assert_eq!(sources.filter(|source| *source != registry).collect::<Vec<_>>(), Vec::<&str>::new());
}
