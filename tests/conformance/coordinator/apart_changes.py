"""Random changes to a streams group in which the threads of one client leave, or their sessions end, with targets in between."""

from tests.conformance.coordinator.changes import INTERVAL_MS, SESSION_MS, RandomChange
from tests.conformance.coordinator.targets import Case


class ApartChange(RandomChange):
    """Some of its batches are one client of several threads that ends in groups."""

    def _batch(self, wait: str | None) -> None:
        several = [one for one in dict.fromkeys(self._alive.values()) if len(self._members(one)) > 1]
        if not several or len(set(self._alive.values())) < 2 or self._chance.random() < 0.3:
            super()._batch(wait)
            return
        process = self._chance.choice(several)
        groups = self._groups(self._members(process))
        verb = self._chance.choice(("remove", "restart", *(["crash"] if wait != "target" and len(groups) == 2 else [])))
        event: Case = {"process_id": process, "apart": groups}
        if verb == "crash":
            self._crash(event | {"leaves": False}, groups)
            return
        for group in groups:
            self._leave(group)
            self._compute()
        if verb == "remove":
            self.events.append({"remove_client": event})
            return
        members = self._new_members(1 if self._one_by_one else len(groups) + 1)
        started = event | {"member_ids": members}
        self.events.append({"restart_client": started})
        self._join(members, process, started)
        self._compute()

    def _groups(self, members: list[str]) -> list[list[str]]:
        mixed = self._chance.sample(members, len(members))
        cuts = sorted(self._chance.sample(range(1, len(mixed)), self._chance.randint(1, min(2, len(mixed) - 1))))
        return [mixed[first:last] for first, last in zip((0, *cuts), (*cuts, len(mixed)), strict=True)]

    def _crash(self, event: Case, groups: list[list[str]]) -> None:
        """Who sent no heartbeat for longer is fenced first."""
        early, late = groups
        for member in early:
            self._do("heartbeat", id=member)
            self._do("sleep", ms=1)
        first = self._clock
        self._do("sleep", ms=INTERVAL_MS + 100)
        for member in [one for one in self._alive if one not in early]:
            self._do("heartbeat", id=member)
            self._do("sleep", ms=1)
        last = self._clock
        for member in (*early, *late):
            del self._alive[member]
        self._dead = [*early, *late]
        self.events.append({"remove_client": event})
        for over in (first, last):
            until = over + SESSION_MS + 50
            self._do("sleep", ms=(until - self._clock) // 2)
            self._beat()
            self._do("sleep", ms=until - self._clock, by=1)
            self._beat()
        self._dead = []
