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
# A run with a mutant may take so many times as long as without, and so many seconds at least.
LIMIT_TIMES = 3
LIMIT_SECONDS = 60
# How long programs that are told to end may take.
PATIENCE_SECONDS = 20
# Every process of a run has this variable, with the run's own value.
MARK = "LETHE_MUTANT_RUN"
# Files that tests change when they fail.
KEPT_FAILURES = ("tests/seeds.txt", "proptest-regressions")
PASSED = re.compile(r"^ *PASS\s+\[\s*([\d.]+)s\]\s+(?:\([^)]*\)\s+)?(\S+) (\S+)$", re.MULTILINE)
FAILED = re.compile(r"^ *(?:FAIL|TIMEOUT|ABORT|SIG\w+|LEAK-FAIL)\s+\[[^\]]*\]\s+(?:\([^)]*\)\s+)?(.+)$", re.MULTILINE)

running = set()
is_stopping = threading.Event()


@dataclass(frozen=True)
class TimedTest:
    """A test, and how long it takes."""

    binary: str
    name: str
    seconds: float


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


def runner_variable():
    """The variable that names the program by which nextest runs each test, for the machine's own target."""
    said = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    host = next(line.removeprefix("host: ") for line in said.splitlines() if line.startswith("host: "))
    return f"CARGO_TARGET_{host.upper().replace('-', '_')}_RUNNER"


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
        self.threads = ["--test-threads", str(threads)]
        self.command = ["cargo", "nextest", "run", "--color", "never", "--ignore-default-filter"]
        self.command += ["--binaries-metadata", str(binaries), "--cargo-metadata", str(packages)]

    def write_output(self, command, path):
        env = self.tree.environment()
        done = subprocess.run(command, cwd=self.tree.folder, env=env, check=True, stdout=subprocess.PIPE)
        json.loads(done.stdout)
        path.write_bytes(done.stdout)

    def built_at(self):
        """When each binary with tests was built."""
        binaries = json.loads((self.tree.target / "binaries.json").read_text())["rust-binaries"].values()
        return {binary["binary-path"]: os.stat(binary["binary-path"]).st_mtime for binary in binaries}

    def run_all(self, runner, folder):
        """Runs all tests by a runner that notes what each reaches in a folder. Returns the green ones, and the red."""
        env = self.tree.environment() | {"LETHE_REACH_FOLDER": str(folder), runner_variable(): str(runner)}
        command = [*self.command, "--no-fail-fast"]
        _, said = run_command([*command, "--test-threads", str(os.cpu_count() + 1)], None, env, self.tree.folder)
        self.restore_kept_failures()
        red = {" ".join(name.split()) for name in FAILED.findall(said)}
        green = [TimedTest(binary, name, float(seconds)) for seconds, binary, name in PASSED.findall(said)]
        return [test for test in green if f"{test.binary} {test.name}" not in red], sorted(red)

    def run(self, tests, mutant, limit):
        """Runs tests with a mutant until one fails."""
        begun = time.monotonic()
        env = self.tree.environment(mutant)
        wanted = " | ".join(f"binary_id(={test.binary}) & test(={test.name})" for test in tests)
        code, said = run_command([*self.command, *self.threads, "-E", wanted], limit, env, self.tree.folder)
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
