"""The rooms: their files, their size, and their tests."""
import subprocess
import sys
import tomllib
from functools import cache

from mutants.clone import LISTS, ROOT, build_program, list_files

# Rooms that are no folder or file of src.
OTHERS = ("verify", "sql", "pages")


@cache
def rust_files():
    """Sources that are not compiled for tests alone, as the program that makes the mutants finds them."""
    names = [name for name in list_files() if name.endswith(".rs") and name.startswith(("src/", "verify/src/"))]
    command = [build_program(), "--root", ROOT, "--list-code", *names]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit("the files of tests could not be found")
    return done.stdout.splitlines()


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
    table = tomllib.loads((LISTS / "rooms.toml").read_text())["tests"]
    for room, modules in table.items():
        for module in modules:
            path = ROOT / "tests/it" / module.removesuffix("::sqlite").replace("::", "/")
            if not path.is_dir() and not path.with_suffix(".rs").is_file():
                sys.exit(f"rooms.toml: {room}: there is no module {module} in tests/it")
    return table


def modules_of(room):
    """The modules of tests/it for a room."""
    table, top = read_table(), room.split("/")[0]
    modules = table.get(room) or table.get(top)
    if modules is None:
        sys.exit(f"rooms.toml: the room {top} has no row")
    return modules


def rank_test(test, room):
    """How close a test is to a room: 0 for its unit tests, 1 for those that rooms.toml names, 2 for others."""
    is_inside = lambda name, module: name.startswith(f"{module}::")
    if test.binary == ("lethe-verify" if room == "verify" else "lethe"):
        return 0 if room == "verify" or is_inside(test.name, room.replace("/", "::")) else 2
    is_on_other_engine = "::postgres::" in test.name
    is_named = any(is_inside(test.name, module) for module in modules_of(room))
    return 1 if test.binary == "lethe::it" and is_named and not is_on_other_engine else 2
