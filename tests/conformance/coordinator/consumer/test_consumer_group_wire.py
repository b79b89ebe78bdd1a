"""ConsumerGroupDescribe: what the release's own classes write is read as what they were given; all else is refused."""

import base64
import contextlib
import os
import random
from typing import Any

import pytest
from tests.conformance.coordinator.coordinator_jvm import CoordinatorWireJvm

from holdfast.errors import HoldfastError, MalformedBytes
from holdfast.kafka.coordinator.consumer.group import Owned
from holdfast.kafka.wire import consumer_group_description as description
from holdfast.kafka.wire.consumer_group_description import DescribedConsumer, DescribedConsumerGroup

pytestmark = pytest.mark.jvm

SEED = int(os.environ.get("HOLDFAST_SEED") or random.SystemRandom().randrange(10**9))
RESPONSE = "org.apache.kafka.common.message.ConsumerGroupDescribeResponseData"
_TEXTS = ("", "shop", "é \U0001f600", "x" * 200)


def _owned(chance: random.Random) -> tuple[Any, Owned]:
    owned = tuple(
        (f"t{number}", tuple(chance.randrange(10**6) for _ in range(chance.randrange(5)))) for number in range(chance.randrange(4))
    )
    topics = [{"topicId": "ZkFtL0R4T3-9bXq0Qw4nUg", "topicName": name, "partitions": list(each)} for name, each in owned]
    return {"topicPartitions": topics}, owned


def _member(chance: random.Random, version: int) -> tuple[Any, DescribedConsumer]:
    assignment, target = _owned(chance), _owned(chance)
    kind = chance.choice((-1, 0, 1))
    texts = [chance.choice((None, *_TEXTS)) for _ in range(3)]
    names = chance.sample(_TEXTS, chance.randrange(3))
    member_id, client, host, epoch = *(chance.choice(_TEXTS) for _ in range(3)), chance.randint(-2, 10**6)
    given = {"memberId": member_id, "instanceId": texts[0], "rackId": texts[1], "memberEpoch": epoch, "clientId": client}
    given |= {"clientHost": host, "subscribedTopicNames": names, "subscribedTopicRegex": texts[2]}
    given |= {"assignment": assignment[0], "targetAssignment": target[0]} | ({"memberType": kind} if version else {})
    member_type = {-1: "unknown", 0: "classic", 1: "consumer"}[kind] if version else None
    return given, DescribedConsumer(
        member_id, *texts[:2], epoch, client, host, tuple(names), texts[2], assignment[1], target[1], member_type
    )


def _described(chance: random.Random, version: int) -> tuple[Any, tuple[DescribedConsumerGroup, ...]]:
    groups, expected = [], []
    for number in range(chance.randrange(1, 4)):
        members = [_member(chance, version) for _ in range(chance.randrange(5))]
        error, message, operations = chance.choice((0, 30)), chance.choice((None, "no")), chance.choice((-(2**31), 264))
        group = {"errorCode": error, "errorMessage": message, "groupId": f"g{number}", "groupState": "Stable", "groupEpoch": 7}
        group |= {"assignmentEpoch": 6, "assignorName": "uniform", "members": [given for given, _ in members]}
        groups.append(group | {"authorizedOperations": operations})
        found = tuple(member for _, member in members)
        expected.append(DescribedConsumerGroup(error, message, f"g{number}", "Stable", 7, 6, "uniform", found, operations))
    return {"throttleTimeMs": 0, "groups": groups}, tuple(expected)


@pytest.mark.parametrize("release", ["4.2.1", "4.3.1", "4.4.0"])
def test_what_kafka_writes_is_read_as_what_it_was_given(release: str) -> None:
    print(f"HOLDFAST_SEED={SEED}")
    chance = random.Random(SEED)
    with CoordinatorWireJvm(release) as jvm:
        for version in (0, 1):
            responses = [_described(chance, version) for _ in range(100)]
            asked = ({"class": RESPONSE, "json": given, "version": version} for given, _ in responses)
            for answer, (_, expected) in zip(jvm.ask(asked), responses, strict=True):
                data = base64.b64decode(answer["bytes"])
                assert description.decode_response(data, version) == expected
                for cut in range(0, len(data), 7):
                    with pytest.raises(MalformedBytes):
                        description.decode_response(data[:cut], version)
                broken = bytearray(data)
                broken[chance.randrange(len(broken))] = chance.choice((0, 1, 0x7F, 0x80, 0xFF))
                with contextlib.suppress(HoldfastError):
                    description.decode_response(bytes(broken), version)
