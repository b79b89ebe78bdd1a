"""A client that no plan knows joins while a run carries out a rolling restart: whenever it does, nothing is begun afterwards that
goes by an older look."""

from collections.abc import Callable
from contextlib import suppress

import pytest
from tests.harness.article import B, client
from tests.harness.operators_hands import STRANGER
from tests.harness.running_group import TAKES_S, Killed, RunningGroup
from tests.unit.workflows.running.test_run import ALL_THREE, halt, rolling

from holdfast.errors import HostTrouble
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.journal.acted import ClientProcess, Does, Halt
from holdfast.workflows.running.run import Ran
from holdfast.workflows.running.walking import OLD_S

RUNS = (RunningGroup.run, RunningGroup.run_in_turns)


class Joined(RunningGroup):
    """`effects`: how much later than the other client joined an act took effect."""

    def __init__(self) -> None:
        super().__init__()
        self.joined_at: float | None = None
        self.effects: list[float] = []

    def joins(self) -> None:
        if self.joined_at is None:
            self.joined_at, self.strangers = self.time, {STRANGER: client(STRANGER, ((), ()))}

    def take_effect(self, does: Does, client: str) -> None:
        super().take_effect(does, client)
        if self.joined_at is not None:
            self.effects.append(self.time - self.joined_at)


class SlowHost(Joined):
    """From one question about B's process on its host does not answer for a while, in which the other client joins."""

    def __init__(self, question: int) -> None:
        super().__init__()
        self.question, self.asked, self.away_until_s = question, 0, 0.0

    def process(self, act: Act) -> ClientProcess:
        self.asked += act.client == B
        if self.asked == self.question and self.joined_at is None:
            self.away_until_s = self.time + 20
            self.joins()
        if act.client == B and self.time < self.away_until_s:
            raise HostTrouble("no route to host", begun=False)
        return super().process(act)


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("done", [0, 1, 2, 3])
def test_while_the_group_is_waited_for(run: Callable[..., Ran], done: int) -> None:
    reality = Joined()
    reality.on_sleep = lambda: reality.joins() if len(reality.done) == done else None
    if done == 0:
        reality.joins()

    assert halt(run(reality, rolling())) is Halt.DRIFT
    assert reality.done == ALL_THREE[:done]


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("question", [1, 2, 3])
def test_while_a_host_does_not_tell_the_state_of_its_process(run: Callable[..., Ran], question: int) -> None:
    """Before the act is begun in the journal, and after that."""
    reality = SlowHost(question)

    assert halt(run(reality, rolling())) is Halt.DRIFT
    assert reality.done == ALL_THREE[:1]


@pytest.mark.thorough
@pytest.mark.parametrize("run", RUNS)
def test_while_a_run_waits_for_the_command_of_one_that_was_killed(run: Callable[..., Ran]) -> None:
    """Whose own command may take effect meanwhile."""
    for dies_after in range(4, 60, 3):
        for later in (1, 20):
            reality = Joined()
            with suppress(Killed):
                run(reality, rolling(), dies_after=dies_after)
                return
            joins_at = reality.time + later
            reality.on_sleep = lambda reality=reality, at=joins_at: reality.joins() if reality.time >= at else None
            ran = run(reality, rolling())

            assert halt(ran) is Halt.DRIFT or reality.done == ALL_THREE, (dies_after, later, ran.halted)
            assert max(reality.effects, default=0) <= OLD_S + TAKES_S, (dies_after, later)
