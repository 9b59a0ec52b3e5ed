//! Certificates.

use super::made::*;
use crate::*;

fn check(text: &[u8], key: Option<&Key>) -> Result<CheckedCertificate, String> {
    let text = std::str::from_utf8(text).map_err(|error| error.to_string())?;
    check_certificate(text, key).map_err(|fault| fault.to_string())
}

fn refused(text: &str, with: &str) {
    let fault = check(text.as_bytes(), Some(&Signer::new(1).key())).expect_err(with);
    assert!(fault.contains(with), "{fault}");
}

#[test]
fn a_certificate_proves_what_it_says_in_ledgers_of_every_size() {
    let signer = Signer::new(1);
    for size in 2..40 {
        let entries = entries(size);
        for index in (1..size).filter(|n| !matches!(n % 7, 3 | 5)) {
            let text = certificate(&signer, &entries, index);
            for text in [text.clone(), text + "\n"] {
                let checked = check(text.as_bytes(), Some(&signer.key())).expect("good");
                assert_eq!((checked.index, checked.body), (index as u64, body(index as u128)));
            }
        }
    }
}

#[test]
fn every_changed_byte_of_a_certificate_is_found() {
    let signer = Signer::new(1);
    let text = certificate(&signer, &entries(13), 6);
    assert!(text.len() > 1500, "{}", text.len());
    for key in [Some(signer.key()), None] {
        for changed in with_a_changed_byte(&text) {
            assert!(check(&changed, key.as_ref()).is_err(), "{}", String::from_utf8_lossy(&changed));
        }
    }
}

#[test]
fn every_byte_more_or_less_in_a_certificate_is_found() {
    let text = certificate(&Signer::new(1), &entries(13), 6);
    for changed in with_a_byte_more_or_less(&text) {
        assert!(check(&changed, None).is_err(), "{}", String::from_utf8_lossy(&changed));
    }
    for ending in [" ", "\n\n", "\r\n", "{}", "\0"] {
        assert!(check(format!("{text}{ending}").as_bytes(), None).is_err(), "{ending:?}");
    }
}

#[test]
fn a_certificate_with_parts_of_another_is_refused() {
    let signer = Signer::new(1);
    let entries = entries(20);
    let one = certificate(&signer, &entries, 6);
    let other = certificate(&signer, &entries, 8);
    let part = |text: &str, from: &str, to: &str| {
        let start = text.find(from).expect("the start");
        text[start..start + text[start..].find(to).expect("the end")].to_owned()
    };
    for (from, to, sentence) in [
        ("{\"Body\"", ",\"Signature\"", "not what its key signed"),
        (",\"Signature\"", ",\"Entry\"", "not what its key signed"),
        (",\"Entry\"", ",\"Index\"", "about another certificate"),
        (",\"Index\"", ",\"Proof\"", "does not lead"),
        (",\"Proof\":[", ",\"Checkpoint\"", "does not lead"),
    ] {
        refused(&one.replace(&part(&one, from, to), &part(&other, from, to)), sentence);
    }
}

#[test]
fn a_proof_of_another_ledger_or_key_is_refused() {
    let signer = Signer::new(1);
    let entries = entries(20);
    let good = certificate(&signer, &entries, 6);
    refused(&certificate(&Signer::new(2), &entries, 6), "another key");
    let later = signer.checkpoint(&entries[..19]).to_string();
    refused(&good.replace(&signer.checkpoint(&entries).to_string(), &later), "does not lead");
    // Signed with the right key, and about an entry that is not in the ledger.
    let mut others = entries;
    others[6] = others[4].clone();
    let entry = body(6).entry(&body(6).to_string()).to_string();
    let checkpoint = signer.checkpoint(&others);
    refused(&assembled(&signer, &body(6), &entry, (in_memory(&others), 6), checkpoint), "does not lead");
}

/// All is signed by the right key: a server with several accounts can say all of this.
#[test]
fn a_certificate_of_another_accounts_ledger_is_refused() {
    let signer = Signer::new(1);
    let own = entries(20);
    let others = entries_of(OTHER, 20);
    assert!(check(certificate(&signer, &own, 6).as_bytes(), None).is_ok());
    // Its own entry and its own text, in the tree of another ledger.
    let mut mixed = others.clone();
    mixed[6] = own[6].clone();
    refused(&certificate(&signer, &mixed, 6), "ledger of another account");
    // The entry names the other ledger, the text its own.
    let entry = Body { ledger: OTHER, ..body(6) }.entry(&body(6).to_string()).to_string();
    let mut named = others.clone();
    named[6].clone_from(&entry);
    for checkpoint in [signer.checkpoint(&named), Checkpoint { ledger: LEDGER, ..signer.checkpoint(&named) }]
    {
        let signed = signer.checkpoint_of(checkpoint.ledger, checkpoint.size, checkpoint.root.0);
        let forged = assembled(&signer, &body(6), &entry, (in_memory(&others), 6), signed);
        assert!(check(forged.as_bytes(), None).is_err());
    }
}

#[test]
fn a_certificate_that_found_something_is_no_good_one() {
    let signer = Signer::new(1);
    for found in [true, false] {
        let mut body = body(1);
        if found {
            body.scan.found = 1;
        } else {
            body.places[1].left = 1;
        }
        let entries = [entries(1).remove(0), body.entry(&body.to_string()).to_string()];
        refused(&certificate_of(&signer, &body, &entries, 1), "still found");
    }
}

#[test]
fn a_certificate_of_a_search_that_read_no_file_is_no_good_one() {
    let signer = Signer::new(1);
    let mut body = body(1);
    body.scan.complete = false;
    let of = |body: &Body| {
        let entries = [entries(1).remove(0), body.entry(&body.to_string()).to_string()];
        certificate_of(&signer, body, &entries, 1)
    };
    refused(&of(&body), "some files were not read");
    body.scan = Scan { folders: vec![], complete: true, ..body.scan };
    refused(&of(&body), "some files were not read");
    // There was nothing to look for.
    body.scan.scanned = 0;
    assert!(check(of(&body).as_bytes(), None).is_ok());
}

#[test]
fn another_version_is_named() {
    let mut body = body(1);
    body.version = 3;
    let entries = [entries(1).remove(0), body.entry(&body.to_string()).to_string()];
    let text = certificate_of(&Signer::new(1), &body, &entries, 1).replace("\"Program\"", "\"Programme\"");
    refused(&text, "another version than 2");
}

#[test]
fn cut_deep_huge_and_foreign_texts_are_refused() {
    let text = certificate(&Signer::new(1), &entries(13), 6);
    for end in 0..text.len() {
        assert!(check(&text.as_bytes()[..end], None).is_err());
    }
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let deep_body = text.replacen("\"my shop\"", &deep, 1);
    let huge_proof = text.replacen("\"Proof\":[", &format!("\"Proof\":[{}", "\"00\",".repeat(1_000_000)), 1);
    let huge_size = text.replacen("\"Size\":13", "\"Size\":18446744073709551615", 1);
    let huge_index = text.replacen("\"Index\":6", "\"Index\":18446744073709551615", 1);
    for bad in ["", "\n", "null", "{}", "[]", &deep, &deep_body, &huge_proof, &huge_size, &huge_index] {
        assert!(check(bad.as_bytes(), None).is_err());
    }
}
