//! The end of a feed: people are stored, then one transaction switches every section, or none.

use std::sync::Arc;

use super::difference::compare;
use super::log_line::{self, EndedFeed};
use super::read::ReadyFeed;
use super::source::KnownSource;
use super::switch_sections::{REPLACED, SectionSwitch, finish_published};
use super::{people, quota};
use crate::accept::{end_feed, webhook};
use crate::accounts::Account;
use crate::catalogue::base::{self, Places};
use crate::catalogue::{hold_reasons, write};
use crate::clock::Millis;
use crate::feeds::section::Section;
use crate::ids::{AccountId, SubmissionToken};
use crate::jobs::{End, Lease};
use crate::keys::SlotNumber;
use crate::node::Node;
use crate::outbound::Validators;
use crate::store::StoreFault;
use crate::submissions::issues::{self, IssueCollector};
use crate::submissions::{self, PublishMode, RepublishSource, SubmissionState, coalesced, payload};
use crate::work::fault::{JobResult, WorkFault};
use crate::{args, limits, sql};

/// The phase of a feed that waits for its next fetch.
pub const TO_FETCH: &str = "waiting to fetch again";

/// Facts about a feed that publishing needs.
pub struct FeedPublication {
    /// Places of the feed.
    pub places: Places,
    /// Its handle, which its sealed rows are bound to.
    pub token: SubmissionToken,
    /// The key slot of its sealed rows, if it may have any.
    pub slot: Option<SlotNumber>,
    /// Its URL, if it has one.
    pub source: Option<FeedSource>,
    /// Manner of publication; a dry run is not published at all.
    pub manner: PublishMode,
    /// Earlier submission that kept it until now, if it is published again.
    pub origin: Option<RepublishSource>,
}

/// Source of a feed, to recognise it the next time.
pub struct FeedSource {
    /// Keyed tag of its URL.
    pub tag: [u8; 16],
    /// Version of the feed, as its server stated it.
    pub validators: Validators,
}

/// Finds the record of the last feed from a URL. `None` when a conditional request would not help: the sections now
/// stand on another feed, or the feed holds people, who are not kept as a feed.
///
/// # Errors
/// When the store fails.
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
                seq: row.int("seq")?,
                sections: row.text("sections")?.split(',').filter_map(Section::parse).collect(),
                validators: Validators {
                    etag: row.opt_text("etag")?.map(str::to_owned),
                    last_modified: row.opt_text("last_modified")?.map(str::to_owned),
                },
            };
            let bases = base::list(tx, account)?;
            Ok(known.is_current(&bases).then_some(known))
        })
        .await
}

/// Records that a running feed keeps sealed rows about people, or no longer does.
///
/// # Errors
/// When the store fails or the lease is lost.
pub async fn note_people(node: &Node, lease: &Lease, has_people: bool) -> Result<(), WorkFault> {
    let account = lease.account;
    let seq = lease.seq;
    let noting = lease.write(&node.store, move |tx| {
        Ok::<_, WorkFault>(payload::note_people(tx, account, seq, has_people)?)
    });
    noting.await
}

/// Publishes a checked feed, unless it is a dry run or the removal guard stops it: then it is held.
pub async fn publish(
    node: &Arc<Node>,
    lease: &Arc<Lease>,
    account: &Arc<Account>,
    checked: ReadyFeed,
    feed: FeedPublication,
) -> JobResult {
    let ReadyFeed { sections, found, held, mut people, hold } = checked;
    let is_by_url = feed.source.is_some();
    let switch = Arc::new(SectionSwitch {
        places: feed.places,
        had_people: people.is_some(),
        // A feed with people is fetched again each time: people are not kept as a feed.
        source: feed.source.filter(|_| people.is_none()).map(|source| KnownSource {
            tag: source.tag,
            seq: lease.seq,
            sections: sections.iter().map(|new| new.section).collect(),
            validators: source.validators,
        }),
        origin: feed.origin,
        sections,
    });
    loop {
        let compared = compare(node, lease, &switch.sections).await?;
        write_issues(node, lease, &found).await?;
        let repeated = held.as_deref().map(|held| hold_reasons::repeated_sentence(held, feed.token));
        let refusal = compared.refusal(account, feed.places, feed.token).or(repeated);
        let refusal = refusal.filter(|_| feed.manner == PublishMode::Guarded);
        let is_held = feed.manner == PublishMode::DryRun || refusal.is_some();
        let room = quota::check(node, lease, &switch, is_held).await?;
        if let Err(no_room) = room {
            return Ok(End::GiveUp { why: format!("there is no room for what the feed holds: {no_room}") });
        }
        if is_held {
            switch.hold_back(node, lease, refusal).await?;
            break;
        }
        lease.progress.enter("publishing");
        if let Some((spool, slot)) = people.take().zip(feed.slot) {
            people::store(node, lease, account, spool, (slot, feed.token)).await?;
            // The pieces of an upload still hold the profiles.
            if is_by_url {
                note_people(node, lease, false).await?;
            }
        }
        if switch.switch_sections(node, lease, compared).await?.is_some() {
            break;
        }
    }
    drop(hold);
    Ok(End::Done)
}

/// Ends a published feed as soon as everything derived shows it too; then the changes that it made invisible are
/// removed. A feed that ended unpublished waits for nothing.
pub async fn end_published(node: &Node, lease: &Lease) -> JobResult {
    let account = lease.account;
    let seq = lease.seq;
    let submission = node.store.read(move |tx| submissions::load_by_seq(tx, account, seq)).await?;
    let Some(submission) = submission.filter(|submission| submission.state == SubmissionState::Open) else {
        return Ok(End::Done);
    };
    let Some(state) = submission.published else { return Ok(End::Done) };
    lease.progress.enter("showing");
    node.derived.catch_up(account).await;
    let outcome = state.outcome(submission.reason.as_deref()).map_err(str::to_owned);
    let became = if outcome.is_ok() { log_line::PUBLISHED } else { log_line::FAILED };
    finish(node, lease, outcome, became).await?;
    sweep(node, account).await?;
    begin_search(node, account).await?;
    Ok(End::Done)
}

/// Begins the search index of a large catalogue before the first search waits for it; that of a small one is made in a
/// moment.
async fn begin_search(node: &Node, account: AccountId) -> Result<(), WorkFault> {
    let bases = node.store.read(move |tx| base::list(tx, account)).await?;
    let products = bases.get(&Section::Products).map_or(0, |base| base.items);
    if products >= limits::SEARCH_BEGUN_PRODUCTS {
        node.derived.searches().begin_opening(account);
    }
    Ok(())
}

/// The feed is the catalogue's present base: only the cut moves, so that older changes are dropped.
pub async fn publish_unchanged(node: &Arc<Node>, lease: &Arc<Lease>, known: KnownSource) -> JobResult {
    let id = lease.account;
    let seq = lease.seq;
    let places = Places::from_seq(seq);
    let switched = lease.write(&node.store, move |tx| {
        let bases = base::list(tx, id)?;
        if known.is_current(&bases) && known.seq < seq {
            for section in &known.sections {
                write::publish_unchanged(tx, id, *section, &bases[section], places)?;
            }
            issues::copy(tx, id, known.seq, seq)?;
            KnownSource { seq, ..known.clone() }.save(tx, id)?;
            finish_published(tx, id, seq, Ok(()))?;
        } else if known.sections.iter().any(|section| places.may_publish(bases.get(section))) {
            return Ok(None);
        } else {
            finish_published(tx, id, seq, Err(REPLACED))?;
        }
        Ok::<_, WorkFault>(Some(()))
    });
    if switched.await?.is_some() {
        Ok(End::Done)
    } else {
        // Another feed switched meanwhile, so the condition "unchanged" has to be checked again.
        Ok(End::RetryAt { when: node.clock.now(), phase: TO_FETCH, setback: None })
    }
}

/// Ends a feed as failed.
///
/// # Errors
/// When the store fails or the lease is lost.
pub async fn end_failed(node: &Node, lease: &Lease, why: &str) -> Result<(), WorkFault> {
    finish(node, lease, Err(why.to_owned()), log_line::FAILED).await
}

/// Ends, as failed, the submissions that waited for this feed and were accepted up to a time: their window has closed,
/// that of this feed has not.
///
/// # Errors
/// When the store fails or the lease is lost.
pub async fn fail_followers(
    node: &Node,
    lease: &Lease,
    sentence: String,
    accepted_until: Millis,
) -> Result<(), WorkFault> {
    let id = lease.account;
    let seq = lease.seq;
    let now = node.clock.now();
    let ended = lease.write(&node.store, move |tx| {
        webhook::followers_failed(tx, id, seq, &sentence, (accepted_until, now))?;
        coalesced::finish(tx, id, seq, Err(&sentence), now, accepted_until).map_err(WorkFault::from)
    });
    ended.await
}

/// Ends a feed that was stored and holds no part of the catalogue.
///
/// # Errors
/// When the store fails or the lease is lost.
pub async fn end_stored(node: &Node, lease: &Lease, found: &IssueCollector) -> Result<(), WorkFault> {
    write_issues(node, lease, found).await?;
    finish(node, lease, Ok(()), log_line::STORED).await
}

/// Ends a feed and its job, and logs the outcome.
async fn finish(
    node: &Node,
    lease: &Lease,
    outcome: Result<(), String>,
    became: &'static str,
) -> Result<(), WorkFault> {
    let id = lease.account;
    let seq = lease.seq;
    let now = node.clock.now();
    let ending = lease.write_last(&node.store, move |tx| {
        let outcome = outcome.as_ref().copied().map_err(String::as_str);
        end_feed(tx, id, seq, outcome, now)?;
        Ok::<_, WorkFault>(Some(EndedFeed::load(tx, id, seq)?))
    });
    ending.await?.flatten().iter().for_each(|feed| feed.log(lease, became));
    Ok(())
}

/// Writes the row issues, in slices, in place of those of an earlier attempt.
///
/// # Errors
/// When the store fails or the lease is lost.
pub async fn write_issues(node: &Node, lease: &Lease, found: &IssueCollector) -> Result<(), WorkFault> {
    let id = lease.account;
    let seq = lease.seq;
    let counts = found.clone();
    let counting = lease.write(&node.store, move |tx| {
        issues::delete(tx, id, seq)?;
        Ok::<_, WorkFault>(counts.write_counts(tx, id, seq)?)
    });
    counting.await?;
    for (first, some) in found.slices() {
        let writing =
            lease.write(&node.store, move |tx| Ok::<_, WorkFault>(issues::write(tx, id, seq, first, &some)?));
        writing.await?;
    }
    Ok(())
}

/// Removes the changes that the cuts made invisible, a few items at a time.
async fn sweep(node: &Node, account: AccountId) -> Result<(), WorkFault> {
    let limit = limits::UNIT_ROWS as i64;
    while node.store.write_of_job(account, move |tx| write::sweep(tx, account, limit)).await? > 0 {}
    Ok(())
}
