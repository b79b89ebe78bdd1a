"""Does the published schema of plans for streams groups whose broker assigns say the same as their reader? As `test_schema`."""

import random
from typing import Any

import pytest
from tests.property.test_schema import VALID, WRONG, accepted, at, kinds, put, without
from tests.unit.rollout.broker_streams.plans import ROLL, planned

from holdfast.rollout.broker_streams.plan.json import PLAN
from holdfast.rollout.json.strict import dumps, loads


@pytest.fixture(scope="module")
def document() -> Any:
    return loads(dumps(PLAN.write(planned(*ROLL))))


@pytest.mark.parametrize("events", [ROLL, ({"add_partitions": {"topic": "users", "partitions": 8}},), ()])
def test_a_plan_is_valid(events: Any) -> None:
    assert list(VALID["streams-group-plan"].iter_errors(PLAN.write(planned(*events)))) == []


@pytest.mark.thorough
def test_what_is_not_valid_is_refused(document: Any) -> None:
    """Any value in any place, a field less, a field more: of each kind of place one."""
    chance, refused = random.Random(18), 0
    for path in kinds(document):
        inside = at(document, path)
        broken = chance.choice((put(document, path, chance.choice(WRONG)), without(document, path)))
        if isinstance(inside, dict) and chance.random() < 0.5:
            broken = put(document, (*path, "no such field"), chance.choice(WRONG))
        if not VALID["streams-group-plan"].is_valid(broken):
            refused += 1
            assert not accepted(PLAN.read, broken), path
    assert refused > 50
