//! Mutants of statements: a condition that always holds, a comparison, an order, a limit. A placeholder stays where it
//! is, as a statement without one of its arguments fails at once.

#[cfg(test)]
mod tests;
mod tokens;

use std::ops::Range;

use tokens::{Token, read_tokens};

use crate::mutant::{Change, Edit, Mutant};

const CONDITION: &str = "drop-condition";
const COMPARISON: &str = "move-comparison";
const NULL: &str = "negate-null";
const ORDER: &str = "reverse-order";
const LIMIT: &str = "move-limit";

/// Words that end a condition, an item of an order, or an assignment.
const CLAUSES: [&str; 26] = [
    "AND",
    "CROSS",
    "DO",
    "ELSE",
    "END",
    "EXCEPT",
    "FOR",
    "FROM",
    "GROUP",
    "HAVING",
    "INNER",
    "INTERSECT",
    "JOIN",
    "LEFT",
    "LIMIT",
    "OFFSET",
    "ON",
    "OR",
    "ORDER",
    "RETURNING",
    "SET",
    "THEN",
    "UNION",
    "WHEN",
    "WHERE",
    "WINDOW",
];
const OPPOSITES: [(&str, &str); 7] =
    [("=", "<>"), ("<>", "="), ("!=", "="), ("<", "<="), ("<=", "<"), (">", ">="), (">=", ">")];

/// Mutants of a file with one statement.
#[must_use]
pub fn find_mutants(file: &str, text: &str) -> Vec<Mutant> {
    let mut finder = Finder { file, text, tokens: read_tokens(text), mutants: Vec::new() };
    finder.drop_conditions();
    finder.change_comparisons();
    finder.reverse_orders();
    finder.move_limits();
    finder.mutants
}

struct Finder<'a> {
    file: &'a str,
    text: &'a str,
    tokens: Vec<Token<'a>>,
    mutants: Vec<Mutant>,
}

impl Finder<'_> {
    /// Adds the mutant that changes `place`; it is shown with the code around it.
    fn add(&mut self, operator: &'static str, shown: Range<usize>, place: Range<usize>, change: Change) {
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let piece = &self.text[place.clone()];
        let changed = match &change {
            Change::Around { before, after } => format!("{before}{piece}{after}"),
            Change::Instead { with } => with.clone(),
        };
        let text =
            [&self.text[shown.start..place.start], &changed, &self.text[place.end..shown.end]].concat();
        self.mutants.push(Mutant {
            file: self.file.to_owned(),
            line: self.text[..place.start].matches('\n').count() + 1,
            function: String::new(),
            operator,
            code: one_line(&self.text[shown]),
            becomes: one_line(&text),
            edits: vec![Edit { begin: place.start, end: place.end, change }],
        });
    }

    /// Number of the token that ends what stands after `begin` within the same brackets.
    fn find_end(&self, begin: usize, words: &[&str]) -> usize {
        let depth = self.tokens.get(begin).map_or(0, |token| token.depth);
        let ends = |token: &Token| {
            token.depth < depth || token.depth == depth && token.is_one_of(words) || token.is(";")
        };
        let found = self.tokens[begin..].iter().position(ends);
        found.map_or(self.tokens.len(), |found| begin + found)
    }

    /// Makes each part of a conjunction true.
    fn drop_conditions(&mut self) {
        let mut parts: Vec<Range<usize>> = Vec::new();
        for number in (0..self.tokens.len()).filter(|number| self.tokens[*number].is("AND")) {
            let depth = self.tokens[number].depth;
            let bounds =
                |token: &Token| token.depth < depth || token.depth == depth && token.is_one_of(&CLAUSES);
            let before = self.tokens[..number].iter().rposition(bounds);
            parts.push(before.map_or(0, |before| before + 1)..number);
            parts.push(number + 1..self.find_end(number + 1, &CLAUSES));
        }
        parts.retain(|part| !part.is_empty());
        parts.sort_by_key(|part| (part.start, part.end));
        parts.dedup();
        for part in parts {
            let bytes = self.tokens[part.start].begin..self.tokens[part.end - 1].end();
            self.add(CONDITION, bytes.clone(), bytes, Change::around("(", " OR 1 = 1)"));
        }
    }

    fn change_comparisons(&mut self) {
        let assignments = self.assignments();
        for number in 1..self.tokens.len().saturating_sub(1) {
            let bytes = self.tokens[number].bytes();
            let shown = self.tokens[number - 1].begin..self.tokens[number + 1].end();
            let opposite = OPPOSITES.iter().find(|(sign, _)| self.tokens[number].is(sign));
            if let Some((_, with)) = opposite
                && !assignments.contains(&number)
            {
                self.add(COMPARISON, shown, bytes, Change::instead(with));
            } else if self.tokens[number].is("IS") {
                self.negate_null(number);
            }
        }
    }

    /// Numbers of the signs `=` that give a column its value.
    fn assignments(&self) -> Vec<usize> {
        let mut found = Vec::new();
        for set in (0..self.tokens.len()).filter(|number| self.tokens[*number].is("SET")) {
            let depth = self.tokens[set].depth;
            let end = self.find_end(set + 1, &["FROM", "RETURNING", "WHERE"]);
            let mut is_next = true;
            for number in (set + 1..end).filter(|number| self.tokens[*number].depth == depth) {
                if self.tokens[number].is("=") && is_next {
                    found.push(number);
                    is_next = false;
                }
                is_next |= self.tokens[number].is(",");
            }
        }
        found
    }

    fn negate_null(&mut self, number: usize) {
        let [is, after, ..] = &self.tokens[number..] else { return };
        let last = if after.is("NOT") { self.tokens.get(number + 2) } else { Some(after) };
        let Some(last) = last.filter(|last| last.is("NULL")) else { return };
        let with = if after.is("NOT") { "IS NULL" } else { "IS NOT NULL" };
        let place = is.begin..last.end();
        let shown = self.tokens[number - 1].begin..last.end();
        self.add(NULL, shown, place, Change::instead(with));
    }

    fn reverse_orders(&mut self) {
        let orders =
            self.tokens.windows(2).enumerate().filter(|(_, two)| two[0].is("ORDER") && two[1].is("BY"));
        let orders: Vec<usize> = orders.map(|(number, _)| number + 2).collect();
        for begin in orders {
            let end = self.find_end(begin, &[CLAUSES.as_slice(), &["ROWS", "RANGE"]].concat());
            let depth = self.tokens.get(begin).map_or(0, |token| token.depth);
            let is_comma =
                |number: &usize| self.tokens[*number].is(",") && self.tokens[*number].depth == depth;
            let mut first = begin;
            let commas: Vec<usize> = (begin..end).filter(is_comma).chain([end]).collect();
            for comma in commas {
                if first < comma {
                    self.reverse_item(first..comma);
                }
                first = comma + 1;
            }
        }
    }

    fn reverse_item(&mut self, item: Range<usize>) {
        let shown = self.tokens[item.start].begin..self.tokens[item.end - 1].end();
        let direction = item.clone().find(|number| self.tokens[*number].is_one_of(&["ASC", "DESC"]));
        if let Some(direction) = direction {
            let with = if self.tokens[direction].is("ASC") { "DESC" } else { "ASC" };
            self.add(ORDER, shown, self.tokens[direction].bytes(), Change::instead(with));
            return;
        }
        let nulls = item.clone().skip(1).find(|number| self.tokens[*number].is("NULLS"));
        let last = nulls.unwrap_or(item.end) - 1;
        let place = shown.start..self.tokens[last].end();
        self.add(ORDER, shown, place, Change::around("", " DESC"));
    }

    /// One row less, and one more.
    fn move_limits(&mut self) {
        let limits: Vec<usize> =
            (1..self.tokens.len()).filter(|after| self.tokens[after - 1].is("LIMIT")).collect();
        for number in limits {
            let token = &self.tokens[number];
            let others = match token.text.parse::<u64>() {
                Ok(value) => [value.saturating_sub(1), value + 1].map(|value| value.to_string()),
                // PostgreSQL would take the placeholder in a sum for a smaller number.
                Err(_) if token.text.starts_with('$') => {
                    ["- 1", "+ 1"].map(|change| format!("CAST({} AS BIGINT) {change}", token.text))
                }
                Err(_) => continue,
            };
            let place = token.bytes();
            let shown = self.tokens[number - 1].begin..place.end;
            for with in others {
                self.add(LIMIT, shown.clone(), place.clone(), Change::instead(&with));
            }
        }
    }
}
