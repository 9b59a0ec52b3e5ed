//! Durability and permissions of files.

use std::fs;
use std::fs::{File, Permissions};
use std::io::ErrorKind;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::*;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names = names(folder).unwrap();
    names.sort_unstable();
    names
}

#[test]
fn what_is_put_is_whole_private_and_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(folder.path().join("file.new"), "of a write that was cut off, and longer than the next")
        .unwrap();
    write_atomically(&path, b"one").unwrap();
    write_atomically(&path, b"two").unwrap();
    assert_eq!((fs::read(&path).unwrap(), mode(&path)), (b"two".to_vec(), 0o600));
    assert_eq!(names_in(folder.path()), ["file"]);
}

#[test]
fn a_mark_is_private_and_keeps_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("restoring");
    mark(&path).unwrap();
    assert_eq!((fs::read(&path).unwrap(), mode(&path)), (Vec::new(), 0o600));
    write_atomically(&path, b"a gap").unwrap();
    mark(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"a gap");
}

#[test]
fn overwriting_stays_in_the_same_file_and_an_end_is_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let file = open(&folder.path().join("file")).unwrap();
    write_end(&file, b"0123456789", 0).unwrap();
    overwrite(&file, b"xx", 4).unwrap();
    sync(&file).unwrap();
    assert_eq!(fs::read(folder.path().join("file")).unwrap(), b"0123xx6789");
    write_end(&file, b"end", 2).unwrap();
    assert_eq!(fs::read(folder.path().join("file")).unwrap(), b"01end");
}

#[test]
fn a_copy_over_another_file_leaves_nothing_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let from = folder.path().join("from");
    let to = folder.path().join("to");
    fs::write(&from, "short").unwrap();
    fs::write(&to, "a longer one, with more behind").unwrap();
    let before = File::open(&to).unwrap();
    copy_over(&from, &to).unwrap();
    let mut same_file = String::new();
    (&before).read_to_string(&mut same_file).unwrap();
    assert_eq!(same_file, "short");
}

#[test]
fn a_copy_is_a_new_file_and_has_the_sum_of_the_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let from = folder.path().join("from");
    let to = folder.path().join("to");
    fs::write(&from, vec![7; 300_000]).unwrap();
    let copied = copy(&from, &to).unwrap();
    assert_eq!((copied, copied.bytes, mode(&to)), (sum(&to).unwrap(), 300_000, 0o600));
    assert!(copy(&from, &to).is_err_and(|error| error.kind() == ErrorKind::AlreadyExists));
}

#[test]
fn one_lock_at_a_time_on_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let held = lock(folder.path()).unwrap();
    assert!(held.is_some() && lock(folder.path()).unwrap().is_none());
    drop(held);
    assert!(lock(folder.path()).unwrap().is_some());
    assert_eq!(mode(&folder.path().join(LOCK)), 0o600);
}

#[test]
fn folders_are_private_and_closed_when_they_were_not() {
    let above = tempfile::tempdir().unwrap();
    let folder = above.path().join("one").join("two");
    make_folder(&folder).unwrap();
    make_folder(&folder).unwrap();
    assert_eq!((mode(&folder), mode(&above.path().join("one"))), (0o700, 0o700));
    assert!(create_folder(&folder).is_err());
    assert!(!close_folder(&folder).unwrap());
    fs::set_permissions(&folder, Permissions::from_mode(0o750)).unwrap();
    assert!(close_folder(&folder).unwrap());
    assert_eq!(mode(&folder), 0o700);
}

#[test]
fn a_file_of_the_user_is_closed_before_it_is_filled() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    fs::write(&path, "x".repeat(1000)).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    write_private(&path, b"page").unwrap();
    assert_eq!((fs::read(&path).unwrap(), mode(&path)), (b"page".to_vec(), 0o600));
}

#[test]
fn emptying_a_folder_keeps_what_is_named_and_what_the_file_system_owns() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["lock", "lost+found", "old", "older/oldest"] {
        let path = folder.path().join(name);
        make_folder(parent_folder(&path)).unwrap();
        fs::write(path, "").unwrap();
    }
    empty(folder.path(), &["lock"]).unwrap();
    assert_eq!(names_in(folder.path()), ["lock"]);
    assert!(folder.path().join("lost+found").exists());
    assert!(names(&folder.path().join("none")).unwrap().is_empty());
    assert!(remove(&folder.path().join("lock")).unwrap() && !remove(&folder.path().join("lock")).unwrap());
}

#[test]
fn output_of_the_user_takes_the_place_of_what_the_file_held_when_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("export");
    fs::write(&path, "a longer text than the next").unwrap();
    let output = open_output(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"a longer text than the next");
    assert_eq!(write_output(&output, &mut b"whole".as_slice()).unwrap(), 5);
    assert_eq!(fs::read(&path).unwrap(), b"whole");
    // A device has no length, and one that is full says so.
    let device = open_output(Path::new("/dev/null")).unwrap();
    assert_eq!(write_output(&device, &mut b"whole".as_slice()).unwrap(), 5);
    let full = open_output(Path::new("/dev/full")).unwrap();
    let refused = write_output(&full, &mut b"whole".as_slice()).unwrap_err();
    assert!(is_full(refused.kind()), "{refused}");
    let read_only = File::open(&path).unwrap();
    assert!(write_output(&read_only, &mut b"other".as_slice()).is_err());
    drop(super::output(&path).unwrap());
    assert_eq!(fs::read(&path).unwrap(), b"");
}

#[test]
fn a_full_disk_and_a_used_quota_are_full_and_no_other_fault_is() {
    let kinds = [ErrorKind::StorageFull, ErrorKind::QuotaExceeded, ErrorKind::NotFound, ErrorKind::Other];
    assert_eq!(kinds.map(is_full), [true, true, false, false]);
}

#[test]
fn a_file_that_is_replaced_published_or_renamed_is_whole_under_its_new_name_alone() {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
    replace(&one, b"first").unwrap();
    replace(&one, b"next").unwrap();
    assert_eq!((fs::read(&one).unwrap(), mode(&one)), (b"next".to_vec(), 0o600));
    publish(&File::open(&one).unwrap(), &one, &other).unwrap();
    assert_eq!(
        (names_in(folder.path()), fs::read(&other).unwrap()),
        (vec!["other".to_owned()], b"next".to_vec())
    );
    rename(&other, &one).unwrap();
    assert_eq!(names_in(folder.path()), ["one"]);
    for missing in [rename(&other, &one), publish(&File::open(&one).unwrap(), &other, &one)] {
        assert_eq!(missing.unwrap_err().kind(), ErrorKind::NotFound);
    }
    let away = folder.path().join("away").join("file");
    for missing in
        [replace(&away, b"x"), write_atomically(&away, b"x"), mark(&away), write_private(&away, b"x")]
    {
        assert_eq!(missing.unwrap_err().kind(), ErrorKind::NotFound);
    }
}

#[test]
fn files_are_opened_as_they_are_and_made_for_their_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    assert_eq!(open_existing(&path).unwrap_err().kind(), ErrorKind::NotFound);
    drop(create(&path).unwrap());
    assert_eq!((mode(&path), create(&path).unwrap_err().kind()), (0o600, ErrorKind::AlreadyExists));
    overwrite(&open_existing(&path).unwrap(), b"text", 0).unwrap();
    drop((open(&path).unwrap(), open_existing(&path).unwrap()));
    assert_eq!(fs::read(&path).unwrap(), b"text");
    fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    close_file(&path).unwrap();
    assert_eq!(mode(&path), 0o600);
    let made = folder.path().join("made");
    create_folder(&made).unwrap();
    assert_eq!(mode(&made), 0o700);
    fs::write(made.join("inner"), "").unwrap();
    remove_folder(&made).unwrap();
    assert_eq!(names_in(folder.path()), ["file"]);
    assert!(remove(folder.path()).is_err() && names(&path).is_err() && empty(&path, &[]).is_err());
    let reserved = open(&path).unwrap();
    reserve(&reserved, 10_000).unwrap();
    assert_eq!(reserved.metadata().unwrap().len(), 10_000);
    assert!(volume_bytes(folder.path()).unwrap() > 10_000 && volume_bytes(&made).is_err());
    let parents = ["/a/b", "a/b", "a", "/"].map(|path| parent_folder(Path::new(path)));
    assert_eq!(parents, ["/a", "a", ".", "."].map(Path::new));
}

#[test]
fn a_large_file_is_copied_whole_over_another_and_a_missing_one_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let [from, to] = ["from", "to"].map(|name| folder.path().join(name));
    assert_eq!(copy_over(&from, &to).unwrap_err().kind(), ErrorKind::NotFound);
    assert!(!to.exists());
    let large: Vec<u8> = (0..2_500_000_u32).map(|at| (at % 251) as u8).collect();
    fs::write(&from, &large).unwrap();
    for _ in 0..2 {
        copy_over(&from, &to).unwrap();
        assert!(fs::read(&to).unwrap() == large);
    }
    assert_eq!(mode(&to), 0o600);
    assert!(copy_over(folder.path(), &to).is_err() && sum(folder.path()).is_err());
    fs::remove_file(&to).unwrap();
    assert_eq!(copy(&from, &to).unwrap().bytes, 2_500_000);
    assert!(fs::read(&to).unwrap() == large);
}
