"""Do the published schemas of consumer groups whose broker assigns say the same as their readers? As `test_schema`."""

import copy
import random

import pytest
from tests.property.test_schema import VALID, WRONG, accepted, kinds, put, without
from tests.unit.rollout.broker_consumer.snapshot.test_broker_consumer_snapshot import document

from holdfast.rollout.broker_consumer.change.change import CHANGE
from holdfast.rollout.broker_consumer.snapshot.snapshot import SNAPSHOT
from holdfast.rollout.broker_consumer.target.target import ASSIGNMENT
from holdfast.rollout.contract.rebalances import Detail
from holdfast.workflows.deciding import assign_document
from holdfast.workflows.forecast import forecast_case


def test_a_snapshot_and_its_assignment_are_valid() -> None:
    answer = assign_document(document(), None, ())

    assert list(VALID["consumer-group-snapshot"].iter_errors(SNAPSHOT.write(SNAPSHOT.read(document())))) == []
    assert list(VALID["consumer-group-assignment"].iter_errors(answer)) == []
    assert ASSIGNMENT.write(ASSIGNMENT.read(answer)) == answer


def test_a_change_and_its_forecast_are_valid() -> None:
    change = {
        "format_version": "1.0",
        "events": [
            {"restart_consumer": {"member_id": "m1", "leaves": False}},
            {"add_consumer": {"member_id": "m2", "subscription": ["orders"]}},
            {"then": "target"},
            {"replace_consumer": {"member_id": "m2", "by": {"instance_id": "host-1"}}},
            {"set_config": {"consumer.heartbeat.interval.ms": 6000}},
        ],
    }
    answer = forecast_case({"snapshot": document(), "change": change}, Detail.FULL)

    assert list(VALID["consumer-group-change"].iter_errors(change)) == []
    assert CHANGE.read(CHANGE.write(CHANGE.read(change))) == CHANGE.read(change)
    assert list(VALID["consumer-group-forecast"].iter_errors(answer)) == []


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
