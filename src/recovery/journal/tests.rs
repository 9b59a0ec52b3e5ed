//! The journal in its two places: cut, flipped, behind, ahead, away.

use zeroize::Zeroizing;

use super::*;
use crate::keys::Keys;

struct Place {
    folder: tempfile::TempDir,
    recognition: LookupKeys,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["own", "mirror"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let keys = folder.path().join("keys");
        drop(Keys::open(&keys).unwrap());
        let recognition = LookupKeys::load(&keys).unwrap().unwrap();
        Self { folder, recognition }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name).join(JOURNAL)
    }

    fn open(&self, mirrored: bool, accept_gap: bool) -> Result<Journal, JournalFault> {
        let mirror = self.folder.path().join("mirror");
        let elsewhere = JournalCopies { mirror: mirrored.then_some(mirror.as_path()), copies: Vec::new() };
        Journal::open(&self.folder.path().join("own"), &elsewhere, &self.recognition, accept_gap)
    }

    fn records(&self) -> usize {
        self.open(false, false).ok().unwrap().read_items().unwrap().len()
    }

    /// Three records in both places.
    fn filled() -> Self {
        let place = Self::new();
        let journal = place.open(true, false).ok().unwrap();
        for n in 1..=3 {
            assert_eq!(journal.append(&[record(n)]).unwrap().records, u64::from(n));
        }
        place
    }
}

fn record(n: u8) -> JournalItem {
    let tags = vec![TagEntry { tag: [n; 16], kind: 1, version: 1 }];
    let subjects = vec![[n; 16]];
    JournalItem::Record(Record {
        kind: JournalRecordKind::Erasure,
        id: [n; 16],
        account: 1,
        subjects,
        asked: None,
        tags,
        at: 7,
    })
}

fn entry(account: i64, number: u64, line: &str) -> JournalItem {
    JournalItem::Entry { account, number, line: line.to_owned() }
}

#[test]
fn entries_of_each_ledger_are_copied_once_and_anew_when_it_is_another() {
    let place = Place::filled();
    let journal = place.open(true, false).ok().unwrap();
    let of = |journal: &Journal| [1, 2, 3].map(|account| journal.entries(AccountId(account)));
    journal.append(&[entry(1, 0, "a"), entry(2, 0, "A"), entry(1, 1, "b")]).unwrap();
    assert_eq!(journal.last().records, 3, "entries are nothing that a store has to see");
    assert_eq!(journal.append(&[entry(1, 1, "b"), record(4), entry(1, 2, "c")]).unwrap().records, 7);
    assert_eq!(of(&journal), [3, 1, 0]);
    drop(journal);
    let journal = place.open(true, false).ok().unwrap();
    assert_eq!(of(&journal), [3, 1, 0]);
    journal.give_entries_up(AccountId(1));
    journal.append(&[entry(1, 0, "x")]).unwrap();
    drop(journal);
    assert_eq!(of(&place.open(false, false).ok().unwrap()), [1, 1, 0]);
}

/// Made by another program (Python's `cryptography`), with the keys of `keys::earlier_tests`.
#[test]
fn the_journal_of_an_earlier_build_is_read() {
    let statics = include_bytes!("../../keys/fixtures/static.key");
    let recognition = LookupKeys::parse(Zeroizing::new(statics.to_vec())).ok().unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(JOURNAL), include_bytes!("../fixtures/journal.log")).unwrap();
    let journal = Journal::open(folder.path(), &JournalCopies::default(), &recognition, false).ok().unwrap();
    let tags = vec![TagEntry { tag: [4; 16], kind: 1, version: 1 }];
    let erasure = Record {
        kind: JournalRecordKind::Erasure,
        id: [1; 16],
        account: 7,
        subjects: vec![[2; 16]],
        asked: Some([3; 16]),
        tags: tags.clone(),
        at: 1_700_000_000_000,
    };
    let consent = Record {
        kind: JournalRecordKind::Consent,
        id: [5; 16],
        account: 7,
        subjects: Vec::new(),
        asked: None,
        tags,
        at: 1_700_000_000_001,
    };
    let expected = [JournalItem::Record(erasure), JournalItem::Record(consent), entry(7, 0, "a")];
    assert!(journal.read_items().unwrap().into_iter().map(|(_, item)| item).eq(expected));
}

/// The journal from the time when all accounts had one ledger.
#[test]
fn an_entry_that_names_no_account_is_read_and_of_nobody() {
    let shared = r#"{"Entry":{"number":0,"line":"a"}}"#;
    let item = serde_json::from_str::<JournalItem>(shared).unwrap();
    assert!(matches!(item, JournalItem::Entry { account: 0, number: 0, .. }));
    let place = Place::filled();
    let journal = place.open(true, false).ok().unwrap();
    journal.append(&[item, entry(1, 0, "b")]).unwrap();
    assert!(journal.ledgers().into_iter().eq([(AccountId(1), 1)]));
    drop(journal);
    assert!(place.open(true, false).ok().unwrap().ledgers().into_iter().eq([(AccountId(1), 1)]));
}

#[test]
fn records_come_back_in_order_each_once_and_in_both_places() {
    let place = Place::filled();
    let journal = place.open(true, false).ok().unwrap();
    let end = journal.last();
    assert_eq!(journal.append(&[record(2), record(3)]).unwrap(), end);
    assert_eq!(journal.append(&[record(3), record(4)]).unwrap().records, 4);
    let read = journal.read_items().unwrap();
    assert!(read.iter().map(|(_, read)| read.clone()).eq((1..=4).map(record).collect::<Vec<_>>()));
    assert_eq!(read.last().unwrap().0, journal.last());
    assert_eq!(std::fs::read(place.path("own")).unwrap(), std::fs::read(place.path("mirror")).unwrap());
}

#[test]
fn the_longer_copy_wins_and_two_stories_are_refused() {
    for (ahead, behind) in [("own", "mirror"), ("mirror", "own")] {
        let place = Place::filled();
        let old = std::fs::read(place.path(behind)).unwrap();
        place.open(true, false).ok().unwrap().append(&[record(4)]).unwrap();
        std::fs::write(place.path(behind), &old).unwrap();
        assert_eq!(place.open(true, false).ok().unwrap().last().records, 4, "{ahead} is ahead");
        assert_eq!(std::fs::read(place.path("own")).unwrap(), std::fs::read(place.path("mirror")).unwrap());
        std::fs::write(place.path(behind), &old).unwrap();
        std::fs::remove_file(place.path(behind)).unwrap();
        if behind == "mirror" {
            std::fs::remove_file(place.folder.path().join("own").join(MIRRORED)).unwrap();
        }
        assert_eq!(place.open(true, false).ok().unwrap().last().records, 4, "{behind} is new");
        // Another history after the third record.
        std::fs::write(place.path("own"), &old).unwrap();
        place.open(false, false).ok().unwrap().append(&[record(5)]).unwrap();
        for accept_gap in [false, true] {
            assert!(matches!(place.open(true, accept_gap), Err(JournalFault::Diverged)));
        }
    }
}

#[test]
fn every_flipped_bit_is_found() {
    let place = Place::filled();
    let whole = std::fs::read(place.path("own")).unwrap();
    for at in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (at % 8);
        std::fs::write(place.path("own"), &flipped).unwrap();
        assert!(place.open(false, false).is_err(), "byte {at}");
    }
    std::fs::write(place.path("own"), &whole).unwrap();
    assert_eq!(place.records(), 3);
}

#[test]
fn a_record_cut_by_a_crash_is_written_again_and_a_gap_has_to_be_accepted() {
    let place = Place::filled();
    let whole = std::fs::read(place.path("own")).unwrap();
    let journal = place.open(false, false).ok().unwrap();
    let two = journal.read_items().unwrap()[1].0.bytes as usize;
    drop(journal);
    for end in two + 1..whole.len() {
        std::fs::write(place.path("own"), &whole[..end]).unwrap();
        assert_eq!(
            place.open(false, false).ok().unwrap().append(&[record(9)]).unwrap().records,
            3,
            "cut at {end}"
        );
        assert_eq!(place.records(), 3);
    }
    std::fs::write(place.path("own"), [&whole[..two], &[0; 4096]].concat()).unwrap();
    assert_eq!(place.records(), 2);
    let mut damaged = whole.clone();
    damaged[two - 10] ^= 1;
    std::fs::write(place.path("own"), &damaged).unwrap();
    assert!(matches!(place.open(false, false), Err(JournalFault::Damaged { records: 1, .. })));
    assert_eq!(place.open(false, true).ok().unwrap().last().records, 1);
    assert_eq!(place.records(), 1);
}

#[test]
fn a_mirror_that_is_gone_stops_the_record_until_it_is_back() {
    let place = Place::filled();
    let journal = place.open(true, false).ok().unwrap();
    let mirror = place.folder.path().join("mirror");
    let away = place.folder.path().join("away");
    std::fs::rename(&mirror, &away).unwrap();
    assert!(journal.append(&[record(4)]).is_err());
    assert!(place.open(true, false).is_err());
    std::fs::rename(&away, &mirror).unwrap();
    // It was written here already; it counts as recorded only now.
    assert_eq!(journal.append(&[record(4)]).unwrap().records, 4);
    assert_eq!(std::fs::read(place.path("own")).unwrap(), std::fs::read(place.path("mirror")).unwrap());
}

#[test]
fn an_empty_mirror_is_begun_once_and_refused_afterwards() {
    let place = Place::new();
    place.open(false, false).ok().unwrap().append(&[record(1)]).unwrap();
    assert_eq!(place.open(true, false).ok().unwrap().last().records, 1, "it was never used");
    std::fs::remove_file(place.path("mirror")).unwrap();
    for accept_gap in [false, true] {
        let refused = place.open(true, accept_gap).err().unwrap();
        assert!(matches!(refused, JournalFault::MirrorEmpty) && refused.to_string().contains(MIRRORED));
        assert!(!place.path("mirror").exists(), "no new one was begun");
    }
    std::fs::remove_file(place.folder.path().join("own").join(MIRRORED)).unwrap();
    assert_eq!(place.open(true, false).ok().unwrap().last().records, 1);
}

#[test]
fn it_is_known_how_much_came_from_the_mirror() {
    let place = Place::filled();
    let old = std::fs::read(place.path("own")).unwrap();
    place.open(true, false).ok().unwrap().append(&[record(4)]).unwrap();
    assert_eq!(place.open(true, false).ok().unwrap().own_records(), 4);
    std::fs::write(place.path("own"), &old).unwrap();
    assert_eq!(place.open(true, false).ok().unwrap().own_records(), 3);
    std::fs::remove_file(place.path("own")).unwrap();
    assert_eq!(place.open(true, false).ok().unwrap().own_records(), 4, "lost, not older");
}

#[test]
fn a_journal_of_another_set_is_refused() {
    let place = Place::filled();
    let other = Place::new();
    std::fs::copy(place.path("own"), other.path("own")).unwrap();
    for accept_gap in [false, true] {
        assert!(matches!(other.open(false, accept_gap), Err(JournalFault::Foreign { .. })));
    }
}

fn fault_sentence<T>(outcome: Result<T, JournalFault>) -> String {
    outcome.err().expect("a fault").to_string()
}

#[test]
fn a_longer_copy_that_is_only_read_counts_and_stays_as_it_is() {
    let place = Place::filled();
    let newer = place.folder.path().join("newer.log");
    let old = std::fs::read(place.path("own")).unwrap();
    place.open(false, false).ok().unwrap().append(&[record(4)]).unwrap();
    std::fs::copy(place.path("own"), &newer).unwrap();
    std::fs::write(place.path("own"), &old).unwrap();
    let own = place.folder.path().join("own");
    let open = |copies| {
        let elsewhere = JournalCopies { mirror: None, copies };
        Journal::open(&own, &elsewhere, &place.recognition, false)
    };
    let journal = open(vec![newer.clone()]).ok().unwrap();
    assert_eq!((journal.last().records, journal.own_records(), journal.is_cut()), (4, 3, false));
    assert_eq!(std::fs::read(place.path("own")).unwrap(), std::fs::read(&newer).unwrap());
    std::fs::write(&newer, b"no journal, and longer than a header is").unwrap();
    let damaged = fault_sentence(open(vec![newer]));
    assert!(
        damaged.starts_with("a copy of the journal is damaged behind record 0; put a whole copy"),
        "{damaged}"
    );
    let gone = fault_sentence(open(vec![place.folder.path().join("gone.log")]));
    assert!(gone.starts_with("a copy of the journal cannot be read or written: "), "{gone}");
}

#[test]
fn a_damaged_header_is_told_and_what_it_heads_can_be_given_up() {
    let place = Place::filled();
    let mut bytes = std::fs::read(place.path("own")).unwrap();
    bytes[0] ^= 1;
    std::fs::write(place.path("own"), &bytes).unwrap();
    assert!(fault_sentence(place.open(false, false)).starts_with("the journal is damaged behind record 0; "));
    let journal = place.open(false, true).ok().unwrap();
    assert!(journal.is_cut() && !journal.is_mirrored());
    assert_eq!((journal.last().records, place.records()), (0, 0));
    // Shorter than a header: it was never begun.
    std::fs::write(place.path("own"), &bytes[..31]).unwrap();
    assert!(!is_begun(&place.folder.path().join("own")));
    assert!(!place.open(false, false).ok().unwrap().is_cut());
    assert!(is_begun(&place.folder.path().join("own")), "from now on it is");
}

#[test]
fn a_journal_knows_whether_its_files_are_as_they_were_written_and_copies_what_is_certain() {
    let place = Place::filled();
    let journal = place.open(true, false).ok().unwrap();
    let whole = std::fs::read(place.path("own")).unwrap();
    assert!(journal.is_equal().unwrap() && journal.is_mirrored());
    std::fs::write(place.path("mirror"), &whole[1..]).unwrap();
    assert!(!journal.is_equal().unwrap());
    std::fs::write(place.path("mirror"), &whole).unwrap();
    for name in ["own", "mirror"] {
        std::fs::write(place.path(name), [&whole[..], b"half a record"].concat()).unwrap();
    }
    assert!(!journal.is_equal().unwrap(), "alike and too long");
    let copy = place.folder.path().join("copy.log");
    journal.copy_to(&copy).unwrap();
    assert_eq!(std::fs::read(&copy).unwrap(), whole);
    std::fs::remove_file(place.path("mirror")).unwrap();
    assert_eq!(
        fault_sentence(journal.append(&[record(4)])),
        "the mirror of the journal is gone from its folder; is its volume mounted?"
    );
    std::fs::remove_file(place.path("own")).unwrap();
    assert!(fault_sentence(journal.is_equal()).starts_with("the journal cannot be read or written: "));
    let full =
        |kind: io::ErrorKind| JournalFault::Disk { which: "the journal", error: kind.into() }.is_disk_full();
    assert!(full(io::ErrorKind::StorageFull) && full(io::ErrorKind::QuotaExceeded));
    assert!(!full(io::ErrorKind::NotFound) && !JournalFault::BrokeOff.is_disk_full());
}

#[test]
fn a_copy_that_cannot_be_read_is_a_fault_and_not_an_empty_one() {
    let place = Place::filled();
    let own = place.folder.path().join("own");
    // A folder is opened, and not read.
    let elsewhere = JournalCopies { mirror: None, copies: vec![place.folder.path().join("mirror")] };
    let unread = fault_sentence(Journal::open(&own, &elsewhere, &place.recognition, false));
    assert!(unread.starts_with("a copy of the journal cannot be read or written: "), "{unread}");
    let journal = place.open(true, false).ok().unwrap();
    std::fs::remove_file(place.path("own")).unwrap();
    let copy = place.folder.path().join("copy.log");
    for unread in [fault_sentence(journal.read_items()), fault_sentence(journal.copy_to(&copy))] {
        assert!(unread.starts_with("the journal cannot be read or written: "), "{unread}");
    }
    assert!(!copy.exists());
}
