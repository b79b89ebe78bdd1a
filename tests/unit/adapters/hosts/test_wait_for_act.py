"""How long an act is looked at: until it shows, until its time is over, and never for long."""

from collections.abc import Callable

import pytest

from holdfast.adapters.hosts import wait_for_act
from holdfast.errors import HostTrouble
from holdfast.rollout.journal.acted import ClientProcess, Does, ProcessState

BEFORE, AFTER = (ClientProcess(ProcessState.RUNNING, identity) for identity in ("1", "2"))
DOWN, GOING = ClientProcess(ProcessState.STOPPED), ClientProcess(ProcessState.CHANGING)


class Looks:
    """What the process shows, look by look; the last one stays. Each pause takes a second."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *shown: ClientProcess | HostTrouble) -> None:
        self.shown, self.time = [*shown], 0.0
        monkeypatch.setattr(wait_for_act.time, "monotonic", lambda: self.time)

    def look(self) -> ClientProcess:
        found = self.shown.pop(0) if len(self.shown) > 1 else self.shown[0]
        if isinstance(found, HostTrouble):
            raise found
        return found

    def pause(self) -> None:
        self.time += 1

    def shows(self, does: Does, limit_s: float) -> bool:
        return wait_for_act.shows(does, self.look, lambda now: now.identity != "1", limit_s, self.pause)


Made = Callable[..., Looks]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Made:
    return lambda *shown: Looks(monkeypatch, *shown)


def test_it_is_looked_at_until_it_shows(made: Made) -> None:
    away = HostTrouble("no route", begun=False)
    looks = made(BEFORE, GOING, away, DOWN, AFTER)
    assert looks.shows(Does.RESTART, 300)
    assert looks.time == 4
    assert made(BEFORE, GOING, DOWN).shows(Does.STOP, 300)
    assert made(DOWN, AFTER).shows(Does.START, 300)


def test_one_that_needs_longer_may_still_be_going_on(made: Made) -> None:
    looks = made(BEFORE)
    with pytest.raises(HostTrouble, match="is not running after 10 s") as trouble:
        looks.shows(Does.RESTART, 300)

    assert (trouble.value.begun, trouble.value.lasting) == (True, False)
    assert looks.time == wait_for_act.HOLDS_S


def test_one_whose_time_is_over_has_not_happened(made: Made) -> None:
    looks = made(BEFORE)
    assert not looks.shows(Does.STOP, 3)
    assert looks.time == 3


def test_what_lasts_is_not_waited_for(made: Made) -> None:
    looks = made(HostTrouble("no right", begun=False, lasting=True))
    with pytest.raises(HostTrouble, match="no right") as trouble:
        looks.shows(Does.STOP, 300)

    assert (trouble.value.begun, trouble.value.lasting) == (True, True)
    assert looks.time == 0
