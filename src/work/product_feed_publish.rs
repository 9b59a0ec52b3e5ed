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
use crate::catalogue::base::{self, Bases, Places};
use crate::catalogue::changes;
use crate::clock::Millis;
use crate::feeds::reader::RawRow;
use crate::feeds::rows::Context;
use crate::feeds::section::Section;
use crate::ids::{AccountId, Token};
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
use crate::uploads;

/// Profiles stored in one unit of work: each is three or four rows.
const UNIT_PROFILES: usize = limits::UNIT_ROWS / 4;

/// What publishing needs to know of a feed.
pub struct Feed {
    /// Where it stands.
    pub places: Places,
    /// Its handle, which its sealed rows are bound to.
    pub token: Token,
    /// The key slot of its sealed rows.
    pub slot: SlotNumber,
    /// Its URL, if it has one.
    pub source: Option<Source>,
}

/// Where a feed came from, to recognise it the next time.
pub struct Source {
    /// Keyed tag of its URL.
    pub tag: [u8; 16],
    /// What its server said of its version.
    pub validators: Validators,
}

/// What a URL gave the last time, while the catalogue still stands on it.
#[derive(Clone)]
pub struct KnownSource {
    /// To ask whether it changed.
    pub validators: Validators,
    tag: [u8; 16],
    seq: i64,
    sections: Vec<Section>,
}

impl KnownSource {
    /// Whether every section the feed had stands on it still. Changes since then do not count: the feed, sent
    /// again, replaces them.
    fn stands(&self, bases: &Bases) -> bool {
        self.sections.iter().all(|section| bases.get(section).is_some_and(|base| base.ready_seq == self.seq))
    }

    /// Remembers it. A feed without a version cannot be asked for by it.
    fn put(&self, tx: &mut Tx<'_>, account: AccountId) -> Result<(), StoreFault> {
        let (etag, modified) = (self.validators.etag.as_deref(), self.validators.last_modified.as_deref());
        if etag.is_some() || modified.is_some() {
            let names = self.sections.iter().map(|section| section.as_str()).collect::<Vec<_>>().join(",");
            let args = args![account.0, &self.tag, self.seq, names.as_str(), etag, modified];
            tx.exec(&sql::feed_source_put, args)?;
        }
        tx.exec(&sql::feed_source_sweep, args![account.0])?;
        Ok(())
    }
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
            let known = KnownSource {
                tag,
                seq: row.int(0)?,
                sections: row.text(1)?.split(',').filter_map(Section::parse).collect(),
                validators: Validators {
                    etag: row.opt_text(2)?.map(str::to_owned),
                    last_modified: row.opt_text(3)?.map(str::to_owned),
                },
            };
            let bases = base::list(tx, account)?;
            Ok(known.stands(&bases).then_some(known))
        })
        .await
}

/// Notes that a running feed keeps sealed rows about people, or no longer does.
pub async fn note_spool(node: &Node, lease: &Lease, spool: Option<&'static str>) -> Result<(), WorkFault> {
    let (account, seq) = (lease.account, lease.seq);
    let fence = lease.fence();
    node.store
        .write(move |tx| {
            fence.held(tx)?.ok_or(WorkFault::LeaseLost)?;
            Ok::<_, WorkFault>(submissions::note_spool(tx, account, seq, spool)?)
        })
        .await
}

/// Publishes a checked feed.
pub async fn publish(
    node: &Arc<Node>,
    lease: &Arc<Lease>,
    account: &Arc<Account>,
    checked: Checked,
    feed: Feed,
) -> Ended {
    lease.progress.enter("publishing");
    let Checked { sections, found, people, passed, publishing } = checked;
    let (had_people, is_url) = (people.is_some(), feed.source.is_some());
    if let Some(spool) = people {
        store_people(node, lease, account, spool, &feed).await?;
        if is_url && passed.is_empty() {
            // The pieces of an upload still hold what was stored, and its rows hold an address that passed.
            note_spool(node, lease, None).await?;
        }
    }
    write_issues(node, lease, &found).await?;
    let (fence, wake, id, seq) = (lease.fence(), lease.wake, lease.account, lease.seq);
    let (now, places) = (node.clock.now(), feed.places);
    // A feed with people is fetched anew each time: they are not kept as a feed.
    let source = feed.source.filter(|_| !had_people).map(|source| KnownSource {
        tag: source.tag,
        seq,
        sections: sections.iter().map(|new| new.section).collect(),
        validators: source.validators,
    });
    let switched = node.store.write(move |tx| {
        fence.held(tx)?.ok_or(WorkFault::LeaseLost)?;
        if !passed.still_pass(tx, id)? {
            return Ok(None);
        }
        let bases = base::list(tx, id)?;
        let mut cuts = Vec::new();
        for new in &sections {
            let shown = bases.get(&new.section);
            if places.may_publish(shown) {
                cuts.push((new.section, base::publish(tx, id, places, new, shown, now)?));
            }
        }
        if cuts.is_empty() && !sections.is_empty() && !had_people {
            end(tx, id, seq, State::Failed, Some(REPLACED), now)?;
        } else {
            if let Some(source) = &source {
                source.put(tx, id)?;
            }
            end(tx, id, seq, State::Done, None, now)?;
        }
        fence.done(tx, wake)?;
        Ok::<_, WorkFault>(Some(cuts))
    });
    let cuts = switched.await?;
    drop(publishing);
    match cuts {
        Some(cuts) => sweep(node, lease.account, &cuts).await?,
        None => return read_again(node, lease, is_url).await,
    }
    Ok(End::Done)
}

/// Somebody was forgotten whose address the feed let through while it was read: its files go, and it is read again.
async fn read_again(node: &Arc<Node>, lease: &Lease, is_url: bool) -> Ended {
    node.note_files_left();
    node.sweep_blobs_now().await?;
    if is_url {
        note_spool(node, lease, None).await?;
    }
    Ok(End::RetryAt(node.clock.now(), "waiting to be read again"))
}

/// Ends the submission; its pieces, and what was only remembered because of open feeds, may go.
fn end(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    state: State,
    reason: Option<&str>,
    now: Millis,
) -> Result<(), StoreFault> {
    submissions::finish(tx, account, seq, state, reason, now)?;
    submissions::finish_followers(tx, account, seq, state, reason, now, Millis::MAX)?;
    uploads::delete_pieces(tx, account, seq)?;
    profile::sweep_removals(tx, account)
}

const REPLACED: &str = "replaced by a feed submitted later";

/// The feed is what the catalogue stands on already: only the cut moves, so that older changes are dropped.
pub async fn unchanged(node: &Arc<Node>, lease: &Arc<Lease>, known: KnownSource) -> Ended {
    let (fence, wake, id, seq) = (lease.fence(), lease.wake, lease.account, lease.seq);
    let (places, now) = (Places { seq, ready_seq: seq }, node.clock.now());
    let switched = node.store.write(move |tx| {
        fence.held(tx)?.ok_or(WorkFault::LeaseLost)?;
        let bases = base::list(tx, id)?;
        let mut cuts = Vec::new();
        if known.stands(&bases) && known.seq < seq {
            for section in &known.sections {
                cuts.push((*section, base::move_cut(tx, id, *section, &bases[section], places)?));
            }
            issues::copy(tx, id, known.seq, seq)?;
            KnownSource { seq, ..known.clone() }.put(tx, id)?;
            end(tx, id, seq, State::Done, None, now)?;
        } else if known.sections.iter().any(|section| places.may_publish(bases.get(section))) {
            return Ok(None);
        } else {
            end(tx, id, seq, State::Failed, Some(REPLACED), now)?;
        }
        fence.done(tx, wake)?;
        Ok::<_, WorkFault>(Some(cuts))
    });
    match switched.await? {
        Some(cuts) => sweep(node, lease.account, &cuts).await?,
        // Another feed switched meanwhile, so what is unchanged since has to be asked again.
        None => return Ok(End::RetryAt(now, "waiting to fetch again")),
    }
    Ok(End::Done)
}

/// Ends a feed as failed; the catalogue was not touched.
pub async fn fail(node: &Arc<Node>, lease: &Lease, sentence: &str, found: Found) -> Result<(), WorkFault> {
    finish(node, lease, State::Failed, Some(sentence.to_owned()), found).await
}

/// Ends the submissions that waited for this feed and were accepted up to a time: their window has closed, its own
/// has not.
pub async fn fail_followers(
    node: &Node,
    lease: &Lease,
    sentence: String,
    accepted_until: Millis,
) -> Result<(), WorkFault> {
    let (fence, id, seq, now) = (lease.fence(), lease.account, lease.seq, node.clock.now());
    let ended = node.store.write(move |tx| {
        fence.held(tx)?.ok_or(WorkFault::LeaseLost)?;
        let failed = (State::Failed, Some(sentence.as_str()));
        submissions::finish_followers(tx, id, seq, failed.0, failed.1, now, accepted_until)
            .map_err(WorkFault::from)
    });
    ended.await
}

/// Ends a feed that holds nothing of the catalogue and is stored.
pub async fn end_stored(node: &Arc<Node>, lease: &Lease, found: Found) -> Result<(), WorkFault> {
    finish(node, lease, State::Done, None, found).await
}

async fn finish(
    node: &Arc<Node>,
    lease: &Lease,
    state: State,
    sentence: Option<String>,
    found: Found,
) -> Result<(), WorkFault> {
    write_issues(node, lease, &found).await?;
    let (fence, wake, id, seq) = (lease.fence(), lease.wake, lease.account, lease.seq);
    let now = node.clock.now();
    node.store
        .write(move |tx| {
            fence.held(tx)?.ok_or(WorkFault::LeaseLost)?;
            end(tx, id, seq, state, sentence.as_deref(), now)?;
            fence.done(tx, wake)?;
            Ok::<_, WorkFault>(())
        })
        .await
}

/// Writes what was wrong with rows, in slices; what an earlier attempt wrote goes first.
async fn write_issues(node: &Node, lease: &Lease, found: &Found) -> Result<(), WorkFault> {
    let (id, seq) = (lease.account, lease.seq);
    let (counts, fence) = (found.clone(), lease.fence());
    node.store
        .write(move |tx| {
            fence.held(tx)?.ok_or(WorkFault::LeaseLost)?;
            issues::delete(tx, id, seq)?;
            Ok::<_, WorkFault>(counts.write_counts(tx, id, seq)?)
        })
        .await?;
    for (first, some) in found.slices() {
        let fence = lease.fence();
        let written = node.store.write(move |tx| {
            fence.held(tx)?.ok_or(WorkFault::LeaseLost)?;
            Ok::<_, WorkFault>(issues::write(tx, id, seq, first, &some)?)
        });
        written.await?;
    }
    Ok(())
}

/// Removes the changes that the switch made invisible, a few items at a time.
async fn sweep(node: &Node, account: AccountId, cuts: &[(Section, i64)]) -> Result<(), WorkFault> {
    for (section, cut) in cuts.iter().copied() {
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
    feed: &Feed,
) -> Result<(), WorkFault> {
    lease.progress.enter("storing people");
    let sealer = node.keys.sealer(feed.slot)?;
    let aad = accept::payload_aad(lease.account, feed.token);
    let blob = spool.read_back()?;
    let mut reader = SealedReader::new(&sealer, &aad, BufReader::new(blob.reader()))?;
    loop {
        let profiles = next_profiles(node, account, &mut reader)?;
        if profiles.is_empty() {
            break;
        }
        let (keys, id, seq, now) = (node.keys.clone(), lease.account, lease.seq, node.clock.now());
        let store = move |tx: &mut Tx<'_>, profile: &Profile, spare| {
            profile::store(tx, &keys, id, profile, spare, seq, now)
        };
        spares::store_each(node, lease, profiles, store, |stored| *stored == Stored::New).await?;
    }
    Ok(())
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
