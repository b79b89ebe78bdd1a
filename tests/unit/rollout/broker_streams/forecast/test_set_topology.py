"""Another topology: rejected with the coordinator's own message, and what differs."""

from typing import Any

import pytest
from tests.unit.rollout.broker_streams.plans import planned
from tests.unit.rollout.broker_streams.streams_groups import Case, course, snapshot

from holdfast.errors import InvalidInput, TopologyRejected
from holdfast.rollout.contract.assessment import Assessment

OWN = snapshot()["topology"]["subtopologies"]


def deploys(subtopologies: Case, **more: Any) -> Case:
    return {"set_topology": {"subtopologies": subtopologies} | more}


@pytest.mark.parametrize(
    ("event", "says"),
    [
        (deploys(OWN | {"2": {"source_topics": ["orders"]}}), r"supported yet.*\(new: '2'\)"),
        (deploys({"0": OWN["0"]}), r"removed: '1'"),
        (deploys(OWN | {"1": {"source_topics": ["users"]}}), r"with other topics: '1'"),
        (deploys(OWN, epoch=1), r"its epoch is 1, the group's 0"),
    ],
)
def test_another_topology_is_rejected(event: Case, says: str) -> None:
    with pytest.raises(TopologyRejected, match=says):
        course(event)
    plan = planned(event)
    assert plan.assessment is Assessment.BLOCKED
    assert plan.headline.startswith("The coordinator rejects the topology: ")


def test_an_older_epoch_is_stale() -> None:
    group = snapshot()
    group["topology"]["epoch"] = 3
    with pytest.raises(TopologyRejected, match="STALE_TOPOLOGY to clients with the topology epoch 2"):
        course(deploys(OWN, epoch=2), of=group)


def test_its_own_topology_is_no_change() -> None:
    with pytest.raises(InvalidInput, match="it is the group's topology"):
        course(deploys(OWN, epoch=0))
