//! File descriptors, when the system has no more: the fault is reported, and the console and the control socket use
//! some that were kept for them.

use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Instant;

use crate::admission::TenantSemaphore;
use crate::limits;
use crate::node::Node;

/// Descriptors that a listener keeps, and the time when it last told that the system has no more.
pub struct Descriptors {
    /// Pairs that hold two descriptors each.
    kept: Vec<(UnixStream, UnixStream)>,
    most_pairs: usize,
    told: Option<Instant>,
}

/// Returns true if a connection could not be accepted because the process, or the system, has no more descriptors.
pub fn is_out_of_descriptors(error: &std::io::Error) -> bool {
    const OF_PROCESS: i32 = 24;
    const OF_SYSTEM: i32 = 23;
    matches!(error.raw_os_error(), Some(OF_PROCESS | OF_SYSTEM))
}

impl Descriptors {
    /// The listener of shops keeps none: others have the descriptors that it leaves.
    pub fn new(connections: &Arc<TenantSemaphore>, node: &Node) -> Self {
        let is_of_shops = Arc::ptr_eq(connections, &node.resources.connections);
        let most_pairs = if is_of_shops { 0 } else { limits::DESCRIPTORS_KEPT / 2 };
        let mut descriptors = Self { kept: Vec::new(), most_pairs, told: None };
        descriptors.refill();
        descriptors
    }

    /// Keeps as many as it may, if the system has them.
    pub fn refill(&mut self) {
        while self.kept.len() < self.most_pairs {
            let Ok(pair) = UnixStream::pair() else { return };
            self.kept.push(pair);
        }
    }

    /// Says that there are no more, once in a while, and gives a kept pair up: false if there was none.
    pub fn give_up(&mut self, error: &std::io::Error) -> bool {
        metrics::counter!("lethe_descriptors_lacking_total").increment(1);
        let is_told = self.told.is_some_and(|told| told.elapsed() < limits::DESCRIPTORS_TOLD_DURATION);
        if !is_told {
            self.told = Some(Instant::now());
            tracing::warn!(%error, "the system has no more descriptors for connections: raise the limit of open files");
        }
        self.kept.pop().is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Error;

    use super::*;

    #[test]
    fn a_lack_of_descriptors_is_told_from_other_faults() {
        for (number, is_lack) in [(22, false), (23, true), (24, true), (25, false)] {
            assert_eq!(is_out_of_descriptors(&Error::from_raw_os_error(number)), is_lack, "{number}");
        }
        assert!(!is_out_of_descriptors(&Error::other("no number")));
    }

    #[test]
    fn kept_descriptors_are_given_up_one_pair_after_the_other_and_kept_again() {
        let mut descriptors = Descriptors { kept: Vec::new(), most_pairs: 2, told: None };
        descriptors.refill();
        assert_eq!(descriptors.kept.len(), 2);
        let error = Error::from_raw_os_error(24);
        assert_eq!([(); 3].map(|()| descriptors.give_up(&error)), [true, true, false]);
        let told = descriptors.told.expect("it was told");
        descriptors.refill();
        assert_eq!((descriptors.kept.len(), descriptors.told), (2, Some(told)), "told once in a while");
    }
}
