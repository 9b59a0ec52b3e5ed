//! The catalogue's part in an erasure: addresses in its text are blanked for all that wait, and after a restore for
//! everybody who is forgotten.

use super::user_forget::Run;
use super::{WorkFault, forgotten_text, user_forget_proof as proof};
use crate::clock::millis;
use crate::erase::{self, Open, places};
use crate::evidence::search;
use crate::limits;
use crate::store::StoreFault;

impl Run<'_> {
    /// After the journal was replayed on an older state of the store: the text of its catalogue may hold the addresses of
    /// people who are forgotten again, and nothing but their tags is known. It goes on later when a feed or a reader of the
    /// database is in the way.
    pub(super) async fn look_through_restored(&self) -> Result<(), WorkFault> {
        let account = self.account;
        if !self.node.store.read(move |tx| erase::is_text_due(tx, account)).await? {
            return Ok(());
        }
        self.lease.progress.enter("looking through a restored catalogue");
        forgotten_text::blank(self.node, self.lease).await?;
        if !self.node.sweep_blobs_now(false).await?? {
            return Ok(());
        }
        // Bytes of the rows as they were stand in the files of the database, and nobody will look for them. Not while a
        // reader holds its log: each try would make the log longer by the size of the database.
        match self.node.store.settle().await {
            Err(StoreFault::Busy) => return Ok(()),
            settled => settled?,
        }
        match self.node.store.rebuild().await {
            Err(StoreFault::Busy) => return Ok(()),
            rebuilt => rebuilt?,
        }
        self.write(move |tx| Ok(erase::set_text_due(tx, account, false)?)).await
    }

    /// Looks through the text of the catalogue for everybody whose address it may hold; false while files of it are left
    /// because a feed is being published.
    pub(super) async fn look_through(&self, ready: &mut [&mut Open]) -> Result<bool, WorkFault> {
        const WAITS_FOR: &str = "a feed, an upload or a backup that is being written";
        let (account, now) = (self.account, self.now());
        let (mut wanted, mut seqs) = (Vec::new(), Vec::new());
        for erasure in ready.iter_mut() {
            if erasure.person(&self.node.keys, account)?.emails().next().is_some() {
                seqs.push(erasure.seq);
                wanted.extend(erasure.text_at.is_none().then_some(&mut **erasure));
            }
        }
        if seqs.is_empty() {
            return Ok(true);
        }
        self.lease.progress.enter("looking through the catalogue");
        if !wanted.is_empty() {
            self.count_text(&wanted).await?;
            forgotten_text::blank(self.node, self.lease).await?;
            let looked: Vec<i64> = wanted.iter().map(|erasure| erasure.seq).collect();
            self.write(move |tx| {
                Ok(looked.iter().try_for_each(|seq| erase::looked_through(tx, account, *seq, now))?)
            })
            .await?;
            wanted.into_iter().for_each(|erasure| erasure.text_at = Some(now));
        }
        // Always: an earlier run may have ended before this, and a feed may have left a file a moment ago. On a node that
        // is busy there may never be a moment in which nothing is published.
        let is_late =
            ready.iter().any(|erasure| now - erasure.asked_at > millis(limits::ERASURE_LATE_DURATION));
        if self.node.sweep_blobs_now(is_late).await?? {
            return Ok(true);
        }
        self.write(move |tx| {
            Ok(seqs.iter().try_for_each(|seq| erase::wait(tx, account, *seq, WAITS_FOR))?)
        })
        .await?;
        Ok(false)
    }

    /// Counts the rows of the catalogue that are about to lose somebody's address. Once: after a crash some of them have
    /// lost it already.
    async fn count_text(&self, wanted: &[&mut Open]) -> Result<(), WorkFault> {
        let mut people = Vec::new();
        for erasure in wanted {
            people.push((erasure.seq, erasure.person(&self.node.keys, self.account)?));
        }
        let emails = people.iter().flat_map(|(_, person)| person.emails()).map(str::to_owned).collect();
        let in_text = search::in_text(self.node, self.account, emails, &proof::go_on(self)).await?;
        let counts: Vec<_> =
            people.iter().map(|(seq, person)| (*seq, proof::rows_of(person, &in_text))).collect();
        let account = self.account;
        self.write(move |tx| {
            for (seq, rows) in &counts {
                erase::count_removed_once(tx, account, *seq, places::CATALOGUE, *rows)?;
            }
            Ok(())
        })
        .await
    }
}
