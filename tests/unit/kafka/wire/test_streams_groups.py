"""A streams group as Kafka 4.3.1 described and stored it when its only member had just joined."""

import base64

import pytest

from holdfast.errors import MalformedBytes, Unsupported
from holdfast.kafka.wire import streams_group_description as description
from holdfast.kafka.wire import streams_group_records as records
from holdfast.kafka.wire.streams_group_records import RecordKey, RecordKind
from holdfast.kafka.wire.streams_tasks import InternalTopic, OwnedTasks

DESCRIBED = (
    "AAAAAAIAAAAFc2hvcAdTdGFibGUAAAACAAAAAgEAAAAAAgIwAghpbnB1dC0wAQISc3RvcmUtMC1jaGFuZ2Vsb2cAAAAAAAABAAEAAAIDbTEAAAACAAAHY2xpZW50FGxv"
    "Y2FsaG9zdC8xMjcuMC4wLjEAAAAAA3Ax/wEBAQICMAMAAAAAAAAAAQABAQACAjADAAAAAAAAAAEAAQEAAACAAAAAAAA="
)
"""`StreamsGroupDescribeResponseData`, version 0."""
STORED = {
    "ABMABHNob3AAAm0x": "AAAAAAdjbGllbnQUbG9jYWxob3N0LzEyNy4wLjAuMQAEk+AAAAAAA3Ax/wEA",
    "ABcABHNob3A=": "AAAAAAAAAgIwAghpbnB1dC0wAQISc3RvcmUtMC1jaGFuZ2Vsb2cAAAAAAAABAAEBAQAA",
    "ABEABHNob3A=": "AAAAAAACmL6hidj+hzwCAAQAAAAAARkCFW51bS5zdGFuZGJ5LnJlcGxpY2FzAjAA",
    "ABUABHNob3AAAm0x": "AAACAjADAAAAAAAAAAEAAQEA",
    "ABQABHNob3A=": "AAAAAAACAQAIAAAAAAAAA+g=",
    "ABYABHNob3AAAm0x": "AAAAAAACAAAAAAECAjADAAAAAAAAAAEBAAkDAAAAAgAAAAIBAQEBAQA=",
}
"""The records of the same moment: keys and values."""
OWNED = OwnedTasks((("0", (0, 1)),), (), ())


def test_a_described_group() -> None:
    (group,) = description.decode_response(base64.b64decode(DESCRIBED))
    assert (group.error_code, group.group_id, group.state, group.group_epoch, group.assignment_epoch) == (0, "shop", "Stable", 2, 2)
    changelog = InternalTopic("store-0-changelog", 0, 0, ())
    subtopology = description.DescribedSubtopology("0", ("input-0",), (), (changelog,), ())
    assert group.topology == description.DescribedTopology(0, (subtopology,))
    (member,) = group.members
    assert (member.member_id, member.process_id, member.client_host) == ("m1", "p1", "localhost/127.0.0.1")
    assert (member.assignment, member.target) == (OWNED, OWNED)


def test_stored_records() -> None:
    found = {}
    for key, value in STORED.items():
        decoded = records.decode_key(base64.b64decode(key))
        assert decoded is not None
        found[decoded] = records.decode_value(decoded.kind, base64.b64decode(value))
    assert found[RecordKey(RecordKind.TARGET_METADATA, "shop")] == records.TargetMetadata(2, 1000)
    assert found[RecordKey(RecordKind.TARGET_MEMBER, "shop", "m1")] == records.TargetMember(OWNED)
    assert found[RecordKey(RecordKind.CURRENT_MEMBER, "shop", "m1")] == records.CurrentMember(2, 0, 1, OWNED, (), (), ())
    metadata = found[RecordKey(RecordKind.GROUP_METADATA, "shop")]
    assert metadata == records.GroupMetadata(2, -7440331920946329796, 0, (("num.standby.replicas", "0"),))


def test_keys_of_other_kinds_are_passed_over() -> None:
    assert records.decode_key(b"\0\2\0\4shop") is None
    assert records.decode_key(b"\0\x12\0\4shop") is None


def test_a_record_of_a_newer_version_is_refused_by_name() -> None:
    with pytest.raises(Unsupported, match="version 1 of record 20"):
        records.decode_value(RecordKind.TARGET_METADATA, b"\0\1\0\0\0\2\0")


VERSION_0 = base64.b64decode(DESCRIBED)
WITHOUT_ASSIGNOR = VERSION_0[:-2]
"""Up to the tagged fields of the group: version 1's additions precede them."""


def test_version_1_names_the_assignor() -> None:
    (group,) = description.decode_response(WITHOUT_ASSIGNOR + b"\xff\0\7sticky\0\0", 1)
    (before,) = description.decode_response(VERSION_0)
    assert (group.assignor, before.assignor, group.members) == ("sticky", None, before.members)


def test_a_description_of_the_topology_that_was_not_asked_for_is_refused() -> None:
    with pytest.raises(MalformedBytes, match="not asked for"):
        description.decode_response(WITHOUT_ASSIGNOR + b"\1\0\7sticky\0\0", 1)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "throttle time"),
        (b"\0\0\0\0\xff\xff\xff\xff\x0f", "do not fit"),
        (b"\0\0\0\0\0", "the groups are null"),
        (b"\0\0\0\0\1\0\0", "1 bytes follow its end"),
        (b"\0\0\0\0\1\2\1\0\1\0", "the tag 1 follows the tag 1"),
    ],
)
def test_what_no_broker_writes_is_refused(data: bytes, says: str) -> None:
    with pytest.raises(MalformedBytes, match=says):
        description.decode_response(data)


def test_a_negative_partition_is_refused() -> None:
    with pytest.raises(MalformedBytes, match="negative partition -1"):
        records.decode_value(RecordKind.TARGET_MEMBER, b"\0\0\2\2" + b"0\2\xff\xff\xff\xff\0\1\1\0")


def test_a_request() -> None:
    assert description.encode_request(["shop"]) == b"\2\5shop\0\0"
    assert description.encode_request(["shop"], 1) == b"\2\5shop\0\0\0"
    assert description.encode_request(["g" * 200], include_authorized_operations=True) == b"\2\xc9\1" + b"g" * 200 + b"\1\0"
