//! A letter in plain words, made from the certificate of an erasure, for a reader who knows nothing about databases.
//! Its sentence about each place is in the texts, under the name that the place has in the register.

use serde_json::{Value, json};

use super::paper::{ShopContact, cell, page};
use crate::erasure::places::{Database, FileSearch, PLACES};
use crate::i18n::{Translations, UiLanguage};
use crate::templates::RenderFault;

/// The facts of a letter.
#[derive(Clone, Copy)]
pub struct LetterFacts<'a> {
    /// The body of the certificate.
    pub body: &'a Value,
    /// The shop's own references of the erasure, if it has any.
    pub reference: Option<&'a str>,
}

/// The letter as plain text. It addresses no person: the shop adds the address.
///
/// # Errors
/// When it cannot be drawn.
pub fn letter(
    facts: LetterFacts<'_>,
    shop: &ShopContact,
    language: UiLanguage,
) -> Result<String, RenderFault> {
    render_letter("letter.txt", facts, shop, language)
}

/// The letter as a page to print.
///
/// # Errors
/// When it cannot be drawn.
pub fn letter_page(
    facts: LetterFacts<'_>,
    shop: &ShopContact,
    language: UiLanguage,
) -> Result<String, RenderFault> {
    render_letter("letter.html", facts, shop, language)
}

fn render_letter(
    template: &str,
    facts: LetterFacts<'_>,
    shop: &ShopContact,
    language: UiLanguage,
) -> Result<String, RenderFault> {
    let LetterFacts { body, reference } = facts;
    let letter = Letter { body, reference, texts: super::paper::DRAWING.words.in_language(language) };
    page(language, template, shop, json!({"parts": letter.parts(shop)}))
}

/// A letter that is being written.
struct Letter<'a> {
    body: &'a Value,
    reference: Option<&'a str>,
    texts: &'a Translations,
}

impl<'a> Letter<'a> {
    /// Parts of the letter, in order; each with the lines of its list.
    fn parts(&self, shop: &ShopContact) -> Vec<Value> {
        let text = |says: String| json!({"says": says, "lines": []});
        let list =
            |heading: &str, lines: &[String]| json!({"says": self.translate(heading, &[]), "lines": lines});
        let [asked, verified] =
            ["AskedAt", "VerifiedAt"].map(|name| self.texts.day(self.body[name].as_i64()));
        let opening = [("shop", shop.public_name().to_owned()), ("asked", asked), ("verified", verified)];
        let mut parts = vec![text(self.translate("letter.opening", &opening))];
        let removed = self.removed_lines();
        parts.push(if removed.is_empty() {
            text(self.translate("letter.removed_none", &[]))
        } else {
            list("letter.removed", &removed)
        });
        parts.push(list("letter.looked", &self.searched_lines()));
        let rest = [
            ("letter.left", self.left_lines()),
            ("letter.remains", self.remains()),
            ("letter.stays", self.kept_lines()),
        ];
        let rest = rest.iter().filter(|(_, lines)| !lines.is_empty());
        parts.extend(rest.map(|(heading, lines)| list(heading, lines)));
        parts.push(text(match &shop.contact {
            Some(contact) => self.translate("letter.objection_contact", &[("contact", contact.clone())]),
            None => self.translate("letter.objection", &[]),
        }));
        parts.push(text(self.translate("letter.browser", &[])));
        parts.push(text(self.translate("letter.scope", &[])));
        if let Some(reference) = self.reference {
            parts.push(text(self.translate("letter.reference", &[("reference", reference.to_owned())])));
        }
        parts.push(text(self.translate("letter.number", &[("erasure", cell(&self.body["Erasure"]))])));
        parts
    }

    fn translate(&self, key: &str, values: &[(&str, String)]) -> String {
        let values: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.texts.translate(key, &values)
    }

    fn places(&self, list: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
        self.body[list].as_array().into_iter().flatten()
    }

    /// Text of a place; for a place of a newer program, the words of the certificate.
    fn of_place(&self, section: &str, place: &Value) -> String {
        let found = self.texts.find(&format!("{section}.{}", cell(&place["Name"])));
        found.map_or_else(|| cell(&place["Says"]), str::to_owned)
    }

    fn removed_lines(&self) -> Vec<String> {
        let counted = self.places("Places").filter_map(|place| {
            let count = place["Removed"].as_u64().filter(|count| *count > 0)?;
            let name = cell(&place["Name"]);
            match self.texts.many(&format!("removed.{name}"), count) {
                // For some places a reader has nothing to count.
                None if PLACES.iter().any(|known| known.name == name) => None,
                None => Some(cell(&place["Says"])),
                counted => counted,
            }
        });
        counted.collect()
    }

    fn searched_lines(&self) -> Vec<String> {
        let told = self.places("Places").map(|place| {
            if place["Name"] == crate::erasure::places::FILES { self.files() } else { self.looked_in(place) }
        });
        told.collect()
    }

    /// Text of the check of a place. It does not say, for example, that keys were overwritten if there were none.
    fn looked_in(&self, place: &Value) -> String {
        let had_none = place["Removed"].as_u64() == Some(0);
        let none = self.texts.find(&format!("looked_none.{}", cell(&place["Name"])));
        match none.filter(|_| had_none) {
            Some(none) => none.to_owned(),
            None => self.of_place("looked", place),
        }
    }

    /// Some identifiers cannot be searched in files: a number such as 4711 stands in them by chance.
    fn files(&self) -> String {
        let [scanned, walk_only] =
            ["Scanned", "WalkOnly"].map(|name| self.body["Scan"][name].as_u64().unwrap_or_default());
        let searched = FileSearch { scanned, walk_only, database: self.database() };
        let read = match (searched.scanned, searched.walk_only) {
            (0, _) => "files.none",
            (_, 0) => "files.all",
            _ => "files.some",
        };
        let read = self.texts.translate(read, &[]);
        if searched.database.is_apart() {
            format!("{read} {}", self.texts.translate("files.apart", &[]))
        } else {
            read
        }
    }

    fn database(&self) -> Database {
        Database::from_name(&cell(&self.body["Database"]))
    }

    /// Texts of data that the database keeps for a while; for data of a newer program, the words of the certificate.
    fn remains(&self) -> Vec<String> {
        let told = self.places("Remains").map(|remains| {
            let known = self.texts.find(&format!("remains.{}", cell(&remains["Name"])));
            known.map_or_else(
                || {
                    let [what, until] = ["Says", "Until"].map(|name| cell(&remains[name]));
                    self.translate("letter.remains_until", &[("what", what), ("until", until)])
                },
                str::to_owned,
            )
        });
        told.collect()
    }

    /// Non-empty categories of retained data, or (`is_left`) of data left because it may belong to others.
    fn nonempty_kept(&self, is_left: bool) -> impl Iterator<Item = &'a Value> + use<'a> {
        let counted = self.places("Kept").filter(|kept| kept["Count"].as_u64() > Some(0));
        counted.filter(move |kept| cell(&kept["Name"]).starts_with("left-") == is_left)
    }

    fn left_lines(&self) -> Vec<String> {
        self.nonempty_kept(true).map(|left| self.of_place("left", left)).collect()
    }

    fn kept_lines(&self) -> Vec<String> {
        self.nonempty_kept(false).map(|kept| self.of_place("stays", kept)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::erasure::places::StoragePlace;
    use crate::people::person::RemainderReason;

    fn body(removed: u64) -> Value {
        let is_kept = |place: &&StoragePlace| place.is_kept();
        let places = PLACES.iter().filter(|place| !is_kept(place));
        let places: Vec<Value> =
            places.map(|place| json!({"Name": place.name, "Says": place.says, "Removed": removed})).collect();
        let kept = PLACES.iter().filter(is_kept);
        let kept: Vec<Value> =
            kept.map(|place| json!({"Name": place.name, "Says": place.says, "Count": 1})).collect();
        json!({"Shop": "shop", "AskedAt": 0, "VerifiedAt": 86_400_000, "Erasure": "e-1", "Places": places,
               "Kept": kept, "Database": "SQLite", "Remains": [], "Scan": {"Scanned": 1, "WalkOnly": 0}})
    }

    fn letter_in(language: UiLanguage, body: &Value) -> String {
        let facts = LetterFacts { body, reference: None };
        letter(facts, &ShopContact::from_json(&json!({"Name": "shop"})), language).expect("a letter")
    }

    fn english(body: &Value) -> String {
        letter_in(UiLanguage::English, body)
    }

    #[test]
    fn what_was_left_is_told_apart_from_what_is_kept() {
        for language in UiLanguage::ALL {
            let texts = Translations::load(language);
            assert!(
                RemainderReason::ALL.iter().all(|why| texts.find(&format!("left.{}", why.name())).is_some())
            );
            let mut body = body(1);
            let heading = texts.translate("letter.left", &[]);
            assert!(!letter_in(language, &body).contains(&heading));
            let left = json!({"Name": "left-rest", "Says": "", "Count": 2});
            body["Kept"].as_array_mut().expect("what is kept").push(left);
            let letter = letter_in(language, &body);
            assert_eq!(letter.matches(texts.find("left.left-rest").expect("a text")).count(), 1);
            assert!(letter.contains(&heading));
        }
    }

    #[test]
    fn every_place_of_a_certificate_is_told_in_every_language() {
        for language in UiLanguage::ALL {
            let texts = Translations::load(language);
            let letter = letter_in(language, &body(2));
            for place in PLACES {
                let section = if place.is_kept() { "stays" } else { "looked" };
                let words = match place.name {
                    crate::erasure::places::FILES => "files.all".to_owned(),
                    name => format!("{section}.{name}"),
                };
                let words = texts.find(&words).unwrap_or_else(|| panic!("{words} is not in {language:?}"));
                assert!(letter.contains(words), "{} is not told", place.name);
                let removed = texts.many(&format!("removed.{}", place.name), 2);
                assert!(removed.is_none_or(|removed| letter.contains(&removed)), "{}", place.name);
                assert!(!letter.contains(place.says), "{} is told in the register's words", place.name);
            }
            for word in
                ["hash", "sealed", "payload", "walk", "snapshot", "synced", "(2)", "null", "{", "letter."]
            {
                assert!(!letter.contains(word), "{word}: {letter}");
            }
            assert!(letter.contains("e-1"), "{letter}");
        }
        let letter = english(&body(2));
        assert!(letter.contains("the shop “shop”") && letter.contains("on 1 January 1970"), "{letter}");
        assert!(letter.contains("write to the shop.") && letter.contains("number e-1"), "{letter}");
        assert!(!letter.contains("models"), "{letter}");
        assert!(letter_in(UiLanguage::German, &body(2)).contains("am 1. Januar 1970"));
        assert!(letter_in(UiLanguage::French, &body(2)).contains("le 1er janvier 1970"));
    }

    #[test]
    fn a_shop_is_called_by_the_name_that_people_know_and_says_where_to_write_to() {
        let shop = ShopContact::from_json(
            &json!({"Name": "s", "DisplayName": "Tea {asked}\u{1b}", "Contact": "a@b.example"}),
        );
        let body = body(0);
        let facts = LetterFacts { body: &body, reference: None };
        let letter = letter(facts, &shop, UiLanguage::English).expect("a letter");
        assert!(
            letter.contains("the shop “Tea {asked}·” to forget") && letter.contains("(a@b.example)"),
            "{letter}"
        );
    }

    #[test]
    fn a_letter_to_print_says_what_the_text_says() {
        let shop =
            ShopContact::from_json(&json!({"Name": "s", "DisplayName": "<b>Tea", "Contact": "a@b.example"}));
        for language in UiLanguage::ALL {
            let body = body(1);
            let facts = LetterFacts { body: &body, reference: Some("DSR-2026-114") };
            let text = letter(facts, &shop, language).expect("a letter");
            let page = letter_page(facts, &shop, language).expect("a page");
            let lines = text.lines().filter(|line| !line.is_empty());
            for line in lines {
                let line = line.replace('<', "&lt;").replace('>', "&gt;");
                let line = line
                    .strip_prefix("  - ")
                    .map_or(format!("<p>{line}</p>"), |line| format!("<li>{line}</li>"));
                assert!(page.contains(&line), "no {line}: {page}");
            }
            assert!(
                !page.contains("<b>") && page.contains(&format!("lang=\"{}\"", language.code())),
                "{page}"
            );
        }
    }

    #[test]
    fn a_letter_to_somebody_unknown_says_that_nothing_was_stored_and_lists_no_removals() {
        let letter = english(&body(0));
        assert!(
            letter.contains("no order and no entry of yours was stored")
                && !letter.contains("What was removed")
        );
    }

    #[test]
    fn nothing_is_said_to_have_gone_that_was_not_there() {
        for language in UiLanguage::ALL {
            let texts = Translations::load(language);
            let none = letter_in(language, &body(0));
            let some = letter_in(language, &body(1));
            for place in ["keys", "subjects", "request"] {
                let [was, was_not] = ["looked", "looked_none"].map(|section| format!("{section}.{place}"));
                let [was, was_not] = [was, was_not].map(|key| texts.find(&key).expect("a text").to_owned());
                assert!(none.contains(&was_not) && !none.contains(&was), "{language:?}: {none}");
                assert!(some.contains(&was) && !some.contains(&was_not), "{language:?}: {some}");
            }
        }
        let mut body = body(1);
        body["Kept"] = json!([]);
        assert!(!english(&body).contains("What stays"), "nothing is listed below it");
    }

    #[test]
    fn a_place_of_a_newer_program_is_told_in_its_own_words() {
        let mut body = body(1);
        body["Places"][0] = json!({"Name": "events", "Says": "what you looked at", "Removed": 3});
        assert_eq!(english(&body).matches("what you looked at").count(), 2);
    }

    #[test]
    fn a_letter_claims_no_search_of_files_that_could_not_be_made() {
        let mut body = body(1);
        body["Scan"] = json!({"Scanned": 0, "WalkOnly": 1});
        assert!(!english(&body).contains("first letter to the last"));
        body["Scan"] = json!({"Scanned": 1, "WalkOnly": 1});
        assert!(english(&body).contains("longer customer"));
        assert!(!english(&body).contains("another program"));
        // The wording of a text decides nothing.
        body["Places"][0]["Proof"] = "the files of PostgreSQL are not ours".into();
        assert!(!english(&body).contains("another program"));
        for database in ["PostgreSQL", "a newer one"] {
            body["Database"] = database.into();
            assert!(english(&body).contains("The files of the database are not among them"));
        }
    }

    #[test]
    fn what_the_database_keeps_for_a_while_is_told() {
        for language in UiLanguage::ALL {
            let texts = Translations::load(language);
            let mut body = body(1);
            let heading = texts.translate("letter.remains", &[]);
            assert!(!letter_in(language, &body).contains(&heading));
            body["Database"] = "PostgreSQL".into();
            let remains = Database::Postgres.remains();
            let told =
                remains.iter().map(|one| json!({"Name": one.name, "Says": one.says, "Until": one.until}));
            let newer = json!({"Name": "tape", "Says": "the same on tape", "Until": "it breaks"});
            body["Remains"] = told.chain([newer]).collect();
            let letter = letter_in(language, &body);
            assert!(letter.contains(&heading));
            for remains in remains {
                let words = texts.find(&format!("remains.{}", remains.name)).expect("a text");
                assert!(letter.contains(words) && !letter.contains(remains.says), "{letter}");
            }
            assert!(letter.contains("the same on tape") && letter.contains("it breaks"), "{letter}");
            for word in ["hash", "sealed", "WAL", "VACUUM", "heap", "replica"] {
                assert!(!letter.contains(word), "{word}: {letter}");
            }
        }
        let mut body = body(1);
        body["Remains"] = json!([{"Name": "tape", "Says": "the same on tape", "Until": "it breaks"}]);
        assert!(english(&body).contains("the same on tape: until it breaks"));
    }
}
