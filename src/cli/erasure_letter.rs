//! A letter in plain words, made from the certificate of an erasure, for somebody who knows nothing of databases.

use serde_json::Value;

use super::table::{cell, many, printable};

/// What a letter says of a place.
struct Plain {
    /// Its name in the register of places.
    place: &'static str,
    /// What was removed; `None`: nothing that a reader would count.
    removed: Option<[&'static str; 2]>,
    /// What was looked at afterwards.
    looked: &'static str,
}

/// The register of places (`erase/places.rs`) in other words; a test compares the two.
const PLACES: [Plain; 10] = [
    Plain {
        place: "keys",
        removed: Some([
            "digital key without which your stored data cannot be read",
            "digital keys without which your stored data cannot be read",
        ]),
        looked: "The digital keys of your data were overwritten; what they locked cannot be read any more.",
    },
    Plain {
        place: "payloads",
        removed: Some([
            "delivery of data that was waiting and may have been about you",
            "deliveries of data that were waiting and may have been about you",
        ]),
        looked: "Deliveries of data that were waiting when you asked: none of them is left.",
    },
    Plain {
        place: "records",
        removed: Some([
            "entry with your profile or an order of yours",
            "entries with your profile and your orders",
        ]),
        looked: "Profiles and orders: none of yours is there.",
    },
    Plain {
        place: "order-numbers",
        removed: Some([
            "mark by which an order of yours was recognised",
            "marks by which orders of yours were recognised",
        ]),
        looked: "Marks by which orders are recognised: none of yours is there.",
    },
    Plain {
        place: "identifiers",
        removed: Some([
            "email address or customer number of yours",
            "email addresses and customer numbers of yours",
        ]),
        looked: "Lists of email addresses and customer numbers: none of yours is there.",
    },
    Plain {
        place: "subjects",
        removed: Some([
            "internal number under which you were kept",
            "internal numbers under which you were kept",
        ]),
        looked: "Internal numbers of people: yours is gone.",
    },
    Plain {
        place: "removals",
        removed: Some([
            "note that your customer number was taken off a list",
            "notes that your customer number was taken off a list",
        ]),
        looked: "Notes about customer numbers that were taken off a list: there is none about you.",
    },
    Plain {
        place: "models",
        removed: None,
        looked: "Guesses about what you may like: the program makes none.",
    },
    Plain { place: "files", removed: None, looked: "" },
    Plain {
        place: "request",
        removed: None,
        looked: "Your request itself: what it said about you was removed when it was done.",
    },
];

/// What is kept, in other words than the register's.
const KEPT: [(&str, &str); 4] = [
    (
        "suppression",
        "A fingerprint of each email address and customer number that was forgotten. It is a code from which the address \
         cannot be worked out without a secret that is kept apart. With it the program recognises you when your data is \
         sent to it again, and keeps you out; without it the next list of customers would bring you back. It holds \
         nothing else about you, serves nothing else, and has no date on which it ends.",
    ),
    (
        "journal",
        "The same fingerprints in a locked log, and in backups made since, so that you are forgotten again if an older \
         backup is ever brought back.",
    ),
    (
        "catalogue",
        "The texts of products, in which the program keeps nobody's email address: each is replaced by *** when it comes.",
    ),
    (
        "account-tags",
        "If you buy for a company: a fingerprint of the company's number beside its prices, which its other people use too.",
    ),
];

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
    let kept = list(&told(body, &KEPT));
    let left = told(body, &LEFT);
    let left = match left.is_empty() {
        true => String::new(),
        false => format!("What was left, because it may be somebody else's:\n{}\n\n", list(&left)),
    };
    format!(
        "You asked the shop called “{shop}” to forget you. Your request was accepted on {asked}. From that moment on, \
         nothing more about you was taken in. On {verified} everything was done, and had been looked through once \
         more.\n\n\
         {removed}\n\n\
         Where it was looked afterwards:\n{looked}\n\n\
         {left}What stays, because you asked to be forgotten:\n{kept}\n\n\
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

fn plain_of(place: &Value) -> Option<&'static Plain> {
    PLACES.iter().find(|plain| place["Name"] == plain.place)
}

/// A place of a newer program is told in its own words.
fn own_words(place: &Value) -> String {
    printable(&cell(&place["Says"]))
}

fn removed(body: &Value) -> Vec<String> {
    let counted = places(body, "Places").filter_map(|place| {
        let count = place["Removed"].as_u64().filter(|count| *count > 0)?;
        match plain_of(place) {
            Some(plain) => plain.removed.map(|[one, more]| many(count, one, more)),
            None => Some(own_words(place)),
        }
    });
    counted.collect()
}

fn looked(body: &Value) -> Vec<String> {
    let told = places(body, "Places").map(|place| match plain_of(place) {
        Some(plain) if plain.place == "files" => files(&body["Scan"], place),
        Some(plain) => plain.looked.to_owned(),
        None => own_words(place),
    });
    told.collect()
}

/// Not everything can be looked for in files: a number such as 4711 stands in them by chance.
fn files(scan: &Value, place: &Value) -> String {
    let read = match (scan["Scanned"].as_u64().unwrap_or(0), scan["WalkOnly"].as_u64().unwrap_or(0)) {
        (0, _) => {
            "The files of the program could not be searched for you: what you are known by is so short or common that it \
             stands in files by chance. It was looked up in the lists above instead."
        }
        (_, 0) => {
            "All files of the program, read from the first letter to the last: none of your addresses and customer \
             numbers stands in them."
        }
        _ => {
            "All files of the program, read from the first letter to the last: none of your addresses and longer customer \
             numbers stands in them. Short numbers stand in files by chance and were looked up in the lists above instead."
        }
    };
    match cell(&place["Proof"]).contains("PostgreSQL") {
        true => format!("{read} {DATABASE}"),
        false => read.to_owned(),
    }
}

/// Where the database is a server of its own.
const DATABASE: &str = "The files of the database are not among them: it belongs to another program, and \
    everything about you was locked before it came there.";

/// What is kept, or left, of a kind: what neither list knows, of a newer program, counts as kept.
fn told(body: &Value, list: &[(&str, &'static str)]) -> Vec<String> {
    let counted = places(body, "Kept").filter(|kept| kept["Count"].as_u64() > Some(0));
    let is_left = |kept: &Value| LEFT.iter().any(|(name, _)| kept["Name"] == *name);
    let of_list =
        counted.filter(|kept| is_left(kept) == list.iter().any(|(name, _)| name.starts_with("left-")));
    let told = of_list.map(|kept| match list.iter().find(|(name, _)| kept["Name"] == *name) {
        Some((_, plain)) => (*plain).to_owned(),
        None => own_words(kept),
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
    use crate::erase::places::{Fate, PLACES as REGISTER};
    use crate::subjects::person::Why;

    fn body(removed: u64) -> Value {
        let is_kept = |fate: &Fate| matches!(fate, Fate::Kept(_));
        let places = REGISTER.iter().filter(|place| !is_kept(&place.fate));
        let places: Vec<Value> =
            places.map(|place| json!({"Name": place.name, "Says": place.says, "Removed": removed})).collect();
        let kept = REGISTER.iter().filter(|place| is_kept(&place.fate));
        let kept: Vec<Value> =
            kept.map(|place| json!({"Name": place.name, "Says": place.says, "Count": 1})).collect();
        json!({"Shop": "shop", "AskedAt": 0, "VerifiedAt": 86_400_000, "Erasure": "e-1", "Places": places,
               "Kept": kept, "Scan": {"Scanned": 1, "WalkOnly": 0}})
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
    fn every_place_has_a_sentence_for_somebody_who_knows_nothing_of_databases() {
        let letter = letter(&body(2));
        for place in REGISTER {
            let known = PLACES.iter().any(|plain| plain.place == place.name)
                || KEPT.iter().any(|(name, _)| *name == place.name);
            assert!(known, "{} has no plain words", place.name);
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
    fn a_letter_claims_no_search_of_files_that_could_not_be_made() {
        let mut body = body(1);
        body["Scan"] = json!({"Scanned": 0, "WalkOnly": 1});
        assert!(!letter(&body).contains("first letter to the last"));
        body["Scan"] = json!({"Scanned": 1, "WalkOnly": 1});
        assert!(letter(&body).contains("longer customer"));
        assert!(!letter(&body).contains("another program"));
        for place in body["Places"].as_array_mut().expect("places") {
            place["Proof"] = "the files of PostgreSQL are not ours".into();
        }
        assert!(letter(&body).contains("The files of the database are not among them"));
    }
}
