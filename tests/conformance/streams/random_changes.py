"""Random changes to random groups: every event of the contract, markers between them, and every kind of `assume`."""

import random
import uuid

from tests.conformance.streams.groups import Case

from holdfast.kafka.release import Behaviour, behaviour

FRESH = "fresh"


def random_change(seed: int, case: Case, release: str) -> Case:
    """One to five events, by half of them a marker. At most one process ID is a new random one (null)."""
    chance = random.Random(f"{seed}/change")
    draw = _Draw(chance, case, behaviour(release))
    events: list[Case] = []
    for _ in range(chance.choice([0, 1, 1, 1, 2, 2, 3, 5])):
        if events and chance.random() < 0.4:
            events.append({"then": chance.choice(["rebalance", "stable"])})
            draw.mark(settled=events[-1]["then"] == "stable")
        event = draw.event()
        if event is not None:
            events.append(event)
    change: Case = {"format_version": "1.0", "events": events}
    assume = _assume(chance, max((sum(ends) for ends in case["ends"].values()), default=0))
    return change | ({"assume": assume} if assume else {})


def _assume(chance: random.Random, longest: int) -> Case:
    """A restore takes no time, never ends, or takes some probing rebalances; not thousands of them."""
    assume: Case = {}
    if chance.random() < 0.3 and longest < 1e11:
        rate = chance.choice([1e-6, 1e11, (longest + 1) / chance.choice([50, 100, 500, 2_000])])
        assume["catch_up"] = chance.choice(["next rebalance", "probing rebalance", {"records_per_second": rate}])
        if isinstance(assume["catch_up"], dict) and chance.random() < 0.3:
            assume["catch_up"]["grows_per_second"] = rate * chance.choice([0, 0.5, 1, 3])
    if chance.random() < 0.2:
        assume["closed_copies"] = chance.choice(["as released", "end"])
    if chance.random() < 0.2:
        assume["dormant_copies"] = chance.choice(["kept", "dropped"])
    return assume


class _Draw:
    def __init__(self, chance: random.Random, case: Case, line: Behaviour) -> None:
        self.chance, self.case, self.line = chance, case, line
        self.threads: dict[str, int] = {}
        for member in case["members"]:
            self.threads[member["process"]] = self.threads.get(member["process"], 0) + 1
        self.fresh = False
        self.made: dict[str, None] = {}
        """Process IDs that came into the group: their member IDs are taken."""
        self.grown: dict[str, None] = {}
        self.static = list(self.threads) if any("instance" in member for member in case["members"]) else []
        """Clients whose members are static."""
        self.mark(settled=True)

    def mark(self, *, settled: bool) -> None:
        """From here on other events take effect together."""
        self.settled = settled
        self.before = list(self.threads)

    def event(self) -> Case | None:
        verbs = [self._add, self._remove, self._replace, self._replace, self._restart, self._restart, self._config]
        verbs += [self._set_threads, self._add_partitions, self._stop, self._upgrade]
        return self.chance.choice(verbs)()

    def _some(self) -> str:
        return self.chance.choice(list(self.threads))

    def _new_id(self) -> str | None:
        if not self.fresh and self.chance.random() < 0.2 and len(self.threads) < 7:
            self.fresh = True
            return None
        bits = self.chance.getrandbits(128)
        if self.chance.random() < 0.2:
            near = int(uuid.UUID(self._some())) if self.threads else 0
            bits = (near + self.chance.choice([-1, 1, 1 << 63, 1 << 64])) % 2**128
        found = str(uuid.UUID(int=bits))
        if found in self.threads or found in self.made:
            return self._new_id()
        self.made[found] = None
        return found

    def _like(self, client: Case) -> Case:
        tags = [member["tags"] for member in self.case["members"] if "tags" in member]
        racks = [member["rack"] for member in self.case["members"] if "rack" in member]
        if tags:
            client["client_tags"] = self.chance.choice(tags)
        if racks:
            client["rack"] = self.chance.choice(racks)
        return client

    def _add(self) -> Case:
        new, threads = self._new_id(), self.chance.choice([1, 1, 2, 3, 5])
        if new is not None:
            self.threads[new] = threads
        client: Case = {"process_id": new, "threads": threads}
        if new is not None and self.chance.random() < 0.2:
            client["member_ids"] = self._member_ids(threads)
            if self.chance.random() < 0.5:
                del client["threads"]
        return {"add_client": self._like(client)}

    def _member_ids(self, count: int) -> list[str]:
        return [f"m{self.chance.randrange(10**9)}" for _ in range(count)]

    def _remove(self) -> Case | None:
        if len(self.threads) < 2:
            return None
        gone = self._some()
        del self.threads[gone]
        self.static = [process for process in self.static if process != gone]
        return {"remove_client": {"process_id": gone} | self.chance.choice([{}, {"leaves": False}, {"leaves": True}])}

    def _set_threads(self) -> Case | None:
        if not self.line.threads_can_change or not self.threads:
            return None
        process = self._some()
        if process in self.static:
            return None
        now, wanted = self.threads[process], self.chance.choice([1, 2, 3, 4])
        if now == wanted:
            return None
        self.threads[process] = wanted
        return {"set_threads": {"process_id": process, "threads": wanted}}

    def _add_partitions(self) -> Case | None:
        if "replicas" in self.case:  # where the new ones would be is unknown
            return None
        subtopology = self.chance.choice(self.case["subtopologies"])
        topic, now = self.chance.choice(subtopology["sources"])
        if topic in self.grown:
            return None
        self.grown[topic] = None
        grown = {"changelogs_grown": True} if self.chance.random() < 0.8 else {}
        return {"add_partitions": {"topic": topic, "partitions": now + self.chance.choice([1, 2, 6])} | grown}

    def _upgrade(self) -> Case | None:
        if "upgrade.from" in self.case["config"] or self.chance.random() < 0.5:
            return None
        return {"set_release": {"kafka_release": "3.9.1" if self.line.metadata_version < 11 else "4.3.1"}}

    def _stop(self) -> Case:
        return {"stop_application": {"minutes": self.chance.choice([0.5, 10, 20_000])}}

    def _replace(self) -> Case | None:
        if not self.threads:
            return None
        old = self._some()
        state: object = self.chance.choice(["empty", "kept", None, "copied"])
        if state == "copied":
            sources = [process for process in self.before if process != FRESH]
            if not sources:
                return None
            state = {"copied_from": self.chance.choice(sources)}
        threads = self.threads.pop(old)
        self.static = [process for process in self.static if process != old]
        by: Case = {"process_id": old if self.chance.random() < 0.3 else self._new_id()}
        if by["process_id"] == old:
            by["member_ids"] = self._member_ids(threads)
        elif self.chance.random() < 0.4:
            threads = by["threads"] = self.chance.choice([1, 2, 4])
        if by["process_id"] is not None:
            self.threads[by["process_id"]] = threads
        if self.chance.random() < 0.2:
            by = self._like(by)
        event: Case = {"process_id": old, "by": by}
        return {"replace_client": event | ({"state": state} if state else {})}

    def _restart(self) -> Case | None:
        if not self.threads:
            return None
        old = self._some()
        event: Case = {"process_id": old}
        if self.chance.random() < 0.4:
            event["keeps_process_id"] = False
            event["new_process_id"] = self._new_id()
        if self.chance.random() < 0.4:
            event["keeps_state"] = self.chance.random() < 0.5
        if old in self.static:
            self.static.remove(old)
            if self.settled and self.chance.random() < 0.8:
                event["within_session"] = True
        if self.chance.random() < 0.2 and "within_session" not in event:
            event["member_ids"] = self._member_ids(self.threads[old])
        threads = self.threads.pop(old)
        new = event.get("new_process_id", old)
        if new is not None:
            self.threads[new] = threads
        return {"restart_client": event}

    def _config(self) -> Case:
        chance = self.chance
        settings: Case = {}
        if chance.random() < 0.6:
            settings["max.warmup.replicas"] = chance.choice([1, 2, 3, 8, 1000])
        if chance.random() < 0.4:
            settings["num.standby.replicas"] = chance.choice([0, 1, 2])
        if chance.random() < 0.3:
            settings["acceptable.recovery.lag"] = chance.choice([0, 5, 10_000])
        if chance.random() < 0.3 or not settings:
            settings["probing.rebalance.interval.ms"] = chance.choice([60_000, 90_500, 600_000])
        if chance.random() < 0.1:
            settings["session.timeout.ms"] = chance.choice([6_000, 30_000])
        return {"set_config": settings}
