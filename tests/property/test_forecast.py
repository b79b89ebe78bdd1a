"""What must hold of every forecast, whatever the group."""

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.harness.article import change
from tests.harness.examples import examples

from holdfast.kafka.streams.group import Assignment
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.forecast.outcomes import Forecast, Outcome
from holdfast.rollout.streams.snapshot.json import snapshot_from_json

RELEASES = ("2.7.2", "3.2.3", "3.5.1", "3.9.1", "4.3.1")


@some.composite
def groups(draw: some.DrawFn) -> dict[str, Any]:
    """A group that has just met: uneven threads, high-bit process IDs, scattered copies, nothing running yet or everything."""
    chance = random.Random(draw(some.integers(0, 2**32)))
    partitions = chance.randint(1, 6)
    tasks = {
        f"{subtopology}_{number}": {
            "partitions": [[f"topic-{subtopology}", number]],
            "changelogs": [["changelog", number, chance.randint(0, 50)] for _ in range(subtopology)],
        }
        for subtopology in range(3)
        for number in range(partitions)
    }
    ids = [str(ProcessId.parse(f"{chance.getrandbits(32):08x}-0000-4000-8000-000000000000")) for _ in range(chance.randint(2, 5))]
    clients: dict[str, Any] = {
        process_id: {
            "consumers": {f"{process_id}-{number}": {"owned": [], "task_offset_sums": {}} for number in range(chance.randint(1, 3))}
        }
        for process_id in dict.fromkeys(ids)
    }
    consumers = [consumer for client in clients.values() for consumer in client["consumers"].values()]
    for task, what in tasks.items():
        owner = chance.choice(consumers)
        owner["owned"].extend(what["partitions"])
        for consumer in chance.sample(consumers, k=chance.randint(0, min(2, len(consumers)))):
            if what["changelogs"]:
                consumer["task_offset_sums"][task] = chance.randint(0, sum(one[2] for one in what["changelogs"]))
        if what["changelogs"]:
            owner["task_offset_sums"][task] = -2
    return {
        "format_version": "1.0",
        "group_id": "g",
        "protocol": "streams-classic",
        "kafka_release": chance.choice(RELEASES),
        "leader_process_id": chance.choice([None, *clients]),
        "config": {
            "num.standby.replicas": chance.choice([0, 0, 1, 2]),
            "max.warmup.replicas": chance.randint(1, 3),
            "acceptable.recovery.lag": chance.choice([0, 5, 10000]),
        },
        "tasks": tasks,
        "clients": clients,
    }


def predict(document: dict[str, Any], *events: object, **assume: object) -> Forecast:
    requested = change(*events, assume=assume) if assume else change(*events)
    return forecast(snapshot_from_json(document), change_from_json(requested))


def end(outcome: Outcome) -> Assignment:
    decision = outcome.rounds[-1].decision
    assert isinstance(decision, Assignment)
    return decision


def converged(document: dict[str, Any]) -> dict[str, Any]:
    """The same group once it is stable: the forecast's own last reports as a Snapshot."""
    (outcome,) = predict(document).outcomes
    assert outcome.stable
    stable: dict[str, Any] = json.loads(json.dumps(document))
    for client in outcome.clients:
        for consumer in client.consumers:
            stable["clients"][str(client.process_id)]["consumers"][consumer.member_id] = {
                "owned": [list(one) for one in consumer.owned],
                "task_offset_sums": {str(task): total for task, total in consumer.task_offset_sums},
            }
    return stable


@pytest.mark.thorough
@settings(max_examples=examples(60), deadline=None)
@given(groups())
def test_a_group_settles_and_the_end_does_not_depend_on_when_copies_catch_up(document: dict[str, Any]) -> None:
    """Kafka leaves open how many rebalances it takes, not where they end."""
    (late,), (soon,), (steady,) = (
        predict(document, **assume).outcomes
        for assume in ({}, {"catch_up": "next rebalance"}, {"catch_up": {"records_per_second": 1}})
    )

    assert late.stable
    assert soon.stable
    assert end(late).clients == end(soon).clients == end(steady).clients
    assert late.summary.rebalances_at_least <= len(soon.rounds)


@settings(max_examples=examples(40), deadline=None)
@given(groups())
def test_nothing_happens_to_a_stable_group_without_a_change(document: dict[str, Any]) -> None:
    stable = converged(document)

    (outcome,) = predict(stable).outcomes

    assert outcome.summary.active_moved == 0
    assert outcome.summary.restore_records == 0
    assert len(outcome.rounds) == 1


@settings(max_examples=examples(40), deadline=None)
@given(groups(), some.integers(0, 4))
def test_a_client_replaced_by_its_own_id_and_disk_moves_nothing(document: dict[str, Any], which: int) -> None:
    document["config"]["acceptable.recovery.lag"] = 10000
    stable = converged(document)
    process_id = list(stable["clients"])[which % len(stable["clients"])]

    (outcome,) = predict(
        stable, {"replace_client": {"process_id": process_id, "by": {"process_id": process_id}, "state": "kept"}}
    ).outcomes

    assert outcome.stable
    assert outcome.summary.active_moved == 0
    assert outcome.summary.restore_records == 0


@settings(max_examples=examples(40), deadline=None)
@given(groups())
def test_every_round_hands_out_every_task_once(document: dict[str, Any]) -> None:
    (outcome,) = predict(document, {"add_client": {"process_id": "ffffffff-0000-4000-8000-000000000001", "threads": 2}}).outcomes

    for one in outcome.rounds:
        assert isinstance(one.decision, Assignment)
        planned = sorted(str(task) for client in one.decision.clients for task in client.active)
        handed = sorted(str(task) for consumer in one.decision.consumers for task in (*consumer.active, *consumer.withheld))
        assert planned == handed == sorted(document["tasks"])
    assert [one.at_seconds for one in outcome.rounds] == sorted(one.at_seconds for one in outcome.rounds)
    assert sum(len(consumer.withheld) for consumer in end(outcome).consumers) == 0


@settings(max_examples=examples(30), deadline=None)
@given(groups())
def test_a_fresh_id_is_one_of_its_positions(document: dict[str, Any]) -> None:
    """A given ID has the result of the outcome for its gap."""
    answer = predict(document, {"add_client": {"process_id": None, "threads": 1, "member_ids": ["new"]}})
    given_id = "5a5a5a5a-5a5a-4a5a-9a5a-5a5a5a5a5a5a"
    (outcome,) = predict(document, {"add_client": {"process_id": given_id, "threads": 1, "member_ids": ["new"]}}).outcomes
    place = outcome.process_ids.index(ProcessId.parse(given_id))

    assert sum(one.probability for one in answer.outcomes) == pytest.approx(1)
    assert answer.outcomes[place].summary.active_moved == outcome.summary.active_moved
    assert [one.decision.clients for one in answer.outcomes[place].rounds if isinstance(one.decision, Assignment)] != []
