"""What is carried over to another night equals what is worked out then, after any change of one value in a group's snapshot."""

import copy
import json
import random
from collections import Counter
from typing import Any

from benchmarks import synthetic_fleet
from tests.harness.examples import examples

from holdfast.rollout.json.strict import dumps
from holdfast.rollout.kinds import any_document
from holdfast.rollout.tables import loss_rows

CODE = "the sources of one release"
MOST_CLIENTS, MOST_TASKS = 4, 16
BUDGET_MS = 5


def small_group(chance: random.Random) -> dict[str, Any]:
    """A document as a table has it: with standbys or without, by rack or not."""
    while True:
        snapshot = synthetic_fleet.group(chance.randrange(10**6), 17).after
        if 2 <= len(snapshot.clients) <= MOST_CLIENTS and len(snapshot.tasks) <= MOST_TASKS:
            found: dict[str, Any] = any_document.snapshot_to_json(snapshot)
            return found


def places_of(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where values are that hold no others."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else None
    return [path] if keys is None else [place for key in keys for place in places_of(value[key], (*path, key))]


def changed(document: dict[str, Any], name: str, chance: random.Random) -> dict[str, Any]:
    """With another value in one place of this member of the snapshot, or without what was there."""
    after = copy.deepcopy(document)
    place = chance.choice(places_of(after[name], (name,)) or [(name,)])
    inside = after
    for key in place[:-1]:
        inside = inside[key]
    before = inside[place[-1]]
    if name == "captured_at":
        inside[place[-1]] = chance.choice((None, "2027-02-01T11:00:00Z"))
    elif isinstance(before, int) and not isinstance(before, bool):
        inside[place[-1]] = chance.choice((before + 1, 0, before * 2 + 7, 10**6))
    elif name == "kafka_release":
        inside[place[-1]] = chance.choice((None, "2.8.2", "3.1.2", "3.9.1", "4.1.0"))
    elif chance.random() < 0.5 and len(place) > 1:
        del inside[place[-1]]
    else:
        inside[place[-1]] = chance.choice((None, f"{before}x", 1))
    return after


def night(document: str) -> dict[str, Any]:
    return loss_rows.losses(document, budget_ms=BUDGET_MS, code=CODE)


def test_what_is_carried_over_equals_what_is_worked_out_anew() -> None:
    chance = random.Random()
    seen = Counter[str]()
    for number in range(examples(200)):
        before = small_group(chance)
        name = chance.choice(sorted(before)) if number % 3 else "captured_at"  # each as often, however much it has
        after = changed(before, name, chance)
        first, second = dumps(before), dumps(after)
        rows = night(first)
        if rows["problem"] is not None or loss_rows.fingerprint(first, CODE) != loss_rows.fingerprint(second, CODE):
            seen["worked out anew"] += 1
            continue
        assert rows == night(second), json.dumps([before, after])
        seen[f"carried over: {name}"] += 1

    assert seen["carried over: captured_at"]
    assert seen["worked out anew"]
