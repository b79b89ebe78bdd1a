"""Requests in a few fields, and the shorthand of a rolling restart, for a streams group whose broker assigns."""

from typing import Any

import pytest
from tests.unit.rollout.broker_streams.plans import planned
from tests.unit.rollout.broker_streams.streams_groups import forecast, snapshot

from holdfast.errors import InvalidInput
from holdfast.rollout.broker_streams.change.change import CHANGE, BrokerChange
from holdfast.rollout.broker_streams.events.set_group_protocol import SetGroupProtocol
from holdfast.rollout.broker_streams.events.stop_classic_clients import StopClassicClients
from holdfast.rollout.broker_streams.forecast.course import carried_out
from holdfast.rollout.broker_streams.forecast.forecast import ground_of
from holdfast.rollout.broker_streams.kind.kind import BrokerStreamsKind
from holdfast.rollout.broker_streams.snapshot.snapshot import SNAPSHOT
from holdfast.rollout.contract.requests import request_from_form

KIND = BrokerStreamsKind()
GROUP = SNAPSHOT.read(snapshot())


def events(**form: Any) -> list[Any]:
    written: Any = CHANGE.write(KIND.change_of(request_from_form(form), GROUP))
    return written["events"]


def test_each_change_type() -> None:
    assert events(what="replace a host", hosts=["host-a"], new_host="host-n") == [
        {"replace_client": {"process_id": "a", "by": {"process_id": None, "threads": 2, "host": "host-n"}}}
    ]
    kept = events(what="replace a host", hosts=["host-a"], disk="kept", threads=3)
    assert kept[0]["replace_client"]["state"] == "kept"
    assert kept[0]["replace_client"]["by"]["threads"] == 3
    assert events(what="scale", clients=2, hosts=["host-b"]) == [{"remove_client": {"process_id": "b"}}]
    assert events(what="scale", clients=4, hosts=["host-d"]) == [
        {"add_client": {"process_id": None, "threads": 2, "host": "host-d"}}
    ]
    assert len(events(what="scale", clients=5)) == 2
    assert events(what="change settings", settings="streams.num.standby.replicas=1") == [
        {"set_config": {"streams.num.standby.replicas": 1}}
    ]
    assert events(what="stop and start all", minutes=5) == [{"restart_client": {"process_id": one}} for one in "abc"]


def test_a_rolling_restart() -> None:
    restarts = [{"restart_client": {"process_id": one}} for one in "abc"]
    stable = {"then": "stable"}
    assert events(what="rolling restart") == [restarts[0], stable, restarts[1], stable, restarts[2]]
    assert events(what="rolling restart", at_once=2) == [restarts[0], restarts[1], stable, restarts[2]]
    assert events(what="rolling restart", hosts=["host-c", "a"]) == [restarts[2], stable, restarts[0]]


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        ({"what": "upgrade Kafka Streams", "kafka_release": "3.9.1"}, "is a Streams group whose broker assigns"),
        ({"what": "replace a host", "hosts": ["host-z"]}, "no client of the group runs on 'host-z'.*host-a, host-b, host-c"),
        ({"what": "change settings", "settings": "num.standby.replicas=1"}, "is no config of a streams group"),
        ({"what": "change settings", "settings": "streams.num.standby.replicas=1", "at_once": 2}, "without a restart"),
    ],
)
def test_what_it_cannot_be_asked_for(form: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        events(**form)


@pytest.mark.thorough
def test_the_shorthand_is_written_out() -> None:
    roll = {"rolling_restart": {}}
    assert [one.item.VERB for one in planned(roll).steps if hasattr(one.item, "VERB")].count("restart_client") == 3
    two: Any = forecast({"rolling_restart": {"process_ids": ["c", "a"], "wait": "target"}})
    assert [[*one] for one in two["events"]] == [["restart_client"], ["then"], ["restart_client"]]
    assert two["events"][1] == {"then": "target"}
    KIND.check_change({"format_version": "1.0", "events": [roll]})


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ({"format_version": "1.0", "events": [{"rolling_restart": {"at_one": 1}}]}, "did you mean 'at_once'"),
        ({"format_version": "1.0", "events": 3}, "events"),
        ({"format_version": "1.0", "events": [{"rolling_restart": {}, "then": "stable"}]}, "an event has one verb"),
        (3, "object"),
        *(
            (
                {"format_version": "1.0", "events": [{"restart_client": {"process_id": "a"}}, {verb: value}]},
                f"{verb} is part of a move",
            )
            for verb, value in {
                "set_group_protocol": {"process_ids": ["a"]},
                "stop_classic_clients": {"process_ids": ["a"]},
                "start_moved_client": {"process_id": "a", "threads": 1},
            }.items()
        ),
    ],
)
def test_a_shorthand_that_is_wrong(document: Any, problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        KIND.check_change(document)


def test_a_client_that_starts_after_a_move_is_no_moved_one() -> None:
    """The group is a streams group: it was forecast as add_client."""
    with pytest.raises(InvalidInput, match=r"Use add_client .* move_to_streams_protocol"):
        forecast({"start_moved_client": {"process_id": "z", "threads": 1}})


@pytest.mark.parametrize("event", [SetGroupProtocol, StopClassicClients])
def test_what_is_done_to_a_classic_group_only(event: type[SetGroupProtocol | StopClassicClients]) -> None:
    change = BrokerChange((event(("a", "b", "c")),))
    with pytest.raises(InvalidInput, match="the group is a streams group already"):
        carried_out(ground_of(GROUP), change)


def test_a_change_that_does_not_fit() -> None:
    with pytest.raises(InvalidInput, match="the client 'z' is not in the group"):
        KIND.refuse_misfit(GROUP, CHANGE.read({"format_version": "1.0", "events": [{"remove_client": {"process_id": "z"}}]}))
    unready = SNAPSHOT.read(snapshot(group_state="NotReady"))
    KIND.refuse_misfit(unready, CHANGE.read({"format_version": "1.0", "events": []}))
    assert KIND.records_per_second(CHANGE.read({"format_version": "1.0", "events": []})) is None
    assert KIND.sentence(CHANGE.read({"format_version": "1.0", "events": [{"then": "target"}]}), GROUP) == "wait for a target"
