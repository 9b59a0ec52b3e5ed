//! Lines of synonyms as the rows of a form.

use serde::{Deserialize, Serialize};

use crate::console::ui::form::ConsoleForm;
use crate::search::synonyms::APART;

/// Kind of a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SynonymKind {
    /// All words mean the same.
    #[default]
    Same,
    /// A search for the words also finds the target, and not the other way round.
    OneWay,
    /// The two words are not the same, although they are forms of one word.
    Apart,
    /// A comment, an empty line, or a line of unknown form: kept as it is.
    Kept,
}

impl SynonymKind {
    /// The kind that a form names; an unknown name keeps the line as it is.
    fn parse(name: &str) -> Self {
        match name {
            "same" => Self::Same,
            "one_way" => Self::OneWay,
            "apart" => Self::Apart,
            _ => Self::Kept,
        }
    }
}

/// A line of synonyms, as a row of the form.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SynonymRow {
    kind: SynonymKind,
    /// Words with commas between them; of a kept line all of it.
    words: String,
    /// The same behind the arrow; empty for the other kinds.
    target: String,
}

impl SynonymRow {
    fn parse(line: &str) -> Self {
        let trimmed = line.trim();
        let kept = || Self { kind: SynonymKind::Kept, words: line.to_owned(), target: String::new() };
        if trimmed.is_empty() || trimmed.starts_with('#') {
            return kept();
        }
        if let Some((one, other)) = trimmed.split_once(APART) {
            let [words, target] = [one, other].map(|side| side.trim().to_owned());
            return Self { kind: SynonymKind::Apart, words, target };
        }
        let sides: Vec<_> = trimmed.split("=>").map(|side| side.trim().to_owned()).collect();
        match <[String; 2]>::try_from(sides) {
            Ok([words, target]) => Self { kind: SynonymKind::OneWay, words, target },
            Err(sides) if sides.len() == 1 => {
                Self { kind: SynonymKind::Same, words: trimmed.to_owned(), target: String::new() }
            }
            Err(_) => kept(),
        }
    }

    /// The row of these fields. Words behind the arrow of a row that was made one of the same meaning are not lost.
    fn from_fields(kind: &str, words: &str, target: &str) -> Self {
        let kind = SynonymKind::parse(kind);
        let [words, target] = [words, target].map(|text| text.replace(['\r', '\n'], " "));
        match kind {
            SynonymKind::Same if !target.trim().is_empty() => {
                Self { kind, words: join_words(&[&words, &target]), target: String::new() }
            }
            _ => Self { kind, words, target },
        }
    }

    /// True if the line of the row would be a comment, which the row is not.
    pub fn begins_as_comment(&self) -> bool {
        self.kind != SynonymKind::Kept && self.line().is_some_and(|line| line.trim_start().starts_with('#'))
    }

    /// The line of the row; `None` for a row without words.
    fn line(&self) -> Option<String> {
        let [words, target] = [&self.words, &self.target].map(|side| join_words(&[side]));
        match self.kind {
            SynonymKind::Kept => Some(self.words.clone()),
            _ if words.is_empty() && target.is_empty() => None,
            SynonymKind::Same => Some(words),
            SynonymKind::OneWay => Some(format!("{words} => {target}")),
            SynonymKind::Apart => Some(format!("{words} {APART} {target}")),
        }
    }
}

/// Words with commas between them, without the commas that have no word.
fn join_words(sides: &[&str]) -> String {
    let words = sides.iter().flat_map(|side| side.split(',')).map(str::trim);
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(", ")
}

/// The rows of lines.
pub(crate) fn parse_rows(text: &str) -> Vec<SynonymRow> {
    // Some editors begin a file with a byte order mark.
    text.strip_prefix('\u{feff}').unwrap_or(text).lines().map(SynonymRow::parse).collect()
}

/// The rows of a form; none of a form that has lines instead.
pub(crate) fn read_rows(form: &ConsoleForm) -> Vec<SynonymRow> {
    let words = form.values_of("words").into_iter().zip(form.values_of("target"));
    let rows = form.values_of("kind").into_iter().zip(words);
    rows.map(|(kind, (words, target))| SynonymRow::from_fields(kind, words, target)).collect()
}

/// Adds or removes a row as a button asks; returns false for any other button.
pub(crate) fn edit_rows(rows: &mut Vec<SynonymRow>, button: &str) -> bool {
    if button == "add" {
        rows.push(SynonymRow::default());
        return true;
    }
    let Some(number) = button.strip_prefix("remove:") else { return false };
    if let Some(number) = number.parse::<usize>().ok().filter(|number| *number < rows.len()) {
        rows.remove(number);
    }
    true
}

/// Adds an empty row unless the last one is empty.
pub(crate) fn offer_row(rows: &mut Vec<SynonymRow>) {
    if rows.last().is_none_or(|last| last.line().is_some()) {
        rows.push(SynonymRow::default());
    }
}

/// Rows as lines, and the row of each line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct JoinedRows {
    pub text: String,
    /// Index of the row of each line.
    pub rows: Vec<usize>,
}

/// Joins rows to lines; rows without words are left out.
pub(crate) fn join_rows(rows: &[SynonymRow]) -> JoinedRows {
    let lines = rows.iter().enumerate().filter_map(|(number, row)| Some((number, row.line()?)));
    let (rows, lines): (Vec<_>, Vec<_>) = lines.unzip();
    JoinedRows { text: lines.join("\n"), rows }
}

#[cfg(test)]
mod tests {
    use axum::body::Bytes;

    use super::*;

    fn row(kind: SynonymKind, words: &str, target: &str) -> SynonymRow {
        SynonymRow { kind, words: words.to_owned(), target: target.to_owned() }
    }

    #[test]
    fn a_line_becomes_the_row_of_its_kind_and_a_line_again() {
        for (line, expected, again) in [
            ("tv, television", row(SynonymKind::Same, "tv, television", ""), "tv, television"),
            (" tv,television, ", row(SynonymKind::Same, "tv,television,", ""), "tv, television"),
            ("alone", row(SynonymKind::Same, "alone", ""), "alone"),
            (
                "sneaker=>shoe, boot",
                row(SynonymKind::OneWay, "sneaker", "shoe, boot"),
                "sneaker => shoe, boot",
            ),
            ("glass!=glasses", row(SynonymKind::Apart, "glass", "glasses"), "glass != glasses"),
            ("sneaker =>", row(SynonymKind::OneWay, "sneaker", ""), "sneaker => "),
            (
                "# of shoppers, mostly",
                row(SynonymKind::Kept, "# of shoppers, mostly", ""),
                "# of shoppers, mostly",
            ),
            ("", row(SynonymKind::Kept, "", ""), ""),
            ("a => b => c", row(SynonymKind::Kept, "a => b => c", ""), "a => b => c"),
        ] {
            let read = SynonymRow::parse(line);
            assert_eq!((read.line().as_deref(), &read), (Some(again), &expected), "{line}");
        }
    }

    #[test]
    fn rows_are_joined_without_the_empty_ones_and_each_line_knows_its_row() {
        let mut rows = parse_rows("\u{feff}# first\n\ntv, television\n");
        rows.insert(2, row(SynonymKind::Same, " , ", " "));
        offer_row(&mut rows);
        offer_row(&mut rows);
        assert_eq!(rows.len(), 5, "one empty row is offered");
        rows.push(row(SynonymKind::OneWay, "", ""));
        let joined = join_rows(&rows);
        let expected = JoinedRows { text: "# first\n\ntv, television".to_owned(), rows: vec![0, 1, 3] };
        assert_eq!(joined, expected);
        let mut none = Vec::new();
        offer_row(&mut none);
        assert_eq!(none, [SynonymRow::default()]);
    }

    #[test]
    fn the_fields_of_a_form_are_rows_in_their_order() {
        let form = |body: &'static str| read_rows(&ConsoleForm::parse(&Bytes::from_static(body.as_bytes())));
        assert_eq!(form("lines=a,+b&before=x"), []);
        let rows = form(
            "kind=same&words=tv,+television&target=&kind=one_way&words=sneaker&target=shoe&kind=kept&words=%23+x&target=",
        );
        let expected = [
            row(SynonymKind::Same, "tv, television", ""),
            row(SynonymKind::OneWay, "sneaker", "shoe"),
            row(SynonymKind::Kept, "# x", ""),
        ];
        assert_eq!(rows, expected);
        // No line break makes two lines of one, and no word behind an arrow is lost with the arrow.
        assert_eq!(form("kind=same&words=a%0d%0ab&target=c"), [row(SynonymKind::Same, "a  b, c", "")]);
    }

    #[test]
    fn a_row_that_would_become_a_comment_is_told_from_a_comment() {
        for (kind, words, target, expected) in [
            (SynonymKind::Same, "#1, one", "", true),
            (SynonymKind::Same, " , #tag", "", true),
            (SynonymKind::OneWay, "# of seats", "seats", true),
            (SynonymKind::OneWay, "seats", "#seats", false),
            (SynonymKind::Same, "no #1", "", false),
            (SynonymKind::Same, "", "", false),
            (SynonymKind::Kept, "# a comment", "", false),
        ] {
            assert_eq!(row(kind, words, target).begins_as_comment(), expected, "{words} {target}");
        }
    }

    #[test]
    fn a_button_adds_a_row_or_removes_its_own() {
        let all = || parse_rows("a, b\nc, d");
        let edited = |button: &str| {
            let mut rows = all();
            edit_rows(&mut rows, button).then_some(rows)
        };
        assert_eq!(edited("add").map(|rows| rows.len()), Some(3));
        assert_eq!(edited("remove:0"), Some(parse_rows("c, d")));
        for nothing in ["remove:2", "remove:-1", "remove:"] {
            assert_eq!(edited(nothing), Some(all()), "{nothing}");
        }
        assert_eq!([edited("set"), edited("")], [None, None]);
    }
}
