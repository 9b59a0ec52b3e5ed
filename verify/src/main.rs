//! `lethe-verify`: checks certificates and the ledger, offline.

fn main() -> std::process::ExitCode {
    lethe_verify::program::run()
}
