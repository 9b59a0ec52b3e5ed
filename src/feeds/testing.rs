//! Helpers shared by the tests of this module.

use std::io::Read;
use std::path::PathBuf;

use super::fault::FeedFault;
use super::issue::{Issue, Severity};
use super::reader::{FeedPiece, FeedReader, RawRow, RowOrigin, UnknownSection};
use super::rows::{self, NormaliserContext};
use super::section::FeedPart;

/// The folder of shared samples, next to the clone; `None`, after a message, in a lone clone.
pub(super) fn shared() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("../shared: NOT RUN, the folder is missing");
    None
}

/// Returns at most `size` bytes a read.
pub(super) struct Trickle<'a>(pub(super) &'a [u8], pub(super) usize);

impl Read for Trickle<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let size = self.1.min(into.len());
        self.0.read(&mut into[..size])
    }
}

/// A piece that outlives its reader.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Owned {
    Section(FeedPart),
    Row(FeedPart, u64, u64, Vec<u8>),
    Oversize(FeedPart, u64, u64),
    Unknown(UnknownSection),
}

/// All pieces of a reader, and how it ended.
pub(super) fn pieces(source: impl Read) -> (Vec<Owned>, Result<(), String>) {
    let mut reader = FeedReader::new(source);
    let mut pieces = Vec::new();
    loop {
        pieces.push(match reader.next_piece() {
            Ok(Some(FeedPiece::Section(section))) => Owned::Section(section),
            Ok(Some(FeedPiece::Row(RawRow { section, number, offset, json, .. }))) => {
                Owned::Row(section, number, offset, json.to_vec())
            }
            Ok(Some(FeedPiece::Issue(issue))) => Owned::Oversize(issue.section, issue.row, issue.offset),
            Ok(Some(FeedPiece::Unknown(unknown))) => Owned::Unknown(unknown),
            Ok(None) => return (pieces, Ok(())),
            Err(fault) => return (pieces, Err(fault.to_string())),
        });
    }
}

/// The context of a shop without secrets.
pub(crate) const CONTEXT: NormaliserContext<'static> = NormaliserContext {
    default_currency: Some("GBP"),
    account_tag: &|id| format!("tag-{}", id.len()),
    noticed: None,
};

/// A feed as it would be imported.
#[derive(Default)]
pub(crate) struct ImportedRows {
    /// Section, key and normal form of each good row.
    pub(crate) rows: Vec<(FeedPart, String, String)>,
    pub(crate) issues: Vec<Issue>,
}

impl ImportedRows {
    pub(super) fn bad(&self) -> Vec<&Issue> {
        self.issues.iter().filter(|issue| issue.severity() == Severity::Bad).collect()
    }
}

/// Reads and normalises a whole feed.
pub(crate) fn import(source: impl Read) -> Result<ImportedRows, FeedFault> {
    let mut reader = FeedReader::new(source);
    let mut imported = ImportedRows::default();
    while let Some(piece) = reader.next_piece()? {
        match piece {
            FeedPiece::Section(_) => {}
            FeedPiece::Unknown(unknown) => imported.issues.push(Issue::unknown_section(unknown)),
            FeedPiece::Issue(issue) => imported.issues.push(issue),
            FeedPiece::Row(row) => {
                if let Some((key, json)) = normalise(&row, &mut imported.issues) {
                    imported.rows.push((row.section, key, json));
                }
            }
        }
    }
    Ok(imported)
}

/// The key and normal form of a row of any feed section.
pub(super) fn normalise(row: &RawRow<'_>, issues: &mut Vec<Issue>) -> Option<(String, String)> {
    let mut out = Vec::new();
    let issues_before = issues.iter().filter(|issue| issue.severity() == Severity::Bad).count();
    let key = match row.section {
        FeedPart::Items(_) => rows::normalise_item(row, &CONTEXT, &mut out, issues).map(|key| key.id),
        FeedPart::Users => {
            rows::normalise_user(row, &CONTEXT, &|text| Some(text.to_owned()), issues).map(|user| {
                out.extend_from_slice(&user.profile_json);
                user.user_id.clone()
            })
        }
        section => panic!("{} is no section of a feed", section.as_str()),
    };
    let bad = issues.iter().filter(|issue| issue.severity() == Severity::Bad).count() - issues_before;
    assert_eq!(bad, usize::from(key.is_none()), "a bad row has exactly one bad issue, a good one none");
    assert!(key.is_some() || out.is_empty());
    let json = String::from_utf8(out).expect("the normal form is text");
    if key.is_some() {
        serde_json::from_str::<serde_json::Value>(&json).expect("the normal form is JSON");
    }
    key.map(|key| (key, json))
}

/// The normal form of one product, or its bad issue.
pub(super) fn product(json: &[u8]) -> Result<(String, Vec<Issue>), Issue> {
    let row = RawRow { section: FeedPart::PRODUCTS, number: 1, offset: 0, origin: RowOrigin::Feed, json };
    let mut issues = Vec::new();
    match normalise(&row, &mut issues) {
        Some((_, json)) => Ok((json, issues)),
        None => Err(issues.remove(0)),
    }
}
