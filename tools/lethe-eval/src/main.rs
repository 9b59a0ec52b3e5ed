//! The `lethe-eval` program: see `lethe-eval --help`.

use std::process::ExitCode;

use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    lethe_eval::cli::run()
}
