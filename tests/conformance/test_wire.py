"""The wire structures and the files of a state directory, against Kafka's own classes of three releases.

What we write, Kafka reads with the same meaning; what Kafka writes, we read, and write again byte for byte. The samples are fresh
in each run; their seed stands in the test's name.
"""

import json
import random
import secrets
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from tests.conformance.jvm import JAVA
from tests.harness import maven

from holdfast.errors import HoldfastError
from holdfast.kafka import state_dir
from holdfast.kafka.vocabulary import ProcessId, TaskId, TopicPartition
from holdfast.kafka.wire import assignment_info, consumer_protocol, subscription_info
from holdfast.kafka.wire.assignment_info import AssignmentInfo
from holdfast.kafka.wire.consumer_protocol import ConsumerProtocolAssignment, ConsumerProtocolSubscription
from holdfast.kafka.wire.subscription_info import SubscriptionInfo
from holdfast.kafka.wire.tasks import WireTask

NEWEST_VERSION = {"2.7.2": 8, "3.9.1": 11, "4.3.1": 11}
NEWEST_ENVELOPE = {"2.7.2": 1, "3.9.1": 3, "4.3.1": 3}
SAMPLES = 150
SEED = secrets.randbits(32)
WORDS = ("in", "a.b_c-d", "wc-counts-store-changelog", "Straße", "\0", "語", "😀x", "")

pytestmark = pytest.mark.jvm


def ask(release: str, lines: Sequence[tuple[str, bytes]]) -> list[dict[str, Any]]:
    """What this release reads in each of these bytes."""
    jars = maven.kafka_streams(release)
    classes = maven.compile_java(JAVA / "wire", jars)
    command = [maven.java_tool("java"), "-Xmx128m", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=off"]
    text = "".join(f"{kind} {data.hex()}\n" for kind, data in lines)
    done = subprocess.run(
        [*command, "-cp", f"{classes}:{jars}", "holdfast.Wire"],
        input=text,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(lines), done.stderr
    return answers


class Samples:
    """Random values whose keys are different, as they are in the maps of Java."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def word(self, smallest: int = 0) -> str:
        return "".join(self._random.choices(WORDS, k=self._random.randint(smallest, 3))) or "x" * smallest

    def number(self) -> int:
        return self._random.choice((0, 1, 7, 2**31 - 1, self._random.getrandbits(31)))

    def long(self) -> int:
        return self._random.choice((-2, -3, 0, 1, 2**63 - 1, self._random.getrandbits(62)))

    def task(self, *, named: bool = False) -> WireTask:
        return WireTask(TaskId(self.number(), self.number()), self.word(1) if named and self._random.random() < 0.3 else None)

    def some(self, make: Callable[[], Any]) -> tuple[Any, ...]:
        return tuple(dict.fromkeys(make() for _ in range(self._random.randint(0, 4))))

    def partitions(self) -> tuple[TopicPartition, ...]:
        return self.some(lambda: TopicPartition(self.word(1), self.number()))

    def keyed(self, key: Callable[[], Any], value: Callable[[], Any]) -> tuple[tuple[Any, Any], ...]:
        return tuple((each, value()) for each in self.some(key))

    def subscription(self, newest: int) -> SubscriptionInfo:
        version = self._random.randint(1, newest)
        named = version >= 10
        prev = tuple(dict.fromkeys(task.task_id for task in self.some(self.task)))
        return SubscriptionInfo(
            version,
            self._random.randint(version, 11) if version >= 3 else -1,
            ProcessId(UUID(int=self._random.getrandbits(128))),
            (self.word() or None) if version >= 2 else None,
            prev if version <= 6 else (),
            tuple(task.task_id for task in self.some(self.task) if task.task_id not in prev) if version <= 6 else (),
            self.keyed(lambda: self.task(named=named), self.long) if version >= 7 else (),
            self._random.randint(-128, 127) if version >= 8 else 0,
            self._random.choice((0, 1, 4)) if version >= 9 else 0,
            self.keyed(self.word, self.word) if version >= 11 else (),
        )

    def assignment(self, newest: int) -> AssignmentInfo:
        version = self._random.randint(1, newest)

        def task() -> WireTask:
            return self.task(named=version >= 10)

        def host() -> tuple[str, int]:
            return self.word(1), self.number()

        return AssignmentInfo(
            version,
            self._random.randint(version, 11) if version >= 3 else -1,
            tuple(sorted(self.some(task), key=lambda each: each.task_id)),
            self.keyed(task, self.partitions),
            self.keyed(host, self.partitions) if version >= 2 else (),
            self.keyed(host, self.partitions) if version >= 6 else (),
            self._random.choice((0, 1, 4)) if version >= 4 else 0,
            self.long() if version >= 7 else assignment_info.NO_REBALANCE,
        )

    def envelope(self, newest: int) -> ConsumerProtocolSubscription:
        version = self._random.randint(0, newest)
        return ConsumerProtocolSubscription(
            version,
            self.some(lambda: self.word(1)),
            self._random.choice((None, b"", b"\x80bytes")),
            self.partitions() if version >= 1 else (),
            self._random.choice((-1, 0, 41)) if version >= 2 else -1,
            self._random.choice((None, self.word(1))) if version >= 3 else None,
        )

    def handed(self, newest: int) -> ConsumerProtocolAssignment:
        return ConsumerProtocolAssignment(
            self._random.randint(0, newest), self.partitions(), self._random.choice((None, b"", b"\x80bytes"))
        )


@pytest.fixture(params=[SEED], ids=[f"seed {SEED}"])
def samples(request: pytest.FixtureRequest) -> Samples:
    return Samples(request.param)


def shown(task: WireTask) -> str:
    return f"{task.topology}__{task.task_id}" if task.topology is not None else str(task.task_id)


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


@pytest.mark.parametrize("release", NEWEST_VERSION)
class TestUserData:
    def test_subscription_info(self, release: str, samples: Samples) -> None:
        infos = [samples.subscription(NEWEST_VERSION[release]) for _ in range(SAMPLES)]
        answers = ask(release, [("S", subscription_info.encode(info)) for info in infos])
        for info, answer in zip(infos, answers, strict=True):
            assert answer.get("error") is None, (info, answer)
            sums = {shown(task): total for task, total in info.task_offset_sums}
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

    def test_assignment_info(self, release: str, samples: Samples) -> None:
        infos = [samples.assignment(NEWEST_VERSION[release]) for _ in range(SAMPLES)]
        answers = ask(release, [("A", assignment_info.encode(info)) for info in infos])
        for info, answer in zip(infos, answers, strict=True):
            assert answer.get("error") is None, (info, answer)
            assert answer["activeTasks"] == [shown(task) for task in info.active]
            assert set(answer["standbyTasks"]) == {shown(task) for task, _ in info.standby}
            assert answer["errCode"] == info.error_code
            assert info.version < 7 or answer["nextRebalanceMs"] == info.next_rebalance_ms
            assert info.version < 3 or answer["commonlySupportedVersion"] == info.commonly_supported_version
            assert len(answer["partitionsByHost"]) == len(info.partitions_by_host)
            assert len(answer["standbyPartitionByHost"]) == len(info.standby_partitions_by_host)
            again = bytes.fromhex(answer["again"])
            read = assignment_info.decode(again)
            assert isinstance(read, AssignmentInfo)
            assert unordered(read) == unordered(info)
            assert assignment_info.encode(read) == again

    def test_the_envelopes(self, release: str, samples: Samples) -> None:
        newest = NEWEST_ENVELOPE[release]
        joined = [samples.envelope(newest) for _ in range(SAMPLES)]
        handed = [samples.handed(newest) for _ in range(SAMPLES)]
        lines = [("E", consumer_protocol.encode_subscription(each)) for each in joined]
        answers = ask(release, lines + [("C", consumer_protocol.encode_assignment(each)) for each in handed])
        for envelope, answer in zip(joined, answers[:SAMPLES], strict=True):
            assert answer["topics"] == list(envelope.topics)
            assert answer["userData"] == (None if envelope.user_data is None else envelope.user_data.hex())
            assert answer["ownedPartitions"] == [str(each) for each in envelope.owned]
            assert answer.get("rackId") == envelope.rack_id
            assert answer.get("generationId") in (None, envelope.generation_id)
        for assignment, answer in zip(handed, answers[SAMPLES:], strict=True):
            assert answer["partitions"] == [str(each) for each in assignment.partitions]
            assert answer["userData"] == (None if assignment.user_data is None else assignment.user_data.hex())


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


@pytest.mark.parametrize("release", NEWEST_VERSION)
class TestStateDirectoryFiles:
    def test_checkpoints(self, release: str) -> None:
        answers = ask(release, [("K", data) for data in CHECKPOINTS])
        for data, answer in zip(CHECKPOINTS, answers, strict=True):
            assert _ours(lambda data=data: {str(each): at for each, at in state_dir.parse_checkpoint(data)}) == answer.get(
                "offsets"
            ), data

    def test_process_metadata(self, release: str) -> None:
        answers = ask(release, [("P", data) for data in PROCESS_FILES])
        for data, answer in zip(PROCESS_FILES, answers, strict=True):
            found = _ours(lambda data=data: state_dir.parse_process_metadata(data))
            assert (None if found is None else str(found)) == answer.get("processId"), (data, answer)


def _ours(read: Callable[[], Any]) -> Any:
    """What we read, or None where we refuse, as Kafka does."""
    try:
        return read()
    except HoldfastError:
        return None
