//! Destroying the keys of all fenced people: the point of no return, after which nothing about them can be read.

use tokio::sync::MutexGuard;

use super::context::ErasureRun;
use super::journal;
use crate::erasure::{self, ErasureState, OpenErasure, places};
use crate::keys::SlotNumber;
use crate::recovery::ledger_copy;
use crate::work::fault::WorkFault;
use crate::work::key_slots;

impl ErasureRun<'_> {
    /// Destroys the keys of all fenced people, in one write to the key file: the point of no return.
    pub(super) async fn shred(&self, open: &mut [OpenErasure]) -> Result<(), WorkFault> {
        let _alone = self.lock_shredding().await;
        let mut shredded = Vec::new();
        for erasure in open.iter_mut().filter(|erasure| erasure.state == ErasureState::Fenced) {
            let subjects = self.subjects(erasure.seq).await?;
            shredded.push((erasure, subjects));
        }
        if shredded.is_empty() {
            return Ok(());
        }
        self.lease.progress.enter("shredding");
        // The journal needs this for an older state of the store: before the keys go, not after.
        let fenced = shredded.iter().map(|(erasure, subjects)| {
            let subjects = subjects.iter().map(|(subject, _)| *subject).collect();
            journal::record_of(&self.node.keys, self.account, erasure, subjects)
        });
        let records = fenced.collect::<Result<_, _>>()?;
        let appended = self.node.journal.append_async(records).await?;
        let slots = shredded.iter().flat_map(|(_, subjects)| subjects).map(|(_, slot)| *slot).collect();
        key_slots::destroy(self.node, slots).await?;
        let counts = shredded.iter().map(|(erasure, subjects)| {
            let slots: Vec<SlotNumber> = subjects.iter().map(|(_, slot)| *slot).collect();
            (erasure.seq, slots.len() as u64, places::keys_left(&self.node.keys, &slots))
        });
        let counts: Vec<_> = counts.collect();
        if let Some((place, _)) = counts.iter().flat_map(|(.., left)| left).find(|(_, left)| *left > 0) {
            return Err(WorkFault::Residue((*place).to_owned()));
        }
        let account = self.account;
        let now = self.now();
        self.write(move |tx| {
            ledger_copy::record_journal_end(tx, &appended)?;
            for (seq, keys, left) in &counts {
                for (place, left) in left {
                    erasure::count_removed(tx, account, *seq, place, keys - left)?;
                    erasure::note_found(tx, account, *seq, place, *left)?;
                }
                erasure::advance(tx, account, *seq, ErasureState::Shredded, now)?;
            }
            Ok(())
        })
        .await?;
        shredded.into_iter().for_each(|(erasure, _)| erasure.state = ErasureState::Shredded);
        Ok(())
    }

    /// Held from reading the keys that go until they are gone. A run that lost its lease on the way (a machine that
    /// slept) finishes before the next one gives the slots back, as other people's keys may lie there from then on.
    pub(super) async fn lock_shredding(&self) -> MutexGuard<'_, ()> {
        self.node.shredding.lock().await
    }
}
