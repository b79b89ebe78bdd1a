"""Random changes to a streams group: as Holdfast forecasts them, and as scripts for a whole coordinator with mock time.

A script starts a group, lets it settle, and plays the events so that all of a batch come before one target, as a forecast has
them: within the assignment interval. Up to 4.2 there is none: a member that joins gets a target at once; so one joins in a batch.
"""

import base64
import itertools
import random
import uuid
from collections.abc import Iterable
from typing import Any

from tests.conformance.coordinator.targets import Case

from holdfast.kafka.coordinator.release import behaviour
from holdfast.rollout.contract.rebalances import Detail
from holdfast.workflows.forecast import forecast_case

STANDBYS = "streams.num.standby.replicas"
INTERVAL_MS = 15_000
SESSION_MS = 45_000


class RandomChange:
    """`script`: for the coordinator; `events`: of the change; `settled`: the step that shows the group before the change."""

    def __init__(self, chance: random.Random, release: str) -> None:
        self._chance = chance
        self._release = release
        self._one_by_one = release.startswith("4.2.")
        self._forgets = behaviour(release).interval_ends_when_empty
        self._steps: list[Case] = []
        self._clock = 0
        self._alive: dict[str, str] = {}
        self._held: tuple[str, str, Case] | None = None
        self._dead: list[str] = []
        self._away: set[str] = set()  # static members that are stopped, by instance ID
        self._due = True  # the epoch was raised since the last target, or may have been
        self._delayed = False  # the group was empty: its target comes when the initial delay is over
        self.events: list[Case] = []
        self._standbys = chance.choice((0, 0, 1, 1, 2))
        self._config: Case = {
            "group.streams.assignment.interval.ms": INTERVAL_MS,
            "group.streams.initial.rebalance.delay.ms": chance.choice((0, 3000)),
            "group.streams.num.standby.replicas": self._standbys,
        }
        if self._one_by_one:
            del self._config["group.streams.assignment.interval.ms"]
        names = [str(number) for number in range(chance.choice((1, 1, 2, 3, 11)))]
        self._subtopologies = [[name, chance.randint(1, 20), chance.random() < 0.75] for name in names]
        self._grown: dict[str, int] = {}
        self._start()
        if self._forgets:
            self._do("sleep", ms=INTERVAL_MS + 1)  # so that the next heartbeat computes it
        self._configure()  # the interval begins with a target
        self._beat()
        self._due = not self._forgets
        self._initial_standbys = self._standbys
        self.settled = len(self._steps) - 1
        waits = [chance.choice(("target", "stable")) for _ in range(chance.randint(0, 3))]
        for wait in (*waits, None):
            self._batch(wait)
            if not self._alive:
                break
            self.events += [] if wait is None else [{"then": wait}]

    @property
    def script(self) -> Case:
        return {"config": self._config, "subtopologies": self._subtopologies, "steps": self._steps}

    def _do(self, what: str, **more: Any) -> None:
        self._clock += more.get("ms", 0)
        self._steps.append({"do": what, **more})

    def _start(self) -> None:
        for _ in range(self._chance.choice((1, 2, 3, 4, 6))):
            self._join(self._new_members(self._chance.choice((1, 1, 2, 4))), new_process(self._chance))
        self._release_held()
        self._settle()
        for _ in range(self._chance.choice((0, 0, 1, 2))):  # its history before the observation
            process = self._chance.choice(list(self._alive.values()))
            members = self._members(process)
            self._leave(members)
            self._join(self._new_members(len(members)), process)
            self._release_held()
            self._settle()

    def _configure(self) -> Case:
        self._standbys = (self._standbys + self._chance.choice((1, 2))) % 3
        asked = {STANDBYS: self._standbys}
        self._due = True
        self._do("config", config=asked)
        return asked

    def _settle(self) -> None:
        self._wait()
        self._beat()
        self._beat()

    def _wait(self) -> None:
        self._do("sleep", ms=INTERVAL_MS + 1)
        self._beat()

    def _beat(self) -> None:
        """In no time, and again, so that what is revoked is handed over."""
        for _ in range(3):
            for member in self._alive:
                self._do("heartbeat", id=member)

    def _new_members(self, threads: int) -> list[str]:
        return [base64.urlsafe_b64encode(self._chance.randbytes(16)).decode().rstrip("=") for _ in range(threads)]

    def _members(self, process: str) -> list[str]:
        return [one for one, own in self._alive.items() if own == process]

    def _leave(self, members: Iterable[str]) -> None:
        self._release_held()
        for member in members:
            self._do("leave", id=member)
            del self._alive[member]
            self._due = True

    def _join(self, members: Iterable[str], process: str, started: Case | None = None) -> None:
        """The last one is held back: it may be the one whose heartbeat computes the target. `started`: of the change, where it says
        whether the first of them computes a target alone."""
        for member in members:
            self._release_held()
            self._held = member, process, {} if started is None else started

    def _release_held(self) -> None:
        if self._held is not None:
            member, process, started = self._held
            self._held = None
            empty = not (self._alive or self._dead or self._away)
            alone = empty and self._forgets and not self._config["group.streams.initial.rebalance.delay.ms"]
            if alone:
                started["first_thread_alone"] = True
            self._delayed = self._delayed or empty
            self._do("join", id=member, process=process)
            self._alive[member] = process
            self._due = not alone

    def _compute(self) -> None:
        """The target of a batch: in the heartbeat of the last that joins, or of another member."""
        if not self._alive or self._delayed or (not self._one_by_one and self._chance.random() < 0.4):
            self._release_held()
        if self._delayed:
            self._beat()  # so that a member has seen changed configs when the delay is over
        if not self._one_by_one and (self._alive or self._held) and (self._due or self._held):
            self._do("sleep", ms=INTERVAL_MS + 1)
        joins = self._held is not None
        self._delayed = False
        self._release_held()
        if self._alive and not joins:
            if self._one_by_one:
                self._do("sleep", ms=3_001)
            self._do("heartbeat", id=self._chance.choice(list(self._alive)))
        self._beat()
        if self._alive:
            self._due = not self._forgets

    def _batch(self, wait: str | None) -> None:
        back: list[tuple[list[str], str, Case]] = []
        dead = self._dead = []
        left = list(dict.fromkeys(self._alive.values()))
        for member in self._alive:  # no two sessions are to end at the same time
            self._do("heartbeat", id=member)
            self._do("sleep", ms=1)
        died = self._clock
        for _ in range(1 if self._one_by_one else self._chance.choice((1, 1, 2, 3))):
            verbs = ["add", "remove", "restart", "within", "replace", "config", "grow"]
            if wait != "target" and not dead:
                verbs += ["crash", "crash and return"]
            if self.events and "set_config" in self.events[-1]:
                verbs.remove("config")  # what is set back again is not seen, and the interval does not begin anew
            self._event(self._chance.choice(verbs), left, back, dead)
        self._compute()
        if back:
            for members, process, started in back:
                self._join(members, process, started)
            self._compute()
        if dead:
            over = died + SESSION_MS + 50
            self._do("sleep", ms=(over - self._clock) // 2)
            self._beat()
            self._do("sleep", ms=over - self._clock, by=1)
            self._beat()
        self._dead = []

    def _event(self, verb: str, left: list[str], back: list[tuple[list[str], str, Case]], dead: list[str]) -> None:
        """`left`: clients that no event of the batch has touched."""
        if verb == "config":
            self._release_held()
            self.events.append({"set_config": self._configure()})
            return
        if verb == "grow":
            self._release_held()
            self._grow(*self._chance.choice(self._subtopologies))
            return
        if verb == "add" or not left:
            process, members = (
                new_process(self._chance),
                self._new_members(1 if self._one_by_one else self._chance.choice((1, 2, 3))),
            )
            started: Case = {"process_id": process, "member_ids": members}
            self.events.append({"add_client": started})
            self._join(members, process, started)
            return
        process = left.pop(self._chance.randrange(len(left)))
        old = self._members(process)
        members = self._new_members(1 if self._one_by_one else len(old))
        if verb.startswith("crash"):
            self._release_held()
            for member in old:
                del self._alive[member]
            dead += old
        else:
            self._leave(old)
        crash: Case = {"leaves": False} if verb.startswith("crash") else {}
        if verb in ("remove", "crash"):
            self.events.append({"remove_client": {"process_id": process} | crash})
        elif verb == "replace":
            other = new_process(self._chance)
            started = {"process_id": other, "member_ids": members}
            self.events.append({"replace_client": {"process_id": process, "by": started}})
            self._join(members, other, started)
        else:
            within = {"within_interval": True} if verb == "within" else {}
            started = {"process_id": process, "member_ids": members} | crash | within
            self.events.append({"restart_client": started})
            if verb == "restart":
                back.append((members, process, started))
            else:
                self._join(members, process, started)

    def _grow(self, name: str, partitions: int, stateful: bool) -> None:
        """Its changelog too, in the same batch: else the topology is not ready."""
        grown = max(partitions, self._grown.get(name, 0)) + self._chance.choice((1, 2, 5))
        self._grown[name] = grown
        for topic in (f"input-{name}", f"store-{name}-changelog")[: 1 + stateful]:
            self.events.append({"add_partitions": {"topic": topic, "partitions": grown}})
            self._do("grow", topic=topic, partitions=grown)
        self._due = True

    def forecast(self, shown: Case) -> list[Case]:
        """Holdfast's targets, from what was described before the change."""
        snapshot = described(
            shown, self._release, self._config | {f"group.{STANDBYS}": self._initial_standbys}, self._subtopologies
        )
        change = {"format_version": "1.0", "events": self.events}
        answer: Any = forecast_case({"snapshot": snapshot, "change": change}, Detail.FULL)
        return answer["outcomes"][0]["targets"]


def described(shown: Case, release: str, config: Case, subtopologies: list[Any]) -> Case:
    """The Snapshot of what the coordinator shows. `config`: the brokers', all that the group has."""
    return {
        "format_version": "1.0",
        "group_id": "shop",
        "protocol": "streams",
        "broker_release": release,
        "group_state": shown["state"],
        "group_epoch": shown["epoch"],
        "assignment_epoch": shown["assignment epoch"],
        "config": {key.removeprefix("group."): value for key, value in config.items()},
        "topology": {
            "epoch": 0,
            "subtopologies": {
                name: {"source_topics": [f"input-{name}"], "changelog_topics": [f"store-{name}-changelog"] if stateful else []}
                for name, _, stateful in subtopologies
            },
        },
        "topics": {
            topic: {"partitions": [{"id": number} for number in range(count)]}
            for name, count, stateful in subtopologies
            for topic in (f"input-{name}", f"store-{name}-changelog")[: 1 + stateful]
        },
        "members": {
            name: {
                "process_id": one["process"],
                "instance_id": one["instance"],
                "member_epoch": one["epoch"],
                "assignment": named(one["assignment"]),
                "target": named(one["target"]),
            }
            for name, one in shown["members"].items()
        },
    }


def new_process(chance: random.Random) -> str:
    return str(uuid.UUID(int=chance.getrandbits(128)))


def named(tasks: Case) -> Case:
    return {role: [f"{name}_{number}" for name, numbers in tasks[role].items() for number in numbers] for role in tasks}


def computed(shown: list[Case]) -> list[Case]:
    """The targets that the coordinator computed, from what was described after each step, the first of which is before them."""
    found = []
    for before, after in itertools.pairwise(shown):
        if after["members"] and after["assignment epoch"] != before["assignment epoch"]:
            members = {name: named(one["target"]) for name, one in after["members"].items()}
            found.append({"group_epoch": after["assignment epoch"], "members": members})
    return found


def mismatch(forecast: list[Case], found: list[Case]) -> str:
    """What differs first; empty: nothing. Undetermined tasks may be anywhere."""
    epochs = [one["group_epoch"] for one in forecast], [one["group_epoch"] for one in found]
    if epochs[0] != epochs[1]:
        return f"epochs: forecast {epochs[0]}, coordinator {epochs[1]}"
    for ours, theirs in zip(forecast, found, strict=True):
        free = {*ours["assignment"]["undetermined_tasks"], *ours.get("after_undetermined", ())}
        own = {name: _without(given, free) for name, given in ours["assignment"]["members"].items()}
        other = {name: _without(given, free) for name, given in theirs["members"].items()}
        if own != other:
            return f"target of epoch {theirs['group_epoch']}: forecast {own}, coordinator {other}"
    return ""


def _without(given: Case, free: set[str]) -> Case:
    return {role: sorted(set(tasks) - free) for role, tasks in given.items()}
