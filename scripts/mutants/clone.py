"""The clone: where it lies, where it is built, and its history."""
import os
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
# The lists of mutants, and what belongs to those that are generated.
LISTS = ROOT / "tests/mutants"
# Builds the program that finds mutants.
CARGO = ["cargo", "build", "--quiet", "--locked", "--profile", "ci", "-p", "lethe-mutants"]


def git(*words):
    done = subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True)
    return [line for line in done.stdout.splitlines() if line]


def list_files():
    """The files of the working tree, by name."""
    names = git("ls-files", "--cached", "--others", "--exclude-standard")
    return sorted({name for name in names if (ROOT / name).is_file()})


def read_entries(path, key, kind):
    """The entries of a list in `tests/mutants`, each as an object of `kind`; what else is there stops the program."""
    table, entries = tomllib.loads(path.read_text()), []
    if set(table) - {key}:
        sys.exit(f"{path.name}: unknown {', '.join(sorted(set(table) - {key}))}; the entries are [[{key}]]")
    for entry in table.get(key, []):
        try:
            entries.append(kind(**entry))
        except TypeError as fault:
            sys.exit(f"{path.name}: {entry.get('name') or entry.get('file') or 'an entry without a name'}: {fault}")
    return entries


@cache
def build_program():
    """Builds lethe-mutants, and returns its path."""
    done = subprocess.run(CARGO, cwd=ROOT, env=os.environ | {"CARGO_TARGET_DIR": str(TARGET)})
    if done.returncode != 0:
        sys.exit("lethe-mutants was not built")
    return TARGET / "ci" / "lethe-mutants"
