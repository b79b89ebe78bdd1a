"""Records of consumer groups in `__consumer_offsets`: what the release's own classes write is read as what they were given, and the
targets that a whole coordinator recorded are decided again.

HOLDFAST_SEED=N               the records and scripts of an earlier run
HOLDFAST_CONFORMANCE_CASES=N  number of scripts per release
"""

import base64
import os
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from tests.conformance.coordinator.consumer import past
from tests.conformance.coordinator.consumer.scripts import RandomScript
from tests.conformance.coordinator.coordinator_jvm import CoordinatorWireJvm, WholeConsumerGroupsJvm

from holdfast.kafka.wire import consumer_group_records as records
from holdfast.kafka.wire.consumer_group_records import ConsumerRecordKind as Kind
from holdfast.rollout.backtest.judged import Because, Judged, RebalanceResult
from holdfast.rollout.broker_consumer.backtest.past import PAST
from holdfast.rollout.broker_consumer.backtest.question import ConsumerTargetQuestion

pytestmark = pytest.mark.jvm

SEED = int(os.environ.get("HOLDFAST_SEED") or random.SystemRandom().randrange(10**9))
SCRIPTS = int(os.environ.get("HOLDFAST_CONFORMANCE_CASES") or 20)
RECORDS = 100
GENERATED = "org.apache.kafka.coordinator.group.generated"
NAMES = {
    Kind.GROUP_METADATA: "ConsumerGroupMetadata",
    Kind.PARTITION_METADATA: "ConsumerGroupPartitionMetadata",
    Kind.MEMBER_METADATA: "ConsumerGroupMemberMetadata",
    Kind.TARGET_METADATA: "ConsumerGroupTargetAssignmentMetadata",
    Kind.TARGET_MEMBER: "ConsumerGroupTargetAssignmentMember",
    Kind.CURRENT_MEMBER: "ConsumerGroupCurrentMemberAssignment",
    Kind.REGULAR_EXPRESSION: "ConsumerGroupRegularExpression",
}
OF_GROUPS = (Kind.GROUP_METADATA, Kind.PARTITION_METADATA, Kind.TARGET_METADATA)
TEXTS = ("", "shop", "é \U0001f600", "x" * 200)
Json = dict[str, Any]


def _id(chance: random.Random) -> tuple[str, int]:
    bits = chance.getrandbits(128)
    return base64.urlsafe_b64encode(bits.to_bytes(16, "big")).decode().rstrip("="), bits


def _by_id(chance: random.Random) -> tuple[list[Json], records.ById]:
    found = [(*_id(chance), tuple(chance.sample(range(200), chance.randrange(5)))) for _ in range(chance.randrange(4))]
    written = [{"topicId": text, "partitions": list(numbers)} for text, _, numbers in found]
    return written, tuple((bits, numbers) for _, bits, numbers in found)


def _value(kind: Kind, chance: random.Random, release: str) -> tuple[Json, records.ConsumerRecordValue]:
    one, other = chance.randint(-1, 10**6), chance.randint(-1, 10**6)
    texts = [chance.choice((None, *TEXTS)) for _ in range(4)]
    names = chance.sample(TEXTS, chance.randrange(3))
    match kind:
        case Kind.GROUP_METADATA:
            more = {"metadataHash": chance.getrandbits(60)} if release >= "4.1" else {}
            return {"epoch": one} | more, records.ConsumerGroupMetadata(one)
        case Kind.PARTITION_METADATA:
            text, bits = _id(chance)
            racks = [{"partition": 0, "racks": names}] if chance.random() < 0.5 else []
            topic = {"topicId": text, "topicName": "t é", "numPartitions": 7, "partitionMetadata": racks}
            return {"topics": [topic]}, records.SubscribedTopics((records.SubscribedTopic("t é", bits, 7),))
        case Kind.MEMBER_METADATA:
            classic = chance.random() < 0.5
            protocol = {"sessionTimeoutMs": 1, "supportedProtocols": [{"name": "range", "metadata": "AAAA"}]}
            written = {"instanceId": texts[0], "rackId": texts[1], "clientId": "c", "clientHost": "/h"}
            written |= {"subscribedTopicNames": names, "subscribedTopicRegex": texts[2], "rebalanceTimeoutMs": one}
            written |= {"serverAssignor": texts[3]} | ({"classicMemberMetadata": protocol} if classic else {})
            return written, records.ConsumerMetadata(*texts[:2], "c", "/h", tuple(names), texts[2], one, texts[3], classic)
        case Kind.TARGET_METADATA:
            at = chance.choice((0, 1_790_000_000_000)) if release >= "4.3" else 0
            more = {"assignmentTimestamp": at} if release >= "4.3" else {}
            return {"assignmentEpoch": one} | more, records.ConsumerTargetMetadata(one, at or None)
        case Kind.TARGET_MEMBER:
            written_, owned = _by_id(chance)
            return {"topicPartitions": written_}, records.ConsumerTargetMember(owned)
        case Kind.CURRENT_MEMBER:
            (had, owned), (lost, revoking) = _by_id(chance), _by_id(chance)
            epochs = {"memberEpoch": one, "previousMemberEpoch": other, "state": 1}
            both = {"assignedPartitions": had, "partitionsPendingRevocation": lost}
            return epochs | both, records.CurrentConsumer(one, other, 1, owned, revoking)
        case Kind.REGULAR_EXPRESSION:
            return {"topics": names, "version": 7, "timestamp": 8}, records.ResolvedExpression(tuple(names))


@pytest.mark.parametrize("release", ["4.2.1", "4.4.0"])
def test_what_kafka_writes_is_read_as_what_it_was_given(release: str) -> None:
    print(f"HOLDFAST_SEED={SEED}")
    chance = random.Random(SEED)
    with CoordinatorWireJvm(release) as jvm:
        for kind, name in NAMES.items():
            values = [_value(kind, chance, release) for _ in range(RECORDS)]
            asked = ({"class": f"{GENERATED}.{name}Value", "json": given} for given, _ in values)
            for answer, (_, value) in zip(jvm.ask(asked), values, strict=True):
                assert records.decode_value(kind, b"\0\0" + base64.b64decode(answer["bytes"])) == value
            field = "regularExpression" if kind is Kind.REGULAR_EXPRESSION else "memberId"
            of = {} if kind in OF_GROUPS else {field: "m é"}
            key = jvm.ask([{"class": f"{GENERATED}.{name}Key", "json": {"groupId": "shop", **of}}])[0]
            found = records.decode_key(kind.value.to_bytes(2, "big") + base64.b64decode(key["bytes"]))
            assert found == records.ConsumerRecordKey(kind, "shop", of.get(field))


@pytest.fixture(scope="module")
def jvm(request: pytest.FixtureRequest) -> Iterator[WholeConsumerGroupsJvm]:
    with WholeConsumerGroupsJvm(request.param) as started:
        yield started


@pytest.mark.parametrize("jvm", ["4.0.0", "4.1.2", "4.2.1", "4.3.1", "4.4.0"], indirect=True)
def test_recorded_targets_are_decided_again(jvm: WholeConsumerGroupsJvm) -> None:
    """Of random scripts. A script may make a target by what no record shows (decision 59): a regular expression that is resolved
    late leaves the coordinator with an earlier view of who is subscribed alike."""
    print(f"HOLDFAST_SEED={SEED}: {SCRIPTS} scripts for Kafka {jvm.release}")
    scripts = [RandomScript(random.Random(SEED + number)) for number in range(SCRIPTS)]
    counted: Counter[Judged] = Counter()
    reasons: Counter[Because] = Counter()
    answers = jvm.answers(one.script | {"bytes": True} for one in scripts)
    for number, (script, (_, answer)) in enumerate(zip(scripts, answers, strict=True)):
        differ: list[tuple[ConsumerTargetQuestion, RebalanceResult]] = []
        found = past.judged(answer["records"], jvm.release, lambda *both, into=differ: into.append(both))  # type: ignore[misc]
        where = f"HOLDFAST_SEED={SEED + number}, Kafka {jvm.release}: {differ[:1]}"
        assert not differ or script.regexes, where
        assert found.not_recorded == 0
        counted.update(one.judged for one in found.rebalances)
        reasons.update(because for one in found.rebalances for because in one.because)
        for question, result in differ:
            (again,) = PAST.without_names(question)
            assert PAST.judge(again).judged is result.judged
    print(dict(counted), dict(reasons))
    assert counted[Judged.EQUAL] + counted[Judged.INFERRED] > SCRIPTS
    assert counted[Judged.DIFFERENT] <= SCRIPTS // 4
