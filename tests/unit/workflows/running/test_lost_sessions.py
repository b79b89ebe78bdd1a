"""Members whose sessions were lost after the plan was made, as in an outage of the broker, came back under other IDs. Those of a
client that was stopped are listed until its session times out: they end no wait, whatever their IDs are."""

from contextlib import suppress
from pathlib import Path

import pytest
from tests.harness.article import AFTER, A, B, C, Document, group
from tests.harness.plans import article_plan, planned
from tests.harness.running_group import JOINS_S, LISTED_S, Killed, RunningGroup
from tests.unit.workflows.running.test_run import ALL_THREE, rolling

from holdfast.adapters.state_dirs.process_metadata import LocalProcessMetadataFiles
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.journal.acted import Does
from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.policy.policy import Policy

ACTS = ("stop_client", "start_client", "write_process_metadata")


def under_other_ids(document: Document) -> Document:
    found: Document = loads(dumps(document).replace("0f6d8a3e-0000-4000-8", "0f6d8a3e-0000-4000-9"))
    return found


class Hosts(RunningGroup):
    """With the time at which each act took effect."""

    def __init__(self) -> None:
        super().__init__()
        self.at: list[float] = []

    def lose_sessions(self) -> None:
        """Before anything is done."""
        self.document = under_other_ids(group(AFTER))

    def take_effect(self, does: Does, client: str) -> None:
        super().take_effect(does, client)
        self.at.append(self.time)


@pytest.mark.thorough
def test_the_next_client_is_stopped_once_the_one_before_is_gone() -> None:
    removed = [{"remove_client": {"process_id": one, "leaves": False}} for one in (A, B)]
    plan = planned(group(AFTER), removed[0], {"then": "stable"}, removed[1], policy=Policy(acts=ACTS))
    reality = Hosts()
    reality.lose_sessions()
    reality.run(plan)

    assert reality.done == [(Does.STOP, A), (Does.STOP, B)]
    assert reality.at[1] - reality.at[0] >= LISTED_S


def test_a_client_that_moves_to_another_host_has_joined_before_its_plan_is_done(tmp_path: Path) -> None:
    """The members of the old one have the tasks that are forecast, and as many threads."""
    reality = Hosts()
    reality.lose_sessions()
    reality.files = LocalProcessMetadataFiles()
    reality.state_dirs = {ProcessId.parse(C): str(tmp_path)}
    ran = reality.run(article_plan(Policy(acts=ACTS)))

    assert (ran.halted, ran.applied.waiting_for) == (None, None)
    assert reality.done == [(Does.STOP, C), (Does.START, C)]
    assert reality.time - reality.at[1] >= JOINS_S


@pytest.mark.thorough
def test_the_next_restart_waits_for_the_one_before_although_its_members_have_changed() -> None:
    """A run is killed at each moment between the begin of a step and its act, and the session is lost before the next run."""
    for left in range(6, 12):
        reality = Hosts()
        with suppress(Killed):
            reality.run(rolling(), dies_after=left)
        if reality.done:
            break
        reality.lose_sessions()
        reality.sleep(1.0)
        reality.run(rolling())

        assert reality.done == ALL_THREE
        assert reality.at[1] - reality.at[0] >= JOINS_S, left
    assert left > 8, "a step was begun"
