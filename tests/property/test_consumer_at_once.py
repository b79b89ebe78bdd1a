"""Very many remembered partitions are computed on arrays: the same decision as without them, for groups of any size."""

import random
from collections.abc import Callable

import pytest
from tests.conformance.consumer import groups as plain_groups
from tests.conformance.consumer.groups import Case
from tests.conformance.consumer.random_groups import after_round, random_case

from holdfast.kafka.consumer import leader
from holdfast.kafka.consumer.group import Assignment, LeaderFailure
from holdfast.kafka.consumer.sticky import sticky

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


@pytest.mark.thorough
def test_arrays_decide_as_the_steps_do(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = {"equal": 0, "unequal": 0}
    at_once, settled = sticky._at_once, sticky._settled

    def counting(which: str, option: Callable[..., object]) -> Callable[..., object]:
        def counted(*reports: object, **about: object) -> object:
            found = option(*reports, **about)
            taken[which] += found is not None
            return found

        return counted

    monkeypatch.setattr(sticky, "_at_once", counting("equal", at_once))
    monkeypatch.setattr(sticky, "_settled", counting("unequal", settled))
    for seed in range(GROUPS):
        for case in rounds(seed):
            for release in RELEASES:
                answers = []
                for least in (10**9, 0):
                    monkeypatch.setattr(sticky, "MANY_OWNED", least)
                    monkeypatch.setattr(sticky, "MANY_OWNED_UNEQUALLY", least)
                    answers.append(decided(case, release))
                assert answers[0] == answers[1], (seed, release)
    assert min(taken.values()) > GROUPS / 8, f"hardly any group has taken the ways that are tested: {taken}"
