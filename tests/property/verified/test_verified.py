"""Plans for random changes to a streams group whose broker assigns, carried out exactly as forecast: nothing in the group says then
that a step has not happened, and the verdict is "as forecast"."""

import random
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.harness.examples import examples
from tests.unit.rollout.broker_streams.execution.acted_out import KIND, after, plan_for

from holdfast.rollout.execution.step_evidence import Shown
from holdfast.rollout.execution.verdict import Result

Case = dict[str, Any]
STANDBYS = "streams.num.standby.replicas"


class _Events:
    """Of a group with the clients a, b and c. `there`: the process IDs at any moment; one of them stays. Most starts have IDs of
    their own, because a forecast for all draws of IDs takes a hundred times as long."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._there = ["a", "b", "c"]
        self._new, self._ids = iter("defghijk"), count()
        self._partitions = 6

    def some(self) -> list[Case]:
        found: list[Case] = []
        for _ in range(self._chance.randint(1, 4)):
            found += [*self._one(), {"then": self._chance.choice(("stable", "stable", "target"))}]
        return found[:-1]

    def _one(self) -> Iterator[Case]:
        chance, who = self._chance, self._chance.choice(self._there)
        match chance.randint(0, 6):
            case 0 if len(self._there) > 1:
                self._there.remove(who)
                yield {"remove_client": {"process_id": who, "leaves": chance.random() < 0.5}}
            case 1:
                gone = [one for one in "abc" if one not in self._there]
                name = chance.choice([next(self._new), *gone])
                self._there.append(name)
                yield {"add_client": {"process_id": name} | self._threads()}
            case 2:
                name = self._there[self._there.index(who)] = next(self._new)
                yield {"replace_client": {"process_id": who, "by": {"process_id": name} | self._threads()}}
            case 3:
                yield {"set_config": {STANDBYS: chance.randint(0, 2)}}
            case 4:
                self._partitions += 1
                for topic in ("orders", "by-id"):
                    yield {"add_partitions": {"topic": topic, "partitions": self._partitions}}
            case _:
                yield {"restart_client": {"process_id": who} | self._restart(who)}

    def _restart(self, who: str) -> Case:
        name = self._chance.choice([who, who, next(self._new)])
        self._there[self._there.index(who)] = name
        kept: Case = {} if name == who else {"keeps_process_id": False, "new_process_id": name}
        return kept | self._chance.choice([{}, {"leaves": False}, {"within_interval": True}]) | self._threads()

    def _threads(self) -> Case:
        drawn = {"threads": self._chance.randint(1, 3)}
        return drawn if self._chance.random() < 0.1 else {"member_ids": [f"m{next(self._ids)}" for _ in range(drawn["threads"])]}


@pytest.mark.thorough
@settings(max_examples=examples(30), deadline=None)
@given(some.integers(0, 2**32))
def test_what_was_carried_out_as_forecast_is_verified_so(seed: int) -> None:
    plan = plan_for(*_Events(random.Random(seed)).some(), only="baseline")
    found = KIND.verify(plan, after(plan))

    assert [one for one in found.steps if one.evidence.shown in (Shown.NOT_YET, Shown.CONTRADICTED)] == []
    assert (found.result, found.differences) == (Result.AS_FORECAST, ())
    assert KIND.verify(plan, after(plan, recorded=False)).result is not Result.DIFFERENT
