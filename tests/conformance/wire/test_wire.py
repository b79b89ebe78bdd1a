"""The wire structures and the files of a state directory, against Kafka's own classes of nine releases.

What Holdfast writes, Kafka reads with the same meaning; what Kafka writes, Holdfast reads, and writes again byte for byte: every
version, with strings of all kinds. Bytes that are broken Kafka must not read where Holdfast does not, and what both read must mean
the same. The samples are fresh in each run; their seed is printed. HOLDFAST_SEED=N: those of an earlier run.
"""

import os
import random
import secrets
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from tests.conformance.jvm import LeaderJvm
from tests.harness.kafka.wire_samples import Samples, mutant

from holdfast.errors import HoldfastError
from holdfast.kafka import state_dir
from holdfast.kafka.wire import assignment_info, consumer_protocol, subscription_info
from holdfast.kafka.wire.assignment_info import AssignmentInfo
from holdfast.kafka.wire.consumer_protocol import ConsumerProtocolSubscription
from holdfast.kafka.wire.subscription_info import SubscriptionInfo
from holdfast.kafka.wire.tasks import WireTask

NEWEST = {
    "2.6.3": (8, 1),
    "2.7.2": (8, 1),
    "2.8.2": (9, 1),
    "3.0.2": (10, 1),
    "3.2.3": (11, 1),
    "3.4.1": (11, 3),
    "3.5.2": (11, 3),
    "3.9.1": (11, 3),
    "4.3.1": (11, 3),
}
"""The newest user data and the newest envelope that a release reads."""
OF_EACH_VERSION = 20
MUTANTS = 250
SEED = int(os.environ.get("HOLDFAST_SEED") or secrets.randbits(32))
pytestmark = pytest.mark.jvm


class WireJvm(LeaderJvm):
    """What a release reads in bytes: a question is their kind and the bytes."""

    def __init__(self, release: str) -> None:
        self._prepare(release, ("wire",), "holdfast.Wire", (), heap="128m")

    def _line(self, question: tuple[str, bytes]) -> str:
        kind, data = question
        return f"{kind} {data.hex()}"


@pytest.fixture(scope="module", params=NEWEST)
def jvm(request: pytest.FixtureRequest) -> Iterator[WireJvm]:
    """One for all tests of a release."""
    with WireJvm(request.param) as started:
        yield started


def of_every_version(first: int, newest: int, make: Callable[[int], Any]) -> list[Any]:
    return [make(version) for version in range(first, newest + 1) for _ in range(OF_EACH_VERSION)]


@pytest.fixture
def samples() -> Samples:
    print(f"HOLDFAST_SEED={SEED}")
    return Samples(SEED)


def shown(task: WireTask, release: str) -> str:
    between = "_" if release == "3.0.2" else "__"
    return f"{task.topology}{between}{task.task_id}" if task.topology is not None else str(task.task_id)


def unordered(info: Any) -> Any:
    """The same value with what Java keeps in maps and sets in one order."""
    if isinstance(info, SubscriptionInfo):
        sums = tuple(sorted(info.task_offset_sums, key=str))
        return replace(
            info,
            task_offset_sums=sums,
            prev_tasks=tuple(sorted(info.prev_tasks)),
            standby_tasks=tuple(sorted(info.standby_tasks)),
            client_tags=tuple(sorted(info.client_tags)),
        )

    def pairs(found: Any) -> Any:
        return tuple(sorted(((key, tuple(sorted(partitions))) for key, partitions in found), key=str))

    hosts = pairs(info.partitions_by_host), pairs(info.standby_partitions_by_host)
    return replace(info, standby=pairs(info.standby), partitions_by_host=hosts[0], standby_partitions_by_host=hosts[1])


class TestUserData:
    def test_subscription_info(self, jvm: WireJvm, samples: Samples) -> None:
        release = jvm.release
        infos = of_every_version(1, NEWEST[release][0], samples.subscription)
        answers = jvm.ask([("S", subscription_info.encode(info)) for info in infos])
        for info, answer in zip(infos, answers, strict=True):
            assert answer.get("error") is None, (info, answer)
            sums = {shown(task, release): total for task, total in info.task_offset_sums}
            if info.version < 7:
                sums = {str(task): total for task, total in info.offset_sums()}
            expected = {
                "version": info.version,
                "processId": str(info.process_id),
                "userEndPoint": info.user_endpoint if info.user_endpoint or info.version == 1 else answer["userEndPoint"],
                "taskOffsetSums": sums,
                "errorCode": info.error_code,
                "clientTags": dict(info.client_tags),
            }
            assert {key: value for key, value in answer.items() if key in expected} == {
                key: value for key, value in expected.items() if key in answer
            }
            assert info.version < 3 or answer["latestSupportedVersion"] == info.latest_supported_version
            again = bytes.fromhex(answer["again"])
            read = subscription_info.decode(again)
            assert isinstance(read, SubscriptionInfo)
            assert unordered(read) == unordered(info)
            assert subscription_info.encode(read) == again

    def test_assignment_info(self, jvm: WireJvm, samples: Samples) -> None:
        release = jvm.release
        infos = of_every_version(1, NEWEST[release][0], samples.assignment)
        answers = jvm.ask([("A", assignment_info.encode(info)) for info in infos])
        for info, answer in zip(infos, answers, strict=True):
            assert answer.get("error") is None, (info, answer)
            assert answer["activeTasks"] == [shown(task, release) for task in info.active]
            standby = {shown(task, release): {str(each) for each in partitions} for task, partitions in info.standby}
            assert {task: set(partitions) for task, partitions in answer["standbyTasks"].items()} == standby
            assert answer["errCode"] == info.error_code
            assert info.version < 7 or answer["nextRebalanceMs"] == info.next_rebalance_ms
            assert info.version < 3 or answer["commonlySupportedVersion"] == info.commonly_supported_version
            for hosts, key in (
                (info.partitions_by_host, "partitionsByHost"),
                (info.standby_partitions_by_host, "standbyPartitionByHost"),
            ):
                counts = sorted(len(partitions) for _, partitions in hosts)
                assert sorted(map(len, answer[key].values())) == counts
            again = bytes.fromhex(answer["again"])
            read = assignment_info.decode(again)
            assert isinstance(read, AssignmentInfo)
            assert unordered(read) == unordered(info)
            assert assignment_info.encode(read) == again

    def test_the_envelopes(self, jvm: WireJvm, samples: Samples) -> None:
        release = jvm.release
        joined = of_every_version(0, NEWEST[release][1], samples.envelope)
        handed = of_every_version(0, NEWEST[release][1], samples.handed)
        lines = [("E", consumer_protocol.encode_subscription(each)) for each in joined]
        answers = jvm.ask(lines + [("C", consumer_protocol.encode_assignment(each)) for each in handed])
        for envelope, answer in zip(joined, answers, strict=False):
            assert answer.get("error") is None, (envelope, answer)
            assert answer["topics"] == list(envelope.topics)
            assert answer["userData"] == (None if envelope.user_data is None else envelope.user_data.hex())
            assert answer["ownedPartitions"] == [str(each) for each in envelope.owned]
            assert answer.get("rackId") == envelope.rack_id
            assert answer.get("generationId") in (None, envelope.generation_id)
            again = bytes.fromhex(answer["again"])
            read = consumer_protocol.decode_subscription(again)
            if "generationId" not in answer:  # this release reads generations, and passes none to its assignors
                read = replace(read, generation_id=envelope.generation_id)
            else:
                assert consumer_protocol.encode_subscription(read) == again
            assert in_one_order(read) == in_one_order(envelope)
        for assignment, answer in zip(handed, answers[len(joined) :], strict=True):
            assert answer.get("error") is None, (assignment, answer)
            assert answer["partitions"] == [str(each) for each in assignment.partitions]
            assert answer["userData"] == (None if assignment.user_data is None else assignment.user_data.hex())
            again = bytes.fromhex(answer["again"])
            given = consumer_protocol.decode_assignment(again)
            assert in_one_order(given) == in_one_order(assignment)
            assert consumer_protocol.encode_assignment(given) == again


def in_one_order(envelope: Any) -> Any:
    """Java sorts topics and partitions, or groups them by topic; which of it depends on the release."""
    if isinstance(envelope, ConsumerProtocolSubscription):
        return replace(envelope, topics=tuple(sorted(envelope.topics)), owned=tuple(sorted(envelope.owned)))
    return replace(envelope, partitions=tuple(sorted(envelope.partitions)))


def _broken(release: str, samples: Samples) -> Iterator[tuple[str, bytes]]:
    """Real messages with something wrong in them."""
    chance = random.Random(SEED)
    newest, envelope = NEWEST[release]
    for _ in range(MUTANTS):
        yield "S", mutant(chance, subscription_info.encode(samples.subscription(chance.randint(1, newest))))
        yield "A", mutant(chance, assignment_info.encode(samples.assignment(chance.randint(1, newest))))
        yield "E", mutant(chance, consumer_protocol.encode_subscription(samples.envelope(chance.randint(0, envelope))))
        yield "C", mutant(chance, consumer_protocol.encode_assignment(samples.handed(chance.randint(0, envelope))))


DECODERS: dict[str, Callable[[bytes], Any]] = {
    "S": subscription_info.decode,
    "A": assignment_info.decode,
    "E": consumer_protocol.decode_subscription,
    "C": consumer_protocol.decode_assignment,
}


def test_broken_bytes_mean_nothing_else_to_us_than_to_kafka(jvm: WireJvm, samples: Samples) -> None:
    """What Holdfast reads, Kafka reads, and what it writes for that, Holdfast reads as the same. Holdfast may refuse what it reads,
    not the reverse."""
    release = jvm.release
    lines = list(_broken(release, samples))
    both = 0
    for (kind, data), answer in zip(lines, jvm.ask(lines), strict=True):
        read = _ours(lambda kind=kind, data=data: DECODERS[kind](data))
        version = getattr(read, "version", 0)
        known = NEWEST[release][kind in "EC"]
        if read is None or version > known or "error" in answer:
            assert read is None or version > known or _only_ours(kind, data), (kind, data.hex(), read, answer)
            continue
        both += 1
        again = DECODERS[kind](bytes.fromhex(answer["again"]))
        assert _same(kind, read, again, answer), (kind, data.hex(), read, again)
    assert both > len(lines) / 20, "hardly any of the broken bytes were read at all"


CHECKPOINTS = (
    b"",
    b"0\n",
    b"0\n0\n",
    b"0\n1\na 0 5\n",
    b"0\r\n1\r\na\t0  5 \r\n",
    b"0\n1\n a 0 5\n",
    b"0\n2\na 0 5\nb 1 -4\n",
    b"0\n2\na 0 5\nb 1 -1\n",
    b"0\n2\na 0 5\na 0 6\n",
    b"0\n1\na 0 5\n\n",
    b"0\n1\na 0 +5\n",
    b"0\n1\na 0 x\n",
    b"0\n1\na 0\n",
    b"1\n1\na 0 5\n",
    b"0\n1\na 0 9223372036854775807",
    b"0\n1\na 0 9223372036854775808\n",
    b"0\n1\na 2147483648 1\n",
    b"0\n1\n\xff\xfe 0 1\n",
    b"0\n3\na 0 5\n",
    b"0\n1\na\x0b0 5\n",
)
PROCESS_FILES = (
    b'{"processId":"4b61083e-57d0-457d-951f-d06556c148ca"}',
    b' {"later":[1,{"x":null}],"processId":"4B61083E-57D0-457D-951F-D06556C148CA"} rest',
    b'{"processId":"4b61083e-57d0-457d-951f-d06556c148ca","processId":"7156cef1-307e-49c0-a5bb-0f11d26a4933"}',
    b'{"processId":"S2EIPlfQRX2VH9BlVsFIyg=="}',
    b'{"processId":null}',
    b"{}",
    b"",
    b"[]",
    b"nonsense",
    b'{"processId":7}',
    b'{"processId":"4b61083e"}',
    b'{"processId":"4b61083e57d0457d951fd06556c148ca"}',
    b'{"processId":"4b61083e-57d0-457d-951f-d06556c148cg"}',
    b'{"processId":"4b61083e-57d0-457d-951f-d06556c148ca"',
    b"\xef\xbb\xbf" + b'{"processId":"4b61083e-57d0-457d-951f-d06556c148ca"}',
)


class TestStateDirectoryFiles:
    def test_checkpoints(self, jvm: WireJvm) -> None:
        answers = jvm.ask([("K", data) for data in CHECKPOINTS])
        for data, answer in zip(CHECKPOINTS, answers, strict=True):
            assert _ours(lambda data=data: {str(each): at for each, at in state_dir.parse_checkpoint(data)}) == answer.get(
                "offsets"
            ), data

    def test_process_metadata(self, jvm: WireJvm) -> None:
        answers = jvm.ask([("P", data) for data in PROCESS_FILES])
        for data, answer in zip(PROCESS_FILES, answers, strict=True):
            found = _ours(lambda data=data: state_dir.parse_process_metadata(data))
            assert (None if found is None else str(found)) == answer.get("processId"), (data, answer)


def _only_ours(kind: str, data: bytes) -> bool:
    """No bytes at all: what the broker has for a member that was not handed anything yet."""
    return kind == "C" and not data


def _same(kind: str, read: Any, again: Any, answer: dict[str, Any]) -> bool:
    """Whether what Kafka wrote is what Holdfast had read; of duplicate keys Kafka keeps one."""
    if kind in "SA":
        encode = subscription_info.encode if kind == "S" else assignment_info.encode
        return len(encode(read)) > len(encode(again)) or unordered(read) == unordered(again)
    if kind == "E":  # some releases do not pass the generation to their assignors; all take an empty rack for none
        generation = again.generation_id if "generationId" in answer else max(read.generation_id, -1)
        again = replace(again, generation_id=generation, rack_id=again.rack_id or None)
        read = replace(read, generation_id=max(read.generation_id, -1), rack_id=read.rack_id or None)
    return bool(in_one_order(read) == in_one_order(again))


def _ours(read: Callable[[], Any]) -> Any:
    """What Holdfast reads, or None where it refuses, as Kafka does."""
    try:
        return read()
    except HoldfastError:
        return None
