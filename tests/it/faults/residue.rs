//! Residue of a person on the disk: never plain text, and no trace of a destroyed key on the raw device.

use memchr::memmem;
use serde_json::json;

use super::pieces::send_piece;
use super::server::{Home, Keys, Server};
use super::web::{self, Web};
use crate::support::machine::{Disk, has};
use crate::support::spellings::{ResidueSearch, SPELLINGS, random_letters};
use crate::support::waits::wait_until;

const EMAIL: &str = "quintessa.brambleworth@shop.example";
const NAME: &str = "Quintessa";

fn send_person(server: &Server, keys: &Keys) {
    let person = json!({"UserId": "qb-1", "Email": EMAIL, "FirstName": NAME});
    assert_eq!(server.post(keys, "/api/delta", json!({"Users": [person]})).unwrap().status, 200);
}

fn subjects(home: &Home) -> i64 {
    home.count("SELECT count(*) FROM subject")
}

#[test]
fn no_file_holds_a_person_in_plain_text() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path());
    let mut server = home.start();
    let keys = home.account("shop").unwrap();
    for _ in 0..20 {
        send_person(&server, &keys);
    }
    // With payloads that wait, and with their outcomes.
    server.kill();
    scan(folder.path());
    let server = home.start();
    wait_until("the person is stored", || (subjects(&home) == 1).then_some(()));
    scan(folder.path());
    drop(server);
    scan(folder.path());
}

fn scan(folder: &std::path::Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            scan(&path);
        } else if path.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            for plain in [EMAIL, NAME] {
                assert!(
                    memmem::find(&bytes, plain.as_bytes()).is_none(),
                    "{} holds a person",
                    path.display()
                );
            }
        }
    }
}

/// People whose keys are looked for on the device: one could be missed by luck.
const FORGOTTEN: usize = 200;

#[test]
fn destroyed_keys_are_nowhere_on_the_device() {
    if !has("the raw device after an erasure", true, &["mkfs.ext4", "mount"]) {
        return;
    }
    for with_mirror in [false, true] {
        let disk = Disk::ext4();
        let mut home = Home::new(disk.path());
        if with_mirror {
            home.flags.extend(["--key-mirror".to_owned(), disk.path().join("mirror").display().to_string()]);
        }
        let mut server = home.start();
        let keys = home.account("shop").unwrap();
        let email = |number| format!("person{number}@shop.example");
        let people: Vec<_> =
            (0..FORGOTTEN).map(|n| json!({"UserId": format!("p-{n}"), "Email": email(n)})).collect();
        assert_eq!(server.post(&keys, "/api/delta", json!({"Users": people})).unwrap().status, 200);
        wait_until("the people are stored", || (subjects(&home) == FORGOTTEN as i64).then_some(()));
        let wrapped = wrapped_keys(&home);
        assert_eq!(wrapped.len(), FORGOTTEN);
        for number in 0..FORGOTTEN {
            let forget =
                server.post(&keys, "/api/user/forget", json!({"Identifier": email(number)})).unwrap();
            assert_eq!(forget.status, 200);
        }
        wait_until("the people are erased", || (subjects(&home) == 0).then_some(()));
        assert!(server.stop().success());
        let image = disk.read_image();
        let copies = memmem::find_iter(&image, b"LETHEKEY").count();
        assert!(copies >= if with_mirror { 6 } else { 3 }, "the image was read");
        let left = wrapped.iter().filter(|key| memmem::find(&image, key).is_some()).count();
        assert_eq!(left, 0, "of {FORGOTTEN} destroyed keys so many lie on the device; mirror: {with_mirror}");
    }
}

/// The wrapped keys of all people, as they stand in the slot file.
fn wrapped_keys(home: &Home) -> Vec<Vec<u8>> {
    let slots = std::fs::read(home.keys.join("slots.key")).unwrap();
    let database = home.database();
    let mut statement = database.prepare("SELECT slot FROM subject").unwrap();
    let rows = statement.query_map([], |row| row.get::<_, i64>(0)).unwrap();
    // Behind the header block of 64 bytes; epoch and version stand before the wrapped key.
    let block = |slot: i64| slots[usize::try_from(slot + 1).unwrap() * 64..][12..60].to_vec();
    rows.map(|slot| block(slot.unwrap())).filter(|key| key.iter().any(|byte| *byte != 0)).collect()
}

/// Addresses that texts of products name.
const NAMED: usize = 300;

/// A product whose texts name an address, in one of the spellings, next to bytes that may be found.
fn product(number: usize, local: &str) -> serde_json::Value {
    let text = SPELLINGS[number % SPELLINGS.len()].replace('§', local);
    json!({"Id": format!("control-{number:03}"), "Title": text, "_index": text, "Own": {"deep": [text]}})
}

#[test]
fn addresses_in_texts_are_nowhere_on_the_device_nor_in_a_backup() {
    if !has("the raw device after addresses in texts", true, &["mkfs.ext4", "mount"]) {
        return;
    }
    let disk = Disk::ext4();
    let home = Home::new(disk.path());
    let mut server = home.start();
    let keys = home.account("shop").unwrap();
    let locals: Vec<String> = (0..NAMED).map(|number| random_letters(11, "local", number)).collect();
    let products: Vec<_> = locals.iter().enumerate().map(|(number, local)| product(number, local)).collect();
    let fed = &products[..NAMED / 3];
    let uploaded = &products[NAMED / 3..NAMED * 2 / 3];
    let body = json!({"Products": fed}).to_string();
    let shop = Web::start("127.0.0.1:0".parse().unwrap(), move |_, stream| web::send(stream, &body));
    // The feed and the upload wait for each other, the deltas for both: the power of the server goes while they do.
    let token = server.submit(&keys, &shop.url("/feed")).map_err(|answer| answer.body).unwrap();
    let pieces = json!({"Products": uploaded}).to_string();
    assert_eq!(send_piece(&server, &keys, "/feed-create", "product-1", &pieces).status, 200);
    for delta in products[NAMED * 2 / 3..].chunks(4) {
        assert_eq!(server.post(&keys, "/api/delta", json!({"Products": delta})).unwrap().status, 200);
    }
    server.kill();
    let search = ResidueSearch::new(locals.iter().map(String::as_str));
    let control = memmem::Finder::new(b"control-");
    let look = |when: &str| {
        let image = disk.read_image();
        assert!(control.find(&image).is_some(), "{when}: what is put there is found");
        assert_eq!(search.find_encodings(&image), Vec::<&str>::new(), "{when}");
    };
    std::fs::write(disk.path().join("put there"), "control-file").unwrap();
    look("while they wait");
    let mut server = home.start();
    server.feed_end(&keys, &token).unwrap();
    let closed = send_piece(&server, &keys, "/feed-close", "product-1", "");
    server.feed_end(&keys, &closed.header("x-feed-token").unwrap()).unwrap();
    let waiting = "SELECT count(*) FROM submission WHERE state = 0";
    wait_until("everything is applied", || (home.count(waiting) == 0).then_some(()));
    let backup = disk.path().join("backup");
    let made = home.command(&[], &["backup"]).arg(&backup).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    for local in &locals {
        let forget = json!({"Identifier": format!("{local}@shop.test")});
        assert_eq!(server.post(&keys, "/api/user/forget", forget).unwrap().status, 200);
    }
    let open = "SELECT count(*) FROM erasure WHERE verified_at IS NULL";
    wait_until("the addresses are forgotten", || (home.count(open) == 0).then_some(()));
    assert!(server.stop().success());
    assert_eq!(search.count_by_file(&[backup]), std::collections::BTreeMap::new());
    look("after they were forgotten");
}
