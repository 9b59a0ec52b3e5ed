//! The manifest: sealed, in one form, and of files that a backup may have.

use super::*;
use crate::keys::Keys;

const BLOB: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

fn recognition(folder: &Path) -> LookupKeys {
    drop(Keys::open(folder).unwrap());
    LookupKeys::load(folder).unwrap().unwrap()
}

fn sum(bytes: u64) -> FileSum {
    FileSum { bytes, sha256: "00".to_owned() }
}

fn with_files(recognition: &LookupKeys, files: &[(&str, u64)]) -> Manifest {
    let mut manifest = Manifest::new(recognition, "sqlite", "2024-01-01T00:00:00Z".to_owned());
    manifest.files = files.iter().map(|(name, bytes)| ((*name).to_owned(), sum(*bytes))).collect();
    manifest
}

#[test]
fn a_manifest_is_read_back_by_its_own_keys_and_refused_when_it_was_changed() {
    let above = tempfile::tempdir().unwrap();
    let own = recognition(&above.path().join("own"));
    let other = recognition(&above.path().join("other"));
    let said = || Manifest::load(above.path()).err().map(|fault| fault.to_string());
    let missing = "it has no manifest.json, so it is no backup, or one that was broken off";
    let damaged = "its manifest.json is damaged";
    assert_eq!(said().as_deref(), Some(missing));
    let manifest = with_files(&own, &[(DATABASE, 7), ("journal.log", 5)]);
    assert_eq!((manifest.format, manifest.schema, manifest.bytes_total()), (1, 0, 12));
    let text = String::from_utf8(manifest.into_sealed_bytes(&own)).unwrap();
    assert!(text.starts_with("{\n  \"Format\": 1,\n  \"Lethe\": ") && text.ends_with("\"\n}\n"), "{text}");
    let path = above.path().join(MANIFEST);
    for (changed, expected) in [
        (format!("{text}\n"), damaged),
        (text.replacen("  ", " ", 1), damaged),
        (text.trim_end().to_owned(), damaged),
        (text.replace("\"Format\": 1", "\"Form\": 1"), damaged),
        (
            text.replace("\"Format\": 1", "\"Format\": 2"),
            "its format is 2, which this program does not know; take a newer one",
        ),
    ] {
        std::fs::write(&path, changed).unwrap();
        assert_eq!(said().as_deref(), Some(expected));
    }
    std::fs::write(&path, &text).unwrap();
    let read = Manifest::load(above.path()).ok().unwrap();
    assert!(read.check(&own).is_ok());
    assert!(matches!(read.check(&other), Err(ManifestFault::Foreign)));
    std::fs::write(&path, text.replace("\"Bytes\": 7", "\"Bytes\": 8")).unwrap();
    let forged = Manifest::load(above.path()).ok().unwrap();
    assert!(matches!(forged.check(&own), Err(ManifestFault::SealBroken)));
}

#[test]
fn a_file_has_the_length_and_the_hash_of_the_manifest() {
    let folder = tempfile::tempdir().unwrap();
    let keys = folder.path().join("keys");
    let mut manifest = with_files(&recognition(&keys), &[("gone", 3)]);
    std::fs::write(folder.path().join("file"), "abc").unwrap();
    let found = FileSum::from(disk::sum(&folder.path().join("file")).unwrap());
    assert_eq!(found.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    manifest.files.insert("file".to_owned(), FileSum { bytes: 3, ..found });
    assert!(manifest.check_file(folder.path(), "file").is_ok());
    for name in ["gone", "not in the manifest"] {
        let said = manifest.check_file(folder.path(), name).map_err(|fault| fault.to_string());
        assert_eq!(said, Err(format!("{name} is missing, cut off or damaged")));
    }
    for changed in ["abd", "ab", ""] {
        std::fs::write(folder.path().join("file"), changed).unwrap();
        assert!(manifest.check_file(folder.path(), "file").is_err(), "{changed}");
    }
}

#[test]
fn a_backup_has_a_database_and_catalogue_files_in_their_places_and_what_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let recognition = recognition(folder.path());
    let blob = format!("blobs/01/{BLOB}");
    let others = ["journal.log"];
    let known = |names: &[&str]| {
        let files: Vec<_> = names.iter().map(|name| (*name, 1)).collect();
        with_files(&recognition, &files).has_known_files_only(&others)
    };
    assert!(known(&[DATABASE]) && known(&[DATABASE, "journal.log", &blob]));
    assert!(!known(&["journal.log", &blob]), "no database");
    for strange in ["recognition.bundle", "../x", BLOB, &format!("blobs/02/{BLOB}"), &format!("x/{blob}")] {
        assert!(!known(&[DATABASE, strange]), "{strange}");
    }
    let manifest = with_files(&recognition, &[(DATABASE, 1), (blob.as_str(), 1), ("blobs/01/x", 1)]);
    let blobs: Vec<_> = manifest.blobs().map(|(path, name)| (path.to_owned(), name.to_string())).collect();
    assert_eq!(blobs, [(blob, BLOB.to_owned())]);
}
