"""Random values of the wire structures, of every version and with strings of all kinds, and what breaks their bytes."""

import random
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from holdfast.kafka.vocabulary import ProcessId, TaskId, TopicPartition
from holdfast.kafka.wire import assignment_info
from holdfast.kafka.wire.assignment_info import AssignmentInfo
from holdfast.kafka.wire.consumer_protocol import ConsumerProtocolAssignment, ConsumerProtocolSubscription
from holdfast.kafka.wire.subscription_info import SubscriptionInfo
from holdfast.kafka.wire.tasks import WireTask

WORDS = ("in", "a.b_c-d", "wc-counts-store-changelog", "Straße", "\0", "\x7f\x80\u07ff\u0800\uffff", "語", "😀x", "\U0010ffff", "")
LONELY = ("\ud800", "\udfff", "\udc00\ud800", "a\ud83db")
"""Half of a surrogate pair: modified UTF-8 has it unchanged, UTF-8 cannot, and Java writes a question mark."""


class Samples:
    """Random values whose keys are different, as they are in the maps of Java."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def word(self, smallest: int = 0, words: Sequence[str] = WORDS) -> str:
        return "".join(self._random.choices(words, k=self._random.randint(smallest, 3))) or "x" * smallest

    def java_word(self) -> str:
        """Any string that Java has, as modified UTF-8 and `writeChars` take it."""
        units = self.word(1, WORDS + LONELY).encode("utf-16-be", "surrogatepass")
        return units.decode("utf-16-be", "surrogatepass")  # two halves that have met are one character

    def number(self) -> int:
        return self._random.choice((0, 1, 7, 2**31 - 1, self._random.getrandbits(31)))

    def long(self) -> int:
        return self._random.choice((-2, -3, 0, 1, 2**63 - 1, self._random.getrandbits(62)))

    def task(self, *, name: Callable[[], str] | None = None) -> WireTask:
        """Subtopologies are few, so that several tasks are of one."""
        subtopology = self.number() if self._random.random() < 0.3 else self._random.randint(0, 2)
        return WireTask(TaskId(subtopology, self.number()), name() if name and self._random.random() < 0.3 else None)

    def some(self, make: Callable[[], Any]) -> tuple[Any, ...]:
        return tuple(dict.fromkeys(make() for _ in range(self._random.choice((0, 1, 2, 3, 4, 30)))))

    def partitions(self, word: Callable[[], str]) -> tuple[TopicPartition, ...]:
        return self.some(lambda: TopicPartition(word(), self.number()))

    def keyed(self, key: Callable[[], Any], value: Callable[[], Any]) -> tuple[tuple[Any, Any], ...]:
        return tuple((each, value()) for each in self.some(key))

    def subscription(self, version: int) -> SubscriptionInfo:
        name = (lambda: self.word(1)) if version >= 10 else None
        prev = tuple(dict.fromkeys(task.task_id for task in self.some(self.task)))
        return SubscriptionInfo(
            version,
            self._random.choice((version, 11, 12, 2**31 - 1)) if version >= 3 else -1,
            ProcessId.of(UUID(int=self._random.getrandbits(128))),
            (self.word() or None) if version >= 2 else None,
            prev if version <= 6 else (),
            tuple(task.task_id for task in self.some(self.task) if task.task_id not in prev) if version <= 6 else (),
            self.keyed(lambda: self.task(name=name), self.long) if version >= 7 else (),
            self._random.randint(-128, 127) if version >= 8 else 0,
            self._random.randint(0, 4) if version >= 9 else 0,
            self.keyed(self.word, self.word) if version >= 11 else (),
        )

    def assignment(self, version: int) -> AssignmentInfo:
        def task() -> WireTask:
            return self.task(name=self.java_word if version >= 10 else None)

        def host() -> tuple[str, int]:
            return self.java_word(), self.number()

        def partitions() -> tuple[TopicPartition, ...]:
            return self.partitions(self.java_word)

        return AssignmentInfo(
            version,
            self._random.choice((version, 11, 12, 2**31 - 1)) if version >= 3 else -1,
            tuple(sorted(self.some(task), key=lambda each: each.task_id)),
            self.keyed(task, partitions),
            self.keyed(host, partitions) if version >= 2 else (),
            self.keyed(host, partitions) if version >= 6 else (),
            self._random.randint(0, 4) if version >= 4 else 0,
            self.long() if version >= 7 else assignment_info.NO_REBALANCE,
        )

    def envelope(self, version: int) -> ConsumerProtocolSubscription:
        return ConsumerProtocolSubscription(
            version,
            self.some(lambda: self.word(1)),
            self._random.choice((None, b"", b"\x80bytes")),
            self.partitions(lambda: self.word(1)) if version >= 1 else (),
            self._random.choice((-1, 0, 41)) if version >= 2 else -1,
            self._random.choice((None, self.word(1))) if version >= 3 else None,
        )

    def handed(self, version: int) -> ConsumerProtocolAssignment:
        return ConsumerProtocolAssignment(
            version, self.partitions(lambda: self.word(1)), self._random.choice((None, b"", b"\x80bytes"))
        )


_NUMBERS = (-(2**31), -(2**15), -2, -1, 0, 1, 2, 127, 128, 255, 256, 2**15 - 1, 2**15, 2**16 - 1, 2**20, 2**31 - 1)


def mutant(chance: random.Random, data: bytes) -> bytes:
    """The bytes with one to four things wrong: a bit, a byte, a number, a piece left out, doubled, moved or put in."""
    broken = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 4))):
        at = chance.randint(0, len(broken))
        match chance.randrange(8):
            case 0 if at < len(broken):
                broken[at] ^= 1 << chance.randrange(8)
            case 1 if at < len(broken):
                broken[at] = chance.randrange(256)
            case 2:  # a length, a count or a version
                size = chance.choice((2, 4, 4, 8))
                broken[at : at + size] = (chance.choice(_NUMBERS) % 2 ** (8 * size)).to_bytes(size, "big")
            case 3:
                del broken[at:]
            case 4:
                del broken[at : at + chance.randint(1, 16)]
            case 5:
                piece = broken[at : at + chance.randint(1, 64)]
                broken[at:at] = piece * chance.choice((1, 1, 2, 50))
            case 6:
                broken[at:at] = chance.randbytes(chance.randint(1, 16))
            case _:
                start = chance.randint(0, len(broken))
                piece = broken[start : start + chance.randint(1, 16)]
                broken[at : at + len(piece)] = piece
    return bytes(broken)
