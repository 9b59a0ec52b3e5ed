//! The people of a feed: read back from their sealed spool and stored, each under their own key.

use std::io::{BufReader, Read};
use std::sync::Arc;

use crate::accounts::Account;
use crate::blobs::BlobWriter;
use crate::feeds::reader::{RawRow, RowOrigin};
use crate::feeds::rows::NormaliserContext;
use crate::feeds::section::FeedPart;
use crate::ids::SubmissionToken;
use crate::jobs::Lease;
use crate::keys::{SealedReader, SlotNumber};
use crate::node::Node;
use crate::people::profile::{self, Profile};
use crate::work::delta_read::profile;
use crate::work::erasure::address_check;
use crate::work::fault::WorkFault;
use crate::work::key_slots;
use crate::work::people::{self, Spooled};
use crate::{accept, limits};

/// Stores every profile of the spool, which was sealed under the key in `slot` and bound to `token`.
///
/// # Errors
/// When the store or a key fails, the spool does not open, or the lease is lost.
pub async fn store(
    node: &Arc<Node>,
    lease: &Arc<Lease>,
    account: &Arc<Account>,
    mut spool: BlobWriter,
    (slot, token): (SlotNumber, SubmissionToken),
) -> Result<(), WorkFault> {
    lease.progress.enter("storing people");
    let sealer = node.keys.sealer(slot)?;
    let aad = accept::payload_aad(lease.account, token);
    let blob = spool.read_back()?;
    let mut reader = SealedReader::new(&sealer, &aad, BufReader::new(blob.reader()))?;
    loop {
        let rows = next_rows(&mut reader)?;
        if rows.is_empty() {
            return Ok(());
        }
        let read = |is_forgotten: &dyn Fn(&str) -> bool| Ok(profiles(node, account, &rows, is_forgotten));
        let profiles = address_check::reading(node, account.id, read).await?;
        key_slots::store_each(node, lease, profiles, profile::prefetch, profile::store).await?;
    }
}

/// Reads as many rows as one unit of work stores, in number and in bytes.
fn next_rows(reader: &mut impl Read) -> Result<Vec<Spooled>, WorkFault> {
    let mut rows = Vec::with_capacity(limits::UNIT_PROFILES);
    let mut bytes = 0;
    while rows.len() < limits::UNIT_PROFILES && bytes < limits::UNIT_PROFILES_BYTES {
        let Some(spooled) = people::read_row(reader)? else { break };
        bytes += spooled.json.len();
        rows.push(spooled);
    }
    Ok(rows)
}

/// The profiles of rows that were good when they were spooled; their issues were recorded then.
fn profiles(
    node: &Node,
    account: &Account,
    rows: &[Spooled],
    is_forgotten: &dyn Fn(&str) -> bool,
) -> Vec<Profile> {
    let tag = |text: &str| node.keys.account_tag(account.id, text);
    let context = NormaliserContext { default_currency: None, account_tag: &tag, noticed: None };
    let profile_of = |Spooled { number, offset, json }: &Spooled| {
        let row = RawRow {
            section: FeedPart::Users,
            number: *number,
            offset: *offset,
            origin: RowOrigin::Feed,
            json,
        };
        profile(&row, &context, is_forgotten, &mut Vec::new())
    };
    rows.iter().filter_map(profile_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The spool of so many people with rows of a length.
    fn spool_of(people: usize, length: usize) -> Vec<u8> {
        let json = vec![b' '; length];
        let row =
            RawRow { section: FeedPart::Users, number: 1, offset: 0, origin: RowOrigin::Feed, json: &json };
        let mut spool = Vec::new();
        (0..people).for_each(|_| people::write(&mut spool, &row).expect("written"));
        spool
    }

    #[test]
    fn a_unit_of_work_reads_people_up_to_its_number_or_its_bytes() {
        let read = |spool: Vec<u8>| {
            let mut spool = spool.as_slice();
            [(); 3].map(|()| next_rows(&mut spool).map_or(usize::MAX, |rows| rows.len()))
        };
        assert_eq!(read(spool_of(limits::UNIT_PROFILES + 1, 2)), [limits::UNIT_PROFILES, 1, 0]);
        let half = limits::UNIT_PROFILES_BYTES / 2;
        assert_eq!(read(spool_of(3, half)), [2, 1, 0]);
        assert_eq!(read(spool_of(4, half - 1)), [3, 1, 0]);
        assert_eq!(read([spool_of(1, 2 * half - 1), spool_of(2, 1)].concat()), [2, 1, 0]);
    }
}
