"""Plans for random changes to a classic Streams group, carried out exactly as forecast: nothing in the group says then that a step
has not happened, and the verdict is "as forecast"."""

import random
from collections.abc import Iterator
from itertools import count

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as some
from tests.harness.article import A, B, C
from tests.harness.examples import examples
from tests.unit.rollout.streams.execution.carried_out import KIND, Case, after, before, planned

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.rollout.execution.step_evidence import Shown
from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

RELEASES = ("2.7.2", "2.8.2", "3.9.1", "4.3.1")


class _Events:
    """Of a group with the clients A, B and C. `there`: the process IDs at any moment; one of them stays."""

    def __init__(self, chance: random.Random, release: str) -> None:
        self._chance, self._release = chance, release
        self._there = [A, B, C]
        self._ids = count()
        self._partitions = 6

    def some(self) -> list[Case]:
        found: list[Case] = []
        for _ in range(self._chance.randint(1, 4)):
            found += [*self._one(), {"then": "stable"}]
        return found[:-1]

    def _one(self) -> Iterator[Case]:
        chance, who = self._chance, self._chance.choice(self._there)
        match chance.randint(0, 8):
            case 0 if len(self._there) > 1:
                self._there.remove(who)
                yield {"remove_client": {"process_id": who}}
            case 1:
                name = chance.choice([self._new(), *(one for one in (A, B, C) if one not in self._there)])
                self._there.append(name)
                yield {"add_client": {"process_id": name, "threads": chance.randint(1, 3)}}
            case 2:
                name = self._there[self._there.index(who)] = self._new()
                by = {"process_id": name, "threads": chance.randint(1, 3)}
                yield {"replace_client": {"process_id": who, "by": by, "state": chance.choice(["empty", "kept"])}}
            case 3:
                yield {"set_config": {"num.standby.replicas": chance.randint(0, 1)}}
            case 4:
                self._partitions += 1
                for topic in ("input", "repartition"):
                    grown = {"changelogs_grown": True} if topic == "repartition" else {}
                    yield {"add_partitions": {"topic": topic, "partitions": self._partitions} | grown}
            case 5 if self._release != "2.7.2":
                yield {"set_threads": {"process_id": who, "threads": chance.randint(1, 3)}}
            case 6:
                yield {"rolling_restart": {}}
            case _:
                yield {"restart_client": {"process_id": who} | self._back(who)}

    def _back(self, who: str) -> Case:
        if self._chance.random() < 0.7:
            return {}
        name = self._there[self._there.index(who)] = self._new()
        return {"keeps_process_id": False, "new_process_id": name}

    def _new(self) -> str:
        return f"{self._chance.getrandbits(32):08x}-0000-4000-8000-{next(self._ids):012x}"


def carried_out(seed: int) -> tuple[Snapshot, Plan, Snapshot] | None:
    """The group before, the plan, and the group afterwards. None: the change cannot be forecast."""
    chance = random.Random(seed)
    release = chance.choice(RELEASES)
    basis = before(release, recorded=chance.random() < 0.5)
    events = _Events(chance, release).some()
    try:
        plan = planned(basis, events)
    except (CannotPredict, InvalidInput):
        return None
    return None if plan is None else (basis, plan, after(basis, plan))


@pytest.mark.thorough
@settings(max_examples=examples(12), deadline=None)
@given(some.integers(0, 2**32))
@example(67)  # two rolls, one after the other
def test_what_was_carried_out_as_forecast_is_verified_so(seed: int) -> None:
    found = carried_out(seed)
    if found is None:
        return
    basis, plan, fresh = found
    verdict = KIND.verify(plan, fresh)

    assert [one for one in verdict.steps if one.evidence.shown in (Shown.NOT_YET, Shown.CONTRADICTED)] == []
    assert (verdict.result, verdict.differences) == (Result.AS_FORECAST, ())
    if basis.generations:
        assert KIND.verify(plan, basis).result is Result.NOT_YET
