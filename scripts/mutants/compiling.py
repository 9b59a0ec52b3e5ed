"""The copy with the generated mutants: written and built again, until each mutant in it compiles."""
import json
import subprocess
import sys
from dataclasses import dataclass

from mutants.clone import ROOT
from mutants.switches import PLANTED_MODULE, SQL_TEXTS, Edit, SqlMutant, hook_sql, sql_table, with_switches
from mutants.tree import GENERATED, LIBRARIES, PACKAGES

# The build that nextest does too. `cargo check` would have to look at each dependency once more.
BUILD = ["cargo", "test", "--no-run", "--locked", *PACKAGES, "--profile", "ci", "--message-format", "json"]


@dataclass
class PlacedPiece:
    """The own text of an edit in the written file, in bytes."""

    begin: int
    end: int
    line: int
    edit: Edit


def place_pieces(pieces):
    """Where the own texts of the edits stand in the written file."""
    placed, at, line = [], 0, 1
    for text, edit in pieces:
        length = len(text.encode())
        if edit:
            placed.append(PlacedPiece(at, at + length, line, edit))
        at += length
        line += text.count("\n")
    return placed


def edits_in(text, mutants):
    """The edits of mutants of one file of Rust. Their places are told in bytes."""
    content = text.encode()
    at = (lambda byte: byte) if text.isascii() else (lambda byte: len(content[:byte].decode()))
    return [
        Edit(at(edit["begin"]), at(edit["end"]), edit["before"], edit["after"], mutant.name)
        for mutant in mutants
        for edit in mutant.edits
    ]


def broken_text(text, mutant):
    """A text of SQL or JavaScript with a mutant planted."""
    content = text.encode()
    for edit in sorted(mutant.edits, key=lambda edit: -edit["begin"]):
        piece = content[edit["begin"] : edit["end"]].decode()
        with_ = edit["with"] if "with" in edit else edit["before"] + piece + edit["after"]
        content = content[: edit["begin"]] + with_.encode() + content[edit["end"] :]
    return content.decode()


def write_tree(mutants, tree=GENERATED):
    """Writes the copy with these mutants. Returns where the texts of the switches stand, by file."""
    in_file, placed = {}, {}
    for mutant in mutants:
        in_file.setdefault(mutant.file, []).append(mutant)
    text_of = lambda mutant: (ROOT / mutant.file).read_text()
    of_sql = [
        SqlMutant(mutant.name, mutant.file, text_of(mutant), broken_text(text_of(mutant), mutant))
        for mutant in mutants
        if mutant.file.endswith(".sql")
    ]
    hooked = {file for file, _, _ in SQL_TEXTS}

    def content_of(name, content):
        if not name.endswith(".rs") or not (name in in_file or name in hooked or name in LIBRARIES):
            return content
        text = content.decode()
        pieces = with_switches(text, edits_in(text, in_file.get(name, [])))
        pieces = [(piece if edit else hook_sql(name, piece), edit) for piece, edit in pieces]
        if name in LIBRARIES:
            pieces = [("#![allow(warnings)] ", None), *pieces, (PLANTED_MODULE, None)]
        placed[name] = place_pieces(pieces)
        return ("".join(piece for piece, _ in pieces) + sql_table(name, of_sql)).encode()

    tree.write(content_of)
    return placed


def build(tree=GENERATED):
    """Builds the copy, and returns the errors of the compiler."""
    done = subprocess.run(BUILD, cwd=tree.folder, env=tree.environment(), stdout=subprocess.PIPE, text=True)
    if done.returncode == 0:
        return []
    messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    compiler = [message["message"] for message in messages if message["reason"] == "compiler-message"]
    errors = [message for message in compiler if message["level"] == "error"]
    if not errors:
        sys.exit("NOT RUN: the copy was not built")
    return errors


def spans_of(message):
    """The places that a message names, and those of the macros that they come from, the primary ones first."""
    spans = []
    for span in message["spans"]:
        while span:
            spans.append(span)
            span = span["expansion"]["span"] if span.get("expansion") else None
    return sorted(spans, key=lambda span: not span["is_primary"])


def guilty_in(span, pieces):
    """The mutants whose text a place touches, or else those of the innermost edit around it."""
    begin, end = span["byte_start"], max(span["byte_end"], span["byte_start"] + 1)
    touched = {piece.edit.name for piece in pieces if piece.begin < end and begin < piece.end}
    if touched:
        return touched
    whole = {}
    for piece in pieces:
        first, last = whole.get(piece.edit, (piece.begin, piece.end))
        whole[piece.edit] = (min(first, piece.begin), max(last, piece.end))
    around = [(last - first, edit.name) for edit, (first, last) in whole.items() if first <= begin and end <= last]
    return {min(around)[1]} if around else set()


def guilty_on_lines(span, pieces):
    """The mutants with a text on the lines of a place."""
    return {piece.edit.name for piece in pieces if span["line_start"] <= piece.line <= span["line_end"]}


def find_guilty(errors, placed, by_line):
    """The mutants to drop for some errors; `by_line` for errors that stayed after a mutant was dropped for them."""
    guilty = set()
    for error in errors:
        messages = [error, *error["children"]]
        spans = [span for message in messages for span in spans_of(message) if span["file_name"] in placed]
        found = set()
        if key_of(error) in by_line:
            found = set().union(*(guilty_on_lines(span, placed[span["file_name"]]) for span in spans))
        for look in (guilty_in, guilty_on_lines):
            for span in spans:
                found = found or look(span, placed[span["file_name"]])
        guilty |= found
    return guilty


def key_of(error):
    places = [(span["file_name"], span["line_start"]) for span in error["spans"] if span["is_primary"]]
    return error["message"], tuple(places)


def compile_tree(draws, on_dropped):
    """Writes and builds the copy, without mutants that do not compile, until there are enough that do."""
    by_line, rounds = set(), 0
    while True:
        for draw in draws:
            draw.fill()
        mutants = [mutant for draw in draws for mutant in draw.taken if not mutant.file.endswith(".js")]
        if not mutants:
            return
        placed = write_tree(mutants)
        rounds += 1
        print(f"build {rounds}: {len(mutants)} mutants", flush=True)
        errors = build()
        if not errors:
            return
        guilty = find_guilty(errors, placed, by_line)
        if not guilty:
            sys.exit("\n".join(error["rendered"] for error in errors) + "\nNOT RUN: no mutant explains these errors")
        by_line = {key_of(error) for error in errors}
        for draw in draws:
            draw.drop(guilty)
        on_dropped([mutant for draw in draws for mutant in draw.dropped if mutant.name in guilty])
