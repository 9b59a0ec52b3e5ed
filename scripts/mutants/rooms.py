"""The rooms: their files, their size, and their tests."""
import sys
import tomllib
from functools import cache

from mutants.clone import LISTS, ROOT, list_files

# Rooms that are no folder or file of src.
OTHERS = ("verify", "sql", "pages")


@cache
def rust_files():
    is_test = lambda name: name.endswith(("tests.rs", "testing.rs")) or "/tests/" in name or "/testing/" in name
    return [name for name in list_files() if name.endswith(".rs") and not is_test(name)]


def files_of(room):
    """The files of a room with code that runs."""
    if room == "verify":
        return [name for name in rust_files() if name.startswith("verify/src/")]
    if room == "sql":
        return [name for name in list_files() if is_statement(name)]
    if room == "pages":
        return [name for name in list_files() if name.startswith("src/") and name.endswith(".js")]
    return [name for name in rust_files() if name.startswith(f"src/{room}/") or name == f"src/{room}.rs"]


def is_statement(name):
    """Whether a file is a statement of the program; some files for PostgreSQL are read in another way."""
    folder, _, file = name.partition("/")
    kind = file.partition("/")[0]
    is_sql = folder == "sql" and name.endswith(".sql")
    return is_sql and (kind != "postgres" or (ROOT / name.replace("/postgres/", "/sqlite/")).exists())


def all_rooms():
    names = {name.split("/")[1].removesuffix(".rs") for name in rust_files() if name.startswith("src/")}
    return [room for room in [*sorted(names - {"lib", *OTHERS}), *OTHERS] if files_of(room)]


def read_rooms(asked):
    """The rooms that were asked for."""
    named = [room.removeprefix("src/").removesuffix("/").removesuffix(".rs") for room in asked]
    rooms = all_rooms() if asked == ["all"] else named
    for room in rooms:
        if not files_of(room):
            sys.exit(f"there is no room {room}: a folder or file of src, or one of all, {', '.join(OTHERS)}")
    return rooms


def count_lines(files):
    """Lines that are neither empty nor a comment, nor part of unit tests."""
    lines = 0
    for file in files:
        code = (ROOT / file).read_text().partition("#[cfg(test)]\nmod tests {")[0]
        lines += sum(1 for line in code.splitlines() if line.strip() and not line.strip().startswith(("//", "--", "/*")))
    return lines


@cache
def read_table():
    table = tomllib.loads((LISTS / "rooms.toml").read_text())
    for room, modules in table["tests"].items():
        for module in modules:
            path = ROOT / "tests/it" / module.removesuffix("::sqlite").replace("::", "/")
            if not path.is_dir() and not path.with_suffix(".rs").is_file():
                sys.exit(f"rooms.toml: {room}: there is no module {module} in tests/it")
    return table


def suites_of(room, file):
    """The filters of nextest for the tests of a room, the cheap ones first."""
    table = read_table()
    top = room.split("/")[0]
    modules = table["tests"].get(room) or table["tests"].get(top)
    if modules is None:
        sys.exit(f"rooms.toml: the room {top} has no row")
    suites = []
    if top == "verify":
        suites.append("binary_id(lethe-verify)")
    elif top != "sql":
        suites.append(f"binary_id(lethe) & test(/^{room.replace('/', '::')}::/)")
    if file.startswith("sql/postgres/"):
        engine = " & test(/postgres::/)"
    else:
        engine = "" if top in table["both_engines"] else " & not test(/postgres::/)"
    return [*suites, f"binary_id(lethe::it) & test(/^({'|'.join(modules)})::/){engine}"]
