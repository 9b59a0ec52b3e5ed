//! Submissions in the store: accepted, found, followed, published, ended, expired.

use super::filter::SubmissionFilter;
use super::input::{Input, PublishMode, RepublishSource, SubmissionKind, UploadKind};
use super::issues::{IssueCollector, ROWS_NAMED};
use super::payload::SubmissionPayload;
use super::published::{finish_deltas, has_deltas, record_outcomes};
use super::state::SubmissionState;
use super::submission::{
    NewSubmission, Submission, by_token, count_open, expire, finish, insert, list_expired, load_by_seq,
    make_ready, newest_feeds, note_reason, statuses, waiting,
};
use super::testing::{SHOP, write_new_store};
use super::{coalesced, deltas, issues, payload};
use crate::clock::{Millis, millis};
use crate::feeds::{FeedPart, Issue, IssueCode, Section};
use crate::ids::{SubmissionPlace, SubmissionToken};
use crate::keys::{SlotNumber, Tag};
use crate::store::{StoreFault, Tx};
use crate::{args, limits, sql};

const DIGEST: Tag = [9; 16];

fn token(seq: i64) -> SubmissionToken {
    SubmissionToken::from_bytes(i128::from(seq).to_be_bytes())
}

fn url() -> Input {
    Input::Url { host: "https://shop.test".to_owned(), manner: PublishMode::Guarded, format: None }
}

fn upload(holds: UploadKind) -> Input {
    Input::Upload { holds, manner: PublishMode::Guarded, format: None }
}

fn republished(section: Option<Section>) -> Input {
    Input::Republish { origin: RepublishSource { seq: 3, section }, manner: PublishMode::Anyway }
}

/// Stores a submission that is accepted at ten times its place.
fn store(
    tx: &mut Tx<'_>,
    seq: i64,
    input: Input,
    body: Option<SubmissionPayload<'_>>,
) -> Result<(), StoreFault> {
    let digest = matches!(input, Input::Url { .. }).then_some(&DIGEST);
    let place = SubmissionPlace { seq, kind_number: 100 + seq };
    insert(tx, SHOP, place, &NewSubmission { token: token(seq), input, payload: body, digest }, 10 * seq)
}

fn load(tx: &mut Tx<'_>, seq: i64) -> Result<Submission, StoreFault> {
    load_by_seq(tx, SHOP, seq)?.ok_or(StoreFault::Shape { statement: "submission_get", column: "seq" })
}

/// State, reason and end of a submission.
fn read_end(one: &Submission) -> (SubmissionState, Option<String>, Option<Millis>) {
    (one.state, one.reason.clone(), one.finished_at)
}

#[tokio::test]
async fn a_page_of_submissions_is_filled_from_further_back() {
    let found = write_new_store(|tx| {
        for seq in 1..=120 {
            store(tx, seq, if seq % 3 == 0 { url() } else { Input::Delta }, None)?;
        }
        finish(tx, SHOP, 7, Ok(()), 900)?;
        let delta = Some(SubmissionKind::Delta);
        let feed = Some(SubmissionKind::Feed);
        let done = Some(SubmissionState::Done);
        let mut found = Vec::new();
        for (kind, state, before) in [
            (None, None, i64::MAX),
            (None, None, 51),
            (None, None, 21),
            (feed, None, i64::MAX),
            (feed, None, 30),
            (None, done, i64::MAX),
            (delta, done, 8),
            (delta, done, 7),
            (feed, done, i64::MAX),
        ] {
            let page = SubmissionFilter { kind, state, before }.newest(tx, SHOP)?;
            found.push(page.iter().map(|one| one.seq).collect::<Vec<_>>());
        }
        Ok(found)
    })
    .await;
    let feeds = |last: i64| (1..=last).rev().map(|number| 3 * number).collect::<Vec<_>>();
    assert_eq!(found[0], (71..=120).rev().collect::<Vec<_>>());
    assert_eq!(found[1], (1..=50).rev().collect::<Vec<_>>());
    assert_eq!(found[2], (1..=20).rev().collect::<Vec<_>>());
    assert_eq!(found[3..5], [feeds(40), feeds(9)]);
    assert_eq!(found[5..], [vec![7], vec![7], vec![], vec![]]);
}

#[tokio::test]
async fn a_submission_is_as_it_was_accepted_and_ends_once() {
    let slot = SlotNumber::from_row(4).expect("a slot");
    let (accepted, bodies, counted, outcomes, last) = write_new_store(move |tx| {
        store(tx, 1, url(), Some(SubmissionPayload::Sealed(slot, b"url")))?;
        store(tx, 2, Input::Delta, Some(SubmissionPayload::Sealed(slot, b"delta")))?;
        store(tx, 3, Input::Delta, Some(SubmissionPayload::Plain(b"plain")))?;
        store(tx, 4, upload(UploadKind::User), Some(SubmissionPayload::Pieces(slot)))?;
        store(tx, 5, republished(None), None)?;
        make_ready(tx, SHOP, 4, 6)?;
        let mut accepted = Vec::new();
        let mut bodies = Vec::new();
        for seq in 1..=5 {
            accepted.push(load(tx, seq)?);
            bodies.push(payload::load(tx, SHOP, seq)?.map(|found| (found.slot, found.body)));
        }
        let people = |tx: &mut Tx<'_>| {
            tx.row(&sql::payload_count_people, args![SHOP.0, 9])?.map_or(Ok(0), |row| row.int("counted"))
        };
        let mut counted = vec![people(tx)?];
        for (seq, has_people) in [(1, true), (4, false)] {
            payload::note_people(tx, SHOP, seq, has_people)?;
            counted.push(people(tx)?);
        }
        note_reason(tx, SHOP, 1, "it will fail")?;
        let mut outcomes = vec![read_end(&load(tx, 1)?)];
        let is_ended = [
            finish(tx, SHOP, 1, Err("it failed"), 500)?,
            finish(tx, SHOP, 1, Ok(()), 600)?,
            finish(tx, SHOP, 2, Ok(()), 700)?,
            finish(tx, SHOP, 9, Ok(()), 700)?,
        ];
        outcomes.extend([read_end(&load(tx, 1)?), read_end(&load(tx, 2)?)]);
        let is_kept = [payload::load(tx, SHOP, 1)?.is_some(), payload::load(tx, SHOP, 3)?.is_some()];
        Ok((accepted, bodies, counted, outcomes, (is_ended, is_kept)))
    })
    .await;
    let ready: Vec<_> = accepted.iter().map(|one| one.ready_seq).collect();
    assert_eq!(ready, [Some(1), None, None, Some(6), Some(5)]);
    let times: Vec<_> = accepted.iter().map(|one| (one.accepted_at, one.state, one.finished_at)).collect();
    assert_eq!(times, [10, 20, 30, 40, 50].map(|at| (at, SubmissionState::Open, None)));
    let (places, digests): (Vec<_>, Vec<_>) =
        accepted.iter().map(|one| ((one.work_seq(), one.held_seq()), one.digest.is_some())).unzip();
    assert_eq!(places, [(1, 1), (2, 2), (3, 3), (4, 4), (5, 3)]);
    assert_eq!(digests, [true, false, false, false, false]);
    assert_eq!(accepted[0].input, url());
    let body = |slot, text: &[u8]| Some((slot, Some(text.to_vec())));
    let of_pieces = Some((Some(slot), None));
    let wanted =
        [body(Some(slot), b"url"), body(Some(slot), b"delta"), body(None, b"plain"), of_pieces, None];
    assert_eq!(bodies, wanted);
    assert_eq!(counted, [2, 3, 2], "of a URL nobody knows it before its rows are read");
    let noted = (SubmissionState::Open, Some("it will fail".to_owned()), None);
    let failed = (SubmissionState::Failed, Some("it failed".to_owned()), Some(500));
    assert_eq!(outcomes, [noted, failed, (SubmissionState::Done, None, Some(700))]);
    assert_eq!(last, ([true, false, true, false], [false, true]));
}

#[tokio::test]
async fn states_of_tokens_are_found_whatever_their_number() {
    let (mut found, feeds, newest, unknown) = write_new_store(|tx| {
        for seq in 1..=40 {
            store(tx, seq, Input::Delta, None)?;
        }
        store(tx, 41, url(), None)?;
        store(tx, 42, upload(UploadKind::User), None)?;
        store(tx, 43, upload(UploadKind::User), None)?;
        note_reason(tx, SHOP, 17, "it will fail")?;
        finish(tx, SHOP, 42, Ok(()), 500)?;
        finish(tx, SHOP, 43, Err("no"), 500)?;
        let tokens: Vec<_> = (1..=44).map(token).collect();
        let found = statuses(tx, SHOP, SubmissionKind::Delta, &tokens)?;
        let feeds = statuses(tx, SHOP, SubmissionKind::Feed, &tokens)?;
        let unknown = [by_token(tx, SHOP, token(44))?.is_some(), by_token(tx, SHOP, token(43))?.is_some()];
        Ok((found, feeds, newest_feeds(tx, SHOP)?, unknown))
    })
    .await;
    found.sort_by_key(|(token, _)| token.bytes());
    let reason = |seq| (seq == 17).then(|| "it will fail".to_owned());
    let wanted: Vec<_> = (1..=40).map(|seq| (token(seq), (SubmissionState::Open, reason(seq)))).collect();
    assert_eq!(found, wanted);
    let mut feeds: Vec<_> = feeds.into_iter().map(|(token, (state, _))| (token.bytes(), state)).collect();
    feeds.sort_unstable_by_key(|(token, _)| *token);
    let states = [SubmissionState::Open, SubmissionState::Done, SubmissionState::Failed];
    assert_eq!(feeds, [0, 1, 2].map(|place| (token(41 + place as i64).bytes(), states[place])));
    assert_eq!(newest, [(SubmissionState::Failed, Some("no".to_owned())), (SubmissionState::Open, None)]);
    assert_eq!(unknown, [false, true]);
}

#[tokio::test]
async fn a_status_expires_after_thirty_days_with_as_many_issues_as_one_unit_removes() {
    let kept = millis(limits::STATUS_KEPT_DURATION);
    let (expired, left, issues_left) = write_new_store(move |tx| {
        for (seq, count) in [(1, limits::UNIT_ROWS), (2, 1), (3, 0)] {
            store(tx, seq, Input::Delta, None)?;
            let found: Vec<_> =
                (1..=count as u64).map(|row| Issue::oversize(FeedPart::PRODUCTS, row, row)).collect();
            issues::write(tx, SHOP, seq, 0, &found)?;
            finish(tx, SHOP, seq, Ok(()), 100 - seq)?;
        }
        let mut expired = Vec::new();
        for now in [kept + 97, kept + 98, kept + 99, kept + 100] {
            expired.push(list_expired(tx, now)?.iter().map(|(_, seq)| *seq).collect::<Vec<_>>());
        }
        expire(tx, SHOP, &[1, 2, 3])?;
        let mut left = Vec::new();
        let mut issues_left = Vec::new();
        for seq in 1..=3 {
            left.push(load_by_seq(tx, SHOP, seq)?.is_some());
            issues_left.push(issues::count_kept(tx, SHOP, seq)?);
        }
        Ok((expired, left, issues_left))
    })
    .await;
    assert_eq!(expired, [vec![], vec![3], vec![3, 2], vec![3, 2, 1]]);
    assert_eq!((left, issues_left), (vec![false, false, true], vec![0, 0, 0]));
}

#[tokio::test]
async fn a_delta_keeps_so_many_issues_of_its_reading_and_its_application_together() {
    const ALL: usize = limits::DELTA_ISSUES_KEPT;
    let issue = |row: usize, code| {
        let section = FeedPart::SetVariants;
        Issue { code, section, row: row as u64, offset: 0, line: None, field: None, meant: None }
    };
    let told = write_new_store(move |tx| {
        let mut told = Vec::new();
        for (seq, applied, read) in
            [(1, 0, ALL + 3), (2, ROWS_NAMED + 2, ALL), (3, ALL + 2, 1), (4, 1, 2), (5, 1, 0)]
        {
            store(tx, seq, Input::Delta, None)?;
            for row in 1..=applied {
                issues::add(tx, SHOP, seq, &issue(row, IssueCode::VariantUnknown))?;
            }
            let mut found = IssueCollector::of_delta();
            found.add(&mut (1..=read).map(|row| issue(row, IssueCode::VariantMalformed)).collect());
            issues::write_of_delta(tx, SHOP, seq, &found)?;
            let counts = issues::counts(tx, SHOP, seq)?.into_iter();
            let counts: Vec<_> =
                counts.map(|count| (count.code, count.found as usize, count.first_rows.len())).collect();
            told.push((issues::count_kept(tx, SHOP, seq)? as usize, counts));
        }
        Ok(told)
    })
    .await;
    let malformed = |found: usize| ("variant_malformed".to_owned(), found, found.min(ROWS_NAMED));
    let unknown = |found: usize| ("variant_unknown".to_owned(), found, found.min(ROWS_NAMED));
    let wanted = [
        (ALL, vec![malformed(ALL + 3)]),
        (ALL, vec![malformed(ALL), unknown(ROWS_NAMED + 2)]),
        (ALL, vec![malformed(1), unknown(ALL + 2)]),
        (3, vec![malformed(2), unknown(1)]),
        (1, vec![unknown(1)]),
    ];
    assert_eq!(told, wanted);
}

#[tokio::test]
async fn what_is_open_is_counted_by_kind_and_deltas_up_to_a_limit() {
    let (none, counts, queues, bodies) = write_new_store(|tx| {
        let none = (deltas::queue(tx, SHOP, 9)?, count_open(tx)?);
        store(tx, 5, Input::Delta, Some(SubmissionPayload::Plain(b"five")))?;
        store(tx, 3, Input::Delta, Some(SubmissionPayload::Plain(b"three")))?;
        store(tx, 8, Input::Delta, Some(SubmissionPayload::Plain(b"eight")))?;
        store(tx, 6, url(), None)?;
        store(tx, 7, upload(UploadKind::Orders), None)?;
        finish(tx, SHOP, 3, Ok(()), 100)?;
        let queues = [deltas::queue(tx, SHOP, 1)?, deltas::queue(tx, SHOP, 9)?];
        let bodies = [waiting(tx, SHOP, 1)?, waiting(tx, SHOP, 9)?];
        Ok((none, count_open(tx)?, queues, bodies))
    })
    .await;
    let counts_of = |deltas, feeds| [(SubmissionKind::Delta, deltas), (SubmissionKind::Feed, feeds)];
    assert_eq!((none.0.waiting, none.0.oldest_at, none.1), (0, None, counts_of(0, 0)));
    assert_eq!(counts, counts_of(2, 2));
    assert_eq!(queues.map(|queue| (queue.waiting, queue.oldest_at)), [(1, Some(50)), (2, Some(50))]);
    let bodies = bodies.map(|some| some.into_iter().map(|one| (one.seq, one.payload)).collect::<Vec<_>>());
    let five = (5, b"five".to_vec());
    assert_eq!(bodies, [vec![five.clone()], vec![five, (8, b"eight".to_vec())]]);
}

#[tokio::test]
async fn a_follower_ends_as_its_leader_if_it_was_accepted_in_time() {
    let slot = SlotNumber::from_row(4).expect("a slot");
    let (same, (led, is_kept), tokens, states) = write_new_store(move |tx| {
        for seq in 1..=4 {
            store(tx, seq, url(), (seq < 3).then_some(SubmissionPayload::Sealed(slot, b"url")))?;
        }
        let mut same = vec![coalesced::candidates(tx, SHOP, &DIGEST)?];
        coalesced::follow(tx, SHOP, 1, 2)?;
        same.push(coalesced::candidates(tx, SHOP, &DIGEST)?);
        coalesced::follow(tx, SHOP, 2, 4)?;
        same.push(coalesced::candidates(tx, SHOP, &DIGEST)?);
        let led = (coalesced::count(tx, SHOP, 3)?, coalesced::count(tx, SHOP, 4)?, load(tx, 1)?);
        let is_kept = payload::load(tx, SHOP, 2)?.is_some();
        let mut tokens = Vec::new();
        for until in [9, 10, 19, 20] {
            tokens.push(coalesced::open_tokens(tx, SHOP, 4, until)?);
        }
        coalesced::finish(tx, SHOP, 4, Err("gone"), 90, 19)?;
        let mut states = Vec::new();
        for seq in [1, 2, 4] {
            states.push(read_end(&load(tx, seq)?));
        }
        Ok((same, (led, is_kept), tokens, states))
    })
    .await;
    let slot = Some(slot);
    let all = vec![(1, slot), (2, slot), (3, None), (4, None)];
    assert_eq!(same, [all.clone(), all[1..].to_vec(), all[2..].to_vec()]);
    let (others, own, follower) = led;
    assert_eq!((others, own, follower.work_seq(), follower.held_seq(), is_kept), (0, 2, 4, 4, false));
    assert_eq!(tokens, [vec![], vec![token(1)], vec![token(1)], vec![token(1), token(2)]]);
    let open = (SubmissionState::Open, None, None);
    let gone = (SubmissionState::Failed, Some("gone".to_owned()), Some(90));
    assert_eq!(states, [gone, open.clone(), open]);
}

#[tokio::test]
async fn a_published_delta_ends_as_it_was_published() {
    let (has, published, bodies, states) = write_new_store(|tx| {
        for seq in 1..=3 {
            store(tx, seq, Input::Delta, Some(SubmissionPayload::Plain(b"delta")))?;
        }
        let mut has = vec![has_deltas(tx, SHOP)?];
        record_outcomes(tx, SHOP, &[(1, Ok(())), (2, Err("bad"))])?;
        has.push(has_deltas(tx, SHOP)?);
        let mut published = Vec::new();
        let mut bodies = Vec::new();
        for seq in 1..=3 {
            published.push(load(tx, seq)?.published);
            bodies.push(payload::load(tx, SHOP, seq)?.is_some());
        }
        finish_deltas(tx, SHOP, &(2..=3), 90)?;
        has.push(has_deltas(tx, SHOP)?);
        let mut states = vec![read_end(&load(tx, 1)?), read_end(&load(tx, 2)?), read_end(&load(tx, 3)?)];
        finish(tx, SHOP, 1, Err("late"), 95)?;
        states.push(read_end(&load(tx, 1)?));
        has.push(has_deltas(tx, SHOP)?);
        Ok((has, published, bodies, states))
    })
    .await;
    assert_eq!(has, [false, true, true, false]);
    assert_eq!(published, [Some(SubmissionState::Done), Some(SubmissionState::Failed), None]);
    assert_eq!(bodies, [false, false, true]);
    let open = (SubmissionState::Open, None, None);
    let bad = (SubmissionState::Failed, Some("bad".to_owned()), Some(90));
    assert_eq!(states, [open.clone(), bad, open, (SubmissionState::Done, None, Some(95))]);
}
