"""When members were stopped, as a journal has it, and nowhere a guess."""

from holdfast.rollout.journal.acted import Acted, ClientProcess, Does, ProcessState
from holdfast.rollout.journal.journal import Journal, JournalEntry, JournalEvent, Sighting
from holdfast.rollout.journal.stops import stops_of

RUNNING = ClientProcess(ProcessState.RUNNING, "p-1")


def begun(
    second: int,
    client: str = "a",
    does: Does = Does.RESTART,
    *,
    step: str = "1",
    event: JournalEvent = JournalEvent.BEGUN,
    members: tuple[str, ...] | None = None,
    seen: tuple[str, ...] | None = None,
) -> JournalEntry:
    return JournalEntry(
        f"2026-11-23T14:57:{second:02}Z",
        step,
        event,
        "holdfast",
        "",
        acted=Acted(does, client, RUNNING, members),
        seen=None if seen is None else Sighting(3, seen),
    )


def found(*entries: JournalEntry) -> list[tuple[str, int]]:
    return [(member, int(at[-3:-1])) for member, at in stops_of(Journal("0123456789abcdef", entries))]


def test_each_member_that_a_restart_ends_was_stopped_when_it_began() -> None:
    ended = begun(9, seen=("a-1", "a-2"), event=JournalEvent.ACTED)
    assert found(begun(1, seen=("a-1", "a-2")), ended) == [("a-1", 1), ("a-2", 1)]
    assert found(begun(1, members=("a-1",)), begun(5, "b", members=("b-1",))) == [("a-1", 1), ("b-1", 5)]


def test_what_may_have_been_later_or_of_another_client_says_nothing() -> None:
    """A command that was given again; a step that restarts two, and saw the members of both; a permanent stop; a rollback."""
    assert found(begun(1, seen=("a-1",)), begun(7, seen=("a-1",))) == []
    assert found(begun(1, seen=("a-1", "b-1")), begun(5, "b", seen=("a-1", "b-1"))) == []
    assert found(begun(1, does=Does.STOP, seen=("a-1",))) == []
    back = JournalEntry("2026-11-23T14:57:01Z", "1", JournalEvent.GOING_BACK, "ann", "")
    assert found(back, begun(4, seen=("a-1",), event=JournalEvent.UNDOING)) == []
    assert found(begun(1)) == []
