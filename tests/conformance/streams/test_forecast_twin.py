"""Every round of a forecast, and its summary figures, against the twin (`forecast_twin`): random groups, random changes.

A failure prints its seed. What differed once is a line of `forecast_cases.jsonl`, where it stays.

    HOLDFAST_SEED=N                    the cases of an earlier run
    HOLDFAST_CONFORMANCE_CASES=N       number of cases per release
    HOLDFAST_CONFORMANCE_RELEASES=…    these releases, with commas
"""

import collections
import json
import os
import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from tests.conformance.jvm import LeaderJvm
from tests.conformance.streams import forecasts, twin_words
from tests.conformance.streams.forecast_twin import Ask
from tests.conformance.streams.groups import Case

pytestmark = pytest.mark.jvm

CASES = int(os.environ.get("HOLDFAST_CONFORMANCE_CASES") or 15)
RELEASES = (os.environ.get("HOLDFAST_CONFORMANCE_RELEASES") or "2.6.3,2.8.2,3.1.2,3.2.3,3.5.2,3.9.1,4.3.1").split(",")
SEED = int(os.environ.get("HOLDFAST_SEED") or random.SystemRandom().randrange(10**9))
RECORDED = Path(__file__).parent / "forecast_cases.jsonl"
MOST_ROUNDS = 150
"""Of all outcomes of a case together: a JVM decides each once more."""


@contextmanager
def leaders() -> Iterator[Ask]:
    """The leader of whatever release is asked; each JVM starts when it is first needed."""
    with ExitStack() as stack:
        jvms: dict[str, LeaderJvm] = {}

        def ask(release: str, question: Case) -> Case:
            if release not in jvms:
                jvms[release] = stack.enter_context(LeaderJvm(release))
            return jvms[release].ask([question])[0]

        yield ask


@pytest.mark.parametrize("release", RELEASES)
def test_the_twin_sees_the_same(release: str) -> None:
    print(f"HOLDFAST_SEED={SEED}: {CASES} forecasts for Kafka {release}")
    seen: collections.Counter[str] = collections.Counter()
    with leaders() as ask:
        for seed in range(SEED, SEED + 4 * CASES):
            if seed >= SEED + CASES and seen["stable"] > CASES / 2:
                break
            drawn = forecasts.random_forecast(seed, release)
            if drawn is None:
                seen["of another kind"] += 1
                continue
            answer = forecasts.ours(*drawn, release)
            if "refused" in answer:
                seen["refused"] += 1
                continue
            if sum(len(outcome["rounds"]) for outcome in answer["outcomes"]) > MOST_ROUNDS:
                seen["long"] += 1
                continue
            found = forecasts.differences(*drawn, release, ask, answer)
            assert found == [], f"HOLDFAST_SEED={seed}, Kafka {release}: {json.dumps(drawn[1])}"
            seen["compared"] += 1
            seen["stable"] += all(outcome["stable"] for outcome in answer["outcomes"])
    print(dict(seen))
    assert seen["refused"] <= CASES / 20 + 2, "most of the changes that are drawn can be forecast"
    assert seen["stable"] > CASES / 2, "most of the groups settle"


def test_what_differed_once_does_not_differ_again() -> None:
    entries = [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]
    with leaders() as ask:
        for entry in entries:
            answer = forecasts.ours(entry["case"], entry["change"], entry["release"])
            assert forecasts.differences(entry["case"], entry["change"], entry["release"], ask, answer) == [], entry["why"]
    assert entries


def test_the_twin_orders_and_weighs_process_ids_as_java_does() -> None:
    low, high = "bbb83e43-b1af-4b2d-a60a-94a7091684d0", "4b61083e-57d0-457d-951f-d06556c148ca"
    assert sorted([high, low], key=twin_words.order) == [low, high]
    assert [round(one, 3) for one in twin_words.chances([high, low])] == [0.233, 0.561, 0.206]
