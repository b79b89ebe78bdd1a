"""A streams group whose broker assigns among the kinds of groups: its rows, what differs, and what is refused by name."""

from dataclasses import replace
from typing import Any

import pytest
from tests.harness.kafka.described_groups import CONFIGS, MEMBERS, PARTITIONS, TOPOLOGY, group, member

from holdfast.errors import CannotPredict
from holdfast.rollout.broker_streams.kind.kind import BrokerStreamsKind
from holdfast.rollout.broker_streams.snapshot.described import snapshot_of
from holdfast.rollout.broker_streams.snapshot.snapshot import SNAPSHOT, StreamsGroupSnapshot
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.kinds import any_difference, registry
from holdfast.rollout.kinds.schemas import schema_of
from holdfast.rollout.tables import group_rows, loss_rows

KIND = BrokerStreamsKind()
CONFIG = tuple((one.name, one.value) for one in CONFIGS if one.name.startswith("streams."))


def taken(**differs: Any) -> StreamsGroupSnapshot:
    found = snapshot_of(
        group(), PARTITIONS, cluster="local", captured_at="2026-11-22T05:00:00Z", broker_release="4.3", config=CONFIG
    )
    return replace(found, **differs)


def document(snapshot: StreamsGroupSnapshot) -> str:
    return dumps(SNAPSHOT.write(snapshot))


def test_its_documents_are_its_own() -> None:
    assert registry.of_snapshot(SNAPSHOT.write(taken())).name == registry.kind_of(taken()).name == KIND.name
    properties: Any = schema_of("streams-group-snapshot")["properties"]
    assert properties.keys() - SNAPSHOT.write(taken()).keys() == {
        "classic",
        "recorded_targets",
        "state_directories",
    }  # of which there are none
    assert "undetermined_tasks" in schema_of("streams-group-assignment")["properties"]  # type: ignore[operator]


def test_its_rows() -> None:
    found: Any = group_rows.decode("snapshots/x.json", document(taken()).encode())
    assert found["problem"] is None
    group_ = found["group"]
    assert (group_["clients"], group_["threads"], group_["tasks"], group_["stateful_tasks"], group_["standbys"]) == (2, 2, 8, 4, 1)
    assert (group_["kafka_release"], group_["group_state"], group_["threads_alike"]) == ("4.3", "Stable", True)
    assert [(one["host"], one["active_stateful"], one["other_copies"]) for one in found["clients"]] == [
        ("10.0.0.2", 2, 2),
        ("10.0.0.1", 2, 2),
    ]
    owners = {one["task_id"]: one["owner"] for one in found["tasks"]}
    assert owners["1_3"] == found["members"][0]["process_id"]
    assert [one["stateful"] for one in found["tasks"]] == [False] * 4 + [True] * 4
    assert [one["subtopology"] for one in found["tasks"]][::4] == [0, 1]


def test_its_fingerprint_is_that_of_what_decides() -> None:
    def of(snapshot: StreamsGroupSnapshot) -> object:
        return KIND.decoded(snapshot)["group"]["fingerprint"]  # type: ignore[index]

    assert of(taken(captured_at="2027-01-01T00:00:00Z", group_epoch=9, unknown=(Unknown("config"),))) == of(taken())
    assert of(taken(config=())) != of(taken())
    assert of(taken(broker_release="4.4")) != of(taken())


def test_where_each_task_would_go() -> None:
    settled: Any = group_rows.targets(document(taken()))
    assert [(one["task_id"], one["will_move"]) for one in settled["targets"]] == [(f"1_{number}", False) for number in range(4)]
    third = member("m-c", "third")
    joined = snapshot_of(group((*MEMBERS, third)), PARTITIONS, broker_release="4.3", config=CONFIG)
    moving = [one for one in KIND.targets(joined) if one["will_move"]]
    assert {one["target"] for one in moving} == {"third"}
    assert moving


def test_what_cannot_be_said_is_a_problem_and_no_row() -> None:
    unready = taken(group_state="NotReady")
    with pytest.raises(CannotPredict, match="NotReady"):
        KIND.targets(unready)
    found: Any = group_rows.decode("x", document(taken(topology=None)).encode())
    assert (found["group"]["tasks"], found["tasks"]) == (None, [])
    assert loss_rows.losses(document(taken()))["problem"] is None
    assert KIND.forecast_losses(taken(), ()) == []
    assert group_rows.order_change(document(taken()), document(taken(members=()))) is None


def test_what_a_page_shows() -> None:
    assert KIND.facts(taken())[:2] == (("Clients", "2 clients, 2 threads"), ("Tasks", "8, 4 stateful"))
    unknown = dict(KIND.facts(taken(topology=None, broker_release=None, group_epoch=None)))
    assert (unknown["Tasks"], unknown["Brokers' release"], unknown["Group epoch"]) == ("unknown",) * 3
    assert [(one.name, one.detail) for one in KIND.hosts(taken())] == [("10.0.0.1", "runs 4 tasks"), ("10.0.0.2", "runs 4 tasks")]
    assert KIND.members(taken()) == 2
    settings = {one.key: (one.now, one.default) for one in KIND.settings(taken())}
    assert settings["streams.num.standby.replicas"] == ("1", "0")
    assert KIND.example(taken()) == {
        "replace_client": {"process_id": taken().members[0].process_id, "by": {"process_id": None, "threads": 1}}
    }
    assert KIND.example(taken(members=())) is None


def test_what_differs() -> None:
    after = taken(
        group_epoch=8,
        members=taken().members[:1],
        config=(("streams.num.standby.replicas", None),),
        topics=taken().topics[:1],
        unknown=(Unknown("config", "not read"),),
    )
    found = any_difference.of_snapshots(taken(), after)
    parts = {one.part for one in found.lines}
    assert parts == {"group", "client", "owner", "setting", "topic", "unknown"}
    assert not any_difference.of_snapshots(taken(), taken()).lines


def test_a_member_without_process_or_assignment() -> None:
    bare = replace(taken().members[0], process_id=None, assignment=None, host=None)
    rows: Any = KIND.decoded(taken(members=(bare,)))
    assert (rows["members"][0]["active_stateful"], rows["clients"][0]["process_id"]) == (0, None)
    assert [one.name for one in KIND.hosts(taken(members=(bare,)))] == ["m-b"]


def test_whose_documents_are_its_own() -> None:
    assert not KIND.owns_change({"events": []})
    assert not KIND.owns_plan({})
    KIND.refuse_settings(taken())


def test_without_a_topology_that_is_ready_nothing_stateful_is_known() -> None:
    unconfigured = replace(TOPOLOGY, subtopologies=None)
    found = snapshot_of(group(topology=unconfigured), PARTITIONS)
    assert KIND.decoded(found)["tasks"] == []
