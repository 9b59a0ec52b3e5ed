//! The command line of `lethe-mutants`.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use crate::mutant::Mutant;
use crate::rust::{StoreCalls, TestModules};
use crate::{rust, sql};

/// Folders of the sources, below the root.
const SOURCES: [&str; 2] = ["src", "verify/src"];

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
    /// The folder in which the files lie, and all sources
    #[arg(long, default_value = ".")]
    root: PathBuf,
    /// Prints the names of the files instead, without those that are compiled for tests alone
    #[arg(long)]
    list_code: bool,
}

/// Facts of all sources that the rules need for one file.
#[derive(Default)]
struct SourceFacts {
    store_calls: StoreCalls,
    test_modules: TestModules,
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
    let facts = read_facts(options)?;
    for file in options.files.iter().filter(|file| !facts.test_modules.contains(file)) {
        if options.list_code {
            writeln!(out, "{file}")?;
            continue;
        }
        for mutant in read_mutants(options, file, &facts.store_calls)? {
            serde_json::to_writer(&mut out, &mutant).map_err(io::Error::from)?;
            out.write_all(b"\n")?;
        }
    }
    Ok(out.flush()?)
}

/// Reads all sources.
fn read_facts(options: &Options) -> Result<SourceFacts, ReadFault> {
    let mut facts = SourceFacts::default();
    let mut folders = SOURCES.map(|folder| options.root.join(folder)).to_vec();
    while let Some(folder) = folders.pop() {
        let unreadable = |error| ReadFault::Unreadable(folder.display().to_string(), error);
        for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = std::fs::read_to_string(&path).map_err(unreadable)?;
                let file = path.strip_prefix(&options.root).unwrap_or(&path);
                facts.store_calls.add_file(&text);
                facts.test_modules.add_file(&file.to_string_lossy(), &text);
            }
        }
    }
    Ok(facts)
}

fn read_mutants(options: &Options, file: &str, store_calls: &StoreCalls) -> Result<Vec<Mutant>, ReadFault> {
    let text = std::fs::read_to_string(options.root.join(file));
    let text = text.map_err(|error| ReadFault::Unreadable(file.to_owned(), error))?;
    if file.ends_with(".sql") {
        return Ok(sql::find_mutants(file, &text));
    }
    rust::find_mutants(file, &text, store_calls)
        .map_err(|error| ReadFault::Syntax(file.to_owned(), error.span().start().line, error))
}

#[expect(clippy::print_stderr, reason = "what a person reads goes here")]
fn print_fault(fault: &ReadFault) {
    eprintln!("lethe-mutants: {fault}");
}
