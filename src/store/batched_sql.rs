//! The text of a statement for one row, turned into one for many: PostgreSQL gets each argument as an array.

use std::collections::HashSet;
use std::ops::Range;

/// A column of arguments, as the parts of a text name it.
const ASKED: &str = "asked";

/// Facts about an INSERT of one row that are needed to run it with many.
pub(super) struct Insert<'a> {
    text: &'a str,
    /// Range of its values, without their brackets.
    values: Range<usize>,
    /// The arguments that must be unique together, counted from 0.
    pub(super) unique: Vec<usize>,
}

impl<'a> Insert<'a> {
    /// `None`: it is no INSERT whose values are arguments, numbers and texts.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let columns = bracketed_range(text, text.find("INSERT INTO ")?)?;
        let values = bracketed_range(text, text.find("VALUES (")?)?;
        let places: Vec<Option<usize>> = parts(&text[values.clone()]).map(place_of).collect::<Option<_>>()?;
        let unique = match text.find("ON CONFLICT (") {
            Some(at) => parts(&text[bracketed_range(text, at)?])
                .map(|name| {
                    let column = parts(&text[columns.clone()]).position(|column| column == name)?;
                    *places.get(column)?
                })
                .collect::<Option<Vec<_>>>()?,
            None => Vec::new(),
        };
        Some(Self { text, values, unique })
    }

    /// The text for many rows, whose columns are arrays of these types.
    pub(super) fn many(&self, types: &[&str]) -> String {
        let before = &self.text[..self.values.start];
        let behind = &self.text[self.values.end + 1..];
        let before = before.trim_end_matches('(').trim_end().trim_end_matches("VALUES");
        let values = qualify_placeholders(&self.text[self.values.clone()]);
        format!("{before}SELECT {values} FROM {} ORDER BY {ASKED}.n{behind}", unnest_arguments(types))
    }
}

/// The place of an argument among all, from 0; `Some(None)` for a number or a text; `None` for anything else.
fn place_of(value: &str) -> Option<Option<usize>> {
    if let Some(number) = value.strip_prefix('$') {
        return Some(Some(number.parse::<usize>().ok()?.checked_sub(1)?));
    }
    let is_text = value.len() > 1 && value.starts_with('\'') && value.ends_with('\'');
    (is_text || value.parse::<i64>().is_ok()).then_some(None)
}

/// An UPDATE or a DELETE for many lists of arguments, whose columns are arrays of these types. `None` when it names no
/// row by WHERE.
pub(super) fn change_many(text: &str, types: &[&str]) -> Option<String> {
    let joined = [("UPDATE ", "FROM"), ("DELETE FROM ", "USING")];
    let (_, joined) = joined.into_iter().find(|(verb, _)| text.contains(verb))?;
    let text = qualify_placeholders(text);
    let (before, behind) = text.split_at(text.find("WHERE ")?);
    Some(format!("{before}{joined} unnest({}) AS {ASKED}({}) {behind}", arrays(types), columns(types)))
}

/// A statement that reads, for many lists of arguments: in front of each row the place of its list, from 1, in order.
pub(super) fn select_many(text: &str, types: &[&str]) -> String {
    // OFFSET keeps PostgreSQL from planning it as one join: each list is looked up by the index.
    format!(
        "SELECT {ASKED}.n, answer.* FROM {} CROSS JOIN LATERAL (SELECT * FROM (\n{}\n) AS one OFFSET 0) AS answer \
         ORDER BY {ASKED}.n",
        unnest_arguments(types),
        qualify_placeholders(text)
    )
}

/// The table that a statement writes.
pub(super) fn written_table(text: &str) -> Option<&str> {
    let at = ["INSERT INTO ", "UPDATE ", "DELETE FROM "]
        .iter()
        .find_map(|verb| Some(text.find(verb)? + verb.len()))?;
    text[at..].split(|letter: char| !is_word(letter)).next()
}

/// The words of a statement, names of tables among them.
pub(super) fn words(text: &str) -> HashSet<&str> {
    let lines = text.lines().filter(|line| !line.starts_with("--"));
    lines.flat_map(|line| line.split(|letter: char| !is_word(letter))).collect()
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// `$1` as `asked.a1`.
fn qualify_placeholders(text: &str) -> String {
    let text: String = text.lines().filter(|line| !line.starts_with("--")).collect::<Vec<_>>().join("\n");
    text.replace('$', &format!("{ASKED}.a"))
}

/// The lists of arguments with their places.
fn unnest_arguments(types: &[&str]) -> String {
    format!("unnest({}) WITH ORDINALITY AS {ASKED}({}, n)", arrays(types), columns(types))
}

fn arrays(types: &[&str]) -> String {
    types.iter().zip(1..).map(|(kind, n)| format!("${n}::{kind}[]")).collect::<Vec<_>>().join(", ")
}

fn columns(types: &[&str]) -> String {
    (1..=types.len()).map(|n| format!("a{n}")).collect::<Vec<_>>().join(", ")
}

/// Range inside the first brackets after a position.
fn bracketed_range(text: &str, at: usize) -> Option<Range<usize>> {
    let open = at + text[at..].find('(')? + 1;
    let mut depth = 1;
    for (n, letter) in text[open..].char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(open..open + n);
        }
    }
    None
}

fn parts(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUT: &str = "-- Stores $5.\nINSERT INTO t (a, b, c) VALUES ($2, $1, $3)\nON CONFLICT (c, a) DO UPDATE SET b = excluded.b\n";

    #[test]
    fn an_insert_of_many_rows_is_made_from_that_of_one() {
        let insert = Insert::parse(PUT).unwrap();
        assert_eq!(insert.unique, [2, 1]);
        assert_eq!(
            insert.many(&["bigint", "bytea", "text"]),
            "-- Stores $5.\nINSERT INTO t (a, b, c) SELECT asked.a2, asked.a1, asked.a3 FROM unnest($1::bigint[], $2::bytea[], \
             $3::text[]) WITH ORDINALITY AS asked(a1, a2, a3, n) ORDER BY asked.n\nON CONFLICT (c, a) DO UPDATE SET b = \
             excluded.b\n"
        );
        assert!(Insert::parse("INSERT INTO t (a) VALUES ($1)").unwrap().unique.is_empty());
        let fixed = Insert::parse("INSERT INTO t (a, b, c) VALUES ($1, 0, 'new') ON CONFLICT (a) DO NOTHING")
            .unwrap();
        assert_eq!(fixed.unique, [0]);
        assert!(fixed.many(&["bigint"]).contains("SELECT asked.a1, 0, 'new' FROM unnest($1::bigint[])"));
        for other in ["SELECT a FROM t", "INSERT INTO t (a) VALUES (abs($1))", "UPDATE t SET a = $1"] {
            assert!(Insert::parse(other).is_none(), "{other}");
        }
    }

    #[test]
    fn a_question_about_many_is_made_from_that_about_one() {
        assert_eq!(
            select_many("-- Of $1.\nSELECT a FROM t WHERE b = $1 LIMIT $2", &["bytea", "bigint"]),
            "SELECT asked.n, answer.* FROM unnest($1::bytea[], $2::bigint[]) WITH ORDINALITY AS asked(a1, a2, n) CROSS JOIN \
             LATERAL (SELECT * FROM (\nSELECT a FROM t WHERE b = asked.a1 LIMIT asked.a2\n) AS one OFFSET 0) AS answer ORDER \
             BY asked.n"
        );
    }

    #[test]
    fn a_change_of_many_rows_is_made_from_that_of_one() {
        let types = ["bigint", "text"];
        let many = |text| change_many(text, &types).unwrap();
        let asked = "unnest($1::bigint[], $2::text[]) AS asked(a1, a2)";
        assert_eq!(
            many("-- Of $1.\nUPDATE t SET b = $2\nWHERE a = $1 AND c"),
            format!("UPDATE t SET b = asked.a2\nFROM {asked} WHERE a = asked.a1 AND c")
        );
        assert_eq!(
            many("DELETE FROM t WHERE a = $1 AND b <> $2"),
            format!("DELETE FROM t USING {asked} WHERE a = asked.a1 AND b <> asked.a2")
        );
        assert!(change_many("DELETE FROM t", &types).is_none());
        assert!(change_many("INSERT INTO t (a) VALUES ($1)", &types).is_none());
    }

    #[test]
    fn the_table_of_a_write_is_found_in_what_reads_it() {
        assert_eq!(written_table(PUT), Some("t"));
        assert_eq!(written_table("-- x\nUPDATE identifier SET a = 1"), Some("identifier"));
        assert_eq!(written_table("DELETE FROM record"), Some("record"));
        assert!(words("SELECT a FROM identifier JOIN subject ON TRUE").contains("subject"));
        assert!(!words("-- subject\nSELECT subject_id FROM identifier").contains("subject"));
    }

    #[test]
    fn values_are_arguments_numbers_and_whole_texts() {
        let places = ["$1", "$12", "7", "-7", "'new'", "''"].map(place_of);
        assert_eq!(places, [Some(Some(0)), Some(Some(11)), Some(None), Some(None), Some(None), Some(None)]);
        for other in ["$0", "$x", "$", "'", "'new", "new'", "", "a", "7.5", "excluded.b"] {
            assert_eq!(place_of(other), None, "{other}");
        }
    }

    #[test]
    fn what_stands_in_brackets_ends_with_the_bracket_that_closes_it() {
        let inside = |text: &str, at| bracketed_range(text, at).map(|range| text[range].to_owned());
        assert_eq!(inside("f(a, (b, (c)), d) (e)", 0).as_deref(), Some("a, (b, (c)), d"));
        assert_eq!(inside("f(a) (e)", 2).as_deref(), Some("e"));
        assert_eq!([inside("f()", 0).as_deref(), inside("f(a", 0).as_deref()], [Some(""), None]);
        assert_eq!(inside("f", 0), None);
    }
}
