"""Very many remembered partitions are worked out on arrays: the same decision, whichever way, of groups of any size."""

import random

import pytest
from tests.conformance import plain_groups
from tests.conformance.plain_groups import Case
from tests.conformance.random_plain_groups import after_round, random_case

from holdfast.kafka.consumer import constrained_at_once, leader, sticky
from holdfast.kafka.consumer.group import Assignment, LeaderFailure

RELEASES = ("3.4.1", "3.7.2", "4.3.1")
GROUPS = 400


def decided(case: Case, release: str) -> Assignment | LeaderFailure:
    return leader.assign(plain_groups.group_of(case, release))


def rounds(seed: int) -> list[Case]:
    """A sticky group and what becomes of it."""
    chance = random.Random(seed)
    found: list[Case] = []
    case = random_case(chance)
    for _ in range(4):
        found.append(case)
        case = after_round(case, plain_groups.ours(case, "4.3.1"), chance)
    return [one for one in found if "sticky" in one["assignor"]]


def test_arrays_decide_as_the_steps_do(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    at_once = constrained_at_once.ConstrainedAtOnce.assign

    def counted(self: constrained_at_once.ConstrainedAtOnce) -> None:
        taken.append(len(self.kept))
        at_once(self)

    monkeypatch.setattr(constrained_at_once.ConstrainedAtOnce, "assign", counted)
    for seed in range(GROUPS):
        for case in rounds(seed):
            for release in RELEASES:
                monkeypatch.setattr(sticky, "MANY_OWNED", 10**9)
                step_by_step = decided(case, release)
                monkeypatch.setattr(sticky, "MANY_OWNED", 0)
                assert decided(case, release) == step_by_step, (seed, release)
    assert len(taken) > GROUPS / 2, "hardly any group has taken the way that is tested"
