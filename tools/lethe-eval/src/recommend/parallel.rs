//! Tasks that several threads compute, with the same answers for any number of threads.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The task's answers for 0, 1, … in this order, computed by so many threads.
pub(super) fn run_in_parallel<T: Send>(
    count: usize,
    threads: NonZero<usize>,
    task: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return done;
            }
            done.push((number, task(number)));
        }
    };
    let mut answers = Vec::with_capacity(count);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.get().min(count)).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            answers.extend(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
    });
    answers.sort_unstable_by_key(|(number, _)| *number);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_threads_are_in_the_order_of_their_tasks() {
        for threads in [1, 3, 20] {
            let threads = NonZero::new(threads).expect("some");
            assert_eq!(
                run_in_parallel(9, threads, |number| number * number),
                [0, 1, 4, 9, 16, 25, 36, 49, 64]
            );
            assert!(run_in_parallel(0, threads, |number| number).is_empty());
        }
    }
}
