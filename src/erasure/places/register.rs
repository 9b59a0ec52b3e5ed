//! The table of the register, and its names.

use serde_json::json;

use super::counts;
use super::place::{FileSearch, PlaceExport, PlaceText, PlaceTreatment, StoragePlace};
use crate::erasure::orders_with_address;
use crate::people::{records, rows};

/// Proof of places that consist of rows.
const WALK: PlaceText = PlaceText::Always("looked up again by the person's random numbers and keyed hashes");
/// Proof of places that are kept: nothing is proven.
const KEPT: PlaceText = PlaceText::Always("it is kept");

/// Name of the place that the keys are.
pub const KEYS: &str = "keys";
/// Name of the place of waiting payloads.
pub const PAYLOADS: &str = "payloads";
/// Name of the place that the catalogue is.
pub const CATALOGUE: &str = "catalogue";
/// Name of the place that the files are.
pub const FILES: &str = "files";
/// Name of the place that the models are.
pub const MODELS: &str = "models";
/// Name of the place that the request itself is.
pub const REQUEST: &str = "request";
/// Name of the data kept to recognise a forgotten person.
pub const SUPPRESSION: &str = "suppression";
/// Name of the journal of erasures.
pub const JOURNAL: &str = "journal";

/// Entries of the data map that are hashed or sealed and are about a shop, not about a person.
pub const OF_SHOPS: &[&str] = &[
    "account_about.contact",
    "secret.hash",
    "submission.digest",
    "upload.name",
    "feed_source.url_tag",
    "event_request.tag",
];

/// Entries of the data map that are the operator's copies: no erasure reaches them, so it is repeated after a restore.
pub const IN_BACKUPS: &[&str] = &["backup/lethe.db", "backup/blobs/*"];

/// Everything. Deletion goes through it from top to bottom.
pub const PLACES: &[StoragePlace] = &[
    StoragePlace {
        name: KEYS,
        says: "the keys under which everything about the person was sealed; overwritten in place",
        holds: &["keys/slots.key", "mirror/slots.key"],
        fate: PlaceTreatment::Destroyed(counts::keys),
        export: PlaceExport::Nothing("a key is random; what it opens is exported"),
        proof: PlaceText::Always(
            "overwritten with zeros and synced to the disk; what they sealed cannot be opened again",
        ),
    },
    StoragePlace {
        name: PAYLOADS,
        says: "deltas, feeds and uploads that were accepted before the request and may hold the person; each is sealed \
               under a key of its own, which goes when it ends",
        holds: &["payload.body"],
        fate: PlaceTreatment::RemovedCounts(counts::payloads),
        export: PlaceExport::Nothing(
            "nobody knows whom they are about before they are read, which ends them",
        ),
        proof: WALK,
    },
    StoragePlace {
        name: "records",
        says: "profile, orders and events, sealed",
        holds: &["record.*"],
        fate: PlaceTreatment::Deleted(&rows::RECORDS, &[counts::came_with]),
        export: PlaceExport::Lists(|| records::lists().collect(), orders_with_address::page),
        proof: WALK,
    },
    StoragePlace {
        name: "order-numbers",
        says: "keyed hashes of order numbers, by which an order sent again is recognised",
        holds: &["order_known.*"],
        fate: PlaceTreatment::Deleted(&rows::ORDER_NUMBERS, &[counts::came_with]),
        export: PlaceExport::Nothing("the numbers themselves are exported with the orders"),
        proof: WALK,
    },
    StoragePlace {
        name: "identifiers",
        says: "email addresses, user ids and other identifiers, sealed, and the keyed hashes that lead to the person",
        holds: &["identifier.*"],
        fate: PlaceTreatment::Deleted(&rows::IDENTIFIERS, &[counts::still_led_to]),
        export: PlaceExport::Field("Identifiers", |_, walk, _| Ok(json!(counts::known_as(walk.person)))),
        proof: WALK,
    },
    StoragePlace {
        name: "subjects",
        says: "the random number under which the person was kept",
        holds: &["subject.*"],
        fate: PlaceTreatment::Deleted(&rows::SUBJECTS, &[]),
        export: PlaceExport::Nothing("a random number"),
        proof: WALK,
    },
    StoragePlace {
        name: "removals",
        says: "keyed hashes of user ids that a delta removed while an older feed was open",
        holds: &["user_removal.tag"],
        fate: PlaceTreatment::RemovedCounts(counts::removals),
        export: PlaceExport::Nothing("the user id is among the identifiers"),
        proof: WALK,
    },
    StoragePlace {
        name: MODELS,
        says: "models of what shoppers looked at, in memory",
        holds: &[],
        fate: PlaceTreatment::Outside(|seen| seen.models),
        export: PlaceExport::Nothing("made of what is exported, and thrown away with it"),
        proof: PlaceText::Always("each model was asked whether it still knows the person"),
    },
    StoragePlace {
        name: FILES,
        says: "every file below the data folder, byte by byte",
        holds: &["data/lethe.db", "data/lethe.db-wal"],
        fate: PlaceTreatment::Outside(|seen| seen.files),
        export: PlaceExport::Nothing("what stands in them is exported from where it is stored"),
        proof: PlaceText::OfSearch(describe_search),
    },
    StoragePlace {
        name: REQUEST,
        says: "the identifiers of the request itself, sealed under a key of their own until it is verified",
        holds: &["erasure.sealed"],
        fate: PlaceTreatment::Ended(counts::requests),
        export: PlaceExport::Nothing("what you wrote yourself, and no longer than until it is done"),
        proof: PlaceText::Always("removed in the step that writes this certificate"),
    },
    StoragePlace {
        name: SUPPRESSION,
        says: "one keyed hash of each identifier; its key is outside the database",
        holds: &["suppression.tag", "shut_browser.tag", "browser_past.tag", "erasure.asked"],
        fate: PlaceTreatment::Kept(
            "to recognise the person: without it the next feed of the shop would bring them back. It restores nothing, \
             and is still personal data",
            counts::count_suppressed,
        ),
        export: PlaceExport::Field("Suppression", counts::suppression_of),
        proof: KEPT,
    },
    StoragePlace {
        name: JOURNAL,
        says: "the same keyed hashes and random numbers in the journal of erasures, sealed, and in backups made since",
        holds: &["keys/journal.log", "journal-mirror/journal.log", "backup/journal.log"],
        fate: PlaceTreatment::Kept(
            "to erase the person again when an older backup is restored",
            counts::count_suppressed,
        ),
        export: PlaceExport::Nothing("the same as `Suppression`"),
        proof: KEPT,
    },
    StoragePlace {
        name: CATALOGUE,
        says: "products, categories and brands: no email address enters their texts",
        holds: &["change.body", "data/blobs/*"],
        fate: PlaceTreatment::Kept(
            "every address in a text is blanked before it is stored, whoever's it is. Ids, SKUs and keys of categories, \
             brands and groups stay as the shop sends them, also when one is an address",
            |_| 0,
        ),
        export: PlaceExport::Nothing("nothing of a person enters"),
        proof: PlaceText::Always("nothing of a person enters"),
    },
    StoragePlace {
        name: "account-tags",
        says: "account ids in prices, as a keyed hash in rows of the catalogue",
        holds: &["change.item"],
        fate: PlaceTreatment::Kept(
            "an account id is that of a company whose colleagues share its prices; it goes when the shop stops sending it",
            counts::count_companies,
        ),
        export: PlaceExport::Nothing("prices are the company's"),
        proof: KEPT,
    },
];

/// Describes the data that a file search compared, and the part of the database that it could not see.
fn describe_search(searched: &FileSearch) -> String {
    let compared = "each identifier that stands nowhere by chance compared with every byte, in any case of its letters; \
        what shops wrote into catalogues themselves, as ids and keys, left out";
    if searched.database.is_apart() {
        format!(
            "{compared}; the files of PostgreSQL are not ours to read: everything about people was sealed before it \
             came there, or is a keyed hash or a random number; what they keep of it, and until when, stands below"
        )
    } else {
        compared.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::erasure::places::Database;

    #[test]
    fn a_search_tells_what_it_compared_and_which_files_it_could_not_see() {
        let told = |database| describe_search(&FileSearch { scanned: 1, walk_only: 0, database });
        let compared = "each identifier that stands nowhere by chance compared with every byte, in any case of its \
            letters; what shops wrote into catalogues themselves, as ids and keys, left out";
        assert_eq!(told(Database::Sqlite), compared);
        let apart = "; the files of PostgreSQL are not ours to read: everything about people was sealed before it came \
            there, or is a keyed hash or a random number; what they keep of it, and until when, stands below";
        assert_eq!(told(Database::Postgres), format!("{compared}{apart}"));
    }
}
