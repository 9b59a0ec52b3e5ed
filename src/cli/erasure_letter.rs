//! A letter in plain words, made from the certificate of an erasure, for somebody who knows nothing of databases.
//! What it says of each place stands in the register of places.

use serde_json::Value;

use super::table::{cell, many, printable};
use crate::erase::places::{Database, Letter, PLACES, Searched};

/// What was left because it may be somebody else's (`subjects::person::Why`).
const LEFT: [(&str, &str); 4] = [
    (
        "left-guests",
        "Orders without a customer number under an address that was named in your orders, or that another customer has as well. \
         If they are yours, ask the shop to forget that address too.",
    ),
    (
        "left-users",
        "Other customer numbers that have an address of yours. If they are yours, ask the shop to forget that address, or those \
         numbers, too.",
    ),
    (
        "left-rest",
        "Other customer numbers whose orders had named your address, or that had it before you. What came with the address was \
         removed; the rest is theirs. If it is yours, ask the shop to forget those numbers too.",
    ),
    (
        "left-readings",
        "Something else with the same number, such as a company. If it is yours, ask the shop to forget that too.",
    ),
];

/// The letter. It names nobody: the shop adds the address.
pub fn letter(body: &Value) -> String {
    let shop = printable(&cell(&body["Shop"]));
    let [asked, verified] =
        ["AskedAt", "VerifiedAt"].map(|name| body[name].as_i64().map_or_else(unknown, day));
    let removed = removed(body);
    let removed = match removed.is_empty() {
        true => {
            "No profile, no order and no entry of yours was stored, so none had to be removed.".to_owned()
        }
        false => format!("What was removed:\n{}", list(&removed)),
    };
    let kept = list(&kept(body));
    let left = left(body);
    let left = match left.is_empty() {
        true => String::new(),
        false => format!("What was left, because it may be somebody else's:\n{}\n\n", list(&left)),
    };
    let remains = remains(body);
    let remains = match remains.is_empty() {
        true => String::new(),
        false => format!("What the database keeps for a while, on no fixed day:\n{}\n\n", list(&remains)),
    };
    format!(
        "You asked the shop called “{shop}” to forget you. Your request was accepted on {asked}. From that moment on, \
         nothing more about you was taken in. On {verified} everything was done, and had been looked through once \
         more.\n\n\
         {removed}\n\n\
         Where it was looked afterwards:\n{looked}\n\n\
         {left}{remains}What stays, because you asked to be forgotten:\n{kept}\n\n\
         You may object to what stays: write to the shop. You may also complain to the data-protection authority of \
         your country.\n\n\
         This letter is about one program that the shop runs. The shop's other systems, such as invoices, newsletters \
         and its web shop, and the copies and backups that the shop makes of its disks, are not part of it: ask the shop about \
         them, it has to answer for them.\n\n\
         Your request has the number {erasure}. There is a signed certificate with this number; the shop can give it to \
         you, and anybody can check it with the program lethe-verify.",
        looked = list(&looked(body)),
        erasure = cell(&body["Erasure"]),
    )
}

fn list(lines: &[String]) -> String {
    lines.iter().map(|line| format!("  - {line}")).collect::<Vec<_>>().join("\n")
}

fn places<'a>(body: &'a Value, list: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    body[list].as_array().into_iter().flatten()
}

/// What the register says of a place; `None`: it is one of a newer program.
fn words_of(place: &Value) -> Option<&'static Letter> {
    PLACES.iter().find(|known| place["Name"] == known.name).map(|known| &known.letter)
}

/// A place of a newer program is told in its own words.
fn own_words(place: &Value) -> String {
    printable(&cell(&place["Says"]))
}

fn removed(body: &Value) -> Vec<String> {
    let counted = places(body, "Places").filter_map(|place| {
        let count = place["Removed"].as_u64().filter(|count| *count > 0)?;
        match words_of(place) {
            Some(Letter::Cleared(removed, _)) => removed.map(|[one, more]| many(count, one, more)),
            Some(Letter::Stays(_)) | None => Some(own_words(place)),
        }
    });
    counted.collect()
}

fn looked(body: &Value) -> Vec<String> {
    let told = places(body, "Places").map(|place| match words_of(place) {
        Some(Letter::Cleared(_, words)) => words.after(&searched(body)),
        Some(Letter::Stays(_)) | None => own_words(place),
    });
    // red: cli::erasure_letter::tests::every_place_of_a_certificate_is_told_in_the_words_of_the_register
    mutant!("a-letter-leaves-a-place-out", told.collect(), told.skip(1).collect())
}

fn searched(body: &Value) -> Searched {
    let [scanned, walk_only] =
        ["Scanned", "WalkOnly"].map(|name| body["Scan"][name].as_u64().unwrap_or_default());
    Searched { scanned, walk_only, database: database(body) }
}

fn database(body: &Value) -> Database {
    Database::named(&cell(&body["Database"]))
}

/// What the database keeps for a while; what a newer program says of it in its own words.
fn remains(body: &Value) -> Vec<String> {
    let known = database(body).remains();
    let told = places(body, "Remains").map(|remains| {
        let words =
            known.iter().find(|known| remains["Name"] == known.name).map(|known| known.letter.to_owned());
        words.unwrap_or_else(|| {
            printable(&format!("{}: until {}", cell(&remains["Says"]), cell(&remains["Until"])))
        })
    });
    // red: cli::erasure_letter::tests::what_the_database_keeps_for_a_while_is_told
    mutant!("a-letter-says-nothing-of-what-the-database-keeps", told.collect(), told.skip(9).collect())
}

/// What a certificate says was left: it stands beside what is kept.
fn words_of_left(kept: &Value) -> Option<&'static str> {
    LEFT.iter().find(|(name, _)| kept["Name"] == *name).map(|(_, words)| *words)
}

fn left(body: &Value) -> Vec<String> {
    let counted = places(body, "Kept").filter(|kept| kept["Count"].as_u64() > Some(0));
    counted.filter_map(words_of_left).map(str::to_owned).collect()
}

fn kept(body: &Value) -> Vec<String> {
    let is_kept = |kept: &&Value| kept["Count"].as_u64() > Some(0) && words_of_left(kept).is_none();
    let kept = places(body, "Kept").filter(is_kept);
    let told = kept.map(|kept| match words_of(kept) {
        Some(Letter::Stays(words)) => (*words).to_owned(),
        Some(Letter::Cleared(..)) | None => own_words(kept),
    });
    told.collect()
}

fn day(millis: i64) -> String {
    let at = jiff::Timestamp::from_millisecond(millis);
    at.map_or_else(|_| unknown(), |at| at.strftime("%-d %B %Y").to_string())
}

fn unknown() -> String {
    "an unknown day".to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::erase::places::{Place, Words};
    use crate::subjects::person::Why;

    fn body(removed: u64) -> Value {
        let is_kept = |place: &&Place| place.is_kept();
        let places = PLACES.iter().filter(|place| !is_kept(place));
        let places: Vec<Value> =
            places.map(|place| json!({"Name": place.name, "Says": place.says, "Removed": removed})).collect();
        let kept = PLACES.iter().filter(is_kept);
        let kept: Vec<Value> =
            kept.map(|place| json!({"Name": place.name, "Says": place.says, "Count": 1})).collect();
        json!({"Shop": "shop", "AskedAt": 0, "VerifiedAt": 86_400_000, "Erasure": "e-1", "Places": places,
               "Kept": kept, "Database": "SQLite", "Remains": [], "Scan": {"Scanned": 1, "WalkOnly": 0}})
    }

    #[test]
    fn what_was_left_is_told_apart_from_what_is_kept() {
        assert!(Why::ALL.iter().all(|why| LEFT.iter().any(|(name, _)| *name == why.name())));
        let mut body = body(1);
        assert!(!letter(&body).contains("somebody else's"));
        let left = json!({"Name": "left-rest", "Says": "", "Count": 2});
        body["Kept"].as_array_mut().expect("what is kept").push(left);
        let letter = letter(&body);
        assert_eq!(letter.matches("had named your address").count(), 1);
        assert!(letter.contains("What was left, because it may be somebody else's:"));
    }

    #[test]
    fn every_place_of_a_certificate_is_told_in_the_words_of_the_register() {
        let letter = letter(&body(2));
        for place in PLACES {
            let (removed, words) = match &place.letter {
                Letter::Cleared(removed, Words::Always(words)) => (*removed, *words),
                Letter::Cleared(removed, Words::OfSearch(_)) => (*removed, "All files of the program"),
                Letter::Stays(words) => (None, *words),
            };
            assert_eq!(matches!(place.letter, Letter::Stays(_)), place.is_kept(), "{}", place.name);
            assert!(letter.contains(words), "{} is not told", place.name);
            assert!(removed.is_none_or(|[_, more]| letter.contains(&format!("2 {more}"))), "{}", place.name);
            assert!(!letter.contains(place.says), "{} is told in the register's words", place.name);
        }
        for word in
            ["hash", "sealed", "payload", "walk", "models", "snapshot", "synced", "(2)", "shop shop", "null"]
        {
            assert!(!letter.contains(word), "{word}: {letter}");
        }
        assert!(
            letter.contains("the shop called “shop”") && letter.contains("on 1 January 1970"),
            "{letter}"
        );
        assert!(letter.contains("write to the shop") && letter.contains("number e-1"), "{letter}");
    }

    #[test]
    fn a_letter_to_somebody_unknown_says_that_nothing_was_stored_and_lists_no_removals() {
        let letter = letter(&body(0));
        assert!(
            letter.contains("no order and no entry of yours was stored")
                && !letter.contains("What was removed")
        );
    }

    #[test]
    fn a_place_of_a_newer_program_is_told_in_its_own_words() {
        let mut body = body(1);
        body["Places"][0] = json!({"Name": "events", "Says": "what you looked at", "Removed": 3});
        assert_eq!(letter(&body).matches("what you looked at").count(), 2);
    }

    #[test]
    fn a_letter_claims_no_search_of_files_that_could_not_be_made() {
        let mut body = body(1);
        body["Scan"] = json!({"Scanned": 0, "WalkOnly": 1});
        assert!(!letter(&body).contains("first letter to the last"));
        body["Scan"] = json!({"Scanned": 1, "WalkOnly": 1});
        assert!(letter(&body).contains("longer customer"));
        assert!(!letter(&body).contains("another program"));
        // What a text says decides nothing.
        body["Places"][0]["Proof"] = "the files of PostgreSQL are not ours".into();
        assert!(!letter(&body).contains("another program"));
        for database in ["PostgreSQL", "a newer one"] {
            body["Database"] = database.into();
            assert!(letter(&body).contains("The files of the database are not among them"));
        }
    }

    #[test]
    fn what_the_database_keeps_for_a_while_is_told() {
        let mut body = body(1);
        assert!(!letter(&body).contains("keeps for a while"));
        body["Database"] = "PostgreSQL".into();
        let remains = Database::Postgres.remains();
        let told = remains.iter().map(|one| json!({"Name": one.name, "Says": one.says, "Until": one.until}));
        let newer = json!({"Name": "tape", "Says": "the same on tape", "Until": "it breaks"});
        body["Remains"] = told.chain([newer]).collect();
        let letter = letter(&body);
        for remains in remains {
            assert!(letter.contains(remains.letter) && !letter.contains(remains.says), "{letter}");
        }
        assert!(letter.contains("the same on tape: until it breaks"), "{letter}");
        for word in ["hash", "sealed", "WAL", "VACUUM", "heap", "replica"] {
            assert!(!letter.contains(word), "{word}: {letter}");
        }
    }
}
