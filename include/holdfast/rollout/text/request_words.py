"""Requests in words: events as one sentence, or as a short title."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from holdfast.rollout.text.format import many, printable

MOST = 200
"""Of the parts of a sentence: what has more is read in plan.json."""
MOST_IN_TITLE = 3
LONGEST_IN_TITLE = 60


def in_a_sentence(sentences: Iterable[str]) -> str:
    counted = [(text, len(list(same))) for text, same in groupby(sentences)]
    parts = [text if count == 1 else f"{text} ({count} times)" for text, count in counted]
    more = f"; and {many(len(parts) - MOST, 'thing')} more" if len(parts) > MOST else ""
    return f"{'; '.join(parts[:MOST]) or 'nothing'}{more}"


def in_a_title(labelled: Iterable[tuple[str, str]]) -> str:
    """Of (verb, object) pairs: `add app-4, app-5 and 3 more, remove app-1`. No events: `no change`."""
    verbs: dict[str, list[str]] = {}
    for verb, thing in labelled:
        verbs.setdefault(verb, []).append(thing)
    parts = [f"{verb} {few(things)}".rstrip() for verb, things in verbs.items()]
    more = f", and {many(len(parts) - MOST_IN_TITLE, 'more event')}" if len(parts) > MOST_IN_TITLE else ""
    return f"{', '.join(parts[:MOST_IN_TITLE])}{more}" if parts else "no change"


def short(name: str) -> str:
    """A name as a title has room for it."""
    return printable(name, LONGEST_IN_TITLE)


def few(things: Sequence[str]) -> str:
    shown = things[:MOST_IN_TITLE]
    more = f" and {len(things) - len(shown)} more" if len(things) > len(shown) else ""
    return f"{', '.join(shown)}{more}"
