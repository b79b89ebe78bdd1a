"""Restarts one after the other: those that are known, and those that have to be walked."""

from collections.abc import Sequence

from holdfast.kafka.streams.group import Group
from holdfast.rollout.streams.forecast.compiled import packing
from holdfast.rollout.streams.forecast.compiled import restarts as known
from holdfast.rollout.streams.forecast.compiled.restarts import Restarted, Restarts, Rests, Running
from holdfast.rollout.streams.forecast.compiled.unpacking import Walker
from holdfast.rollout.streams.scene.reports import Reports


class Restarting:
    """The restarts of one course that begins with this group. `running`: as in `walks.walk`."""

    def __init__(self, rests: Rests, fingerprint: int, group: Group, rules: Reports, running: Running | None) -> None:
        self._rests, self._fingerprint, self._group, self._rules = rests, fingerprint, group, rules
        self._records = running is not None
        self._running = running
        self._rest = rests.of(fingerprint, group, rules.assume, running)
        self._at_rest = True
        self._walker: Walker | None = None
        self._walked = False
        self._found: list[Restarted] = []
        self.is_spoilt = False
        """The walker stopped in the middle of a batch."""

    def go_through(self, batches: Sequence[known.Restarting], most: int) -> int:
        """How many of them there are now in `found`, with at most `most` rebalances; the others cannot be walked."""
        for batch in batches:
            if most <= 0:
                break
            one = self._rest.find(batch, as_seen=self._rules.as_seen, records=self._records) if self._at_rest else None
            one = one or self._walk(batch, most)
            if one is None:
                break
            self._found.append(one)
            most -= len(one.asked)
        return len(self._found)

    def found(self) -> Restarts:
        """Nothing can be walked after that. Clients that report as before are the objects that other courses have."""
        walker = self._walker if self._walked else None
        if walker is None:
            return Restarts(tuple(self._found), self._rest.group.clients, None, frozenset(), 0)
        clients = self._rest.group.clients if self._at_rest else walker.clients()
        found = Restarts(tuple(self._found), clients, walker.running(), walker.open_copies(), walker.unstarted())
        walker.close()
        return found

    def _walk(self, batch: known.Restarting, most: int) -> Restarted | None:
        if self._walker is None:
            layouts = self._rests.layouts()
            one = packing.packed(self._group, self._rules, layouts)
            if one is None:
                return None
            self._walker = Walker(one, layouts.workspaces, records=self._records)
            self._walker.run_before(self._running or {})
            self._walker.remember()
        found = self._walker.restart(batch, most)
        if found is None:
            self.is_spoilt = True
            return None
        self._walked = True
        self._compare(batch, found, self._walker)
        return found

    def _compare(self, batch: known.Restarting, found: Restarted, walker: Walker) -> None:
        """Keep a restart after which all is as before."""
        if self._at_rest and walker.is_as_before():
            if found.asked == (None,) and walker.moved_nothing():
                seen = self._rules.as_seen if walker.differs_as_seen() else None
                self._rest.keep(batch, found, as_seen=seen, records=self._records)
        elif walker.reports_as_before():  # and runs something else than before
            self._running = walker.running()
            self._rest = self._rests.of(self._fingerprint, self._group, self._rules.assume, self._running)
            self._at_rest = True
            walker.remember()
        else:
            self._at_rest = False
