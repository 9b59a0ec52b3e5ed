//! The `lethe-mutants` program: see `lethe-mutants --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    lethe_mutants::cli::run()
}
