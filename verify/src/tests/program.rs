//! Sentences of the program.

use super::made::*;
use crate::program::describe_certificate;
use crate::*;

#[test]
fn a_certificate_is_told_from_its_request_to_its_ledger() {
    let signer = Signer::new(1);
    let text = certificate(&signer, &entries(5), 2);
    let checked = check_certificate(&text, Some(&signer.key())).expect("good");
    let expected = [
        "Erasure 00000000-0000-0000-0000-000000000002 of the shop \"my shop\": asked 2026-11-20T12:00:00Z, due \
         2026-12-20T12:00:00Z.",
        "Verified 2026-11-21T12:00:00Z in these places, and in no others:",
        "  \"record\": 3 removed, 0 left (\"looked through again\")",
        "  \"identifier\": 3 removed, 0 left (\"looked through again\")",
        "Kept in \"suppression\": 3 (\"to know again\")",
        "Every file of [\"data\"] searched for 2 identifiers: 0 found.",
        "1 more identifiers are proved gone by the walk through the places alone.",
        "The text is what was signed, and entry 2 of the ledger names it.",
        "The ledger 00000000-0000-0000-0000-000000000063 had 5 entries on 2026-11-21T12:00:00Z.",
    ];
    assert_eq!(describe_certificate(&checked), expected);
}
