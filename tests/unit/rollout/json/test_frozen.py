"""A value that is made quickly is the value that its constructor makes."""

from dataclasses import FrozenInstanceError, dataclass, field
from typing import NamedTuple

import pytest

from holdfast.kafka.streams.group import Client, Consumer
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.json.frozen import maker


@dataclass(frozen=True, slots=True)
class _Checked:
    number: int

    def __post_init__(self) -> None:
        assert self.number > 0


@dataclass(frozen=True)
class _WithoutSlots:
    number: int


@dataclass(frozen=True, slots=True)
class _WithAList:
    numbers: list[int] = field(default_factory=list)


class _Pair(NamedTuple):
    one: int
    other: int


def test_it_is_equal_frozen_and_of_the_same_class() -> None:
    made = maker(Consumer)("m", "c", None, (), (), 8)

    assert made == Consumer("m", "c", None, (), (), 8)
    assert type(made) is Consumer
    assert hash(made) == hash(Consumer("m", "c", None, (), (), 8))
    with pytest.raises(FrozenInstanceError):
        made.client_id = "d"


def test_arguments_may_be_left_out_as_with_the_constructor() -> None:
    assert maker(Client)(ProcessId(1, 2), ()) == Client(ProcessId(1, 2), ())
    with pytest.raises(TypeError):
        maker(Client)(ProcessId(1, 2))


@pytest.mark.parametrize("build", [_Checked, _WithoutSlots, _WithAList, _Pair, max])
def test_what_is_no_plain_frozen_class_is_made_by_itself(build: type) -> None:
    assert maker(build) is build
