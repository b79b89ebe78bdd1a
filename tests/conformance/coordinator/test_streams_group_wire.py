"""Messages and records of streams groups: what the release's own classes write is read as what they were given."""

import base64
import contextlib
import os
import random
from typing import Any

import pytest
from tests.conformance.coordinator.coordinator_jvm import CoordinatorWireJvm, WholeCoordinatorJvm
from tests.conformance.coordinator.scripts import random_script
from tests.harness.kafka import streams_group_messages as messages

from holdfast.errors import HoldfastError, MalformedBytes
from holdfast.kafka.wire import streams_group_description as description
from holdfast.kafka.wire import streams_group_records as records
from holdfast.kafka.wire.streams_group_records import RecordKey, RecordKind, TargetMember, TargetMetadata
from holdfast.rollout.broker_streams.snapshot.recorded import MOST_TARGETS, Replay
from holdfast.rollout.broker_streams.snapshot.tasks import in_order

pytestmark = pytest.mark.jvm

SEED = int(os.environ.get("HOLDFAST_SEED") or random.SystemRandom().randrange(10**9))
MESSAGES = 200
OF_GROUPS = (RecordKind.GROUP_METADATA, RecordKind.TARGET_METADATA, RecordKind.TOPOLOGY)
CLIENTS, COORDINATOR = "org.apache.kafka.common.message", "org.apache.kafka.coordinator.group.generated"


def _bytes(answer: dict[str, Any]) -> bytes:
    return base64.b64decode(answer["bytes"])


@pytest.mark.parametrize("release", ["4.2.1", "4.3.1", "4.4.0"])
def test_what_kafka_writes_is_read_as_what_it_was_given(release: str) -> None:
    print(f"HOLDFAST_SEED={SEED}")
    chance = random.Random(SEED)
    with CoordinatorWireJvm(release) as jvm:
        for version in (0, 1) if release >= "4.4" else (0,):
            responses = [messages.described(chance, version) for _ in range(MESSAGES)]
            name = f"{CLIENTS}.StreamsGroupDescribeResponseData"
            asked = ({"class": name, "json": given, "version": version} for given, _ in responses)
            for answer, (_, expected) in zip(jvm.ask(asked), responses, strict=True):
                assert description.decode_response(_bytes(answer), version) == expected
            request = description.encode_request(["shop", "é" * 100], version, include_authorized_operations=True)
            sent = {"class": f"{CLIENTS}.StreamsGroupDescribeRequestData", "bytes": base64.b64encode(request).decode()}
            assert _bytes(jvm.ask([sent | {"version": version}])[0]) == request
        for kind in RecordKind:
            values = [messages.record(kind, chance, timestamps=release >= "4.3") for _ in range(MESSAGES)]
            asked = ({"class": f"{COORDINATOR}.{messages.NAMES[kind]}Value", "json": given} for given, _ in values)
            for answer, (_, value) in zip(jvm.ask(asked), values, strict=True):
                assert records.decode_value(kind, b"\0\0" + _bytes(answer)) == value
            of_member = {} if kind in OF_GROUPS else {"memberId": "m é"}
            key = jvm.ask([{"class": f"{COORDINATOR}.{messages.NAMES[kind]}Key", "json": {"groupId": "shop", **of_member}}])[0]
            found = records.decode_key(kind.value.to_bytes(2, "big") + _bytes(key))
            assert found == RecordKey(kind, "shop", of_member.get("memberId"))


@pytest.mark.parametrize("jvm", ["4.2.1", "4.3.1"], indirect=True)
def test_the_log_and_the_description_of_a_group_tell_the_same_targets(jvm: WholeCoordinatorJvm) -> None:
    """Records 17 to 23 that a whole coordinator wrote, replayed, give the targets that it describes."""
    print(f"HOLDFAST_SEED={SEED}")
    scripts = [random_script(random.Random(SEED + number)) | {"bytes": True} for number in range(10)]
    for answer in jvm.ask(scripts):
        targets: dict[str | None, Any] = {}
        epochs = []
        for one in answer["records"]:
            key = records.decode_key(base64.b64decode(one["key"]))
            assert key is not None, one["says"]
            value = None if one["value"] is None else records.decode_value(key.kind, base64.b64decode(one["value"]))
            if key.kind is RecordKind.TARGET_MEMBER:
                targets.pop(key.member_id, None)
                if isinstance(value, TargetMember):
                    targets[key.member_id] = value.target
            if isinstance(value, TargetMetadata):
                epochs.append(value.epoch)
        last = answer["steps"][-1]
        (group,) = description.decode_response(base64.b64decode(last["described"]))
        assert [member.member_id for member in group.members] == list(last["members"])
        assert {member.member_id: member.target for member in group.members if member.member_id in targets} == targets
        assert epochs == sorted(epochs)
        assert not epochs or epochs[-1] == group.assignment_epoch  # none: no member stayed until the first target


@pytest.mark.parametrize("jvm", ["4.2.1", "4.3.1"], indirect=True)
def test_the_replayed_log_has_every_target_that_was_described(jvm: WholeCoordinatorJvm) -> None:
    """Of random scripts: the recorded target of each assignment epoch is the one that members are described with in that epoch."""
    print(f"HOLDFAST_SEED={SEED}")
    scripts = [random_script(random.Random(SEED + number)) | {"bytes": True} for number in range(15)]
    compared = 0
    for answer in jvm.ask(scripts):
        replay = Replay()
        epochs = []
        for one in answer["records"]:
            key = records.decode_key(base64.b64decode(one["key"]))
            assert key is not None, one["says"]
            value = None if one["value"] is None else records.decode_value(key.kind, base64.b64decode(one["value"]))
            replay.take(key, value, 0)
            epochs += [value.epoch] if isinstance(value, TargetMetadata) else []
        assert [one.assignment_epoch for one in replay.targets] == epochs[-MOST_TARGETS:]
        recorded = {one.assignment_epoch: {each.member_id: each for each in one.members} for one in replay.targets}
        for step in (step for step in answer["steps"] if "described" in step):
            (group,) = description.decode_response(base64.b64decode(step["described"]))
            if group.group_epoch == group.assignment_epoch and group.assignment_epoch in recorded:
                told = recorded[group.assignment_epoch]
                for member in group.members:
                    target, own = told[member.member_id], member.target
                    assert (target.active, target.standby) == (in_order(own.active), in_order(own.standby)), step
                    assert target.process_id == member.process_id
                    compared += 1
    assert compared > 100


def test_broken_messages_are_refused_or_read_and_nothing_else() -> None:
    """Every cut of a real response is refused; with a few bytes changed it is a value or a refusal."""
    print(f"HOLDFAST_SEED={SEED}")
    chance = random.Random(SEED)
    with CoordinatorWireJvm("4.3.1") as jvm:
        asked = [{"class": f"{CLIENTS}.StreamsGroupDescribeResponseData", "json": messages.described(chance)[0]} for _ in range(20)]
        real = [_bytes(answer) for answer in jvm.ask(asked)]
        values = {
            kind: _bytes(
                jvm.ask([{"class": f"{COORDINATOR}.{messages.NAMES[kind]}Value", "json": messages.record(kind, chance)[0]}])[0]
            )
            for kind in RecordKind
        }
    for data in real:
        for cut in range(len(data)):
            with pytest.raises(MalformedBytes):
                description.decode_response(data[:cut])
        for _ in range(200):
            with contextlib.suppress(HoldfastError):
                description.decode_response(_broken(data, chance))
    for kind, data in values.items():
        for _ in range(500):
            with contextlib.suppress(HoldfastError):
                records.decode_value(kind, b"\0\0" + _broken(data, chance))
            with contextlib.suppress(HoldfastError):
                records.decode_key(_broken(data, chance))


def _broken(data: bytes, chance: random.Random) -> bytes:
    broken = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        if broken:
            broken[chance.randrange(len(broken))] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
    return bytes(broken)
