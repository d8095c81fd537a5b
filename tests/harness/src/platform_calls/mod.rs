//! One list of calls to the course platform, made against the simulator and against a real LMS, with the expected
//! answers. The list is data beside this module, which runs the calls and compares.

mod callers;
mod calls;
mod patterns;
mod targets;
mod words;

use std::{error::Error, fmt::Write};

pub use calls::{Call, Release, all};
pub use targets::{Commands, Target};

/// An error while making a call, for a developer to read.
pub type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// The outcome of one call on one target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The answer is as expected; holds a short form of it.
    Agrees(String),
    Differs(String),
    /// The suite cannot prepare the call on this target, for this reason.
    Skipped(String),
}

/// Makes all calls in order: later calls depend on earlier ones of the same release.
///
/// # Errors
/// The target cannot be prepared or does not answer.
pub async fn run(target: &mut Target) -> Result<Vec<Verdict>> {
    let calls = all()?;
    let mut verdicts = Vec::with_capacity(calls.len());
    let mut release = Release::default();
    for call in &calls {
        if std::mem::replace(&mut release, call.release) != call.release {
            target.begin(call.release).await?;
        }
        verdicts.push(match target.make(call).await {
            Ok(verdict) => verdict,
            Err(error) => Verdict::Differs(format!("no answer to compare: {error}")),
        });
    }
    Ok(verdicts)
}

/// The result table, the full differences below it, and whether all targets agree.
pub fn table(calls: &[Call], simulator: &[Verdict], lms: Option<&[Verdict]>) -> (String, bool) {
    let mut text = format!("{:<42} {:<34} {:<34} {:<34} ok\n", "call", "expected", "simulator", "LMS");
    let mut differences = String::new();
    let mut skipped = 0;
    for (at, call) in calls.iter().enumerate() {
        let seen = [simulator.get(at), lms.and_then(|verdicts| verdicts.get(at))];
        let [first, second] = seen.map(|verdict| match verdict {
            None => "-".to_owned(),
            Some(Verdict::Agrees(seen)) => seen.clone(),
            Some(Verdict::Differs(_)) => "differs".to_owned(),
            Some(Verdict::Skipped(_)) => "skipped".to_owned(),
        });
        let mut ok = "ok";
        for (name, verdict) in ["simulator", "LMS"].iter().zip(seen) {
            match verdict {
                Some(Verdict::Differs(difference)) => {
                    ok = "DIFFERS";
                    let _ = writeln!(differences, "{} ({name}): {difference}", call.name);
                }
                Some(Verdict::Skipped(reason)) => {
                    skipped += 1;
                    let _ = writeln!(differences, "{} ({name}): skipped, {reason}", call.name);
                }
                _ => {}
            }
        }
        let _ = writeln!(text, "{:<42} {:<34} {first:<34} {second:<34} {ok}", call.name, call.expected());
    }
    let good = !simulator.iter().chain(lms.unwrap_or_default()).any(|one| matches!(one, Verdict::Differs(_)));
    let outcome = if good { "all agree" } else { "SOME DIFFER" };
    let _ = writeln!(text, "\n{differences}{} calls, {skipped} skipped: {outcome}", calls.len());
    (text, good)
}

/// The table of the documentation: what clients may rely on, in the order of the calls.
pub fn markdown(calls: &[Call]) -> String {
    let mut text = "| name | release | call | answer | note |\n|---|---|---|---|---|\n".to_owned();
    for call in calls {
        let note = call.note.as_ref().map(|note| format!(" {note}")).unwrap_or_default();
        let (release, shown, answered) = (call.release, call.shown(), call.answered());
        let _ = writeln!(text, "| `{}` | {release:?} | {shown} | {answered} |{note} |", call.name);
    }
    text
}
