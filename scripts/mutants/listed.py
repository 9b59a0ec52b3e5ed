"""The mutants of the lists: read, checked, and chosen."""
import random
import re
import sys
from dataclasses import dataclass
from functools import cache

from mutants.clone import LISTS, ROOT, git, read_entries
from mutants.rust_tokens import functions, one_line, tokens_of

# Files beside the lists, for mutants that are generated.
NO_LISTS = ("equal.toml", "rooms.toml")


@dataclass
class Mutant:
    name: str
    file: str
    red: list
    code: str  # the code as it stands
    becomes: str = None  # what takes its place, or
    insert: str = None  # the statement that is put in front of it
    function: str = None  # the function, or functions of one name, in which the code stands once


def read_mutants():
    paths = sorted(path for path in LISTS.glob("*.toml") if path.name not in NO_LISTS)
    return [mutant for path in paths for mutant in read_entries(path, "mutant", Mutant)]


def places(mutant, text):
    """Where the code of a mutant stands in its file: begin and end of each place."""
    if not mutant.file.endswith(".rs"):
        return [(m.start(), m.end()) for m in re.finditer(re.escape(mutant.code), text)]
    tokens, wanted = tokens_of(text), [token for token, _, _ in tokens_of(mutant.code)]
    spans = list(functions(tokens, mutant.function)) if mutant.function else [(0, len(tokens))]
    starts = [at for begin, end in spans for at in range(begin, end - len(wanted) + 1)]
    is_there = lambda at: all(tokens[at + n][0] == token for n, token in enumerate(wanted))
    return [(tokens[at][1], tokens[at + len(wanted) - 1][2]) for at in starts if is_there(at)]


@cache
def text_of(file):
    return (ROOT / file).read_text()


def files_of_tests():
    """The files in which a function of that name stands, by its name."""
    files = {}
    for folder in ("src", "tests", "verify"):
        for path in (ROOT / folder).rglob("*.rs"):
            for name in re.findall(r"\bfn (\w+)\(", path.read_text()):
                files.setdefault(name, set()).add(str(path.relative_to(ROOT)))
    return files


def module_of(file):
    """The path of a file's module, as nextest writes the names of its tests."""
    folder, _, rest = file.partition("/it/" if file.startswith("tests/") else "src/")
    parts = rest.removesuffix(".rs").split("/")
    if parts[-1] in ("mod", "main", "lib"):
        parts.pop()
    return "::".join([{"tests": "it", "verify/": "verify"}.get(folder, "")] * bool(folder) + parts)


def files_of(test, files):
    """The files of a test's module that have a function of its name. `x_tests.rs` is `x_tests` or, by its path, `x::tests`."""
    named = {file: module_of(file) for file in files.get(test.split("::")[-1], ())}
    return {file for file, module in named.items() if test.startswith((f"{module}::", re.sub("_tests$", "::tests::", module)))}


def test_files(mutant, files):
    return set().union(*(files_of(test, files) for test in mutant.red))


def faults_of(mutant, files):
    for test in mutant.red:
        if not files_of(test, files):
            yield f"there is no test {test}"
    if not mutant.red:
        yield "no test has to turn red"
    if (mutant.becomes is None) == (mutant.insert is None) or mutant.code == mutant.becomes:
        yield "it has one of `becomes` and `insert`, and changes something"
    if not (ROOT / mutant.file).is_file():
        yield "there is no such file"
        return
    found = len(places(mutant, text_of(mutant.file)))
    if found != 1:
        where = f"the function {mutant.function}" if mutant.function else "the file"
        yield f"its code stands {found} times in {where}, not once: {one_line(mutant.code)}"


def check(mutants):
    faults, files, names = [], files_of_tests(), set()
    for mutant in mutants:
        if mutant.name in names:
            faults.append(f"two mutants are called {mutant.name}")
        names.add(mutant.name)
        faults += [f"{mutant.name} ({mutant.file}): {fault}" for fault in faults_of(mutant, files)]
    if faults:
        sys.exit("\n".join(faults))


def changed(mutants, since):
    """The mutants that a change touched: those of the newest change first."""
    if since:
        listed = git("log", "--format=", "--name-only", f"{since}..HEAD")
    else:
        day_before = int(git("log", "-1", "--format=%ct")[0]) - 24 * 60 * 60
        listed = git("log", "--format=", "--name-only", f"--since={day_before}")
    age = {}
    for number, file in enumerate(git("diff", "--name-only", "HEAD") + listed):
        age.setdefault(file, number)
    files, never = files_of_tests(), len(age) + len(listed)
    ages = {m.name: min(age.get(file, never) for file in {m.file} | test_files(m, files)) for m in mutants}
    return sorted((m for m in mutants if ages[m.name] < never), key=lambda m: ages[m.name])


def chosen(mutants, arguments, usage):
    if arguments.all:
        return mutants
    if arguments.changed is not None:
        return changed(mutants, arguments.changed)
    if arguments.sample:
        return random.Random(git("rev-parse", "HEAD")[0]).sample(mutants, min(arguments.sample, len(mutants)))
    unknown = set(arguments.names) - {mutant.name for mutant in mutants}
    if unknown or not arguments.names:
        sys.exit(f"there is no mutant {', '.join(sorted(unknown))}; see scripts/mutant list" if unknown else usage)
    return [mutant for mutant in mutants if mutant.name in arguments.names]
