"""What an option promises holds for every group: any hosts, tasks, rank in process-ID order, and process ID of the newcomer."""

import uuid

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.harness.article import Document, change, fleet
from tests.harness.examples import examples
from tests.harness.plans import planned, read

from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.cost.evaluation import EvaluatedOption
from holdfast.rollout.streams.options import proposals
from holdfast.rollout.streams.plan import json as plan_json


@st.composite
def replacements(draw: st.DrawFn) -> tuple[Document, Document]:
    """A stable group without old copies, and one of its clients replaced by one with an empty disk and any ID."""
    hosts = draw(st.integers(2, 6))
    snapshot, ids = fleet(hosts, draw(st.integers(hosts, 24)), draw(st.integers(0, 2**32)))
    newcomer = str(draw(st.builds(uuid.UUID, int=st.integers(0, 2**128 - 1)).filter(lambda one: str(one) not in ids)))
    event = {"replace_client": {"process_id": draw(st.sampled_from(ids)), "by": {"process_id": newcomer}, "state": "empty"}}
    return snapshot, event


def evaluated(snapshot: Document, event: Document) -> dict[str, EvaluatedOption]:
    group = read(snapshot)
    options = proposals.propose(group, change_from_json(change(event)))
    return {option.name: proposals.evaluate(group, option) for option in options if option.name in PROMISES}


PROMISES = ("copy-process-metadata", "seed-process-id", "copy-state-directory")


@settings(max_examples=examples(15), deadline=None)
@given(replacements())
def test_each_remedy_keeps_what_it_promises(case: tuple[Document, Document]) -> None:
    """The old ID: nothing moves, only its own tasks restore. A seeded one: no other client's tasks move. The disk: nothing
    restores."""
    snapshot, event = case
    replaced = event["replace_client"]["process_id"]
    options = evaluated(snapshot, event)
    copied, seeded, whole = (options[name].worst for name in PROMISES)

    assert (copied.moved, copied.needless, copied.rebalances.high) == (0, 0, 1)
    assert [str(one.process_id) for one in copied.restores] == [replaced]

    assert (seeded.needless, seeded.rebalances.high) == (0, 1)
    assert seeded.restored_records == copied.restored_records

    assert (whole.moved, whole.restored_records, whole.cold) == (0, 0, ())


@pytest.mark.thorough
@settings(max_examples=examples(15), deadline=None)
@given(replacements())
def test_the_chosen_way_never_moves_more_than_the_plain_one(case: tuple[Document, Document]) -> None:
    snapshot, event = case
    plan = planned(snapshot, event)

    assert plan.recommended_option is not None
    assert plan.baseline_option is not None
    assert plan.recommended_option.costs[0].needless <= plan.baseline_option.costs[0].needless
    assert plan_json.plan_from_json(loads(dumps(plan_json.plan_to_json(plan)))) == plan
