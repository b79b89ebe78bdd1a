"""What an option is recommended by: named criteria, downtime and every rebalance among them."""

import random
import re
from typing import Any

import pytest
from tests.harness.article import AFTER, LAST, A, Document, change, fleet, group
from tests.harness.plans import NOON, planned, read

from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.options import selection
from holdfast.rollout.options.criteria import CRITERIA
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.options import proposals
from holdfast.rollout.streams.options.impact import COUNTED
from holdfast.rollout.streams.plan import assembly
from holdfast.rollout.streams.plan.plan import Plan


def static(document: Document) -> Document:
    """Every member has a `group.instance.id`."""
    for client in document["clients"].values():
        for number, consumer in enumerate(client["consumers"].values()):
            consumer["group_instance_id"] = f"i-{number}"
    return document


def why_not(made: Plan, name: str) -> str:
    return next(one.why_not for one in made.candidates if one.name == name)


def test_a_static_member_returns_rather_than_wait_for_its_session() -> None:
    """The baseline says that it does not return in time: 45 s of downtime, and a rebalance. Returning costs neither."""
    document = static(group(AFTER, "3.9.1"))
    made = planned(document, {"restart_client": {"process_id": A, "within_session": False}})

    assert made.chosen == "static-return"
    assert why_not(made, BASELINE_NAME).startswith("More downtime: ")
    assert why_not(made, BASELINE_NAME).endswith(" instead of 0.")


@pytest.fixture(scope="module")
def scaled_out() -> tuple[Plan, int]:
    """The plan for a client more, and how many there were."""
    document, ids = fleet(12, 72, seed=1)
    return planned(document, {"add_client": {"process_id": None, "threads": 1, "host": "app-new"}}), len(ids)


@pytest.mark.thorough
def test_a_scale_out_seeds_an_id_rather_than_roll_every_client_twice(scaled_out: tuple[Plan, int]) -> None:
    made, clients = scaled_out
    rolled = next(one for one in made.candidates if one.name == "raise-warmups")

    assert made.chosen == "seed-process-id"
    assert rolled.effort_counts is not None
    assert rolled.effort_counts.restarts == 2 * clients + 1


@pytest.mark.thorough
def test_rebalances_of_an_options_own_steps_count(scaled_out: tuple[Plan, int]) -> None:
    made, _ = scaled_out
    found = {one.name: next(rule for rule in one.rules if rule.name == "rebalances") for one in made.candidates if one.costs}

    words = re.fullmatch(r"1 from the change itself, up to (\d+) extra( \(usually \d+\))?", found["raise-warmups"].found)
    assert words is not None
    assert int(words[1]) >= 24


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(12))
def test_what_is_recommended_is_never_worse_before_it_wins(seed: int) -> None:
    """Against the baseline: the first criterion in which they differ is won by the recommended option."""
    chance = random.Random(seed)
    document, ids = fleet(chance.randint(2, 5), chance.randint(2, 14), seed=seed)
    document["config"]["num.standby.replicas"] = chance.choice((0, 0, 1))
    if chance.random() < 0.3:
        document = static(document)
    events: list[dict[str, Any]] = [
        {"add_client": {"process_id": None, "threads": 1}},
        {"replace_client": {"process_id": chance.choice(ids), "by": {"process_id": LAST, "threads": 1}}},
        {"restart_client": {"process_id": chance.choice(ids)}},
        {"remove_client": {"process_id": chance.choice(ids)}},
    ]
    policy = Policy(
        restore_records_per_second=chance.choice((10, 10_000)),
        copy_state_over_s=chance.choice((0, 600)),
        rebalances_most=chance.choice((None, 0, 8)),
        time_to_stable_s_most=chance.choice((None, 60, 2_000)),
        copy_bytes_per_second=chance.choice((None, 10, 10**9)),
        bytes_per_record=chance.choice((None, 100)),
        allow=chance.choice(((), ("clear-state", "all-together"))),
    )
    snapshot = read(document)
    requested = change_from_json(change(chance.choice(events)))
    found = tuple(proposals.evaluate(snapshot, one) for one in proposals.propose(snapshot, requested))
    weighed = assembly.ranked(snapshot, found, policy, NOON)
    chosen, baseline = selection.best(weighed), next(one for one in weighed if one.name == BASELINE_NAME)
    if chosen is None or not baseline.possible:
        return
    figures = [(criterion.name, criterion.key(chosen), criterion.key(baseline)) for criterion in CRITERIA]
    first = next((one for one in figures if one[1] != one[2]), None)

    assert first is None or first[1] < first[2], figures
    if chosen.name != BASELINE_NAME:
        assert selection.why_not(baseline, chosen, COUNTED).text


def test_criteria_have_names_of_their_own() -> None:
    assert len({one.name for one in CRITERIA}) == len(CRITERIA)
