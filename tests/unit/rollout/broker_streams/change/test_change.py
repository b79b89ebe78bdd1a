"""A Change to a streams group whose broker assigns: read strictly, written as it was, described by its schema."""

from typing import Any

import pytest
from tests.unit.rollout.broker_streams.streams_groups import snapshot

from holdfast.errors import HoldfastError
from holdfast.rollout.broker_streams.change.change import CHANGE
from holdfast.rollout.broker_streams.forecast.json import forecast_to_json
from holdfast.rollout.broker_streams.kind.kind import BrokerStreamsKind
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.kinds.schemas import schema_of

EVENTS: list[dict[str, Any]] = [
    {"add_client": {"process_id": "d", "threads": 2, "member_ids": ["m", "n"], "host": "h", "client_tags": {"a": "b"}}},
    {"remove_client": {"process_id": "a", "leaves": False}},
    {"restart_client": {"process_id": "b", "within_interval": True, "member_ids": ["o"]}},
    {"restart_client": {"process_id": "b", "keeps_process_id": False, "new_process_id": "x", "keeps_state": False}},
    {"then": "target"},
    {"replace_client": {"process_id": "c", "by": {"process_id": None}, "state": {"copied_from": "b"}}},
    {"replace_client": {"process_id": "c", "by": {"process_id": "e"}, "state": "kept"}},
    {"then": "stable"},
    {"set_config": {"streams.num.standby.replicas": 1}},
    {"add_partitions": {"topic": "t", "partitions": 3}},
    {
        "set_topology": {
            "subtopologies": {
                "0": {
                    "source_topics": ["t"],
                    "repartition_source_topics": [],
                    "repartition_sink_topics": [],
                    "changelog_topics": ["c"],
                }
            }
        }
    },
]


def read(*events: Any) -> Any:
    return CHANGE.read({"format_version": "1.0", "events": list(events)})


def test_what_is_read_is_written() -> None:
    assert CHANGE.write(read(*EVENTS))["events"] == EVENTS


@pytest.mark.parametrize(
    ("event", "says"),
    [
        ({"then": "rebalance"}, '"target" or "stable" is needed'),
        ({"move_client": {}}, "none of a streams group whose broker assigns; its events are: add_client, add_partitions"),
        ({"add_client": {"process_id": "d"}}, "threads"),
        ({"add_client": {"process_id": "d", "threads": 2, "member_ids": ["m"]}}, r"one member ID a thread is needed \(2\), 1 were"),
        ({"add_client": {"member_ids": ["m", "m"]}}, "a member ID is given twice"),
        ({"add_client": {"member_ids": []}}, "none was found"),
        ({"add_client": {"member_ids": ["m"], "rake": "a"}}, "rake"),
        ({"restart_client": {"process_id": "a", "new_process_id": "b"}}, "takes no new one"),
        ({"restart_client": {"process_id": "a", "leaves": False, "within_interval": True}}, "until its session is over"),
        ({"replace_client": {"process_id": "a", "by": {}, "state": "new"}}, '"empty", "kept" or'),
        ({"replace_client": {"process_id": "a"}}, "'by' is missing"),
        ({"set_config": {}}, "one setting or more"),
        ({"set_config": {"num.standby.replicas": 1}}, "did you mean 'streams.num.standby.replicas'"),
        ({"set_config": {"streams.num.standby.replicas": -1}}, "a number, 0 or more"),
        ({"set_config": {"streams.num.standby.replicas": True}}, "a number, 0 or more"),
        ({"add_partitions": {"topic": "t", "partitions": 0}}, "partitions"),
        ({"add_client": {"threads": 10_000}, "then": "stable"}, "one verb"),
    ],
)
def test_what_is_wrong_is_said(event: Any, says: str) -> None:
    with pytest.raises(HoldfastError, match=says):
        read(event)


def test_too_many_threads_are_refused() -> None:
    with pytest.raises(HoldfastError, match="210,000 threads"):
        read(*[{"add_client": {"threads": 10_000}}] * 21)


def test_its_schemas_are_printed() -> None:
    assert "streams-group-forecast" in BrokerStreamsKind.contracts
    assert "restart_client" in str(schema_of("streams-group-change"))
    assert "session over" in str(schema_of("streams-group-forecast"))


def test_a_kind_reads_and_writes_it() -> None:
    kind = BrokerStreamsKind()
    document = CHANGE.write(read(*EVENTS))
    kind.check_change(document)
    assert kind.change_to_json(kind.change_from_json(document)) == document


def test_a_summary_leaves_the_targets_out() -> None:
    kind = BrokerStreamsKind()
    group = kind.snapshot_from_json(snapshot())
    found = kind.forecast(group, read({"remove_client": {"process_id": "a"}}), 1)
    outcome: Any = forecast_to_json(found, Detail.SUMMARY)["outcomes"]
    assert "targets" not in outcome[0]
    assert outcome[0]["summary"]["targets"] == 1
