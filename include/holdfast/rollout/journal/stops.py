"""When members of a group were stopped, as the journal of a rollout has it: to the second. A broker's records only have bounds."""

from collections import Counter
from collections.abc import Iterator

from holdfast.rollout.backtest.stops import Stop
from holdfast.rollout.journal.acted import Acted, Does
from holdfast.rollout.journal.journal import Journal, JournalEntry, JournalEvent


def stops_of(journal: Journal) -> Iterator[Stop]:
    """Of members whose client was restarted by one command. What was begun twice may have been given twice: it says nothing."""
    begun = [(one, one.acted) for one in journal.forward().entries if one.event is JournalEvent.BEGUN and one.acted is not None]
    times = Counter((entry.step, acted.client) for entry, acted in begun)
    clients = Counter(step for step, _ in times)
    for entry, acted in begun:
        if acted.does is Does.RESTART and times[entry.step, acted.client] == 1:
            yield from ((member, entry.at) for member in _members(entry, acted, alone=clients[entry.step] == 1))


def _members(entry: JournalEntry, acted: Acted, *, alone: bool) -> tuple[str, ...]:
    """What the group listed of the client. `alone`: the step acts on no other, so that what it saw is of this one."""
    if acted.members is not None:
        return acted.members
    return entry.seen.members if alone and entry.seen is not None else ()
