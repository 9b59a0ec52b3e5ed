//! The command line of `lethe-mutants`.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use crate::mutant::Mutant;
use crate::{rust, sql};

/// Prints each possible mutant of files of Rust and SQL as one line of JSON.
///
/// A line names the file as it was given, the line and the function, the rule, the code as it stands and as it
/// becomes, and the edits of the file, by bytes, that make a switch of it: the word PLANTED in an edit stands for the
/// expression that is true when the mutant is planted.
#[derive(Parser)]
#[command(name = "lethe-mutants", version)]
struct Options {
    /// Files that end in `.rs` or `.sql`; files of tests have no mutants
    #[arg(required = true)]
    files: Vec<String>,
    /// The folder in which the files lie
    #[arg(long, default_value = ".")]
    root: PathBuf,
}

/// A file whose mutants cannot be found.
#[derive(Debug, thiserror::Error)]
enum ReadFault {
    #[error("{0}: {1}")]
    Unreadable(String, io::Error),
    #[error("{0}: line {1}: {2}")]
    Syntax(String, usize, syn::Error),
    #[error("the output cannot be written: {0}")]
    Output(#[from] io::Error),
}

/// Runs the command of this process.
#[must_use]
pub fn run() -> ExitCode {
    match print_mutants(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            print_fault(&fault);
            ExitCode::FAILURE
        }
    }
}

fn print_mutants(options: &Options) -> Result<(), ReadFault> {
    let mut out = BufWriter::new(io::stdout().lock());
    for file in &options.files {
        for mutant in read_mutants(options, file)? {
            serde_json::to_writer(&mut out, &mutant).map_err(io::Error::from)?;
            out.write_all(b"\n")?;
        }
    }
    Ok(out.flush()?)
}

fn read_mutants(options: &Options, file: &str) -> Result<Vec<Mutant>, ReadFault> {
    let text = std::fs::read_to_string(options.root.join(file));
    let text = text.map_err(|error| ReadFault::Unreadable(file.to_owned(), error))?;
    if file.ends_with(".sql") {
        return Ok(sql::find_mutants(file, &text));
    }
    rust::find_mutants(file, &text)
        .map_err(|error| ReadFault::Syntax(file.to_owned(), error.span().start().line, error))
}

#[expect(clippy::print_stderr, reason = "what a person reads goes here")]
fn print_fault(fault: &ReadFault) {
    eprintln!("lethe-mutants: {fault}");
}
