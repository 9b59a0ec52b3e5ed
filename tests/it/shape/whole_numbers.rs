//! Recommendations are computed in whole numbers: sums of these are the same in any order and on every machine.

use crate::support::sources::{assert_none, production_sources};

/// Modules that compute a recommendation.
const ROOMS: [&str; 2] = ["recommend/", "personalise/"];

/// Files of theirs with floating-point numbers, and the reason.
const WITH_FLOATS: &[(&str, &str)] = &[("personalise/popularity_boost.rs", "scores of searches are floats")];

/// Lines of code with a floating-point type, or a number with a fraction.
fn lines_with_floats(text: &str) -> Vec<usize> {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let with_float = code.zip(1..).filter(|(line, _)| names_float(line) || has_fraction(line));
    with_float.map(|(_, number)| number).collect()
}

fn names_float(line: &str) -> bool {
    let mut words = line.split(|letter: char| !letter.is_alphanumeric());
    words.any(|word| ["f32", "f64"].iter().any(|float| word.ends_with(float)) || has_exponent(word))
}

/// Returns true for `1e3`, and not for `0x1e3`.
fn has_exponent(word: &str) -> bool {
    let is_number = |part: &str| part.bytes().all(|letter| letter.is_ascii_digit());
    word.split_once('e')
        .is_some_and(|(digits, exponent)| !digits.is_empty() && is_number(digits) && is_number(exponent))
}

/// Returns true if digits and a point follow each other without a name: `1.5` and `2.`, not `pair.0.1` or `1..5`.
fn has_fraction(line: &str) -> bool {
    line.match_indices('.').any(|(at, _)| {
        let before = line[..at].trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '_');
        let is_number = before.len() < at && !before.ends_with(|letter: char| letter.is_alphanumeric());
        let is_field = before.ends_with('.') && !before.ends_with("..");
        let after = line[at + 1..].chars().next();
        let is_end = after.is_none_or(|letter| !letter.is_alphabetic() && !"._".contains(letter));
        is_number && !is_field && is_end
    })
}

#[test]
fn recommendations_are_computed_in_whole_numbers() {
    let files = production_sources();
    let of_rooms = files.iter().filter(|(name, _)| ROOMS.iter().any(|room| name.starts_with(room)));
    let mut read = 0;
    let mut found = Vec::new();
    for (name, text) in of_rooms {
        read += 1;
        let lines = lines_with_floats(text);
        let is_allowed = WITH_FLOATS.iter().any(|(allowed, _)| allowed == name);
        if lines.is_empty() == is_allowed {
            found.push(format!("{name}: lines {lines:?}"));
        }
    }
    assert!(read > 25, "{read} files");
    assert_none("floating-point numbers outside the list, or a listed file without any", &found);
}

#[test]
fn a_floating_point_number_is_seen() {
    for line in [
        "let a: f64 = b;",
        "a as f32",
        "time.as_secs_f64()",
        "2.5 * a",
        "let a = 1.;",
        "(0.5..1)",
        "1_000.0",
        "3f64",
        "1e3",
        "2e-9",
    ] {
        assert_eq!(lines_with_floats(line), [1], "{line}");
    }
    for line in [
        "a.0.cmp(&b.0)",
        "pair.0.1",
        "1..5",
        "..3",
        "0..=2",
        "9.max(a)",
        "// 0.5",
        "/// a share f64",
        "self.1",
        "0x1e3",
        "case",
    ] {
        assert!(lines_with_floats(line).is_empty(), "{line}");
    }
}
