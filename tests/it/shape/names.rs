//! Names and sentences, counted. Each count may only fall: a change that makes one smaller lowers its bound here.

use std::collections::BTreeMap;

use crate::support::sources::{all_rust, assert_fell, production_sources};

/// Most functions whose whole name is a participle, a pronoun, a preposition or a verb without its object.
const VAGUE_FUNCTIONS: usize = 2;
/// Most names of public types that stand for several types; `Options` and `Command` of the commands are not counted.
const DOUBLED_TYPES: usize = 1;
/// Most docs of items, in thousandths, that begin with a relative word where the field has a noun.
const HEADLESS_DOCS_PER_MILLE: usize = 0;
/// Most parameters that are tuples.
const TUPLE_PARAMETERS: usize = 79;

/// Participles without -ed.
const PARTICIPLES: &[&str] = &[
    "become",
    "begun",
    "bound",
    "bought",
    "brought",
    "built",
    "caught",
    "chosen",
    "come",
    "done",
    "drawn",
    "driven",
    "fallen",
    "felt",
    "forgotten",
    "found",
    "given",
    "gone",
    "grown",
    "heard",
    "held",
    "hidden",
    "kept",
    "known",
    "laid",
    "led",
    "left",
    "lost",
    "made",
    "meant",
    "met",
    "paid",
    "proven",
    "risen",
    "said",
    "seen",
    "sent",
    "shown",
    "shut",
    "spent",
    "spoken",
    "taken",
    "thought",
    "thrown",
    "told",
    "torn",
    "won",
    "written",
];

/// Words that name neither an action nor its object.
const VAGUE: &[&str] = &[
    "about", "again", "alike", "all", "alone", "among", "answer", "any", "around", "as", "ask", "at", "back",
    "between", "both", "by", "deal", "each", "enough", "for", "give", "handle", "hold", "how", "in", "its",
    "lead", "least", "lie", "look", "mine", "more", "most", "near", "none", "note", "of", "on", "one",
    "other", "others", "out", "over", "own", "process", "rest", "same", "say", "some", "tell", "theirs",
    "them", "to", "under", "up", "what", "when", "where", "which", "who", "whose", "why", "with",
];

/// Nouns that end like a participle.
const NOUNS: &[&str] = &["bed", "embed", "exceed", "feed", "need", "seed", "shed", "speed"];

fn is_vague(name: &str) -> bool {
    let is_participle = name.ends_with("ed") && !NOUNS.contains(&name) || PARTICIPLES.contains(&name);
    !name.contains('_') && (is_participle || VAGUE.contains(&name))
}

/// The word after `key` in a line that declares something, whatever its visibility.
fn find_declared<'l>(line: &'l str, keys: &[&str]) -> Option<&'l str> {
    let line = line.trim_start();
    let line = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.strip_prefix(' ')?,
        None => line,
    };
    let line = ["const ", "async "].iter().fold(line, |line, word| line.strip_prefix(word).unwrap_or(line));
    let rest = keys.iter().find_map(|key| line.strip_prefix(key))?;
    rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()
}

#[test]
fn vague_names_of_functions_get_fewer() {
    let mut vague = Vec::new();
    for (file, text) in production_sources() {
        let names = text.lines().filter_map(|line| find_declared(line, &["fn "]));
        vague.extend(names.filter(|name| is_vague(name)).map(|name| format!("{file}: {name}")));
    }
    assert_fell("vague names of functions", VAGUE_FUNCTIONS, vague.len(), &vague);
}

#[test]
fn types_of_one_name_get_fewer() {
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, text) in production_sources() {
        let is_public = |line: &&str| line.starts_with("pub");
        let lines = text.lines().filter(is_public);
        for name in
            lines.filter_map(|line| find_declared(line, &["struct ", "enum ", "trait ", "type ", "union "]))
        {
            files.entry(name.to_owned()).or_default().push(file.clone());
        }
    }
    files.retain(|name, files| files.len() > 1 && !matches!(name.as_str(), "Options" | "Command"));
    let doubled: Vec<_> = files.iter().map(|(name, files)| format!("{name}: {}", files.join(" "))).collect();
    assert_fell("public types of one name", DOUBLED_TYPES, doubled.len(), &doubled);
}

#[test]
fn docs_without_a_noun_get_fewer() {
    const HEADLESS: [&str; 6] = ["What ", "Whether ", "How ", "Of ", "Who ", "Which "];
    let mut docs = 0;
    let mut headless = Vec::new();
    for (file, text) in all_rust() {
        let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
        for (number, line) in lines.iter().enumerate() {
            let Some(doc) = line.strip_prefix("/// ").or_else(|| line.strip_prefix("//! ")) else { continue };
            if number > 0 && lines[number - 1].starts_with(&line[..3]) {
                continue;
            }
            docs += 1;
            if HEADLESS.iter().any(|word| doc.starts_with(word)) {
                headless.push(format!("{file}: {doc}"));
            }
        }
    }
    let per_mille = (headless.len() * 1000).div_ceil(docs);
    assert_fell("docs without a noun, in thousandths", HEADLESS_DOCS_PER_MILLE, per_mille, &headless);
}

#[test]
fn tuples_as_parameters_get_fewer() {
    let mut tuples = Vec::new();
    for (file, text) in production_sources() {
        for (number, line) in text.lines().enumerate() {
            let line = line.trim_start();
            let is_parameter = line.starts_with('(') && line.contains("): (")
                || line.contains("fn ") && line.contains("): (");
            if is_parameter {
                tuples.push(format!("{file}:{}", number + 1));
            }
        }
    }
    assert_fell("tuples as parameters", TUPLE_PARAMETERS, tuples.len(), &tuples);
}
