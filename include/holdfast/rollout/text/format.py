"""How numbers, names and lists are put into words, the same in messages, Markdown and on a terminal.

Names come from brokers, hosts and people, all of them hostile: `printable` is the gate to a line of text, `markdown` to Markdown.
"""

import re
import unicodedata
from collections.abc import Sequence

from holdfast.kafka.vocabulary import ProcessId, TaskId

LONGEST_NAME = 249
_INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
"""Unicode categories that could steer a terminal, turn the writing direction, or hide."""
_MARKDOWN = re.compile(r"[\\`*\[\]<>|~&]|(?<![^\W_])_|_(?![^\W_])|(?<=:)//|(?<=www)\.", re.IGNORECASE)
"""What would be markup inside a line of GitHub's Markdown. Holdfast's own words precede every name, so no name begins a line."""


_ADDRESSED = re.compile(r"(?<=@)(?=\w)|(?<=#)(?=\d)|(?<=\bGH-)(?=\d)|(?<=:)(?=[a-z+-][a-z0-9_+-]*:)|\$", re.IGNORECASE)


def printable(text: str, most: int = LONGEST_NAME) -> str:
    """One line that shows what is there: invisible and steering characters as `\\u001b`, and no longer than `most`."""
    shown = "".join(f"\\u{ord(one):04x}" if unicodedata.category(one) in _INVISIBLE else one for one in text[: most + 1])
    return shown if len(text) <= most else f"{shown[:most]}…"


def markdown(text: str) -> str:
    """`text` as Markdown shows it letter for letter, no link made of it."""
    return _MARKDOWN.sub(lambda found: "".join(f"\\{one}" for one in found[0]), text)


def addressed_to_nobody(text: str) -> str:
    """GitHub and GitLab look for @name, #1, GH-1, :emoji: and $formulas$ in what became of the Markdown; a comment in
    the middle ends what they look for, and is not seen."""
    return _ADDRESSED.sub(lambda found: "<span>$</span>" if found[0] else "<!-- -->", text)


def many(count: int, one: str, several: str = "") -> str:
    """`1 rebalance`, `2 rebalances`, `1,200 records`."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def span(low: int, high: int) -> str:
    """`7`, `4–10`."""
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def counted(low: int, high: int, what: str) -> str:
    """`1 task`, `2 tasks`, `2–3 tasks`."""
    return f"{span(low, high)} {what if high == 1 else what + 's'}"


def duration(seconds: int) -> str:
    """`0 s`, `45 s`, `2 min`, `2 min 18 s`, `11 h`, `11 h 5 min`, `3 d 2 h`: two units at most."""
    if seconds < 60:
        return f"{seconds} s"
    for size, name, smaller, smaller_name in ((86_400, "d", 3_600, "h"), (3_600, "h", 60, "min"), (60, "min", 1, "s")):
        if seconds >= size:
            whole, rest = divmod(seconds, size)
            rest //= smaller
            return f"{whole} {name} {rest} {smaller_name}" if rest else f"{whole} {name}"
    raise AssertionError("seconds are less than 60 or not")


def amount_of_bytes(count: int) -> str:
    for size, name in ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if count >= size:
            return f"{count / size:.1f} {name}"
    return f"{count:,} B"


def listed(items: Sequence[TaskId | ProcessId | str], most: int = 8) -> str:
    """The first few in a sentence, and how many more."""
    shown = " ".join(str(item) for item in items[:most])
    return shown if len(items) <= most else f"{shown} and {len(items) - most} more"


def some_of(names: Sequence[str], most: int = 20) -> str:
    """Names with commas: the first few, and how many more; `none`."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most]) or 'none'}{more}"


def capital(text: str) -> str:
    """As it begins a sentence."""
    return text[:1].upper() + text[1:]


def inside(text: str) -> str:
    """In lower case, for use inside a sentence."""
    return text[:1].lower() + text[1:]


def host_or(host: str | None, otherwise: str) -> str:
    return printable(host) if host else otherwise
