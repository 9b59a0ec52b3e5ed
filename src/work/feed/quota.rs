//! Check that the files of a feed fit into the quota of its account.

use std::sync::Arc;

use super::switch_sections::SectionSwitch;
use crate::accounts::quota::{self, QuotaExceeded};
use crate::args;
use crate::catalogue::base::{self, NewSnapshot};
use crate::ids::AccountId;
use crate::jobs::Lease;
use crate::limits;
use crate::node::Node;
use crate::sql;
use crate::store::{StoreFault, Tx};

/// Refuses a checked feed whose snapshots would exceed its account's limit, shown or held back. A feed that takes no
/// more than it sets free always fits.
///
/// # Errors
/// When the store fails. Too little room is an answer.
pub(super) async fn check(
    node: &Node,
    lease: &Lease,
    switch: &Arc<SectionSwitch>,
    is_held: bool,
) -> Result<Result<(), QuotaExceeded>, StoreFault> {
    // Republished sections are counted already.
    if switch.origin.is_some() {
        return Ok(Ok(()));
    }
    let id = lease.account;
    let seq = lease.seq;
    let part = node.quota_part();
    let switch = switch.clone();
    let checking = node.store.read(move |tx| {
        let more =
            if is_held { held_back(tx, id, &switch.sections)? } else { count_added_bytes(tx, id, &switch)? };
        // The pieces of an upload go with its end.
        let holding = quota::quota_use(tx, id, Some(seq), part)?;
        Ok(if more > 0 { holding.check_room(more) } else { Ok(()) })
    });
    checking.await
}

/// Bytes by which the files of an account grow if the sections are shown.
fn count_added_bytes(tx: &mut Tx<'_>, account: AccountId, switch: &SectionSwitch) -> Result<i64, StoreFault> {
    let bases = base::list(tx, account)?;
    let mut more = 0;
    for new in &switch.sections {
        if !switch.places.may_publish(bases.get(&new.section)) {
            continue;
        }
        let kept = base::list_retained(tx, account, new.section)?;
        if !kept.iter().any(|kept| kept.new.blob == new.blob && kept.new.sku_blob == new.sku_blob) {
            more += new.bytes - count_freed_bytes(kept.iter().map(|kept| kept.new.bytes));
        }
    }
    Ok(more)
}

/// The same if they are held back.
fn held_back(tx: &mut Tx<'_>, account: AccountId, sections: &[NewSnapshot]) -> Result<i64, StoreFault> {
    let bytes = |sections: &[NewSnapshot]| sections.iter().map(|new| new.bytes).sum::<i64>();
    let mut more = bytes(sections);
    for old in tx.run(&sql::held_snapshot_seqs, args![account.0])?.iter().skip(limits::HELD_FEEDS - 1) {
        more -= bytes(&base::list_held(tx, account, old.int("seq")?)?);
    }
    Ok(more)
}

/// Bytes that go when a section gets one more snapshot, out of the bytes of those that are kept, the newest first.
fn count_freed_bytes(kept: impl Iterator<Item = i64>) -> i64 {
    kept.skip(limits::SNAPSHOTS_KEPT - 1).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_more_snapshot_frees_those_for_which_there_is_no_place_any_more() {
        let freed = |number: usize| count_freed_bytes([1, 10, 100, 1000].into_iter().take(number));
        assert_eq!([0, 1, 2, 3, 4].map(freed), [0, 0, 0, 100, 1100]);
    }
}
