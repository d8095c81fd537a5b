//! `documents`: verifies the chain of a seller's documents, and exports it for an auditor.

use std::io::{self, BufWriter, ErrorKind, Write};

use clap::{Args, Subcommand, value_parser};
use shared::command_line::say;

use super::{DatabaseArgs, Failure, organisation};
use crate::documents::chain::{self, ChainError, Manifest};

#[derive(Subcommand)]
pub enum DocumentsCommand {
    /// Verify that the chained documents of a year are those that were issued, without a gap. Fails, and names the first that is missing
    /// or changed
    Verify(OfYear),
    /// Export the chained documents of a year to standard output, for an auditor: JSON Lines, the first of which says how to verify the
    /// others. Verifies them, too
    Export(OfYear),
}

#[derive(Args)]
pub struct OfYear {
    /// The organisation's short name
    organisation: String,
    /// The year in which the fiscal year begins, such as 2026
    #[arg(value_parser = value_parser!(i32).range(2000..=9999))]
    year: i32,
    #[command(flatten)]
    database: DatabaseArgs,
}

pub async fn run(command: DocumentsCommand) -> Result<(), Failure> {
    match command {
        DocumentsCommand::Verify(of) => verify(of, &mut io::sink()).await?.iter().for_each(report),
        DocumentsCommand::Export(of) => drop(verify(of, &mut BufWriter::new(io::stdout().lock())).await?),
    }
    Ok(())
}

/// Verifies a year, and writes it. None: the reader of the output, such as `head`, has read enough.
async fn verify(of: OfYear, out: &mut impl Write) -> Result<Option<Manifest>, Failure> {
    let db = of.database.pool("documents")?;
    let id = organisation(&db, &of.organisation).await?;
    match chain::verify(&db, id, &of.organisation, of.year, out).await {
        Ok((manifest, None)) => Ok(Some(manifest)),
        Ok((_, Some(fault))) => Err(format!("the chain is broken: {fault}").into()),
        Err(ChainError::Output(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn report(manifest: &Manifest) {
    let Manifest { from, to, first_position, last_position, digest, unchained, .. } = manifest;
    say(format_args!(
        "{from} to {to}: documents {first_position} to {last_position} of the chain are as they were issued"
    ));
    say(format_args!("digest of the last one: {digest}"));
    if let (Some(from), Some(to)) = (&manifest.unchained_from, &manifest.unchained_to) {
        say(format_args!("outside of the chain, issued without `chained`: {unchained}, from {from} to {to}"));
    }
}
