"""Which tests reach which mutant, and how long each takes: known from one run of all tests without a mutant."""
import json
import sys
from collections import defaultdict
from pathlib import Path

from mutants.attempts import TimedTest
from mutants.rooms import rank_test

# The runner of tests that has each note what it reaches.
NOTE_REACH = Path(__file__).with_name("note-reach")


class Reach:
    """The tests that reach each mutant."""

    def __init__(self, suites):
        kept = suites.tree.target / "reach.json"
        built = suites.built_at()
        if not kept.exists() or json.loads(kept.read_text())["built"] != built:
            kept.write_text(json.dumps({"built": built} | find_reached(suites)))
        known = json.loads(kept.read_text())
        print(f"{len(known['tests'])} tests are green without a mutant", flush=True)
        for test in known["red"]:
            print(f"red without any mutant, and not used: {test}", flush=True)
        self.tests = defaultdict(list)
        for row in known["tests"]:
            test = TimedTest(row["binary"], row["name"], row["seconds"])
            for mutant in row["reached"]:
                self.tests[mutant].append(test)

    def tests_for(self, mutant, budget):
        """The tests that reach a mutant: those of its room first, of these the short ones; together so many seconds."""
        rank = lambda test: (rank_test(test, mutant.room), test.seconds, test.name)
        chosen, seconds = [], 0.0
        for test in sorted(self.tests[mutant.name], key=rank):
            if chosen and seconds + test.seconds > budget:
                break
            chosen.append(test)
            seconds += test.seconds
        return chosen


def find_reached(suites):
    """Runs all tests. Returns the names of the red ones, and of each green one what it reaches."""
    folder = suites.tree.target / "reached"
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    print("all tests run without a mutant, to see what each reaches", flush=True)
    green, red = suites.run_all(NOTE_REACH, folder)
    if not green:
        sys.exit("NOT RUN: no test ran")
    rows = []
    for test in green:
        noted = folder / f"{test.binary} {test.name}"
        reached = sorted(set(noted.read_text().splitlines())) if noted.exists() else []
        rows.append({"binary": test.binary, "name": test.name, "seconds": test.seconds, "reached": reached})
    return {"red": red, "tests": rows}


def split_by_time(tests, first_seconds=4, times=4):
    """Tests in groups, each longer than the one before: most mutants are seen by the first."""
    group, seconds, limit = [], 0.0, first_seconds
    for test in tests:
        group.append(test)
        seconds += test.seconds
        if seconds > limit:
            yield group
            group, seconds, limit = [], 0.0, limit * times
    if group:
        yield group
