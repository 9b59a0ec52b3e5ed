"""Results of a run, written as they come, so that a stopped run can go on."""
import hashlib
import json
import sys
from collections import Counter

COLUMNS = ("red", "SURVIVED", "NOT RUN", "did not compile", "equal")
TITLES = ("red", "survived", "not run", "did not compile", "equal")


def digest_of(candidates):
    """A sum over all mutants: it differs when the sources do."""
    lines = sorted(f"{candidate.name} {candidate.code} {candidate.becomes}" for candidate in candidates)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def read_request(path):
    """What a run was asked for whose results are in a file."""
    try:
        return json.loads(path.read_text().splitlines()[0])
    except (OSError, IndexError, json.JSONDecodeError) as fault:
        sys.exit(f"{path}: these are no results: {fault}")


def read_rows(path, result):
    """The last results about each mutant of a run that are `result`."""
    rows = [json.loads(line) for line in path.read_text().split("\n")[1:-1]]
    last = {row["name"]: row for row in rows if "name" in row}
    return [row for row in last.values() if row["result"] == result]


def key_of(row):
    """What tells a mutant from others, also when lines have moved."""
    return tuple(row[name] for name in ("file", "function", "operator", "code", "becomes"))


class Results:
    """The file of a run: what was asked for, and a line for each result; of two about one mutant the later one counts."""

    def __init__(self, path, request, is_resumed):
        self.path = path
        self.rows = {}
        self.planted = None
        if is_resumed:
            self.read()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(request) + "\n")

    def read(self):
        lines = self.path.read_text().split("\n")
        for line in lines[1:-1]:
            row = json.loads(line)
            if "planted" in row:
                self.planted = set(row["planted"])
            else:
                self.rows[row["name"]] = row
        # A line that was not written to its end.
        self.path.write_text("\n".join([*lines[:-1], ""]))

    def write_line(self, row):
        with self.path.open("a") as file:
            file.write(json.dumps(row) + "\n")

    def add_planted(self, names):
        self.planted = set(names)
        self.write_line({"planted": sorted(self.planted)})

    def add(self, mutant, result, by="", seconds=0.0):
        row = {key: value for key, value in vars(mutant).items() if key != "edits"}
        row |= {"result": result, "by": by, "seconds": round(seconds, 1)}
        self.rows[mutant.name] = row
        self.write_line(row)

    def result_of(self, mutant):
        return self.rows.get(mutant.name, {}).get("result")

    def is_done(self, mutant):
        return self.result_of(mutant) in ("red", "SURVIVED")

    def with_result(self, *results):
        return [row for row in self.rows.values() if row["result"] in results]


def print_table(results, key):
    """A line for each room or operator: how many of which result, and how many of those that were run are red."""
    counts = {}
    for row in results.rows.values():
        counts.setdefault(row[key], Counter())[row["result"]] += 1
    names = sorted(counts)
    counts["together"] = sum(counts.values(), Counter())
    width = max(len(name) for name in [key, *counts])
    print(f"\n{key:{width}}  " + "  ".join(TITLES) + "  red of those run")
    for name in [*names, "together"]:
        count = counts[name]
        run = count["red"] + count["SURVIVED"]
        share = f"{100 * count['red'] / run:.0f} %" if run else ""
        columns = [f"{count[column]:>{len(title)}}" for column, title in zip(COLUMNS, TITLES)]
        print(f"{name:{width}}  " + "  ".join(columns) + f"  {share:>{len('red of those run')}}")


def print_survivors(results):
    for title, result in [("survived", "SURVIVED"), ("not run", "NOT RUN")]:
        rows = sorted(results.with_result(result), key=lambda row: (row["file"], row["line"]))
        if rows:
            print(f"\n{title}:")
        for row in rows:
            where = (f"{row['file']}:{row['line']}", row["function"], row["operator"])
            print("  " + "  ".join(part for part in where if part))
            print(f"      {row['code']}\n    → {row['becomes'] or '(nothing)'}")
            print(f"      {row['by']}\n" if row["by"] else "", end="")
