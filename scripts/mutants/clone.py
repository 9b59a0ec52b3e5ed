"""The clone: where it lies, where it is built, and its history."""
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
# The lists of mutants, and what belongs to those that are generated.
LISTS = ROOT / "tests/mutants"


def git(*words):
    done = subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True)
    return [line for line in done.stdout.splitlines() if line]


def list_files():
    """The files of the working tree, by name."""
    names = git("ls-files", "--cached", "--others", "--exclude-standard")
    return sorted({name for name in names if (ROOT / name).is_file()})
