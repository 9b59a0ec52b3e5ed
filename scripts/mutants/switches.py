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
SQL_SWITCH = """
/// The text of a statement or migration, broken when its mutant is planted.
pub(crate) fn planted(name: &str, text: &'static str) -> &'static str {
    static BROKEN: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    static PLANTED: std::sync::OnceLock<Option<&(&str, &str, &str, &str)>> = std::sync::OnceLock::new();
    let chosen = || {
        let asked = std::env::var("LETHE_MUTANT").ok()?;
        SQL_MUTANTS.iter().find(|mutant| mutant.0 == asked)
    };
    match *PLANTED.get_or_init(chosen) {
        Some((_, file, code, becomes)) if *file == name && text.contains(code) => {
            BROKEN.get_or_init(|| text.replace(code, becomes))
        }
        _ => text,
    }
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
    asked = f'std::env::var_os("LETHE_MUTANT").is_some_and(|name| name == "{name}")'
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
