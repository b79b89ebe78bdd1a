"""A group without its names is decided and forecast as with them: every kind, every line of releases, every assignor."""

import base64
import json
import random
import uuid
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as some
from tests.conformance.consumer import groups as consumer_groups
from tests.conformance.consumer.random_changes import random_forecast_case
from tests.conformance.coordinator import random_targets
from tests.conformance.coordinator.consumer import random_groups as random_broker_consumers
from tests.conformance.coordinator.consumer import targets as broker_consumers
from tests.conformance.streams import forecasts, random_groups
from tests.conformance.streams import snapshots as streams_snapshots
from tests.harness.examples import examples
from tests.harness.sharing.translated import Document, assigned, forecast_of, redacted_documents, translated
from tests.property.test_codec import snapshots

from holdfast.kafka.consumer.release import LINES as CONSUMER_LINES
from holdfast.kafka.release import LINES
from holdfast.rollout.json import strict
from holdfast.rollout.kinds import any_document
from holdfast.rollout.kinds.sharing.redacted import Same, decides_the_same, redacted
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

SEEDS = some.integers(0, 2**32)
RELEASES = tuple(line.releases[-1] for line in LINES)
CONSUMER_RELEASES = tuple(line.releases[-1] for line in CONSUMER_LINES)
BROKER_RELEASES = ("4.2.1", "4.3.1", "4.4.0")
BROKER_CONSUMER_RELEASES = ("4.0.0", *BROKER_RELEASES)
Case = tuple[Document, Document]


def of_streams(seed: int, release: str) -> Case | None:
    """None: not forecast at all, or with random process IDs: others are drawn then."""
    drawn = forecasts.random_forecast(seed, release)
    if drawn is None:
        return None
    case, change = drawn
    text = json.dumps(change)
    if '"process_id": null' in text or '"new_process_id": null' in text:
        return None
    return json.loads(json.dumps(streams_snapshots.snapshot_of(case, release))), change


def of_consumers(seed: int, release: str) -> Case:
    case, change = random_forecast_case(seed)
    return json.loads(json.dumps(consumer_groups.snapshot_of(case, release))), change


def with_random_ends(case: Case, seed: int) -> Case:
    """Member IDs as brokers make them: a client ID, or an instance ID, and a UUID. One client ID begins with another."""
    chance = random.Random(seed)
    new: dict[str, str] = {}

    def renamed(value: Any, field: str = "") -> Any:
        if isinstance(value, dict):
            keys = field in ("consumers", "member_ids")
            return {name(key) if keys else key: renamed(one, "member_id" if keys else key) for key, one in value.items()}
        if isinstance(value, list):
            return [renamed(one, field) for one in value]
        return name(value) if isinstance(value, str) and field.endswith("member_id") else value

    def name(old: str) -> str:
        if old not in new:
            new[old] = f"{chance.choice(('app', 'app-1', 'é', 'orders'))}-{uuid.UUID(int=chance.getrandbits(128), version=4)}"
        return new[old]

    snapshot, change = case
    found: Document = renamed(snapshot)
    for member_id, one in found["consumers"].items():
        one["client_id"] = member_id[:-37]
    return found, renamed(change)


def of_a_broker(seed: int, release: str) -> Case:
    chance = random.Random(seed)
    case = random_targets.random_case(chance)
    topics = {
        name: (f"in-{at}", *([f"shop-store{at}-changelog"] if stateful else ()))
        for at, (name, _, stateful) in enumerate(case["subtopologies"])
    }
    counts = {topic: count for name, count, _ in case["subtopologies"] for topic in topics[name]}
    snapshot: Document = {
        "format_version": "1.0",
        "group_id": "shop",
        "protocol": "streams",
        "broker_release": release,
        "group_state": "Stable",
        "group_epoch": 5,
        "assignment_epoch": 5,
        "config": {"streams.num.standby.replicas": case["standbys"]},
        "topology": {
            "epoch": 0,
            "subtopologies": {
                name: {"source_topics": [first], "changelog_topics": changelogs} for name, (first, *changelogs) in topics.items()
            },
        },
        "topics": {topic: {"partitions": [{"id": number} for number in range(count)]} for topic, count in counts.items()},
        "members": {one["id"]: _member(one) for one in case["members"]},
    }
    return snapshot, {"format_version": "1.0", "events": list(_events(case, chance))}


def of_consumers_of_a_broker(seed: int, release: str) -> Case:
    """A random group, and what may happen to it with every member ID given."""
    chance = random.Random(seed)
    case = random_broker_consumers.random_group(chance)
    snapshot = broker_consumers.snapshot_of(case, release)
    for one in snapshot["members"].values():
        one["assignment"] = one["target"]
    first, *_ = names = list(snapshot["members"])
    new = "6xWoaDM3c1X_bdpqRBHJp" + chance.choice("ABCDEFGHIJ")
    events: list[Document] = [{"restart_consumer": {"member_id": first, "new_member_id": new}}, {"then": "stable"}]
    topic = chance.choice(list(snapshot["topics"]))
    events.append({"add_partitions": {"topic": topic, "partitions": len(snapshot["topics"][topic]["partitions"]) + 3}})
    if len(names) > 1:
        events += [{"then": "stable"}, {"remove_consumer": {"member_id": names[1]}}]
    return snapshot, {"format_version": "1.0", "events": events}


def _member(one: Document) -> Document:
    owned = {
        role: [f"{name}_{number}" for name, numbers in one[role].items() for number in numbers] for role in ("active", "standby")
    }
    return {"process_id": one["process"], "member_epoch": 5, "assignment": owned, "target": owned}


def _events(case: Document, chance: random.Random) -> list[Document]:
    threads: dict[str, int] = {}
    for one in case["members"]:
        threads[one["process"]] = threads.get(one["process"], 0) + 1
    found: list[Document] = []
    for _ in range(chance.choice((1, 1, 2, 3))):
        if found:
            found.append({"then": chance.choice(("target", "stable"))})
        verb = chance.choice(("add", "remove", "replace", "restart", "config")) if threads else "add"
        if verb == "add":
            found.append({"add_client": _started(chance.randint(1, 3), chance)})
        elif verb == "config":
            found.append({"set_config": {"streams.num.standby.replicas": chance.randint(0, 2)}})
        else:
            process = chance.choice(list(threads))
            new = _started(threads.pop(process), chance)
            more = {"remove": {}, "replace": {"by": new}, "restart": {"member_ids": new["member_ids"]}}
            found.append({f"{verb}_client": {"process_id": process, **more[verb]}})
    return found


def _started(count: int, chance: random.Random) -> Document:
    ids = [base64.urlsafe_b64encode(chance.randbytes(16)).decode().rstrip("=") for _ in range(count)]
    return {"process_id": str(uuid.UUID(int=chance.getrandbits(128))), "member_ids": ids}


def same(case: Case) -> None:
    """The group is decided, and the change forecast, as with names, or both are refused. So is a redacted one, redacted again."""
    snapshot, change = case
    before = forecast_of(snapshot, change)
    one = redacted_documents(snapshot, change)

    assert translated(assigned(one.snapshot), one) == assigned(snapshot)
    assert translated(forecast_of(one.snapshot, one.change), one) == before
    assert decides_the_same(any_document.snapshot_from_json(snapshot), one) is not Same.NO
    again = redacted_documents(one.snapshot, one.change)
    assert translated(assigned(again.snapshot), again) == assigned(one.snapshot)


@pytest.mark.thorough
@settings(max_examples=examples(60), deadline=None)
@given(SEEDS, some.sampled_from(RELEASES))
@example(210, RELEASES[210 % len(RELEASES)])  # threads that come, whose member IDs are made of the application ID
@example(394, RELEASES[394 % len(RELEASES)])  # process IDs that differ in their lower half alone
def test_a_streams_group_is_forecast_as_with_names(seed: int, release: str) -> None:
    case = of_streams(seed, release)
    assume(case is not None)
    assert case is not None
    same(case)


@pytest.mark.thorough
@settings(max_examples=examples(60), deadline=None)
@given(SEEDS, some.sampled_from(RELEASES))
def test_any_streams_group_is_decided_as_with_names(seed: int, release: str) -> None:
    """Every assignor, by racks and by tags, with members of several versions and of none."""
    case = random_groups.random_case(seed, release)
    assume(streams_snapshots.sayable(case))
    snapshot = json.loads(json.dumps(streams_snapshots.snapshot_of(case, release)))
    one = redacted_documents(snapshot, None)

    assert translated(assigned(one.snapshot), one) == assigned(snapshot)


@pytest.mark.thorough
@settings(max_examples=examples(60), deadline=None)
@given(SEEDS, some.sampled_from(CONSUMER_RELEASES))
@example(21, CONSUMER_RELEASES[21 % len(CONSUMER_RELEASES)])  # the hash codes of topics decide who has a partition
@example(202, CONSUMER_RELEASES[202 % len(CONSUMER_RELEASES)])  # likewise
def test_a_consumer_group_is_forecast_as_with_names(seed: int, release: str) -> None:
    same(of_consumers(seed, release))


@pytest.mark.thorough
@settings(max_examples=examples(60), deadline=None)
@given(SEEDS, some.sampled_from(CONSUMER_RELEASES))
def test_a_consumer_group_with_random_member_ids_is_forecast_as_with_names(seed: int, release: str) -> None:
    same(with_random_ends(of_consumers(seed, release), seed))


@settings(max_examples=examples(60), deadline=None)
@given(some.lists(some.uuids(version=4), min_size=1, max_size=6, unique=True), SEEDS)
def test_a_new_random_process_id_has_the_same_ranks_with_nearly_the_same_chances(ids: list[uuid.UUID], seed: int) -> None:
    consumer = {"owned": [], "task_offset_sums": {}}
    tasks = {
        f"0_{number}": {"partitions": [["orders", number]], "changelogs": [["pay-a-changelog", number, 9]]} for number in range(5)
    }
    snapshot: Document = {
        "format_version": "1.0",
        "group_id": "pay",
        "protocol": "streams-classic",
        "kafka_release": RELEASES[seed % len(RELEASES)],
        "tasks": tasks,
        "clients": {str(one): {"consumers": {f"pay-{one}-StreamThread-1-consumer-{one}": consumer}} for one in ids},
    }
    change = {"format_version": "1.0", "events": [{"add_client": {"process_id": None, "threads": 1}}]}
    one = redacted_documents(snapshot, change)
    before, after = forecast_of(snapshot, change), forecast_of(one.snapshot, one.change)

    assert len(after["outcomes"]) == len(before["outcomes"])
    for found, wanted in zip(after["outcomes"], before["outcomes"], strict=True):
        assert abs(found["probability"] - wanted["probability"]) < 1 / 32_768
        assert found["summary"]["active_moved"] == wanted["summary"]["active_moved"]
        assert found["summary"]["rebalances"] == wanted["summary"]["rebalances"]


@pytest.mark.thorough
@settings(max_examples=examples(60), deadline=None)
@given(SEEDS, some.sampled_from(BROKER_RELEASES))
def test_a_group_whose_broker_assigns_is_forecast_as_with_names(seed: int, release: str) -> None:
    same(of_a_broker(seed, release))


@pytest.mark.thorough
@settings(max_examples=examples(60), deadline=None)
@given(SEEDS, some.sampled_from(BROKER_CONSUMER_RELEASES))
def test_a_consumer_group_whose_broker_assigns_is_forecast_as_with_names(seed: int, release: str) -> None:
    same(of_consumers_of_a_broker(seed, release))


@pytest.mark.thorough
@settings(max_examples=examples(20), deadline=None)
@given(SEEDS)
@example(21)  # without the hash codes of topics another decision comes of it
def test_whether_the_decision_is_the_same_without_hash_codes_is_said(seed: int) -> None:
    snapshot, _ = of_consumers(seed, CONSUMER_RELEASES[seed % len(CONSUMER_RELEASES)])
    one = redacted_documents(snapshot, None, keeps_hash_codes=False)
    same_now = decides_the_same(any_document.snapshot_from_json(snapshot), one)

    assert (same_now is Same.NO) == (translated(assigned(one.snapshot), one) != assigned(snapshot))
    assert same_now is Same.NO or seed != 21


@settings(max_examples=examples(60), deadline=None)
@given(snapshots())
def test_whatever_texts_a_snapshot_has_another_one_comes_of_it(snapshot: Snapshot) -> None:
    one = redacted(snapshot)

    again = any_document.snapshot_from_json(strict.loads(strict.dumps(one.snapshot)))
    assert any_document.snapshot_to_json(again) == one.snapshot
    assert strict.dumps(one.snapshot).isascii()
    assert redacted(snapshot) == one
