//! Evaluation of spelling correction: seeded errors in judged queries, queries without errors, and words that the shop
//! does not have (docs/relevance.md, "Measured").

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use lethe::search::spellcheck::Corrector;

/// The least share of nDCG that has to be kept.
pub const KEPT_FLOOR: f64 = 0.92;
/// The largest share of the words that the shop lacks that may be replaced silently.
pub const FOREIGN_CEILING: f64 = 0.20;
/// Number of times each query gets each kind of error.
const ROUNDS: u64 = 10;

/// English words and brands of groceries, household, fashion, garden and toys, one a line: a shop of electronics does
/// not have them. Chosen without looking at any dictionary.
pub const FOREIGN_ENGLISH: &str = include_str!("lists/foreign_english.txt");

/// A query and people's ratings of its products.
#[derive(Clone, Debug, Default)]
pub struct TypoQuery {
    /// As it is typed without errors.
    pub query: String,
    /// From the product's id to its rating, 0 to 3.
    pub ratings: HashMap<String, u8>,
}

/// Kind of typing error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum TypoKind {
    /// Two letters change places.
    Swap,
    /// A letter is missing.
    Drop,
    /// A letter stands twice.
    Double,
    /// The adjacent key was hit.
    Neighbour,
    /// A blank inside of a word.
    Split,
    /// A blank is missing.
    Join,
}

const KINDS: [TypoKind; 6] =
    [TypoKind::Swap, TypoKind::Drop, TypoKind::Double, TypoKind::Neighbour, TypoKind::Split, TypoKind::Join];

/// Measurements of one kind of error, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct TypoShare {
    /// Mistyped queries.
    pub queries: usize,
    /// The sum of their nDCG@10 with the error.
    pub mistyped: f64,
    /// The sum of their nDCG@10 without it.
    pub clean: f64,
}

impl TypoShare {
    /// The share of nDCG that is kept.
    #[must_use]
    pub fn retained_share(&self) -> f64 {
        if self.clean > 0.0 { self.mistyped / self.clean } else { 1.0 }
    }

    fn add(&mut self, mistyped: f64, clean: f64) {
        self.queries += 1;
        self.mistyped += mistyped;
        self.clean += clean;
    }
}

/// Measurements of seeded errors.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TypoReport {
    /// Measurements of all errors.
    pub all: TypoShare,
    /// Measurements of each kind.
    pub by_kind: BTreeMap<TypoKind, TypoShare>,
    /// Largest losses: the query, its mistyped form, and the nDCG that was lost.
    pub worst: Vec<(String, String, f64)>,
}

/// Results for words that the shop does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ForeignReport {
    /// Words that the shop does not have.
    pub words: usize,
    /// The words that were replaced silently, and their replacements.
    pub replaced: Vec<(String, String)>,
    /// Those for which something was offered.
    pub offered: usize,
}

/// All measures of correction.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TypoSummary {
    /// Results for seeded errors.
    pub typos: TypoReport,
    /// Number of queries without errors.
    pub clean: usize,
    /// The clean queries that were changed all the same, with the query that was searched instead.
    pub clean_changed: Vec<(String, String)>,
    /// Results for words that the shop does not have.
    pub foreign: ForeignReport,
    /// Results for a wrong first letter, which `typos` does not count.
    pub first_letters: TypoShare,
}

impl TypoSummary {
    /// Measures all three. `search` gives ids, best first, and corrects the query it is given.
    pub fn measure<'w>(
        queries: &[TypoQuery],
        foreign: impl Iterator<Item = &'w str>,
        corrector: &Corrector,
        search: &mut dyn FnMut(&str) -> Vec<String>,
    ) -> Self {
        Self {
            typos: measure_typos(queries, ROUNDS, search),
            clean: queries.len(),
            clean_changed: changed_clean_queries(queries, corrector),
            foreign: measure_foreign(foreign, corrector),
            first_letters: measure_first_letters(queries, search),
        }
    }

    /// True if all bounds are kept.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.typos.all.retained_share() >= KEPT_FLOOR
            && self.clean_changed.is_empty()
            && self.foreign.share() <= FOREIGN_CEILING
    }
}

impl ForeignReport {
    /// The share that was replaced silently.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.replaced.len() as f64 / self.words.max(1) as f64
    }
}

/// Random numbers that are the same on every machine (SplitMix64).
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        ((u128::from(mixed) * limit as u128) >> 64) as usize
    }
}

const KEYS: [&str; 3] = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];

fn neighbour_key(letter: char, seeded: &mut Seeded) -> Option<char> {
    let row = KEYS.iter().find(|row| row.contains(letter))?.as_bytes();
    let at = row.iter().position(|key| char::from(*key) == letter)?;
    let is_left = at + 1 == row.len() || at > 0 && seeded.below(2) == 0;
    Some(char::from(row[if is_left { at - 1 } else { at + 1 }]))
}

/// A query with an error in one of its words of five letters or more (two errors from nine letters), or with two of
/// its words joined; `None` when no word can have an error of this kind.
#[must_use]
pub fn mistype(query: &str, kind: TypoKind, seed: u64) -> Option<String> {
    let mut seeded = Seeded(seed);
    let mut words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    if kind == TypoKind::Join {
        if words.len() < 2 {
            return None;
        }
        let at = seeded.below(words.len() - 1);
        let second = words.remove(at + 1);
        words[at].push_str(&second);
        return Some(words.join(" "));
    }
    let long: Vec<usize> = (0..words.len()).filter(|at| is_mistypable(&words[*at])).collect();
    let at = *long.get(seeded.below(long.len().max(1)))?;
    let before = words[at].clone();
    let edits = if before.len() >= 9 && kind != TypoKind::Split { 2 } else { 1 };
    for _ in 0..edits {
        words[at] = edit(&words[at], kind, &mut seeded)?;
    }
    (words[at] != before).then(|| words.join(" "))
}

fn is_mistypable(word: &str) -> bool {
    word.len() >= 5 && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

fn edit(word: &str, kind: TypoKind, seeded: &mut Seeded) -> Option<String> {
    let mut letters: Vec<char> = word.chars().collect();
    let last = letters.len() - 1;
    match kind {
        TypoKind::Swap => {
            // Equal neighbours would change nothing.
            let places: Vec<usize> = (0..last).filter(|at| letters[*at] != letters[at + 1]).collect();
            let at = *places.get(seeded.below(places.len().max(1)))?;
            letters.swap(at, at + 1);
        }
        TypoKind::Drop => {
            letters.remove(seeded.below(letters.len()));
        }
        TypoKind::Double => {
            let at = seeded.below(letters.len());
            letters.insert(at, letters[at]);
        }
        TypoKind::Neighbour => {
            let at = seeded.below(letters.len());
            letters[at] = neighbour_key(letters[at], seeded)?;
        }
        TypoKind::Split => letters.insert(2 + seeded.below(last - 2), ' '),
        TypoKind::Join => return None,
    }
    Some(letters.into_iter().collect())
}

/// nDCG@10: gain 2^rating − 1, discount log2, unrated products gain nothing.
fn ndcg(ranked: &[String], ratings: &HashMap<String, u8>) -> f64 {
    let gain = |rating: u8| f64::from((1_u32 << rating.min(30)) - 1);
    let discount = |place: usize| (place as f64 + 2.0).log2();
    let mut best: Vec<u8> = ratings.values().copied().collect();
    best.sort_unstable_by(|one, other| other.cmp(one));
    let ideal: f64 = best.iter().take(10).enumerate().map(|(at, rating)| gain(*rating) / discount(at)).sum();
    let ranked = ranked.iter().take(10).enumerate();
    let reached: f64 =
        ranked.map(|(at, id)| ratings.get(id).map_or(0.0, |rating| gain(*rating) / discount(at))).sum();
    if ideal > 0.0 { reached / ideal } else { 0.0 }
}

/// Makes errors of every kind in each query that has a good product, `rounds` times, and compares what `search` finds
/// (ids, best first) with and without them.
pub fn measure_typos(
    queries: &[TypoQuery],
    rounds: u64,
    search: &mut dyn FnMut(&str) -> Vec<String>,
) -> TypoReport {
    let mut report = TypoReport::default();
    for (number, judged) in (0_u64..).zip(queries) {
        if judged.ratings.values().all(|rating| *rating == 0) {
            continue;
        }
        let clean = ndcg(&search(&judged.query), &judged.ratings);
        for round in 0..rounds {
            for kind in KINDS {
                let seed = (number * 1000 + round) * 10 + kind as u64;
                let Some(text) = mistype(&judged.query, kind, seed) else { continue };
                let mistyped = ndcg(&search(&text), &judged.ratings);
                report.all.add(mistyped, clean);
                report.by_kind.entry(kind).or_default().add(mistyped, clean);
                report.worst.push((judged.query.clone(), text, clean - mistyped));
            }
        }
    }
    report.worst.sort_by(|one, other| other.2.total_cmp(&one.2).then_with(|| one.1.cmp(&other.1)));
    report.worst.truncate(40);
    report
}

/// A query with the adjacent key instead of the first letter of one of its words of five letters or more; `None` when
/// it has no such word.
#[must_use]
pub fn mistype_first_letter(query: &str, seed: u64) -> Option<String> {
    let mut seeded = Seeded(seed);
    let mut words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let long: Vec<usize> = (0..words.len()).filter(|at| is_mistypable(&words[*at])).collect();
    let at = *long.get(seeded.below(long.len().max(1)))?;
    let mut letters = words[at].chars();
    let first = neighbour_key(letters.next()?, &mut seeded)?;
    words[at] = std::iter::once(first).chain(letters).collect();
    Some(words.join(" "))
}

/// Measures [`mistype_first_letter`] as [`measure_typos`] measures the other errors, apart from them.
pub fn measure_first_letters(
    queries: &[TypoQuery],
    search: &mut dyn FnMut(&str) -> Vec<String>,
) -> TypoShare {
    let mut share = TypoShare::default();
    for (number, judged) in (0_u64..).zip(queries) {
        if judged.ratings.values().all(|rating| *rating == 0) {
            continue;
        }
        let clean = ndcg(&search(&judged.query), &judged.ratings);
        let mistyped: BTreeSet<String> = (0..ROUNDS)
            .filter_map(|round| mistype_first_letter(&judged.query, number * 1000 + round))
            .collect();
        for text in mistyped {
            share.add(ndcg(&search(&text), &judged.ratings), clean);
        }
    }
    share
}

/// The queries without errors that were changed all the same, with the query that was searched instead.
#[must_use]
pub fn changed_clean_queries(queries: &[TypoQuery], corrector: &Corrector) -> Vec<(String, String)> {
    let corrected = queries.iter().map(|judged| (&judged.query, corrector.correct(&judged.query)));
    let changed = corrected.filter(|(_, corrected)| !corrected.changes.is_empty());
    changed.map(|(query, corrected)| (query.clone(), corrected.searched)).collect()
}

/// Measures corrections of words that the shop does not have; known words are skipped.
#[must_use]
pub fn measure_foreign<'w>(words: impl Iterator<Item = &'w str>, corrector: &Corrector) -> ForeignReport {
    let mut report = ForeignReport::default();
    for word in words.filter(|word| !corrector.is_known(word)) {
        report.words += 1;
        let corrected = corrector.correct(word);
        report.offered += usize::from(corrected.did_you_mean.is_some());
        if !corrected.changes.is_empty() {
            report.replaced.push((word.to_owned(), corrected.searched));
        }
    }
    report
}
