//! What is left on the disk of a person: no plain text ever, and of a destroyed key nothing on the raw device.

use memchr::memmem;
use serde_json::json;

use super::machine::{Disk, has};
use super::server::{Home, Keys, Server, until};

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
    // With payloads that wait, and with what became of them.
    server.kill();
    scan(folder.path());
    let server = home.start();
    until("the person is stored", || (subjects(&home) == 1).then_some(()));
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

#[test]
fn a_destroyed_key_is_nowhere_on_the_device() {
    if !has("the raw device after an erasure", true, &["mkfs.ext4", "mount"]) {
        return;
    }
    let disk = Disk::ext4();
    let home = Home::new(disk.path());
    let mut server = home.start();
    let keys = home.account("shop").unwrap();
    send_person(&server, &keys);
    until("the person is stored", || (subjects(&home) == 1).then_some(()));
    let slot = usize::try_from(home.count("SELECT slot FROM subject")).unwrap();
    // Behind the header block of 64 bytes.
    let block = std::fs::read(home.keys.join("slots.key")).unwrap()[(slot + 1) * 64..][..64].to_vec();
    assert!(block.iter().any(|byte| *byte != 0));
    let forget = server.post(&keys, "/api/user/forget", json!({"Identifier": EMAIL})).unwrap();
    assert_eq!(forget.status, 200);
    until("the person is erased", || (subjects(&home) == 0).then_some(()));
    assert!(server.stop().success());
    let image = disk.read_image();
    assert!(memmem::find(&image, b"LETHEKEY").is_some(), "the image was read");
    assert_eq!(memmem::find_iter(&image, &block).count(), 0, "the destroyed key lies on the device");
}
