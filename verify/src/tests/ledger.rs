//! The ledger as a whole.

use super::made::*;
use crate::*;

fn check(export: impl AsRef<[u8]>, earlier: Option<&Checkpoint>) -> Result<CheckedLedger, String> {
    let key = Signer::new(1).key();
    check_ledger(export.as_ref(), Some(&key), earlier).map_err(|fault| fault.to_string())
}

#[test]
fn a_ledger_of_any_size_is_good() {
    let signer = Signer::new(1);
    for size in 1..70 {
        let checked = check(export(&signer, &entries(size)), None).expect("good");
        let counted = 1 + checked.erasures + checked.consents + checked.restores;
        assert_eq!((counted, checked.checkpoint.size), (size as u64, size as u64));
    }
}

#[test]
fn every_changed_byte_of_a_ledger_is_found() {
    let text = export(&Signer::new(1), &entries(12));
    for changed in with_a_changed_byte(&text).chain(with_a_byte_more_or_less(&text)) {
        assert!(check(&changed, None).is_err(), "{}", String::from_utf8_lossy(&changed));
        assert!(
            check_ledger(changed.as_slice(), None, None).is_err(),
            "{}",
            String::from_utf8_lossy(&changed)
        );
    }
}

#[test]
fn every_dropped_swapped_and_doubled_entry_is_found() {
    let signer = Signer::new(1);
    let entries = entries(40);
    let checkpoint = signer.checkpoint(&entries);
    let good = |entries: &[String]| check(format!("{}\n{checkpoint}\n", entries.join("\n")), None).is_ok();
    assert!(good(&entries));
    for one in 0..entries.len() {
        let mut dropped = entries.clone();
        dropped.remove(one);
        assert!(!good(&dropped), "{one} dropped");
        let mut doubled = entries.clone();
        doubled.insert(one, entries[one].clone());
        assert!(!good(&doubled), "{one} doubled");
        for other in 0..one {
            let mut swapped = entries.clone();
            swapped.swap(one, other);
            assert!(!good(&swapped), "{one} and {other} swapped");
            let mut repeated = entries.clone();
            repeated[one] = entries[other].clone();
            assert!(!good(&repeated), "{other} again in the place of {one}");
        }
    }
}

#[test]
fn a_ledger_cut_anywhere_is_refused() {
    let text = export(&Signer::new(1), &entries(12));
    for end in 0..text.len() {
        assert!(check(&text[..end], None).is_err(), "{end}");
    }
    let behind = format!("{text}{}\n", entries(12)[3]);
    assert!(check(behind, None).expect_err("refused").contains("behind the checkpoint"));
}

#[test]
fn a_line_that_cannot_be_read_is_told_as_one() {
    let text = export(&Signer::new(1), &entries(3));
    let second = text.find('\n').expect("a line") + 1;
    for end in [second - 1, second + 1, text.len() - 1] {
        let fault = check(&text[..end], None).expect_err("refused");
        assert!(fault.starts_with("the line of the ledger cannot be read"), "{end}: {fault}");
    }
    let fault = check(&text[..second], None).expect_err("refused");
    assert!(fault.starts_with("the ledger ends without a checkpoint"), "{fault}");
}

#[test]
fn nothing_may_stand_behind_the_checkpoint() {
    let text: Vec<u8> = export(&Signer::new(1), &entries(3)).into();
    assert!(check(&text, None).is_ok());
    for behind in [&b"{}\n"[..], b"{}", b"\n", b"\xff\n", b"\xff"] {
        assert!(check([text.as_slice(), behind].concat(), None).is_err(), "{behind:?}");
    }
}

#[test]
fn a_ledger_that_does_not_begin_at_its_beginning_is_refused() {
    let signer = Signer::new(1);
    let mut entries = entries(5);
    let headless = export(&signer, &entries[1..]);
    assert!(check(headless, None).expect_err("refused").contains("genesis"));
    entries.push(entries[0].clone());
    assert!(check(export(&signer, &entries), None).expect_err("refused").contains("genesis"));
}

#[test]
fn a_rewritten_ledger_signed_again_is_found_with_an_earlier_checkpoint() {
    let signer = Signer::new(1);
    let entries = entries(30);
    for size in 1..=30 {
        let earlier = signer.checkpoint(&entries[..size]);
        assert!(check(export(&signer, &entries), Some(&earlier)).is_ok(), "{size}");
        for at in 1..size {
            let mut rewritten = entries.clone();
            let consent = uuid::Uuid::from_u128(7);
            rewritten[at] = Entry::Consent { ledger: LEDGER, consent, day: day(NOW) }.to_string();
            let fault = check(export(&signer, &rewritten), Some(&earlier)).expect_err("rewritten");
            assert!(fault.contains("rewritten"), "{fault}");
        }
        if size > 1 {
            let fault = check(export(&signer, &entries[..size - 1]), Some(&earlier)).expect_err("shrunk");
            assert!(fault.contains("fewer entries"), "{fault}");
        }
    }
    let foreign = Signer::new(2).checkpoint(&entries[..9]);
    assert!(check(export(&signer, &entries), Some(&foreign)).expect_err("foreign").contains("another key"));
}

#[test]
fn an_entry_or_a_checkpoint_of_another_accounts_ledger_is_refused() {
    let signer = Signer::new(1);
    let own = entries(20);
    let others = entries_of(OTHER, 20);
    assert!(check(export(&signer, &others), None).is_ok());
    for at in 1..20 {
        let mut mixed = own.clone();
        mixed[at].clone_from(&others[at]);
        let fault = check(export(&signer, &mixed), None).expect_err("mixed");
        assert!(fault.contains("ledger of another account"), "{fault}");
    }
    let signed = signer.checkpoint(&own);
    let named = signer.checkpoint_of(OTHER, signed.size, signed.root.0);
    for (last, earlier) in [(&named, None), (&signed, Some(&named))] {
        let fault = check(format!("{}\n{last}\n", own.join("\n")), earlier).expect_err("another's");
        assert!(fault.contains("ledger of another account"), "{fault}");
    }
}

#[test]
fn endless_deep_and_foreign_lines_are_refused() {
    let deep = format!("{{\"Kind\":{}\n", "[".repeat(4000));
    for bad in [vec![], vec![b'{'; 10_000_000], vec![0xff, b'\n'], b"\n".to_vec(), deep.into_bytes()] {
        assert!(check(bad, None).is_err());
    }
}
