"""Mutants of the scripts of pages: a browser gets the script with the mutant, and the tests of the pages see it or not."""
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mutants.attempts import LIMIT_SECONDS, LIMIT_TIMES, Outcome, run_command
from mutants.candidates import pages_folder
from mutants.clone import ROOT, TARGET
from mutants.compiling import broken_text

CARGO = ["cargo", "build", "--quiet", "--locked", "--profile", "ci", "-p", "lethe", "--bins"]
START_SECONDS = 120
# Begin of the path of a script, the test that loads it, and what the test is told of the demo.
TESTS = [
    ("src/api/web/storefront/", "storefront.mjs", ("url", "access", "secret")),
    ("src/api/web/try_page/", "try.mjs", ("url", "access", "secret")),
    ("src/console/", "console.mjs", ("link", "url", "access", "secret")),
]
FACTS = {
    "url": r"LETHE_URL=(\S+)",
    "access": r"LETHE_ACCESS_KEY=(\S+)",
    "secret": r"LETHE_SECRET_KEY=(\S+)",
    "link": r"(http://\S*/link/\S*)",
}


class Pages:
    """The tests of the pages, each time against a demo of its own."""

    def __init__(self, suites):
        env = os.environ | {"CARGO_TARGET_DIR": str(TARGET)}
        if subprocess.run(CARGO, cwd=ROOT, env=env).returncode != 0:
            sys.exit("NOT RUN: the program was not built")
        self.program = TARGET / "ci" / "lethe"
        self.folder = pages_folder()
        self.limits = {suite: self.show_green(suite) for suite in sorted(set(suites))}

    def show_green(self, suite):
        """Shows that a test is green without a mutant. Returns how many seconds it may take with one."""
        outcome = self.run(suite)
        if outcome.result != "green":
            sys.exit(f"{outcome.output}\nNOT RUN: this test is red without any mutant: {suite}")
        return max(LIMIT_SECONDS, LIMIT_TIMES * outcome.seconds)

    def run(self, suite, mutant=None):
        """Runs one test of the pages."""
        begun = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="lethe-mutant-") as folder:
            planted, said = Path(folder) / "planted.json", Path(folder) / "demo.txt"
            env = dict(os.environ)
            if mutant:
                text = (ROOT / mutant.file).read_text()
                planted.write_text(json.dumps({"original": text, "planted": broken_text(text, mutant)}))
                env["LETHE_PLANTED_SCRIPT"] = str(planted)
            with said.open("w") as out:
                streams = {"stdout": out, "stderr": subprocess.STDOUT, "stdin": subprocess.DEVNULL}
                demo = subprocess.Popen([self.program, "demo"], **streams)
            try:
                facts = self.wait_for_demo(demo, said)
                arguments = [facts[name] for name in next(names for _, test, names in TESTS if test == suite)]
                code, told = run_command(["node", f"{self.folder}/{suite}", *arguments], self.limits[suite] if mutant else None, env)
            finally:
                demo.terminate()
                demo.wait()
            return self.judge(code, told, time.monotonic() - begun, not mutant or planted.with_suffix(".loaded").exists())

    def wait_for_demo(self, demo, said):
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and demo.poll() is None:
            text = said.read_text()
            if "export LETHE_URL" in text:
                found = {name: re.findall(pattern, text) for name, pattern in FACTS.items()}
                return {name: values[-1] for name, values in found.items() if values}
            time.sleep(0.2)
        sys.exit(f"NOT RUN: the demo did not start:\n{said.read_text()}")

    def judge(self, code, said, seconds, is_loaded):
        if code is None:
            return Outcome("red", seconds, "timeout", said)
        failed = re.search(r"^FAILED: (.*)$", said, re.MULTILINE)
        if failed:
            return Outcome("red", seconds, failed[1], said)
        if code == 0 and not is_loaded:
            return Outcome("fault", seconds, "", "no page loaded the script")
        return Outcome("green" if code == 0 else "fault", seconds, "", said)


def suite_of(file):
    """The test of a script."""
    return next((test for begin, test, _ in TESTS if file.startswith(begin)), None)
