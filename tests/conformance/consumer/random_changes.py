"""Random changes to random consumer groups: every event of the contract, markers between them, and lists of assignors that mix."""

import random

from tests.conformance.consumer.random_groups import RACKS, Case, random_case

LISTS = (
    ["range"],
    ["range", "cooperative-sticky"],
    ["cooperative-sticky", "range"],
    ["cooperative-sticky"],
    ["sticky"],
    ["sticky", "range"],
    ["sticky", "cooperative-sticky"],
    ["cooperative-sticky", "sticky"],
    ["roundrobin", "sticky"],
    ["roundrobin"],
)


def random_forecast_case(seed: int) -> tuple[Case, Case]:
    """A group and a change to it."""
    chance = random.Random(f"{seed}/forecast")
    case = random_case(random.Random(seed))
    if chance.random() < 0.4:  # lists that have one in common, in any order
        for member in case["members"]:
            others = [one for one in ("range", "roundrobin", "sticky", "cooperative-sticky") if one != case["assignor"]]
            mixed = [case["assignor"], *chance.sample(others, chance.choice((0, 0, 1, 2)))]
            member["assignors"] = chance.sample(mixed, len(mixed))
    newest = max((member["generation"] or 0 for member in case["members"]), default=0)
    if chance.random() < 0.7:
        case["group_generation"] = newest + chance.choice((0, 0, 1, 7))
    if chance.random() < 0.7:
        case["broker"] = chance.choice(("3", "4"))
    draw = _Draw(chance, case)
    events: list[Case] = []
    for _ in range(chance.choice((0, 1, 1, 2, 2, 3, 5, 8))):
        if events and chance.random() < 0.6:
            events.append({"then": chance.choice(("rebalance", "stable"))})
        event = draw.event()
        if event is not None:
            events.append(event)
    return case, {"format_version": "1.0", "events": events}


class _Draw:
    def __init__(self, chance: random.Random, case: Case) -> None:
        self.chance, self.case = chance, case
        self.members: list[str] = [member["id"] for member in case["members"]]
        self.static: dict[str, str] = {member["id"]: member["instance"] for member in case["members"] if "instance" in member}
        self.topics: dict[str, int] = {name: len(racks) for name, racks in case["topics"].items()}
        self.number = 0

    def event(self) -> Case | None:
        consumers = [self._add, self._add, self._remove, self._replace, self._restart, self._restart, self._assignors]
        return self.chance.choice([*consumers, *consumers, self._grow, self._topic, self._gone])()

    def _new_id(self) -> str:
        self.number += 1
        name = self.chance.choice(("consumer-app", "m", "a", "z", "é", "\U0001f600"))
        return f"{name}-{self.number}-{self.chance.getrandbits(32):08x}"

    def _list(self) -> list[str]:
        if self.chance.random() < 0.7:
            return self.chance.choice([member["assignors"] for member in self.case["members"]])
        return [*self.chance.choice(LISTS), *([self.case["assignor"]] if self.chance.random() < 0.5 else [])]

    def _distinct(self) -> list[str]:
        return list(dict.fromkeys(self._list()))

    def _subscription(self) -> list[str]:
        if self.chance.random() < 0.6:
            return list(self.chance.choice(self.case["members"])["subscription"])
        names = sorted({*self.topics, "missing", "newcomer"})
        return sorted(self.chance.sample(names, self.chance.randint(1, len(names))))

    def _racks(self, count: int) -> Case:
        if not self.case["racks"] or self.chance.random() < 0.1:
            return {}
        return {"replica_racks": [self.chance.choices(RACKS, k=self.chance.randint(1, 3)) for _ in range(count)]}

    def _place(self) -> Case:
        place: Case = {}
        if self.case["racks"] and self.chance.random() < 0.7:
            place["rack"] = self.chance.choice(RACKS)
        if self.chance.random() < 0.1:
            place["client_id"] = "app"
        return place

    def _add(self) -> Case:
        new = self._new_id()
        self.members.append(new)
        event: Case = {"member_id": new, "assignors": self._distinct(), "subscription": self._subscription()} | self._place()
        if self.chance.random() < 0.2:
            self.static[new] = event["group_instance_id"] = f"instance-new-{self.number}"
        return {"add_consumer": event}

    def _remove(self) -> Case | None:
        if len(self.members) < 2:
            return None
        return {"remove_consumer": {"member_id": self._taken()}}

    def _taken(self) -> str:
        return self.members.pop(self.chance.randrange(len(self.members)))

    def _other(self) -> Case:
        """What a consumer that comes back may have changed."""
        other = self._place()
        if self.chance.random() < 0.2:
            other["assignors"] = self._distinct()
        if self.chance.random() < 0.2:
            other["subscription"] = self._subscription()
        return other

    def _replace(self) -> Case:
        old = self._taken()
        new = old if self.chance.random() < 0.1 else self._new_id()
        self.members.append(new)
        by: Case = {"member_id": new} | self._other()
        if old in self.static and self.chance.random() < 0.3:
            by["group_instance_id"] = None
            del self.static[old]
        elif old in self.static:
            self.static[new] = self.static.pop(old)
        return {"replace_consumer": {"member_id": old, "by": by}}

    def _restart(self) -> Case:
        old = self._taken()
        event: Case = {"member_id": old} | self._other()
        if self.chance.random() < 0.6:
            event["new_member_id"] = self._new_id()
        new = event.get("new_member_id", old)
        self.members.append(new)
        if old in self.static:
            self.static[new] = self.static.pop(old)
        return {"restart_consumer": event}

    def _assignors(self) -> Case:
        chosen = self.chance.sample(self.members, self.chance.choice((1, 1, len(self.members))))
        names = {old: old if self.chance.random() < 0.3 else self._new_id() for old in chosen}
        self.members = [member for member in self.members if member not in names] + list(names.values())
        return {"set_assignors": {"assignors": self._distinct(), "member_ids": names}}

    def _grow(self) -> Case | None:
        if not self.topics:
            return None
        topic = self.chance.choice(sorted(self.topics))
        more = self.chance.choice((1, 1, 2, 6))
        self.topics[topic] += more
        return {"add_partitions": {"topic": topic, "partitions": self.topics[topic]} | self._racks(more)}

    def _topic(self) -> Case | None:
        name = self.chance.choice(("newcomer", "missing"))
        if name in self.topics:
            return None
        self.topics[name] = self.chance.randint(1, 6)
        return {"add_topic": {"topic": name, "partitions": self.topics[name]} | self._racks(self.topics[name])}

    def _gone(self) -> Case | None:
        if len(self.topics) < 2:
            return None
        topic = self.chance.choice(sorted(self.topics))
        del self.topics[topic]
        return {"remove_topic": {"topic": topic}}
