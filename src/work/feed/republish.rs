//! Publishing an earlier result: a feed that was held back, or a snapshot that was shown before.

use super::attempt::Attempt;
use super::publish;
use super::read::ReadyFeed;
use super::switch_sections::GONE;
use crate::catalogue::base::{self, Places};
use crate::submissions::issues::IssueCollector;
use crate::submissions::{PublishMode, RepublishSource};
use crate::work::fault::JobResult;

/// Publishes it as a feed that was submitted and whole now; only its cut is that of its own time.
pub(super) async fn run(attempt: &Attempt<'_>, origin: RepublishSource, manner: PublishMode) -> JobResult {
    let node = attempt.node;
    let id = attempt.account.id;
    let seq = attempt.submission.seq;
    // From here on the sweep spares the files that are about to be named again.
    let hold = node.blobs.hold_files();
    let sections = node.store.read(move |tx| base::kept_under(tx, id, (origin.seq, origin.section))).await?;
    if sections.is_empty() {
        return attempt.fail(GONE).await;
    }
    let cut_seq = match origin.section {
        // The changes on top of the present sections stay on top.
        Some(_) => 0,
        None => origin.seq,
    };
    let feed = publish::FeedPublication {
        places: Places { cut_seq, ..Places::from_seq(seq) },
        token: attempt.submission.token,
        slot: None,
        source: None,
        manner,
        origin: Some(origin),
    };
    let checked = ReadyFeed { sections, found: IssueCollector::default(), held: None, people: None, hold };
    publish::publish(node, attempt.lease, &attempt.account, checked, feed).await
}
