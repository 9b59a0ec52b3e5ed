//! Values that Magento packs into one column: attributes, variants, paths of categories, lists on lines.

use crate::formats::draft_row::{DraftOption, VariantListing};
use crate::formats::values::category_path::{CategoryPath, parse_category_path};

/// Pairs that one value may hold; the rest is left out.
const PAIRS_MAX: usize = 1_000;
/// Values of one pair or attribute, likewise.
const VALUES_MAX: usize = 200;
/// Variants of one parent, likewise; above the 2,000 that a product may have, so that too many are noticed there.
const LISTED_MAX: usize = 4_000;
/// Options of a listed variant, likewise; above the 20 that a variant may have.
const OPTIONS_MAX: usize = 40;
/// Length of an option's label, in bytes. It is copied into every variant, so that a longer one is passed over.
const LABEL_BYTES_MAX: usize = 200;
/// Categories of one product, likewise.
const CATEGORIES_MAX: usize = 1_000;
/// Length of a line up to which a text with line breaks is a list, in bytes.
const LIST_LINE_BYTES: usize = 100;
/// Names of a shop's root category, which shoppers never see; in lower case.
const ROOTS: [&str; 3] = ["default category", "root catalog", "root category"];
/// Members of a listed variant that are no options.
const NO_OPTIONS: [&str; 3] = ["sku", "display", "default"];

/// A pair such as `material=Nylon|Polyester`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PackedPair<'a> {
    /// The attribute's code.
    pub code: &'a str,
    /// Its values, none empty.
    pub values: Vec<String>,
}

/// Pairs separated by commas. A comma that no `code=` follows belongs to the value; a value may stand in quotation
/// marks, doubled within it. Several values are separated by `|`.
#[must_use]
pub fn parse_pairs(text: &str) -> Vec<PackedPair<'_>> {
    let mut pairs = Vec::new();
    let mut rest = text;
    while let Some((code, after)) = split_code(rest) {
        let (values, remaining) = match split_quoted(after) {
            Some(quoted) => quoted,
            None => split_bare(after),
        };
        if !code.is_empty() && !values.is_empty() {
            pairs.push(PackedPair { code, values });
        }
        if pairs.len() == PAIRS_MAX {
            break;
        }
        rest = remaining;
    }
    pairs
}

/// The first code and the text after its `=`; text before it that is no code is passed over.
fn split_code(text: &str) -> Option<(&str, &str)> {
    let (before, after) = text.split_once('=')?;
    let before = before.trim_end();
    let code = before.trim_end_matches(is_code_letter).len();
    Some((&before[code..], after))
}

const fn is_code_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// Values in quotation marks with `|` between, and the text after their comma; `None` unless exactly that stands there.
fn split_quoted(text: &str) -> Option<(Vec<String>, &str)> {
    let mut values = Vec::new();
    let mut rest = text;
    loop {
        let (value, after) = split_quoted_value(rest)?;
        let value = value.trim();
        if !value.is_empty() && values.len() < VALUES_MAX {
            values.push(value.to_owned());
        }
        if after.is_empty() {
            return Some((values, after));
        }
        if let Some(next) = after.strip_prefix(',') {
            return Some((values, next));
        }
        rest = after.strip_prefix('|')?;
    }
}

fn split_quoted_value(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix('"')?;
    let mut letters = inner.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        if letter == '"' && letters.next_if(|(_, next)| *next == '"').is_none() {
            return Some((inner[..at].replace("\"\"", "\""), &inner[at + 1..]));
        }
    }
    None
}

/// Values without quotation marks, up to the comma before the next `code=`.
fn split_bare(text: &str) -> (Vec<String>, &str) {
    let is_next = |at: usize| {
        let code = text[at + 1..].trim_start_matches(' ');
        let after = code.trim_start_matches(is_code_letter);
        after.len() < code.len() && after.starts_with('=')
    };
    let end = text.match_indices(',').map(|(at, _)| at).find(|at| is_next(*at));
    let value = &text[..end.unwrap_or(text.len())];
    let remaining = end.map_or("", |at| &text[at + 1..]);
    let values = value.split('|').map(str::trim).filter(|value| !value.is_empty());
    (values.take(VALUES_MAX).map(str::to_owned).collect(), remaining)
}

/// Variants of `sku=A-M,size=M,color=Blue|sku=A-L,…`; options are named by `labels` (`size=Size,color=Color`), and
/// by their code without one. Entries without a SKU are left out.
#[must_use]
pub fn parse_variations(text: &str, labels: &str) -> Vec<VariantListing> {
    let mut labels = parse_pairs(labels);
    labels.retain(|label| label.values.first().is_some_and(|name| name.len() <= LABEL_BYTES_MAX));
    labels.truncate(OPTIONS_MAX);
    let name_option = |code: &str| {
        let label = labels.iter().find(|label| label.code == code).and_then(|label| label.values.first());
        label.map_or_else(|| code.to_owned(), Clone::clone)
    };
    split_variations(text)
        .into_iter()
        .filter_map(|entry| {
            let pairs = parse_pairs(entry);
            let sku = pairs.iter().find(|pair| pair.code == "sku")?.values.join("|");
            let options = pairs.iter().filter(|pair| !NO_OPTIONS.contains(&pair.code)).map(|pair| {
                DraftOption { position: 0, name: name_option(pair.code), value: pair.values.join("|") }
            });
            Some(VariantListing { sku, options: options.take(OPTIONS_MAX).collect() })
        })
        .collect()
}

/// Entries between `|`; one without `=` is the rest of a value that has a `|` itself.
fn split_variations(text: &str) -> Vec<&str> {
    let mut entries = Vec::new();
    let mut begin = 0;
    for (at, _) in text.match_indices('|') {
        let is_rest = !text[at + 1..].split('|').next().is_some_and(|next| next.contains('='));
        if !is_rest {
            entries.push(&text[begin..at]);
            begin = at + 1;
        }
        if entries.len() == LISTED_MAX {
            return entries;
        }
    }
    entries.push(&text[begin..]);
    entries
}

/// Paths separated by commas or, if the value has lines, one a line; without the root category. `\/` is a slash
/// within a title.
#[must_use]
pub fn split_categories(text: &str) -> Vec<CategoryPath> {
    let mut paths: Vec<CategoryPath> = Vec::new();
    let pieces =
        if text.contains(['\n', '\r']) { text.split(['\n', '\r']).collect() } else { split_commas(text) };
    for piece in pieces.into_iter().take(CATEGORIES_MAX) {
        let mut path = split_path(piece);
        let roots = path.iter().take_while(|title| is_root(title)).count();
        path.drain(..roots);
        if !path.is_empty() {
            paths.push(path);
        }
    }
    paths
}

/// Magento does not escape a comma within a title. It writes no space between paths and begins each with the root: so
/// a space after the comma tells such a title, unless the root follows.
fn split_commas(text: &str) -> Vec<&str> {
    let begins_with_root = |piece: &str| is_root(piece.split('/').next().unwrap_or_default());
    let has_roots = begins_with_root(text);
    let mut pieces = Vec::new();
    let mut begin = 0;
    for (at, _) in text.match_indices(',') {
        let next = &text[at + 1..];
        let is_title = has_roots
            && next.starts_with(' ')
            && !begins_with_root(next.split(',').next().unwrap_or_default());
        if !is_title {
            pieces.push(&text[begin..at]);
            begin = at + 1;
        }
        if pieces.len() == CATEGORIES_MAX {
            return pieces;
        }
    }
    pieces.push(&text[begin..]);
    pieces
}

fn is_root(title: &str) -> bool {
    ROOTS.iter().any(|root| title.trim().eq_ignore_ascii_case(root))
}

fn split_path(text: &str) -> CategoryPath {
    // A control character takes the place of the separating slashes, and the escaped ones are slashes again.
    const SEPARATOR: char = '\u{1f}';
    if !text.contains("\\/") {
        return parse_category_path(text, '/');
    }
    let parts: Vec<String> =
        text.split("\\/").map(|part| part.replace('/', &SEPARATOR.to_string())).collect();
    parse_category_path(&parts.join("/"), SEPARATOR)
}

/// Values of an attribute on lines of their own; a text with long lines or markup is one value.
#[must_use]
pub fn split_lines(text: &str) -> Vec<String> {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_list = !text.contains('<') && lines().all(|line| line.len() <= LIST_LINE_BYTES);
    if !is_list {
        return vec![text.to_owned()];
    }
    lines().take(VALUES_MAX).map(str::to_owned).collect()
}
