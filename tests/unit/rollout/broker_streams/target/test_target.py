"""`holdfast assign` for a streams group whose broker assigns; tests/conformance/coordinator asks the published jars as well."""

import copy
from typing import Any

import pytest

from holdfast.errors import CannotPredict, HoldfastError, InvalidInput, Unsupported
from holdfast.rollout.broker_streams.snapshot.snapshot import SNAPSHOT
from holdfast.workflows.deciding import assign_document

SHOP: dict[str, Any] = {
    "format_version": "1.0",
    "cluster": "local",
    "group_id": "shop",
    "captured_at": "2026-11-22T05:00:00Z",
    "protocol": "streams",
    "broker_release": "4.3.1",
    "group_state": "Stable",
    "group_epoch": 12,
    "assignment_epoch": 12,
    "config": {"streams.num.standby.replicas": 1},
    "topology": {
        "epoch": 0,
        "subtopologies": {
            "0": {"source_topics": ["orders"], "repartition_sink_topics": ["shop-by-id-repartition"]},
            "1": {"repartition_source_topics": ["shop-by-id-repartition"], "changelog_topics": ["shop-counts-changelog"]},
        },
    },
    "topics": {
        "orders": {"partitions": [{"id": 0}, {"id": 1}]},
        "shop-by-id-repartition": {"partitions": [{"id": 0}, {"id": 1}]},
        "shop-counts-changelog": {"partitions": [{"id": 0}, {"id": 1}]},
    },
    "members": {
        "m1": {
            "process_id": "p1",
            "assignment": {"active": ["0_0", "1_0"], "standby": ["1_1"], "warmup": []},
            "target": {"active": ["0_0", "1_0"], "standby": ["1_1"], "warmup": []},
        },
        "m2": {
            "process_id": "p2",
            "assignment": {"active": ["0_1", "1_1"], "standby": ["1_0"], "warmup": []},
            "target": {"active": ["0_1", "1_1"], "standby": ["1_0"], "warmup": []},
        },
    },
    "unknown": [],
}


def _shop(**changed: Any) -> dict[str, Any]:
    return copy.deepcopy(SHOP) | changed


def _given(document: dict[str, Any], **how: Any) -> dict[str, Any]:
    members: Any = assign_document(document, how.get("release"), how.get("settings", ()))["members"]
    return {member: {role: tasks for role, tasks in given.items() if tasks} for member, given in members.items()}


def test_a_settled_group_stays_as_it_is() -> None:
    assert assign_document(_shop(), None, ()) == {
        "format_version": "1.0",
        "assignor": "sticky",
        "members": {
            "m1": {"active": ["0_0", "1_0"], "standby": ["1_1"], "warmup": []},
            "m2": {"active": ["0_1", "1_1"], "standby": ["1_0"], "warmup": []},
        },
        "undetermined_tasks": [],
    }


def test_settings_and_release_are_put_over_those_of_the_snapshot() -> None:
    bare = _given(_shop(broker_release=None), release="4.2.0", settings=(("streams.num.standby.replicas", "0"),))
    assert bare == {"m1": {"active": ["0_0", "1_0"]}, "m2": {"active": ["0_1", "1_1"]}}


@pytest.mark.parametrize(("release", "decides", "ignored"), [("4.3.1", "target", "assignment"), ("4.4.0", "assignment", "target")])
def test_the_target_decides_up_to_4_3_and_the_current_assignment_from_4_4(release: str, decides: str, ignored: str) -> None:
    swapped = {"m1": {"active": ["0_1", "1_1"], "standby": ["1_0"]}, "m2": {"active": ["0_0", "1_0"], "standby": ["1_1"]}}
    document = _shop(broker_release=release)
    for member, tasks in swapped.items():
        document["members"][member][decides] = tasks
    assert _given(document) == swapped
    document["members"]["m1"][ignored] = None
    assert _given(document) == swapped
    document["members"]["m1"][decides] = None
    with pytest.raises(CannotPredict, match=rf"members\.m1\.{decides} is unknown"):
        _given(document)


def test_where_the_topology_is_not_ready_every_target_is_empty() -> None:
    assert _given(_shop(group_state="NotReady")) == {"m1": {}, "m2": {}}
    assert _given(_shop(group_state="NotReady", topology=None)) == {"m1": {}, "m2": {}}
    grown = _shop()
    grown["topics"]["shop-by-id-repartition"]["partitions"].append({"id": 2})
    assert _given(grown) == {"m1": {}, "m2": {}}, "the changelog has two partitions, three are needed"


def test_a_group_without_members_has_an_empty_target() -> None:
    assert _given(_shop(members={})) == {}


@pytest.mark.parametrize(
    ("changed", "kind", "says"),
    [
        ({"broker_release": None}, CannotPredict, "broker_release"),
        ({"broker_release": "4.1.2"}, Unsupported, "changes from call to call"),
        ({"topology": None}, CannotPredict, "topology is unknown"),
        ({"topics": {}}, CannotPredict, "topics.orders"),
        ({"unknown": [{"what": "members.x", "reason": "timed out"}]}, CannotPredict, "timed out"),
        ({"members": {"m1": {"target": {"active": []}}}}, CannotPredict, "members.m1.process_id"),
        ({"config": {"streams.num.standby.replicas": "many"}}, InvalidInput, "config.streams.num.standby.replicas"),
        ({"config": {"streams.assignor.name": "balanced"}}, Unsupported, "'balanced' is not covered"),
        ({"topology": {"subtopologies": {"0": {}}}}, InvalidInput, "one source topic or more"),
        ({"members": {"m1": {"target": {"active": ["x"]}}}}, InvalidInput, "'x' is not a task ID"),
        ({"members": {"m1": {"target": {"active": ["0_0", "0_0"]}}}}, InvalidInput, "'0_0' is given twice"),
        ({"topics": {"orders": {"partitions": [{"id": 1}]}}}, InvalidInput, "numbered from 0 on"),
    ],
)
def test_what_a_target_cannot_be_computed_from_is_refused(changed: dict[str, Any], kind: type[HoldfastError], says: str) -> None:
    with pytest.raises(kind, match=says):
        assign_document(_shop(**changed), None, ())


def test_ids_may_be_any_text() -> None:
    document = _shop()
    document["members"] = {
        "\u202e.\u00e9 \U0001f600": document["members"]["m1"] | {"process_id": ""},
        "m2": document["members"]["m2"],
    }
    document["topology"]["subtopologies"] = {"a_b": document["topology"]["subtopologies"]["0"]}
    assert _given(document) == {"\u202e.\u00e9 \U0001f600": {"active": ["a_b_0"]}, "m2": {"active": ["a_b_1"]}}


def test_a_snapshot_is_read_as_it_is_written() -> None:
    document = _shop()
    document["members"]["m1"]["task_offsets"] = {"1_0": 12}
    snapshot = SNAPSHOT.read(document)
    written = SNAPSHOT.write(snapshot)
    assert SNAPSHOT.read(written) == snapshot
    assert list(written["members"]) == ["m1", "m2"], "the order of members decides"  # type: ignore[call-overload]
