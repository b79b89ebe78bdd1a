"""A fuzzer of everything that reads bytes from a broker or a disk: real messages damaged in all kinds, and noise.

    python -m tests.property.fuzz.wire --inputs 1000000 --seed 1

For every input: the decoder gives a value or a HoldfastError, never anything else; a value that can be written is written as bytes
that give the same value and the same bytes again, and a real message gives its own bytes. For every 50th, and for large ones made
to be expensive: the peak of memory and the number of function calls stay under a line in the size of the input.
The same seed gives the same inputs.
"""

import argparse
import collections
import contextlib
import gc
import random
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any

from tests.harness.kafka import streams_group_bytes, streams_group_messages
from tests.harness.kafka.wire_samples import Samples, mutant

from holdfast.errors import HoldfastError, Unsupported
from holdfast.kafka import state_dir, store_offsets
from holdfast.kafka.streams import membership
from holdfast.kafka.vocabulary import TaskId
from holdfast.kafka.wire import assignment_info, consumer_protocol, group_metadata, subscription_info
from holdfast.kafka.wire import streams_group_description as description
from holdfast.kafka.wire import streams_group_records as records
from holdfast.kafka.wire.assignment_info import FutureAssignment
from holdfast.kafka.wire.buffer import Writer
from holdfast.kafka.wire.sticky_user_data import decode_sticky, encode_sticky
from holdfast.kafka.wire.streams_group_records import RecordKind
from holdfast.kafka.wire.subscription_info import FutureSubscription
from holdfast.kafka.wire.tasks import WireTask

MEASURED = 50
"""One in this number of inputs is measured."""
BYTES_AT_ALL, BYTES_EACH = 100_000, 120
CALLS_AT_ALL, CALLS_EACH = 1_000, 12
"""The lines: so much for any input, and so much for each byte of it."""
LARGE = 60_000
LARGE_FOR_A_SHORT_RUN = 12_000
"""Still far beyond what any input may take: what grows faster than a line shows here, too."""


@dataclass(frozen=True, slots=True)
class Target:
    """A decoder, its encoder if there is one, and a maker of real messages."""

    name: str
    decode: Callable[[bytes], Any]
    encode: Callable[[Any], bytes] | None
    real: Callable[[random.Random, Samples], bytes]


@dataclass(slots=True)
class Tally:
    """What came of the inputs, and the worst that was measured, for each byte beyond what any input may take."""

    read: int = 0
    refused: collections.Counter[str] = field(default_factory=collections.Counter)
    bytes_each: float = 0.0
    calls_each: float = 0.0


class Finding(AssertionError):
    """A decoder did what it must not."""


def _subscription(chance: random.Random, samples: Samples) -> bytes:
    return subscription_info.encode(samples.subscription(chance.randint(1, 11)))


def _assignment(chance: random.Random, samples: Samples) -> bytes:
    return assignment_info.encode(samples.assignment(chance.randint(1, 11)))


def _envelope(chance: random.Random, samples: Samples) -> bytes:
    return consumer_protocol.encode_subscription(samples.envelope(chance.randint(0, 3)))


def _handed(chance: random.Random, samples: Samples) -> bytes:
    return consumer_protocol.encode_assignment(samples.handed(chance.randint(0, 3)))


def _member(chance: random.Random, samples: Samples) -> bytes:
    """A member's subscription and assignment, one after the other, behind the length of the first."""
    joined = Writer()
    joined.int16(1)
    joined.int32(0)
    joined.sized_bytes(_subscription(chance, samples))
    joined.int32(0)
    handed = samples.handed(chance.randint(0, 3))
    tasks = (WireTask(TaskId(0, 0)),) * len(handed.partitions)
    info = replace(samples.assignment(chance.randint(1, 11)), active=tasks)
    both = Writer()
    both.sized_bytes(joined.result())
    both.raw(consumer_protocol.encode_assignment(replace(handed, user_data=assignment_info.encode(info))))
    return both.result()


def _decode_member(data: bytes) -> membership.Member:
    split = 4 + int.from_bytes(data[:4], "big")
    return membership.decode("member", data[4:split], data[split:])


def _group(chance: random.Random, samples: Samples) -> bytes:
    """`GroupMetadataValue`, versions 0 to 3: the compact one is reached by what noise makes of the version."""
    version = chance.randint(0, 3)
    writer = Writer()
    writer.int16(version)
    writer.string("consumer")
    writer.int32(chance.randint(0, 9))
    writer.nullable_string(chance.choice((None, "stream")))
    writer.nullable_string(None)
    if version >= 2:
        writer.int64(samples.long())
    members = chance.randint(0, 3)
    writer.int32(members)
    for _ in range(members):
        writer.string(samples.word())
        if version >= 3:
            writer.nullable_string(chance.choice((None, "static")))
        writer.string(samples.word())
        writer.string("/127.0.0.1")
        if version >= 1:
            writer.int32(1)
        writer.int32(1)
        writer.sized_bytes(_envelope(chance, samples))
        writer.sized_bytes(_handed(chance, samples))
    return writer.result()


def _compact_group(chance: random.Random, samples: Samples) -> bytes:
    """The compact version, 4."""
    text = bytes((9,)) + b"consumer"
    members = chance.randint(0, 3)
    piece = b"".join((bytes((2,)) + b"m", b"\0", bytes((2,)) + b"c", bytes((2,)) + b"h", bytes(8), bytes((1,)), bytes((1,)), b"\0"))
    return b"\0\4" + text + bytes(4) + b"\0\0" + bytes(8) + bytes((members + 1,)) + piece * members + b"\1\5\2hi"


def _key(chance: random.Random, samples: Samples) -> bytes:
    writer = Writer()
    writer.int16(2)
    writer.string(samples.word())
    return writer.result()


def _checkpoint(chance: random.Random, samples: Samples) -> bytes:
    lines = [f"topic-{number} {number} {chance.choice((-4, 0, 7, 2**63 - 1))}" for number in range(chance.randint(0, 5))]
    return "\n".join(["0", str(len(lines)), *lines, ""]).encode()


def _process(chance: random.Random, samples: Samples) -> bytes:
    return b'{"processId":"4b61083e-57d0-457d-951f-d06556c148ca","later":[1,{"x":null}]}'


def _sticky(chance: random.Random, samples: Samples) -> bytes:
    return encode_sticky(samples.handed(1).partitions, chance.choice((None, -1, 7)))


def _entries(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Keys and values, each behind a byte with its length."""
    pieces, at = [], 0
    while at < len(data):
        pieces.append(data[at + 1 : at + 1 + data[at]])
        at += 1 + data[at]
    return zip(pieces[::2], pieces[1::2], strict=False)


def _store(chance: random.Random, samples: Samples) -> bytes:
    found = [(b"status", chance.randint(0, 1)), *((f"log-{number}".encode(), number) for number in range(chance.randint(0, 4)))]
    return b"".join(bytes((len(key),)) + key + b"\x08" + value.to_bytes(8, "big") for key, value in found)


def _streams_key(chance: random.Random, samples: Samples) -> bytes:
    kind = chance.choice(list(RecordKind))
    of_group = kind in (RecordKind.GROUP_METADATA, RecordKind.TARGET_METADATA, RecordKind.TOPOLOGY)
    return streams_group_bytes.key(kind, samples.word(), None if of_group else samples.word())


TARGETS: tuple[Target, ...] = (
    Target("SubscriptionInfo", subscription_info.decode, subscription_info.encode, _subscription),
    Target("AssignmentInfo", assignment_info.decode, assignment_info.encode, _assignment),
    Target("ConsumerProtocolSubscription", consumer_protocol.decode_subscription, consumer_protocol.encode_subscription, _envelope),
    Target("ConsumerProtocolAssignment", consumer_protocol.decode_assignment, consumer_protocol.encode_assignment, _handed),
    Target("a member of both", _decode_member, None, _member),
    Target("StickyAssignor's user data", decode_sticky, None, _sticky),
    Target("GroupMetadataKey", group_metadata.decode_key, None, _key),
    Target("GroupMetadataValue", group_metadata.decode_value, None, _group),
    Target("GroupMetadataValue, compact", group_metadata.decode_value, None, _compact_group),
    Target(".checkpoint", state_dir.parse_checkpoint, None, _checkpoint),
    Target("kafka-streams-process-metadata", state_dir.parse_process_metadata, None, _process),
    *(
        Target(
            f"StreamsGroupDescribeResponse, version {version}",
            lambda data, version=version: description.decode_response(data, version),
            lambda groups, version=version: streams_group_bytes.described(groups, version),
            lambda chance, _, version=version: streams_group_bytes.described(
                streams_group_messages.described(chance, version)[1], version
            ),
        )
        for version in range(description.LATEST_VERSION + 1)
    ),
    Target("key of a streams group's record", records.decode_key, None, _streams_key),
    *(
        Target(
            f"record {kind.value} of a streams group",
            lambda data, kind=kind: records.decode_value(kind, data),
            streams_group_bytes.record,
            lambda chance, _, kind=kind: streams_group_bytes.record(streams_group_messages.record(kind, chance)[1]),
        )
        for kind in RecordKind
    ),
    Target("the offsets in a store", lambda data: store_offsets.read(_entries(data)), None, _store),
)


def inputs(chance: random.Random, target: Target, samples: Samples) -> Iterator[tuple[bytes, bool]]:
    """Endless; True for a real, unchanged message."""
    while True:
        real = target.real(chance, samples)
        yield real, True
        for _ in range(12):
            yield mutant(chance, real), False
        yield chance.randbytes(chance.randint(0, 80)), False
        yield real[: chance.randint(0, 12)] + chance.randbytes(chance.randint(0, 80)), False


def expensive(chance: random.Random, target: Target, samples: Samples, large: int = LARGE) -> Iterator[bytes]:
    """Inputs of about `large` bytes: a piece of a real message very often; counts that claim as many elements as could be there."""
    for _ in range(6):
        real = target.real(chance, samples)
        at = chance.randint(0, len(real))
        piece = real[at : at + chance.randint(1, 40)] or b"\0"
        yield real[:at] + piece * (large // len(piece))
    real = target.real(chance, samples)
    for at in range(min(len(real), 60)):
        for filling in (b"\0", b"\0\1", b"\xff"):
            for smallest in (2, 4, 6, 8, 10, 12, 18):
                yield real[:at] + (large // smallest).to_bytes(4, "big") + filling * (large // len(filling))
        for filling in (b"\1", b"\1\1\0", b"\0\0\0\1"):  # counts of flexible versions: empty texts, and structures of them
            yield real[:at] + streams_group_bytes.varint(large // len(filling)) + filling * (large // len(filling))


def check(target: Target, data: bytes, *, real: bool, tally: Tally) -> None:
    """Raise Finding where the decoder does what it must not."""
    try:
        value = target.decode(data)
    except HoldfastError as refusal:
        tally.refused[type(refusal).__name__] += 1
        if real and not isinstance(refusal, Unsupported):  # a named topology is real, too
            raise Finding(f"{target.name} refused a real message: {refusal}: {data.hex()}") from refusal
        return
    except Exception as broken:
        raise Finding(f"{target.name}: {type(broken).__name__}: {broken}: {data.hex()}") from broken
    tally.read += 1
    if target.encode is None or isinstance(value, FutureSubscription | FutureAssignment) or _of_a_newer_envelope(value):
        return
    again = target.encode(value)
    if target.decode(again) != value or target.encode(target.decode(again)) != again or (real and again != data):
        raise Finding(f"{target.name} does not give its bytes again: {data.hex()}")


def _of_a_newer_envelope(value: object) -> bool:
    newest = consumer_protocol.LATEST_SUBSCRIPTION_VERSION
    kinds = consumer_protocol.ConsumerProtocolSubscription | consumer_protocol.ConsumerProtocolAssignment
    return isinstance(value, kinds) and value.version > newest


def measure(target: Target, data: bytes, tally: Tally) -> None:
    """Raise Finding where reading takes more memory or more calls than its line allows."""
    peak = _peak(target, data)
    calls = _calls(target, data)
    if peak > BYTES_AT_ALL + BYTES_EACH * len(data) or calls > CALLS_AT_ALL + CALLS_EACH * len(data):
        raise Finding(f"{target.name}: {peak} bytes and {calls} calls for an input of {len(data)}: {data[:200].hex()}")
    if len(data) >= LARGE_FOR_A_SHORT_RUN // 2:
        tally.bytes_each = max(tally.bytes_each, peak / len(data))
        tally.calls_each = max(tally.calls_each, calls / len(data))


def _peak(target: Target, data: bytes) -> int:
    gc.collect()
    tracemalloc.start()
    try:
        target.decode(data)
    except HoldfastError:
        pass
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peak


def _calls(target: Target, data: bytes) -> int:
    count = 0

    def seen(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(seen)
    try:
        target.decode(data)
    except HoldfastError:
        pass
    finally:
        sys.setprofile(None)
    return count


def run(seed: int, count: int, *, short: bool = False, only: str = "") -> dict[str, Tally]:
    """`count` inputs of each decoder whose name has `only` in it; a short run has fewer and smaller large ones.

    Raise Finding at the first that shows something.
    """
    with _only_new_garbage():
        return {target.name: _run(target, seed, count, short=short) for target in TARGETS if only in target.name}


@contextlib.contextmanager
def _only_new_garbage() -> Iterator[None]:
    """What was there before is collected once, not in each of very many measurements."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _run(target: Target, seed: int, count: int, *, short: bool) -> Tally:
    chance = random.Random(f"{seed}/{target.name}")
    samples = Samples(chance.getrandbits(64))
    tally = Tally()
    for number, (data, real) in zip(range(count), inputs(chance, target, samples), strict=False):
        check(target, data, real=real, tally=tally)
        if number % MEASURED == 0:
            measure(target, data, tally)
    large = LARGE_FOR_A_SHORT_RUN if short else LARGE
    for number, data in enumerate(expensive(chance, target, samples, large)):
        if not short or number % 97 == 0:
            check(target, data, real=False, tally=tally)
            measure(target, data, tally)
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=100_000, help="for each decoder")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    parser.add_argument("--only", default="", help="decoders with this in their names")
    asked = parser.parse_args()
    print(f"seed {asked.seed}, {asked.inputs} inputs for each decoder", flush=True)
    for name, tally in run(asked.seed, asked.inputs, only=asked.only).items():
        refused = ", ".join(f"{kind} {count}" for kind, count in tally.refused.items())
        worst = f"at most {tally.bytes_each:.0f} bytes of memory and {tally.calls_each:.1f} calls a byte"
        print(f"{name}: {tally.read} read, {refused or 'none'} refused; large ones: {worst}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
