//! Uploads: feeds that arrive in pieces, which may be cut anywhere. Rows say which pieces there are, in their order;
//! each piece is a sealed blob. The submission stands from the first piece on; its job waits for the last.

pub mod pieces;

pub use self::pieces::UploadPiece;

use crate::blobs::BlobName;
use crate::clock::Millis;
use crate::ids::{AccountId, SubmissionToken};
use crate::keys::{SlotNumber, Tag};
use crate::store::{StoreFault, Tx};
use crate::{args, limits, sql, submissions};

/// An upload that takes pieces.
pub struct OpenUpload {
    /// Place of its submission: that of its beginning.
    pub seq: i64,
    /// Bytes of its pieces so far.
    pub bytes: i64,
    /// Number of its pieces so far.
    pub pieces: i64,
    /// Handle of its submission.
    pub token: SubmissionToken,
    /// Key slot its pieces are sealed under.
    pub slot: SlotNumber,
}

/// The open upload of a name; `None` when there is none.
///
/// # Errors
/// When the store fails.
pub fn open(tx: &mut Tx<'_>, account: AccountId, name: &Tag) -> Result<Option<OpenUpload>, StoreFault> {
    const SHAPE: StoreFault = StoreFault::Shape { statement: "upload_get", column: "slot" };
    let Some(row) = tx.row(&sql::upload_get, args![account.0, name])? else { return Ok(None) };
    Ok(Some(OpenUpload {
        seq: row.int("seq")?,
        bytes: row.int("bytes")?,
        pieces: row.int("pieces")?,
        token: SubmissionToken::from_bytes(row.bytes("token")?),
        slot: row.opt_int("slot")?.and_then(SlotNumber::from_row).ok_or(SHAPE)?,
    }))
}

/// Counts the uploads of an account that take pieces.
///
/// # Errors
/// When the store fails.
pub fn count(tx: &mut Tx<'_>, account: AccountId) -> Result<i64, StoreFault> {
    tx.row(&sql::upload_count, args![account.0])?.map_or(Ok(0), |row| row.int("counted"))
}

/// Number of bytes that have come of an upload that takes pieces; `None` for any other.
///
/// # Errors
/// When the store fails.
pub fn received_bytes(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<Option<i64>, StoreFault> {
    tx.row(&sql::upload_received, args![account.0, seq])?.map(|row| row.int("bytes")).transpose()
}

/// Opens an upload for the submission at `seq`.
///
/// # Errors
/// When the store fails.
pub fn begin(
    tx: &mut Tx<'_>,
    account: AccountId,
    name: &Tag,
    seq: i64,
    now: Millis,
) -> Result<(), StoreFault> {
    tx.exec(&sql::upload_insert, args![account.0, name, seq, now])?;
    Ok(())
}

/// Adds a piece after the others; returns `false` when the upload no longer takes pieces.
///
/// # Errors
/// When the store fails.
pub fn extend(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    piece: &UploadPiece,
    now: Millis,
) -> Result<bool, StoreFault> {
    let Some(row) = tx.row(&sql::upload_extend, args![account.0, seq, piece.bytes, now])? else {
        return Ok(false);
    };
    let blob = piece.blob.to_string();
    tx.exec(
        &sql::upload_piece_insert,
        args![account.0, seq, row.int("pieces")?, blob.as_str(), piece.bytes],
    )?;
    Ok(true)
}

/// Closes an upload: it takes no more pieces, and its name is free again.
///
/// # Errors
/// When the store fails.
pub fn close(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<(), StoreFault> {
    tx.exec(&sql::upload_close, args![account.0, seq])?;
    Ok(())
}

/// Closes an upload whose submission will fail for this reason; wake its job afterwards.
///
/// # Errors
/// When the store fails.
pub fn abandon(tx: &mut Tx<'_>, account: AccountId, seq: i64, reason: &str) -> Result<(), StoreFault> {
    close(tx, account, seq)?;
    submissions::note_reason(tx, account, seq, reason)
}

/// Uploads without an addition since `before`: of all accounts or, with `of`, those of one account that began before a
/// place in its order. Returns account and place, a few at a time.
///
/// # Errors
/// When the store fails.
pub fn idle(
    tx: &mut Tx<'_>,
    before: Millis,
    of: Option<(AccountId, i64)>,
) -> Result<Vec<(AccountId, i64)>, StoreFault> {
    let account = of.map(|(account, _)| account.0);
    let until = of.map_or(i64::MAX, |(_, until)| until);
    tx.run(&sql::upload_idle, args![before, account, (limits::UNIT_ROWS / 10) as i64, until])?
        .iter()
        .map(|row| Ok((AccountId(row.int("account_id")?), row.int("seq")?)))
        .collect()
}

/// The pieces of an upload in their order.
///
/// # Errors
/// When the store fails or a row names no file.
pub fn pieces(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<Vec<UploadPiece>, StoreFault> {
    const SHAPE: StoreFault = StoreFault::Shape { statement: "upload_piece_list", column: "blob" };
    tx.run(&sql::upload_piece_list, args![account.0, seq])?
        .iter()
        .map(|row| {
            Ok(UploadPiece {
                blob: BlobName::parse(row.text("blob")?).ok_or(SHAPE)?,
                bytes: row.int("bytes")?,
            })
        })
        .collect()
}

/// Forgets an upload that has ended, and its pieces; their files go with the next sweep. It is one statement in the
/// transaction of the end, so that a crash leaves no row. [`limits::UPLOAD_PIECES`] bounds it: as many rows take 13 ms
/// of SQLite's only writer and as much again for the commit, on two busy cores. The table is without a rowid for that:
/// among the rows of uploads that were sent at once, the same statement took a second. PostgreSQL takes 25 to 40 ms,
/// in one of its writers.
///
/// # Errors
/// When the store fails.
pub fn delete_pieces(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<(), StoreFault> {
    tx.exec(&sql::upload_piece_delete, args![account.0, seq])?;
    tx.exec(&sql::upload_delete, args![account.0, seq])?;
    Ok(())
}
