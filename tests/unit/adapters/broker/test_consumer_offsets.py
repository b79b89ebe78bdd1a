"""What is remembered of a partition of `__consumer_offsets` that many groups share, when memory is short."""

import pytest

from holdfast.adapters.broker import consumer_offsets
from holdfast.adapters.broker.consumer_offsets import _Partition
from holdfast.rollout.streams.snapshot.snapshot import Generation, GenerationMember


def generation(number: int, size: int) -> Generation:
    member = GenerationMember("m", "c", "/127.0.0.1", None, b"s" * (size // 2), b"a" * (size - size // 2))
    return Generation(number, "2026-11-20T12:00:00Z", "m", "stream", (member,))


def filled(*sizes: int) -> _Partition:
    """Four generations each of two groups, in turn."""
    found = _Partition()
    for number, size in enumerate(sizes, 1):
        for group_id in ("a", "b"):
            found.add(group_id, generation(number, size))
    return found


def numbers(found: _Partition, group_id: str) -> list[int]:
    return [one.number for one in found.history(group_id)[0]]


def test_all_of_it_while_there_is_room() -> None:
    found = filled(100, 100, 100, 100)

    assert (numbers(found, "a"), numbers(found, "b"), found.size) == ([1, 2, 3, 4], [1, 2, 3, 4], 800)
    assert found.history("a")[1] == ()
    assert found.history("c") == ((), ())


def test_the_newest_two_of_each_group_when_there_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumer_offsets, "_MOST_BYTES", 750)

    found = filled(100, 100, 100, 100)

    assert (numbers(found, "a"), numbers(found, "b")) == ([3, 4], [3, 4])
    assert found.size == 400
    (note,) = found.history("a")[1]
    assert note.reason.startswith("those up to 2 are left out")


def test_a_generation_that_is_written_again_counts_once() -> None:
    found = filled(100, 100)
    found.add("a", generation(1, 40))

    assert (numbers(found, "a"), found.size) == ([2, 1], 340)


def test_a_group_that_was_deleted_begins_anew() -> None:
    found = filled(100, 100)
    found.forget("a")
    found.forget("never there")

    assert (numbers(found, "a"), numbers(found, "b"), found.size) == ([], [1, 2], 200)
