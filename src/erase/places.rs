//! The register of places: every kind of storage in which anything about a person can be, once. Deletion, the walk that
//! proves it, the export for the person and the data map all read this list; a test compares it with the map.

use serde_json::{Value, json};

use super::came_with;
use crate::args;
use crate::ids::AccountId;
use crate::ids::identifier::Kind;
use crate::keys::Keys;
use crate::limits;
use crate::sql;
use crate::store::{Row, Statement, StoreFault, Tx};
use crate::subjects::person::Person;
use crate::subjects::subject::{self, SubjectFault, SubjectId, record_aad};
use crate::subjects::{order, profile};

/// Records read in one unit of work of an export.
const RECORDS_READ: i64 = 500;

/// A kind of storage in which anything about a person can be.
pub struct Place {
    /// Its name in certificates and counts. Never changes.
    pub name: &'static str,
    /// What is there, for people.
    pub says: &'static str,
    /// Its lines on the data map (`docs/data-map.txt`); `table.*` is all columns of a table that are about people.
    pub holds: &'static [&'static str],
    /// What an erasure does about it.
    pub fate: Fate,
    /// How it is found out that nothing is left, for people.
    pub proof: &'static str,
}

/// How rows are found again.
const WALK: &str = "looked up again by the person's random numbers and keyed hashes";

/// What becomes of a place when a person is forgotten.
pub enum Fate {
    /// Rows of the person's subjects are deleted, and looked for again.
    Deleted(Delete, Left),
    /// Something else clears it; it is looked at afterwards.
    Cleared(Left),
    /// Cleared and proven by the job itself, which counts: keys, files, models.
    Job,
    /// Kept on purpose; the text says why.
    Kept(&'static str),
}

/// Deletes some rows of a subject, at most so many, and says how many; 0 when none is left.
pub type Delete = fn(&mut Tx<'_>, &SubjectId, i64) -> Result<u64, StoreFault>;
/// Counts what is there of a person.
pub type Left = fn(&mut Tx<'_>, &Walk<'_>) -> Result<u64, StoreFault>;

/// Who is looked for, and where.
pub struct Walk<'a> {
    /// Gives the tags by which the person is found.
    pub keys: &'a Keys,
    /// In this account.
    pub account: AccountId,
    /// Payloads accepted before this place count.
    pub seq: i64,
    /// The person.
    pub person: &'a Person,
}

/// Name of the place that the keys are.
pub const KEYS: &str = "keys";
/// Name of the place that the payloads are which wait.
pub const PAYLOADS: &str = "payloads";
/// Name of the place that the catalogue is.
pub const CATALOGUE: &str = "catalogue";
/// Name of the place that the files are.
pub const FILES: &str = "files";
/// Name of the place that the models are.
pub const MODELS: &str = "models";
/// Name of the place that the request itself is.
pub const REQUEST: &str = "request";
/// Name of what is kept to recognise a forgotten person.
pub const SUPPRESSION: &str = "suppression";

/// Name of the journal of erasures.
pub const JOURNAL: &str = "journal";

/// Everything. Deletion goes through it from top to bottom.
pub const PLACES: &[Place] = &[
    Place {
        name: KEYS,
        says: "the keys under which everything about the person was sealed; overwritten in place",
        holds: &["keys/slots.key", "mirror/slots.key"],
        fate: Fate::Job,
        proof: "overwritten with zeros and synced to the disk; what they sealed cannot be opened again",
    },
    Place {
        name: PAYLOADS,
        says: "deltas, feeds and uploads that were accepted before the request and may hold the person; each is sealed \
               under a key of its own, which goes when it ends",
        holds: &["payload.body"],
        fate: Fate::Cleared(payloads_left),
        proof: WALK,
    },
    Place {
        name: "records",
        says: "profile and orders, sealed",
        holds: &["record.*"],
        fate: Fate::Deleted(
            |tx, subject, limit| some(tx, &sql::record_delete_some, subject, limit),
            // red: it::proof::sqlite::nothing_is_verified_while_one_place_holds_something
            |tx, walk| {
                mutant!(
                    "records-left-are-not-counted",
                    Ok(of_subjects(tx, walk, &sql::record_count)? + came_with::count(tx, walk)?),
                    Ok(0)
                )
            },
        ),
        proof: WALK,
    },
    Place {
        name: "order-numbers",
        says: "keyed hashes of order numbers, by which an order sent again is recognised",
        holds: &["order_known.*"],
        fate: Fate::Deleted(
            |tx, subject, limit| some(tx, &sql::order_known_delete_some, subject, limit),
            |tx, walk| Ok(of_subjects(tx, walk, &sql::order_known_count)? + came_with::count(tx, walk)?),
        ),
        proof: WALK,
    },
    Place {
        name: "identifiers",
        says: "email addresses, user ids and other identifiers, sealed, and the keyed hashes that lead to the person",
        holds: &["identifier.*"],
        fate: Fate::Deleted(
            |tx, subject, _| tx.exec(&sql::identifier_delete, args![subject]),
            identifiers_left,
        ),
        proof: WALK,
    },
    Place {
        name: "subjects",
        says: "the random number under which the person was kept",
        holds: &["subject.*"],
        fate: Fate::Deleted(|tx, subject, _| tx.exec(&sql::subject_delete, args![subject]), subjects_left),
        proof: WALK,
    },
    Place {
        name: "removals",
        says: "keyed hashes of user ids that a delta removed while an older feed was open",
        holds: &["user_removal.tag"],
        fate: Fate::Cleared(removals_left),
        proof: WALK,
    },
    Place {
        name: MODELS,
        says: "models of what shoppers like; there are none yet",
        holds: &[],
        fate: Fate::Job,
        proof: "there is no model",
    },
    Place {
        name: FILES,
        says: "every file below the data folder, byte by byte",
        holds: &["data/lethe.db", "data/lethe.db-wal"],
        fate: Fate::Job,
        proof: "each identifier that stands nowhere by chance compared with every byte, in any case of its letters; what \
                shops wrote into catalogues themselves, as ids and keys, left out",
    },
    Place {
        name: REQUEST,
        says: "the identifiers of the request itself, sealed under a key of their own until it is verified",
        holds: &["erasure.sealed"],
        fate: Fate::Job,
        proof: "removed in the step that writes this certificate",
    },
    Place {
        name: SUPPRESSION,
        says: "one keyed hash of each identifier; its key is outside the database",
        holds: &["suppression.tag", "erasure.asked"],
        fate: Fate::Kept(
            "to recognise the person: without it the next feed of the shop would bring them back. It restores nothing, \
             and is still personal data",
        ),
        proof: "it is kept",
    },
    Place {
        name: JOURNAL,
        says: "the same keyed hashes and random numbers in the journal of erasures, sealed, and in backups made since",
        holds: &["keys/journal.log", "journal-mirror/journal.log", "backup/journal.log"],
        fate: Fate::Kept("to erase the person again when an older backup is restored"),
        proof: "it is kept",
    },
    Place {
        name: CATALOGUE,
        says: "products, categories and brands: no email address enters their texts",
        holds: &["change.body", "data/blobs/*"],
        fate: Fate::Kept(
            "every address in a text is blanked before it is stored, whoever's it is. Ids, SKUs and keys of categories, brands \
             and groups stay as the shop sends them, also when one is an address",
        ),
        proof: "nothing of a person enters",
    },
    Place {
        name: "account-tags",
        says: "account ids in prices, as a keyed hash in rows of the catalogue",
        holds: &["change.item"],
        fate: Fate::Kept(
            "an account id is that of a company whose colleagues share its prices; it goes when the shop stops sending it",
        ),
        proof: "it is kept",
    },
];

/// Keyed hashes on the data map that are about a shop, not about a person.
pub const OF_SHOPS: &[&str] = &["secret.hash", "submission.digest", "upload.name", "feed_source.url_tag"];

/// Copies on the data map that are the operator's, which no erasure reaches; after a restore it is done again.
pub const IN_BACKUPS: &[&str] = &["backup/lethe.db", "backup/blobs/*"];

/// What is still there of a person, place by place, where rows can be counted.
pub fn left(tx: &mut Tx<'_>, walk: &Walk<'_>) -> Result<Vec<(&'static str, u64)>, StoreFault> {
    let mut all = Vec::new();
    for place in PLACES {
        if let Fate::Deleted(_, left) | Fate::Cleared(left) = &place.fate {
            all.push((place.name, left(tx, walk)?));
        }
    }
    Ok(all)
}

/// Deletes what the subjects of an erasure have, place by place, up to a unit of work's rows, and counts it. True: nothing
/// is left. The last place says whose the others are.
pub fn delete_some(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    subjects: &[SubjectId],
) -> Result<bool, StoreFault> {
    delete_slice(tx, subjects, |tx, place, removed| super::count_removed(tx, account, seq, place, removed))
}

/// The same, and `count` is told what was removed of which place.
pub fn delete_slice(
    tx: &mut Tx<'_>,
    subjects: &[SubjectId],
    mut count: impl FnMut(&mut Tx<'_>, &'static str, u64) -> Result<(), StoreFault>,
) -> Result<bool, StoreFault> {
    let mut room = limits::UNIT_ROWS as u64;
    for subject in subjects {
        for place in PLACES {
            let Fate::Deleted(delete, _) = place.fate else { continue };
            let removed = delete(tx, subject, i64::try_from(room).unwrap_or(i64::MAX))?;
            count(tx, place.name, removed)?;
            room = room.saturating_sub(removed);
            if room == 0 {
                // red: it::interleaved::sqlite::an_erasure_in_slices_keeps_the_way_to_the_rest_until_the_rest_is_gone
                mutant!("a-full-slice-goes-on-to-the-next-place", continue);
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// How many sealed payloads that may hold people were accepted before a place and have not ended.
pub fn payloads_before(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<u64, StoreFault> {
    number(tx.row(&sql::payload_count_people, args![account.0, seq])?)
}

fn number(row: Option<Row>) -> Result<u64, StoreFault> {
    row.map_or(Ok(0), |row| row.int(0).map(i64::unsigned_abs))
}

fn some(tx: &mut Tx<'_>, delete: &Statement, subject: &SubjectId, limit: i64) -> Result<u64, StoreFault> {
    tx.exec(delete, args![subject, limit])
}

fn of_subjects(tx: &mut Tx<'_>, walk: &Walk<'_>, count: &Statement) -> Result<u64, StoreFault> {
    let mut all = 0;
    for subject in &walk.person.subjects {
        all += number(tx.row(count, args![subject])?)?;
    }
    Ok(all)
}

/// Those of the person's subjects, and whatever else the identifier leads to that was asked for.
fn identifiers_left(tx: &mut Tx<'_>, walk: &Walk<'_>) -> Result<u64, StoreFault> {
    let all = of_subjects(tx, walk, &sql::identifier_count)?;
    Ok(all + came_with::others(tx, walk)?.len() as u64)
}

fn subjects_left(tx: &mut Tx<'_>, walk: &Walk<'_>) -> Result<u64, StoreFault> {
    let mut all = 0;
    for subject in &walk.person.subjects {
        all += u64::from(tx.row(&sql::subject_get, args![subject])?.is_some());
    }
    Ok(all)
}

fn removals_left(tx: &mut Tx<'_>, walk: &Walk<'_>) -> Result<u64, StoreFault> {
    let mut all = 0;
    for id in walk.person.own().filter(|id| id.kind() == Kind::UserId) {
        let tag = walk.keys.lookup_tag(walk.account, id);
        all += u64::from(tx.row(&sql::user_removal_get, args![walk.account.0, &tag])?.is_some());
    }
    Ok(all)
}

fn payloads_left(tx: &mut Tx<'_>, walk: &Walk<'_>) -> Result<u64, StoreFault> {
    payloads_before(tx, walk.account, walk.seq)
}

/// Where reading a subject's records goes on.
#[derive(Clone)]
pub struct Mark {
    kind: String,
    n: i64,
}

impl Default for Mark {
    fn default() -> Self {
        Self { kind: String::new(), n: -1 }
    }
}

/// Records of a subject, opened, by kind, and where reading goes on.
pub type Page = (Vec<(String, Value)>, Option<Mark>);

/// A subject's records behind a mark, opened: kind and content. One whose key is lost has none that can be read.
pub fn records(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    subject: &SubjectId,
    after: &Mark,
) -> Result<Page, SubjectFault> {
    let open = match subject::open(tx, keys, subject) {
        Ok(Some(open)) => open,
        Ok(None) => return Ok((Vec::new(), None)),
        Err(SubjectFault::Keys(fault)) if fault.is_lost() => return Ok((Vec::new(), None)),
        Err(fault) => return Err(fault),
    };
    let rows = tx.run(&sql::record_all, args![subject, after.kind.as_str(), after.n, RECORDS_READ])?;
    let mut found = Vec::with_capacity(rows.len());
    for row in &rows {
        let (kind, n) = (row.text(0)?, row.int(1)?);
        let content = open.sealer.open(&record_aad(account, subject, kind, n), row.blob(3)?)?;
        found.push((kind.to_owned(), exported(kind, &content)?));
    }
    let last =
        rows.last().map(|row| Ok::<_, StoreFault>(Mark { kind: row.text(0)?.to_owned(), n: row.int(1)? }));
    Ok((found, last.transpose()?))
}

/// The content of a record as people read it.
pub(super) fn exported(kind: &str, content: &[u8]) -> Result<Value, SubjectFault> {
    if kind == order::KIND {
        let (id, bought) = order::read(content)?;
        let lines: Vec<Value> = bought
            .lines
            .iter()
            .map(|line| {
                json!({"Product": line.product, "Quantity": line.quantity.to_string(),
                       "UnitPrice": line.unit_price.map(|price| price.to_string())})
            })
            .collect();
        return Ok(json!({"Order": id, "OrderedAt": bought.ordered_at, "Lines": lines}));
    }
    debug_assert_eq!(kind, profile::KIND, "every kind of record has its form here");
    Ok(serde_json::from_slice(content)
        .unwrap_or_else(|_| String::from_utf8_lossy(content).into_owned().into()))
}
