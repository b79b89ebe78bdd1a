"""What moves over the targets of a change, and what a person reads of it."""

from typing import Any

import pytest
from tests.unit.rollout.broker_streams.streams_groups import forecast, snapshot

from holdfast.rollout.broker_streams.kind.kind import BrokerStreamsKind
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.text import document_blocks

RESTART: Any = {"restart_client": {"process_id": "c", "member_ids": ["n0", "n1"]}}


def summary(*events: Any) -> Any:
    answer: Any = forecast(*events)
    return answer["outcomes"][0]["summary"]


def test_a_restart_moves_tasks_away_and_others_back() -> None:
    found = summary(RESTART)
    assert found["stateful_tasks"] == 6
    assert found["targets"] == 2
    assert found["moves"] == 4  # the two of c go to others, and it gets two back
    assert found["cold_moves"] >= 2
    assert summary({"restart_client": RESTART["restart_client"] | {"within_interval": True}})["moves"] == 0


@pytest.mark.parametrize(("state", "cold"), [("empty", 2), ("kept", 0), ({"copied_from": "c"}, 0), ({"copied_from": "a"}, 2)])
def test_what_the_disk_of_a_new_client_has_is_not_cold(state: Any, cold: int) -> None:
    by = {"process_id": "d", "member_ids": ["n0", "n1"]}
    found = summary({"replace_client": {"process_id": "c", "by": by, "state": state}})
    assert (found["moves"], found["active_moved"], found["cold_moves"]) == (2, 2, cold)


def test_a_disk_that_is_lost_has_nothing() -> None:
    kept = summary(RESTART)["cold_moves"]
    lost = summary({"restart_client": RESTART["restart_client"] | {"keeps_state": False}})["cold_moves"]
    assert lost >= kept
    renamed = {"keeps_process_id": False, "new_process_id": "d"}
    assert summary({"restart_client": RESTART["restart_client"] | renamed})["cold_moves"] == kept


def text(*events: Any, of: Any = None) -> str:
    kind = BrokerStreamsKind()
    group = kind.snapshot_from_json(of or snapshot())
    change = kind.change_from_json({"format_version": "1.0", "events": list(events)})
    return str(list(kind.forecast_blocks(group, kind.forecast(group, change, 1), Detail.FULL)))


def test_what_is_read() -> None:
    found = text(RESTART, of=snapshot(unknown=["config"], group_epoch=None))
    assert "of 6 stateful tasks end on another client, in 2 targets." in found
    assert "4 hand-overs of stateful tasks in all" in found
    assert "1_4 host-c→host-" in found
    assert "'unknown', 'change'" in found
    assert "Unknown: config" in found
    assert "nothing moves" in text()
    assert "No stateful task is handed over." in text({"set_config": {"streams.num.standby.replicas": 1}})
    many = [{"set_config": {"streams.num.standby.replicas": number % 2}} for number in range(1, 34)]
    events = [one for pair in zip(many, [{"then": "target"}] * 33, strict=True) for one in pair]
    assert "more, see --json" in text(*events)


def test_blocks_are_those_of_every_kind() -> None:
    kind = BrokerStreamsKind()
    group = kind.snapshot_from_json(snapshot())
    change = kind.change_from_json({"format_version": "1.0", "events": [RESTART]})
    blocks = tuple(kind.forecast_blocks(group, kind.forecast(group, change, 1), Detail.SUMMARY))
    assert isinstance(blocks[0], document_blocks.Heading)
    assert not any(isinstance(one, document_blocks.Table) for one in blocks)
