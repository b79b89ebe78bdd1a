"""Random changes to a streams group of which some clients are static (`group.instance.id`, from 4.4 on), as `changes` has them."""

import random
from collections.abc import Iterable

from tests.conformance.coordinator.changes import INTERVAL_MS, RandomChange, new_process
from tests.conformance.coordinator.targets import Case


class StaticChange(RandomChange):
    """A static client that stops says so with the epoch -2, and comes back within its session, or its session is over; or it leaves
    the group, with the epoch -1."""

    def __init__(self, chance: random.Random, release: str) -> None:
        self._instances: dict[str, str] = {}
        self._seen: set[str] = set()
        self._anew: set[str] = set()  # static members that join anew
        self._late: list[tuple[list[str], str]] = []
        self._may_end = True
        super().__init__(chance, release)

    def _do(self, what: str, **more: object) -> None:
        instance = self._instances.get(str(more.get("id")))
        super()._do(what, **more, **({} if what != "join" or instance is None else {"instance": instance}))

    def _join(self, members: Iterable[str], process: str, started: Case | None = None) -> None:
        named = list(members)
        if started is None and process not in self._seen:  # the group starts
            self._seen.add(process)
            if self._chance.random() < 0.6:
                self._instances |= {one: f"{process[:8]}-{number}" for number, one in enumerate(named)}
        elif started is None:
            self._instances |= dict(zip(named, (name for name in self._of_process(process)), strict=False))
        if started is not None and self._returns(named):
            self._release_held()
            for one in named:
                self._do("join", id=one, process=process)
                self._alive[one] = process
            self._due = self._due or "new_process_id" in started
            if "within_interval" not in started:  # others may have waited for what they give up
                self._beat()
        else:
            super()._join(named, process, started)
        self._away -= {self._instances.get(one, "") for one in named}

    def _returns(self, members: list[str]) -> bool:
        """Whether they take the places of those with their instance IDs."""
        return members[0] in self._instances and members[0] not in self._anew

    def _of_process(self, process: str) -> list[str]:
        return sorted({instance for instance in self._instances.values() if instance.startswith(process[:8])})

    def _batch(self, wait: str | None) -> None:
        self._may_end = wait != "target"
        super()._batch(wait)
        for members, process in self._late:
            for one in members:
                self._do("join", id=one, process=process)
                self._alive[one] = process
            self._do("sleep", ms=INTERVAL_MS + 1)
            self._do("heartbeat", id=self._chance.choice(list(self._alive)))
            self._beat()
        self._late = []

    def _event(self, verb: str, left: list[str], back: list[tuple[list[str], str, Case]], dead: list[str]) -> None:
        if verb in ("add", "config", "grow") or not left:
            super()._event(verb, left, back, dead)
            return
        process = left.pop(self._chance.randrange(len(left)))
        old = sorted(self._members(process), key=lambda one: self._instances.get(one, ""))
        if old[0] not in self._instances:
            super()._event(verb, [process], back, dead)
            return
        if not verb.startswith("crash") and self._chance.random() < 0.3:
            self._leaves_group(verb, process, old, back)
            return
        if verb not in ("restart", "within") and (dead or not self._may_end):
            verb = "restart"
        if verb == "crash and return" and (len(old) == len(self._alive) or not self._config[DELAY]):
            verb = "crash"
        self._release_held()
        for one in old:
            if not verb.startswith("crash"):
                self._do("stop", id=one)
            del self._alive[one]
        if verb in ("restart", "within"):
            self._restart(verb, process, old, back)
            return
        dead += old
        self._ended(verb, process, old)

    def _restart(self, verb: str, process: str, old: list[str], back: list[tuple[list[str], str, Case]]) -> None:
        members = self._new_members(len(old))
        self._instances |= {new: self._instances[one] for new, one in zip(members, old, strict=True)}
        self._away |= {self._instances[one] for one in old}
        started: Case = {"process_id": process, "member_ids": members}
        if self._chance.random() < 0.3:
            started |= {"keeps_process_id": False, "new_process_id": new_process(self._chance)}
        if verb == "within":
            started["within_interval"] = True
        self.events.append({"restart_client": started})
        now = str(started.get("new_process_id", process))
        if verb == "restart":
            back.append((members, now, started))
        else:
            self._join(members, now, started)

    def _leaves_group(self, verb: str, process: str, old: list[str], back: list[tuple[list[str], str, Case]]) -> None:
        """Its instance IDs are free again."""
        self._leave(old)
        members = self._new_members(len(old))
        leaves: Case = {"process_id": process, "leaves_group": True}
        if verb == "remove":
            self.events.append({"remove_client": leaves})
        elif verb == "replace":
            other = new_process(self._chance)
            started: Case = {"process_id": other, "member_ids": members}
            self.events.append({"replace_client": leaves | {"by": started}})
            self._join(members, other, started)
        else:
            self._instances |= {new: self._instances[one] for new, one in zip(members, old, strict=True)}
            self._anew |= set(members)
            started = leaves | {"member_ids": members} | ({"within_interval": True} if verb == "within" else {})
            self.events.append({"restart_client": started})
            if verb == "restart":
                back.append((members, process, started))
            else:
                self._join(members, process, started)

    def _ended(self, verb: str, process: str, old: list[str]) -> None:
        """Until its session is over."""
        members = self._new_members(len(old))
        leaves = {"leaves": False} if verb.startswith("crash") else {}
        if verb == "replace":
            other = new_process(self._chance)
            started = {"process_id": other, "member_ids": members}
            self.events.append({"replace_client": {"process_id": process, "by": started}})
            self._join(members, other, started)
        elif verb == "crash and return":
            self.events.append({"restart_client": {"process_id": process, "member_ids": members} | leaves})
            self._instances |= {new: self._instances[one] for new, one in zip(members, old, strict=True)}
            self._late.append((members, process))
        else:
            self.events.append({"remove_client": {"process_id": process} | leaves})


DELAY = "group.streams.initial.rebalance.delay.ms"
