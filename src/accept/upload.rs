//! Accepting an upload piece by piece: its beginning is the submission's place, its end makes it ready.

use crate::accounts;
use crate::accounts::quota::{self, DefaultQuota, QuotaExceeded};
use crate::clock::Millis;
use crate::feeds::feed_format::FeedFormat;
use crate::ids::{AccountId, SubmissionToken};
use crate::jobs::{self, Lane};
use crate::keys::{SlotNumber, Tag};
use crate::limits;
use crate::store::{StoreFault, Tx};
use crate::submissions::{self, Input, NewSubmission, PublishMode, SubmissionPayload, UploadKind};
use crate::uploads::{self, OpenUpload, UploadPiece};

/// Reason why a piece is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PieceRefusal {
    /// No upload of this name is open.
    NotOpen,
    /// The account has as many open uploads as it may.
    TooMany,
    /// The upload would become larger than a feed may be.
    TooLarge,
    /// The upload has as many pieces as it may.
    TooManyPieces,
    /// The account has reached its limit. An open upload has ended with that.
    NoRoom(QuotaExceeded),
}

/// An upload that begins.
pub struct Upload {
    /// Keyed hash of its name.
    pub name: Tag,
    /// Its handle.
    pub token: SubmissionToken,
    /// The key slot of its pieces.
    pub slot: SlotNumber,
    /// Kind of content that its sender names.
    pub holds: UploadKind,
    /// Manner of its publication.
    pub manner: PublishMode,
    /// Format that its sender named.
    pub format: Option<FeedFormat>,
}

/// Begins an upload. An open one of the same name starts over. Refuses when too many are open.
///
/// # Errors
/// When the store fails.
pub fn create(
    tx: &mut Tx<'_>,
    account: AccountId,
    upload: &Upload,
    piece: Option<&UploadPiece>,
    part: DefaultQuota,
    now: Millis,
) -> Result<Result<(), PieceRefusal>, StoreFault> {
    let Upload { name, token, slot, holds, manner, format } = upload;
    let old = uploads::open(tx, account, name)?.map(|old| old.seq);
    if let Some(old) = old {
        abandon(tx, account, old, "the upload was started over", now)?;
    }
    let held = quota::quota_use(tx, account, old, part)?;
    if let Err(no_room) = held.check_room(piece.map_or(0, UploadPiece::quota_bytes)) {
        return Ok(Err(PieceRefusal::NoRoom(no_room)));
    }
    if uploads::count(tx, account)? >= limits::UPLOADS_OPEN {
        return Ok(Err(PieceRefusal::TooMany));
    }
    let place = accounts::next_feed(tx, account)?;
    let seq = place.seq;
    let new = NewSubmission {
        token: *token,
        input: Input::Upload { holds: *holds, manner: *manner, format: *format },
        payload: Some(SubmissionPayload::Pieces(*slot)),
        digest: None,
    };
    submissions::insert(tx, account, place, &new, now)?;
    uploads::begin(tx, account, name, seq, now)?;
    if let Some(piece) = piece {
        uploads::extend(tx, account, seq, piece, now)?;
    }
    Ok(Ok(()))
}

/// Checks that an upload may have a further piece of this many bytes.
///
/// # Errors
/// When it would become too large, or when it has the maximum of pieces.
pub fn check(open: &OpenUpload, bytes: i64) -> Result<(), PieceRefusal> {
    if open.pieces >= limits::UPLOAD_PIECES {
        return Err(PieceRefusal::TooManyPieces);
    }
    let bytes = u64::try_from(open.bytes.saturating_add(bytes)).unwrap_or(u64::MAX);
    if bytes > limits::FEED_WIRE_BYTES { Err(PieceRefusal::TooLarge) } else { Ok(()) }
}

/// Adds a piece to the upload that was open when the piece was sealed. Refuses when that one is no longer open, when it
/// would become too large, or when it has the maximum of pieces.
///
/// # Errors
/// When the store fails.
pub fn append(
    tx: &mut Tx<'_>,
    account: AccountId,
    name: &Tag,
    sealed_for: SubmissionToken,
    piece: Option<&UploadPiece>,
    part: DefaultQuota,
    now: Millis,
) -> Result<Result<OpenUpload, PieceRefusal>, StoreFault> {
    let is_meant = |open: &OpenUpload| open.token == sealed_for;
    let Some(open) = uploads::open(tx, account, name)?.filter(is_meant) else {
        return Ok(Err(PieceRefusal::NotOpen));
    };
    if let Some(piece) = piece {
        if let Err(refused) = check(&open, piece.bytes) {
            return Ok(Err(refused));
        }
        let room = quota::quota_use(tx, account, None, part)?.check_room(piece.quota_bytes());
        if let Err(no_room) = room {
            let reason = format!("there was no room for the next piece of the upload: {no_room}");
            abandon(tx, account, open.seq, &reason, now)?;
            return Ok(Err(PieceRefusal::NoRoom(no_room)));
        }
        uploads::extend(tx, account, open.seq, piece, now)?;
    }
    Ok(Ok(open))
}

/// Adds the last piece, if there is one, and gives the submission its place among feeds and its job. Refuses
/// as [`append`] does.
///
/// # Errors
/// When the store fails.
pub fn close(
    tx: &mut Tx<'_>,
    account: AccountId,
    name: &Tag,
    sealed_for: SubmissionToken,
    piece: Option<&UploadPiece>,
    part: DefaultQuota,
    now: Millis,
) -> Result<Result<OpenUpload, PieceRefusal>, StoreFault> {
    let open = match append(tx, account, name, sealed_for, piece, part, now)? {
        Ok(open) => open,
        refused => return Ok(refused),
    };
    uploads::close(tx, account, open.seq)?;
    let ready_seq = accounts::next_seq(tx, account)?;
    submissions::make_ready(tx, account, open.seq, ready_seq)?;
    jobs::wake(tx, Lane::FEED, account, open.seq, now)?;
    Ok(Ok(open))
}

/// Gives up an open upload: its job ends the submission with this reason and destroys its key.
///
/// # Errors
/// When the store fails.
pub fn abandon(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    reason: &str,
    now: Millis,
) -> Result<(), StoreFault> {
    uploads::abandon(tx, account, seq, reason)?;
    jobs::wake(tx, Lane::FEED, account, seq, now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_fits_up_to_the_size_of_a_feed_and_the_number_of_pieces() {
        const MOST: i64 = limits::FEED_WIRE_BYTES as i64;
        let checked = |bytes: i64, pieces: i64, more: i64| {
            let token = SubmissionToken::from_bytes([1; 16]);
            let slot = SlotNumber::from_row(1).unwrap();
            check(&OpenUpload { seq: 1, bytes, pieces, token, slot }, more)
        };
        for (bytes, pieces, more, refused) in [
            (0, 0, MOST, None),
            (MOST - 1, limits::UPLOAD_PIECES - 1, 1, None),
            (MOST, 0, 1, Some(PieceRefusal::TooLarge)),
            (0, 0, MOST + 1, Some(PieceRefusal::TooLarge)),
            (i64::MAX, 0, i64::MAX, Some(PieceRefusal::TooLarge)),
            (0, limits::UPLOAD_PIECES, 0, Some(PieceRefusal::TooManyPieces)),
            (MOST, limits::UPLOAD_PIECES, 1, Some(PieceRefusal::TooManyPieces)),
        ] {
            assert_eq!(checked(bytes, pieces, more).err(), refused, "{bytes} {pieces} {more}");
        }
    }
}
