"""What a remedy promises holds for every group: any hosts, tasks, place in the order, and process ID of the newcomer."""

import uuid

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.harness.article import Document, change, fleet
from tests.harness.examples import examples
from tests.harness.plans import planned, read

from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.cost.evaluation import Evaluation
from holdfast.rollout.streams.options import candidates
from holdfast.rollout.streams.plan import json as plan_json


@st.composite
def replacements(draw: st.DrawFn) -> tuple[Document, Document]:
    """A stable group without old copies, and one of its clients replaced by one with an empty disk and any ID."""
    hosts = draw(st.integers(2, 6))
    snapshot, ids = fleet(hosts, draw(st.integers(hosts, 24)), draw(st.integers(0, 2**32)))
    newcomer = str(draw(st.builds(uuid.UUID, int=st.integers(0, 2**128 - 1)).filter(lambda one: str(one) not in ids)))
    event = {"replace_client": {"process_id": draw(st.sampled_from(ids)), "by": {"process_id": newcomer}, "state": "empty"}}
    return snapshot, event


def evaluated(snapshot: Document, event: Document) -> dict[str, Evaluation]:
    group = read(snapshot)
    ways = candidates.propose(group, change_from_json(change(event)))
    return {way.name: candidates.evaluate(group, way) for way in ways}


@settings(max_examples=examples(40), deadline=None)
@given(replacements())
def test_with_the_old_id_nothing_moves_and_only_its_own_tasks_restore(case: tuple[Document, Document]) -> None:
    snapshot, event = case
    replaced = event["replace_client"]["process_id"]
    cost = evaluated(snapshot, event)["copy-process-metadata"].worst

    assert (cost.moved, cost.needless, cost.rebalances.high) == (0, 0, 1)
    assert [str(one.process_id) for one in cost.restores] == [replaced]


@settings(max_examples=examples(40), deadline=None)
@given(replacements())
def test_a_seeded_id_moves_nobody_elses_tasks(case: tuple[Document, Document]) -> None:
    ways = evaluated(*case)
    seeded, copied = ways["seed-process-id"].worst, ways["copy-process-metadata"].worst

    assert (seeded.needless, seeded.rebalances.high) == (0, 1)
    assert seeded.restored_records == copied.restored_records


@settings(max_examples=examples(40), deadline=None)
@given(replacements())
def test_with_the_whole_disk_nothing_restores(case: tuple[Document, Document]) -> None:
    cost = evaluated(*case)["copy-state-directory"].worst

    assert (cost.moved, cost.restored_records, cost.cold) == (0, 0, ())


@settings(max_examples=examples(40), deadline=None)
@given(replacements())
def test_the_chosen_way_never_moves_more_than_the_plain_one(case: tuple[Document, Document]) -> None:
    snapshot, event = case
    plan = planned(snapshot, event)

    assert plan.chosen_way is not None
    assert plan.plain_way is not None
    assert plan.chosen_way.costs[0].needless <= plan.plain_way.costs[0].needless
    assert plan_json.plan_from_json(loads(dumps(plan_json.plan_to_json(plan)))) == plan
