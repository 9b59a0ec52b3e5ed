//! Rules by which the languages that write compounds as one word put words together: Lethe's own lists.

use crate::search::text::ShopLanguage;

/// Rules of a language. All lists are of folded texts.
#[derive(Debug)]
pub(super) struct CompoundRules {
    /// Letters between the two words (`liebling-s-buch`), in the order in which they are tried.
    links: &'static [&'static str],
    /// Words of three letters that may be heads. By a rule for all such words every fifth was wrong (`mass-age`).
    short_heads: &'static [&'static str],
    /// Endings that make other words of a word, and are none themselves, or that negate it (`metall-frei`).
    suffixes: &'static [&'static str],
    /// Endings of the forms of a noun.
    forms: &'static [&'static str],
    /// Words that are no kind of what they end in, or that end in it by chance: who types `schuh` wants no `handschuh`.
    unsplit: &'static [&'static str],
}

/// Letters of the longest ending of a form of such a word.
const UNSPLIT_ENDING_LETTERS: usize = 3;

/// A shorter word is a head only if it is listed.
const HEAD_MIN_LETTERS: usize = 4;
/// Words that negate the word behind them: `nonfood` is no food, and shoppers mean no `slip` by `antislip`.
pub(super) const NEGATIONS: [&str; 4] = ["anti", "nicht", "niet", "non"];
/// Endings that a modifier may have lost in a compound: the `e` of `schul-tasche`.
pub(super) const LOST: [&str; 2] = ["e", "en"];

const GERMAN: CompoundRules = CompoundRules {
    links: &["s", "n", "en", "e", "es", "er", "ns", "ens"],
    short_heads: &["tee", "uhr", "rad", "hut", "bad"],
    suffixes: &[
        "chen", "lein", "lich", "liche", "licher", "liches", "lichen", "keit", "keiten", "heit", "heiten",
        "ieren", "iere", "iert", "ierte", "ierter", "ungen", "schaft", "schaften", "isch", "ische", "ischer",
        "isches", "ischen", "bare", "barer", "bares", "baren", "lose", "loser", "loses", "losen", "same",
        "samer", "sames", "haft", "hafte", "hafter", "haftes", "frei", "freie", "freier", "freies", "freien",
        "less", "tion", "tionen", "innen", "ende", "ender", "endes", "enden", "stem", "sten", "ster", "stes",
        "ling", "linge", "eren", "erer", "eres",
    ],
    forms: &["", "e", "n", "en", "er", "ern", "s", "es", "nen"],
    unsplit: &[
        "backerbse",
        "blackhead",
        "bodybutter",
        "bonbon",
        "buchweizen",
        "bullauge",
        "delikatess",
        "eichhornchen",
        "eiszapfen",
        "fahrstuhl",
        "farbstoff",
        "fingerhut",
        "fledermaus",
        "fruhstuck",
        "fussbutter",
        "granatapfel",
        "handschuh",
        "huhnerauge",
        "kartoffeltasche",
        "katzenminze",
        "knoblauch",
        "kohlensaure",
        "korperbutter",
        "liebesapfel",
        "lowenzahn",
        "maulwurf",
        "meerschweinchen",
        "menstruationstasse",
        "mineralien",
        "muskatnuss",
        "salzburger",
        "schildkrote",
        "schneebesen",
        "schokolinse",
        "seehund",
        "seepferdchen",
        "seestern",
        "sheabutter",
        "sticker",
        "stielsauger",
        "strumpfhose",
        "wasserhahn",
        "windbeutel",
        "windeltorte",
    ],
};

const DUTCH: CompoundRules = CompoundRules {
    links: &["s", "en", "e", "n"],
    short_heads: &["bed", "mat", "tas", "jas", "kar", "net"],
    suffixes: &[
        "heid", "heden", "lijk", "lijke", "baar", "bare", "loos", "loze", "vrij", "vrije", "less", "tjes",
        "etje", "etjes", "pjes", "ingen", "isch", "ische", "schap", "achtig", "achtige", "zaam", "zame",
        "atie", "aties", "eren",
    ],
    forms: &["", "e", "en", "n", "s", "je", "jes"],
    unsplit: &["aardappel", "handschoen", "knoflook", "nootmuskaat", "schildpad", "sheaboter", "vingerhoed"],
};

const SWEDISH: CompoundRules = CompoundRules {
    links: &["s", "o", "u", "a", "e"],
    short_heads: &["bok", "sko"],
    suffixes: &["ning", "ningar", "ningen", "liga", "ligt", "else", "elser", "heten", "ande", "ende", "skap"],
    forms: &["", "a", "an", "ar", "arna", "or", "orna", "er", "erna", "en", "n", "et", "e"],
    unsplit: &[],
};

const DANISH: CompoundRules = CompoundRules {
    links: &["s", "e", "er"],
    short_heads: &["bog", "bok", "sko"],
    suffixes: &["ning", "ninger", "lige", "ligt", "else", "elser", "heden", "ende", "skab", "sker"],
    forms: &["", "e", "er", "en", "et", "n", "ne", "erne", "r"],
    unsplit: &[],
};

impl CompoundRules {
    /// The rules of a language; `None` if it writes compounds apart, or if nothing was measured.
    pub(super) const fn for_language(language: ShopLanguage) -> Option<&'static Self> {
        match language {
            ShopLanguage::German => Some(&GERMAN),
            ShopLanguage::Dutch => Some(&DUTCH),
            ShopLanguage::Swedish => Some(&SWEDISH),
            ShopLanguage::Danish | ShopLanguage::Norwegian => Some(&DANISH),
            _ => None,
        }
    }

    /// The rest of a compound without and with one group of linking letters taken off.
    pub(super) fn without_links<'r>(&self, rest: &'r str) -> impl Iterator<Item = &'r str> {
        std::iter::once(rest).chain(self.links.iter().filter_map(move |link| rest.strip_suffix(link)))
    }

    /// Returns true if a word is a form of one that is not split.
    pub(super) fn is_unsplit(&self, word: &str) -> bool {
        self.unsplit.iter().any(|unsplit| {
            word.strip_prefix(unsplit)
                .is_some_and(|ending| ending.chars().nth(UNSPLIT_ENDING_LETTERS).is_none())
        })
    }

    /// Returns true if a word with so many letters may be a head.
    pub(super) fn may_be_head(&self, word: &str, letters: usize) -> bool {
        if letters < HEAD_MIN_LETTERS {
            return self.short_heads.contains(&word);
        }
        !self.suffixes.contains(&word)
    }

    /// Texts that may be forms of a word with this stem: the endings of the language behind it, also with its last
    /// letter doubled (`matras`, `matrassen`).
    pub(super) fn forms_of(&self, stem: &str) -> Vec<String> {
        let doubled = stem.chars().next_back().filter(|last| !"aeiou".contains(*last));
        let doubled = doubled.map(|last| format!("{stem}{last}"));
        let bases = std::iter::once(stem).chain(doubled.as_deref());
        bases.flat_map(|base| self.forms.iter().map(move |ending| format!("{base}{ending}"))).collect()
    }
}
