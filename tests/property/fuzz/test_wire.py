"""A short run of the fuzzer of everything that reads bytes, other inputs each time. HOLDFAST_SEED=N: those of an earlier run."""

import os
import random

import pytest
from tests.harness.examples import examples
from tests.harness.kafka.wire_samples import Samples
from tests.property.fuzz import wire

from holdfast.errors import MalformedBytes

SEED = int(os.environ.get("HOLDFAST_SEED") or random.SystemRandom().randrange(10**9))


@pytest.mark.thorough
def test_no_input_brings_a_decoder_down() -> None:
    print(f"HOLDFAST_SEED={SEED}")
    tallies = wire.run(SEED, examples(400), short=True)
    assert all(tally.read and tally.refused for tally in tallies.values()), tallies


def _target(name: str) -> wire.Target:
    return next(target for target in wire.TARGETS if target.name == name)


@pytest.mark.parametrize("name", [target.name for target in wire.TARGETS])
def test_real_messages_are_read(name: str) -> None:
    chance = random.Random(SEED)
    samples = Samples(SEED)
    for _ in range(20):
        wire.check(_target(name), _target(name).real(chance, samples), real=True, tally=wire.Tally())


class TestTheFuzzerSees:
    """A decoder that does what it must not."""

    def _found(self, decode: object, encode: object = None) -> None:
        target = wire.Target("broken", decode, encode, lambda *_: b"1234")
        wire.check(target, b"1234", real=True, tally=wire.Tally())
        wire.measure(target, b"1234", wire.Tally())

    def test_another_exception(self) -> None:
        with pytest.raises(wire.Finding, match="IndexError"):
            self._found(lambda data: data[9])

    def test_a_real_message_that_is_refused(self) -> None:
        def refuse(data: bytes) -> None:
            raise MalformedBytes("no")

        with pytest.raises(wire.Finding, match="refused a real message"):
            self._found(refuse)

    def test_other_bytes(self) -> None:
        with pytest.raises(wire.Finding, match="bytes again"):
            self._found(lambda data: data[:3], lambda value: value + b"5")

    @pytest.mark.thorough
    def test_memory_beyond_the_line(self) -> None:
        with pytest.raises(wire.Finding, match="for an input of 4"):
            self._found(lambda _: bytearray(10**6))

    @pytest.mark.thorough
    def test_work_beyond_the_line(self) -> None:
        with pytest.raises(wire.Finding, match="for an input of 4"):
            self._found(lambda data: [len(data) for _ in range(10_000)])
