"""Work of Python's own that stands for the machine: what Holdfast does most, in the shares in which it does it, roughly.

A ratio to it is steadier than one to the JVM: both sides run in one interpreter, wait for the same caches, and are slowed alike by
other work. It never changes: what was recorded is measured against it.
"""

import heapq
import json
from operator import itemgetter
from typing import NamedTuple


class Entry(NamedTuple):
    topic: str
    number: int


TEXT = json.dumps({f"member-{number}": {"owned": [["topic", one] for one in range(8)], "sums": {}} for number in range(60)})
STARTS = ("-c", "import asyncio, email.message, http.client, json, logging.config, unittest.mock, urllib.request, xml.dom.minidom")
"""Of a process: imports of the standard library, about as many as a command has."""


def small() -> int:
    """About a millisecond."""
    document = json.loads(TEXT)
    entries = [Entry(*one) for member in document.values() for one in member["owned"]]
    owners: dict[Entry, list[str]] = {}
    for member, one in document.items():
        for topic, number in one["owned"]:
            owners.setdefault(Entry(topic, number), []).append(member)
    order = sorted(entries, key=itemgetter(1, 0))
    queue = [(len(members), entry) for entry, members in owners.items()]
    heapq.heapify(queue)
    for entry in order[:200]:
        load, _ = queue[0]
        heapq.heapreplace(queue, (load + 1, entry))
    given = {entry: frozenset(members) for entry, members in owners.items()}
    texts = [f"{entry.topic}_{entry.number}" for entry in order if _fits(entry, given)]
    return len(",".join(texts))


def _fits(entry: Entry, given: dict[Entry, frozenset[str]]) -> bool:
    return entry.number % 3 == 0 or "member-7" in given[entry]


def large() -> int:
    """The same with more values than the caches hold: 30 ms."""
    entries = [Entry("topic", number) for number in range(20_000)]
    by_entry = {entry: (entry, number) for number, entry in enumerate(entries)}
    found = sorted(by_entry.items(), key=itemgetter(1), reverse=True)
    return len([entry for entry, (other, _) in found if entry is other and entry in by_entry])
