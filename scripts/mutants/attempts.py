"""A run of tests with a mutant. It has so much time and memory, and leaves neither processes nor files."""
import json
import os
import re
import resource
import signal
import subprocess
import tempfile
import threading
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

from mutants.clone import ROOT
from mutants.run_listed import NO_TESTS, TESTS_FAILED
from mutants.tree import GENERATED, PACKAGES

# What a process of a test may hold: a mutant can ask for memory without end.
MEMORY_BYTES = 8 << 30
# How long programs that are told to end may take.
PATIENCE_SECONDS = 20
# Every process of a run has this variable, with the run's own value.
MARK = "LETHE_MUTANT_RUN"
# Files that tests change when they fail.
KEPT_FAILURES = ("tests/seeds.txt", "proptest-regressions")
FAILED = re.compile(r"^ *(?:FAIL|TIMEOUT|ABORT|SIG\w+|LEAK-FAIL)\s+\[[^\]]*\]\s+(?:\([^)]*\)\s+)?(.+)$", re.MULTILINE)

running = set()
is_stopping = threading.Event()


@dataclass
class Outcome:
    """How a run ended: `green`, `red`, `no tests` or `fault`."""

    result: str
    seconds: float
    by: str = ""
    output: str = ""


def test_folder():
    """Where tests put their files: in memory, where 4 GiB are free, as scripts/test does."""
    shared = Path("/dev/shm")
    if "LETHE_TEST_FOLDER" in os.environ or not shared.is_dir():
        return os.environ.get("LETHE_TEST_FOLDER")
    free = os.statvfs(shared)
    return shared if free.f_bavail * free.f_frsize >= 4 << 30 else None


def run_command(command, limit, env, cwd=ROOT):
    """Runs a command for so many seconds at most. Returns its exit code, None when it hung, and what it said."""
    mark = str(uuid.uuid4())
    with tempfile.TemporaryDirectory(prefix="lethe-mutant-", dir=test_folder(), ignore_cleanup_errors=True) as folder:
        env = env | {MARK: mark, "LETHE_TEST_FOLDER": folder}
        process = subprocess.Popen(
            command, cwd=cwd, env=env, text=True, errors="replace", stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )
        running.add(process)
        try:
            resource.prlimit(process.pid, resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
            said, _ = process.communicate(timeout=limit)
            return process.returncode, said
        except ProcessLookupError:
            said, _ = process.communicate()
            return process.returncode, said
        except subprocess.TimeoutExpired:
            return None, end_process(process)
        finally:
            running.discard(process)
            end_marked(mark)


def end_process(process):
    """Ends a process, and returns what it said."""
    process.terminate()
    try:
        return process.communicate(timeout=PATIENCE_SECONDS)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        return process.communicate()[0]


def end_marked(mark):
    """Ends what a run has started and left behind."""
    wanted = f"{MARK}={mark}".encode()
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if wanted in path.read_bytes().split(b"\0"):
                os.kill(int(path.parent.name), signal.SIGKILL)
        except OSError:
            continue


def stop_all():
    """Ends the runs that are under way; none begins any more."""
    is_stopping.set()
    for process in list(running):
        process.terminate()


class Suites:
    """The built tests of the copy. They are run as they are, without a look at whether they are to be built again."""

    def __init__(self, jobs, tree=GENERATED):
        self.tree = tree
        threads = max(1, (os.cpu_count() + 1) // jobs)
        binaries, packages = tree.target / "binaries.json", tree.target / "packages.json"
        listed = ["cargo", "nextest", "list", "--locked", *PACKAGES, "--cargo-profile", "ci", "--list-type", "binaries-only"]
        self.write_output([*listed, "--message-format", "json"], binaries)
        self.write_output(["cargo", "metadata", "--format-version", "1", "--locked"], packages)
        self.command = ["cargo", "nextest", "run", "--color", "never", "--test-threads", str(threads)]
        self.command += ["--binaries-metadata", str(binaries), "--cargo-metadata", str(packages)]

    def write_output(self, command, path):
        env = self.tree.environment()
        done = subprocess.run(command, cwd=self.tree.folder, env=env, check=True, stdout=subprocess.PIPE)
        json.loads(done.stdout)
        path.write_bytes(done.stdout)

    def run(self, suite, mutant=None, limit=None):
        """Runs the tests of a filter until one fails."""
        begun = time.monotonic()
        env = self.tree.environment(mutant)
        code, said = run_command([*self.command, "-E", suite], limit, env, self.tree.folder)
        self.restore_kept_failures()
        seconds = time.monotonic() - begun
        if code is None:
            return Outcome("red", seconds, "timeout", said)
        failed = FAILED.search(said)
        if code == TESTS_FAILED:
            return Outcome("red", seconds, " ".join(failed[1].split()) if failed else "", said)
        return Outcome({0: "green", NO_TESTS: "no tests"}.get(code, "fault"), seconds, "", said)

    def restore_kept_failures(self):
        """Takes back what a failed test wrote for the next run: the failure was the mutant's."""
        for name in KEPT_FAILURES:
            copy, kept = self.tree.folder / name, ROOT / name
            for path in [copy] if copy.is_file() else copy.rglob("*"):
                original = kept if copy.is_file() else kept / path.relative_to(copy)
                if path.is_file() and not original.is_file():
                    path.unlink(missing_ok=True)
                elif path.is_file() and path.read_bytes() != original.read_bytes():
                    path.write_bytes(original.read_bytes())
