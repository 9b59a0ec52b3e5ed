//! JSONTestSuite: every file stands as an attribute's value in a row of a feed.

use super::testing::{import, shared};
use super::{FeedFault, IssueCode};
use std::path::Path;
use std::process::Command;

/// Outcome of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    Accepted,
    BadRow(IssueCode),
    Fault,
}

/// The files on which the suite has no opinion, with Lethe's rules: text must be UTF-8 with whole letters, numbers must
/// fit a double, nesting ends at 64 levels, a byte order mark stands only at the start.
const CHOICES: &[(&str, Fate)] = &[
    ("i_number_double_huge_neg_exp", Fate::Accepted),
    ("i_number_huge_exp", Fate::BadRow(IssueCode::RowNumberTooLarge)),
    ("i_number_neg_int_huge_exp", Fate::BadRow(IssueCode::RowNumberTooLarge)),
    ("i_number_pos_double_huge_exp", Fate::BadRow(IssueCode::RowNumberTooLarge)),
    ("i_number_real_neg_overflow", Fate::BadRow(IssueCode::RowNumberTooLarge)),
    ("i_number_real_pos_overflow", Fate::BadRow(IssueCode::RowNumberTooLarge)),
    ("i_number_real_underflow", Fate::Accepted),
    ("i_number_too_big_neg_int", Fate::Accepted),
    ("i_number_too_big_pos_int", Fate::Accepted),
    ("i_number_very_big_negative_int", Fate::Accepted),
    ("i_object_key_lone_2nd_surrogate", Fate::BadRow(IssueCode::RowLoneSurrogate)),
    ("i_string_1st_surrogate_but_2nd_missing", Fate::BadRow(IssueCode::RowLoneSurrogate)),
    ("i_string_1st_valid_surrogate_2nd_invalid", Fate::BadRow(IssueCode::RowLoneSurrogate)),
    ("i_string_UTF-16LE_with_BOM", Fate::Fault),
    ("i_string_UTF-8_invalid_sequence", Fate::BadRow(IssueCode::RowInvalidUtf8)),
    ("i_string_UTF8_surrogate_U+D800", Fate::BadRow(IssueCode::RowInvalidUtf8)),
    ("i_string_incomplete_surrogate_and_escape_valid", Fate::BadRow(IssueCode::RowLoneSurrogate)),
    ("i_string_incomplete_surrogate_pair", Fate::BadRow(IssueCode::RowLoneSurrogate)),
    ("i_string_incomplete_surrogates_escape_valid", Fate::BadRow(IssueCode::RowLoneSurrogate)),
    ("i_string_invalid_lonely_surrogate", Fate::BadRow(IssueCode::RowLoneSurrogate)),
    ("i_string_invalid_surrogate", Fate::BadRow(IssueCode::RowLoneSurrogate)),
    ("i_string_invalid_utf-8", Fate::BadRow(IssueCode::RowInvalidUtf8)),
    ("i_string_inverted_surrogates_U+1D11E", Fate::BadRow(IssueCode::RowLoneSurrogate)),
    ("i_string_iso_latin_1", Fate::BadRow(IssueCode::RowInvalidUtf8)),
    ("i_string_lone_second_surrogate", Fate::BadRow(IssueCode::RowLoneSurrogate)),
    ("i_string_lone_utf8_continuation_byte", Fate::BadRow(IssueCode::RowInvalidUtf8)),
    ("i_string_not_in_unicode_range", Fate::BadRow(IssueCode::RowInvalidUtf8)),
    ("i_string_overlong_sequence_2_bytes", Fate::BadRow(IssueCode::RowInvalidUtf8)),
    ("i_string_overlong_sequence_6_bytes", Fate::BadRow(IssueCode::RowInvalidUtf8)),
    ("i_string_overlong_sequence_6_bytes_null", Fate::BadRow(IssueCode::RowInvalidUtf8)),
    ("i_string_truncated-utf-8", Fate::BadRow(IssueCode::RowInvalidUtf8)),
    ("i_string_utf16BE_no_BOM", Fate::Fault),
    ("i_string_utf16LE_no_BOM", Fate::Fault),
    ("i_structure_500_nested_arrays", Fate::BadRow(IssueCode::RowTooDeep)),
    ("i_structure_UTF-8_BOM_empty_object", Fate::BadRow(IssueCode::RowSyntax)),
];

/// Valid JSON with duplicate names: refused on purpose, because the intended value is a guess.
const DUPLICATE_NAMES: &str = "y_object_duplicated_key";

fn fate(json: &[u8]) -> Fate {
    let feed = [b"{\"Products\":[{\"Id\":\"1\",\"x\":", json, b"},{\"Id\":\"2\"}]}"].concat();
    match import(&feed[..]) {
        Err(FeedFault::Malformed { .. }) => Fate::Fault,
        Err(other) => panic!("a slice can be read: {other}"),
        Ok(imported) => {
            let bad: Vec<IssueCode> = imported.bad().iter().map(|issue| issue.code).collect();
            assert_eq!(imported.rows.last().map(|row| row.1.as_str()), Some("2"), "the next row stays");
            match bad[..] {
                [] => Fate::Accepted,
                [code] => Fate::BadRow(code),
                _ => panic!("one row, one issue"),
            }
        }
    }
}

fn each_file(folder: &Path, mut check: impl FnMut(&str, &[u8])) -> usize {
    let archive = folder.join("data/jsontestsuite.tar.gz");
    let unpacked = tempfile::tempdir().expect("a folder");
    let status = Command::new("tar").arg("xzf").arg(archive).arg("-C").arg(unpacked.path()).status();
    assert!(status.expect("tar").success());
    let mut files = 0;
    for entry in std::fs::read_dir(unpacked.path().join("test_parsing")).expect("the suite") {
        let path = entry.expect("a file").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        check(&name, &std::fs::read(&path).expect("a file"));
        files += 1;
    }
    files
}

#[test]
fn json_test_suite_is_judged_as_it_must_be() {
    let Some(folder) = shared() else { return };
    let mut wrong = Vec::new();
    let files = each_file(&folder, |name, json| {
        let found = fate(json);
        let is_right = match name.as_bytes() {
            _ if name == DUPLICATE_NAMES => found == Fate::BadRow(IssueCode::DuplicateKey),
            [b'y', ..] => found == Fate::Accepted,
            [b'n', ..] => found != Fate::Accepted,
            _ => CHOICES.contains(&(name, found)),
        };
        if !is_right {
            wrong.push((name.to_owned(), found));
        }
    });
    assert_eq!(wrong, []);
    assert_eq!(files, 318);
}
