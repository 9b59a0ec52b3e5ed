//! Before a feed is published: what it changes, and whether the removal guard lets it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::WorkFault;
use crate::accounts::Account;
use crate::blobs::BlobName;
use crate::catalogue::base::{self, Bases, New};
use crate::catalogue::difference::{self, Difference, Kind};
use crate::catalogue::snapshot::Snapshot;
use crate::feeds::section::Section;
use crate::jobs::Lease;
use crate::limits;
use crate::node::Node;

/// What a feed changes in each of its sections.
pub struct Compared {
    /// The files that the sections showed when they were compared, and how many items were in them.
    shown: BTreeMap<Section, Option<(BlobName, i64)>>,
    differences: Vec<(Section, Difference)>,
}

impl Compared {
    /// Whether the sections still show what they were compared with.
    pub fn is_current(&self, bases: &Bases) -> bool {
        let shows = |section: &Section| bases.get(section).map(|base| base.blob);
        self.shown.iter().all(|(section, shown)| shows(section) == shown.map(|(blob, _)| blob))
    }

    /// Why the feed is not published without being told to; `None`: it may be.
    pub fn refusal(&self, account: &Account) -> Option<String> {
        let (_, difference) = self.differences.iter().find(|(section, _)| *section == Section::Products)?;
        let (_, items) = self.shown.get(&Section::Products).copied().flatten()?;
        let percent = account.removal_percent.unwrap_or(limits::REMOVAL_GUARD_PERCENT);
        let removed = i64::try_from(difference.of(Kind::Removed)).unwrap_or(i64::MAX);
        let is_too_much = items >= limits::REMOVAL_GUARD_ITEMS
            && percent < 100
            && removed.saturating_mul(100) > items.saturating_mul(percent);
        is_too_much.then(|| {
            format!(
                "the feed would remove {removed} of {items} products, and {percent} % is the most one may; the \
                 catalogue was left alone. If it is meant, publish it with `lethe feed publish TOKEN --anyway`"
            )
        })
    }
}

/// Compares what a feed holds with what is shown, and stores the difference with the submission.
pub async fn compare(node: &Arc<Node>, lease: &Lease, sections: &[New]) -> Result<Compared, WorkFault> {
    lease.progress.enter("comparing");
    let (id, seq) = (lease.account, lease.seq);
    let bases = node.store.read(move |tx| base::list(tx, id)).await?;
    let base_of = |new: &New| bases.get(&new.section).map(|base| (base.blob, base.items));
    let shown: BTreeMap<_, _> = sections.iter().map(|new| (new.section, base_of(new))).collect();
    let (blobs, news, olds) = (node.blobs.clone(), sections.to_vec(), shown.clone());
    let comparing = tokio::task::spawn_blocking(move || {
        let of = |new: &New| {
            let old = olds.get(&new.section).copied().flatten();
            let old = old.map(|(blob, _)| Snapshot::open(&blobs, &blob)).transpose()?;
            let new_file = Snapshot::open(&blobs, &new.blob)?;
            let difference = Difference::between(&blobs, new.section, old.as_ref(), &new_file)?;
            Ok::<_, crate::catalogue::CatalogueFault>((new.section, difference))
        };
        news.iter().map(of).collect::<Result<Vec<_>, _>>()
    });
    let differences = comparing.await.map_err(|_| WorkFault::Panicked)??;
    let (fence, written) = (lease.fence(), differences.clone());
    node.store
        .write(move |tx| {
            fence.held(tx)?.ok_or(WorkFault::LeaseLost)?;
            Ok::<_, WorkFault>(difference::write(tx, id, seq, &written)?)
        })
        .await?;
    Ok(Compared { shown, differences })
}
