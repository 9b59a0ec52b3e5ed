"""Copies of the sources in which mutants are switches, each with a target folder of its own."""
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from mutants.clone import ROOT, TARGET, list_files
from mutants.switches import PLANTED_MODULE, SQL_TEXTS, edit_of, with_sql_switches, with_switches

# What begins so belongs to the packages of this repository; all else is a dependency.
OWN = ("lethe", "liblethe", "it-", "throughput-", "fuzz-", "fuzz_")
# The packages with tests: fuzz/run builds the fuzz targets.
PACKAGES = ["--workspace", "--exclude", "lethe-fuzz"]
NEXTEST = ["cargo", "nextest", "run", "--locked", *PACKAGES, "--cargo-profile", "ci", "--color", "never"]
LIBRARIES = ("src/lib.rs", "verify/src/lib.rs")


@dataclass
class Tree:
    """A copy of the sources. It has a target of its own: cargo takes two copies of one package for the same, and what it
    has built of the one for fresh in the other."""

    folder: Path
    target: Path
    # Targets whose dependencies it takes.
    built: tuple

    def write(self, content_of):
        """Makes the folder the working tree, each file as `content_of` has it; files that do not change keep their times."""
        names = list_files()
        known = set(names)
        for old in [path for path in self.folder.rglob("*") if path.is_file()]:
            if str(old.relative_to(self.folder)) not in known:
                old.unlink()
        for name in names:
            content = content_of(name, (ROOT / name).read_bytes())
            copy = self.folder / name
            if not copy.exists() or copy.read_bytes() != content:
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(content)
                copy.chmod((ROOT / name).stat().st_mode)
        self.link_dependencies()
        # Beside it lies `shared`, as beside the clone.
        shared, beside = self.folder.parent / "shared", ROOT.parent / "shared"
        if beside.exists() and not shared.exists():
            shared.symlink_to(beside.resolve())

    def link_dependencies(self):
        """Puts dependencies that were built elsewhere into the copy's target, as links to the same files."""
        parts = [(built, built / "ci" / part) for built in self.built for part in ("build", "deps", ".fingerprint")]
        for built, entry in [(built, entry) for built, part in parts for entry in part.glob("*")]:
            if entry.name.startswith(OWN):
                continue
            for file in [entry] if entry.is_file() else [path for path in entry.rglob("*") if path.is_file()]:
                link = self.target / file.relative_to(built)
                if not link.exists():
                    link.parent.mkdir(parents=True, exist_ok=True)
                    os.link(file, link)

    def environment(self, mutant=None):
        env = os.environ | {"LETHE_TEST_STRICT": "1", "CARGO_TARGET_DIR": str(self.target), "LETHE_TEST_SOURCES": str(ROOT)}
        return env | ({"LETHE_MUTANT": mutant} if mutant else {})

    def nextest(self, more, mutant=None):
        said = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        return subprocess.run([*NEXTEST, *more], cwd=self.folder, env=self.environment(mutant), **said)


LISTED = Tree(TARGET / "mutants" / "lethe", TARGET / "mutants" / "target", (TARGET,))
GENERATED = Tree(
    TARGET / "mutants" / "generated" / "lethe", TARGET / "mutants" / "generated" / "target", (TARGET, LISTED.target)
)


def make_listed_tree(mutants):
    """Makes the working tree with every mutant of the lists as a switch."""
    in_file = {}
    for mutant in mutants:
        in_file.setdefault(mutant.file, []).append(mutant)
    of_sql = [mutant for mutant in mutants if mutant.file.endswith(".sql")]
    hooked = {file for file, _, _ in SQL_TEXTS}

    def content_of(name, content):
        if name.endswith(".rs") and (name in in_file or name in hooked):
            text = content.decode()
            pieces = with_switches(text, [edit_of(mutant, text) for mutant in in_file.get(name, [])])
            content = with_sql_switches(name, "".join(piece for piece, _ in pieces), of_sql).encode()
        return f"#![allow(unused_parens)] {content.decode()}{PLANTED_MODULE}".encode() if name in LIBRARIES else content

    LISTED.write(content_of)
