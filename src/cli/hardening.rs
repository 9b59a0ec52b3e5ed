//! Keeps the memory of the process, which holds keys and people, from other processes and from the disk.

use rustix::fs::Mode;
use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};

/// No core file, no debugger of the same user, and no file that others may read. Best effort: a system that refuses
/// still gets a server.
pub fn harden_process() {
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
    let nothing = Rlimit { current: Some(0), maximum: Some(0) };
    let limited = setrlimit(Resource::Core, nothing);
    let hidden = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    if let Err(error) = limited.and(hidden) {
        // Logs have not started.
        super::print::print_warning(&format!("this process cannot be kept from core dumps: {error}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::{dumpable_behavior, getrlimit};

    #[test]
    fn a_hardened_process_writes_no_core_and_cannot_be_dumped() {
        harden_process();
        let core = getrlimit(Resource::Core);
        assert_eq!((core.current, core.maximum), (Some(0), Some(0)));
        assert!(matches!(dumpable_behavior(), Ok(DumpableBehavior::NotDumpable)));
    }
}
