"""Which mutants of a room are tried: drawn by a seed, in proportion to the lines of the rooms."""
import math
import random
from itertools import chain

from mutants.rooms import count_lines, files_of

# So many are tried at once for one that is wanted, as some do not compile.
SPARE = 1.3


def share_sample(rooms, sample):
    """How many mutants of each room are wanted; together they are as many as asked for."""
    lines = {room: count_lines(files_of(room)) for room in rooms}
    parts = {room: sample * lines[room] / sum(lines.values()) for room in rooms}
    shares = {room: int(part) for room, part in parts.items()}
    by_rest = sorted(rooms, key=lambda room: shares[room] - parts[room])
    for room in by_rest[: sample - sum(shares.values())]:
        shares[room] += 1
    return shares


def shuffle(candidates, seed):
    """The candidates of one room in the order in which a seed draws them."""
    order = sorted(candidates, key=lambda candidate: candidate.name)
    random.Random(f"{seed} {order[0].room if order else ''}").shuffle(order)
    return order


class Draw:
    """The mutants of one room in their drawn order. Those that do not compile are dropped, and others take their place."""

    def __init__(self, candidates, equal, wanted, seeds, again=()):
        # Each seed draws one in turn; what another has drawn is not drawn again.
        in_turn = chain.from_iterable(zip(*(shuffle(candidates, seed) for seed in seeds)))
        order = dict.fromkeys([*again, *(in_turn if wanted != 0 else ())])
        self.waiting = list(order)[::-1]
        self.equal = equal
        self.wanted = len(order) if wanted is None else wanted * len(seeds) + len(again)
        self.taken = []
        self.dropped = []
        self.found_equal = []
        # Those that are planted already, when a run goes on.
        self.planted = None

    def begin_again(self, dropped, planted):
        """Takes what an earlier run took, without those that did not compile."""
        self.dropped += [candidate for candidate in self.waiting if candidate.name in dropped]
        self.waiting = [candidate for candidate in self.waiting if candidate.name not in dropped]
        self.planted = planted

    def fill(self):
        """Takes more mutants, until there are enough to spare."""
        missing = self.wanted - len(self.taken)
        if self.planted is not None:
            again = sum(candidate.name in self.planted for candidate in self.waiting)
            self.planted = None
            for _ in range(again):
                self.take_one()
        elif missing > 0:
            for _ in range(math.ceil(missing * SPARE)):
                self.take_one()

    def take_one(self):
        while self.waiting:
            candidate = self.waiting.pop()
            if candidate.name in self.equal:
                self.found_equal.append(candidate)
            else:
                self.taken.append(candidate)
                return

    def drop(self, names):
        self.dropped += [candidate for candidate in self.taken if candidate.name in names]
        self.taken = [candidate for candidate in self.taken if candidate.name not in names]

    def tried(self):
        """Those that are tried."""
        return self.taken[: self.wanted]
