//! Growth from one checkpoint to a later one.

use super::made::*;
use crate::*;

fn growth(signer: &Signer, entries: &[String], old: usize) -> String {
    let proof = in_memory(entries).prove_consistency(entries.len() - old);
    let proof = hashes(proof.as_bytes()).into_iter().map(Hex).collect();
    Growth { proof, checkpoint: signer.checkpoint(entries) }.to_string()
}

#[test]
fn growth_is_proved_between_any_two_sizes() {
    let signer = Signer::new(1);
    let entries = entries(40);
    for new in 2..=40 {
        for old in 1..new {
            let proof = growth(&signer, &entries[..new], old);
            let checked = check_growth(&signer.checkpoint(&entries[..old]), &proof, Some(&signer.key()));
            assert_eq!(checked.expect("grown").size, new as u64);
            let mut other = entries[..old].to_vec();
            other[old / 2].push(' ');
            let rewritten = check_growth(&signer.checkpoint(&other), &proof, None);
            assert!(matches!(rewritten, Err(Fault::Rewritten)), "{old} to {new}");
        }
    }
}

#[test]
fn every_changed_byte_of_a_growth_is_found() {
    let signer = Signer::new(1);
    let entries = entries(21);
    let old = signer.checkpoint(&entries[..13]);
    let text = growth(&signer, &entries, 13);
    assert!(check_growth(&old, &text, None).is_ok());
    for changed in with_a_changed_byte(&text).chain(with_a_byte_more_or_less(&text)) {
        let Ok(changed) = String::from_utf8(changed) else { continue };
        assert!(check_growth(&old, &changed, None).is_err(), "{changed}");
    }
}

#[test]
fn every_changed_byte_of_a_checkpoint_is_found() {
    let text = Signer::new(1).checkpoint(&entries(13)).to_string();
    for changed in with_a_changed_byte(&text).chain(with_a_byte_more_or_less(&text)) {
        let Ok(changed) = String::from_utf8(changed) else { continue };
        let found = read_checkpoint(&changed).and_then(|checkpoint| checkpoint.check(None)).is_err();
        assert!(found, "{changed}");
    }
}

#[test]
fn a_smaller_empty_or_foreign_ledger_has_not_grown() {
    let signer = Signer::new(1);
    let entries = entries(21);
    let text = growth(&signer, &entries[..20], 13);
    let fault = |old: &Checkpoint| check_growth(old, &text, None).expect_err("refused").to_string();
    assert!(fault(&signer.checkpoint(&entries)).contains("fewer entries"));
    assert!(fault(&signer.checkpoint(&[])).contains("rewritten"));
    assert!(fault(&Signer::new(2).checkpoint(&entries[..13])).contains("another key"));
    let other = signer.checkpoint(&entries[..13]);
    let other = signer.checkpoint_of(OTHER, other.size, other.root.0);
    assert!(fault(&other).contains("ledger of another account"));
    let huge =
        Growth { proof: vec![], checkpoint: signer.checkpoint_of(LEDGER, u64::MAX, [7; 32]) }.to_string();
    let fault = check_growth(&signer.checkpoint_of(LEDGER, u64::MAX - 5, [7; 32]), &huge, None);
    assert!(matches!(fault, Err(Fault::TooManyEntries)));
}
