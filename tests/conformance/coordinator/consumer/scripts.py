"""Random scripts for a whole coordinator with mock time and a consumer group, and what Holdfast makes of each target that it
computes."""

import base64
import random
from typing import Any

from tests.conformance.coordinator.consumer.changes import PARTITIONS
from tests.conformance.coordinator.consumer.targets import bits_of
from tests.conformance.coordinator.targets import Case

from holdfast.kafka.coordinator import member_table
from holdfast.kafka.coordinator.consumer import target, topic_regex
from holdfast.kafka.coordinator.consumer.group import Assignor, Group, Member, Topic
from holdfast.kafka.coordinator.consumer.release import behaviour

_REGEXES = ("t.*", ".*[02468]", "(t|u)[0-9]+", "u.*|t1")
_PASSING = ("UnknownMemberIdException", "FencedMemberEpochException", "UnreleasedInstanceIdException")
"""The answers to a member whose session is over, or whose instance has another member now."""


class RandomScript:
    """`script`: for the coordinator. `topics`: the partitions of each topic after each step."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._static, self.regexes, self._alike = chance.choice((0, 0, 0.5, 1)), chance.random() < 0.3, chance.random() < 0.6
        names = ("t", "u", "tasks.of-the-shop.", "users_")
        counts = chance.choice(PARTITIONS)
        self._now = {
            f"{chance.choice(names)}{number}": chance.choice(counts) for number in range(chance.choice((1, 1, 2, 3, 6, 14)))
        }
        self.first = dict(self._now)
        self._usual = chance.sample(list(self._now), chance.randint(1, len(self._now)))
        self.steps: list[Case] = []
        self.topics: list[dict[str, int]] = []
        self._alive: dict[str, str | None] = {}
        for _ in range(chance.choice((1, 2, 3, 4, 6, 12))):
            self._join(self._new_instance())
        for _ in range(chance.randint(5, 15)):
            self._something()
            self._do("sleep", ms=chance.choice((0, 100, 1_200, 11_000)))
            for member in chance.sample(list(self._alive), chance.randint(0, len(self._alive))):
                self._do("heartbeat", id=member)

    def _do(self, what: str, **more: Any) -> None:
        self.steps.append({"do": what, **more})
        self.topics.append(dict(self._now))

    def _new_instance(self) -> str | None:
        return f"host-{self._chance.randrange(10**6)}" if self._chance.random() < self._static else None

    def _subscription(self) -> Case:
        chance = self._chance
        if self.regexes and chance.random() < 0.8:
            return {"topics": [], "regex": _REGEXES[0] if self._alike else chance.choice(_REGEXES)}
        topics = list(self._usual) if self._alike else chance.sample(list(self._now), chance.randint(1, len(self._now)))
        chance.shuffle(topics)
        return {"topics": topics}

    def _join(self, instance: str | None) -> None:
        member = base64.urlsafe_b64encode(self._chance.randbytes(16)).decode().rstrip("=")
        assignor = "range" if self._chance.random() < 0.1 else None
        self._alive[member] = instance
        self._do("join", id=member, instance=instance, rack="a", assignor=assignor, **self._subscription())

    def _something(self) -> None:
        what = self._chance.choice(
            ("join", "leave", "restart", "restart", "crash", "subscribe", "grow", "topic", "remove", "nothing")
        )
        if what == "join":
            self._join(self._new_instance())
        elif what in ("leave", "restart", "crash") and self._alive:
            self._end(self._chance.choice(list(self._alive)), what)
        elif what == "subscribe" and self._alive:
            self._do("subscribe", id=self._chance.choice(list(self._alive)), **self._subscription())
        elif what in ("grow", "topic"):
            name = self._chance.choice(list(self._now)) if what == "grow" else f"t{100 + self._chance.randrange(1000)}"
            self._now[name] = self._now.get(name, 0) + self._chance.choice((1, 2, 5))
            self._usual += [] if name in self._usual else [name]
            self._do("grow", topic=name, partitions=self._now[name])
        elif what == "remove" and len(self._now) > 1:
            name = self._chance.choice(list(self._now))
            del self._now[name]
            self._usual = [topic for topic in self._usual if topic != name] or [next(iter(self._now))]
            self._do("remove", topic=name)

    def _end(self, member: str, what: str) -> None:
        """A static member that stops keeps its place until its session is over."""
        instance = self._alive.pop(member)
        if what != "crash":
            self._do("stop" if instance is not None and self._chance.random() < 0.8 else "leave", id=member)
        if what == "restart":
            self._join(instance)
        elif self._chance.random() < 0.5:
            for ms in (30_000, 20_000):
                self._do("sleep", ms=ms)
                for one in self._alive:
                    self._do("heartbeat", id=one)

    @property
    def script(self) -> Case:
        return {"config": {}, "topics": [list(one) for one in self.first.items()], "steps": self.steps}


def mismatches(script: RandomScript, answer: Case, release: str) -> tuple[int, int, list[str]]:
    """How many targets were computed in the script; in how many of them the coordinator took the members for subscribed as they
    were before a regular expression came or went, which no request shows; and those that Holdfast makes otherwise from what was
    shown."""
    compared, late, wrong = 0, 0, []
    before: Case = {"members": {}, "assignment epoch": 0, "resolved": {}}
    for number, (step, after) in enumerate(zip(script.steps, answer["steps"], strict=True)):
        where = f"step {number} {step}"
        if "error" in after and not after["error"].startswith(_PASSING):
            wrong.append(f"{where}: {after['error']}")
        wrong += [
            f"{where}: {regex} matches {matched}"
            for regex, matched in after["resolved"].items()
            if before["resolved"].get(regex) != matched and sorted(topic_regex.matching(regex, script.topics[number])) != matched
        ]
        _as_requested(step, after)
        if after["members"] and after["epoch"] == after["assignment epoch"] != before["assignment epoch"]:
            compared += 1
            own = _target(script.topics[number], answer["ids"], before, after, release)
            theirs = {name: one["target"] for name, one in after["members"].items()}
            if (
                step["do"] == "join" and step["instance"]
            ):  # recorded under its new ID, in the assignor's order, even if it is unchanged
                own, theirs = (one | _sorted({step["id"]: one[step["id"]]}) for one in (own, theirs))
            if own != theirs and not _hidden(script.steps[:number], before, own, theirs):
                if script.regexes and _with_the_other_type(script.topics[number], answer["ids"], before, after, release):
                    late += 1
                else:
                    wrong.append(f"{where}: the coordinator {theirs}, Holdfast {own}")
        before = after
    return compared, late, wrong


def _as_requested(step: Case, after: Case) -> None:
    """The heartbeat with which a member subscribes may compute the target, with the names in the order of the request; from then on
    the coordinator has them in that of the record, which is what it shows. Names of one bucket come in another order."""
    if step["do"] in ("join", "subscribe") and step["id"] in after["members"]:
        after["members"][step["id"]] = after["members"][step["id"]] | {"topics": step["topics"]}


def _hidden(steps: list[Case], before: Case, own: Case, theirs: Case) -> bool:
    """Whether only the order differs, after a topic was deleted: it stays in tables of the coordinator until the next target, and
    no request shows it. A table of topics that it has doubled may decide more."""
    deleted = sum(step["do"] == "remove" for step in steps)
    shown = {len(one["target"]) for one in before["members"].values()}
    doubled = any(size <= full < size + deleted for size in shown for full in (12, 24))
    return deleted > 0 and (doubled or _sorted(own) == _sorted(theirs))


def _sorted(target: Case) -> Case:
    return {name: sorted((topic, sorted(numbers)) for topic, numbers in owned) for name, owned in target.items()}


def _with_the_other_type(topics: dict[str, int], ids: dict[str, str], before: Case, after: Case, release: str) -> bool:
    theirs = {name: one["target"] for name, one in after["members"].items()}
    return any(_sorted(_target(topics, ids, before, after, release, alike)) == _sorted(theirs) for alike in (True, False))


def _most_at_once(before: Case, after: Case, release: str) -> int:
    """How many members the assignor's map has, where a static member has just come back under another member ID."""
    gone, new = before["members"].keys() - after["members"].keys(), after["members"].keys() - before["members"].keys()
    if not gone or not new or not behaviour(release).map_has_both:
        return 0
    return member_table.filled([one for one in after["members"] if one not in new], *new, *gone).most


def _target(
    topics: dict[str, int], ids: dict[str, str], before: Case, after: Case, release: str, alike: bool | None = None
) -> Case:
    """The members in the order of the last list; the new one comes last, whose heartbeat computes the target. A static one has that
    of its instance."""
    listed = [member for member in before["members"] if member in after["members"]]
    listed += [member for member in after["members"] if member not in before["members"]]
    of_instance = {one["instance"]: one["target"] for one in before["members"].values() if one["instance"] is not None}
    members = []
    for name in listed:
        now = after["members"][name]
        had = before["members"].get(name, {}).get("target", of_instance.get(now["instance"], []))
        members.append(
            Member(
                name,
                tuple(now["topics"]),
                now["regex"] or None,
                now["instance"],
                tuple((topic, tuple(each)) for topic, each in had),
            )
        )
    group = Group(
        release,
        Assignor(after["assignor"]),
        tuple(members),
        tuple(Topic(name, bits_of(ids[name]), count) for name, count in topics.items()),
        tuple((regex, tuple(matched)) for regex, matched in before["resolved"].items()),
        alike,
        _most_at_once(before, after, release),
    )
    found = {one.member_id: [[topic, list(numbers)] for topic, numbers in one.owned] for one in target.assign(group).members}
    return {name: found[name] for name in after["members"]}
