"""Writes `holdfast/kafka/streams/config_keys.py` from the jars: `python -m tests.conformance.streams.record_config_keys`."""

import re
from pathlib import Path
from typing import Any

from tests.conformance.jvm import LeaderJvm

from holdfast.kafka import release

MODULE = Path(release.__file__).parent / "streams" / "config_keys.py"
HOMES = {"streams": "S", "consumer": "C", "producer": "P", "admin": "A", "topic": "T", "internal": "I"}
CODES = {
    "non-empty string": "non-empty",
    "non-null string": "non-null",
    "List containing maximum of 5 elements": "items<=5",
}
"""What a validator of Kafka prints of itself, as the table has it."""
HEAD = '''"""Every configuration key of Kafka Streams and its clients, by release. Generated from the jars, not written by hand:

    python -m tests.conformance.streams.record_config_keys

A line of `TABLE` is: key, who has it (S Streams, C consumer, P producer, A admin, T topic, I internal to Streams), first and last
minor release, type, and what is valid: [least,...,most], [options], ~[options in any case], non-empty, non-null, items<=5.
"""

# ruff: noqa: E501, SIM905

MINORS = tuple("{minors}".split())
"""The minor releases that the table covers, oldest first."""

TABLE = """\\
{table}
"""
'''


def keys_of(jvm: LeaderJvm) -> dict[tuple[str, str], tuple[str, str]]:
    """(home, key) to (type, valid) of one release."""
    answer = jvm.ask([{"ask": "config keys"}])[0]
    found = {}
    for home, letter in HOMES.items():
        keys: Any = answer[home]
        for key in keys:
            found[letter, key] = (keys[key]["type"], _valid(key, keys[key]["valid"])) if isinstance(keys, dict) else ("any", "")
    return found


def _valid(key: str, valid: str) -> str:
    """Kafka lists options in the order of a set or as declared; here they are sorted. A validator without words says nothing."""
    if "$$Lambda" in valid or key == "topology.optimization":  # the latter takes lists of its options too
        return ""
    match = re.fullmatch(r"(\(case insensitive\) )?\[([^\[\]]*)\]", valid)
    if not match or "..." in valid:
        return CODES.get(valid, valid)
    return f"{'~' if match[1] else ''}[{', '.join(sorted(match[2].split(', ')))}]"


def last_patches() -> list[str]:
    newest: dict[str, str] = {}
    for each in release.RELEASES:
        newest[each.rpartition(".")[0]] = each
    return list(newest.values())


def main() -> None:
    runs: dict[tuple[str, str, str, str], list[list[int]]] = {}
    minors = []
    for number, patch in enumerate(last_patches()):
        minors.append(patch.rpartition(".")[0])
        with LeaderJvm(patch) as jvm:
            for (letter, key), (kind, valid) in keys_of(jvm).items():
                spans = runs.setdefault((key, letter, kind, valid), [])
                if spans and spans[-1][1] == number - 1:
                    spans[-1][1] = number
                else:
                    spans.append([number, number])
    rows: dict[tuple[str, int, int, str, str], list[str]] = {}
    for (key, letter, kind, valid), spans in runs.items():
        for first, last in spans:
            rows.setdefault((key, first, last, kind, valid), []).append(letter)
    lines = [
        f"{key} {''.join(sorted(letters))} {minors[first]} {minors[last]} {kind} {valid}".rstrip()
        for (key, first, last, kind, valid), letters in sorted(rows.items())
    ]
    MODULE.write_text(HEAD.replace("{minors}", " ".join(minors)).replace("{table}", "\n".join(lines)), encoding="utf-8")


if __name__ == "__main__":
    main()
