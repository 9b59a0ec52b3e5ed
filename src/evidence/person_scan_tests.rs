//! Result of a search of the files: whose texts were found, and in which words the files are named.

use super::*;

fn residue(found: &[(usize, &str, u64)]) -> Residue {
    let found = found.iter().map(|(text, file, times)| FoundText {
        text: *text,
        file: PathBuf::from(file),
        times: *times,
    });
    Residue {
        files: 1,
        bytes: 7,
        found: found.collect(),
        // The second person has one text, the third none.
        whose: vec![0, 0, 1],
        walk_only: vec![2, 0],
        places: [
            ("data", "/d"),
            ("keys", "/k"),
            ("database", "/x/lethe.db"),
            ("database", "/x/lethe.db-wal"),
        ]
        .map(|(name, root)| (name, PathBuf::from(root)))
        .to_vec(),
        database: ["/x/lethe.db", "/x/lethe.db-wal"].map(PathBuf::from).to_vec(),
    }
}

#[test]
fn each_person_is_told_what_was_found_of_their_own_texts() {
    let found = residue(&[(0, "/d/a", 2), (2, "/d/b", 5), (1, "/k/c", 1), (0, "/d/b", 1)]);
    let told = |person| {
        let scan = found.scan_of(person);
        (scan.scanned, scan.walk_only, scan.found, found.files_of(person))
    };
    let files = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(told(0), (2, 2, 4, files(&["a", "c", "b"])));
    assert_eq!(told(1), (1, 0, 5, files(&["b"])));
    assert_eq!(told(2), (0, 0, 0, files(&[])));
    let scan = found.scan_of(0);
    assert_eq!((scan.folders, scan.complete), (files(&["data", "keys", "database"]), true));
    assert!(!Residue { files: 0, ..residue(&[]) }.scan_of(0).complete, "nothing was read");
}

#[test]
fn names_of_files_that_a_person_may_have_chosen_are_not_told() {
    let found = residue(&[
        (0, "/d/blobs/01/x", 1),
        (0, "/d/lethe.db-wal", 1),
        (0, "/k/slots.key", 1),
        (0, "/d/ada@shop.test", 1),
        (0, "/d/below/lethe.db", 1),
        (0, "/elsewhere/ada", 1),
        (2, "/d/lethe.db", 1),
    ]);
    let strange = "an unexpected file";
    assert_eq!(
        found.known_files_of(0),
        ["blobs/01/x", "lethe.db-wal", "slots.key", strange, strange, strange]
    );
    assert_eq!(found.files_of(0)[3..], ["ada@shop.test", "below/lethe.db", "/elsewhere/ada"]);
}

#[test]
fn what_stands_in_the_database_can_be_rewritten_and_what_stands_elsewhere_cannot() {
    assert!(residue(&[(0, "/d/a", 1), (2, "/x/lethe.db-wal", 1)]).is_in_database());
    assert!(!residue(&[(0, "/d/a", 1), (0, "/d/lethe.db", 1)]).is_in_database());
    assert!(!residue(&[]).is_in_database());
}

#[test]
fn a_cell_holds_texts_in_any_case_and_all_that_it_holds() {
    let texts =
        ["Ada@Shop.test", "lin@shop.test", "shop"].map(|text| Zeroizing::new(text.as_bytes().to_vec()));
    let mut live = DatabaseSearch { texts: &texts, found: HashSet::new() };
    live.search_cell(b"");
    live.search_cell(b"nobody");
    assert!(live.found.is_empty());
    live.search_cell(b"to aDA@sHOP.tEST");
    assert_eq!(live.found, HashSet::from([0, 2]));
    live.search_cell(b"LIN@SHOP.TEST");
    assert_eq!(live.found, HashSet::from([0, 1, 2]));
}
