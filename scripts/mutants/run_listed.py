"""Plants mutants of the lists one by one: the tests that each names have to turn red."""
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from mutants.tree import LISTED

# Exit codes of nextest: https://docs.rs/nextest-metadata, NextestExitCode.
NO_TESTS = 4
TESTS_FAILED = 100


def filter_of(test):
    if test.startswith("it::"):
        return f"binary_id(lethe::it) & test(={test[4:]})"
    if test.startswith("verify::"):
        return f"binary_id(lethe-verify) & test(={test[8:]})"
    return f"binary_id(lethe) & test(={test})"


def verdict(mutant, results):
    for result in results:
        output = "\n".join(result.stdout.splitlines()[-25:])
        if result.returncode == 0:
            return mutant, "SURVIVED", output
        if result.returncode == NO_TESTS:
            return mutant, "NOT RUN", "there is no such test"
        if result.returncode != TESTS_FAILED:
            return mutant, "NOT RUN", output
    return mutant, "red", ""


def plant(mutant):
    return verdict(mutant, [LISTED.nextest(["-E", filter_of(test)], mutant.name) for test in mutant.red])


def show_green(mutants):
    """Shows that the tests are green without a mutant."""
    tests = sorted({test for mutant in mutants for test in mutant.red})
    green = LISTED.nextest(["--no-fail-fast", "-E", " | ".join(f"({filter_of(test)})" for test in tests)])
    if green.returncode != 0:
        sys.exit(green.stdout + "\nNOT RUN: these tests are red, or missing, without any mutant")


def run(mutants, jobs, within, tested):
    built = LISTED.nextest(["--no-run"])
    if built.returncode != 0:
        sys.exit(built.stdout)
    if not tested:
        show_green(mutants)
    end, counts = time.monotonic() + within, {"red": 0, "SURVIVED": 0, "NOT RUN": 0, "left out": 0}
    not_red = []
    attempt = lambda mutant: plant(mutant) if time.monotonic() < end else (mutant, "left out", "")
    with ThreadPoolExecutor(jobs) as at_once:
        for mutant, result, output in at_once.map(attempt, mutants):
            counts[result] += 1
            not_red += [f"{result} {mutant.name}"] if result in ("SURVIVED", "NOT RUN") else []
            if result != "left out":
                print(f"{result:9} {mutant.name}  ({mutant.file}; {', '.join(mutant.red)})", flush=True)
                print(output, end="\n" if output else "", flush=True)
    print(f"mutants: {counts['red']} red, {counts['SURVIVED']} survived, {counts['NOT RUN']} not run", end="")
    print(f", {counts['left out']} left out for lack of time" if counts["left out"] else "")
    # Again at the end: of a long log people see the last lines.
    print("\n".join(not_red), end="\n" if not_red else "")
    sys.exit(1 if not_red else 0)
