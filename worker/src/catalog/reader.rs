//! Reads a catalog file: checks its lines and turns the changed records into batches of rows. No database here.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};

use indicatif::ProgressBar;
use shared::clock::Clock;
use store::catalog::import;
use store::catalog::known::{self, Digest, Known, References};
use store::error::JobError;
use uuid::Uuid;

use super::record::Record;
use super::{BadLines, ImportError, Imported, references, rows};

/// A batch ends once it has this many records or bytes. The digests of so many fit into one segment of the loopback
/// interface.
const BATCH: usize = 700;
const BATCH_BYTES: usize = 8 * 1024 * 1024;

/// Longest accepted line, in bytes; no course record is longer.
const LONGEST_LINE: u64 = 16 * 1024 * 1024;

/// The changed records among some lines of the file.
#[derive(Default)]
pub struct Batch {
    /// Kind, key and digest of each.
    pub digests: Vec<(&'static str, String, Digest)>,
    pub rows: import::Batch,
}

/// Reads the file from batch to batch. It keeps only keys, names and digests in memory.
pub struct Reader {
    file: BufReader<File>,
    line: Vec<u8>,
    /// Number of lines read.
    number: usize,
    /// Indicates whether a line was too long, so that the rest is not read.
    ended: bool,
    references: References,
    /// By kind and key: the records of earlier imports and of this file.
    known: HashMap<String, Known>,
    /// The reviews read so far in this file.
    reviews: HashSet<Uuid>,
    bad: BadLines,
    imported: Imported,
    progress: ProgressBar,
    clock: Clock,
}

impl Reader {
    pub fn new(
        file: File,
        references: References,
        known: HashMap<String, Known>,
        progress: ProgressBar,
        clock: Clock,
    ) -> Self {
        Self {
            file: BufReader::new(file),
            line: Vec::new(),
            number: 0,
            ended: false,
            references,
            known,
            reviews: HashSet::new(),
            bad: BadLines::default(),
            imported: Imported::default(),
            progress,
            clock,
        }
    }

    /// The bad lines, and how many records were read and have changed.
    pub fn finish(self) -> (BadLines, Imported) {
        (self.bad, self.imported)
    }

    /// The next batch; None at the end of the file. After the first bad line all batches are empty: the rest of the file is
    /// only checked, to report every bad line.
    ///
    /// # Errors
    /// The file cannot be read, or a record that passed the checks does not fit the tables.
    pub fn next(&mut self) -> Result<Option<Batch>, ImportError> {
        let (mut batch, mut records, mut bytes) = (Batch::default(), 0, 0);
        while records < BATCH && bytes < BATCH_BYTES {
            let Some(read) = self.read_line()? else { break };
            bytes += read;
            let line = std::mem::take(&mut self.line);
            if !line.trim_ascii().is_empty() {
                records += 1;
                self.add(&line, &mut batch)?;
            }
            self.line = line;
        }
        self.imported.records += records;
        if bytes == 0 {
            return Ok(None);
        }
        Ok(Some(if self.bad.count > 0 { Batch::default() } else { batch }))
    }

    /// Reads a line into `self.line`. Returns its length in bytes; None at the end.
    fn read_line(&mut self) -> Result<Option<usize>, ImportError> {
        if self.ended {
            return Ok(None);
        }
        self.line.clear();
        let read = (&mut self.file).take(LONGEST_LINE + 1).read_until(b'\n', &mut self.line)?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        self.progress.inc(read as u64);
        if read as u64 > LONGEST_LINE {
            let reason =
                format!("is longer than {} MiB; the rest of the file was not read", LONGEST_LINE >> 20);
            self.bad.push(self.number, reason);
            self.ended = true;
            return Ok(None);
        }
        Ok(Some(read))
    }

    /// Adds the rows of a line's record to the batch, if the record has changed.
    fn add(&mut self, line: &[u8], batch: &mut Batch) -> Result<(), ImportError> {
        let text = std::str::from_utf8(line).map_err(|_| "is not UTF-8".to_owned());
        let read = text.and_then(|line| Record::read(line.trim())).and_then(|mut record| {
            references::check(&mut self.references, &mut record)?;
            let changed = self.changed(&mut record)?;
            Ok((record, changed))
        });
        match read {
            Ok((record, Some(digest))) if self.bad.count == 0 => {
                self.imported.changed += 1;
                rows::add(&mut batch.rows, &record, &self.references, self.clock.now())
                    .map_err(JobError::dead)?;
                let (kind, key) = record.key();
                batch.digests.push((kind, key, digest));
            }
            Ok(_) => {}
            Err(reason) => self.bad.push(self.number, reason),
        }
        Ok(())
    }

    /// The digest of a record that differs from its last import.
    fn changed(&mut self, record: &mut Record) -> Result<Option<Digest>, String> {
        if let Record::ExchangeRate(rate) = record {
            rate.as_of.get_or_insert(self.clock.now().date_naive());
        }
        let digest = record.digest()?;
        let (kind, key) = record.key();
        let known = self.known.entry(known::name(kind, &key)).or_default();
        if std::mem::replace(&mut known.seen, true) {
            return Err(format!("{kind} {key} appears twice in this file"));
        }
        for review in record.reviews() {
            if !self.reviews.insert(review.id) {
                return Err(format!("review {} appears twice in this file", review.id));
            }
        }
        Ok((known.digest != Some(digest)).then_some(digest))
    }
}
