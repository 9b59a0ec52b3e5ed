"""Mutants by rules: drawn, built once, planted one by one."""
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

from mutants.attempts import Suites, is_stopping, stop_all
from mutants.candidates import find_candidates
from mutants.clone import TARGET
from mutants.compiling import compile_tree
from mutants.draw import Draw, share_sample
from mutants.pages import Pages, suite_of
from mutants.results import Results, digest_of, print_survivors, print_table, read_request
from mutants.rooms import read_rooms, suites_of

# A run with a mutant may take so many times as long as without, and so many seconds at least.
LIMIT_TIMES = 3
LIMIT_SECONDS = 60
LAST_RESULTS = TARGET / "mutants" / "generated" / "results.jsonl"
WHOLE = "all()"


def run(arguments):
    """Runs what was asked for, and returns the exit code."""
    for told in (signal.SIGINT, signal.SIGTERM):
        signal.signal(told, interrupt)
    if arguments.json and arguments.json.exists():
        sys.exit(f"{arguments.json} is there already; --resume goes on with it")
    request = read_request(arguments.resume) if arguments.resume else request_of(arguments)
    rooms = read_rooms(request["rooms"])
    candidates, equal = find_candidates(rooms)
    unknown = set(request["operators"]) - {candidate.operator for candidate in candidates}
    if unknown:
        sys.exit(f"no mutant is made by {', '.join(sorted(unknown))}; docs/mutants.md has all rules")
    if request["operators"]:
        candidates = [candidate for candidate in candidates if candidate.operator in request["operators"]]
    digest = digest_of(candidates)
    if request.setdefault("sources", digest) != digest:
        sys.exit(f"{arguments.resume}: the sources have changed since then")
    results = Results(arguments.resume or arguments.json or LAST_RESULTS, request, bool(arguments.resume))
    print(f"{len(candidates)} mutants are possible; results: {results.path}", flush=True)
    draws = make_draws(rooms, candidates, equal, request, results)
    try:
        build(draws, results)
        mutants = [mutant for draw in draws for mutant in draw.tried()]
        left_out = plant_all(mutants, request["whole"], arguments, results)
    except KeyboardInterrupt:
        print(f"stopped; scripts/mutant --resume {results.path}", flush=True)
        return 130
    print_survivors(results)
    print_table(results, "room")
    print_table(results, "operator")
    print(f"{left_out} left out for lack of time; scripts/mutant --resume {results.path}\n" if left_out else "", end="")
    return 1 if results.with_result("NOT RUN") else 0


def interrupt(*_):
    raise KeyboardInterrupt


def request_of(arguments):
    return {
        "rooms": arguments.generate,
        "sample": arguments.sample,
        "seed": arguments.seed,
        "operators": arguments.operators,
        "whole": arguments.whole,
    }


def make_draws(rooms, candidates, equal, request, results):
    in_room = {room: [candidate for candidate in candidates if candidate.room == room] for room in rooms}
    rooms = [room for room in rooms if in_room[room]]
    shares = share_sample(rooms, request["sample"]) if request["sample"] else {}
    draws = [Draw(in_room[room], equal, shares.get(room), request["seed"]) for room in rooms]
    dropped = {row["name"] for row in results.with_result("did not compile")}
    for draw in draws:
        draw.begin_again(dropped, results.planted)
    return draws


def build(draws, results):
    """Builds the copy with the mutants that were drawn, and says which are left out."""

    def note(mutants, result):
        for mutant in mutants:
            if results.result_of(mutant) != result:
                results.add(mutant, result)

    compile_tree(draws, lambda dropped: note(dropped, "did not compile"))
    if results.planted is None:
        results.add_planted(mutant.name for draw in draws for mutant in draw.taken)
    for draw in draws:
        note(draw.found_equal, "equal")


class Runner:
    """Runs mutants, each against the tests of its room."""

    def __init__(self, mutants, is_whole, jobs):
        self.is_whole = is_whole
        is_script = [mutant.file.endswith(".js") for mutant in mutants]
        self.pages = Pages() if any(is_script) else None
        self.suites = Suites(jobs) if not all(is_script) else None
        self.limits = {}

    def suites_of(self, mutant):
        if mutant.file.endswith(".js"):
            return [suite_of(mutant.file)]
        return suites_of(mutant.room, mutant.file) + [WHOLE] * self.is_whole

    def show_green(self, mutants):
        """Runs all that is run later without a mutant: it has to be green, and tells how long it takes."""
        for mutant in mutants:
            for suite in self.suites_of(mutant):
                if suite in self.limits:
                    continue
                outcome = (self.pages if mutant.file.endswith(".js") else self.suites).run(suite)
                if outcome.result not in ("green", "no tests"):
                    sys.exit(f"{outcome.output}\nNOT RUN: these tests are red without any mutant: {suite}")
                has_tests = outcome.result == "green"
                self.limits[suite] = max(LIMIT_SECONDS, LIMIT_TIMES * outcome.seconds) if has_tests else None
                print(f"green in {outcome.seconds:.0f} s: {suite}" if has_tests else f"no tests: {suite}", flush=True)

    def plant(self, mutant):
        """Runs the tests until one is red. Returns the result, the test, and the seconds."""
        seconds, ran = 0.0, False
        for suite in [suite for suite in self.suites_of(mutant) if self.limits[suite]]:
            if mutant.file.endswith(".js"):
                outcome = self.pages.run(suite, mutant, self.limits[suite])
            else:
                outcome = self.suites.run(suite, mutant.name, self.limits[suite])
            seconds += outcome.seconds
            ran = True
            if outcome.result == "red":
                return "red", outcome.by, seconds
            if outcome.result != "green":
                return "NOT RUN", "\n".join(outcome.output.splitlines()[-25:]), seconds
        return ("SURVIVED", "", seconds) if ran else ("NOT RUN", "its room has no tests", seconds)


def plant_all(mutants, is_whole, arguments, results):
    """Plants those that were not run yet. Returns how many are left out for lack of time."""
    waiting = [mutant for mutant in mutants if not results.is_done(mutant)]
    runner = Runner(mutants, is_whole, arguments.jobs)
    runner.show_green(waiting)
    end = time.monotonic() + arguments.within
    attempt = lambda mutant: runner.plant(mutant) if time.monotonic() < end and not is_stopping.is_set() else None
    left_out, number = 0, len(mutants) - len(waiting)
    with ThreadPoolExecutor(arguments.jobs) as at_once:
        try:
            planted = {at_once.submit(attempt, mutant): mutant for mutant in waiting}
            for future in as_completed(planted):
                if future.result() is None:
                    left_out += 1
                    continue
                number += 1
                mutant, (result, by, seconds) = planted[future], future.result()
                results.add(mutant, result, by, seconds)
                print_result(mutant, result, by, seconds, f"{number}/{len(mutants)}")
        except KeyboardInterrupt:
            stop_all()
            at_once.shutdown(cancel_futures=True)
            raise
    return left_out


def print_result(mutant, result, by, seconds, number):
    where = "  ".join(part for part in (mutant.place, mutant.function, mutant.operator) if part)
    print(f"{result:9} {number:>9}  {where}  ({by.splitlines()[0] + '; ' if by else ''}{seconds:.0f} s)", flush=True)
