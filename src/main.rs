//! The `lethe` program: see `lethe --help`.

use std::process::ExitCode;

use mimalloc::MiMalloc;
use zeroizing_alloc::ZeroAlloc;

/// Overwrites what is given back: what a request said of a person does not stay in memory behind it.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<MiMalloc> = ZeroAlloc(MiMalloc);

fn main() -> ExitCode {
    lethe::cli::run()
}
