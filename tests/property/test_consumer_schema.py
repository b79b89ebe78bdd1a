"""Do the published schemas of consumer groups and the strict readers and writers say the same? As `test_schema`."""

from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from tests.harness.examples import examples
from tests.harness.plain_groups import Document, change, group, member
from tests.property.test_schema import VALID, WRONG, Reader, accepted, at, places, put, without
from tests.unit.rollout.consumer.forecast.test_forecast import EVENTS, joins

from holdfast.rollout.consumer.change.json import consumer_change_from_json
from holdfast.rollout.consumer.forecast.assignment_json import consumer_assignment_from_json
from holdfast.rollout.consumer.plan.json import consumer_plan_to_json
from holdfast.rollout.consumer.snapshot.json import consumer_snapshot_from_json, consumer_snapshot_to_json
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.policy.policy import Policy
from holdfast.workflows import plan as planning
from holdfast.workflows.deciding import assign_document
from holdfast.workflows.forecast import forecast_case

GROUP = group(
    {"a": member(0, 1, 2, group_instance_id="one", rack="a", host="app-0", client_id="app"), "b": member(generation=None)},
    topics={
        "orders": {
            "partitions": [
                {"id": 0, "replica_racks": ["a", None], "begin_offset": 0, "end_offset": 90, "committed_offset": 80},
                {"id": 1},
                {"id": 2},
            ]
        }
    },
    unknown=[{"what": "members", "reason": "assumed"}],
)
SNAPSHOT = consumer_snapshot_to_json(consumer_snapshot_from_json(GROUP))
READ: dict[str, tuple[Document, Reader]] = {
    "consumer-snapshot": (SNAPSHOT, consumer_snapshot_from_json),
    "consumer-change": (change(*EVENTS), consumer_change_from_json),
    "consumer-assignment": (assign_document(GROUP, None, ()), consumer_assignment_from_json),
}


@pytest.mark.parametrize("name", READ)
def test_what_is_written_is_valid_and_read(name: str) -> None:
    document, read_it = READ[name]

    assert list(VALID[name].iter_errors(document)) == []
    assert accepted(read_it, document)


@pytest.mark.parametrize("detail", Detail)
def test_a_forecast_is_valid(detail: Detail) -> None:
    case = {"snapshot": GROUP, "change": change(joins(), {"then": "stable"}, joins("d", assignors=["range"]))}

    assert list(VALID["consumer-forecast"].iter_errors(forecast_case(case, detail))) == []


def test_a_plan_is_valid() -> None:
    documents = (("s", GROUP), ("c", change(joins(), {"then": "stable"}, {"remove_consumer": {"member_id": "a"}})))
    plan = planning.make_from(*documents, Policy(), datetime(2026, 11, 20, tzinfo=UTC))

    assert list(VALID["consumer-plan"].iter_errors(consumer_plan_to_json(plan))) == []


@pytest.mark.parametrize("name", READ)
@given(data=some.data())
@settings(max_examples=examples(300), suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_what_is_not_valid_is_refused(name: str, data: some.DataObject) -> None:
    """Any value in any place, a field less, a field more."""
    document, read_it = READ[name]
    path = data.draw(some.sampled_from([path for path in places(document) if path]))
    inside = at(document, path)
    kind = data.draw(some.sampled_from(("value", "less", "more")))
    if kind == "less":
        broken = without(document, path)
    elif kind == "more" and isinstance(inside, dict):
        broken = put(document, (*path, "no such field"), data.draw(some.sampled_from(WRONG)))
    else:
        broken = put(document, path, data.draw(some.sampled_from(WRONG)))

    if not VALID[name].is_valid(broken):
        assert not accepted(read_it, broken), path
