//! Two processes on one folder, and a folder of a newer lethe.

use std::process::Output;
use std::time::{Duration, Instant};

use super::server::Home;
use crate::support::waits::pause;

fn second(home: &Home) -> Output {
    let began = Instant::now();
    let ended = home.command(&[], &["serve", "--listen", "127.0.0.1:0"]).output().unwrap();
    assert!(began.elapsed() < Duration::from_secs(1), "it took {:?}", began.elapsed());
    ended
}

#[test]
fn a_second_server_on_a_folder_exits_3_within_a_second_also_through_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path());
    let mut server = home.start();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&home.data, &link).unwrap();
    for data in [home.data.clone(), link] {
        let mut other = home.clone();
        (other.data, other.keys) = (data, folder.path().join("other-keys"));
        let ended = second(&other);
        assert_eq!(ended.status.code(), Some(3));
        assert!(String::from_utf8_lossy(&ended.stderr).contains("another lethe runs on this data folder"));
    }
    assert!(server.is_ready());
    server.kill();
    let server = home.start();
    assert!(server.is_ready(), "the lock is gone with its process");
}

/// As when an operator's command begins just when the server was killed.
#[test]
fn a_server_waits_for_a_command_that_holds_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path());
    let held = lethe::node::FolderLock::acquire(&home.data).unwrap();
    let mut command = home.command(&[], &["serve", "--listen", "127.0.0.1:0"]);
    let mut child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mut said = std::io::BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("a command holds the data folder") {
        line.clear();
        assert!(std::io::BufRead::read_line(&mut said, &mut line).unwrap() > 0, "it ended");
    }
    drop(held);
    while !line.contains("the server started") {
        line.clear();
        assert!(std::io::BufRead::read_line(&mut said, &mut line).unwrap() > 0, "it ended");
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_second_server_on_a_key_folder_exits_3_too() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path());
    let server = home.start();
    let mut other = home.clone();
    other.data = folder.path().join("other-data");
    let ended = second(&other);
    assert_eq!(ended.status.code(), Some(3), "{}", String::from_utf8_lossy(&ended.stderr));
    assert!(String::from_utf8_lossy(&ended.stderr).contains("another lethe runs on this key folder"));
    assert!(server.is_ready());
}

#[test]
fn a_start_by_mistake_does_not_stop_the_server_that_runs() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", folder.path().join("shared.db").display());
    let mut home = Home::new(folder.path());
    home.flags.extend(["--store".to_owned(), store.clone()]);
    let server = home.start();
    let mut other = home.clone();
    other.data = folder.path().join("other-data");
    // With keys of its own, then with a copy of the right ones.
    for (keys, code, reason) in
        [("other-keys", 2, "do not belong together"), ("copied", 3, "another lethe runs")]
    {
        other.keys = folder.path().join(keys);
        if keys == "copied" {
            std::fs::create_dir(&other.keys).unwrap();
            std::fs::set_permissions(&other.keys, std::os::unix::fs::PermissionsExt::from_mode(0o700))
                .unwrap();
            for file in std::fs::read_dir(&home.keys).unwrap().map(Result::unwrap) {
                std::fs::copy(file.path(), other.keys.join(file.file_name())).unwrap();
            }
        }
        let args = ["serve", "--listen", "127.0.0.1:0", "--store", &store];
        let mut child = other.command(&[], &args).stderr(std::process::Stdio::piped()).spawn().unwrap();
        let began = std::time::Instant::now();
        while child.try_wait().unwrap().is_none() && began.elapsed() < std::time::Duration::from_secs(20) {
            pause(std::time::Duration::from_millis(50));
        }
        // One that serves would never end by itself.
        let _ = child.kill();
        let ended = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(code), "{said}");
        assert!(said.contains(reason), "{said}");
    }
    // Twice its beat: it would have noticed by now.
    pause(std::time::Duration::from_secs(2));
    assert!(server.is_ready());
}

#[test]
fn an_older_binary_refuses_a_newer_store_with_exit_4() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path());
    home.start().stop();
    let newer = "INSERT INTO refinery_schema_history (version, name, applied_on, checksum)
                 SELECT 9999, 'newer', applied_on, checksum FROM refinery_schema_history LIMIT 1";
    home.database().execute(newer, []).unwrap();
    let ended = second(&home);
    assert_eq!(ended.status.code(), Some(4), "{}", String::from_utf8_lossy(&ended.stderr));
    assert!(String::from_utf8_lossy(&ended.stderr).contains("run a newer lethe"));
}
