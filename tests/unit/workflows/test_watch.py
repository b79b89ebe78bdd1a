"""`verify --watch`: it looks until it is decided, or its time is over."""

from collections.abc import Callable

import pytest
from tests.harness.article import AFTER, A, B, altered, group
from tests.harness.plans import planned, read, restarted

from holdfast.errors import ClusterTrouble
from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.workflows import verify
from holdfast.workflows.collecting.settling import Patience

PLAN = planned(group(AFTER), {"set_config": {"max.warmup.replicas": 6}})
REBALANCING = altered(group(AFTER), ["group_state"], "PreparingRebalance")
DOWN = ClusterTrouble("no broker can be reached")


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def patience(self, limit_s: float) -> Patience:
        return Patience(limit_s, self.sleep, lambda: self.now)

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def looks(*seen: object) -> Callable[[float], Snapshot]:
    left = list(seen)

    def look(limit_s: float) -> Snapshot:
        assert 1 <= limit_s <= verify.LOOK_S
        found = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(found, Exception):
            raise found
        assert isinstance(found, dict)
        return read(found)

    return look


def test_it_follows_until_it_is_decided() -> None:
    told: list[str] = []
    clock = Clock()
    steps = (group(AFTER), DOWN, restarted(group(AFTER), A), REBALANCING, restarted(group(AFTER), A, B), restarted(group(AFTER)))
    verdict = verify.watch(None, PLAN, looks(*steps), clock.patience(600), told.append)

    assert verdict.result is Result.AS_FORECAST
    assert clock.now == 5 * verify.AGAIN_S
    assert len(told) == 6
    assert told[1].startswith("The cluster did not answer")
    assert told[-1] == "as forecast, 2 of 2 steps observed."


def test_when_time_is_over_the_verdict_is_what_it_is() -> None:
    told: list[str] = []
    clock = Clock()
    verdict = verify.watch(None, PLAN, looks(group(AFTER)), clock.patience(60), told.append)

    assert verdict.result is Result.NOT_YET
    assert clock.now <= 60
    assert len(told) == 1, "what did not change is not said again"


def test_a_cluster_that_never_answers_is_an_error() -> None:
    with pytest.raises(ClusterTrouble):
        verify.watch(None, PLAN, looks(DOWN), Clock().patience(30), lambda _: None)
    with pytest.raises(ClusterTrouble, match="no such group"):
        verify.watch(None, PLAN, looks(ClusterTrouble("no such group", lasting=True)), Clock().patience(600), lambda _: None)
