//! One run of an account's erasures, step by step.

use std::sync::Arc;
use std::time::Instant;

use super::context::{ErasureRun, HELD_UP_MILLIS, WAITS_FOR_PAYLOADS};
use super::{lost_key, proof, suppression};
use crate::admission::Tenant;
use crate::clock::{Millis, millis};
use crate::erasure::places::{Database, OutsideCounts};
use crate::erasure::{ErasureState, OpenErasure, SubjectId, places};
use crate::jobs::{End, Lease};
use crate::keys::SlotNumber;
use crate::node::Node;
use crate::recovery::ledger_copy;
use crate::store::{StoreFault, Tx};
use crate::work::fault::{JobResult, WorkFault};
use crate::work::{key_slots, retention, upload};
use crate::{erasure, limits};

/// The same for a reader that holds the database's log.
pub(super) const BUSY_MILLIS: i64 = 1000;

/// The phase of erasures that had to take the reserved room.
pub(super) const ROOM: &str = "going on in the room kept for erasures";

/// Takes the account's erasures as far as they can go.
pub async fn run(node: &Arc<Node>, lease: &Arc<Lease>) -> JobResult {
    let run = ErasureRun { node, lease, account: lease.account, began: Instant::now() };
    let mut open = run.working().await?;
    let stepped = run.steps(&mut open).await;
    let failed = match stepped {
        Ok(failed) => failed,
        Err(WorkFault::LeaseLost) => return Err(WorkFault::LeaseLost),
        Err(fault) if fault.is_disk_full() && node.ballast.release() => {
            tracing::warn!("the disk is full: erasures go on in the room that was kept for them");
            return Ok(End::RetryAt { when: run.now(), phase: ROOM, setback: None });
        }
        Err(fault) => {
            // It is unknown which erasure it was: all that are not verified alarm.
            let all = open
                .iter()
                .filter(|erasure| erasure.state < ErasureState::Verified)
                .map(|erasure| erasure.seq);
            run.alarm(all.collect(), &fault).await?;
            return Err(fault);
        }
    };
    match failed {
        Some(fault) if fault.is_disk_full() && node.ballast.release() => {
            Ok(End::RetryAt { when: run.now(), phase: ROOM, setback: None })
        }
        Some(fault) => Err(fault),
        None => run.end(&open).await,
    }
}

/// Takes the reserved room on a full disk back, once no erasure needs it.
pub(crate) async fn keep_room(node: &Arc<Node>) {
    let now = node.clock.now();
    let waiting = node.store.read(move |tx| erasure::waiting(tx, now)).await;
    if waiting.is_ok_and(|waiting| waiting.open == 0) {
        let node = node.clone();
        // It is looked again in a few seconds.
        let _ = tokio::task::spawn_blocking(move || node.ballast.reserve()).await;
    }
}

impl ErasureRun<'_> {
    pub(super) async fn working(&self) -> Result<Vec<OpenErasure>, WorkFault> {
        let account = self.account;
        Ok(self.node.store.read(move |tx| erasure::working(tx, account, limits::ERASURES_AT_ONCE)).await?)
    }

    /// The time: a step is recorded with the time when it was done, not when the run began.
    pub(super) fn now(&self) -> Millis {
        self.node.clock.now()
    }

    /// Runs a unit of work of this job.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&mut Tx<'_>) -> Result<T, WorkFault> + Send + 'static,
    ) -> Result<T, WorkFault> {
        self.lease.write(&self.node.store, work).await
    }

    /// All steps, each for those that are ready for it. A fault of one erasure alone is recorded with it and returned
    /// at the end, so that the others go on.
    async fn steps(&self, open: &mut [OpenErasure]) -> Result<Option<WorkFault>, WorkFault> {
        let mut failed = self.forget(open).await?;
        // Takes minutes where much is stored. If the turn is taken the worker is given back, for keys that are to be
        // destroyed.
        let turn = self.node.resources.proofs.try_take(Tenant::Account(self.account), 1);
        if turn.is_none() {
            return Ok(failed);
        }
        if self.settle(open).await? {
            let unproven = proof::prove(self, open).await?;
            failed = failed.or(unproven);
        }
        ledger_copy::follow(&self.node.store, &self.node.journal, self.account).await?;
        Ok(failed)
    }

    /// The steps until nothing about the people is stored or known any more.
    pub(super) async fn forget(&self, open: &mut [OpenErasure]) -> Result<Option<WorkFault>, WorkFault> {
        let mut failed = None;
        lost_key::end(self, open).await?;
        for erasure in open.iter_mut().filter(|erasure| erasure.state == ErasureState::Accepted) {
            let fenced = suppression::fence(self, erasure).await;
            self.record_fault(erasure, fenced, &mut failed).await?;
        }
        self.shred(open).await?;
        for erasure in self.ready(open).await? {
            let deleted = self.delete(erasure).await;
            self.record_fault(erasure, deleted, &mut failed).await?;
        }
        let known = self.unlearn(open).await?;
        Ok(failed.or(known))
    }

    /// Returns true if it is the turn of others.
    fn is_turn_over(&self) -> bool {
        self.began.elapsed() > limits::ERASURE_TURN_DURATION
    }

    /// Keeps a fault of one erasure with it.
    async fn record_fault(
        &self,
        erasure: &OpenErasure,
        outcome: Result<(), WorkFault>,
        failed: &mut Option<WorkFault>,
    ) -> Result<(), WorkFault> {
        match outcome {
            Ok(()) => Ok(()),
            Err(WorkFault::LeaseLost) => Err(WorkFault::LeaseLost),
            Err(fault) => {
                self.alarm(vec![erasure.seq], &fault).await?;
                *failed = Some(fault);
                Ok(())
            }
        }
    }

    /// Writes a fault to the erasures it stopped. On a disk that is full it is written once there is room again.
    async fn alarm(&self, seqs: Vec<i64>, fault: &WorkFault) -> Result<(), WorkFault> {
        let account = self.account;
        let reason = fault.to_string();
        tracing::error!(account = account.0, erasures = seqs.len(), %fault, "an erasure could not go on; it is tried again");
        let noted = self.write(move |tx| {
            Ok(seqs.iter().try_for_each(|seq| erasure::fail(tx, account, *seq, &reason))?)
        });
        match noted.await {
            Err(WorkFault::LeaseLost) => Err(WorkFault::LeaseLost),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    pub(super) async fn subjects(&self, seq: i64) -> Result<Vec<(SubjectId, SlotNumber)>, WorkFault> {
        let account = self.account;
        let subjects = self.lease.read(&self.node.store, move |tx| Ok(erasure::subjects(tx, account, seq)?));
        subjects.await
    }

    /// Erasures whose keys are gone and that have no older sealed payload left, which might hold the person.
    async fn ready<'o>(&self, open: &'o mut [OpenErasure]) -> Result<Vec<&'o mut OpenErasure>, WorkFault> {
        let account = self.account;
        let mut ready = Vec::new();
        let mut held_up = Vec::new();
        let mut overdue = 0;
        for erasure in open.iter_mut().filter(|erasure| erasure.state == ErasureState::Shredded) {
            let seq = erasure.seq;
            if self.node.store.read(move |tx| places::payloads_before(tx, account, seq)).await? == 0 {
                ready.push(erasure);
            } else {
                held_up.push(seq);
                if self.now() - erasure.asked_at > millis(limits::ERASURE_WAIT_DURATION) {
                    overdue = seq;
                }
            }
        }
        if let Some(newest) = held_up.iter().copied().max() {
            upload::give_up_for_erasure(self.node, account, newest, overdue).await?;
            self.write(move |tx| {
                Ok(held_up.iter().try_for_each(|seq| erasure::wait(tx, account, *seq, WAITS_FOR_PAYLOADS))?)
            })
            .await?;
        }
        Ok(ready)
    }

    /// Deletes the stored data of the person's subjects, place by place, some rows at a time, until it is done or the
    /// turn of others.
    async fn delete(&self, erasure: &mut OpenErasure) -> Result<(), WorkFault> {
        self.lease.progress.enter("deleting");
        let account = self.account;
        let seq = erasure.seq;
        let subjects = self.subjects(seq).await?;
        let ids: Arc<[SubjectId]> = subjects.iter().map(|(subject, _)| *subject).collect();
        let person = erasure.person(&self.node.keys, account)?;
        let asked = self.node.keys.lookup_tag(account, &person.asked);
        loop {
            let ids = ids.clone();
            let clock = self.node.clock.clone();
            let deleting = self.write(move |tx| {
                let removed = erasure::orders_with_address::delete_some(tx, account, seq, &asked)?;
                let is_done = !removed.is_more && places::delete_some(tx, account, seq, &ids)?;
                if is_done {
                    erasure::advance(tx, account, seq, ErasureState::Deleted, clock.now())?;
                }
                Ok((removed.sessions, is_done))
            });
            let (sessions, is_done) = deleting.await?;
            self.node.derived.models().leave_out(account, &sessions).await;
            if is_done {
                break;
            }
            if self.is_turn_over() {
                return Ok(());
            }
        }
        erasure.state = ErasureState::Deleted;
        // Their rows are gone, so the places of their keys may be used again.
        let slots: Vec<_> = subjects.into_iter().map(|(_, slot)| slot).collect();
        key_slots::put_back(self.node, &slots)
    }

    /// Removes all deleted people from every model, and counts those who are still in one: their erasures keep their
    /// state.
    async fn unlearn(&self, open: &mut [OpenErasure]) -> Result<Option<WorkFault>, WorkFault> {
        let account = self.account;
        let now = self.now();
        let mut unlearned = Vec::new();
        for erasure in open.iter_mut().filter(|erasure| erasure.state == ErasureState::Deleted) {
            let people = erasure.person(&self.node.keys, account)?.subjects;
            let models = &self.node.derived;
            let before = models.count(account, &people).await;
            models.forget(account, &people).await;
            let seen = OutsideCounts { models: Some(models.count(account, &people).await), files: None };
            unlearned.push((erasure, before, places::count_outside(&seen)));
        }
        if unlearned.is_empty() {
            return Ok(None);
        }
        let counts: Vec<_> =
            unlearned.iter().map(|(erasure, before, left)| (erasure.seq, *before, left.clone())).collect();
        self.write(move |tx| {
            for (seq, before, all) in &counts {
                for (place, left) in all {
                    erasure::count_removed(tx, account, *seq, place, before.saturating_sub(*left))?;
                    erasure::note_found(tx, account, *seq, place, *left)?;
                }
                if is_nothing(all) {
                    erasure::advance(tx, account, *seq, ErasureState::Unlearned, now)?;
                }
            }
            Ok(())
        })
        .await?;
        let (done, known): (Vec<_>, Vec<_>) = unlearned.into_iter().partition(|(.., left)| is_nothing(left));
        done.into_iter().for_each(|(erasure, ..)| erasure.state = ErasureState::Unlearned);
        if known.is_empty() {
            return Ok(None);
        }
        let fault = WorkFault::Residue(places::MODELS.to_owned());
        self.alarm(known.iter().map(|(erasure, ..)| erasure.seq).collect(), &fault).await?;
        Ok(Some(fault))
    }

    /// Moves all people from one state to the next in one unit of work.
    async fn advance(
        &self,
        open: &mut [OpenErasure],
        from: ErasureState,
        to: ErasureState,
    ) -> Result<(), WorkFault> {
        let seqs: Vec<i64> =
            open.iter().filter(|erasure| erasure.state == from).map(|erasure| erasure.seq).collect();
        if seqs.is_empty() {
            return Ok(());
        }
        let account = self.account;
        let now = self.now();
        self.write(move |tx| {
            for seq in &seqs {
                erasure::advance(tx, account, *seq, to, now)?;
            }
            Ok(())
        })
        .await?;
        open.iter_mut().filter(|erasure| erasure.state == from).for_each(|erasure| erasure.state = to);
        Ok(())
    }

    /// Empties the database's log, in which overwritten rows stand; false while a reader holds it. Where the files are
    /// another program's nothing is settled, and no erasure claims that it is.
    async fn settle(&self, open: &mut [OpenErasure]) -> Result<bool, WorkFault> {
        const WAITS_FOR: &str = "a reader that holds the log of the database";
        let has_nothing = Database::from_store(&self.node.store).is_apart();
        if has_nothing || open.iter().all(|erasure| erasure.state != ErasureState::Unlearned) {
            return Ok(true);
        }
        self.lease.progress.enter("settling");
        // Nothing leads to the key of a person whose consent was withdrawn just now either.
        retention::end_withdrawn(self.node).await?;
        match self.node.store.settle().await {
            Ok(()) => self.advance(open, ErasureState::Unlearned, ErasureState::Settled).await.map(|()| true),
            Err(StoreFault::Busy) => {
                let account = self.account;
                let waiting = open.iter().filter(|erasure| erasure.state == ErasureState::Unlearned);
                let seqs: Vec<i64> = waiting.map(|erasure| erasure.seq).collect();
                self.write(move |tx| {
                    Ok(seqs.iter().try_for_each(|seq| erasure::wait(tx, account, *seq, WAITS_FOR))?)
                })
                .await?;
                Ok(false)
            }
            Err(fault) => Err(fault.into()),
        }
    }

    /// Returns true if only the proof is left in a state. An erasure that was settled elsewhere came out of a backup.
    pub(super) fn is_to_prove(&self, state: ErasureState) -> bool {
        let is_apart = Database::from_store(&self.node.store).is_apart();
        state == ErasureState::Settled || is_apart && state == ErasureState::Unlearned
    }

    /// Ends the job when nothing is open any more; otherwise it runs again.
    async fn end(&self, open: &[OpenErasure]) -> JobResult {
        let account = self.account;
        let ending = self.lease.write_last(&self.node.store, move |tx| {
            Ok::<_, WorkFault>(erasure::working(tx, account, 1)?.is_empty().then_some(()))
        });
        if ending.await?.is_some() {
            return Ok(End::Done);
        }
        let (pause, phase) = match open.iter().map(|erasure| erasure.state).min() {
            Some(ErasureState::Shredded) if self.is_turn_over() => (0, "waiting for its turn"),
            Some(state) if state == ErasureState::Shredded || self.is_to_prove(state) => {
                (HELD_UP_MILLIS, "waiting for what was accepted earlier")
            }
            Some(ErasureState::Unlearned) => {
                (BUSY_MILLIS, "waiting for a reader of the database, or for a turn to be proven")
            }
            _ => (0, "waiting"),
        };
        Ok(End::RetryAt { when: self.now() + pause, phase, setback: None })
    }
}

pub(super) fn is_nothing(left: &[(&str, u64)]) -> bool {
    left.iter().all(|(_, left)| *left == 0)
}
