//! The end of a feed: people are stored, then one transaction switches every section, or none.

use std::sync::Arc;

use super::product_feed_difference::compare;
use super::product_feed_read::Checked;
use super::product_feed_switch::{Outcome, REPLACED, Switch, end};
use super::{Ended, WorkFault, product_feed_people};
use crate::accounts::Account;
use crate::args;
use crate::catalogue::base::{self, Bases, Places};
use crate::catalogue::changes;
use crate::clock::Millis;
use crate::feeds::section::Section;
use crate::ids::{AccountId, Token};
use crate::jobs::{End, Lease};
use crate::keys::SlotNumber;
use crate::limits;
use crate::node::Node;
use crate::outbound::Validators;
use crate::sql;
use crate::store::{StoreFault, Tx};
use crate::submissions::issues::{self, Found};
use crate::submissions::{self, Manner, Origin, State, followers};

/// What publishing needs to know of a feed.
pub struct Feed {
    /// Where it stands.
    pub places: Places,
    /// Its handle, which its sealed rows are bound to.
    pub token: Token,
    /// The key slot of its sealed rows, if it may have any.
    pub slot: Option<SlotNumber>,
    /// Its URL, if it has one.
    pub source: Option<Source>,
    /// Whether it is published at all.
    pub manner: Manner,
    /// Where it was kept until now, if it is published again.
    pub origin: Option<Origin>,
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
    pub(super) fn put(&self, tx: &mut Tx<'_>, account: AccountId) -> Result<(), StoreFault> {
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

/// Publishes a checked feed, unless it is a dry run or the removal guard stops it: then it is held.
pub async fn publish(
    node: &Arc<Node>,
    lease: &Arc<Lease>,
    account: &Arc<Account>,
    checked: Checked,
    feed: Feed,
) -> Ended {
    let Checked { sections, found, mut people, passed, publishing } = checked;
    let is_by_url = feed.source.is_some();
    let switch = Arc::new(Switch {
        places: feed.places,
        had_people: people.is_some(),
        // A feed with people is fetched anew each time: they are not kept as a feed.
        source: feed.source.filter(|_| people.is_none()).map(|source| KnownSource {
            tag: source.tag,
            seq: lease.seq,
            sections: sections.iter().map(|new| new.section).collect(),
            validators: source.validators,
        }),
        origin: feed.origin,
        passed,
        sections,
    });
    let cuts = loop {
        let compared = compare(node, lease, &switch.sections).await?;
        write_issues(node, lease, &found).await?;
        let Some(suppressed) = switch.passed.ask_again(node, lease.account).await? else {
            drop(publishing);
            return read_again(node, lease, is_by_url).await;
        };
        let refusal = compared.refusal(account, feed.places, feed.token);
        let refusal = refusal.filter(|_| feed.manner == Manner::Guarded);
        if feed.manner == Manner::DryRun || refusal.is_some() {
            match switch.hold(node, lease, refusal, suppressed).await? {
                Outcome::Outdated => continue,
                Outcome::Ended(cuts) => break cuts,
            }
        }
        lease.progress.enter("publishing");
        if let Some((spool, slot)) = people.take().zip(feed.slot) {
            product_feed_people::store(node, lease, account, spool, (slot, feed.token)).await?;
            if is_by_url && switch.passed.is_empty() {
                // The pieces of an upload still hold what was stored, and its rows hold an address that passed.
                note_spool(node, lease, None).await?;
            }
        }
        match switch.over(node, lease, compared, suppressed).await? {
            Outcome::Outdated => {}
            Outcome::Ended(cuts) => break cuts,
        }
    };
    drop(publishing);
    sweep(node, lease.account, &cuts).await?;
    Ok(End::Done)
}

/// Somebody was forgotten whose address the feed let through while it was read: its files go, and it is read again.
async fn read_again(node: &Arc<Node>, lease: &Lease, is_url: bool) -> Ended {
    node.note_files_left();
    node.sweep_blobs().await?;
    if is_url {
        note_spool(node, lease, None).await?;
    }
    Ok(End::RetryAt(node.clock.now(), "waiting to be read again"))
}

/// The feed is what the catalogue stands on already: only the cut moves, so that older changes are dropped.
pub async fn unchanged(node: &Arc<Node>, lease: &Arc<Lease>, known: KnownSource) -> Ended {
    let (fence, wake, id, seq) = (lease.fence(), lease.wake, lease.account, lease.seq);
    let (places, now) = (Places::at(seq), node.clock.now());
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
        followers::finish(tx, id, seq, failed.0, failed.1, now, accepted_until).map_err(WorkFault::from)
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
