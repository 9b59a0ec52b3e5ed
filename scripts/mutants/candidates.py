"""Mutants by rules: all that there are in some files, and those that nobody can notice."""
import json
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field

from mutants.clone import LISTS, ROOT, build_program, read_entries
from mutants.rooms import files_of
from mutants.rust_tokens import tokens_of

EQUAL = LISTS / "equal.toml"


@dataclass(eq=False)
class Candidate:
    """A mutant that a rule makes."""

    room: str
    name: str
    file: str
    line: int
    function: str
    operator: str
    code: str
    becomes: str
    edits: list = field(repr=False)

    @property
    def place(self):
        return f"{self.file}:{self.line}"


@dataclass
class EqualMutant:
    """A mutant that has the same effect as the code."""

    file: str
    operator: str
    code: str
    why: str
    function: str = ""
    becomes: str = None

    def matches(self, candidate):
        is_same = lambda one, other: [token for token, _, _ in tokens_of(one)] == [token for token, _, _ in tokens_of(other)]
        named = (candidate.file, candidate.function, candidate.operator)
        return (
            named == (self.file, self.function, self.operator)
            and is_same(self.code, candidate.code)
            and (self.becomes is None or is_same(self.becomes, candidate.becomes))
        )


def pages_folder():
    """The folder with the tests of pages, and what they need of npm."""
    return subprocess.run([ROOT / "scripts/pages-folder"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def pages_program():
    """The command that finds the mutants of JavaScript."""
    return ["node", f"{pages_folder()}/mutants.mjs", "--root", str(ROOT)]


def list_mutants(files):
    """One object for each possible mutant of some files."""
    scripts = [file for file in files if file.endswith(".js")]
    others = [file for file in files if not file.endswith(".js")]
    lines = []
    for command, named in [(lambda: [build_program(), "--root", ROOT], others), (pages_program, scripts)]:
        if named:
            done = subprocess.run([*command(), *named], stdout=subprocess.PIPE, text=True)
            if done.returncode != 0:
                sys.exit("the mutants could not be listed")
            lines += done.stdout.splitlines()
    return [json.loads(line) for line in lines]


def find_candidates(rooms):
    """All mutants of the rooms, and those of files that equal.toml names."""
    rows = read_entries(EQUAL, "equal", EqualMutant)
    # A file in two rooms that were asked for belongs to the inner one.
    room_of = {file: room for room in sorted(rooms, key=len) for file in files_of(room)}
    missing = sorted({row.file for row in rows if not (ROOT / row.file).is_file()})
    if missing:
        sys.exit(f"{EQUAL.name}: there is no file {', '.join(missing)}")
    numbers, found = Counter(), []
    for mutant in list_mutants(sorted(set(room_of) | {row.file for row in rows})):
        base = f"{mutant['file']}:{mutant['line']}:{mutant['operator']}"
        numbers[base] += 1
        name = f"{base}:{numbers[base]}"
        found.append(Candidate(room=room_of.get(mutant["file"]), name=name, **mutant))
    equal = find_equal(rows, found)
    return [candidate for candidate in found if candidate.room], equal


def find_equal(rows, candidates):
    """The names of the mutants that nobody can notice; a row that matches none is refused."""
    by_file = {}
    for candidate in candidates:
        by_file.setdefault(candidate.file, []).append(candidate)
    names = set()
    for row in rows:
        matching = [candidate.name for candidate in by_file.get(row.file, []) if row.matches(candidate)]
        if not matching:
            sys.exit(f"{EQUAL.name}: no mutant {row.operator} in {row.file}, {row.function or 'no function'}: {row.code}")
        names |= set(matching)
    return names
