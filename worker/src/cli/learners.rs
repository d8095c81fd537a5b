//! `learners`: prints all that is on record about a person, and erases it.

use clap::{Args, Subcommand};
use shared::command_line::say;
use shared::email::Email;
use store::people::erasure::{self, Erased};
use store::people::person;

use super::operator::Operator;
use super::{DatabaseArgs, Failure};

#[derive(Subcommand)]
pub enum LearnersCommand {
    /// Print all that is on record about an email address and the learner who has it, as JSON
    Export(Who),
    /// Erase a person: names and addresses go for good, records of money stay without them. The course platform is not told
    Erase {
        #[command(flatten)]
        who: Who,
        #[command(flatten)]
        operator: Operator,
    },
}

#[derive(Args)]
pub struct Who {
    /// The person's email address
    #[arg(value_parser = |text: &str| Email::parse(text).map_err(|error| error.to_string()))]
    email: Email,
    #[command(flatten)]
    database: DatabaseArgs,
}

pub async fn run(command: LearnersCommand) -> Result<(), Failure> {
    match command {
        LearnersCommand::Export(who) => export(&who).await,
        LearnersCommand::Erase { who, operator } => erase(&who, operator).await,
    }
}

async fn export(who: &Who) -> Result<(), Failure> {
    let db = who.database.pool("learners")?;
    let mut tx = db.begin().await?;
    let person = person::find(&mut tx, &who.email).await?;
    let record = person::export(&mut tx, &person).await?;
    say(serde_json::to_string_pretty(&record)?);
    Ok(())
}

async fn erase(who: &Who, operator: Operator) -> Result<(), Failure> {
    let db = who.database.pool("learners")?;
    let mut tx = db.begin().await?;
    match erasure::erase_address(&mut tx, &who.email, operator.cause()).await? {
        Erased::Unknown => say("nothing is on record about this address"),
        Erased::UnderWay(needed) => {
            let needed = needed.join("; ");
            return Err(format!("nothing was erased, because this is under way: {needed}").into());
        }
        Erased::Done(id) => {
            tx.commit().await?;
            say(format_args!("erased; the records that stay name the person erased-{id}"));
        }
    }
    Ok(())
}
