"""Mutants as switches: the text of a file in which the variable LETHE_MUTANT chooses one while the program runs."""
import re
from dataclasses import dataclass
from pathlib import Path

from mutants.listed import places
from mutants.rust_tokens import one_line

# The expression of a switch takes the place of this word.
PLANTED = re.compile(r"\bPLANTED\b")
# Where the program takes texts of SQL from: file, expression, and the name of the text.
SQL_TEXTS = [
    ("src/store/statement.rs", "self.sqlite", "self.name"),
    ("src/store/statement.rs", "self.postgres", "self.name"),
    ("src/store/schema.rs", "files.postgres", '&format!("{}_postgres", files.stem)'),
]
# What the switches call, at the end of each library. `turn` lets an iterator run from its other end; its type is the same
# with and without the mutant.
PLANTED_MODULE = """
#[allow(dead_code, missing_docs)]
pub(crate) mod planted {
    /// Whether a mutant is the one that `LETHE_MUTANT` names. With `@FILE` none is: it writes there which are reached.
    pub(crate) fn is_chosen(name: &str) -> bool {
        use std::io::Write;
        let asked = std::env::var("LETHE_MUTANT").unwrap_or_default();
        let Some(file) = asked.strip_prefix('@') else { return asked == name };
        let reached = std::fs::OpenOptions::new().append(true).create(true).open(file);
        reached.and_then(|mut reached| reached.write_all(format!("{name}\\n").as_bytes())).ok();
        false
    }
    #[derive(Clone)]
    pub(crate) struct Turned<I> { inner: I, is_planted: bool }
    pub(crate) fn turn<I: DoubleEndedIterator>(inner: I, is_planted: bool) -> Turned<I> { Turned { inner, is_planted } }
    impl<I: DoubleEndedIterator> Iterator for Turned<I> {
        type Item = I::Item;
        fn next(&mut self) -> Option<I::Item> { if self.is_planted { self.inner.next_back() } else { self.inner.next() } }
        fn size_hint(&self) -> (usize, Option<usize>) { self.inner.size_hint() }
    }
    impl<I: DoubleEndedIterator> DoubleEndedIterator for Turned<I> {
        fn next_back(&mut self) -> Option<I::Item> {
            if self.is_planted { self.inner.next() } else { self.inner.next_back() }
        }
    }
    impl<I: DoubleEndedIterator + ExactSizeIterator> ExactSizeIterator for Turned<I> {}
    impl<I: DoubleEndedIterator + std::iter::FusedIterator> std::iter::FusedIterator for Turned<I> {}
}
"""
SQL_SWITCH = """
/// The text of a statement or migration, broken when its mutant is planted.
pub(crate) fn planted(name: &str, text: &'static str) -> &'static str {
    use std::sync::LazyLock;
    /// Those that were reached, by name: whether each is planted, and its text.
    static REACHED: LazyLock<std::sync::Mutex<std::collections::HashMap<&str, (bool, &str)>>> = LazyLock::new(Default::default);
    for (mutant, _, code, becomes) in SQL_MUTANTS.iter().filter(|mutant| mutant.1 == name && text.contains(mutant.2)) {
        let mut reached = REACHED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (is_planted, broken) = *reached.entry(mutant).or_insert_with(|| {
            let is_planted = crate::planted::is_chosen(mutant);
            (is_planted, if is_planted { &*text.replace(code, becomes).leak() } else { text })
        });
        if is_planted {
            return broken;
        }
    }
    text
}
"""


@dataclass(eq=False)
class Edit:
    """A change of a file of Rust: a text in front of a piece and one after it."""

    begin: int
    end: int
    before: str
    after: str
    name: str  # of the mutant


@dataclass
class SqlMutant:
    name: str
    file: str
    code: str
    becomes: str


def is_planted(name):
    """The expression of Rust that is true when the mutant is planted."""
    asked = f'crate::planted::is_chosen("{name}")'
    return f"{{ static P: std::sync::LazyLock<bool> = std::sync::LazyLock::new(|| {asked}); *P }}"


def edit_of(mutant, text):
    """The edit that makes a switch of a mutant of the lists; the file has as many lines as before."""
    begin, end = places(mutant, text)[0]
    if mutant.insert is not None:
        before, after = f"if PLANTED {{ {one_line(mutant.insert)}; }} ", ""
    elif mutant.code.rstrip().endswith(";"):
        before, after = f"if PLANTED {{ {one_line(mutant.becomes)}; }} else {{ ", " }"
    elif is_statement(text, begin, end):
        before, after = f"if PLANTED {{ {one_line(mutant.becomes)} }} else {{ ", " }"
    else:
        before, after = f"(if PLANTED {{ {one_line(mutant.becomes)} }} else {{ ", " })"
    return Edit(begin, end, before, after, mutant.name)


def is_statement(text, begin, end):
    """Whether a block stands between statements, as `if` and `match` do, and is no part of an expression."""
    before = re.sub(r"(\s|//[^\n]*\n)+$", "", text[:begin])
    behind = re.sub(r"^(\s|//[^\n]*\n)+", "", text[end:])
    return text[end - 1] == "}" and before.endswith(tuple(";{}")) and not behind.startswith(tuple(".?&|+-*/=<>"))


def with_switches(text, edits):
    """The pieces of a file of Rust with its edits, each with the edit that it belongs to. Edits may stand inside others."""
    planted = lambda code, edit: PLANTED.sub(lambda _: is_planted(edit.name), code)

    def render(begin, end, inside):
        at = begin
        while inside:
            edit = inside[0]
            within = [other for other in inside[1:] if other.end <= edit.end]
            inside = [other for other in inside[1:] if other.begin >= edit.end]
            yield text[at : edit.begin], None
            yield planted(edit.before, edit), edit
            yield from render(edit.begin, edit.end, within)
            yield planted(edit.after, edit), edit
            at = edit.end
        yield text[at:end], None

    return list(render(0, len(text), sorted(edits, key=lambda edit: (edit.begin, -edit.end))))


def with_sql_switches(file, text, mutants):
    return hook_sql(file, text) + sql_table(file, mutants)


def hook_sql(file, text):
    """The code of a file, where it takes texts of SQL, takes them from the switch."""
    for hooked, expression, name in SQL_TEXTS:
        if hooked == file:
            text = text.replace(expression, f"crate::store::statement::planted({name}, {expression})")
    return text


def sql_table(file, mutants):
    """The switch of all texts of SQL, which stands at the end of one file."""
    if file != "src/store/statement.rs":
        return ""
    quoted = lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    rows = [f"({quoted(m.name)}, {quoted(Path(m.file).stem)}, {quoted(m.code)}, {quoted(m.becomes)})," for m in mutants]
    return SQL_SWITCH + f"static SQL_MUTANTS: [(&str, &str, &str, &str); {len(rows)}] = [{' '.join(rows)}];\n"
