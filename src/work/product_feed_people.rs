//! The people of a feed: read back from their sealed spool and stored, each under the key of their own.

use std::io::{BufReader, Read};
use std::sync::Arc;

use super::delta_read::profile;
use super::{WorkFault, people, spares};
use crate::accept;
use crate::accounts::Account;
use crate::blobs::BlobWriter;
use crate::feeds::reader::RawRow;
use crate::feeds::rows::Context;
use crate::feeds::section::Section;
use crate::ids::Token;
use crate::jobs::Lease;
use crate::keys::{SealedReader, SlotNumber};
use crate::limits;
use crate::node::Node;
use crate::store::Tx;
use crate::subjects::profile::{self, Profile, Stored};

/// Profiles stored in one unit of work: each is three or four rows.
const UNIT_PROFILES: usize = limits::UNIT_ROWS / 4;

/// Stores every profile of the spool, which was sealed under the key in `slot` and bound to `token`.
pub async fn store(
    node: &Arc<Node>,
    lease: &Arc<Lease>,
    account: &Arc<Account>,
    mut spool: BlobWriter,
    (slot, token): (SlotNumber, Token),
) -> Result<(), WorkFault> {
    lease.progress.enter("storing people");
    let sealer = node.keys.sealer(slot)?;
    let aad = accept::payload_aad(lease.account, token);
    let blob = spool.read_back()?;
    let mut reader = SealedReader::new(&sealer, &aad, BufReader::new(blob.reader()))?;
    loop {
        let profiles = next_profiles(node, account, &mut reader)?;
        if profiles.is_empty() {
            return Ok(());
        }
        let (keys, id, seq, now) = (node.keys.clone(), lease.account, lease.seq, node.clock.now());
        let store = move |tx: &mut Tx<'_>, profile: &Profile, spare| {
            profile::store(tx, &keys, id, profile, spare, seq, now)
        };
        spares::store_each(node, lease, profiles, store, |stored| *stored == Stored::New).await?;
    }
}

/// Reads as many profiles as one unit of work stores, in number and in bytes.
fn next_profiles(node: &Node, account: &Account, reader: &mut impl Read) -> Result<Vec<Profile>, WorkFault> {
    let tag = |text: &str| node.keys.account_tag(account.id, text);
    let context = Context { default_currency: None, account_tag: &tag, is_forgotten: &|_| false };
    let mut profiles = Vec::with_capacity(UNIT_PROFILES);
    let mut bytes = 0;
    while profiles.len() < UNIT_PROFILES && bytes < limits::UNIT_PROFILES_BYTES {
        let Some(spooled) = people::read(reader)? else { break };
        let row = RawRow {
            section: Section::Users,
            number: spooled.number,
            offset: spooled.offset,
            json: &spooled.json,
        };
        bytes += spooled.json.len();
        // It was good when it was spooled; its issues were noted then.
        profiles.extend(profile(&row, &context, &mut Vec::new()));
    }
    Ok(profiles)
}
