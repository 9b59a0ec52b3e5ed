//! Submissions: what was accepted under a token, and what became of it.

pub mod followers;
pub mod issues;

use crate::args;
use crate::clock::{Millis, millis};
use crate::feeds::section::Section;
use crate::ids::{AccountId, Token};
use crate::keys::{SlotNumber, Tag};
use crate::limits;
use crate::sql;
use crate::store::{Row, StoreFault, Tx};

/// What was submitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Ordered changes.
    Delta,
    /// A full feed.
    Feed,
}

impl Kind {
    /// The kind as it stands in the store.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Delta => "delta",
            Self::Feed => "feed",
        }
    }
}

/// Where a submission is. Recorded once when it ends, and never taken back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Waits or runs.
    Open,
    /// Its effect is visible.
    Done,
    /// It failed, or part of it did; the reason says what.
    Failed,
}

impl State {
    fn read(number: i64) -> Self {
        match number {
            0 => Self::Open,
            1 => Self::Done,
            _ => Self::Failed,
        }
    }

    fn number(self) -> i64 {
        match self {
            Self::Open => 0,
            Self::Done => 1,
            Self::Failed => 2,
        }
    }
}

/// How a feed is published.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Manner {
    /// Unless the removal guard stops it.
    #[default]
    Guarded,
    /// Also when the removal guard would stop it.
    Anyway,
    /// Not at all: it is checked and held.
    DryRun,
}

impl Manner {
    const fn as_str(self) -> Option<&'static str> {
        match self {
            Self::Guarded => None,
            Self::Anyway => Some("anyway"),
            Self::DryRun => Some("dry run"),
        }
    }

    fn read(text: Option<&str>) -> Self {
        [Self::Anyway, Self::DryRun].into_iter().find(|manner| manner.as_str() == text).unwrap_or_default()
    }
}

/// What a submission publishes that came under an earlier one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// Place of the earlier submission.
    pub seq: i64,
    /// A snapshot that it published; `None`: all that is held of it.
    pub section: Option<Section>,
}

/// A new submission.
#[derive(Clone, Copy)]
pub struct New<'a> {
    /// Its handle.
    pub token: Token,
    /// What it is.
    pub kind: Kind,
    /// Key slot its payload is sealed under, if it may hold people.
    pub slot: Option<SlotNumber>,
    /// The delta's sections, or the sealed URL.
    pub payload: Option<&'a [u8]>,
    /// Where a feed comes from, without path and query.
    pub source: Option<&'a str>,
    /// What a feed that arrives in pieces says it holds.
    pub upload: Option<&'a str>,
    /// Keyed hash of its content, to recognise it when it is sent again.
    pub digest: Option<&'a Tag>,
    /// How a feed is published.
    pub manner: Manner,
    /// What it publishes, if that came under an earlier submission.
    pub origin: Option<Origin>,
}

impl New<'_> {
    /// One of which nothing else is known.
    #[must_use]
    pub const fn of(kind: Kind, token: Token) -> Self {
        Self {
            token,
            kind,
            slot: None,
            payload: None,
            source: None,
            upload: None,
            digest: None,
            manner: Manner::Guarded,
            origin: None,
        }
    }
}

/// A submission as the store has it.
pub struct Submission {
    /// Place in the account's order of acceptance.
    pub seq: i64,
    /// Its handle.
    pub token: Token,
    /// `delta` or `feed`.
    pub kind: String,
    /// Where it is.
    pub state: State,
    /// Why it failed.
    pub reason: Option<String>,
    /// When it was accepted.
    pub accepted_at: Millis,
    /// When it ended.
    pub finished_at: Option<Millis>,
    /// Key slot of its payload.
    pub slot: Option<SlotNumber>,
    /// The payload while it is open.
    pub payload: Option<Vec<u8>>,
    /// Where a feed comes from.
    pub source: Option<String>,
    /// What a feed that arrives in pieces says it holds.
    pub upload: Option<String>,
    /// Place among feeds: when its last byte was there or, for a URL, when it was submitted.
    pub ready_seq: Option<i64>,
    /// Keyed hash of its content, if it may be sent again.
    pub digest: Option<Vec<u8>>,
    /// The later submission of the same content that does the work for both.
    pub leader_seq: Option<i64>,
    /// How a feed is published.
    pub manner: Manner,
    /// What it publishes, if that came under an earlier submission.
    pub origin: Option<Origin>,
}

impl Submission {
    /// The place of the submission whose work it shares; its own, if it has none to share.
    #[must_use]
    pub fn work_seq(&self) -> i64 {
        self.leader_seq.unwrap_or(self.seq)
    }

    /// The place of the submission under which what it left unpublished is held.
    #[must_use]
    pub fn held_seq(&self) -> i64 {
        match self.origin {
            Some(Origin { seq, section: None }) => seq,
            Some(_) | None => self.work_seq(),
        }
    }
}

/// Stores a submission at place `seq`.
pub fn insert(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    new: &New<'_>,
    now: Millis,
) -> Result<(), StoreFault> {
    let slot = new.slot.map(SlotNumber::row);
    let (token, kind) = (new.token.bytes(), new.kind.as_str());
    let is_ready = new.kind == Kind::Feed && new.upload.is_none();
    let ready = is_ready.then_some(seq);
    // From its first piece on an upload may hold people.
    let spool = new.upload.map(|_| "upload");
    let row = args![
        account.0,
        seq,
        &token,
        kind,
        now,
        slot,
        new.payload,
        new.source,
        new.upload,
        ready,
        spool,
        new.digest.map(|digest| &digest[..]),
        new.manner.as_str(),
        new.origin.map(|origin| origin.seq),
        new.origin.and_then(|origin| origin.section).map(Section::as_str)
    ];
    tx.exec(&sql::submission_insert, row)?;
    Ok(())
}

/// The last piece of an upload is there, at place `ready_seq`.
pub fn make_ready(tx: &mut Tx<'_>, account: AccountId, seq: i64, ready_seq: i64) -> Result<(), StoreFault> {
    tx.exec(&sql::submission_ready, args![account.0, seq, ready_seq])?;
    Ok(())
}

/// Notes why an open submission will fail when its job runs.
pub fn note_reason(tx: &mut Tx<'_>, account: AccountId, seq: i64, reason: &str) -> Result<(), StoreFault> {
    tx.exec(&sql::submission_note_reason, args![account.0, seq, reason])?;
    Ok(())
}

/// One submission by its place.
pub fn get(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<Option<Submission>, StoreFault> {
    tx.row(&sql::submission_get, args![account.0, seq])?.map(|row| read(&row)).transpose()
}

/// One submission by its token.
pub fn by_token(tx: &mut Tx<'_>, account: AccountId, token: Token) -> Result<Option<Submission>, StoreFault> {
    tx.row(&sql::submission_by_token, args![account.0, &token.bytes()])?.map(|row| read(&row)).transpose()
}

/// An account's newest submissions, newest first; without their payloads.
pub fn recent(tx: &mut Tx<'_>, account: AccountId, limit: i64) -> Result<Vec<Submission>, StoreFault> {
    tx.run(&sql::submission_recent, args![account.0, limit])?.iter().map(read).collect()
}

fn read(row: &Row) -> Result<Submission, StoreFault> {
    Ok(Submission {
        seq: row.int(0)?,
        token: Token::from_bytes(row.bytes(1)?),
        kind: row.text(2)?.to_owned(),
        state: State::read(row.int(3)?),
        reason: row.opt_text(4)?.map(str::to_owned),
        accepted_at: row.int(5)?,
        finished_at: row.opt_int(6)?,
        slot: row.opt_int(7)?.and_then(SlotNumber::from_row),
        payload: row.opt_blob(8)?.map(<[u8]>::to_vec),
        source: row.opt_text(9)?.map(str::to_owned),
        upload: row.opt_text(10)?.map(str::to_owned),
        ready_seq: row.opt_int(11)?,
        digest: row.opt_blob(12)?.map(<[u8]>::to_vec),
        leader_seq: row.opt_int(13)?,
        manner: Manner::read(row.opt_text(14)?),
        origin: match row.opt_int(15)? {
            Some(seq) => Some(Origin { seq, section: row.opt_text(16)?.and_then(Section::parse) }),
            None => None,
        },
    })
}

/// What is known of a token: where it is, and why it failed.
pub type Status = (State, Option<String>);

/// The states of tokens of one kind, in any order; an unknown token is not in the answer.
pub fn statuses(
    tx: &mut Tx<'_>,
    account: AccountId,
    kind: Kind,
    tokens: &[Token],
) -> Result<Vec<(Token, Status)>, StoreFault> {
    let mut found = Vec::with_capacity(tokens.len());
    for some in tokens.chunks(16) {
        let bytes: Vec<[u8; 16]> = some.iter().map(Token::bytes).collect();
        let mut args = Vec::with_capacity(18);
        args.push(account.0.into());
        args.push(kind.as_str().into());
        args.extend((0..16).map(|n| crate::store::Arg::Blob(bytes.get(n).map(|token| &token[..]))));
        for row in tx.run(&sql::submission_status, &args)? {
            let status = (State::read(row.int(1)?), row.opt_text(2)?.map(str::to_owned));
            found.push((Token::from_bytes(row.bytes(0)?), status));
        }
    }
    Ok(found)
}

/// What became of an account's newest feed by URL and of its newest upload of each kind, newest first.
pub fn newest_feeds(tx: &mut Tx<'_>, account: AccountId) -> Result<Vec<Status>, StoreFault> {
    let rows = tx.run(&sql::submission_newest_feeds, args![account.0])?;
    rows.iter().map(|row| Ok((State::read(row.int(0)?), row.opt_text(1)?.map(str::to_owned)))).collect()
}

/// Ends a submission and drops its payload; one that has ended already is left alone.
pub fn finish(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    state: State,
    reason: Option<&str>,
    now: Millis,
) -> Result<(), StoreFault> {
    tx.exec(&sql::submission_finish, args![account.0, seq, state.number(), reason, now])?;
    Ok(())
}

/// Notes that a running feed keeps sealed rows about people in a file, or that it no longer does.
pub fn note_spool(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    spool: Option<&str>,
) -> Result<(), StoreFault> {
    tx.exec(&sql::submission_spool, args![account.0, seq, spool])?;
    Ok(())
}

/// A delta that waits.
pub struct Waiting {
    /// Its place.
    pub seq: i64,
    /// Its handle, which its payload is bound to.
    pub token: Token,
    /// Key slot of its payload, if it is sealed.
    pub slot: Option<SlotNumber>,
    /// Its sections.
    pub payload: Vec<u8>,
}

crate::keys::unprintable::unprintable!(Waiting, Submission);

/// The first deltas of an account that wait, in their order.
pub fn waiting(tx: &mut Tx<'_>, account: AccountId, limit: usize) -> Result<Vec<Waiting>, StoreFault> {
    tx.run(&sql::submission_waiting, args![account.0, limit as i64])?
        .iter()
        .map(|row| {
            Ok(Waiting {
                seq: row.int(0)?,
                token: Token::from_bytes(row.bytes(1)?),
                slot: row.opt_int(2)?.and_then(SlotNumber::from_row),
                payload: row.opt_blob(3)?.unwrap_or_default().to_vec(),
            })
        })
        .collect()
}

/// Removes ended submissions past their time, with their row issues, as many as make up a unit of work; gives how many.
pub fn expire(tx: &mut Tx<'_>, now: Millis) -> Result<usize, StoreFault> {
    let kept = millis(limits::STATUS_KEPT_DURATION);
    let expired = tx.run(&sql::submission_expired, args![now - kept, (limits::UNIT_ROWS / 10) as i64])?;
    let (mut ended, mut rows) = (0, 0);
    for row in &expired {
        let (account, seq) = (AccountId(row.int(0)?), row.int(1)?);
        rows += issues::delete(tx, account, seq)?;
        for statement in
            [&sql::difference_delete, &sql::difference_example_delete, &sql::held_snapshot_delete]
        {
            tx.exec(statement, args![account.0, seq])?;
        }
        tx.exec(&sql::submission_delete, args![account.0, seq])?;
        ended += 1;
        if rows > limits::UNIT_ROWS as u64 {
            break;
        }
    }
    Ok(ended)
}
