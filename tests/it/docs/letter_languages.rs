//! The letter of an erasure in all languages, in sequence, for a reader who compares them.

use lethe::erasure::places::{Database, PLACES};
use lethe::evidence::documents::{LetterFacts, ShopContact, letter};
use lethe::i18n::UiLanguage;
use lethe::people::person::RemainderReason;
use serde_json::{Value, json};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/docs/letters.txt");
const RENEW: &str = "LETHE_TEST_RENEW=1 cargo test --locked --profile ci --test it -- languages::";

/// A certificate with everything that a letter can tell: of each place one thing or several were removed.
fn certificate() -> Value {
    let places = PLACES.iter().filter(|place| !place.is_kept()).enumerate();
    let places =
        places.map(|(at, place)| json!({"Name": place.name, "Says": place.says, "Removed": 1 + at % 2}));
    let kept = PLACES.iter().filter(|place| place.is_kept()).map(|place| (place.name.to_owned(), place.says));
    let left = RemainderReason::ALL.iter().map(|why| (why.name().to_owned(), ""));
    let kept = kept.chain(left).map(|(name, says)| json!({"Name": name, "Says": says, "Count": 1}));
    let remains = Database::Postgres.remains().iter();
    let remains = remains.map(|one| json!({"Name": one.name, "Says": one.says, "Until": one.until}));
    json!({"Erasure": "e-1", "AskedAt": 1_767_225_600_000_i64, "VerifiedAt": 1_772_496_000_000_i64,
           "Places": places.collect::<Vec<_>>(), "Kept": kept.collect::<Vec<_>>(), "Database": "PostgreSQL",
           "Remains": remains.collect::<Vec<_>>(), "Scan": {"Scanned": 12, "WalkOnly": 1}})
}

#[test]
fn the_letter_of_an_erasure_in_three_languages_is_the_one_on_file() {
    let shop = json!({"Name": "shop", "DisplayName": "Tea & More", "Contact": "privacy@tea.example"});
    let mut made = format!("The letter of one erasure in every language. Written anew by:\n{RENEW}\n");
    for language in UiLanguage::ALL {
        let facts = LetterFacts { body: &certificate(), reference: Some("DSR-2026-114") };
        let letter = letter(facts, &ShopContact::from_json(&shop), language).expect("a letter");
        made.push_str(&format!("\n=== {} ===\n\n{letter}\n", language.code()));
    }
    if std::env::var("LETHE_TEST_RENEW").is_ok_and(|renew| renew == "1") {
        std::fs::write(FILE, &made).expect("the file is written");
    }
    let kept = std::fs::read_to_string(FILE).expect("the file");
    let mut lines = made.lines().zip(kept.lines()).enumerate();
    let differs = lines.find(|(_, (made, kept))| made != kept);
    assert!(
        made == kept,
        "letters.txt is not what the program writes, first here: {differs:?}\nRead it, then: {RENEW}"
    );
}
