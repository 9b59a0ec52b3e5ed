//! The `lethe` program: see `lethe --help`.

use std::process::ExitCode;

use mimalloc::MiMalloc;
use zeroizing_alloc::ZeroAlloc;

/// Overwrites freed memory: a request's personal data does not stay there after the request.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<MiMalloc> = ZeroAlloc(MiMalloc);

fn main() -> ExitCode {
    // The allocator asks for pages of 2 MiB, and each idle thread keeps some: a third of a server's memory. A kernel
    // without them refuses, which is as good.
    rustix::thread::disable_transparent_huge_pages(true).ok();
    lethe::cli::run()
}
