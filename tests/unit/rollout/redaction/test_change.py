"""A Change without names: field by field."""

import pytest

from holdfast.errors import InvalidInput
from holdfast.rollout.redaction import change
from holdfast.rollout.redaction.found import Found, Role
from holdfast.rollout.redaction.names import Names

OLD, NEW = "4b61083e-57d0-457d-951f-d06556c148ca", "bbb83e43-b1af-4b2d-a60a-94a7091684d0"


def redacted(*events: object) -> tuple[list[object], Names]:
    document = {"format_version": "1.0", "events": list(events)}
    found = Found("payments", streams=True)
    change.take(found, document)
    names = Names(found)
    written = change.redacted(document, names)["events"]
    assert isinstance(written, list)
    return written, names


def test_every_role_is_replaced_where_it_is() -> None:
    by = {"process_id": NEW, "host": "db-1", "rack": "eu", "client_tags": {"zone": "a"}, "user_endpoint": "db-1:80", "threads": 2}
    written, names = redacted({"replace_client": {"process_id": OLD, "by": by, "state": {"copied_from": OLD}}}, {"then": "stable"})
    old, new = (names.of(Role.PROCESS, one) for one in (OLD, NEW))

    assert written == [
        {
            "replace_client": {
                "process_id": old,
                "by": {
                    "process_id": new,
                    "host": "host-01",
                    "rack": "rack-01",
                    "client_tags": {"tag-01": "zone-01"},
                    "user_endpoint": "endpoint-01:8080",
                    "threads": 2,
                },
                "state": {"copied_from": old},
            }
        },
        {"then": "stable"},
    ]


def test_partitions_may_be_a_number_or_lists_with_topics() -> None:
    written, _ = redacted(
        {"add_partitions": {"topic": "orders", "partitions": 8}},
        {"set_topology": {"tasks": {"0_0": {"partitions": [["orders", 0]], "changelogs": [["payments-a-changelog", 0, 17]]}}}},
    )

    assert written == [
        {"add_partitions": {"topic": "a-topic-01", "partitions": 8}},
        {
            "set_topology": {
                "tasks": {"0_0": {"partitions": [["a-topic-01", 0]], "changelogs": [["group-store-01-changelog", 0, 17]]}}
            }
        },
    ]


def test_member_ids_are_by_process_or_by_the_old_one() -> None:
    written, names = redacted(
        {"move_to_streams_protocol": {"member_ids": {OLD: ["m1"]}, "new_process_ids": {OLD: NEW}, "late": [OLD]}},
        {"set_assignors": {"assignors": ["sticky"], "member_ids": {"m1": "m2"}}},
        {"restart_client": {"process_id": OLD, "late": True}},
    )
    old, new = (names.of(Role.PROCESS, one) for one in (OLD, NEW))
    first, second = names.of(Role.MEMBER, "m1"), names.of(Role.MEMBER, "m2")

    assert written == [
        {"move_to_streams_protocol": {"member_ids": {old: [first]}, "new_process_ids": {old: new}, "late": [old]}},
        {"set_assignors": {"assignors": ["sticky"], "member_ids": {first: second}}},
        {"restart_client": {"process_id": old, "late": True}},
    ]
    assert change.assignors(written) == {"sticky"}


def test_settings_are_those_of_a_snapshot() -> None:
    written, _ = redacted({"set_config": {"num.standby.replicas": 1, "client.id": "payments"}})

    assert written == [{"set_config": {"num.standby.replicas": 1}}]


def test_an_event_of_whose_settings_nothing_is_left_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"an event sets 'client.id', .*: take the event out of the change"):
        redacted({"set_config": {"client.id": "payments"}})


def test_a_text_in_a_field_that_is_not_known_is_refused() -> None:
    with pytest.raises(InvalidInput, match="the field 'nickname' of a change cannot be redacted"):
        redacted({"add_client": {"nickname": "payments"}})
