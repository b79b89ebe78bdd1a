"""Every rebalance of a forecast, against the leader of that release: what members report next is put to the JVM, round by round.

The groups are random (HOLDFAST_SEED repeats a run); a client joins each, and the forecast follows it until it is stable.
"""

import os
import random
from collections.abc import Iterator

import pytest
from tests.conformance.jvm import LeaderJvm
from tests.conformance.streams import groups, random_groups
from tests.conformance.streams.groups import Case

from holdfast.errors import CannotPredict
from holdfast.kafka.streams import leader
from holdfast.kafka.streams.compiled import jit
from holdfast.kafka.streams.group import Assignment, Group, LeaderFailure
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

pytestmark = pytest.mark.jvm

FORECASTS = int(os.environ.get("HOLDFAST_CONFORMANCE_CASES") or 40)
ROUNDS_EACH = 12
SEED = int(os.environ.get("HOLDFAST_SEED") or random.SystemRandom().randrange(10**9))
JOINS = change_from_json(
    {"format_version": "1.0", "events": [{"add_client": {"process_id": "fb5a5a5a-5a5a-4a5a-9a5a-5a5a5a5a5a5a", "threads": 2}}]}
)


@pytest.mark.parametrize("jvm", ["2.7.2", "3.2.3", "3.9.1", "4.3.1"], indirect=True)
def test_every_round_is_what_the_leader_would_decide(jvm: LeaderJvm, monkeypatch: pytest.MonkeyPatch) -> None:
    release = jvm.release
    print(f"HOLDFAST_SEED={SEED}: {FORECASTS} forecasts for Kafka {release}")
    rounds = stable = 0
    for seed in range(SEED, SEED + FORECASTS):
        case = random_groups.random_case(seed, release)
        seen = list(_rounds(case, release, monkeypatch))
        for group in seen[:ROUNDS_EACH] + seen[ROUNDS_EACH:][-1:]:
            question = groups.case_of(group, case)
            answer = jvm.ask([question])[0]
            assert groups.difference(question, release, answer) == "", f"HOLDFAST_SEED={seed}, Kafka {release}"
        rounds += len(seen)
        stable += bool(seen)
    assert stable > FORECASTS / 2
    assert rounds > 2 * FORECASTS


def _rounds(case: Case, release: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Group]:
    """The groups that a forecast puts before the leader; none where it refuses to predict."""
    start = groups.group_of(case, release)
    snapshot = Snapshot(
        cluster="random",
        group_id="app",
        captured_at=None,
        protocol="streams-classic",
        group_state="Stable",
        kafka_release=release,
        task_assignor=None,
        leader_process_id=start.leader_process_id,
        config=tuple(sorted((key, value) for key, value in case["config"].items() if not key.startswith("client.tag."))),
        tasks=start.tasks,
        clients=start.clients,
    )
    seen: list[Group] = []
    decide = leader.assign

    def watched(group: Group, memory: leader.Memory) -> Assignment | LeaderFailure:
        seen.append(group)
        decision = decide(group, memory)
        assert decision == decide(group), "what is remembered changes no decision"
        return decision

    with monkeypatch.context() as patch:
        patch.setattr(leader, "assign", watched)
        patch.setattr(jit, "is_installed", lambda: False)
        try:
            forecast(snapshot, JOINS)
        except CannotPredict:
            return iter(())
    return iter(seen)
