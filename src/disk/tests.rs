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
