//! Units of work run in batches.
//!
//! The writer runs the units that wait in one transaction and commits them together (group commit): an fsync is
//! paid once for many. Answers go out only after COMMIT. A unit that fails or panics is rolled back alone. When
//! the whole transaction was lost under it, every unit of the batch runs again by itself.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::fault::StoreFault;
use super::owner::Owner;
use super::prefetch::Prefetch;
use super::tx::Tx;
use super::unit_of_work::{Engine, FailureFlag, UnitKind, UnitOfWork};
use super::unit_queue::UnitQueue;

/// Most units committed together.
const BATCH_UNITS: usize = 256;
/// A batch that has run this long takes no further unit.
const BATCH_DURATION: Duration = Duration::from_millis(20);

/// Reads that join another one in its transaction at most. All wait for the last one.
const SHARED_READS: usize = 15;

/// Tries of a batch that another transaction disturbed.
const BATCH_TRIES: u32 = 10;

/// Takes units from the queue for ever and runs them in batches.
pub(super) fn write_loop(engine: &mut dyn Engine, queue: &UnitQueue, failed: &FailureFlag) {
    while let Some(first) = queue.first() {
        let mut batch = vec![first];
        let more = if engine.is_alone() {
            Some(queue)
        } else {
            while batch.len() < BATCH_UNITS
                && let Some(unit) = queue.next(&batch)
            {
                batch.push(unit);
            }
            None
        };
        // Units that no longer fit into its time are the next batch.
        while !batch.is_empty() {
            let began = Instant::now();
            let outcome = run_batch(engine, &mut batch, more);
            let ran = outcome.as_ref().map_or(batch.len(), |ran| *ran);
            queue.charge_batch(&batch[..ran.min(batch.len())], began.elapsed());
            if let Err(fault) = settle(engine, &mut batch, outcome) {
                failed.set();
                tracing::error!(%fault, "a commit failed or was lost; the node stops accepting and restarts");
                // Until the node is gone: a unit left in the queue would wait for ever.
                queue.refuse(&fault);
            }
            queue.let_asked_in(&mut batch, BATCH_UNITS);
        }
    }
}

/// Runs the units of `batch`, and further ones from `more`, while there is time, and commits them together; returns
/// the number that ran.
///
/// Most batches hold no unit that fails after it wrote, and a savepoint for each unit costs the writer time: a batch
/// runs without them first, and once more with them when one has to be undone alone.
fn run_batch(
    engine: &mut dyn Engine,
    batch: &mut Vec<Box<dyn UnitOfWork>>,
    more: Option<&UnitQueue>,
) -> Result<usize, StoreFault> {
    let ran = match run_units(engine, batch, more, run_bare)? {
        Some(ran) => ran,
        None => {
            engine.rollback();
            // Each leaves nothing undone: `None` would be a fault of ours.
            run_units(engine, batch, None, run_in_savepoint)?.ok_or(StoreFault::Panicked)?
        }
    };
    engine.commit()?;
    Ok(ran)
}

/// Runs one unit. `false` = the transaction holds what must not be committed.
type RunUnit = fn(&mut dyn Engine, &mut dyn UnitOfWork, &mut Prefetch) -> Result<bool, StoreFault>;

/// Begins, and runs units while there is time, the first in any case; returns the number. `None`: the transaction
/// holds writes that must not be committed.
fn run_units(
    engine: &mut dyn Engine,
    batch: &mut Vec<Box<dyn UnitOfWork>>,
    more: Option<&UnitQueue>,
    run: RunUnit,
) -> Result<Option<usize>, StoreFault> {
    let owners: Vec<Owner> = batch.iter().map(|unit| unit.owner()).collect();
    engine.begin(&owners)?;
    let began = Instant::now();
    let mut ran = 0;
    let mut ahead = Prefetch::default();
    while ran == 0 || ran < BATCH_UNITS && began.elapsed() < BATCH_DURATION {
        if ran == batch.len() {
            match more.and_then(|queue| queue.next(batch)) {
                Some(unit) => batch.push(unit),
                None => break,
            }
        }
        let Some(unit) = batch.get_mut(ran) else { break };
        if !run(engine, unit.as_mut(), &mut ahead)? {
            return Ok(None);
        }
        ran += 1;
    }
    let mut rest = Tx::join_transaction(engine.connection()?, ahead, false);
    let is_done = rest.flush().is_ok();
    match rest.rerun() {
        Some(fault) => Err(fault.clone()),
        None => Ok(is_done.then_some(ran)),
    }
}

fn run_bare(
    engine: &mut dyn Engine,
    unit: &mut dyn UnitOfWork,
    ahead: &mut Prefetch,
) -> Result<bool, StoreFault> {
    let ran = run_unit(engine, unit, ahead, true)?;
    Ok(ran.kept || !ran.wrote && !ran.failed)
}

fn run_in_savepoint(
    engine: &mut dyn Engine,
    unit: &mut dyn UnitOfWork,
    ahead: &mut Prefetch,
) -> Result<bool, StoreFault> {
    engine.savepoint()?;
    if !run_unit(engine, unit, ahead, false)?.kept {
        *ahead = Prefetch::default();
        engine.undo()?;
    }
    engine.text("RELEASE unit")?;
    Ok(true)
}

/// Outcome of running a unit.
struct Ran {
    /// It wants its effects kept.
    kept: bool,
    /// It ran a statement that writes.
    wrote: bool,
    /// One of its statements failed, or it panicked.
    failed: bool,
}

/// `Err` = the whole transaction is gone, or has to run again.
fn run_unit(
    engine: &mut dyn Engine,
    unit: &mut dyn UnitOfWork,
    ahead: &mut Prefetch,
    is_shared: bool,
) -> Result<Ran, StoreFault> {
    let mut tx = Tx::join_transaction(engine.connection()?, std::mem::take(ahead), is_shared);
    let kept = catch_unwind(AssertUnwindSafe(|| unit.run(&mut tx)));
    let ran = Ran {
        kept: matches!(kept, Ok(true)),
        wrote: tx.has_written(),
        failed: tx.fault().is_some() || kept.is_err(),
    };
    if let Some(fault) = tx.rerun() {
        return Err(fault.clone());
    }
    *ahead = tx.into_ahead();
    ahead.forget_answers();
    if engine.is_alive() { Ok(ran) } else { Err(StoreFault::DiskFull) }
}

/// Sends the answers of a batch; runs it again, whole or one by one, when it was lost. `Err` only when the store has
/// to be opened again: it is unknown whether a COMMIT happened, or the database went back.
fn settle(
    engine: &mut dyn Engine,
    batch: &mut Vec<Box<dyn UnitOfWork>>,
    mut outcome: Result<usize, StoreFault>,
) -> Result<(), StoreFault> {
    for attempt in 1..BATCH_TRIES {
        match &outcome {
            Err(fault) if fault.reruns_batch() => {
                match fault {
                    StoreFault::Disconnected => engine.leave(),
                    _ => engine.rollback(),
                }
                pause(attempt);
                outcome = run_batch(engine, batch, None);
            }
            _ => break,
        }
    }
    match outcome {
        Ok(ran) => send_answers(batch.drain(..ran.min(batch.len())), None),
        Err(fault @ (StoreFault::UnknownOutcome | StoreFault::WentBack)) => {
            engine.rollback();
            answer_all(batch, Some(&fault));
            return Err(fault);
        }
        Err(fault) if batch.len() == 1 => {
            engine.rollback();
            answer_all(batch, Some(&fault));
        }
        Err(_) => {
            engine.rollback();
            for unit in batch.drain(..) {
                let mut alone = vec![unit];
                let outcome = run_batch(engine, &mut alone, None);
                settle(engine, &mut alone, outcome)?;
            }
        }
    }
    Ok(())
}

fn answer_all(batch: &mut Vec<Box<dyn UnitOfWork>>, fault: Option<&StoreFault>) {
    send_answers(batch.drain(..), fault);
}

fn send_answers(units: impl Iterator<Item = Box<dyn UnitOfWork>>, fault: Option<&StoreFault>) {
    for mut unit in units {
        unit.send_answer(fault.cloned());
    }
}

/// A growing pause with jitter between two tries of a disturbed batch.
#[expect(clippy::disallowed_methods, reason = "the thread owns its connection and has nothing else to do")]
fn pause(attempt: u32) {
    let jitter = u64::from(uuid::Uuid::new_v4().as_bytes()[0]);
    std::thread::sleep(Duration::from_micros((1 << attempt.min(8)) * 200 + jitter * 20));
}

/// Takes read units from the queue for ever. Where a transaction costs a round trip to its begin and one to its end,
/// units that look up a few rows and wait together share one; `readers` take from the queue, and each leaves the
/// others their part. Any other unit may take long, and none waits after it for the same reader.
pub(super) fn read_loop(
    engine: &mut dyn Engine,
    queue: &flume::Receiver<Box<dyn UnitOfWork>>,
    readers: usize,
) {
    let mut next = None;
    while let Some(first) = next.take().or_else(|| queue.recv().ok()) {
        let part = (queue.len() / readers).min(SHARED_READS);
        let part = if engine.is_alone() { 0 } else { part };
        let is_short = |unit: &dyn UnitOfWork| unit.kind() == UnitKind::LookUp;
        let mut units = vec![first];
        while units.len() <= part
            && is_short(units[0].as_ref())
            && let Ok(unit) = queue.try_recv()
        {
            if is_short(unit.as_ref()) {
                units.push(unit);
            } else {
                next = Some(unit);
                break;
            }
        }
        while !units.is_empty() {
            let outcome = run_batch(engine, &mut units, None);
            // A read has no effect to be unsure about.
            let _ = settle(engine, &mut units, outcome);
        }
    }
}

#[cfg(test)]
#[path = "batch_tests.rs"]
mod tests;
