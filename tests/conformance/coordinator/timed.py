"""Random changes in time: members send heartbeats an interval at random phases, and do at once what the answers ask for.

The script for the coordinator is made beforehand: a simulation knows when a target is computed, not which. An operator who waits
for a stable group waits as long as it may take, and what is measured leaves out how much longer than it took that is.
"""

import base64
import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from tests.conformance.coordinator.changes import STANDBYS, computed, described, mismatch, new_process
from tests.conformance.coordinator.targets import Case

from holdfast.kafka.coordinator.release import behaviour
from holdfast.rollout.contract.rebalances import Detail
from holdfast.workflows.forecast import forecast_case

INTERVAL, HEARTBEAT, SESSION, DELAY = (
    f"streams.{name}.ms" for name in ("assignment.interval", "heartbeat.interval", "session.timeout", "initial.rebalance.delay")
)


class TimedChange:
    """`script`: for the coordinator, `events`: of the change; `settled`: the step that shows the group before it."""

    VERBS = ("add", "remove", "restart", "restart", "within", "replace", "standbys", "times", "crash", "crash and return")
    THREADS = (1, 1, 2)
    """Of a client, one of these."""
    DELAYS = (0, 3_000)
    BEHAVIOUR: ClassVar[Callable[[str], Any]] = staticmethod(behaviour)
    """Of the coordinator of a release."""

    def __init__(self, chance: random.Random, release: str) -> None:
        self._chance, self._release = chance, release
        self._has_interval = self.BEHAVIOUR(release).has_interval
        self._forgets = self.BEHAVIOUR(release).interval_ends_when_empty
        self._steps: list[Case] = []
        self._at: list[int] = []  # when each of the steps was taken
        self._now = 0
        self._alive: dict[str, str] = {}
        self._beats: dict[str, int] = {}  # the next of each
        self._interval: dict[str, int] = {}  # of heartbeats, as each member knows it
        self._expires: dict[str, int] = {}
        self._died: dict[str, int] = {}
        # Of members that ended without leaving: the event, all threads of the client, and those gone, in groups between targets.
        self._ends: dict[str, tuple[Case, list[str], list[list[str]]]] = {}
        self._computed = False  # in this batch
        self._due, self._last, self._delayed_until = False, -(10**9), 0
        self._config: Case = {
            INTERVAL: chance.choice((0, 1_000, 1_000, 4_000, 15_000)),
            HEARTBEAT: chance.choice((5_000, 5_000, 9_000)),
            SESSION: chance.choice((45_000, 50_000)),
            DELAY: chance.choice(self.DELAYS),
            STANDBYS: chance.choice((0, 0, 1, 2)),
        }
        if not self._has_interval:
            del self._config[INTERVAL]
        self._initial = dict(self._config)
        self._subtopologies = [[str(name), chance.randint(1, 12), chance.random() < 0.75] for name in range(chance.choice((1, 2)))]
        self.events: list[Case] = []
        self.waited: list[tuple[int, int | None, int]] = []  # began, computed, next began; of each batch
        self._start()
        self.settled = len(self._steps) - 1
        waits = [chance.choice(("target", "stable")) for _ in range(chance.choice((0, 0, 1, 2)))]
        for wait in (*waits, "stable"):
            self._batch(wait)
            if not self._alive:
                break
            self.events.append({"then": wait})

    @property
    def config(self) -> tuple[tuple[str, int], ...]:
        """Of the group at first, but for what its records have."""
        return tuple((key, int(value)) for key, value in self._initial.items() if key != STANDBYS)

    @property
    def keeps_its_times(self) -> bool:
        """Whether the change has no config of times."""
        return not any(TIMES.keys() & one.get("set_config", {}).keys() for one in self.events)

    @property
    def script(self) -> Case:
        config = {f"group.{key}": value for key, value in self._initial.items()}
        return {"config": config, "subtopologies": self._subtopologies, "steps": self._steps}

    # Time.

    def _do(self, what: str, **more: Any) -> None:
        self._steps.append({"do": what, **more})
        self._at.append(self._now)

    def _sleep(self, until: int) -> None:
        if until > self._now:
            ms, self._now = until - self._now, until
            self._do("sleep", ms=ms)

    def _until(self, end: int) -> Iterator[None]:
        """One thing after the other that happens up to then."""
        while True:
            times = [*self._beats.values(), *self._expires.values()]
            times += [self._delayed_until] if self._delayed_until > self._now else []
            following = min(times, default=end + 1)
            if following > end:
                self._sleep(end)
                return
            self._sleep(following)
            for member in [one for one, at in self._expires.items() if at == following]:
                del self._expires[member]
                self._over(member)
                self._left()
            if self._delayed_until == following:
                self._delayed_until = 0
                self._maybe_compute()
            for member in [one for one, at in self._beats.items() if at == following]:
                self._beat(member)
            yield

    def _beat(self, member: str) -> None:
        self._do("heartbeat, and what follows", id=member)
        self._heard(member)

    def _heard(self, member: str) -> None:
        self._maybe_compute()
        self._interval[member] = int(self._config[HEARTBEAT])
        self._beats[member] = self._now + self._interval[member]
        self._ends_at[member] = self._now + int(self._config[SESSION])

    def _maybe_compute(self) -> None:
        over = not self._has_interval or self._now >= self._last + int(self._config[INTERVAL])
        if self._due and over and self._delayed_until <= self._now and not (self._delayed_until == self._now != 0):
            self._due, self._last, self._computed = False, self._now, True
            for _, _, groups in self._ends.values():
                groups.append([])

    def _over(self, member: str) -> None:
        """A session: where a target was computed between those of its client, the change says so."""
        event, members, groups = self._ends[member]
        groups[-1].append(member)
        gone = [one for one in groups if one]
        if len(gone) > 1 and sum(map(len, gone)) == len(members):
            event["apart"] = gone

    # The group.

    def _start(self) -> None:
        self._ends_at: dict[str, int] = {}
        clients = self._chance.choice((1, 2, 3, 3))
        for _ in range(clients):
            process = new_process(self._chance)
            for member in self._new(self._chance.choice(self.THREADS)):
                self._do("join", id=member, process=process)
                self._alive[member] = process
        self._sleep(self._now + 20_000)
        for _ in range(3):
            for member in self._alive:
                self._do("heartbeat, and what follows", id=member)
        self._last = self._now
        if self._chance.random() < 0.5:  # then the last target is long ago
            self._sleep(self._now + 20_000)
        for member in self._alive:
            self._heard(member)
            self._beats[member] = self._now + self._chance.randint(1, int(self._config[HEARTBEAT]))
        for _ in self._until(self._now + int(self._config[HEARTBEAT])):
            pass

    def _new(self, threads: int) -> list[str]:
        return [base64.urlsafe_b64encode(self._chance.randbytes(16)).decode().rstrip("=") for _ in range(threads)]

    def _joins(self, members: list[str], process: str, started: Case) -> None:
        """`started`: of the change, where it says whether the first of them computes a target alone."""
        for member in members:
            if not self._alive and not self._expires and int(self._config[DELAY]):
                self._delayed_until = self._now + int(self._config[DELAY])
            self._due = True
            self._do("join", id=member, process=process)
            self._alive[member] = process
            self._heard(member)
            if member == members[0] and not self._due:
                started["first_thread_alone"] = True

    def _gone(self, process: str, event: Case, *, leaves: bool, apart: bool) -> None:
        members = [one for one, own in self._alive.items() if own == process]
        if not leaves:
            self._ends |= dict.fromkeys(members, (event, members, [[]]))
        if apart := apart and leaves and 1 < len(members) < len(self._alive) and not self._expires and not self._delayed_until:
            event["apart"] = [[one] for one in members]
        for member in members:
            if apart:
                self._wait_for_target()
            del self._alive[member]
            del self._beats[member]
            if leaves:
                self._do("leave", id=member)
                self._left()
            else:
                self._expires[member] = self._ends_at[member]
                self._died[member] = self._now

    def _left(self) -> None:
        self._due = True
        if self._forgets and not self._alive and not self._expires:
            self._last = -(10**9)

    def _batch(self, wait: str) -> None:
        began, self._computed = self._now, False
        back: list[tuple[list[str], str, Case]] = []
        left = list(dict.fromkeys(self._alive.values()))
        for _ in range(self._chance.choice((1, 1, 1, 2))):
            self._event(self._chance.choice(self.VERBS), left, back)
        self._wait_for_target()
        for members, process, started in back:
            self._joins(members, process, started)
        self._wait_for_target()
        if wait == "stable":
            self._sessions_over(set(self._expires))
        elif not self._computed and self._expires:
            first = min(self._died[one] for one in self._expires)
            self._sessions_over({one for one in self._expires if self._died[one] == first})
        if wait == "stable":
            longest = 2 * max([int(self._config[HEARTBEAT]), *self._interval.values()])
            for _ in self._until((self._last if self._computed else self._now) + longest):
                pass
        self.waited.append((began, self._last if self._computed else None, self._now))

    def _sessions_over(self, of: set[str]) -> None:
        while of & self._expires.keys():
            next(self._until(10**9))
        self._wait_for_target()

    def _wait_for_target(self) -> None:
        """Until the target that is due is computed."""
        self._due = self._due and bool(self._alive)
        while self._due:
            next(self._until(10**9))

    def _event(self, verb: str, left: list[str], back: list[tuple[list[str], str, Case]]) -> None:
        if verb == "times" and left:
            changed = {key: self._chance.choice(values) for key, values in TIMES.items() if key in self._config}
            self._config |= changed
            self.events.append({"set_config": changed})
            self._do("config", config=dict(self._config))
            return
        if verb == "standbys" and left:
            self._config[STANDBYS] = (int(self._config[STANDBYS]) + 1) % 3
            self.events.append({"set_config": {STANDBYS: self._config[STANDBYS]}})
            self._do("config", config=dict(self._config))
            self._due = True
            return
        if verb == "add" or not left:
            process, members = new_process(self._chance), self._new(self._chance.choice(self.THREADS))
            started: Case = {"process_id": process, "member_ids": members}
            self.events.append({"add_client": started})
            self._joins(members, process, started)
            return
        process = left.pop(self._chance.randrange(len(left)))
        members = self._new(sum(own == process for own in self._alive.values()))
        crash: Case = {"leaves": False} if verb.startswith("crash") else {}
        event: Case = {"process_id": process} | crash
        self._gone(process, event, leaves=not crash, apart=verb in ("remove", "restart") and self._chance.random() < 0.5)
        if verb in ("remove", "crash"):
            self.events.append({"remove_client": event})
        elif verb == "replace":
            other = new_process(self._chance)
            started = {"process_id": other, "member_ids": members}
            self.events.append({"replace_client": {"process_id": process, "by": started}})
            self._joins(members, other, started)
        else:
            within = {"within_interval": True} if verb == "within" else {}
            started = event
            started |= {"member_ids": members} | within
            self.events.append({"restart_client": started})
            if verb == "restart":
                back.append((members, process, started))
            else:
                self._joins(members, process, started)

    # What came of it.

    def forecast(self, shown: Case) -> Case:
        snapshot = described(shown, self._release, self._initial, self._subtopologies)
        answer: Any = forecast_case({"snapshot": snapshot, "change": {"format_version": "1.0", "events": self.events}}, Detail.FULL)
        outcome: Case = answer["outcomes"][0]
        return outcome

    def measured(self, shown: list[Case]) -> float:
        """Seconds until the group was stable, without what the operator waited longer."""
        total = 0
        for began, target, following in self.waited:
            until = began if target is None else target
            if following > until or (began, target, following) == self.waited[-1]:
                stable = (
                    at
                    for at, one in zip(self._at, shown, strict=True)
                    if at >= until and one["state"] == "Stable" and one["epoch"] == one["assignment epoch"]
                )
                until = next(stable, following)
            total += until - began
        return total / 1000 if any(target is not None for _, target, _ in self.waited) else 0.0

    def moments_ms(self, shown: list[Case]) -> Iterator[int]:
        """When each record was written, where all of them are shown (`bytes`)."""
        written = 0
        for at, one in zip(self._at, shown, strict=True):
            yield from itertools.repeat(at, one["records"] - written)
            written = one["records"]

    def without_owner(self, shown: list[Case]) -> dict[str, float]:
        """For how many seconds each task had none, after the step that shows the settled group."""
        found: dict[str, float] = {}
        steps = list(zip(self._at, shown, strict=True))[self.settled :]
        for (at, one), (following, _) in itertools.pairwise(steps):
            owned = {
                f"{name}_{number}"
                for member, own in one["members"].items()
                if self._died.get(member, following) > at
                for name, numbers in own["assignment"]["active"].items()
                for number in numbers
            }
            for name, count, _ in self._subtopologies:
                for number in range(count):
                    if f"{name}_{number}" not in owned and following > at:
                        found[f"{name}_{number}"] = found.get(f"{name}_{number}", 0) + (following - at) / 1000
        return found

    def wrong(self, shown: list[Case]) -> tuple[str, bool]:
        """What is outside of the forecast, and whether the targets were those that were forecast."""
        outcome = self.forecast(shown[self.settled])
        if not self._alive:  # the group is empty at the end
            return "", False
        least, _, most = outcome["summary"]["seconds_to_stable"]
        took = self.measured(shown)
        if not least - TICK <= took <= most + TICK:
            return f"stable after {took} s, forecast {outcome['summary']['seconds_to_stable']}", False
        targets = outcome["targets"]
        if mismatch(targets, computed(shown[self.settled :])):
            return "", False
        free = {task for one in targets for task in (*one["assignment"]["undetermined_tasks"], *one.get("after_undetermined", ()))}
        spans = outcome["unowned_seconds"]
        for task, seconds in (dict.fromkeys(spans, 0.0) | self.without_owner(shown)).items():
            span = spans.get(task, [0, 0, 0])
            if task not in free and span is not None and not span[0] - TICK <= seconds <= span[2] + TICK:
                return f"{task} has had no owner for {seconds} s, forecast {span}", True
        return "", True


TIMES = {INTERVAL: (0, 1_000, 15_000), HEARTBEAT: (5_000, 12_000), SESSION: (45_000, 60_000)}
TICK = 0.003
"""Seconds: heartbeats of the same moment are one after the other."""
