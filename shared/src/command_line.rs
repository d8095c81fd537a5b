//! Reads a program's command line and settings, and reports everything that is wrong with them at once: an operator who
//! sets up a deployment should not have to restart it for each fault.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::builder::ValueParser;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory, FromArgMatches};

use crate::metrics::COMMIT;

/// Returns the text that `--version` prints after the program's name.
pub fn version() -> &'static str {
    static VERSION: LazyLock<String> =
        LazyLock::new(|| format!("{} (commit {COMMIT})", env!("CARGO_PKG_VERSION")));
    &VERSION
}

/// Parses the command line. If settings are wrong or missing, prints all of them and exits with status 2; clap itself
/// stops at the first.
pub fn parse<C: CommandFactory + FromArgMatches>() -> C {
    let arguments: Vec<_> = std::env::args_os().collect();
    let command = C::command();
    let name = command.get_name().to_owned();
    match check(with_usage(command, &name), |command| command.try_get_matches_from(&arguments)) {
        Ok(matches) => C::from_arg_matches(&matches).unwrap_or_else(|error| error.exit()),
        Err(CommandLineError::Usage(error)) => error.exit(),
        Err(CommandLineError::Settings(faults)) => {
            eprintln!("error: {faults}");
            std::process::exit(2);
        }
    }
}

/// The code with which a program ends. Prints the error, if there is one.
pub fn exit_code<E: fmt::Display>(done: Result<(), E>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints a line of a command's result. A reader that has closed the pipe, such as `head`, has read enough: the command
/// continues without it. Ends the program if the line cannot be written for another reason.
pub fn say(line: impl fmt::Display) {
    match writeln!(io::stdout(), "{line}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("error: cannot write the result: {error}");
            std::process::exit(1);
        }
        Ok(()) | Err(_) => {}
    }
}

enum CommandLineError {
    /// A question for help, or a line that is not one of this program.
    Usage(Error),
    Settings(Faults),
}

/// Parses with ever fewer demands, until only what was recorded is wrong.
fn check(
    mut command: Command,
    parse: impl Fn(Command) -> Result<ArgMatches, Error>,
) -> Result<ArgMatches, CommandLineError> {
    let (mut faults, mut relaxed, mut first) = (Faults::default(), BTreeSet::new(), None);
    loop {
        let error = match parse(command.clone()) {
            Ok(matches) if first.is_none() => return Ok(matches),
            Ok(_) => break,
            Err(error) => error,
        };
        let arguments = recorded(&error, &mut faults);
        let names: Vec<String> = arguments.iter().filter_map(|argument| name(argument)).collect();
        let asks_again = names.iter().all(|name| !relaxed.insert(name.clone()));
        first.get_or_insert(error);
        // Nothing to relax: a question for help, or what depends on other arguments.
        if asks_again {
            break;
        }
        command = with_any(command, &names);
    }
    match first {
        // clap's own text, which shows the usage.
        Some(error) if relaxed.len() < 2 => Err(CommandLineError::Usage(error)),
        _ => Err(CommandLineError::Settings(faults)),
    }
}

/// Records what an error says. Returns the arguments that it is about.
fn recorded(error: &Error, faults: &mut Faults) -> Vec<String> {
    match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::ValueValidation | ErrorKind::InvalidValue, Some(ContextValue::String(argument))) => {
            let text = error.to_string();
            let reason = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ").trim();
            faults.push(reason.replace('\n', " "));
            vec![argument.clone()]
        }
        (ErrorKind::MissingRequiredArgument, Some(ContextValue::Strings(arguments))) => {
            for argument in arguments {
                faults.push(format!("{argument} is missing"));
            }
            arguments.clone()
        }
        _ => Vec::new(),
    }
}

/// The command, and those below it, with usage lines of what can be given on the command line alone. clap's own names
/// each setting that usually comes from the environment, too.
fn with_usage(command: Command, path: &str) -> Command {
    let mut usage = format!("{path} [OPTIONS]");
    for argument in command.get_arguments() {
        let is_needed = argument.is_positional() || argument.is_required_set();
        if is_needed && argument.get_env().is_none() {
            usage = format!("{usage} {}", shown(argument));
        }
    }
    if command.has_subcommands() {
        usage += if command.is_subcommand_required_set() { " <COMMAND>" } else { " [COMMAND]" };
    }
    command.override_usage(usage).mut_subcommands(|subcommand| {
        let path = format!("{path} {}", subcommand.get_name());
        with_usage(subcommand, &path)
    })
}

/// An argument in a usage line. clap's own text of it exists only in a command that is being parsed.
fn shown(argument: &Arg) -> String {
    let name = argument
        .get_value_names()
        .and_then(<[_]>::first)
        .map_or(argument.get_id().as_str(), |name| name.as_str());
    let more = if matches!(argument.get_action(), ArgAction::Append) { "..." } else { "" };
    match argument.get_long() {
        Some(long) => format!("--{long} <{name}>{more}"),
        None if argument.is_required_set() => format!("<{name}>{more}"),
        None => format!("[{name}]{more}"),
    }
}

/// The name in clap's text `--name <NAME>`.
fn name(argument: &str) -> Option<String> {
    argument.strip_prefix("--")?.split([' ', '=', '[']).next().map(str::to_owned)
}

/// The command, to which any value of these arguments is good, and none is needed.
fn with_any(command: Command, names: &[String]) -> Command {
    let command = command.mut_args(|argument| match argument.get_long() {
        Some(long) if names.iter().any(|name| name == long) => {
            argument.required(false).value_parser(ValueParser::os_string())
        }
        _ => argument,
    });
    command.mut_subcommands(|subcommand| with_any(subcommand, names))
}

/// Faults of the settings, each fault in one sentence.
#[derive(Debug, Default, thiserror::Error)]
pub struct Faults(Vec<String>);

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [fault] => f.write_str(fault),
            faults => {
                write!(f, "{} settings are wrong", faults.len())?;
                faults.iter().try_for_each(|fault| write!(f, "\n  {fault}"))
            }
        }
    }
}

impl Faults {
    /// Adds a fault, once.
    pub fn push(&mut self, fault: String) {
        if !self.0.contains(&fault) {
            self.0.push(fault);
        }
    }

    /// The value of a setting; None, and one more fault, if it cannot be used.
    pub fn check<T, E: fmt::Display>(&mut self, result: Result<T, E>) -> Option<T> {
        result.map_err(|error| self.push(error.to_string())).ok()
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::secrets::{Secrets, SecretsParser};

    #[derive(Debug, Parser)]
    #[command(name = "program")]
    struct Line {
        #[command(subcommand)]
        command: Subcommand,
    }

    #[derive(Debug, clap::Subcommand)]
    enum Subcommand {
        Run(Settings),
    }

    #[derive(Debug, clap::Args)]
    struct Settings {
        #[arg(long)]
        listen: std::net::SocketAddr,
        #[arg(long)]
        database: String,
        #[arg(long)]
        platform: String,
        #[arg(long, default_value_t = 1)]
        pool: u32,
        /// Only together with another one.
        #[arg(long, requires = "password")]
        user: Option<String>,
        #[arg(long)]
        password: Option<String>,
        #[arg(long, env = "SECRET", value_parser = SecretsParser { may_be_empty: true }, default_value = "")]
        secret: Secrets,
    }

    fn checked(line: &str) -> Result<ArgMatches, CommandLineError> {
        check(Line::command(), |command| command.try_get_matches_from(line.split_whitespace()))
    }

    #[test]
    fn all_wrong_and_missing_settings_are_reported_together() {
        let Err(CommandLineError::Settings(faults)) =
            checked("program run --listen nowhere --pool many --secret short")
        else {
            panic!("accepted")
        };
        let text = faults.to_string();
        assert!(text.starts_with("5 settings are wrong\n"), "{text}");
        for part in
            ["--listen <LISTEN>", "'many' for '--pool", "SECRET: has a secret", "--database", "--platform"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("short"), "{text}");
    }

    #[test]
    fn a_usage_line_leaves_out_what_the_environment_gives() {
        let command = Command::new("program").subcommand(
            Command::new("refund")
                .arg(Arg::new("cart").required(true))
                .arg(Arg::new("reason").long("reason").required(true))
                .arg(Arg::new("amount").long("amount"))
                .arg(Arg::new("database").long("database").env("DATABASE").required(true)),
        );
        let error = with_usage(command, "program").try_get_matches_from(["program", "refund", "--help"]);
        let help = error.unwrap_err().to_string();
        assert!(help.contains("Usage: program refund [OPTIONS] <cart> --reason <reason>\n"), "{help}");
    }

    #[test]
    fn a_good_line_is_parsed_and_a_line_of_no_program_is_not() {
        let good = "program run --listen 127.0.0.1:1 --database x --platform y";
        assert!(checked(good).is_ok());
        for bad in ["--what 1", "--user x", "--pool many"] {
            assert!(matches!(checked(&format!("{good} {bad}")), Err(CommandLineError::Usage(_))), "{bad}");
        }
        assert!(matches!(checked("program --help"), Err(CommandLineError::Usage(_))));
    }
}
