"""Real groups never diverge from their forecast because copies catch up sooner or later than it has them, and threads open tasks
late; and a task that is somewhere else is found. The group of the test is led by Kafka's decisions, on reports of its own."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as some
from tests.harness.article import change as change_of
from tests.harness.examples import examples
from tests.property.test_forecast import converged, groups

from holdfast.errors import CannotPredict
from holdfast.kafka.streams.group import Assignment, Client
from holdfast.kafka.vocabulary import TaskId
from holdfast.rollout.execution.rounds import Agrees, RoundsOfBatch, WhoRunsWhat, compare
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.execution.rounds import courses_of, placed_by
from holdfast.rollout.streams.forecast import course
from holdfast.rollout.streams.forecast.compiled import walks
from holdfast.rollout.streams.forecast.next_rebalance import what_is_requested
from holdfast.rollout.streams.forecast.outcomes import Round
from holdfast.rollout.streams.forecast.stage import Ground
from holdfast.rollout.streams.forecast.work import allowed
from holdfast.rollout.streams.scene.assumptions import CatchUp
from holdfast.rollout.streams.scene.reports import Reports, TimeBetween
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

NOWHERE = "00000000-0000-4000-8000-000000000000"
OPENED_LATE = 0.1
NEW = "5a5a5a5a-0000-4000-8000-000000000000"


class _AsTheyAre(Reports):
    """Each copy catches up when it likes, and now and then threads open their tasks late."""

    chance: random.Random

    def after(self, clients: Iterable[Client], decision: Assignment, pause: TimeBetween, seconds: float) -> tuple[Client, ...]:
        self.as_seen = self.chance.random() < OPENED_LATE
        return super().after(clients, decision, pause, seconds)

    def _caught_up(self, task: TaskId, before: int | None, pause: TimeBetween, seconds: float) -> int:
        likely = 0.2 if pause is TimeBetween.NONE else 0.7
        assume = CatchUp.NEXT_REBALANCE if self.chance.random() < likely else CatchUp.PROBING_REBALANCE
        self.assume = replace(self.assume, catch_up=assume)
        return super()._caught_up(task, before, TimeBetween.NONE if pause is TimeBetween.PROBING else pause, seconds)


class _Reality(course.RecordedStage):
    def __init__(self, snapshot: Snapshot, change: Change, chance: random.Random) -> None:
        self._chance = chance
        super().__init__(Ground(snapshot, allowed(snapshot, 10), most_rounds=60, walks_due=walks.never), change.assume)

    def _rules(self) -> Reports:
        rules = _AsTheyAre(self._group, self._assume)
        rules.chance = self._chance
        rules.closed_in_doubt = self._closed_in_doubt
        return rules

    def happens(self, change: Change) -> tuple[Round, ...]:
        """All rounds, up to where it does not become stable."""
        found = self.course(course._through(self, change))
        return found.rounds[: sum(one.rebalances for one in found.acts)]


@some.composite
def rollouts(draw: some.DrawFn) -> tuple[Snapshot, Change, random.Random]:
    document = converged(draw(groups()))
    chance = random.Random(draw(some.integers(0, 2**32)))
    clients = list(document["clients"])
    events: list[Any] = []
    for _ in range(chance.randint(1, 3)):
        events += [_event(chance, clients, len(events)), {"then": chance.choice(["stable", "stable", "rebalance"])}]
    return snapshot_from_json(document), change_from_json(change_of(*events)), chance


def _event(chance: random.Random, clients: list[str], number: int) -> Any:
    match chance.choice(["restart", "restart", "add", "remove", "replace"]):
        case "restart":
            return {"restart_client": {"process_id": chance.choice(clients), "keeps_state": chance.random() < 0.8}}
        case "add":
            clients.append(NEW.replace("0000-4", f"000{number}-4", 1))
            return {"add_client": {"process_id": clients[-1], "threads": 1}}
        case "remove" if len(clients) > 1:
            return {"remove_client": {"process_id": clients.pop(chance.randrange(len(clients)))}}
        case _:
            old = clients.pop(chance.randrange(len(clients)))
            clients.append(NEW.replace("0000-4", f"000{number}-4", 1))
            return {"replace_client": {"process_id": old, "by": {"process_id": clients[-1], "threads": 1}, "state": "empty"}}


def looks(snapshot: Snapshot, change: Change, chance: random.Random) -> Iterator[tuple[WhoRunsWhat, bool, list[RoundsOfBatch]]]:
    """After each rebalance of the last batch that all its clients see: where all is, whether it is settled, and the forecast."""
    batches = change.numbered_batches()
    reality = _Reality(snapshot, change, chance)
    rounds = reality.happens(change)
    there = frozenset(client.process_id for client in reality.scene.clients)
    assert len(reality._acts) <= len(batches)
    if len(reality._acts) < len(batches):
        return
    found = list(courses_of(snapshot, change, there, allowed(snapshot, 10)))
    for one in rounds[sum(act.rebalances for act in reality._acts[:-1]) :]:
        assert isinstance(one.decision, Assignment)
        if {client.process_id for client in one.decision.clients} == there:
            yield placed_by(one), what_is_requested(one.decision) is None, found


@pytest.mark.thorough
@given(rollouts())
@settings(max_examples=examples(50), deadline=None)
def test_no_rollout_diverges_because_copies_take_their_time(rollout: tuple[Snapshot, Change, random.Random]) -> None:
    try:
        for placed, settled, courses in looks(*rollout):
            found = compare(placed, courses, settled or None)
            event(f"{found.agrees.value}, {'settled' if settled else 'going on'}")
            assert found.agrees is not Agrees.DIFFERENT, (found, settled)
            if settled:
                at_rest = compare(placed, courses, True)
                assert at_rest.agrees is Agrees.AS_FORECAST, at_rest
    except CannotPredict:
        event("refused")


@given(rollouts(), some.randoms(use_true_random=False))
@settings(max_examples=examples(25), deadline=None)
def test_a_task_that_is_moved_is_found(rollout: tuple[Snapshot, Change, random.Random], chance: random.Random) -> None:
    """At rest whichever task it is, and wherever it goes; before that, where no client of the forecast has anything of it."""
    try:
        for placed, settled, courses in looks(*rollout):
            clients = sorted({*placed.owners.values()})
            tasks = sorted(placed.owners)
            if len(clients) < 2 or not tasks:
                continue
            task = chance.choice(tasks)
            elsewhere = chance.choice([one for one in clients if one != placed.owners[task]]) if settled else NOWHERE
            moved = replace(placed, owners={**placed.owners, task: elsewhere})
            found = compare(moved, courses, settled or None)
            if settled or not (task in courses[0].anywhere or courses[0].earlier):
                event("settled" if settled else "going on")
                assert found.agrees is Agrees.DIFFERENT
                assert [one.of for one in found.differences] == [task]
                assert found.differences[0].found == (elsewhere,)
    except CannotPredict:
        event("refused")
