"""A group in the middle of a rebalance, or without members, shows nothing: whatever is asked about it is refused by one name."""

import json
import re

import pytest
from tests.harness import plain_groups
from tests.harness.article import AFTER, Document, change, group

from holdfast.errors import CannotPredict
from holdfast.rollout.consumer.change.json import consumer_change_from_json
from holdfast.rollout.consumer.forecast import forecast as consumer_forecast
from holdfast.rollout.consumer.snapshot.json import consumer_snapshot_from_json
from holdfast.rollout.kinds import distributed_search
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.guard import guard
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.rollout.tables import group_rows
from holdfast.workflows.deciding import assign_document

STATES = ("PreparingRebalance", "CompletingRebalance", "Empty", "Dead")
SAID = "was rebalancing|has no client|not Stable"
EVENTS = ([], [{"set_config": {"max.warmup.replicas": 6}}], [{"add_client": {"process_id": None, "threads": 2}}])


def bare(state: str | None) -> Document:
    return group(AFTER) | {"group_state": state, "clients": {}, "leader_process_id": None}


def bare_plain(state: str | None) -> Document:
    """A consumer group's snapshot always has members."""
    return plain_groups.group({"one": plain_groups.member(0)}, group_state=state)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("events", EVENTS, ids=["nothing", "a setting", "a client"])
def test_a_streams_group_is_refused_in_every_question(state: str, events: list[object]) -> None:
    document, requested = bare(state), change(*events)
    snapshot = snapshot_from_json(document)
    for question in (
        lambda: assign_document(document, None, ()),
        lambda: guard.look(snapshot),
        lambda: forecast(snapshot, change_from_json(requested)),
        lambda: distributed_search.candidates(json.dumps(document), json.dumps(requested)),
    ):
        with pytest.raises(CannotPredict, match=SAID):
            question()


@pytest.mark.parametrize("state", STATES)
def test_a_plain_group_is_refused_in_every_question(state: str) -> None:
    document = bare_plain(state)
    snapshot = consumer_snapshot_from_json(document)
    requested = consumer_change_from_json(change())
    for question in (
        lambda: assign_document(document, None, ()),
        lambda: consumer_forecast.forecast(snapshot, requested),
        lambda: distributed_search.candidates(json.dumps(document), json.dumps(change())),
    ):
        with pytest.raises(CannotPredict, match=SAID):
            question()


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("kind", [bare, bare_plain])
def test_the_fleet_says_why_it_has_no_targets(kind: object, state: str) -> None:
    assert callable(kind)
    row = group_rows.targets(json.dumps(kind(state)))

    assert row["targets"] == []
    assert re.search(SAID, row["problem"])


def test_members_that_are_listed_in_a_rebalance_do_not_help() -> None:
    """The broker lists the members, and shows what none of them holds."""
    snapshot = snapshot_from_json(group(AFTER) | {"group_state": "CompletingRebalance"})

    with pytest.raises(CannotPredict, match=r"CompletingRebalance.*Take a new snapshot when it is stable"):
        guard.look(snapshot)


@pytest.mark.parametrize("state", [None, "Stable"])
def test_no_client_is_nothing_to_guard(state: str | None) -> None:
    with pytest.raises(CannotPredict, match="has no client"):
        guard.look(snapshot_from_json(bare(state)))


def test_a_state_that_nobody_knows_is_named() -> None:
    with pytest.raises(CannotPredict, match=r"was Reconciling\\u001b, not Stable"):
        guard.look(snapshot_from_json(group(AFTER) | {"group_state": "Reconciling\x1b"}))
