"""The code of Rust as tokens, so that blanks, line breaks and comments do not matter."""
import re

# What has no meaning: blanks and comments. Strings, characters, lifetimes and words are whole.
TOKEN = re.compile(
    r'(?P<blank>\s+|//[^\n]*|/\*.*?\*/)|b?r(?P<hashes>#*)".*?"(?P=hashes)|b?"(?:\\.|[^"\\])*"'
    r"|b?'(?:\\[^']*'|[^'\\]')|'\w+|\w+|.",
    re.DOTALL,
)


def tokens_of(text):
    """The tokens of Rust: text, begin and end of each, but commas in front of a closing bracket."""
    found = [(m[0], m.start(), m.end()) for m in TOKEN.finditer(text) if m["blank"] is None]
    return [t for t, behind in zip(found, found[1:] + [("", 0, 0)]) if not (t[0] == "," and behind[0] in tuple(")]}"))]


def functions(tokens, name):
    """Where the functions of a name begin and end, in tokens."""
    for at, (text, _, _) in enumerate(tokens):
        if text != "fn" or tokens[at + 1][0] != name:
            continue
        depth = 0
        for end in range(at, len(tokens)):
            depth += (tokens[end][0] in tuple("([{")) - (tokens[end][0] in tuple(")]}"))
            if depth == 0 and tokens[end][0] in ("}", ";"):
                yield at, end + 1
                break


def one_line(code):
    return " ".join(line.strip() for line in code.strip().splitlines())
