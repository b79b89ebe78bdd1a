"""Do the published schemas of consumer groups whose broker assigns say the same as their readers? As `test_schema`."""

import copy
import random

import pytest
from tests.property.test_schema import VALID, WRONG, accepted, kinds, put, without
from tests.unit.rollout.broker_consumer.snapshot.test_broker_consumer_snapshot import document

from holdfast.rollout.broker_consumer.snapshot.snapshot import SNAPSHOT
from holdfast.rollout.broker_consumer.target.target import ASSIGNMENT
from holdfast.workflows.deciding import assign_document


def test_a_snapshot_and_its_assignment_are_valid() -> None:
    answer = assign_document(document(), None, ())

    assert list(VALID["consumer-group-snapshot"].iter_errors(SNAPSHOT.write(SNAPSHOT.read(document())))) == []
    assert list(VALID["consumer-group-assignment"].iter_errors(answer)) == []
    assert ASSIGNMENT.write(ASSIGNMENT.read(answer)) == answer


@pytest.mark.thorough
def test_what_is_not_valid_is_refused() -> None:
    """Any value in any place, or a field less: of each kind of place several."""
    chance, refused, whole = random.Random(59), 0, document()
    for path in list(kinds(whole)) * 5:
        broken = chance.choice((put(copy.deepcopy(whole), path, chance.choice(WRONG)), without(copy.deepcopy(whole), path)))
        if not VALID["consumer-group-snapshot"].is_valid(broken):
            refused += 1
            assert not accepted(SNAPSHOT.read, broken), path
    assert refused > 50
