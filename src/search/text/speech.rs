//! Words of speech: with them a shopper asks in sentences (`something to keep my coffee hot`), and no product is named
//! by them. They count as function words as long as the query has another word.
//!
//! Lethe's own short lists, folded. A word that also names a product (English "watch", Dutch "haar") is left out, or is
//! listed with its neighbour.

use super::language::ShopLanguage;

/// Words and phrases of a language.
struct Speech {
    words: &'static [&'static str],
    phrases: &'static [&'static str],
}

const ENGLISH: Speech = Speech {
    words: &[
        "against",
        "all",
        "also",
        "anybody",
        "anyone",
        "anything",
        "best",
        "buy",
        "buying",
        "can",
        "could",
        "find",
        "finding",
        "get",
        "gets",
        "getting",
        "give",
        "gives",
        "go",
        "goes",
        "going",
        "good",
        "great",
        "he",
        "help",
        "helping",
        "helps",
        "her",
        "him",
        "his",
        "just",
        "keep",
        "keeping",
        "keeps",
        "like",
        "liked",
        "likes",
        "look",
        "looking",
        "loves",
        "mine",
        "need",
        "needed",
        "needs",
        "nice",
        "people",
        "please",
        "really",
        "rid",
        "she",
        "should",
        "some",
        "somebody",
        "someone",
        "something",
        "stays",
        "stuff",
        "suitable",
        "thing",
        "things",
        "us",
        "use",
        "used",
        "uses",
        "using",
        "want",
        "wanted",
        "wants",
        "whom",
        "whose",
        "would",
    ],
    phrases: &[
        "all day",
        "gift for",
        "gifts for",
        "month old",
        "months old",
        "present for",
        "presents for",
        "to stop",
        "to store",
        "to wear",
        "year old",
        "years old",
    ],
};

const GERMAN: Speech = Speech {
    words: &[
        "bekommen",
        "beste",
        "besten",
        "bester",
        "bestes",
        "brauche",
        "brauchen",
        "braucht",
        "dein",
        "deine",
        "du",
        "etwas",
        "gegen",
        "gern",
        "gerne",
        "gut",
        "gute",
        "guten",
        "guter",
        "gutes",
        "helfen",
        "hilft",
        "ich",
        "irgendwas",
        "jemand",
        "jemanden",
        "kann",
        "konnen",
        "loswerden",
        "machen",
        "macht",
        "mag",
        "man",
        "mein",
        "meine",
        "meinem",
        "meinen",
        "meiner",
        "mochte",
        "moechte",
        "muss",
        "sein",
        "seine",
        "soll",
        "suche",
        "suchen",
        "unser",
        "unsere",
        "verwenden",
        "welche",
        "welcher",
        "welches",
        "wer",
        "wir",
    ],
    phrases: &[
        "ganzen tag",
        "geschenk fuer",
        "geschenk fur",
        "geschenke fuer",
        "geschenke fur",
        "jahre alt",
        "monate alt",
    ],
};

const DUTCH: Speech = Speech {
    words: &[
        "beste",
        "goed",
        "goede",
        "gebruiken",
        "graag",
        "heb",
        "hebben",
        "helpen",
        "helpt",
        "houdt",
        "iemand",
        "iets",
        "jouw",
        "kan",
        "krijgen",
        "kunnen",
        "kwijt",
        "leuk",
        "leuke",
        "maken",
        "mijn",
        "moet",
        "nodig",
        "onze",
        "tegen",
        "wil",
        "willen",
        "zoek",
        "zoeken",
    ],
    phrases: &["cadeau voor", "cadeaus voor", "hele dag", "jaar oud", "jaar oude"],
};

const FRENCH: Speech = Speech {
    words: &[
        "aide",
        "aider",
        "aime",
        "aiment",
        "besoin",
        "bon",
        "bonne",
        "bonnes",
        "bons",
        "cherche",
        "chercher",
        "chose",
        "comment",
        "contre",
        "empecher",
        "faire",
        "fait",
        "faut",
        "garder",
        "meilleur",
        "meilleure",
        "meilleures",
        "meilleurs",
        "mettre",
        "peut",
        "quelqu",
        "quelque",
        "quelques",
        "trouver",
        "utiliser",
        "veut",
        "veux",
        "voudrais",
    ],
    phrases: &["ans qui", "cadeau pour", "cadeaux pour", "toute la journee"],
};

const SPANISH: Speech = Speech {
    words: &[
        "algo",
        "alguien",
        "ayuda",
        "ayudar",
        "buena",
        "buenas",
        "bueno",
        "buenos",
        "busco",
        "buscar",
        "encontrar",
        "gusta",
        "gustan",
        "hace",
        "hacer",
        "mantener",
        "mejor",
        "mejores",
        "necesito",
        "puede",
        "quiere",
        "quiero",
        "quien",
        "quitar",
        "tener",
        "usar",
    ],
    phrases: &["regalo para", "regalos para", "todo el dia"],
};

const POLISH: Speech = Speech {
    words: &[
        "chce",
        "cos",
        "dobra",
        "dobre",
        "dobry",
        "ktos",
        "lubi",
        "lubie",
        "moge",
        "moj",
        "moja",
        "moje",
        "mojej",
        "najlepsza",
        "najlepsze",
        "najlepszy",
        "pomaga",
        "pomoc",
        "potrzebuje",
        "przeciw",
        "robic",
        "szukam",
        "uzyc",
        "zrobic",
    ],
    phrases: &["caly dzien", "prezent dla", "prezenty dla"],
};

const NONE: Speech = Speech { words: &[], phrases: &[] };

const fn speech_of(language: ShopLanguage) -> &'static Speech {
    match language {
        ShopLanguage::English => &ENGLISH,
        ShopLanguage::German => &GERMAN,
        ShopLanguage::Dutch => &DUTCH,
        ShopLanguage::French => &FRENCH,
        ShopLanguage::Spanish => &SPANISH,
        ShopLanguage::Polish => &POLISH,
        _ => &NONE,
    }
}

/// Words of a phrase, at most.
const PHRASE_WORDS: usize = 3;

/// Returns true if a folded word is one of speech wherever it stands.
#[must_use]
pub fn is_word_of_speech(language: ShopLanguage, word: &str) -> bool {
    speech_of(language).words.contains(&word)
}

/// For each folded word of a query, true if it is one of speech, alone or in a phrase.
#[must_use]
pub fn find_speech(language: ShopLanguage, words: &[&str]) -> Vec<bool> {
    let speech = speech_of(language);
    let mut found: Vec<bool> = words.iter().map(|word| speech.words.contains(word)).collect();
    for length in 2..=PHRASE_WORDS {
        for (first, phrase) in words.windows(length).enumerate() {
            if speech.phrases.contains(&phrase.join(" ").as_str()) {
                found[first..first + length].fill(true);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::text::fold_text;

    const LANGUAGES: [ShopLanguage; 6] = [
        ShopLanguage::English,
        ShopLanguage::German,
        ShopLanguage::Dutch,
        ShopLanguage::French,
        ShopLanguage::Spanish,
        ShopLanguage::Polish,
    ];

    #[test]
    fn lists_are_folded_and_hold_each_word_once() {
        for language in LANGUAGES {
            let Speech { words, phrases } = speech_of(language);
            for (place, text) in words.iter().chain(*phrases).enumerate() {
                assert_eq!(fold_text(text), **text);
                assert_eq!(words.iter().chain(*phrases).position(|other| other == text), Some(place));
            }
            assert!(words.iter().all(|word| !word.contains(' ')), "{language:?}");
            assert!(phrases.iter().all(|phrase| (2..=PHRASE_WORDS).contains(&phrase.split(' ').count())));
        }
    }

    #[test]
    fn words_of_speech_are_found_alone_and_in_phrases() {
        let found = |language: ShopLanguage, query: &str| -> String {
            let words: Vec<&str> = query.split(' ').collect();
            let found = find_speech(language, &words);
            let left = words.iter().zip(found).filter(|(_, is_speech)| !is_speech);
            left.map(|(word, _)| *word).collect::<Vec<_>>().join(" ")
        };
        let english = ShopLanguage::English;
        assert_eq!(found(english, "something to stop mosquitoes"), "mosquitoes");
        assert_eq!(found(english, "gift for a 5 year old who likes dinosaurs"), "a 5 who dinosaurs");
        for query in ["gift card", "old spice", "door stop", "year planner", "watch"] {
            assert_eq!(found(english, query), query);
        }
        assert_eq!(found(ShopLanguage::German, "etwas gegen schuppen"), "schuppen");
        assert_eq!(found(ShopLanguage::French, "cadeau pour bebe"), "bebe");
        assert_eq!(found(ShopLanguage::Swedish, "something"), "something");
        assert!(is_word_of_speech(english, "help") && !is_word_of_speech(english, "gift"));
    }
}
