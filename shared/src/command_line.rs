//! Reads a program's command line and settings, and reports everything that is wrong with them at once: an operator who
//! sets up a deployment should not have to restart it for each fault.

use std::collections::BTreeSet;
use std::fmt;
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::builder::ValueParser;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches};

use crate::metrics::COMMIT;

/// What `--version` prints after the program's name.
pub fn version() -> &'static str {
    static VERSION: LazyLock<String> =
        LazyLock::new(|| format!("{} (commit {COMMIT})", env!("CARGO_PKG_VERSION")));
    &VERSION
}

/// Parses the command line. If settings are wrong or missing, prints all of them and exits with status 2; clap itself
/// stops at the first.
pub fn parse<C: CommandFactory + FromArgMatches>() -> C {
    let arguments: Vec<_> = std::env::args_os().collect();
    match check(C::command(), |command| command.try_get_matches_from(&arguments)) {
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

/// What is wrong with the settings, each fault in one sentence.
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
    fn a_good_line_is_parsed_and_a_line_of_no_program_is_not() {
        let good = "program run --listen 127.0.0.1:1 --database x --platform y";
        assert!(checked(good).is_ok());
        for bad in ["--what 1", "--user x", "--pool many"] {
            assert!(matches!(checked(&format!("{good} {bad}")), Err(CommandLineError::Usage(_))), "{bad}");
        }
        assert!(matches!(checked("program --help"), Err(CommandLineError::Usage(_))));
    }
}
