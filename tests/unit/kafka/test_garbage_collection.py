"""Python's search for cycles is put off while very many values are made, and no longer."""

import gc
import weakref

import pytest

from holdfast.errors import InvalidInput
from holdfast.kafka.garbage_collection import uncollected
from holdfast.rollout.json import strict
from holdfast.rollout.json.strict import loads


class Node:
    def __init__(self) -> None:
        self.itself = self


def test_it_goes_on_as_it_was() -> None:
    with uncollected():
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.thorough
def test_cycles_that_were_made_meanwhile_are_found_later() -> None:
    with uncollected():
        gone = weakref.ref(Node())
    gc.collect()

    assert gone() is None


@pytest.mark.thorough
def test_a_large_document_is_read_without_it_whatever_comes_of_that() -> None:
    large = "[" + ",".join(["[1]"] * (strict.LARGE_DOCUMENT // 4 + 1)) + "]"
    assert len(loads(large)) == strict.LARGE_DOCUMENT // 4 + 1  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="not JSON"):
        loads(large[:-1])
    assert gc.isenabled()
