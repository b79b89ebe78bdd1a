"""Task placement, before and after, as tables: which host hands how much to which, and every task with what it is. Pure."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from holdfast.web.parts.ownership import COLLATERAL, LEAVES, STAYS, Picture

MOST_HOSTS = 16
OTHERS = "others"
PAGE_SIZE = 100
WHY = {STAYS: "stays", LEAVES: "moves: its {} leaves", COLLATERAL: "collateral: its {} stays"}
SORTS = ("task", "subtopology", "now", "then", "why")
_NUMBERS = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class Matrix:
    """`rows`: a host with what it hands to each of `columns`, in their order; only those that hand over or are handed anything."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One task (or partition). `about`: what it does, where known. `why`: whether it moves, in words."""

    thing: str
    about: str
    before: str
    after: str
    how: str
    why: str


@dataclass(frozen=True, slots=True)
class Page:
    """Rows that match, one page of them. `found`: how many match, of `total`."""

    rows: tuple[Row, ...]
    found: int
    total: int
    page: int
    pages: int


def matrix(picture: Picture) -> Matrix | None:
    """From whom to whom things move; of many hosts those that move most. None: nothing moves."""
    moves = Counter((one.before or "none", one.after or "none") for one in picture.things if one.how != STAYS)
    if not moves:
        return None
    sizes: Counter[str] = Counter()
    for (before, after), count in moves.items():
        sizes[before] += count
        sizes[after] += count
    named = {name for name, _ in sizes.most_common(MOST_HOSTS)}
    cells: Counter[tuple[str, str]] = Counter()
    for (before, after), count in moves.items():
        cells[before if before in named else OTHERS, after if after in named else OTHERS] += count
    sources, columns = (_in_order({pair[side] for pair in cells}) for side in (0, 1))
    return Matrix(columns, tuple((source, tuple(cells[source, column] for column in columns)) for source in sources))


def _in_order(names: set[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=lambda name: (name == OTHERS, _natural(name))))


def _natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """`0_2` before `0_10`."""
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in _NUMBERS.split(text) if part)


def select(
    picture: Picture, about: Callable[[str], str], text: str = "", sort: str = "task", page: int = 1, *, moves_only: bool = False
) -> Page:
    """Words are looked for in everything that a row shows. A page that is not there is the last one."""
    words, owner = text.casefold().split(), picture.words.owner
    rows = [
        Row(one.thing, about(one.thing), one.before, one.after, one.how, WHY[one.how].format(owner))
        for one in picture.things
        if not moves_only or one.how != STAYS
    ]
    found = [row for row in rows if _matches(row, words)]
    keys: Mapping[str, Callable[[Row], object]] = {
        "task": lambda row: _natural(row.thing),
        "subtopology": lambda row: (_natural(row.about), _natural(row.thing)),
        "now": lambda row: (_natural(row.before), _natural(row.thing)),
        "then": lambda row: (_natural(row.after), _natural(row.thing)),
        "why": lambda row: ((COLLATERAL, LEAVES, STAYS).index(row.how), _natural(row.thing)),
    }
    found.sort(key=keys.get(sort, keys["task"]))  # type: ignore[arg-type]
    pages = max(1, -(-len(found) // PAGE_SIZE))
    page = min(max(1, page), pages)
    return Page(tuple(found[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]), len(found), len(picture.things), page, pages)


def _matches(row: Row, words: Sequence[str]) -> bool:
    haystack = f"{row.thing} {row.about} {row.before} {row.after} {row.why}".casefold()
    return all(word in haystack for word in words)
