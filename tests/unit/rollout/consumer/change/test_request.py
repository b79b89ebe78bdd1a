"""Does a form with a few fields mean the right Change to a consumer group, with member IDs as the broker makes them?"""

import pytest
from tests.harness import plain_groups
from tests.harness.plain_groups import Document, member
from tests.unit.rollout.broker_consumer.groups import TOPIC_ID

from holdfast.errors import InvalidInput
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.kinds.any_document import change_to_json, snapshot_from_json
from holdfast.rollout.kinds.requested_change import change_requested
from holdfast.workflows import forecast as forecasting

READERS = {
    "app-0-6f1d5d6a-3c0e-4b7e-9d3e-2a4b6c8d0e1f": member(0, 1, client_id="app-0", host="h0"),
    "app-0-a04b36d2-1111-4c5e-8a77-2d4f6b8c1e35": member(2, 3, client_id="app-0", host="h1"),
    "app-1-0e9d2f6c-3b51-4c8e-9a77-2d4f6b8c1e35": member(4, 5, client_id="app-1", host="h1"),
}
FIRST, SECOND, THIRD = READERS


def snapshot(release: str | None = None) -> ConsumerSnapshot:
    document = plain_groups.group(READERS) | {"broker_release": release}
    for topic in document["topics"].values():
        topic["id"] = TOPIC_ID
    found = snapshot_from_json(document)
    assert isinstance(found, ConsumerSnapshot)
    return found


def events(*, release: str | None = None, **form: object) -> list[Document]:
    found = change_to_json(change_requested(form)(snapshot(release)))["events"]
    assert isinstance(found, list)
    return found


def test_a_host_is_replaced_with_all_its_consumers() -> None:
    replaced = [event["replace_consumer"] for event in events(what="replace a host", hosts=["h1"], new_host="h9")]

    assert [one["member_id"] for one in replaced] == [SECOND, THIRD]
    assert [one["by"]["member_id"][:6] for one in replaced] == ["app-0-", "app-1-"]
    assert {one["by"]["host"] for one in replaced} == {"h9"}


def test_more_consumers_are_like_the_others_and_fewer_are_those_that_are_named() -> None:
    added = [event["add_consumer"] for event in events(what="scale", clients=5, hosts=["x", "y"])]
    gone = [event["remove_consumer"]["member_id"] for event in events(what="scale", clients=1, hosts=["h1"])]

    assert [(one["host"], one["subscription"], one["assignors"]) for one in added] == [
        (host, ["orders"], ["cooperative-sticky"]) for host in ("x", "y")
    ]
    assert len({one["member_id"] for one in added} | {*READERS}) == 5
    assert gone == [SECOND, THIRD]


def test_everybody_restarts_so_many_at_a_time() -> None:
    found = events(what="rolling restart", at_once=2)

    assert [*map(list, found)] == [["restart_consumer"], ["restart_consumer"], ["then"], ["restart_consumer"]]
    assert len(events(what="rolling restart", hosts=["h0"])) == 1


def test_everybody_converts_one_after_the_other() -> None:
    found = events(release="4.3.1", what="move to the consumer protocol")

    assert [*map(list, found)] == [["convert_consumer"], ["then"], ["convert_consumer"], ["then"], ["convert_consumer"]]
    assert events(release="4.3.1", what="move to the consumer protocol", hosts=["h0"]) == [
        {"convert_consumer": {"member_id": FIRST, "to": "consumer"}}
    ]


@pytest.mark.parametrize(
    "form",
    [{"what": "replace a host", "hosts": ["h0"]}, {"what": "scale", "clients": 4}, {"what": "rolling restart"}],
    ids=lambda form: form["what"],
)
def test_it_can_be_forecast(form: dict[str, object]) -> None:
    change = {"format_version": "1.0", "events": events(**form)}
    _, found = forecasting.read_forecast(("the snapshot", plain_groups.group(READERS)), ("the change", change))

    assert found.outcome.stable


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"what": "move to the consumer protocol"}, "what: broker_release: a coordinator of Kafka 4.0 or later is needed"),
        (
            {"what": "upgrade Kafka Streams", "kafka_release": "3.9.1"},
            "what: 'billing' is a consumer group without Kafka Streams: 'upgrade Kafka",
        ),
        ({"what": "replace a host", "hosts": ["h0"], "disk": "kept"}, "disk: a consumer of this group has none"),
        ({"what": "replace a host", "hosts": ["h7"]}, "hosts: no consumer of the group runs on 'h7'. The group has h0, h1, h1"),
        ({"what": "scale", "clients": 3}, "clients: the group has 3 consumers already"),
        (
            {"what": "scale", "clients": 1, "hosts": ["h0"]},
            "hosts: 1 consumer on 1 host found, and 2 must be removed: name their hosts",
        ),
        ({"what": "scale", "clients": 5, "hosts": ["h0"]}, "hosts: 1 were found, and 2 come"),
    ],
    ids=str,
)
def test_refusals_name_the_field_and_what_is_needed(form: dict[str, object], said: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        events(**form)

    assert str(refused.value).startswith(said)
