//! The end of a feed: people are stored, then one transaction switches every section, or none.

use std::io::{BufReader, Read};
use std::sync::Arc;

use super::delta_read::profile;
use super::product_feed_read::Checked;
use super::{Ended, WorkFault, people, spares};
use crate::accept;
use crate::accounts::Account;
use crate::args;
use crate::blobs::BlobWriter;
use crate::catalogue::base::{self, Bases, New};
use crate::catalogue::changes;
use crate::feeds::reader::RawRow;
use crate::feeds::rows::Context;
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::jobs::{End, Lease};
use crate::keys::{SealedReader, SlotNumber};
use crate::limits;
use crate::node::Node;
use crate::outbound::Validators;
use crate::sql;
use crate::store::{StoreFault, Tx};
use crate::subjects::profile::{self, Profile, Stored};
use crate::submissions::issues::{self, Found};
use crate::submissions::{self, State};

/// Profiles stored in one unit of work: each is three or four rows.
const UNIT_PROFILES: usize = limits::UNIT_ROWS / 4;

/// Where a feed came from, to recognise it the next time.
pub struct Source {
    /// Keyed tag of its URL.
    pub tag: [u8; 16],
    /// What its server said of its version.
    pub validators: Validators,
}

/// What a URL gave the last time, while the catalogue still stands on it.
pub struct KnownSource {
    /// To ask whether it changed.
    pub validators: Validators,
    seq: i64,
    hash: [u8; 32],
    sections: Vec<Section>,
}

/// What is known of a URL. `None` when asking "has it changed" would not help: sections stand on another feed
/// meanwhile, or it holds people, who are not kept as a feed.
pub async fn known_source(
    node: &Node,
    account: AccountId,
    tag: [u8; 16],
) -> Result<Option<KnownSource>, StoreFault> {
    node.store
        .read(move |tx| {
            let Some(row) = tx.row(&sql::feed_source_get, args![account.0, &tag])? else { return Ok(None) };
            let sections: Vec<Section> = row.text(2)?.split(',').filter_map(Section::parse).collect();
            let known = KnownSource {
                seq: row.int(0)?,
                hash: row.bytes(1)?,
                validators: Validators {
                    etag: row.opt_text(3)?.map(str::to_owned),
                    last_modified: row.opt_text(4)?.map(str::to_owned),
                },
                sections,
            };
            let bases = base::list(tx, account)?;
            let stands =
                |section: &Section| bases.get(section).is_some_and(|base| base.feed_hash == known.hash);
            let usable = !known.sections.is_empty() && known.sections.iter().all(stands);
            Ok(usable.then_some(known))
        })
        .await
}

/// Notes that a running feed keeps sealed rows about people, or no longer does.
pub async fn note_spool(node: &Node, lease: &Lease, spool: Option<&'static str>) -> Result<(), StoreFault> {
    let (account, seq) = (lease.account, lease.seq);
    node.store.write(move |tx| submissions::note_spool(tx, account, seq, spool)).await
}

/// Publishes a checked feed.
pub async fn publish(
    node: &Arc<Node>,
    lease: &Arc<Lease>,
    account: &Arc<Account>,
    mut checked: Checked,
    source: Source,
    slot: SlotNumber,
) -> Ended {
    lease.progress.enter("publishing");
    let had_people = checked.people.is_some();
    if let Some(spool) = checked.people.take() {
        store_people(node, lease, account, spool, slot).await?;
    }
    let issues = std::mem::take(&mut checked.found);
    write_issues(node, lease, &issues).await?;
    let (fence, wake, id, seq) = (lease.fence(), lease.wake, lease.account, lease.seq);
    let now = node.clock.now();
    let (sections, hash) = (checked.sections.clone(), checked.hash);
    let switched = node.store.write(move |tx| {
        fence.held(tx)?.ok_or(WorkFault::LeaseLost)?;
        let bases = base::list(tx, id)?;
        let open: Vec<&New> = sections.iter().filter(|new| may_publish(&bases, new.section, seq)).collect();
        if open.is_empty() && !sections.is_empty() && !had_people {
            submissions::finish(tx, id, seq, State::Failed, Some(REPLACED), now)?;
        } else {
            for new in &open {
                base::publish(tx, id, seq, new, bases.get(&new.section), &hash, now)?;
            }
            remember(tx, id, seq, &source, &hash, &sections, had_people)?;
            submissions::finish(tx, id, seq, State::Done, None, now)?;
        }
        fence.done(tx, wake)?;
        Ok::<_, WorkFault>(open.iter().map(|new| new.section).collect::<Vec<_>>())
    });
    let switched = switched.await?;
    sweep(node, lease.account, lease.seq, &switched).await?;
    Ok(End::Done)
}

const REPLACED: &str = "replaced by a feed submitted later";

/// A feed may publish a section that no later-submitted feed has published.
fn may_publish(bases: &Bases, section: Section, seq: i64) -> bool {
    bases.get(&section).is_none_or(|base| base.cut_seq < seq)
}

fn remember(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    source: &Source,
    hash: &[u8; 32],
    sections: &[New],
    had_people: bool,
) -> Result<(), StoreFault> {
    let names: Vec<&str> = sections.iter().map(|new| new.section.as_str()).collect();
    // Without names the next fetch does not ask whether the feed changed: profiles are not kept as a feed.
    let names = if had_people { String::new() } else { names.join(",") };
    let (etag, modified) = (source.validators.etag.as_deref(), source.validators.last_modified.as_deref());
    let args = args![account.0, &source.tag, seq, hash, names.as_str(), etag, modified];
    tx.exec(&sql::feed_source_put, args)?;
    Ok(())
}

/// The feed is what the catalogue stands on already: only the cut moves, so that older changes are dropped.
pub async fn unchanged(node: &Arc<Node>, lease: &Arc<Lease>, known: &KnownSource) -> Ended {
    let (fence, wake, id, seq) = (lease.fence(), lease.wake, lease.account, lease.seq);
    let (sections, earlier, now) = (known.sections.clone(), known.seq, node.clock.now());
    let hash = known.hash;
    let switched = node.store.write(move |tx| {
        fence.held(tx)?.ok_or(WorkFault::LeaseLost)?;
        let bases = base::list(tx, id)?;
        let mut switched = Vec::new();
        for (section, base) in bases.iter().filter(|(section, _)| sections.contains(section)) {
            if base.cut_seq < seq && base.feed_hash == hash {
                base::move_cut(tx, id, *section, base, seq)?;
                switched.push(*section);
            }
        }
        issues::copy(tx, id, earlier, seq)?;
        match switched.is_empty() {
            true => submissions::finish(tx, id, seq, State::Failed, Some(REPLACED), now)?,
            false => submissions::finish(tx, id, seq, State::Done, None, now)?,
        }
        fence.done(tx, wake)?;
        Ok::<_, WorkFault>(switched)
    });
    let switched = switched.await?;
    sweep(node, lease.account, lease.seq, &switched).await?;
    Ok(End::Done)
}

/// Ends a feed as failed; the catalogue was not touched.
pub async fn fail(node: &Arc<Node>, lease: &Lease, sentence: &str, found: Found) -> Result<(), WorkFault> {
    write_issues(node, lease, &found).await?;
    let (fence, wake, id, seq) = (lease.fence(), lease.wake, lease.account, lease.seq);
    let (sentence, now) = (sentence.to_owned(), node.clock.now());
    node.store
        .write(move |tx| {
            fence.held(tx)?.ok_or(WorkFault::LeaseLost)?;
            submissions::finish(tx, id, seq, State::Failed, Some(&sentence), now)?;
            fence.done(tx, wake)?;
            Ok::<_, WorkFault>(())
        })
        .await
}

/// Writes what was wrong with rows, in slices; what an earlier attempt wrote goes first.
async fn write_issues(node: &Node, lease: &Lease, found: &Found) -> Result<(), WorkFault> {
    let (id, seq) = (lease.account, lease.seq);
    let counts = found.clone();
    node.store
        .write(move |tx| {
            issues::delete(tx, id, seq)?;
            counts.write_counts(tx, id, seq)
        })
        .await?;
    for (first, some) in found.slices() {
        node.store.write(move |tx| issues::write(tx, id, seq, first, &some)).await?;
    }
    Ok(())
}

/// Removes the changes that the switch made invisible, a few items at a time.
async fn sweep(node: &Node, account: AccountId, cut: i64, sections: &[Section]) -> Result<(), WorkFault> {
    for section in sections.iter().copied() {
        let limit = limits::UNIT_ROWS as i64;
        while node.store.write(move |tx| changes::sweep(tx, account, section, cut, limit)).await? > 0 {}
    }
    Ok(())
}

/// Reads the sealed profiles back and stores each under its subject's key.
async fn store_people(
    node: &Arc<Node>,
    lease: &Arc<Lease>,
    account: &Arc<Account>,
    mut spool: BlobWriter,
    slot: SlotNumber,
) -> Result<(), WorkFault> {
    lease.progress.enter("storing people");
    let sealer = node.keys.sealer(slot)?;
    let token = {
        let (id, seq) = (lease.account, lease.seq);
        node.store.read(move |tx| submissions::get(tx, id, seq)).await?.ok_or(WorkFault::LeaseLost)?.token
    };
    let aad = accept::payload_aad(lease.account, token);
    let blob = spool.read_back()?;
    let mut reader = SealedReader::new(&sealer, &aad, BufReader::new(blob.reader()))?;
    loop {
        let profiles = next_profiles(node, account, &mut reader)?;
        if profiles.is_empty() {
            break;
        }
        store_some(node, lease, profiles).await?;
    }
    drop(spool);
    Ok(note_spool(node, lease, None).await?)
}

/// Reads as many profiles as one unit of work stores, in number and in bytes.
fn next_profiles(node: &Node, account: &Account, reader: &mut impl Read) -> Result<Vec<Profile>, WorkFault> {
    let tag = |text: &str| node.keys.account_tag(account.id, text);
    let context = Context { default_currency: None, account_tag: &tag };
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

async fn store_some(node: &Arc<Node>, lease: &Arc<Lease>, profiles: Vec<Profile>) -> Result<(), WorkFault> {
    let spares = spares::take(node, profiles.len()).await?;
    let (fence, seq, id, now) = (lease.fence(), lease.seq, lease.account, node.clock.now());
    let (keys, given) = (node.keys.clone(), spares.clone());
    let stored = node.store.write(move |tx| {
        fence.held(tx)?.ok_or(WorkFault::LeaseLost)?;
        let mut used = Vec::new();
        for (profile, spare) in profiles.iter().zip(&given) {
            let stored = profile::store(tx, &keys, id, profile, *spare, seq, now)?;
            used.extend((stored == Stored::New).then_some(*spare));
        }
        Ok::<_, WorkFault>(used)
    });
    spares::settle(node, &spares, stored.await, |used| used).map(drop)
}
