"""Random changes to a consumer group: as Holdfast forecasts them, and as scripts for a whole coordinator with mock time.

A script starts a group, lets it settle, and plays the events so that all of a batch come before one target, as a forecast has
them: within the assignment interval. Up to 4.2 there is none: the heartbeat with which a member joins computes a target.
"""

import base64
import random
from typing import Any

from tests.conformance.coordinator.consumer.described import snapshot_of, targets_of
from tests.conformance.coordinator.targets import Case

from holdfast.kafka.coordinator.consumer import topic_regex
from holdfast.kafka.coordinator.consumer.release import behaviour

INTERVAL_MS, SESSION_MS = 15_000, 45_000
_REGEXES = ("t.*", ".*[02468]", "(t|u)[0-9]+", "u.*|t1", ".+")
_NAMES = ("t", "u", "tasks.of-the-shop.", "users_")
PARTITIONS = (range(1, 21), range(1, 21), range(24, 64), range(24, 120, 12))
"""Of topics. A member with 12, 24, 48, … of one has them in a table of another size than the assignor's, or another Java's."""


class RandomGroupChange:
    """`script`: for the coordinator; `events`: of the change; `settled`: the step that shows the group before the change."""

    def __init__(self, chance: random.Random, release: str) -> None:
        self._chance, self._release = chance, release
        self._has_interval = behaviour(release).has_interval
        self._raises = behaviour(release).assignor_raises_epoch
        self._assignor = chance.choice(("uniform", "uniform", "range"))
        self._static, self._alike = chance.choice((0, 0, 0.5, 1)), chance.random() < 0.7
        self._starting = True
        self._regexes = chance.choice((0, 0, 0, 0.5, 1))
        counts = chance.choice(PARTITIONS)
        self._topics = {f"{chance.choice(_NAMES)}{number}": chance.choice(counts) for number in range(chance.choice((1, 2, 3, 6)))}
        self._first = dict(self._topics)
        self._usual = chance.sample(list(self._topics), chance.randint(1, len(self._topics)))
        self._alive: dict[str, tuple[str | None, Case]] = {}
        """The instance and the subscription of each member that runs."""
        self._steps: list[Case] = []
        self._forgets = behaviour(release).interval_ends_when_empty
        self._done = False  # the first member of a group that was empty has computed the target
        self._silent: set[str] = set()  # members that stopped or ended, which the coordinator still has
        self._clock = 0
        self._held: Case | None = None
        self.events: list[Case] = []
        for _ in range(chance.choice((1, 2, 3, 4, 6, 12))):
            self._join(self._new_id(), self._new_instance(), self._subscription())
            self._release_held()
        self._settle()
        for _ in range(chance.choice((0, 0, 1, 2))):  # its history before the observation
            old = chance.choice(list(self._alive))
            instance, topics = self._alive[old]
            self._leave(old)
            self._join(self._new_id(), instance, topics)
            self._release_held()
            self._settle()
        self._begin_interval()
        self._starting = False
        self.settled = len(self._steps) - 1
        self._topics_then = dict(self._topics)
        for wait in (*(chance.choice(("target", "stable")) for _ in range(chance.randint(0, 3))), None):
            self._batch(wait)
            if not self._alive or not self._read():
                break
            self.events += [] if wait is None else [{"then": wait}]

    @property
    def script(self) -> Case:
        config = {"group.consumer.assignment.interval.ms": INTERVAL_MS} if self._has_interval else {}
        return {"config": config, "topics": [list(one) for one in self._first.items()], "steps": self._steps}

    def _do(self, what: str, **more: Any) -> None:
        self._clock += more.get("ms", 0)
        self._steps.append({"do": what, **more})

    def _new_id(self) -> str:
        return random_id(self._chance)

    def _new_instance(self) -> str | None:
        return f"host-{self._chance.randrange(10**6)}" if self._chance.random() < self._static else None

    def _subscription(self) -> Case:
        if self._chance.random() < self._regexes:
            some = [one for one in _REGEXES if topic_regex.matching(one, list(self._topics))]
            some = some[-1:] if self._alike else some
            some = some if self._starting else [one for one in some if one in self._held_regexes()]
            if some:
                return {"topics": [], "regex": self._chance.choice(some)}
        topics = (
            list(self._usual)
            if self._alike
            else self._chance.sample(list(self._topics), self._chance.randint(1, len(self._topics)))
        )
        self._chance.shuffle(topics)
        return {"topics": topics, "regex": None}

    def _held_regexes(self) -> list[str | None]:
        return [topics["regex"] for _, topics in self._alive.values()]

    # What members do.

    def _join(self, member: str, instance: str | None, topics: Case) -> None:
        """The last one is held back: it may be the one whose heartbeat computes the target."""
        self._release_held()
        self._held = {"id": member, "instance": instance} | topics
        if not self._has_interval:
            self._release_held()

    def _release_held(self) -> None:
        if self._held is not None:
            held, self._held = self._held, None
            alone = self._forgets and not self._alive and not self._silent
            self._do("join", assignor=self._assignor, rack="a", **held)
            self._alive[held["id"]] = held["instance"], {key: held[key] for key in ("topics", "regex")}
            self._done = alone

    def _leave(self, member: str) -> None:
        self._release_held()
        self._do("leave", id=member)
        self._done = False
        del self._alive[member]

    def _stop(self, member: str) -> None:
        self._release_held()
        self._do("stop", id=member)
        self._vanish(member)

    def _beat(self) -> None:
        """In no time, and again, so that what is revoked is handed over."""
        for _ in range(3):
            for member in self._alive:
                self._do("heartbeat", id=member)

    def _settle(self) -> None:
        self._do("sleep", ms=INTERVAL_MS + 1)
        self._beat()

    def _begin_interval(self) -> str:
        """With a target."""
        self._settle()
        topic = self._chance.choice(sorted(self._read()))
        self._grow(topic)
        self._beat()
        return topic

    def _read(self) -> set[str]:
        """The topics that members are subscribed to and that exist."""
        return {
            topic for _, topics in self._alive.values() for topic in topics["topics"] or self._matched(topics)
        } & self._topics.keys()

    def _matched(self, topics: Case) -> tuple[str, ...]:
        return topic_regex.matching(topics["regex"], list(self._topics)) if topics["regex"] else ()

    def _grow(self, topic: str) -> None:
        self._topics[topic] += self._chance.choice((1, 2, 5))
        self._do("grow", topic=topic, partitions=self._topics[topic])

    # The batches.

    def _batch(self, wait: str | None) -> None:
        if self.events and self._has_interval:  # there may have been no target since the last one of these
            topic = self._begin_interval()
            self.events += [{"add_partitions": {"topic": topic, "partitions": self._topics[topic]}}, {"then": "target"}]
        back: list[Case] = []
        late: list[Case] = []
        left = list(self._alive)
        for member in self._alive:  # no two sessions are to end at the same time
            self._do("heartbeat", id=member)
            self._do("sleep", ms=1)
        died, dead = self._clock, False
        self._unseen = self._done = False  # whether topics have changed
        for number in range(self._chance.choice((1, 1, 2, 3))):
            verbs = ["add", "remove", "restart", "restart", "within", "replace", "grow", "topic", "subscribe", "assignor"]
            if wait != "target":
                verbs += ["crash", "crash and return"]
            verb = self._chance.choice(verbs)
            if verb == "assignor" and self._raises and number:
                continue  # members that join ask for it too, and then nothing else raises the epoch
            dead = self._event(verb, left, back, late, may_die=wait != "target") or dead
            if verb == "assignor" and self._raises:
                break
        self._compute()
        if back:
            for one in back:
                self._join(**one)
            self._compute()
        if dead:
            over = died + SESSION_MS + 50
            self._do("sleep", ms=(over - self._clock) // 2)
            self._beat()
            self._do("sleep", ms=over - self._clock, by=1)
            self._silent.clear()
            self._beat()
            for one in late:
                self._join(**one)
                self._compute()

    def _compute(self) -> None:
        """The target of a batch: in the heartbeat of the last that joins, or of another member."""
        if not self._alive or self._chance.random() < 0.4:
            self._release_held()
        if self._has_interval and (self._alive or self._held) and not (self._done and self._held is None):
            self._do("sleep", ms=INTERVAL_MS + 1)
        if self._held is None and self._alive:
            self._do("heartbeat", id=self._chance.choice(list(self._alive)))
        self._release_held()
        self._beat()

    def _event(self, verb: str, left: list[str], back: list[Case], late: list[Case], *, may_die: bool) -> bool:
        """`left`: members that no event of the batch has touched. Whether a member ends without leaving."""
        if verb in ("grow", "topic"):
            self._topic_event(verb)
        elif verb == "assignor":
            self._assignor_event()
        elif verb == "add" or not left:
            member, instance, topics = self._new_id(), self._new_instance(), self._subscription()
            self.events.append({"add_consumer": {"member_id": member, "instance_id": instance} | _asked(topics)})
            self._join(member, instance, topics)
        else:
            self._release_held()
            old = left.pop(self._chance.randrange(len(left)))
            instance, topics = self._alive[old]
            if topics["regex"] and self._held_regexes().count(topics["regex"]) == 1:
                return False  # who has it next would be the first with it
            if instance is not None:
                return self._of_static(verb, old, back, late, may_die=may_die)
            return self._of_dynamic(verb, old, topics, back)
        return False

    def _topic_event(self, verb: str) -> None:
        self._release_held()
        self._unseen, self._done = True, False
        if verb == "grow":
            topic = self._chance.choice(list(self._topics))
            self._grow(topic)
            self.events.append({"add_partitions": {"topic": topic, "partitions": self._topics[topic]}})
        elif len(self._topics) > 1 and not self._regexes:
            topic = self._chance.choice(list(self._topics))
            del self._topics[topic]
            self._usual = [one for one in self._usual if one != topic] or [next(iter(self._topics))]
            self._do("remove", topic=topic)
            self.events.append({"remove_topic": {"topic": topic}})

    def _assignor_event(self) -> None:
        """All members ask for another one with their heartbeats, which raises nothing."""
        if self._held is not None or not self._has_interval or self._unseen:
            return  # their heartbeats would compute a target, or see that topics have changed
        if self._raises and len(self._alive) % 2 == 0:
            return  # where two assignors have as many votes, the epoch may be raised twice
        if len(self._alive) <= len(self._silent):
            return  # silent members have votes too, and ask for no other
        self._assignor = "range" if self._assignor == "uniform" else "uniform"
        self.events.append({"set_assignor": {"assignor": self._assignor}})
        for member in self._alive:  # nor are sessions to end at the same time here
            self._do("ask", id=member, assignor=self._assignor)
            self._do("sleep", ms=1)

    def _of_dynamic(self, verb: str, old: str, topics: Case, back: list[Case]) -> bool:
        new = {"member": self._new_id(), "instance": None, "topics": topics}
        if verb.startswith("crash"):
            self._vanish(old)
        else:
            self._leave(old)
        event: Case = {"member_id": old} | ({"leaves": False} if verb.startswith("crash") else {})
        if verb in ("remove", "crash"):
            self.events.append({"remove_consumer": event})
        elif verb == "replace":
            instance = self._new_instance()
            self.events.append({"replace_consumer": event | {"by": {"member_id": new["member"], "instance_id": instance}}})
            self._join(**new | {"instance": instance})
        else:
            if verb == "subscribe":
                new["topics"] = self._subscription()
            event |= _asked(new["topics"])
            event |= {"new_member_id": new["member"]} | ({"within_interval": True} if verb in ("within", "subscribe") else {})
            self.events.append({"restart_consumer": event})
            if verb == "restart":
                back.append(new)
            else:
                self._join(**new)
        return verb.startswith("crash")

    def _of_static(self, verb: str, old: str, back: list[Case], late: list[Case], *, may_die: bool) -> bool:
        """A static member that is stopped keeps its place."""
        instance, topics = self._alive[old]
        new = {"member": self._new_id(), "instance": instance, "topics": topics}
        event: Case = {"member_id": old}
        if verb in ("remove", "crash") and may_die:
            self._stop(old) if verb == "remove" else self._vanish(old)
            self.events.append({"remove_consumer": event | ({} if verb == "remove" else {"leaves": False})})
            return True
        if verb == "crash and return":
            self._vanish(old)
            self.events.append({"restart_consumer": event | {"new_member_id": new["member"], "leaves": False}})
            late.append(new)
            return True
        if verb == "replace" or (verb in ("remove", "crash") and not may_die):
            self._leave(old)
            self.events.append({"restart_consumer": event | {"new_member_id": new["member"], "leaves_group": True}})
            back.append(new)
            return False
        self._stop(old)
        event["new_member_id"] = new["member"]
        if verb == "subscribe":
            new["topics"] = self._subscription()
            event |= _asked(new["topics"])
        if verb in ("within", "subscribe"):
            self.events.append({"restart_consumer": event | {"within_interval": True}})
            self._join(**new)
        else:
            self.events.append({"restart_consumer": event})
            back.append(new)
        return False

    def _vanish(self, member: str) -> None:
        self._release_held()
        self._silent.add(member)
        del self._alive[member]

    # What Holdfast makes of it.

    def forecast(self, shown: Case, ids: dict[str, str]) -> list[Case]:
        """Holdfast's targets, from what was described before the change."""
        config = {"consumer.assignment.interval.ms": INTERVAL_MS} if self._has_interval else {}
        return targets_of(snapshot_of(shown, self._release, ids, self._topics_then, config), self.events)


def _asked(topics: Case) -> Case:
    """As events say it."""
    return {"subscription": topics["topics"], "subscription_regex": topics["regex"]}


def random_id(chance: random.Random) -> str:
    return base64.urlsafe_b64encode(chance.randbytes(16)).decode().rstrip("=")
