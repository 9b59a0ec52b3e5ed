"""Mutants by rules: drawn, built once, planted one by one."""
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

from mutants.attempts import LIMIT_SECONDS, LIMIT_TIMES, Suites, is_stopping, stop_all
from mutants.candidates import find_candidates
from mutants.clone import TARGET
from mutants.compiling import compile_tree
from mutants.draw import Draw, share_sample
from mutants.pages import Pages, suite_of
from mutants.reach import Reach, split_by_time
from mutants.results import Results, digest_of, key_of, print_survivors, print_table, read_request, read_rows
from mutants.rooms import read_rooms

LAST_RESULTS = TARGET / "mutants" / "generated" / "results.jsonl"


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
    again = find_again(candidates, request["again"])
    digest = digest_of(candidates)
    if request.setdefault("sources", digest) != digest:
        sys.exit(f"{arguments.resume}: the sources have changed since then")
    results = Results(arguments.resume or arguments.json or LAST_RESULTS, request, bool(arguments.resume))
    print(f"{len(candidates)} mutants are possible; results: {results.path}", flush=True)
    draws = make_draws(rooms, candidates, again, equal, request, results)
    try:
        build(draws, results)
        mutants = [mutant for draw in draws for mutant in draw.tried()]
        left_out = plant_all(mutants, arguments, results)
    except KeyboardInterrupt:
        print(f"stopped; scripts/mutant --resume {results.path}", flush=True)
        return 130
    print_survivors(results)
    print_table(results, "room")
    print_table(results, "operator")
    print(f"{left_out} left out for lack of time; scripts/mutant --resume {results.path}\n" if left_out else "", end="")
    return 1 if results.with_result("NOT RUN") else 0


def find_again(candidates, survivors):
    """Those mutants that survived an earlier run, as far as their code is still there."""
    if not survivors:
        return []
    wanted = {tuple(survivor) for survivor in survivors}
    found = [candidate for candidate in candidates if key_of(vars(candidate)) in wanted]
    print(f"{len({key_of(vars(candidate)) for candidate in found})} of {len(wanted)} survivors are still there", flush=True)
    return found


def interrupt(*_):
    raise KeyboardInterrupt


def request_of(arguments):
    return {
        "rooms": arguments.generate or read_request(arguments.again)["rooms"],
        "again": [key_of(row) for row in read_rows(arguments.again, "SURVIVED")] if arguments.again else [],
        # Survivors alone, unless rooms are named beside them.
        "sample": arguments.sample if arguments.generate else 0,
        "seeds": arguments.seed,
        "operators": arguments.operators,
    }


def make_draws(rooms, candidates, again, equal, request, results):
    of_room = lambda mutants, room: [mutant for mutant in mutants if mutant.room == room]
    rooms = [room for room in rooms if of_room(candidates, room)]
    sample = request["sample"]
    shares = share_sample(rooms, sample) if sample else dict.fromkeys(rooms, sample)
    dropped = {row["name"] for row in results.with_result("did not compile")}
    draws = [Draw(of_room(candidates, room), equal, shares[room], request["seeds"], of_room(again, room)) for room in rooms]
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
    """Runs mutants, each against the tests that reach it."""

    def __init__(self, mutants, budget, jobs):
        self.budget = budget
        scripts = [mutant.file for mutant in mutants if mutant.file.endswith(".js")]
        self.suites = Suites(jobs) if len(scripts) < len(mutants) else None
        self.pages = Pages([suite_of(file) for file in scripts]) if scripts else None
        self.reach = Reach(self.suites) if self.suites else None

    def plant(self, mutant):
        """Runs the tests until one is red. Returns the result, the test, and the seconds."""
        if mutant.file.endswith(".js"):
            return verdict([self.pages.run(suite_of(mutant.file), mutant)])
        tests = self.reach.tests_for(mutant, self.budget)
        if not tests:
            return "SURVIVED", "no test reaches it", 0.0
        return verdict(self.suites.run(group, mutant.name, limit_of(group)) for group in split_by_time(tests))


def limit_of(tests):
    return max(LIMIT_SECONDS, LIMIT_TIMES * sum(test.seconds for test in tests))


def verdict(outcomes):
    """The result of a mutant: red by the first run that is."""
    seconds = 0.0
    for outcome in outcomes:
        seconds += outcome.seconds
        if outcome.result == "red":
            return "red", outcome.by, seconds
        if outcome.result != "green":
            return "NOT RUN", "\n".join(outcome.output.splitlines()[-25:]), seconds
    return "SURVIVED", "", seconds


def plant_all(mutants, arguments, results):
    """Plants those that were not run yet. Returns how many are left out for lack of time."""
    waiting = [mutant for mutant in mutants if not results.is_done(mutant)]
    runner = Runner(waiting, arguments.budget, arguments.jobs)
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
